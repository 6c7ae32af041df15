from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.vectors.reducing import (
    find_projection,
    reduce_vectors,
    restrict_vocabulary,
)
from grassmeans.vectors.word_vectors import WordVectors


@pytest.fixture
def flat_vectors() -> WordVectors:
    """Fifty words in a plane of a space of six dimensions."""
    rng = np.random.default_rng(0)
    plane = rng.standard_normal((2, 6))
    matrix = rng.standard_normal((50, 2)) @ plane
    vectors = WordVectors([f"w{i}" for i in range(50)], matrix, np.arange(50, 0, -1))
    vectors.output = (rng.standard_normal((50, 2)) @ plane).astype(np.float32)
    return vectors


def test_projection_keeps_what_lies_in_the_subspace(flat_vectors: WordVectors) -> None:
    projection = find_projection(flat_vectors, 2)

    small = projection.apply(flat_vectors.vectors)

    np.testing.assert_allclose(projection.matrix.T @ projection.matrix, np.eye(2), atol=1e-12)
    before = flat_vectors.vectors @ flat_vectors.vectors.T
    np.testing.assert_allclose(small @ small.T, before, atol=1e-4)


def test_frequent_words_decide_the_subspace() -> None:
    # one direction has the longer vector, the other one 400 times the count: 20 > 4
    vectors = WordVectors(["often", "seldom"], [[1.0, 0.0], [0.0, 2.0]], [400, 1])

    assert find_projection(vectors, 1).matrix[:, 0].tolist() == pytest.approx([1, 0]) or (
        find_projection(vectors, 1).matrix[:, 0].tolist() == pytest.approx([-1, 0])
    )


def test_reduced_vectors_are_those_that_a_compact_folder_gives(
    flat_vectors: WordVectors, tmp_path: Path
) -> None:
    reduced = reduce_vectors(flat_vectors, vocabulary=20, dimensions=3, bits=4)
    reduced.save(tmp_path / "small", bits=4)

    loaded = WordVectors.load(tmp_path / "small")

    assert reduced.words == flat_vectors.words[:20]
    assert reduced.output is not None
    assert reduced.output.shape == (20, 3)
    np.testing.assert_array_equal(loaded.vectors, reduced.vectors)
    np.testing.assert_array_equal(loaded.output, reduced.output)


def test_all_words_and_dimensions_where_nothing_is_asked(flat_vectors: WordVectors) -> None:
    assert restrict_vocabulary(flat_vectors, None) is flat_vectors
    assert restrict_vocabulary(flat_vectors, 99) is flat_vectors
    reduced = reduce_vectors(flat_vectors, bits=8)
    np.testing.assert_allclose(reduced.vectors, flat_vectors.vectors, atol=0.02)


def test_refused(flat_vectors: WordVectors) -> None:
    with pytest.raises(InputError, match="between 1 and 6, those of the vectors; got 7"):
        find_projection(flat_vectors, 7)
    with pytest.raises(InputError, match="vocabulary must be 1 or more, got 0"):
        restrict_vocabulary(flat_vectors, 0)
