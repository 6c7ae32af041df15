from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from grassmeans.errors import InputError, MissingExtraError
from grassmeans.vectors.formats import (
    from_gensim,
    to_gensim,
    write_word2vec_binary,
    write_word2vec_text,
)
from grassmeans.vectors.word_vectors import WordVectors


@pytest.fixture
def vectors() -> WordVectors:
    matrix = np.random.default_rng(1).normal(size=(50, 6)).astype(np.float32)
    words = [f"wörd{row}" for row in range(50)]
    return WordVectors(words, matrix, np.arange(100, 50, -1))


@pytest.fixture
def keyed_vectors_class():
    return pytest.importorskip("gensim.models").KeyedVectors


@pytest.mark.parametrize("binary", [False, True])
def test_gensim_reads_what_we_write(vectors, keyed_vectors_class, tmp_path: Path, binary) -> None:
    write = write_word2vec_binary if binary else write_word2vec_text
    write(vectors, tmp_path / "v")
    read = keyed_vectors_class.load_word2vec_format(str(tmp_path / "v"), binary=binary)
    assert read.index_to_key == vectors.words
    np.testing.assert_array_equal(read.vectors, vectors.vectors)


@pytest.mark.parametrize("binary", [False, True])
def test_we_read_what_gensim_writes(vectors, keyed_vectors_class, tmp_path: Path, binary) -> None:
    to_gensim(vectors).save_word2vec_format(str(tmp_path / "v"), binary=binary)
    read = WordVectors.load(tmp_path / "v")
    assert read.words == vectors.words
    np.testing.assert_allclose(read.vectors, vectors.vectors, rtol=1e-6)


def test_there_and_back_in_memory(vectors, keyed_vectors_class) -> None:
    keyed_vectors = to_gensim(vectors)
    assert keyed_vectors.get_vecattr("wörd3", "count") == 97
    back = from_gensim(keyed_vectors)
    assert back.words == vectors.words
    np.testing.assert_array_equal(back.vectors, vectors.vectors)
    np.testing.assert_array_equal(back.counts, vectors.counts)


def test_without_counts_and_with_a_model(keyed_vectors_class) -> None:
    keyed_vectors = to_gensim(WordVectors(["a"], [[1.0, 2.0]]))

    class Model:
        wv = keyed_vectors

    back = from_gensim(Model())
    assert back.counts is None
    np.testing.assert_array_equal(back["a"], [1, 2])


def test_gensim_neighbours_agree(vectors, keyed_vectors_class) -> None:
    expected = to_gensim(vectors).most_similar("wörd7", topn=5)
    found = vectors.most_similar("wörd7", n=5)
    assert [neighbour.word for neighbour in found] == [word for word, _ in expected]
    np.testing.assert_allclose(
        [neighbour.similarity for neighbour in found], [value for _, value in expected], rtol=1e-5
    )


def test_native_save_of_gensim_is_refused(vectors, keyed_vectors_class, tmp_path: Path) -> None:
    to_gensim(vectors).save(str(tmp_path / "v.kv"))
    with pytest.raises(InputError, match=r"gensim's own save format.*save_word2vec_format"):
        WordVectors.load(tmp_path / "v.kv")


def test_something_else_is_refused() -> None:
    with pytest.raises(InputError, match=r"KeyedVectors .* got dict"):
        from_gensim({})


def test_missing_gensim_names_the_extra(vectors, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(MissingExtraError, match=r"grassmeans\[gensim\]"):
        to_gensim(vectors)
