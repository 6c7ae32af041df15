"""Compile (or load from Numba's cache) what the first requests need, before they come."""

from __future__ import annotations

import numpy as np

from grassmeans.explorer.open_model import OpenModel
from grassmeans.senses.directions import induce_directions
from grassmeans.subspaces import principal_subspaces

_CONTEXTS = 64


def warm_up(opened: OpenModel) -> None:
    """Run the kernels once on a few contexts of arbitrary words."""
    opened.key_of("a")
    vectors = opened.base.vectors.vectors
    rank = opened.base.rules.rank
    width = 2 * opened.base.rules.window
    if len(vectors) == 0 or rank > vectors.shape[1]:
        return
    ids = np.arange(_CONTEXTS * width, dtype=np.int32).reshape(_CONTEXTS, width) % len(vectors)
    bases = principal_subspaces(ids, vectors, rank)
    induce_directions(bases, 2, n_init=1, random_state=0)
    if opened.corpus is not None:
        _ = opened.row_of_token
        opened.corpus.vocabulary.id_of("")
