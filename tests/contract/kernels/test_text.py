"""Passes over running text: contexts and counts by hand."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans.kernels.arguments import RunningText

KERNEL = "gather_contexts"

# Token 0 is dropped; the others have the rows 10, 20, 30.
ROWS = np.array([-1, 10, 20, 30], np.int32)


def contexts(kernels, tokens, places, offsets=None, **options):
    offsets = np.array([0, len(tokens)] if offsets is None else offsets, np.int64)
    text = RunningText(np.array(tokens, np.int32), offsets, ROWS)
    found = kernels.gather_contexts(text, np.array(places, np.int64), 2, **options)
    assert found.dtype == np.int32
    return found.tolist()


def test_nearest_kept_words_stand_around_the_middle(kernels) -> None:
    assert contexts(kernels, [1, 2, 0, 3, 0, 1, 2], [3]) == [[10, 20, 10, 20]]
    assert contexts(kernels, [3, 0, -1, 1], [0, 3]) == [[-1, -1, 10, -1], [-1, 30, -1, -1]]


def test_a_target_without_a_vector_has_a_context(kernels) -> None:
    assert contexts(kernels, [1, 0, 2], [1]) == [[-1, 10, 20, -1]]


@pytest.mark.parametrize("drop_repeats", [False, True])
def test_contexts_stay_inside_their_document(kernels, drop_repeats) -> None:
    tokens, offsets = [1, 2, 3, 1, 2, 1], [0, 2, 2, 5, 6]
    found = contexts(kernels, tokens, [0, 2, 4, 5], offsets, drop_repeats=drop_repeats)
    assert found == [[-1, -1, 20, -1], [-1, -1, 10, 20], [30, 10, -1, -1], [-1] * 4]


def test_repeats_of_the_target_are_kept_or_left_out(kernels) -> None:
    tokens = [1, 3, 3, 2, 3]
    assert contexts(kernels, tokens, [2]) == [[10, 30, 20, 30]]
    assert contexts(kernels, tokens, [1, 2, 3], drop_repeats=True) == [
        [-1, 10, 20, -1],
        [-1, 10, 20, -1],
        [30, 30, 30, -1],
    ]


@pytest.mark.parametrize("drop_repeats", [False, True])
def test_nothing_to_find(kernels, drop_repeats) -> None:
    assert contexts(kernels, [], [], drop_repeats=drop_repeats) == []
    assert contexts(kernels, [0, 0], [1], drop_repeats=drop_repeats) == [[-1] * 4]
    assert contexts(kernels, [3, 3], [0], drop_repeats=True) == [[-1] * 4]


def test_documents_of_a_token_are_counted_once(kernels) -> None:
    # Documents: 0 0 1 | (empty) | 1 -1 1 | 2.
    tokens = np.array([0, 0, 1, 1, -1, 1, 2], np.int32)
    counts = kernels.count_documents(tokens, np.array([0, 3, 3, 6, 7]), 4)
    assert counts.tolist() == [1, 2, 1, 0]
