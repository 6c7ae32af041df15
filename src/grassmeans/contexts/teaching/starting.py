"""Going on from an encoder that was taught before: its sizes, its weights, the words it knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from grassmeans.contexts import open_contexts
from grassmeans.contexts.attention.stored import N_SPECIAL
from grassmeans.contexts.attention.training import EncoderSettings
from grassmeans.contexts.taught import LAYERS, TaughtEncoder
from grassmeans.contexts.teaching.student import StudentNetwork
from grassmeans.errors import InputError

PACE = 0.5
"""Of the learning rates: what is known already is to be kept."""


def read_start(source: str | Path) -> TaughtEncoder:
    """An encoder with two voices, or that of a model; refuses what is none."""
    found = open_contexts(source)
    if not isinstance(found, TaughtEncoder):
        raise InputError(
            f"{source} is no encoder that was trained with a teacher, and no model with one: there "
            "is nothing to go on from; leave start out"
        )
    return found


def take_sizes(start: TaughtEncoder, settings: EncoderSettings) -> EncoderSettings:
    """Settings with the sizes of the encoder that is gone on from; refuses other ones."""
    shape = start.weights.shape
    sizes = {"dim": shape.dim, "layers": shape.n_layers}
    for name, size in sizes.items():
        if (given := getattr(settings, name)) not in (None, size):
            raise InputError(
                f"the encoder to go on from has {name}={size}, got {given}: leave {name} out"
            )
    return replace(settings, **sizes)


def give_weights(start: TaughtEncoder, words: Sequence[str], network: StudentNetwork) -> None:
    """Put the weights of an encoder into a student of these words; what is new there stays.

    Its voices are new as well: they speak on axes of other teachers.
    """
    weights = start.weights
    rows = start.vectors.ids_of(words)
    known = np.flatnonzero(rows >= 0)
    given: dict[str, Any] = {name: weights.matrix(name) for name in LAYERS}
    given["vectors"] = network.export()["vectors"]
    given["vectors"][:N_SPECIAL] = weights.specials.restore()
    given["vectors"][N_SPECIAL + known] = np.asarray(weights.words[rows[known]])
    with torch.no_grad():
        for name, values in given.items():
            getattr(network, name).copy_(torch.from_numpy(np.ascontiguousarray(values)))
