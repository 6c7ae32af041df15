from __future__ import annotations

import bz2
import gzip
import lzma
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.vectors.exchange import write_glove, write_word2vec_binary, write_word2vec_text
from grassmeans.vectors.formats import (
    detect_format,
    read_glove,
    read_word2vec_binary,
    read_word2vec_text,
)
from grassmeans.vectors.word_vectors import WordVectors

TEXT = b"3 2\nbank 1 2.5\nriver -1e-3 4\nmoney 0 7\n"
MATRIX = np.array([[1, 2.5], [-0.001, 4], [0, 7]], dtype=np.float32)
BINARY = b"3 2\n" + b"".join(
    word + b" " + row.astype("<f4").tobytes()
    for word, row in zip([b"bank", b"river", b"money"], MATRIX, strict=True)
)


@pytest.fixture
def vectors() -> WordVectors:
    return WordVectors(["bank", "river", "money"], MATRIX)


def put(folder: Path, content: bytes, name: str = "vectors.txt") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def assert_same(found: WordVectors, expected: WordVectors) -> None:
    assert found.words == expected.words
    np.testing.assert_array_equal(found.vectors, expected.vectors)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (TEXT, "word2vec text"),
        (TEXT.replace(b"\n", b" \n"), "word2vec text"),  # as fastText writes it
        (TEXT.replace(b" ", b"\t"), "word2vec text"),
        (TEXT.replace(b"\n", b"\r\n"), "word2vec text"),
        (BINARY, "word2vec binary"),
        (TEXT[4:], "GloVe text"),
    ],
)
def test_format_is_found_and_read(
    tmp_path: Path, vectors: WordVectors, content: bytes, expected: str
) -> None:
    path = put(tmp_path, content)
    assert detect_format(path) == expected
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(WordVectors.load(path), vectors)


