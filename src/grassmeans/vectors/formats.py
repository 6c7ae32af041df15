"""Files of other tools: find out the format of a file, and every reader and writer by name."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from grassmeans.errors import InputError
from grassmeans.vectors.binary_format import read_word2vec_binary, write_word2vec_binary
from grassmeans.vectors.collecting import open_vectors_file, parse_header
from grassmeans.vectors.gensim_exchange import from_gensim, to_gensim
from grassmeans.vectors.text_formats import (
    LINES_TRIED,
    guess_dim,
    parses_as_row,
    read_fasttext_vec,
    read_glove,
    read_word2vec_text,
    write_glove,
    write_word2vec_text,
)
from grassmeans.vectors.word_vectors import WordVectors

__all__ = [
    "VectorFormat",
    "detect_format",
    "from_gensim",
    "read_fasttext_vec",
    "read_glove",
    "read_vectors_file",
    "read_word2vec_binary",
    "read_word2vec_text",
    "to_gensim",
    "write_glove",
    "write_word2vec_binary",
    "write_word2vec_text",
]

_HEAD_BYTES = 1 << 20
_REFUSED = {
    b"\x80": "is a Python pickle (gensim's own save format), which is never loaded because it "
    "can run any code: open it with gensim and export it with "
    "keyed_vectors.save_word2vec_format(path, binary=True)",
    b"\xba\x16\x4f\x2f": "is a fastText model: use its .vec file, or export the vectors with "
    "gensim (load_facebook_vectors, then save_word2vec_format)",
    b"\x93NUMPY": "is a NumPy array without words: build WordVectors(words, array) from it",
    b"PK\x03\x04": "is a zip archive: unpack it first",
    b"\x89HDF": "is an HDF5 file: export the vectors as word2vec or GloVe text",
}


class VectorFormat(Enum):
    """A file format of word vectors that can be read."""

    WORD2VEC_TEXT = "word2vec text"
    WORD2VEC_BINARY = "word2vec binary"
    GLOVE = "GloVe text"


def detect_format(path: str | Path) -> VectorFormat:
    """Find the format of a file of word vectors from its first bytes.

    Raises
    ------
    InputError
        Where it is none that can be read; says what to do for the ones that are known.
    """
    path = Path(path)
    with open_vectors_file(path) as stream:
        head = stream.read(_HEAD_BYTES)
    if not head.strip():
        raise InputError(f"{path} is empty: expected word vectors")
    for magic, explanation in _REFUSED.items():
        if head.startswith(magic):
            raise InputError(f"{path} {explanation}")
    lines = head.split(b"\n", LINES_TRIED + 1)[: LINES_TRIED + 1]
    header = parse_header(lines[0])
    if header is not None:
        text = any(parses_as_row(line, header[1]) for line in lines[1:])
        return VectorFormat.WORD2VEC_TEXT if text else VectorFormat.WORD2VEC_BINARY
    dim = guess_dim(lines[:LINES_TRIED])
    if dim >= 1 and any(parses_as_row(line, dim) for line in lines):
        return VectorFormat.GLOVE
    raise InputError(
        f"{path} is no file of word vectors that can be read (word2vec text or binary, GloVe, "
        f"fastText .vec): it begins with {head[:40]!r}"
    )


def read_vectors_file(path: str | Path, *, limit: int | None = None) -> WordVectors:
    """Read a word2vec, GloVe or fastText ``.vec`` file, whichever it is.

    Parameters
    ----------
    limit : int, optional
        Read just the first so many words.
    """
    found = detect_format(path)
    if found is VectorFormat.WORD2VEC_BINARY:
        return read_word2vec_binary(path, limit=limit)
    if found is VectorFormat.WORD2VEC_TEXT:
        return read_word2vec_text(path, limit=limit)
    return read_glove(path, limit=limit)
