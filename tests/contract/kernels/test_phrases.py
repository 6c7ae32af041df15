"""The longest phrase at every word, from left to right."""

from __future__ import annotations

import numpy as np

from grassmeans.text.phrases import make_trie

KERNEL = "join_phrases"
# 0 1, 0 1 2, 2 3, 4 4
TRIE = make_trie([[0, 1], [0, 1, 2], [2, 3], [4, 4]], 5)


def join(kernels, words, breaks=()):
    follows = np.ones(len(words), np.bool_)
    follows[list(breaks)] = False
    lengths, phrases = kernels.join_phrases(np.array(words, np.int32), follows, TRIE)
    assert lengths.dtype == phrases.dtype == np.int32
    return lengths.tolist(), phrases.tolist()


def test_the_longest_phrase_wins(kernels) -> None:
    assert join(kernels, [0, 1, 2, 3]) == ([3, 0, 0, 1], [1, -1, -1, -1])
    assert join(kernels, [0, 1, 3]) == ([2, 0, 1], [0, -1, -1])


def test_what_only_begins_like_a_phrase_stays(kernels) -> None:
    assert join(kernels, [0, 0, 1, -1, 2, 3, 0]) == (
        [1, 2, 0, 1, 2, 0, 1],
        [-1, 0, -1, -1, 2, -1, -1],
    )


def test_phrases_stop_where_words_do_not_follow(kernels) -> None:
    assert join(kernels, [0, 1, 2, 3], breaks=[2]) == ([2, 0, 2, 0], [0, -1, 2, -1])
    assert join(kernels, [0, 1], breaks=[1]) == ([1, 1], [-1, -1])


def test_repeated_words(kernels) -> None:
    assert join(kernels, [4, 4, 4]) == ([2, 0, 1], [3, -1, -1])


def test_no_words(kernels) -> None:
    assert join(kernels, []) == ([], [])
