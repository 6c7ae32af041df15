"""Whatever words and numbers there are, they come back from every format."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from grassmeans.vectors.exchange import write_glove, write_word2vec_binary, write_word2vec_text
from grassmeans.vectors.formats import (
    read_glove,
    read_word2vec_binary,
    read_word2vec_text,
)
from grassmeans.vectors.storage import decode_words, encode_words
from grassmeans.vectors.word_vectors import WordVectors

ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=8)
FILE_WORD = st.text(
    st.characters(codec="utf-8", exclude_characters=" \t\n\r\v\f"), min_size=1, max_size=8
)
NUMBERS = st.floats(width=32, allow_nan=False, allow_infinity=False)


def make_vectors(words: st.SearchStrategy[str]) -> st.SearchStrategy[WordVectors]:
    unique = st.lists(words, unique=True, min_size=1, max_size=12)
    shaped = st.tuples(unique, st.integers(1, 5))
    return shaped.flatmap(
        lambda drawn: arrays(np.float32, (len(drawn[0]), drawn[1]), elements=NUMBERS).map(
            lambda matrix: WordVectors(drawn[0], matrix)
        )
    )


@given(st.lists(ANY_TEXT))
@settings(max_examples=50, deadline=None)
def test_any_words_survive_the_words_file(words: list[str]) -> None:
    assert decode_words(encode_words(words)) == words


@given(make_vectors(ANY_TEXT))
@settings(max_examples=50, deadline=None)
def test_folder_round_trip(vectors: WordVectors) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vectors.save(Path(folder) / "v")
        loaded = WordVectors.load(Path(folder) / "v")
        assert loaded.words == vectors.words
        np.testing.assert_array_equal(loaded.vectors, vectors.vectors)


@pytest.mark.parametrize(
    ("write", "read"),
    [
        (write_word2vec_text, read_word2vec_text),
        (write_word2vec_binary, read_word2vec_binary),
        (write_glove, read_glove),
    ],
)
def test_file_round_trip(write, read) -> None:
    @given(make_vectors(FILE_WORD))
    @settings(max_examples=50, deadline=None)
    def check(vectors: WordVectors) -> None:
        with tempfile.TemporaryDirectory() as folder:
            write(vectors, Path(folder) / "v")
            loaded = read(Path(folder) / "v")
            assert loaded.words == vectors.words
            np.testing.assert_array_equal(loaded.vectors, vectors.vectors)

    check()


@given(make_vectors(FILE_WORD), st.integers(1, 6))
@settings(max_examples=50, deadline=None)
def test_neighbours_are_ordered_and_bounded(vectors: WordVectors, n: int) -> None:
    found = vectors.nearest(np.ones((1, vectors.dim)), n)
    assert found.ids.shape == (1, min(n, len(vectors)))
    assert len(set(found.ids[0].tolist())) == found.ids.shape[1]
    assert (np.diff(found.similarities[0]) <= 0).all()
    assert (np.abs(found.similarities) <= 1).all()
