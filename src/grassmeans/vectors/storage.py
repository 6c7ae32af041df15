r"""The folder that holds word vectors: ``words.txt``, ``vectors.npy``, and where known counts.

A compact folder has ``codes.npy`` and ``scales.npy`` instead of ``vectors.npy``: numbers of 4, 6
or 8 bits (see `grassmeans.vectors.quantising`), which become float32 when they are asked for.

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

from grassmeans.artifacts.checking import MANIFEST, check_range, damaged, open_array, read_bytes
from grassmeans.artifacts.schema import check_values, flag, one_of, record, text, whole
from grassmeans.artifacts.writing import read_manifest, write_array, write_bytes, write_manifest
from grassmeans.errors import ArtifactError, InputError
from grassmeans.outputs.ownership import list_marks
from grassmeans.outputs.places import output_folder
from grassmeans.vectors.quantising import BITS, QuantisedRows, bytes_per_row, quantise_rows
from grassmeans.vectors.word_vectors import WordVectors

KIND = "vectors"
FORMAT_VERSION = 1
COMPACT_VERSION = 2  # format version of compact folders, which releases before them cannot read
_WORDS, _VECTORS, _COUNTS, _OUTPUT = "words.txt", "vectors.npy", "counts.npy", "output.npy"
_CODES, _SCALES = "codes.npy", "scales.npy"
_OWN_FIELDS = {"kind", "format_version", "n_words", "dim", "has_counts", "has_output", "quantised"}
MOST_DIMENSIONS = 100_000
QUANTISED_RULE = record({"bits": one_of(*BITS), "digest": text})
_MANIFEST_RULES = {"n_words": whole(0, 2**31 - 1), "dim": whole(1, MOST_DIMENSIONS)}
_OPTIONAL_RULES = {"has_counts": flag, "has_output": flag}
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r"}
_UNESCAPES = {escaped: plain for plain, escaped in _ESCAPES.items()}
_ESCAPED = re.compile(r"\\[\\nr]")
_TO_ESCAPE = re.compile(r"[\\\n\r]")


def write_vectors_folder(
    vectors: WordVectors, folder: Path, *, overwrite: bool = False, **filling: Any
) -> None:
    """Write a ``vectors`` artifact; see `WordVectors.save`."""
    marks = list_marks(KIND, filling.get("extra") or {})
    with output_folder(folder, KIND, fields=marks, overwrite=overwrite) as building:
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
    counts: NDArray[Any] | None = vectors.counts
    if bits is None:
        write_array(folder / _VECTORS, vectors.vectors)
    else:
        fields["quantised"] = write_rows(folder, quantise_rows(vectors.vectors, bits))
        if counts is not None and 0 <= counts.min(initial=0) <= counts.max(initial=0) < 2**32:
            counts = counts.astype(np.uint32)  # the smallest type that holds them
    write_bytes(folder / _WORDS, encode_words(vectors.words))
    if counts is not None:
        write_array(folder / _COUNTS, counts)
    if output is not None:
        write_array(folder / _OUTPUT, np.asarray(output, dtype=np.float32))
    fields |= {
        "n_words": len(vectors),
        "dim": vectors.dim,
        "has_counts": counts is not None,
        "has_output": output is not None,
    }
    write_manifest(folder, KIND, FORMAT_VERSION if bits is None else COMPACT_VERSION, fields)


def read_vectors_folder(folder: Path) -> WordVectors:
    """Open a ``vectors`` artifact: arrays memory-mapped, those of a compact one still rounded."""
    manifest = read_manifest(folder, KIND, FORMAT_VERSION, COMPACT_VERSION)
    is_compact = manifest["format_version"] == COMPACT_VERSION
    own_rules = {"quantised": QUANTISED_RULE} if is_compact else {}
    check_values(folder / MANIFEST, manifest, _MANIFEST_RULES | own_rules, _OPTIONAL_RULES)
    n_words, dim = manifest["n_words"], manifest["dim"]
    words = read_words(folder / _WORDS, n_words)
    matrix = (
        read_rows(folder, manifest["quantised"], (n_words, dim))
        if is_compact
        else open_array(folder / _VECTORS, np.float32, (n_words, dim))
    )
    counts = None
    if manifest.get("has_counts"):
        counts = open_array(folder / _COUNTS, (np.int64, np.uint32), (n_words,))
        check_range(folder / _COUNTS, counts, 0, 2**62)
    output = None
    if manifest.get("has_output"):
        output = np.asarray(open_array(folder / _OUTPUT, np.float32, (n_words, dim)))
    result = WordVectors(words, matrix, counts, output=output, check=False)
    result.manifest = manifest
    result.folder = folder
    return result


def write_rows(folder: Path, rows: QuantisedRows) -> dict[str, Any]:
    """Write ``codes.npy`` and ``scales.npy``; returns what `read_rows` needs to know of them."""
    write_array(folder / _CODES, rows.codes)
    write_array(folder / _SCALES, rows.scales)
    return {"bits": rows.bits, "digest": rows.digest}


def read_rows(folder: Path, about: Any, shape: tuple[int, int]) -> QuantisedRows:
    """Read what `write_rows` wrote, by what that returned, and check it against its digest."""
    (n_rows, dim), bits = shape, about["bits"]
    codes = open_array(folder / _CODES, np.uint8, (n_rows, bytes_per_row(dim, bits)))
    scales = open_array(folder / _SCALES, np.float32, (n_rows,))
    # As plain arrays of the same memory: parts of a mapped one take long to cut.
    rows = QuantisedRows(np.asarray(codes), np.asarray(scales), bits, dim)
    if rows.digest != about["digest"]:
        raise ArtifactError(
            f"the numbers in {folder / _CODES} are not those that the manifest names: the "
            "files are damaged, install or build them again"
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


def read_words(path: Path, expected: int) -> list[str]:
    """Read a file of `encode_words`; an error where it holds another number of words."""
    try:
        words = decode_words(read_bytes(path))
    except ValueError as error:
        raise damaged(path, str(error)) from error
    if len(words) != expected:
        raise damaged(path, f"{len(words):,} words, the manifest says {expected:,}")
    return words
