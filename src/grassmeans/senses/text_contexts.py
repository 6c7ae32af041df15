"""The contexts of words in a short-lived text: arrays in, arrays out, and nothing to compile.

Gives exactly what the kernel gives that reads a corpus (`gather_contexts`). A text is tagged once,
so a command that tags a sentence should not wait for a compiler; and the time is linear in the
text even where one word fills it, which a walk away from every occurrence is not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


def gather_text_contexts(
    tokens: NDArray[np.int32],
    row_of_token: NDArray[np.int32],
    places: Indices,
    window: int,
    *,
    drop_repeats: bool = False,
) -> NDArray[np.int32]:
    """The nearest kept words on both sides of each occurrence.

    Parameters
    ----------
    tokens : (n_tokens,) int32
        The text.
    row_of_token : (n_types,) int32
        Row of each token id in the vectors; -1 for words that are dropped.
    places : (n_contexts,) int64
        Where in ``tokens`` each occurrence stands.
    window : int
        Kept words a side.
    drop_repeats : bool
        Leave out other occurrences of the target too.

    Returns
    -------
    contexts : (n_contexts, 2 * window) int32
        Rows of the vectors in text order, -1 where there is no word; the nearest ones stand on
        both sides of the middle.
    """
    rows = row_of_token[tokens]
    kept = np.flatnonzero(rows >= 0)
    contexts = np.full((len(places), 2 * window), -1, np.int32)
    if len(kept) == 0 or len(places) == 0:
        return contexts
    before = np.searchsorted(kept, places)
    steps = np.arange(-window, window)
    if drop_repeats:
        index = _skip_repeats(tokens[kept], tokens[places], before, steps)
    else:
        itself = kept[np.minimum(before, len(kept) - 1)] == places
        index = before[:, None] + steps
        index[:, window:] += itself[:, None]
    there = (index >= 0) & (index < len(kept))
    contexts[there] = rows[kept[index[there]]]
    return contexts


def _skip_repeats(
    kept_tokens: NDArray[np.int32], targets: NDArray[np.int32], before: Indices, steps: Indices
) -> Indices:
    """(n_contexts, 2 * window) indices into the kept words, none of which is the target's word.

    Without its m occurrences o_0 < o_1 < ... the r-th of the other kept words stands at r plus the
    number of occurrences before it, which is the number of i with o_i - i <= r.
    """
    index = np.empty((len(targets), len(steps)), np.int64)
    order = np.argsort(kept_tokens, kind="stable")
    ordered = kept_tokens[order]
    by_word = np.argsort(targets, kind="stable")
    changes = np.flatnonzero(np.diff(targets[by_word])) + 1
    for mine in np.split(by_word, changes):
        target = targets[mine[0]]
        first, last = np.searchsorted(ordered, (target, target + 1))
        occurrences = order[first:last]
        rank = before[mine] - np.searchsorted(occurrences, before[mine])
        ranks = rank[:, None] + steps
        shifts = np.searchsorted(occurrences - np.arange(len(occurrences)), ranks, side="right")
        # Ranks below 0 have no shift and stay below 0; those past the end go past the end.
        index[mine] = ranks + shifts
    return index
