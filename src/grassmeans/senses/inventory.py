"""The sense inventory: which senses the words of a corpus have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from grassmeans.artifacts import read_manifest, write_array, write_bytes, write_manifest
from grassmeans.checked import (
    MANIFEST,
    check_offsets,
    damaged,
    map_bytes,
    open_array,
    parse_json,
    read_bytes,
    read_text,
)
from grassmeans.corpus.tokenizer import Tokenizer
from grassmeans.corpus.vocabulary import load_function_words
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.geometry.contexts import ContextShape
from grassmeans.schema import check_values, whole
from grassmeans.senses.entries import SkippedWord, WordSenses, entry_from_dict, entry_to_dict
from grassmeans.vectors.quantising import Rows, quantise_rows
from grassmeans.vectors.storage import (
    MOST_DIMENSIONS,
    QUANTISED_RULE,
    encode_words,
    read_rows,
    read_words,
    write_rows,
)
from grassmeans.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from grassmeans.geometry.encoder import ContextEncoder
    from grassmeans.senses.marked_text import AnyTokenizer
    from grassmeans.senses.model import SenseModel
    from grassmeans.senses.tagging import TaggedText

ENTRIES = "entries.jsonl"
_NEAR_ONE = 0.01  # how far from 1 the squared length of a unit vector may be


class SenseInventory(Mapping[str, WordSenses]):
    """Words and their senses; entries are read from disk when they are asked for.

    Attributes
    ----------
    words : tuple of str
    skipped : tuple of SkippedWord
        Words that were asked for and have no senses here, with the reason.
    """

    _reading: tuple[ContextEncoder, AnyTokenizer] | None = None

    def __init__(self, entries: Iterable[WordSenses], skipped: Iterable[SkippedWord] = ()) -> None:
        found = list(entries)
        names = [entry.word for entry in found]
        self._setup(
            names,
            np.concatenate([[0], np.cumsum([e.n_senses for e in found])]).astype(np.int64),
            np.concatenate([e.directions for e in found])
            if found
            else np.empty((0, 0), np.float32),
            tuple(skipped),
        )
        self._lines: Sequence[bytes] = [
            json.dumps(entry_to_dict(entry), ensure_ascii=False).encode() for entry in found
        ]
        self._folder = Path("inventory")

    def _setup(
        self,
        words: Sequence[str],
        offsets: NDArray[np.int64],
        directions: Rows,
        skipped: tuple[SkippedWord, ...],
    ) -> None:
        self.words = tuple(words)
        self.skipped = skipped
        self._names: dict[str, tuple[str, ...]] = {}
        self._shares: dict[str, tuple[float, ...]] = {}
        self._numbers = {word: i for i, word in enumerate(self.words)}
        self._offsets = offsets
        self._directions = directions

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._numbers

    def __getitem__(self, word: str) -> WordSenses:
        path = self._folder / ENTRIES
        values = parse_json(self._lines[self._number(word)], path)
        entry = entry_from_dict(values, self.directions(word), path)
        if entry.word != word:
            raise damaged(path, f"the entry of {word!r} is that of {entry.word!r}")
        return entry

    def remember(self, encoder: ContextEncoder, tokenizer: AnyTokenizer) -> None:
        """Keep what contexts were made of, so that the inventory can tag; it is not stored."""
        self._reading = (encoder, tokenizer)

    def to_model(
        self, contexts: WordVectors | ContextEncoder | None = None, language: str = "en"
    ) -> SenseModel:
        """A model with these senses, ready to tag and to be saved.

        Parameters
        ----------
        contexts : WordVectors or ContextEncoder, optional
            What the senses were induced from; an inventory that `grassmeans.induce` has just given
            knows it itself, one that was read from a folder does not.
        language : str
            With word vectors: whose function words describe no context.
        """
        from grassmeans.encoders.subspaces import SubspaceEncoder
        from grassmeans.senses.model import SenseModel

        encoder, tokenizer = self._reading or (None, Tokenizer())
        if isinstance(contexts, WordVectors):
            encoder = SubspaceEncoder(contexts, ContextShape(), load_function_words(language))
        elif contexts is not None:
            encoder = contexts
        if encoder is None:
            raise InputError(
                "an inventory that was read from a folder does not know its contexts: give them as "
                "contexts=..., or save and load a model"
            )
        return SenseModel(encoder, self, tokenizer)

    def tag(self, text: str | None = None, **options: Any) -> TaggedText:
        """Find the sense of every known word of a text, as `SenseModel.tag` does."""
        return self.to_model().tag(text, **options)

    def __getstate__(self) -> dict[str, Any]:
        # Lines that are mapped from a file cannot go to another process as they are.
        lines = getattr(self, "_lines", None)
        own = {} if lines is None else {"_lines": [bytes(lines[i]) for i in range(len(self.words))]}
        return self.__dict__ | own

    def directions(self, word: str) -> NDArray[np.float32]:
        """(n_senses, dim) intersection directions of a word; cheaper than the whole entry."""
        number = self._number(word)
        found = self._directions[self._offsets[number] : self._offsets[number + 1]]
        # Here, and not for all words at once: there may be gigabytes of them.
        squares = np.einsum("ij,ij->i", found, found)
        if not np.all((np.abs(squares - 1.0) < _NEAR_ONE) | (squares == 0.0)):
            raise damaged(self._folder, f"a direction of {word!r} is not of unit length")
        return found

    @property
    def dim(self) -> int:
        """The dimension of the directions; 0 where there are none."""
        return int(self._directions.shape[1])

    def name_of(self, word: str, sense: int) -> str:
        """What a sense is called; empty where it has no name, and for 0, "I don't know"."""
        if sense < 1:
            return ""
        if word not in self._names:
            self._read_names(self._number(word))
        names = self._names[word]
        return names[sense - 1] if sense <= len(names) else ""

    def _read_names(self, number: int) -> None:
        """Keep the names of a word's senses, and of all that are unpacked with it."""
        path = self._folder / ENTRIES
        block = self._lines.block_of(number) if isinstance(self._lines, _BlockLines) else [number]
        for i in block:
            entry = parse_json(self._lines[i], path)
            try:
                names = tuple(str(sense.get("name", "")) for sense in entry["senses"])
            except (KeyError, TypeError, AttributeError) as error:
                raise damaged(path, f"the entry of {self.words[i]!r} is not whole") from error
            self._names[self.words[i]] = names

    def shares_of(self, word: str) -> tuple[float, ...]:
        """What part of a word's occurrences each of its senses has; 1 in all.

        Equal parts where the model does not say; hidden senses have none.
        """
        if word not in self._shares:
            entry = self[word]
            parts = [0.0 if sense.hidden else sense.share for sense in entry.senses]
            if not sum(parts) > 0.0:
                parts = np.any(entry.directions, axis=1).astype(float).tolist()
            total = sum(parts) or 1.0
            self._shares[word] = tuple(part / total for part in parts)
        return self._shares[word]

    def find_mentions(self, spellings: Sequence[str]) -> Iterator[str]:
        """Words whose entries, examples included, hold one of some texts; found without parsing."""
        wanted = [json.dumps(text, ensure_ascii=False)[1:-1].encode() for text in spellings]
        for number, word in enumerate(self.words):
            line = self._lines[number]
            if any(text in line for text in wanted):
                yield word

    def _number(self, word: str) -> int:
        number = self._numbers.get(word)
        if number is None:
            reason = next((s.reason for s in self.skipped if s.word == word), None)
            if reason is not None:
                raise UnknownWordError(f"{word!r} has no senses in this model: it {reason}")
            raise UnknownWordError(
                f"{word!r} is not among the {len(self.words):,} words of this model's inventory"
            )
        return number

    def save(self, path: str | Path) -> None:
        """Write the inventory into a folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        sizes = [len(line) + 1 for line in self._lines]
        write_bytes(folder / "words.txt", "\n".join(self.words).encode())
        write_array(folder / "sense_offsets.npy", self._offsets)
        write_array(folder / "directions.npy", np.asarray(self._directions))
        write_bytes(folder / ENTRIES, b"".join(line + b"\n" for line in self._lines))
        write_array(
            folder / "entry_offsets.npy", np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        )
        write_bytes(
            folder / "skipped.tsv",
            "".join(f"{s.word}\t{s.reason}\n" for s in self.skipped).encode(),
        )

    @classmethod
    def load(cls, path: str | Path) -> SenseInventory:
        """Open an inventory that `save` wrote, or a compact one; entries stay on disk."""
        folder = Path(path)
        if (folder / MANIFEST).exists():
            return cls._from_compact(read_compact_inventory(folder), folder)
        text = read_text(folder / "words.txt")
        words = text.split("\n") if text else []
        n_offsets = (len(words) + 1,)
        directions = open_array(folder / "directions.npy", np.float32, (None, None))
        offsets = open_array(folder / "sense_offsets.npy", np.int64, n_offsets, mapped=False)
        check_offsets(folder / "sense_offsets.npy", offsets, len(directions))
        content = map_bytes(folder / ENTRIES)
        ends = open_array(folder / "entry_offsets.npy", np.int64, n_offsets, mapped=False)
        check_offsets(folder / "entry_offsets.npy", ends, len(content))
        skipped = _parse_skipped(read_text(folder / "skipped.tsv"), folder / "skipped.tsv")
        inventory = cls.__new__(cls)
        inventory._setup(words, offsets, directions, skipped)
        return inventory._stored_in(folder, _StoredLines(content, ends))

    def _stored_in(self, folder: Path, lines: Sequence[bytes]) -> SenseInventory:
        self._folder = folder
        self._lines = lines
        if len(self._numbers) != len(self.words):
            raise damaged(folder / "words.txt", "a word is there twice")
        return self

    @classmethod
    def _from_compact(
        cls, found: CompactInventory, folder: Path = Path("inventory")
    ) -> SenseInventory:
        inventory = cls.__new__(cls)
        offsets = np.concatenate([[0], np.cumsum(found.sense_counts)]).astype(np.int64)
        inventory._setup(found.words, offsets, found.directions, found.skipped)
        return inventory._stored_in(folder, found.lines)

    def to_compact(self) -> CompactInventory:
        """The parts that the compact form stores."""
        return CompactInventory(
            list(self.words), np.diff(self._offsets), self._directions, self._lines, self.skipped
        )

    @property
    def sense_counts(self) -> Mapping[str, int]:
        """How many senses each word has."""
        counts = np.diff(self._offsets).tolist()
        return MappingProxyType(dict(zip(self.words, counts, strict=True)))


class _StoredLines(Sequence[bytes]):
    """Lines of a mapped file, by their offsets."""

    def __init__(self, content: memoryview, offsets: NDArray[np.int64]) -> None:
        self._content = content
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, number):  # type: ignore[no-untyped-def]
        return bytes(self._content[self._offsets[number] : self._offsets[number + 1]])


KIND = "inventory"
FORMAT_VERSION = 1
_BLOCK_WORDS = 64
_COMPACT_RULES = {
    "n_words": whole(0, 2**31 - 1),
    "n_directions": whole(0, 2**31 - 1),
    "dim": whole(0, MOST_DIMENSIONS),
    "block_words": whole(1, 2**20),
    "quantised": QUANTISED_RULE,
}
_LEVEL = 19
_BLOCKS_HELD = 8
_LONGEST_BLOCK = 1 << 28
"""Bytes of one block when it is unpacked: a damaged or hostile file must not fill the memory."""


@dataclass(frozen=True, slots=True)
class CompactInventory:
    """What a folder in the compact form holds.

    Attributes
    ----------
    words : list of str
    sense_counts : (n_words,) int64
    directions : (n_directions, dim)
        Of unit length; those that were read are restored where they are looked at.
    lines : sequence of bytes
        The entry of each word as JSON, without its directions.
    skipped : tuple of SkippedWord
    """

    words: list[str]
    sense_counts: NDArray[np.int64]
    directions: Rows
    lines: Sequence[bytes]
    skipped: tuple[SkippedWord, ...]


def write_compact_inventory(folder: Path, inventory: CompactInventory, *, bits: int) -> None:
    """Write an inventory in the compact form; `SenseInventory.load` opens it."""
    folder.mkdir(parents=True, exist_ok=True)
    about = write_rows(folder, quantise_rows(np.asarray(inventory.directions), bits))
    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    lines = inventory.lines
    frames = [
        compressor.compress(b"\n".join(lines[i] for i in range(start, stop)))
        for start, stop in _blocks(len(lines))
    ]
    if inventory.sense_counts.max(initial=0) > np.iinfo(np.uint16).max:
        raise InputError("a word has more than 65,535 senses: the compact form cannot hold them")
    write_bytes(folder / "words.txt", encode_words(inventory.words))
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
        "block_words": _BLOCK_WORDS,
        "quantised": about,
    }
    write_manifest(folder, KIND, FORMAT_VERSION, fields)


def read_compact_inventory(folder: Path) -> CompactInventory:
    """Open an inventory in the compact form; entries are unpacked when they are asked for."""
    manifest = read_manifest(folder, KIND, FORMAT_VERSION)
    check_values(folder / MANIFEST, manifest, _COMPACT_RULES)
    n_words, block_words = manifest["n_words"], manifest["block_words"]
    n_directions, dim = manifest["n_directions"], manifest["dim"]
    words = read_words(folder / "words.txt", n_words)
    path = folder / "sense_counts.npy"
    counts = open_array(path, np.uint16, (n_words,), mapped=False).astype(np.int64)
    if int(counts.sum()) != n_directions:
        raise damaged(path, f"{int(counts.sum()):,} senses for {n_directions:,} directions")
    content, n_blocks = map_bytes(folder / "entries.zst"), -(-n_words // block_words)
    ends = open_array(folder / "entry_blocks.npy", np.int64, (n_blocks + 1,), mapped=False)
    check_offsets(folder / "entry_blocks.npy", ends, len(content))
    lines = _BlockLines(content, ends, n_words, block_words, folder / "entries.zst")
    path = folder / "skipped.tsv.zst"
    skipped = _parse_skipped(_unpack_text(path), path)
    # Distances are those of unit vectors.
    rows = read_rows(folder, manifest["quantised"], (n_directions, dim))
    return CompactInventory(words, counts, replace(rows, unit=True), lines, skipped)


def shorten_entry(
    line: bytes, *, examples: int, example_width: int, decimals: int = 4
) -> dict[str, Any]:
    """An entry without what can be found again, and with fewer and shorter examples.

    The nearest words go: the vectors tell them. Numbers are rounded.
    """
    entry: dict[str, Any] = json.loads(line)
    for sense in entry["senses"]:
        sense["nearest_words"] = []
        sense["examples"] = [
            _shorten_example(example, example_width) for example in sense["examples"][:examples]
        ]
    rounded: dict[str, Any] = _round_numbers(entry, decimals)
    return rounded


def _shorten_example(example: Mapping[str, Any], width: int) -> dict[str, Any]:
    """An example with so many characters a side, cut between words."""
    left, right = example["left"], example["right"]
    if len(left) > width:
        left = left[len(left) - width :].partition(" ")[2] or left[len(left) - width :]
    if len(right) > width:
        right = right[:width].rpartition(" ")[0] or right[:width]
    return dict(example) | {"left": left, "right": right}


def _round_numbers(value: Any, decimals: int) -> Any:
    if isinstance(value, float):
        return round(value, decimals)
    if isinstance(value, list):
        return [_round_numbers(item, decimals) for item in value]
    if isinstance(value, dict):
        return {name: _round_numbers(item, decimals) for name, item in value.items()}
    return value


class _BlockLines(Sequence[bytes]):
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
            raise damaged(self._path, f"block {block} holds {len(lines)} words")
        return lines


def _unpack_text(path: Path) -> str:
    try:
        return _decompress(memoryview(read_bytes(path)), path).decode()
    except UnicodeDecodeError as error:
        raise damaged(path, "it is not UTF-8") from error


def _parse_skipped(text: str, path: Path) -> tuple[SkippedWord, ...]:
    pairs = [line.split("\t", 1) for line in text.split("\n") if line]
    if any(len(pair) != 2 for pair in pairs):
        raise damaged(path, "a line is no pair of word and reason")
    return tuple(SkippedWord(word, reason) for word, reason in pairs)


def _decompress(content: memoryview, path: Path) -> bytes:
    try:
        size = zstandard.frame_content_size(content)
        if not 0 <= size <= _LONGEST_BLOCK:
            raise damaged(path, "a block has no usable size")
        unpacked: bytes = zstandard.ZstdDecompressor().decompress(content)
    except zstandard.ZstdError as error:
        raise damaged(path, str(error)) from error
    return unpacked


def _blocks(n: int) -> list[tuple[int, int]]:
    return [(start, min(start + _BLOCK_WORDS, n)) for start in range(0, n, _BLOCK_WORDS)]
