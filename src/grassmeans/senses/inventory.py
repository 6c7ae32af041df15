"""The sense inventory: which senses the words of a corpus have."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self, TypeVar

import numpy as np

from grassmeans.arrays import Floats, Indices
from grassmeans.artifacts.checking import (
    MANIFEST,
    check_offsets,
    damaged,
    map_bytes,
    open_array,
    parse_json,
    read_text,
)
from grassmeans.artifacts.schema import check_arguments, shorten, whole
from grassmeans.artifacts.writing import write_array, write_bytes
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.geometry.distances import SenseLines
from grassmeans.senses.compact_inventory import (
    BlockLines,
    CompactInventory,
    parse_skipped,
    read_compact_inventory,
)
from grassmeans.senses.entries import SkippedWord, WordSenses, entry_from_dict, entry_to_dict

ENTRIES = "entries.jsonl"
_NEAR_ONE = 0.01  # how far from 1 the squared length of a unit vector may be


Entry = TypeVar("Entry")


def _check_entries(entries: Iterable[Entry], kind: type[Entry]) -> list[Entry]:
    given = list(entries) if isinstance(entries, Iterable) else [entries]
    if not all(isinstance(entry, kind) for entry in given):
        raise InputError(f"an inventory is made of {kind.__name__}, got {shorten(entries)}")
    return given


class SenseInventory(Mapping[str, WordSenses]):
    """Words and their senses; entries are read from disk when they are asked for.

    Attributes
    ----------
    words : tuple of str
    skipped : tuple of SkippedWord
        Words that were asked for and have no senses here, with the reason.
    function_words : frozenset of str
        Those of the model that it belongs to: where one is missing, the error says why.
    """

    function_words: frozenset[str] = frozenset()

    def __init__(self, entries: Iterable[WordSenses], skipped: Iterable[SkippedWord] = ()) -> None:
        found, absent = _check_entries(entries, WordSenses), _check_entries(skipped, SkippedWord)
        stacked = [entry.directions for entry in found] or [np.empty((0, 0), np.float32)]
        lines = [json.dumps(entry_to_dict(entry), ensure_ascii=False).encode() for entry in found]
        counts = np.array([entry.n_senses for entry in found], np.int64)
        names = [entry.word for entry in found]
        self._keep(CompactInventory(names, counts, np.concatenate(stacked), lines, tuple(absent)))

    def _keep(self, parts: CompactInventory, folder: Path = Path("inventory")) -> None:
        self.words = tuple(parts.words)
        self.skipped = parts.skipped
        self._names: dict[str, dict[int, str]] = {}
        self._usual: dict[str, float] = {}
        self._function: dict[str, frozenset[int]] = {}
        self._shares: dict[str, tuple[float, ...]] = {}
        self._numbers = {word: i for i, word in enumerate(self.words)}
        self._offsets = np.concatenate([[0], np.cumsum(parts.sense_counts)]).astype(np.int64)
        self._directions = parts.directions
        self._lines = parts.lines
        self._folder = folder

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

    def __getstate__(self) -> dict[str, Any]:
        # Lines that are mapped from a file cannot go to another process as they are.
        lines = getattr(self, "_lines", None)
        own = {} if lines is None else {"_lines": [bytes(lines[i]) for i in range(len(self.words))]}
        return self.__dict__ | own

    def directions(self, word: str) -> Floats:
        """(n_senses, dim) intersection directions of a word; cheaper than the whole entry."""
        return self.lines_of([word]).directions

    def lines_of(self, words: Iterable[str]) -> SenseLines:
        """The intersection directions of some words, read at once."""
        numbers = np.array([self._number(word) for word in words], np.int64)
        firsts, counts = self._offsets[numbers], np.diff(self._offsets)[numbers]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        rows = np.arange(offsets[-1]) + np.repeat(firsts - offsets[:-1], counts)
        found = np.ascontiguousarray(self._directions[rows], np.float32)
        # Here, and not for all words at once: there may be gigabytes of them.
        squares = np.einsum("ij,ij->i", found, found)
        # What is no number is near nothing.
        wrong = np.flatnonzero(~((np.abs(squares - 1.0) < _NEAR_ONE) | (squares == 0.0)))
        if len(wrong):
            word = self.words[numbers[np.searchsorted(offsets, wrong[0], side="right") - 1]]
            raise damaged(self._folder, f"a direction of {word!r} is not of unit length")
        return SenseLines(found, offsets)

    @property
    def dim(self) -> int:
        """The dimension of the directions; 0 where there are none."""
        return int(self._directions.shape[1])

    @check_arguments(sense=whole(-(2**62)))
    def name_of(self, word: str, sense: int) -> str:
        """What a sense is called; empty where it has no name, and for 0, "I don't know"."""
        return self.names_of(word).get(sense, "")

    def names_of(self, word: str) -> Mapping[int, str]:
        """What the senses of a word are called, by their numbers."""
        if word not in self._names:
            self._read_block(self._number(word))
        return self._names[word]

    def function_senses_of(self, word: str) -> frozenset[int]:
        """The numbers of the senses that are a word's use as a function word."""
        if word not in self._function:
            self._read_block(self._number(word))
        return self._function[word]

    def usual_distance(self, word: str) -> float:
        """The mean distance of contexts to an only sense; NaN for more senses, or if not known."""
        if word not in self._usual:
            if word not in self._numbers:
                return math.nan
            self._read_block(self._number(word))
        return self._usual[word]

    def _read_block(self, number: int) -> None:
        """Keep what answers tell of a word's senses, and of all words that are unpacked with it."""
        path = self._folder / ENTRIES
        block = self._lines.block_of(number) if isinstance(self._lines, BlockLines) else [number]
        for i in block:
            entry = parse_json(self._lines[i], path)
            try:
                names = [str(sense.get("name", "")) for sense in entry["senses"]]
                usual = [float(sense["mean_distance"]) for sense in entry["senses"]]
                function = [n for n, s in enumerate(entry["senses"], 1) if s.get("function")]
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise damaged(path, f"the entry of {self.words[i]!r} is not whole") from error
            self._names[self.words[i]] = dict(enumerate(names, 1))
            self._usual[self.words[i]] = usual[0] if len(usual) == 1 else math.nan
            self._function[self.words[i]] = frozenset(function)

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

    def gather(self, distances: Floats, numbers: Indices, words: Sequence[str]) -> Floats:
        """(n, most senses) distances as they are answered by: of each sense, as measured.

        ``numbers`` (n,) tell which of the words each row is of.
        """
        return distances

    def find_mentions(self, spellings: Sequence[str], words: Iterable[str]) -> Iterator[str]:
        """Those of some words whose entries, examples included, hold one of some texts.

        Entries are not parsed for it, and words in the inventory's order are read fastest.
        """
        wanted = [json.dumps(text, ensure_ascii=False)[1:-1].encode() for text in spellings]
        for word in words:
            line = self._lines[self._number(word)]
            if any(text in line for text in wanted):
                yield word

    def _number(self, word: str) -> int:
        number = self._numbers.get(word)
        if number is None:
            reason = next((s.reason for s in self.skipped if s.word == word), None)
            if reason is not None:
                raise UnknownWordError(f"{word!r} has no senses in this model: it {reason}")
            if word.isalpha() and is_function_word(word, self.function_words):
                raise UnknownWordError(
                    f"{word!r} has no senses in this model: it is a function word, and models "
                    "know the senses of content words; name it to `grassmeans induce` to see some"
                )
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
        ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        write_array(folder / "entry_offsets.npy", ends)
        reasons = "".join(f"{skipped.word}\t{skipped.reason}\n" for skipped in self.skipped)
        write_bytes(folder / "skipped.tsv", reasons.encode())

    @classmethod
    @check_arguments()
    def load(cls, path: str | Path) -> Self:
        """Open an inventory that `save` wrote, or a compact one; entries stay on disk."""
        folder = Path(path)
        if (folder / MANIFEST).exists():
            return cls.from_compact(read_compact_inventory(folder), folder)
        text = read_text(folder / "words.txt")
        words = text.split("\n") if text else []
        n_offsets = (len(words) + 1,)
        directions = open_array(folder / "directions.npy", np.float32, (None, None))
        offsets = open_array(folder / "sense_offsets.npy", np.int64, n_offsets, mapped=False)
        check_offsets(folder / "sense_offsets.npy", offsets, len(directions))
        content = map_bytes(folder / ENTRIES)
        ends = open_array(folder / "entry_offsets.npy", np.int64, n_offsets, mapped=False)
        check_offsets(folder / "entry_offsets.npy", ends, len(content))
        skipped = parse_skipped(read_text(folder / "skipped.tsv"), folder / "skipped.tsv")
        lines = _StoredLines(content, ends)
        parts = CompactInventory(words, np.diff(offsets), directions, lines, skipped)
        return cls.from_compact(parts, folder)

    @classmethod
    def from_compact(cls, parts: CompactInventory, folder: Path = Path("inventory")) -> Self:
        """An inventory of the parts that the compact form stores."""
        inventory = cls.__new__(cls)
        inventory._keep(parts, folder)
        if len(inventory._numbers) != len(inventory.words):
            raise damaged(folder / "words.txt", "a word is there twice")
        return inventory

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

    def __init__(self, content: memoryview, offsets: Indices) -> None:
        self._content = content
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, number):  # type: ignore[no-untyped-def]
        return bytes(self._content[self._offsets[number] : self._offsets[number + 1]])
