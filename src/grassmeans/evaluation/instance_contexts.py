"""Instances of a test set -> context word ids, by the rules of a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.tokenizer import normalize_text
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.kernels.cpu.contexts import empty_contexts
from grassmeans.senses.model import SenseModel


def instance_contexts(model: SenseModel, instances: Sequence[Instance]) -> NDArray[np.int32]:
    """The kept words on both sides of every instance, as the model sees them when it tags text.

    Returns
    -------
    context_ids : (n_instances, 2 * window) int32
        Rows of the model's vectors, -1 for padding.
    """
    window = model.rules.window
    contexts = empty_contexts(len(instances), window)
    for row, instance in zip(contexts, instances, strict=True):
        target = instance.target
        left = _kept_rows(model, _tokens(model, instance.left), target)[-window:]
        right = _kept_rows(model, _tokens(model, instance.right), target)[:window]
        row[window - len(left) : window] = left
        row[window : window + len(right)] = right
    return contexts


def _tokens(model: SenseModel, text: str) -> list[str]:
    return list(model.rules.tokenizer.tokenize(normalize_text(text)))


def _kept_rows(model: SenseModel, tokens: Iterable[str], target: str) -> NDArray[np.int32]:
    left_out = model.rules.function_words
    repeated = {target} if model.rules.drop_repeats else set()
    rows = model.vectors.ids_of(
        token for token in tokens if token not in left_out and token not in repeated
    )
    return rows[rows >= 0]
