"""The compact form of an inventory: entries packed in blocks, directions of a few bits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from grassmeans.arrays import Indices
from grassmeans.artifacts import checking
from grassmeans.artifacts.schema import check_values, whole
from grassmeans.artifacts.writing import read_manifest, write_array, write_bytes, write_manifest
from grassmeans.errors import InputError
from grassmeans.senses.entries import SkippedWord, shorten_sides
from grassmeans.vectors import storage
from grassmeans.vectors.quantising import Rows, quantise_rows

KIND = "inventory"
FORMAT_VERSION = 1
_BLOCK_WORDS = 96  # 64 take 3% more room
_COMPACT_RULES = {
    "n_words": whole(0, 2**31 - 1),
    "n_directions": whole(0, 2**31 - 1),
    "dim": whole(0, storage.MOST_DIMENSIONS),
    "block_words": whole(1, 2**20),
    "quantised": storage.QUANTISED_RULE,
}
_LEVEL = 19
_BLOCKS_HELD = 8
_LONGEST_BLOCK = 1 << 28
"""Bytes of one block when it is unpacked: a damaged or hostile file must not fill the memory."""


@dataclass(frozen=True, slots=True)
class CompactInventory:
    """What a folder in the compact form holds."""

    words: list[str]
    sense_counts: Indices  # (n_words,)
    directions: Rows  # (n_directions, dim) of unit length; restored where they are looked at
    lines: Sequence[bytes]  # the entry of each word as JSON, without its directions
    skipped: tuple[SkippedWord, ...]


def write_compact_inventory(folder: Path, inventory: CompactInventory, *, bits: int) -> None:
    """Write an inventory in the compact form; `SenseInventory.load` opens it."""
    folder.mkdir(parents=True, exist_ok=True)
    about = storage.write_rows(folder, quantise_rows(np.asarray(inventory.directions), bits))
    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    lines, size = inventory.lines, _BLOCK_WORDS
    frames = [
        compressor.compress(b"\n".join(lines[i] for i in range(len(lines))[start : start + size]))
        for start in range(0, len(lines), size)
    ]
    if inventory.sense_counts.max(initial=0) > np.iinfo(np.uint16).max:
        raise InputError("a word has more than 65,535 senses: the compact form cannot hold them")
    write_bytes(folder / "words.txt", storage.encode_words(inventory.words))
    write_array(folder / "sense_counts.npy", inventory.sense_counts.astype(np.uint16))
    write_bytes(folder / "entries.zst", b"".join(frames))
    ends = np.cumsum([0, *map(len, frames)], dtype=np.int64)
    write_array(folder / "entry_blocks.npy", ends)
    reasons = "".join(f"{skipped.word}\t{skipped.reason}\n" for skipped in inventory.skipped)
    write_bytes(folder / "skipped.tsv.zst", compressor.compress(reasons.encode()))
    fields = {
        "n_words": len(inventory.words),
        "n_directions": len(inventory.directions),
        "dim": int(inventory.directions.shape[1]),
        "block_words": size,
        "quantised": about,
    }
    write_manifest(folder, KIND, FORMAT_VERSION, fields)


def read_compact_inventory(folder: Path) -> CompactInventory:
    """Open an inventory in the compact form; entries are unpacked when they are asked for."""
    manifest = read_manifest(folder, KIND, FORMAT_VERSION)
    check_values(folder / checking.MANIFEST, manifest, _COMPACT_RULES)
    n_words, block_words = manifest["n_words"], manifest["block_words"]
    n_directions, dim = manifest["n_directions"], manifest["dim"]
    words = storage.read_words(folder / "words.txt", n_words)
    path = folder / "sense_counts.npy"
    counts = checking.open_array(path, np.uint16, (n_words,), mapped=False).astype(np.int64)
    if int(counts.sum()) != n_directions:
        raise checking.damaged(
            path, f"{int(counts.sum()):,} senses for {n_directions:,} directions"
        )
    content, n_blocks = checking.map_bytes(folder / "entries.zst"), -(-n_words // block_words)
    ends = checking.open_array(folder / "entry_blocks.npy", np.int64, (n_blocks + 1,), mapped=False)
    checking.check_offsets(folder / "entry_blocks.npy", ends, len(content))
    lines = BlockLines(content, ends, n_words, block_words, folder / "entries.zst")
    path = folder / "skipped.tsv.zst"
    try:
        reasons = _decompress(memoryview(checking.read_bytes(path)), path).decode()
    except UnicodeDecodeError as error:
        raise checking.damaged(path, "it is not UTF-8") from error
    skipped = parse_skipped(reasons, path)
    # Distances are those of unit vectors.
    rows = storage.read_rows(folder, manifest["quantised"], (n_directions, dim))
    return CompactInventory(words, counts, replace(rows, unit=True), lines, skipped)


def shorten_entry(
    line: bytes, *, examples: int, example_width: int, decimals: int = 4
) -> dict[str, Any]:
    """An entry with fewer examples, rounded numbers, no nearest words: the vectors tell them."""
    entry: dict[str, Any] = json.loads(line)
    for sense in entry["senses"]:
        sense["nearest_words"] = []
        sense["examples"] = [
            _shorten_example(example, example_width) for example in sense["examples"][:examples]
        ]
    rounded: dict[str, Any] = _round_numbers(entry, decimals)
    return rounded


def _shorten_example(example: Mapping[str, Any], width: int) -> dict[str, Any]:
    """An example with so many characters a side."""
    left, right = shorten_sides(example["left"], example["right"], width)
    return dict(example) | {"left": left, "right": right}


def _round_numbers(value: Any, decimals: int) -> Any:
    if isinstance(value, float):
        return round(value, decimals)
    if isinstance(value, list):
        return [_round_numbers(item, decimals) for item in value]
    if isinstance(value, dict):
        return {name: _round_numbers(item, decimals) for name, item in value.items()}
    return value


class BlockLines(Sequence[bytes]):
    """JSON lines in compressed blocks, by the number of their word."""

    def __init__(
        self, content: memoryview, ends: NDArray[Any], n_words: int, block_words: int, path: Path
    ) -> None:
        self._content = content
        self._ends = ends
        self._n_words = n_words
        self._block_words = block_words
        self._path = path
        self._block = lru_cache(_BLOCKS_HELD)(self._unpack)

    def __len__(self) -> int:
        return self._n_words

    def __getitem__(self, number):  # type: ignore[no-untyped-def]
        lines = self._block(number // self._block_words)
        return lines[number % self._block_words]

    def block_of(self, number: int) -> range:
        """The numbers of the words that are unpacked with one."""
        start = number - number % self._block_words
        return range(start, min(start + self._block_words, self._n_words))

    def _unpack(self, block: int) -> list[bytes]:
        content = self._content[int(self._ends[block]) : int(self._ends[block + 1])]
        lines = _decompress(content, self._path).split(b"\n")
        expected = min(self._block_words, self._n_words - block * self._block_words)
        if len(lines) != expected:
            raise checking.damaged(self._path, f"block {block} holds {len(lines)} words")
        return lines


def parse_skipped(text: str, path: Path) -> tuple[SkippedWord, ...]:
    """Words that were left out, with the reasons: a line each."""
    pairs = [line.split("\t", 1) for line in text.split("\n") if line]
    if any(len(pair) != 2 for pair in pairs):
        raise checking.damaged(path, "a line is no pair of word and reason")
    return tuple(SkippedWord(word, reason) for word, reason in pairs)


def _decompress(content: memoryview, path: Path) -> bytes:
    try:
        size = zstandard.frame_content_size(content)
        if not 0 <= size <= _LONGEST_BLOCK:
            raise checking.damaged(path, "a block has no usable size")
        unpacked: bytes = zstandard.ZstdDecompressor().decompress(content)
    except zstandard.ZstdError as error:
        raise checking.damaged(path, str(error)) from error
    return unpacked
