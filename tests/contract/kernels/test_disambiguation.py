from __future__ import annotations

import numpy as np
import pytest

KERNEL = "disambiguate_words"

# Words 0 and 1 say x and y; word 2 has senses near x and y, word 3 has three: x, y and -x.
VECTORS = np.array([[1, 0], [0, 1], [0, 0], [0, 0]], np.float32)
DIRECTIONS = np.array([[1, 0], [0, 1], [1, 0], [0, 1], [-1, 0]], np.float32)
OFFSETS = np.array([0, 2, 5])
ROWS = np.array([0, 1, 2, 3, -1], np.int32)  # token 4 is left out of contexts
WORDS = np.array([-1, -1, 0, 1, -1, -1], np.int32)


def disambiguate(
    kernels, tokens: list[int], offsets: list[int], window: int, *, simple_first: bool = True
):
    return kernels.disambiguate_words(
        np.array(tokens, np.int32),
        np.array(offsets, np.int64),
        ROWS,
        WORDS,
        VECTORS,
        DIRECTIONS,
        OFFSETS,
        window,
        0.1,
        simple_first,
    )


def test_distances_by_hand(kernels) -> None:
    # 4 and unknown words are passed over; the second document has nothing to tell.
    positions, distances = disambiguate(kernels, [0, 4, 2, -1, 1, 2], [0, 5, 6], 1)
    assert positions.tolist() == [2, 5]
    diagonal = (1 - np.sqrt(0.5)) / 2
    assert distances[0, :2].tolist() == pytest.approx([diagonal, diagonal])
    assert np.isnan(distances[0, 2])
    assert np.isnan(distances[1]).all()


def test_a_clear_sense_is_part_of_the_next_context(kernels) -> None:
    # 3 stands beside 2 alone, whose vector says nothing; decided by its left neighbour, 2 says y.
    tokens = [1, 2, 3]
    _, distances = disambiguate(kernels, tokens, [0, 3], 1)
    assert distances[0, :2].tolist() == pytest.approx([0.5, 0.0])
    assert distances[1].tolist() == pytest.approx([0.5, 0.0, 0.5])


def test_few_senses_first_or_from_left_to_right(kernels) -> None:
    tokens = [3, 2, 1]
    _, first = disambiguate(kernels, tokens, [0, 3], 1)
    assert first[0].tolist() == pytest.approx([0.5, 0.0, 0.5])
    _, then = disambiguate(kernels, tokens, [0, 3], 1, simple_first=False)
    assert np.isnan(then[0]).all()  # nothing was known of 2 yet
    assert then[1, :2].tolist() == pytest.approx([0.5, 0.0])


def test_a_sense_that_is_not_clear_says_nothing(kernels) -> None:
    # 2 stands between x and y: neither of its senses is better.
    _, distances = disambiguate(kernels, [0, 2, 1, 4, 4, 3], [0, 6], 1)
    assert distances[1].tolist() == pytest.approx([0.5, 0.0, 0.5])
    _, distances = disambiguate(kernels, [1, 2, 0, 3], [0, 4], 2)
    # Its context is x and 2, which stays silent.
    assert distances[1].tolist() == pytest.approx([0.0, 0.5, 1.0])