def test_compressed_file_is_read(tmp_path: Path, vectors: WordVectors) -> None:
    assert_same(WordVectors.load(put(tmp_path, gzip.compress(TEXT), "v.txt.gz")), vectors)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_damaged_compressed_file_is_reported(tmp_path: Path, pack) -> None:
    packed = pack(TEXT * 50)
    cut = put(tmp_path, packed[: len(packed) // 2], "cut")
    with pytest.raises(InputError, match="cut"):
        read_word2vec_text(cut)
    broken = put(tmp_path, packed[:12] + b"\xff" * 30 + packed[42:], "broken")
    with pytest.raises(InputError, match="broken"):
        read_word2vec_text(broken)


def test_binary_with_newlines_after_vectors(tmp_path: Path, vectors: WordVectors) -> None:
    write_word2vec_binary(vectors, tmp_path / "v.bin")
    content = (tmp_path / "v.bin").read_bytes()
    assert len(content) == len(BINARY) + 3
    assert_same(read_word2vec_binary(tmp_path / "v.bin"), vectors)


def test_binary_across_block_ends(tmp_path: Path, monkeypatch) -> None:
    from grassmeans.vectors import formats

    monkeypatch.setattr(formats, "BLOCK_BYTES", 7)
    monkeypatch.setattr(formats, "LONGEST_WORD", 20)
    assert read_word2vec_binary(put(tmp_path, BINARY)).words == ["bank", "river", "money"]


def test_text_across_block_ends(tmp_path: Path, vectors: WordVectors, monkeypatch) -> None:
    from grassmeans.vectors import formats

    monkeypatch.setattr(formats, "BLOCK_BYTES", 1)
    assert_same(read_word2vec_text(put(tmp_path, TEXT)), vectors)
    assert_same(read_glove(put(tmp_path, TEXT[4:])), vectors)


@pytest.mark.parametrize("content", [TEXT, TEXT[4:], BINARY])
def test_limit(tmp_path: Path, content: bytes) -> None:
    path = put(tmp_path, content)
    assert WordVectors.load(path, limit=2).words == ["bank", "river"]
    assert len(WordVectors.load(path, limit=50)) == 3
    with pytest.raises(InputError, match="limit must be a whole number, 1 or more"):
        WordVectors.load(path, limit=0)


def test_words_with_spaces_are_read(tmp_path: Path) -> None:
    content = b"2 2\nnew york city 1 2\n. . . 3 4\n"
    found = read_word2vec_text(put(tmp_path, content))
    assert found.words == ["new york city", ". . ."]
    np.testing.assert_array_equal(found.vectors, [[1, 2], [3, 4]])
    glove = read_glove(put(tmp_path, b"a 1 2\nnew york 3 4\nb 5 6\n"))
    assert glove.words == ["a", "new york", "b"]


def test_glove_with_a_given_number_of_dimensions(tmp_path: Path) -> None:
    path = put(tmp_path, b"a b 1 2\nc d 3 4\n")
    assert read_glove(path, dim=2).words == ["a b", "c d"]


def test_bad_lines_are_counted_and_skipped(tmp_path: Path) -> None:
    content = (
        b"9 2\ngood 1 2\nshort 1\nlong 1 x 2 y\nnan nan 2\ngood 5 6\n"
        b"\xff\xfe 1 2\nbig 1e60 2\n\nwide\t3\t 4 \nlast 5 6\n"
    )
    with pytest.warns(UserWarning, match="left out") as caught:
        found = read_word2vec_text(put(tmp_path, content))
    assert found.words == ["good", "wide", "last"]
    np.testing.assert_array_equal(found.vectors, [[1, 2], [3, 4], [5, 6]])
    message = str(caught[0].message)
    assert "6 of 9 rows left out" in message
    assert "not a word and 2 numbers 2, NaN or infinity 2" in message
    assert "word seen before 1" in message
    assert "word not UTF-8 1" in message
    assert message.endswith("the first: not a word and 2 numbers: line 3: 'short 1'")


def test_columns_of_two_bad_lines_do_not_make_up_for_each_other(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="2 of 3 rows left out"):
        found = read_glove(put(tmp_path, b"a 1 2\nb 3\nc 4 5 6\n"), dim=2)
    assert found.words == ["a"]
    np.testing.assert_array_equal(found.vectors, [[1, 2]])


@pytest.mark.parametrize("separator", [b" ", b"\t"])
@pytest.mark.parametrize("row", [b"c 4 -.5e-3 6", b"c 4", b"the c 4 5 6"])
@pytest.mark.parametrize("header", [b"", b"4 2\n"])
def test_a_row_with_a_number_too_many_or_too_few(
    tmp_path: Path, separator: bytes, row: bytes, header: bytes
) -> None:
    content = header + b"a 1 2\n\nb b 1 2\n" + row + b"\nd 7 8\n"
    path = put(tmp_path, content.replace(b" ", separator))
    line = 4 + bool(header)
    told = rf"1 of 4 rows left out .*: not a word and 2 numbers: line {line}: "
    with pytest.warns(UserWarning, match=told):
        found = read_word2vec_text(path) if header else read_glove(path, dim=2)
    assert found.words == ["a", f"b{separator.decode()}b", "d"]


def test_bad_rows_of_a_binary_file_are_skipped(tmp_path: Path) -> None:
    rows = [(b"a", 1.0), (b"b", np.nan), (b"a", 3.0), (b"\xff", 4.0), (b"c", 5.0)]
    content = b"5 1\n" + b"".join(word + b" " + np.float32(x).tobytes() for word, x in rows)
    with pytest.warns(UserWarning, match="3 of 5 rows left out"):
        found = read_word2vec_binary(put(tmp_path, content))
    assert found.words == ["a", "c"]
    np.testing.assert_array_equal(found.vectors, [[1], [5]])


@pytest.mark.parametrize(
    ("reader", "content", "message"),
    [
        (read_word2vec_text, TEXT.replace(b"3 2", b"4 2", 1), "hold 4 words .* found 3"),
        (read_word2vec_text, TEXT.replace(b"3 2", b"2 2", 1), "hold 2 words .* found 3"),
        (read_word2vec_text, TEXT[4:], "does not begin with a word2vec header"),
        (read_word2vec_binary, BINARY[:-1], "hold 3 words of 2 dimensions .* found 2"),
        (read_word2vec_binary, BINARY + b"more", "more follows"),
        (read_word2vec_binary, b"3 2\n" + b"x" * 70_000, "found 0"),
        (read_word2vec_binary, b"3 9000000000\nx", "9,000,000,000 dimensions: the file is dam"),
        (read_glove, b"", "a word and its numbers a line, found b''"),
        (read_glove, b"alone\n", "a word and its numbers a line"),
        (read_glove, b"a x y\n", "no usable word vectors: 1 of 1 rows left out"),
        (WordVectors.load, b"", "is empty"),
        (WordVectors.load, b"Some text.\nMore of it here.\n", "no file of word vectors"),
        (WordVectors.load, b"\x93NUMPY\x01\x00", "NumPy array without words"),
        (WordVectors.load, b"PK\x03\x04....", "zip archive"),
        (WordVectors.load, b"\xba\x16\x4f\x2f\x0c\x00", "fastText model"),
    ],
)
def test_damaged_and_foreign_files(tmp_path: Path, reader, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        reader(put(tmp_path, content))


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file at"):
        WordVectors.load(tmp_path / "absent.txt")
    with pytest.raises(InputError, match="is a folder"):
        read_glove(tmp_path)


class _Trap:
    opened = False

    def __reduce__(self):
        return (setattr, (_Trap, "opened", True))


def test_pickles_are_refused_and_never_loaded(tmp_path: Path) -> None:
    path = put(tmp_path, pickle.dumps(_Trap()), "model.kv")
    with pytest.raises(InputError, match=r"pickle.*save_word2vec_format"):
        WordVectors.load(path)
    assert _Trap.opened is False


def test_text_is_written_as_documented(tmp_path: Path) -> None:
    vectors = WordVectors(["new york", "b"], np.array([[0.1, 2], [-2.5e-9, 4]], dtype=np.float32))
    write_word2vec_text(vectors, tmp_path / "w.txt")
    expected = b"new_york 0.100000001 2\nb -2.49999998e-09 4\n"
    assert (tmp_path / "w.txt").read_bytes() == b"2 2\n" + expected
    write_glove(vectors, tmp_path / "g.txt")
    assert (tmp_path / "g.txt").read_bytes() == expected
    write_glove(vectors, tmp_path / "g.txt.gz")
    assert gzip.decompress((tmp_path / "g.txt.gz").read_bytes()) == expected


@pytest.mark.parametrize("write", [write_word2vec_text, write_glove, write_word2vec_binary])
def test_words_that_the_format_cannot_hold(tmp_path: Path, write) -> None:
    for words, message in [
        (["a b", "a_b"], "'a b' and 'a_b' would both be written as 'a_b'"),
        (["", "x"], "row 0 is empty"),
        (["\ud800", "x"], "not valid Unicode"),
    ]:
        with pytest.raises(InputError, match=message):
            write(WordVectors(words, np.ones((2, 1))), tmp_path / "v")
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", [write_word2vec_text, write_glove, write_word2vec_binary])
def test_files_are_replaced_only_when_told(tmp_path: Path, vectors: WordVectors, write) -> None:
    write(vectors, tmp_path / "v")
    with pytest.raises(InputError, match="exists already"):
        write(vectors, tmp_path / "v")
    write(vectors, tmp_path / "v", overwrite=True)
    with pytest.raises(InputError, match="is a folder"):
        write(vectors, tmp_path)
    with pytest.raises(InputError, match="no folder"):
        write(vectors, tmp_path / "absent" / "v")
    assert_same(WordVectors.load(tmp_path / "v"), vectors)


@pytest.mark.parametrize("head", [b"3 2\n", b""])
def test_a_line_that_is_too_long_is_left_out(tmp_path: Path, monkeypatch, head: bytes) -> None:
    monkeypatch.setattr("grassmeans.vectors.formats._LONGEST_LINE", 1000)
    monkeypatch.setattr("grassmeans.vectors.formats.BLOCK_BYTES", 300)
    endless = b"word " + b"1" * 5000
    path = put(tmp_path, head + b"bank 1 2\n" + endless + b"\nriver 3 4\n")
    with pytest.warns(UserWarning, match="line too long 1"):
        loaded = read_word2vec_text(path) if head else read_glove(path)
    assert loaded.words == ["bank", "river"]
