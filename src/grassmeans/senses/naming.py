"""Short names for senses: the words that tell each sense from the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from grassmeans.vectors.word_vectors import WordVectors

WORDS_IN_NAME = 3
_SHORTEST_WORD = 3
_SHORTEST_STEM = 3


def name_senses(
    word: str,
    candidates: Sequence[Sequence[str]],
    directions: NDArray[np.float32],
    vectors: WordVectors,
) -> tuple[str, ...]:
    """A name of up to three words for every sense, such as "river, basin, dam".

    No word stands in two names or twice in one, not even inflected, and none is the word itself.

    Parameters
    ----------
    candidates : sequence of sequences of str
        For each sense the words to choose from, most characteristic first; all have vectors.
    directions : (n_senses, dim) float32
        Turned to the side of the words (see `orient_directions`).
    """
    ranked = [_rank_candidates(words, k, directions, vectors) for k, words in enumerate(candidates)]
    chosen: list[list[str]] = [[] for _ in candidates]
    taken = [word]
    # In turns: every sense gets its best word before any gets its second.
    for _ in range(WORDS_IN_NAME):
        for words, name in zip(ranked, chosen, strict=True):
            found = next((w for w in words if _is_new(w, taken)), None)
            if found is not None:
                name.append(found)
                taken.append(found)
    return tuple(
        ", ".join(name) or next(iter(words), "") for name, words in zip(chosen, ranked, strict=True)
    )


def _rank_candidates(
    words: Sequence[str], sense: int, directions: NDArray[np.float32], vectors: WordVectors
) -> list[str]:
    """Words by the sum of two ranks: how characteristic, and how much nearer than to the others."""
    if not words:
        return []
    rows = vectors.vectors[vectors.ids_of(words)]
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = (rows / np.where(lengths > 0.0, lengths, 1.0)) @ directions.T
    others = np.delete(cosines, sense, axis=1)
    nearer = cosines[:, sense] - (others.max(axis=1) if others.size else 0.0)
    ranks = np.arange(len(words)) + np.argsort(np.argsort(-nearer, kind="stable"))
    return [words[i] for i in np.argsort(ranks, kind="stable")]


def _is_new(word: str, taken: Sequence[str]) -> bool:
    return (
        len(word) >= _SHORTEST_WORD
        and word.isalpha()
        and not any(_share_stem(word, other) for other in taken)
    )


def _share_stem(one: str, other: str) -> bool:
    """Whether two words begin alike: with half of the longer one, three letters at least.

    A rule for any language that inflects at the end; that it parts a few unrelated words too costs
    a name its second choice and no more.
    """
    common = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        common += 1
    return common >= max(_SHORTEST_STEM, max(len(one), len(other)) / 2) or one == other
