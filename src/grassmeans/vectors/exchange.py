"""To and from other tools: word2vec and GloVe files are written, gensim's vectors exchanged.

The file formats cannot tell a space in a word from the one between columns, so every ASCII white
space in a word is written as ``_``.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.errors import InputError, import_extra
from grassmeans.outputs.places import output_file
from grassmeans.vectors.word_vectors import WordVectors

_WHITE_SPACE = re.compile(r"[ \t\n\r\v\f]")
_COMPRESSED: dict[str, Callable[[Path, str], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}


def write_word2vec_text(vectors: WordVectors, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a word2vec text file; numbers keep every bit of float32.

    White space in words becomes ``_``. ``.gz``, ``.bz2`` and ``.xz`` names are compressed.
    """
    _write_file(vectors, Path(path), overwrite, _format_row)


def write_glove(vectors: WordVectors, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a GloVe text file: as `write_word2vec_text`, without the header."""
    _write_file(vectors, Path(path), overwrite, _format_row, header=False)


def write_word2vec_binary(
    vectors: WordVectors, path: str | Path, *, overwrite: bool = False
) -> None:
    """Write a word2vec binary file; white space in words becomes ``_``."""
    _write_file(vectors, Path(path), overwrite, lambda row: row.astype("<f4", copy=False).tobytes())


def _format_row(row: Floats) -> bytes:
    return b" ".join(b"%.9g" % number for number in row.tolist())  # gives back every float32


def _write_file(
    vectors: WordVectors,
    path: Path,
    overwrite: bool,
    encode_row: Callable[[Floats], bytes],
    *,
    header: bool = True,
) -> None:
    open_file = _COMPRESSED.get(path.suffix.lower(), open)
    with (
        output_file(path, inputs=[vectors.folder], overwrite=overwrite) as temporary,
        open_file(temporary, "wb") as file,
    ):
        if header:
            file.write(b"%d %d\n" % (len(vectors), vectors.dim))
        for word, row in zip(_encode_writable_words(vectors.words), vectors.vectors, strict=True):
            file.write(b"%s %s\n" % (word, encode_row(row)))


def _encode_writable_words(words: list[str]) -> Iterator[bytes]:
    """Yield the words as word2vec and GloVe files can hold them, white space replaced by ``_``."""
    changed = {word: _WHITE_SPACE.sub("_", word) for word in words if _WHITE_SPACE.search(word)}
    if changed:
        written: dict[str, str] = {}
        for word in words:
            form = changed.get(word, word)
            if form in written:
                raise InputError(
                    f"{written[form]!r} and {word!r} would both be written as {form!r}, for "
                    "the format has no white space in words: remove one of them"
                )
            written[form] = word
    for row, word in enumerate(words):
        if not word:
            raise InputError(f"the word in row {row} is empty: the format cannot hold it")
        try:
            yield changed.get(word, word).encode("utf-8")
        except UnicodeEncodeError as error:
            raise InputError(
                f"the word {word!r} (row {row}) is not valid Unicode: the format cannot hold it"
            ) from error


def from_gensim(keyed_vectors: Any) -> WordVectors:
    """Make word vectors from gensim's ``KeyedVectors``, or from a model that has them as ``wv``.

    Counts are taken over where gensim knows them; the matrix is shared, not copied.
    """
    keyed_vectors = getattr(keyed_vectors, "wv", keyed_vectors)
    try:
        words, matrix = keyed_vectors.index_to_key, keyed_vectors.vectors
    except AttributeError as error:
        raise InputError(
            "expected gensim's KeyedVectors (gensim 4 or later) or a model with .wv, got "
            f"{type(keyed_vectors).__name__}"
        ) from error
    counts = getattr(keyed_vectors, "expandos", {}).get("count")
    known = counts is not None and len(counts) == len(words)
    return WordVectors(
        [str(word) for word in words],
        matrix,
        np.asarray(counts).astype(np.int64) if known else None,
    )


def to_gensim(vectors: WordVectors | Any) -> Any:
    """Make gensim's ``KeyedVectors`` with a copy of the vectors, and the counts where known.

    Lexeme vectors keep their keys: ``crane.1``, ``crane.2``, ``crane.0`` for "I don't know".
    """
    if not isinstance(vectors, WordVectors):
        vectors = vectors.vectors
    models = import_extra("gensim.models", "gensim", "handing vectors to gensim")
    keyed_vectors = models.KeyedVectors(vector_size=vectors.dim)
    keyed_vectors.add_vectors(vectors.words, np.array(vectors.vectors))
    if vectors.counts is not None:
        for word, count in zip(vectors.words, vectors.counts.tolist(), strict=True):
            keyed_vectors.set_vecattr(word, "count", count)
    return keyed_vectors
