r"""The folder that holds word vectors: ``words.txt``, ``vectors.npy``, and where known counts.

``words.txt`` has one word a line in UTF-8. A backslash, newline or carriage return inside a word
is written as ``\\``, ``\n`` or ``\r``, so that any word survives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import (
    open_array,
    prepare_output,
    read_manifest,
    write_array,
    write_bytes,
    write_manifest,
)
from grassmeans.errors import ArtifactError, InputError

if TYPE_CHECKING:
    from grassmeans.vectors.word_vectors import WordVectors

KIND = "vectors"
FORMAT_VERSION = 1

_OWN_FIELDS = {"kind", "format_version", "n_words", "dim", "has_counts", "has_output"}
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}
_UNESCAPES = {escaped: plain for plain, escaped in _ESCAPES.items()}
_ESCAPED = re.compile(r"\\[\\nr]")
_TO_ESCAPE = re.compile(r"[\\\n\r]")


def write_vectors_folder(
    vectors: WordVectors,
    folder: Path,
    *,
    overwrite: bool = False,
    extra: Mapping[str, Any] | None = None,
    output: NDArray[Any] | None = None,
) -> None:
    """Write a ``vectors`` artifact; see `WordVectors.save`."""
    fields = dict(extra or {})
    if taken := _OWN_FIELDS & fields.keys():
        raise InputError(f"extra manifest fields may not be named {', '.join(sorted(taken))}")
    if output is None:
        output = vectors.output
    if output is not None and output.shape != vectors.vectors.shape:
        raise InputError(
            f"output vectors must have the shape {vectors.vectors.shape}, got {output.shape}"
        )
    prepare_output(folder, KIND, overwrite=overwrite)
    write_bytes(folder / "words.txt", encode_words(vectors.words))
    write_array(folder / "vectors.npy", vectors.vectors)
    if vectors.counts is not None:
        write_array(folder / "counts.npy", vectors.counts)
    if output is not None:
        write_array(folder / "output.npy", np.asarray(output, dtype=np.float32))
    own = {
        "n_words": len(vectors),
        "dim": vectors.dim,
        "has_counts": vectors.counts is not None,
        "has_output": output is not None,
    }
    write_manifest(folder, KIND, FORMAT_VERSION, fields | own)


def read_vectors_folder(folder: Path) -> WordVectors:
    """Open a ``vectors`` artifact with its arrays memory-mapped."""
    from grassmeans.vectors.word_vectors import WordVectors

    manifest = read_manifest(folder, KIND, FORMAT_VERSION)
    try:
        n_words, dim = int(manifest["n_words"]), int(manifest["dim"])
    except (KeyError, TypeError, ValueError) as error:
        raise ArtifactError(
            f"the manifest of {folder} has no usable n_words and dim: build the folder again"
        ) from error
    words = _read_words(folder / "words.txt", n_words)
    matrix = _open_checked(folder / "vectors.npy", (n_words, dim), np.float32)
    counts = None
    if manifest.get("has_counts"):
        counts = _open_checked(folder / "counts.npy", (n_words,), np.int64)
    result = WordVectors(words, matrix, counts, check=False)
    if manifest.get("has_output"):
        output = _open_checked(folder / "output.npy", (n_words, dim), np.float32)
        result.output = np.asarray(output)
    result.manifest = manifest
    result.folder = folder
    return result


def encode_words(words: list[str]) -> bytes:
    """One word a line, each line ended by a newline."""
    text = "\n".join(words)
    if "\\" in text or "\r" in text or text.count("\n") >= max(len(words), 1):
        text = "\n".join(_TO_ESCAPE.sub(lambda m: _ESCAPES[m[0]], word) for word in words)
    # surrogatepass: JSON and damaged text can bring in lone surrogates, which must survive too
    return (text + "\n").encode("utf-8", "surrogatepass") if words else b""


def decode_words(content: bytes) -> list[str]:
    """Read back what `encode_words` wrote."""
    text = content.decode("utf-8", "surrogatepass")
    if text and not text.endswith("\n"):
        raise ValueError("the last line is cut")
    words = text.split("\n")[:-1]
    if "\\" in text:
        words = [
            _ESCAPED.sub(lambda m: _UNESCAPES[m[0]], word) if "\\" in word else word
            for word in words
        ]
    return words


def _read_words(path: Path, expected: int) -> list[str]:
    try:
        words = decode_words(path.read_bytes())
    except FileNotFoundError as error:
        raise ArtifactError(
            f"{path} is missing: the folder is incomplete, build it again"
        ) from error
    except ValueError as error:
        raise ArtifactError(f"{path} is damaged ({error}): build the folder again") from error
    if len(words) != expected:
        raise ArtifactError(
            f"{path} holds {len(words):,} words, the manifest says {expected:,}: "
            "build the folder again"
        )
    return words


def _open_checked(path: Path, shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
    array = open_array(path)
    if array.shape != shape or array.dtype != dtype:
        raise ArtifactError(
            f"{path} holds {array.dtype} numbers of shape {array.shape}, expected "
            f"{np.dtype(dtype)} of shape {shape}: build the folder again"
        )
    return array
