"""How far the places of a passage see while a network is trained: its scopes.

In use a sentence is read alone as often as a page is (`grassmeans.tagging.widening`). A network
that has seen nothing but full passages says little of a sentence: what a student said of words was
as near to their teacher as a cosine of 0.82 in passages of 110 words, and of 0.56 in the sentences
of these, read one by one. So in half of the passages places see a few words around them, and in the
others the document that they stand in. A place sees the places of its own scope, by their numbers.
"""

from __future__ import annotations

import numpy as np

from grassmeans.arrays import Indices, Integers
from grassmeans.contexts.attention.stored import BOUNDARY_ID

SHORT_SHARE = 0.5
"""Of the passages, in which places see few words."""

_SHORTEST, _LONGEST = 5, 48
"""Words that are seen there in the mean: as often 5 to 10 as 24 to 48."""

_GROUP_SIZES = (1, 1, 2, 3, 0, 0, 0, 0)  # sentences of a scope, 0 in as large a share as above


def number_documents(ids: Integers) -> Integers:
    """(n, length) scopes that are documents; a boundary stands in that of the next one."""
    return np.cumsum(ids == BOUNDARY_ID, axis=1, dtype=np.int32)


def draw_scopes(ids: Integers, rng: np.random.Generator) -> Integers:
    """(n, length) scopes of passages: documents, and in half of the passages a few words each.

    The mean length of those is one for a passage, drawn evenly by its logarithm; single ones are
    half to one and a half times as long.
    """
    n_passages, length = ids.shape
    means = _SHORTEST * (_LONGEST / _SHORTEST) ** rng.random(n_passages)
    lengths = means[:, None] * rng.uniform(0.5, 1.5, (n_passages, 2 * length // _SHORTEST + 1))
    ends = np.cumsum(lengths, axis=1)
    ends[rng.random(n_passages) >= SHORT_SHARE] = length
    # How many scopes have ended before each place, one passage's after the other's.
    rows = (np.arange(n_passages) * (length + 1))[:, None]
    there = rows + np.minimum(np.ceil(ends).astype(np.int64), length)
    is_end = np.bincount(there.ravel(), minlength=n_passages * (length + 1))
    n_ended = np.cumsum(is_end.reshape(n_passages, length + 1)[:, :length], axis=1, dtype=np.int32)
    return n_ended + number_documents(ids)


def choose_group_sizes(passages: Indices, seed: int) -> list[int]:
    """So many sentences of each passage, by its number, are a scope; 0 for all of them."""
    return [
        _GROUP_SIZES[np.random.default_rng([seed, number]).integers(len(_GROUP_SIZES))]
        for number in passages.tolist()
    ]
