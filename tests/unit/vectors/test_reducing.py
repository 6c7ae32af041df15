from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.vectors.reducing import (
    QuantisedRows,
    bytes_per_row,
    find_projection,
    quantise_rows,
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


def test_four_bits_by_hand() -> None:
    # largest 7.5: scale 7.5 / 7.5 = 1, levels -7.5, -6.5, ..., 7.5, codes 0 to 15
    rows = quantise_rows(np.array([[7.5, -7.5, 0.2, -0.2, 3.9]]), bits=4)

    assert rows.scales.tolist() == [1.0]
    # two codes a byte, the even column below: 15, 0 | 8, 7 | 11, (nothing)
    assert rows.codes.tolist() == [[15 + 16 * 0, 8 + 16 * 7, 11]]
    assert rows.restore().tolist() == [[7.5, -7.5, 0.5, -0.5, 3.5]]


def test_eight_bits_by_hand() -> None:
    # largest 127.5: scale 1, one code a byte
    rows = quantise_rows(np.array([[127.5, -127.5, 0.0, 10.7]]), bits=8)

    assert rows.codes.tolist() == [[255, 0, 128, 138]]
    assert rows.restore().tolist() == [[127.5, -127.5, 0.5, 10.5]]


def test_every_row_has_its_own_scale() -> None:
    rows = quantise_rows(np.array([[1.0, 0.5], [1000.0, 500.0]]), bits=8)

    np.testing.assert_allclose(rows.scales, [1 / 127.5, 1000 / 127.5], rtol=1e-6)
    np.testing.assert_allclose(rows.restore()[1], 1000 * rows.restore()[0], rtol=1e-6)


@pytest.mark.parametrize("bits", [4, 8])
def test_zero_rows_stay_zero(bits: int) -> None:
    rows = quantise_rows(np.zeros((2, 3)), bits)

    assert rows.restore().tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize(("bits", "width"), [(4, 3), (8, 5)])
def test_size_of_a_row(bits: int, width: int) -> None:
    assert bytes_per_row(5, bits) == width
    assert quantise_rows(np.ones((2, 5)), bits).codes.shape == (2, width)


def test_no_rows() -> None:
    rows = quantise_rows(np.empty((0, 4)), 4)

    assert len(rows) == 0
    assert rows.restore().shape == (0, 4)


def test_more_rows_than_a_block() -> None:
    matrix = np.random.default_rng(0).standard_normal((20_000, 3)).astype(np.float32)

    rows = quantise_rows(matrix, 8)

    assert (np.abs(rows.restore() - matrix) <= rows.scales[:, None] * 0.5001).all()


def test_digest_changes_with_any_number() -> None:
    matrix = np.arange(12.0).reshape(3, 4)
    rows = quantise_rows(matrix, 8)
    changed = rows.codes.copy()
    changed[2, 3] ^= 1

    assert quantise_rows(matrix, 8).digest == rows.digest
    assert QuantisedRows(changed, rows.scales, 8, 4).digest != rows.digest


def test_wrong_bits_and_shapes_are_refused() -> None:
    with pytest.raises(InputError, match="bits must be 4 or 8, got 5"):
        quantise_rows(np.ones((1, 2)), 5)
    with pytest.raises(InputError, match=r"shape \(2, 3\), got \(2, 4\)"):
        QuantisedRows(np.zeros((2, 4), np.uint8), np.zeros(2, np.float32), 8, 3)
