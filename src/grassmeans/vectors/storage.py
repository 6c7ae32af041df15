r"""The folder that holds word vectors: ``words.txt``, ``vectors.npy``, and where known counts.

A compact folder has ``codes.npy`` and ``scales.npy`` instead of ``vectors.npy``: numbers of 4 or 8
bits (see `grassmeans.vectors.reducing`), which become float32 when the folder is opened.

``words.txt`` has one word a line in UTF-8. A backslash, newline or carriage return inside a word
is written as ``\\``, ``\n`` or ``\r``, so that any word survives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import open_array, read_manifest, write_array, write_bytes, write_manifest
from grassmeans.errors import ArtifactError, InputError
from grassmeans.outputs import output_folder
from grassmeans.vectors.reducing import QuantisedRows, bytes_per_row, quantise_rows
from grassmeans.vectors.word_vectors import WordVectors

KIND = "vectors"
FORMAT_VERSION = 1
COMPACT_VERSION = 2
"""Format version of compact folders, which releases before them cannot read."""

_OWN_FIELDS = {"kind", "format_version", "n_words", "dim", "has_counts", "has_output", "quantised"}
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}
_UNESCAPES = {escaped: plain for plain, escaped in _ESCAPES.items()}
_ESCAPED = re.compile(r"\\[\\nr]")
_TO_ESCAPE = re.compile(r"[\\\n\r]")


def write_vectors_folder(
    vectors: WordVectors, folder: Path, *, overwrite: bool = False, **filling: Any
) -> None:
    """Write a ``vectors`` artifact; see `WordVectors.save`."""
    with output_folder(folder, KIND, overwrite=overwrite) as building:
        fill_vectors_folder(vectors, building.folder, **filling)


def fill_vectors_folder(
    vectors: WordVectors,
    folder: Path,
    *,
    bits: int | None = None,
    extra: Mapping[str, Any] | None = None,
    output: NDArray[Any] | None = None,
) -> None:
    """Write the files of a ``vectors`` artifact into a folder under construction."""
    fields, output = dict(extra or {}), vectors.output if output is None else output
    if taken := _OWN_FIELDS & fields.keys():
        raise InputError(f"extra manifest fields may not be named {', '.join(sorted(taken))}")
    if output is not None and output.shape != vectors.vectors.shape:
        raise InputError(
            f"output vectors must have the shape {vectors.vectors.shape}, got {output.shape}"
        )
    counts = vectors.counts
    if bits is None:
        write_array(folder / "vectors.npy", vectors.vectors)
    else:
        fields["quantised"] = write_rows(folder, quantise_rows(vectors.vectors, bits))
        counts = None if counts is None else _fit_counts(counts)
    write_bytes(folder / "words.txt", encode_words(vectors.words))
    if counts is not None:
        write_array(folder / "counts.npy", counts)
    if output is not None:
        write_array(folder / "output.npy", np.asarray(output, dtype=np.float32))
    fields |= {
        "n_words": len(vectors),
        "dim": vectors.dim,
        "has_counts": counts is not None,
        "has_output": output is not None,
    }
    write_manifest(folder, KIND, FORMAT_VERSION if bits is None else COMPACT_VERSION, fields)


def read_vectors_folder(folder: Path) -> WordVectors:
    """Open a ``vectors`` artifact: arrays memory-mapped, or those of a compact one restored."""
    is_compact = "quantised" in read_manifest(folder, KIND)
    manifest = read_manifest(folder, KIND, COMPACT_VERSION if is_compact else FORMAT_VERSION)
    try:
        n_words, dim = int(manifest["n_words"]), int(manifest["dim"])
    except (KeyError, TypeError, ValueError) as error:
        raise ArtifactError(
            f"the manifest of {folder} has no usable n_words and dim: build the folder again"
        ) from error
    words = _read_words(folder / "words.txt", n_words)
    matrix = (
        read_rows(folder, manifest["quantised"], (n_words, dim)).restore()
        if is_compact
        else _open_checked(folder / "vectors.npy", (n_words, dim), np.float32)
    )
    counts = None
    if manifest.get("has_counts"):
        counts = _open_checked(folder / "counts.npy", (n_words,), np.int64, np.uint32)
    output = None
    if manifest.get("has_output"):
        output = np.asarray(_open_checked(folder / "output.npy", (n_words, dim), np.float32))
    result = WordVectors(words, matrix, counts, output=output, check=False)
    result.manifest = manifest
    result.folder = folder
    return result


def write_rows(folder: Path, rows: QuantisedRows) -> dict[str, Any]:
    """Write ``codes.npy`` and ``scales.npy``; returns what `read_rows` needs to know of them."""
    write_array(folder / "codes.npy", rows.codes)
    write_array(folder / "scales.npy", rows.scales)
    return {"bits": rows.bits, "digest": rows.digest}


def read_rows(folder: Path, about: Any, shape: tuple[int, int]) -> QuantisedRows:
    """Read what `write_rows` wrote, and check it against its digest.

    Parameters
    ----------
    about : mapping
        What `write_rows` returned, from a manifest.
    shape : (n, dim)
    """
    n_rows, dim = shape
    try:
        bits = int(about["bits"])
        codes_shape = (n_rows, bytes_per_row(dim, bits))
        codes = _open_checked(folder / "codes.npy", codes_shape, np.uint8)
        scales = _open_checked(folder / "scales.npy", (n_rows,), np.float32)
        rows = QuantisedRows(codes, scales, bits, dim)
        expected = about["digest"]
    except (KeyError, TypeError, ValueError) as error:
        raise ArtifactError(
            f"the manifest of {folder} does not say how its numbers are stored ({error}): "
            "build the folder again"
        ) from error
    if rows.digest != expected:
        raise ArtifactError(
            f"the numbers in {folder} are not those that its manifest names: the files are "
            "damaged, install or build them again"
        )
    return rows


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


def _fit_counts(counts: NDArray[np.int64]) -> NDArray[Any]:
    """Counts in the smallest type that holds them."""
    fits = counts.min(initial=0) >= 0 and counts.max(initial=0) <= np.iinfo(np.uint32).max
    return counts.astype(np.uint32) if fits else counts


def _open_checked(path: Path, shape: tuple[int, ...], *dtypes: type) -> NDArray[Any]:
    array = open_array(path)
    if array.shape != shape or array.dtype not in dtypes:
        raise ArtifactError(
            f"{path} holds {array.dtype} numbers of shape {array.shape}, expected "
            f"{np.dtype(dtypes[0])} of shape {shape}: build the folder again"
        )
    return array
