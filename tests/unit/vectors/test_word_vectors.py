from __future__ import annotations

import numpy as np
import pytest

from grassmeans.errors import GrassmeansError, InputError, UnknownWordError
from grassmeans.vectors.similarity import Neighbour
from grassmeans.vectors.word_vectors import WordVectors


@pytest.fixture
def plane() -> WordVectors:
    # Angles 0, 45, 90 and 180 degrees, of different lengths, and a zero vector.
    return WordVectors(
        ["east", "northeast", "north", "west", "nowhere"],
        np.array([[2, 0], [3, 3], [0, 5], [-1, 0], [0, 0]], dtype=np.float64),
        np.array([50, 40, 30, 20, 10]),
    )


def test_attributes_have_the_documented_types(plane: WordVectors) -> None:
    assert plane.words == ["east", "northeast", "north", "west", "nowhere"]
    assert plane.vectors.dtype == np.float32
    assert plane.vectors.flags.c_contiguous
    assert plane.counts is not None
    assert plane.counts.dtype == np.int64
    assert (plane.dim, len(plane)) == (2, 5)
    assert "north" in plane
    assert "south" not in plane
    assert 3 not in plane


def test_float32_matrix_is_shared_but_not_writable() -> None:
    matrix = np.ones((2, 3), dtype=np.float32)
    vectors = WordVectors(["a", "b"], matrix)
    assert np.shares_memory(vectors.vectors, matrix)
    with pytest.raises(ValueError, match="read-only"):
        vectors.vectors[0, 0] = 5
    assert matrix.flags.writeable


def test_look_up(plane: WordVectors) -> None:
    np.testing.assert_array_equal(plane["northeast"], np.array([3, 3], dtype=np.float32))
    assert plane.id_of("west") == 3
    assert plane.id_of("south") is None
    ids = plane.ids_of(["north", "south", "east"])
    assert ids.dtype == np.int32
    assert ids.tolist() == [2, -1, 0]


def test_unknown_word_names_close_ones(plane: WordVectors) -> None:
    with pytest.raises(UnknownWordError) as caught:
        plane["nrth"]
    assert str(caught.value) == (
        "'nrth' is not among the 5 words with a vector; did you mean 'north'?"
    )
    assert isinstance(caught.value, KeyError)
    assert isinstance(caught.value, GrassmeansError)


def test_unknown_word_suggests_another_case(plane: WordVectors) -> None:
    with pytest.raises(UnknownWordError, match="did you mean 'east'"):
        plane["EAST"]


def test_unknown_word_without_anything_alike(plane: WordVectors) -> None:
    with pytest.raises(UnknownWordError) as caught:
        plane["zebra"]
    assert str(caught.value) == "'zebra' is not among the 5 words with a vector"


def test_similarity_of_words_and_vectors(plane: WordVectors) -> None:
    assert plane.similarity("east", "northeast") == pytest.approx(np.sqrt(0.5))
    assert plane.similarity("east", "north") == 0
    assert plane.similarity("east", np.array([-7.0, 0.0])) == -1
    assert plane.similarity("nowhere", "east") == 0


def test_most_similar_of_a_word_leaves_it_out(plane: WordVectors) -> None:
    neighbours = plane.most_similar("east", n=3)
    assert [neighbour.word for neighbour in neighbours] == ["northeast", "north", "nowhere"]
    assert neighbours[0].similarity == pytest.approx(np.sqrt(0.5))
    assert neighbours[1] == Neighbour("north", 0.0)


def test_most_similar_of_a_vector_with_exclusions(plane: WordVectors) -> None:
    found = plane.most_similar(np.array([1.0, 0.0]), n=2, exclude=["east", "not a word"])
    assert [neighbour.word for neighbour in found] == ["northeast", "north"]
    assert plane.most_similar("east", n=1, exclude="northeast")[0].word == "north"


def test_most_similar_gives_no_more_than_there_are(plane: WordVectors) -> None:
    assert len(plane.most_similar("east", n=100)) == 4
    assert plane.most_similar("east", n=0) == []


