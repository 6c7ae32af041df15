"""The words at positions of a corpus and beside them, as ids; no text is read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus

OUTSIDE = -2
"""In place of a word id: beyond the document."""

_AT_ONCE = 1 << 16


def tokens_at(corpus: Corpus, positions: NDArray[np.int64]) -> NDArray[np.int32]:
    """(n,) word ids at (n,) positions in text order."""
    found = np.empty(len(positions), np.int32)
    for part, shard, local in corpus.split_positions(positions):
        found[part] = shard.tokens[local]
    return found


def tokens_around(
    corpus: Corpus, positions: NDArray[np.int64], before: int, after: int
) -> NDArray[np.int32]:
    """(n, before + after) word ids beside positions in text order, without the words there.

    -1 for words beyond the vocabulary's limit, `OUTSIDE` where the document has begun or ended.
    """
    steps = np.delete(np.arange(-before, after + 1), before)
    found = np.empty((len(positions), len(steps)), np.int32)
    for part, shard, local in corpus.split_positions(positions, _AT_ONCE):
        first, end = shard.document_bounds(local)
        places = local[:, None] + steps
        inside = (places >= first[:, None]) & (places < end[:, None])
        tokens = np.asarray(shard.tokens)[np.clip(places, 0, len(shard.tokens) - 1)]
        found[part] = np.where(inside, tokens, OUTSIDE)
    return found
