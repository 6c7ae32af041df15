from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from grassmeans.cli.main import app
from grassmeans.errors import InputError, MissingExtraError
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.vectors.exchange import (
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


@pytest.mark.parametrize(
    "asked",
    [
        {"positive": "wörd7"},
        {"positive": ["wörd7", "wörd2"], "negative": ["wörd3"]},
        {"positive": ["wörd7"], "negative": "wörd1", "topn": 3},
        {"negative": ["wörd4"], "positive": []},
    ],
)
def test_gensim_s_names_give_gensim_s_answers(vectors, keyed_vectors_class, asked) -> None:
    expected = to_gensim(vectors).most_similar(**asked)
    found = vectors.most_similar(**asked)
    assert [word for word, _ in found] == [word for word, _ in expected]
    np.testing.assert_allclose(
        [value for _, value in found], [value for _, value in expected], rtol=1e-4, atol=1e-6
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


def test_lexeme_vectors_keep_their_keys(keyed_vectors_class) -> None:
    keys = ["harbour", "crane.1", "crane.2", "crane.0", "st.1\\"]
    matrix = np.eye(5, 3, dtype=np.float32) + 0.5
    lexemes = LexemeVectors(WordVectors(keys, matrix, [5, 4, 3, 2, 1]))
    keyed_vectors = to_gensim(lexemes)
    assert keyed_vectors.index_to_key == keys
    np.testing.assert_array_equal(keyed_vectors["crane.2"], matrix[2])
    assert keyed_vectors.get_vecattr("crane.0", "count") == 2
    back = LexemeVectors(from_gensim(keyed_vectors))
    assert back.senses("crane") == [1, 2]
    np.testing.assert_array_equal(back.vector("st.1"), matrix[4])


@pytest.mark.parametrize("form", ["word2vec-text", "word2vec-binary"])
def test_converted_lexemes_open_in_gensim(keyed_vectors_class, tmp_path: Path, form: str) -> None:
    keys = ["crane.1", "crane.2", "crane.0", "harbour"]
    matrix = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
    WordVectors(keys, matrix).save(tmp_path / "lexemes")
    target = tmp_path / "lexemes.w2v"
    command = ["convert", str(tmp_path / "lexemes"), str(target), "--to", form]
    assert CliRunner().invoke(app, command).exit_code == 0
    opened = keyed_vectors_class.load_word2vec_format(target, binary=form.endswith("binary"))
    assert opened.index_to_key == keys
    np.testing.assert_allclose(opened.vectors, matrix, rtol=1e-6)