def test_most_similar_of_several_is_nearest_to_the_mean_of_their_directions(plane) -> None:
    # Whatever their lengths, 2 and 5.
    ((word, value),) = plane.most_similar(["east", "north"], topn=1)
    assert (word, value) == ("northeast", pytest.approx(1.0))
    assert plane.most_similar(positive=["east", "north"], n=1)[0].word == "northeast"
    # (1, 1) / sqrt(2) less (1, 0) points to (-0.29, 0.71).
    found = plane.most_similar(positive="northeast", negative=["east"], topn=1)
    assert found == [("north", pytest.approx(np.cos(np.pi / 8)))]
    assert plane.most_similar([1.0, 0.0], 1)[0].word == "east"
    for wrong in ({}, {"word_or_vector": "east", "positive": "north"}):
        with pytest.raises(InputError, match=r"or several as positive=\.\.\."):
            plane.most_similar(**wrong)
    for none in ({"positive": []}, {"word_or_vector": [], "negative": []}):
        with pytest.raises(InputError, match=r"positive=\.\.\. or negative=\.\.\."):
            plane.most_similar(**none)
    # Away from (1, 0) and (0, 1) lies (-1, -1): nearest to it is what is farthest from both.
    both = plane.most_similar(["east", "north"], n=3)
    away = plane.most_similar(negative=["east", "north"], n=3)
    assert [word for word, _ in away] == [word for word, _ in reversed(both)]


def test_nearest_of_several_queries(plane: WordVectors) -> None:
    found = plane.nearest(np.array([[1, 0], [0, -1]]), n=2)
    assert found.ids.tolist() == [[0, 1], [0, 3]]
    np.testing.assert_allclose(found.similarities, [[1, np.sqrt(0.5)], [0, 0]], atol=1e-7)


def test_normalized_has_unit_rows(plane: WordVectors) -> None:
    unit = plane.normalized()
    np.testing.assert_allclose(np.linalg.norm(unit.vectors, axis=1), [1, 1, 1, 1, 0], rtol=1e-6)
    assert unit.words == plane.words
    np.testing.assert_array_equal(unit.counts, plane.counts)


@pytest.mark.parametrize(
    ("words", "vectors", "counts", "message"),
    [
        (["a", "b"], np.ones((3, 2)), None, "2 words need as many vectors, got 3"),
        (["a"], np.ones(3), None, r"shape \(number of words, dim\).*got \(3,\)"),
        (["a"], np.ones((1, 0)), None, r"dim >= 1, got \(1, 0\)"),
        (["a"], [["x"]], None, "must be numbers"),
        (["a", "b", "a"], np.ones((3, 2)), None, "'a' occurs twice, in rows 0 and 2"),
        (["a", "b"], [[1, 2], [3, np.nan]], None, r"vector of 'b' \(row 1\)"),
        (["a", "b"], [[1e39, 2], [3, 1]], None, r"vector of 'a' \(row 0\)"),
        (["a", "b"], np.ones((2, 2)), [1], r"counts must have shape \(2,\), got \(1,\)"),
        (["a", "b"], np.ones((2, 2)), [1.5, 2], "whole numbers"),
        (["a", 7], np.ones((2, 2)), None, "must be strings, got 7 in row 1"),
    ],
)
def test_bad_input_is_refused(words, vectors, counts, message) -> None:
    with pytest.raises(InputError, match=message):
        WordVectors(words, vectors, counts)


def test_bad_row_is_found_beyond_the_first_block() -> None:
    matrix = np.zeros((40_000, 2), dtype=np.float32)
    matrix[33_333, 1] = np.inf
    with pytest.raises(InputError, match=r"'w33333' \(row 33333\)"):
        WordVectors([f"w{row}" for row in range(40_000)], matrix)


def test_bad_queries_are_refused(plane: WordVectors) -> None:
    with pytest.raises(InputError, match=r"shape \(n_queries, 2\), got \(1, 3\)"):
        plane.nearest(np.ones((1, 3)))
    with pytest.raises(InputError, match="NaN or infinity"):
        plane.nearest(np.array([[np.nan, 1]]))
    with pytest.raises(InputError, match=r"shape \(2,\), got \(3,\)"):
        plane.most_similar(np.ones(3))
    with pytest.raises(InputError, match="0 or more; got -1"):
        plane.most_similar("east", n=-1)
