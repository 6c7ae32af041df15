"""Instances of a test set -> context word ids, by the rules of a model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.kernels.cpu.contexts import empty_contexts
from grassmeans.senses.model import SenseModel
from grassmeans.senses.tagging import passage_contexts


def instance_contexts(model: SenseModel, instances: Sequence[Instance]) -> NDArray[np.int32]:
    """The kept words on both sides of every instance, as the model sees them when it tags text.

    Returns
    -------
    context_ids : (n_instances, 2 * window) int32
        Rows of the model's vectors, -1 for padding.
    """
    contexts = empty_contexts(len(instances), model.rules.window)
    for row, instance in enumerate(instances):
        passage = [(instance.left, instance.right)]
        contexts[row] = passage_contexts(instance.target, passage, model.vectors, model.rules)[0]
    return contexts
