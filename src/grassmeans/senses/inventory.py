"""The sense inventory: which senses the words of a corpus have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import (
    MANIFEST,
    map_bytes,
    open_array,
    read_bytes,
    write_array,
    write_bytes,
)
from grassmeans.errors import ArtifactError, InputError, UnknownWordError
from grassmeans.senses.compact import CompactInventory, read_compact_inventory
from grassmeans.senses.entries import SkippedWord, WordSenses, entry_from_dict, entry_to_dict
from grassmeans.senses.settings import InductionSettings, change_settings
from grassmeans.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from grassmeans.corpus.corpus import Corpus

PAPER_MIN_COUNT = 10_000
_TOKENS_PER_COUNT = 200_000
_SMALLEST_MIN_COUNT = 50


def default_min_count(n_tokens: int) -> int:
    """The count from which a word's senses are induced where the user names no words.

    The paper's 10,000 belongs to a corpus of two billion words; smaller corpora get the same share
    of their size (one in 200,000), and never less than 50.
    """
    return min(PAPER_MIN_COUNT, max(_SMALLEST_MIN_COUNT, n_tokens // _TOKENS_PER_COUNT))


def frequent_words(corpus: Corpus, vectors: WordVectors, min_count: int | None = None) -> list[str]:
    """The content words of a corpus that have a vector and occur often enough."""
    if min_count is None:
        min_count = default_min_count(corpus.n_tokens)
    candidates = corpus.vocabulary.words[: corpus.vocabulary.size_at(min_count)]
    left_out = corpus.function_words
    return [word for word in candidates if word not in left_out and word in vectors]


class SenseInventory(Mapping[str, WordSenses]):
    """Words and their senses; entries are read from disk when they are asked for.

    Attributes
    ----------
    words : tuple of str
    skipped : tuple of SkippedWord
        Words that were asked for and have no senses here, with the reason.
    """

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

    def _setup(
        self,
        words: Sequence[str],
        offsets: NDArray[np.int64],
        directions: NDArray[np.float32],
        skipped: tuple[SkippedWord, ...],
    ) -> None:
        self.words = tuple(words)
        self.skipped = skipped
        self._numbers = {word: i for i, word in enumerate(self.words)}
        self._offsets = offsets
        self._directions = directions

    @classmethod
    def induce(
        cls,
        corpus: Corpus,
        vectors: WordVectors,
        words: Iterable[str] | None = None,
        *,
        min_count: int | None = None,
        settings: InductionSettings | None = None,
        workers: int | None = 1,
        parts: Path | None = None,
        show_progress: bool | None = None,
        **changes: Any,
    ) -> SenseInventory:
        """Induce the senses of given words, or of all frequent ones.

        Parameters
        ----------
        words : iterable of str, optional
            Unknown and too rare ones end up in ``skipped``. Without it: all content words that
            occur ``min_count`` times (`default_min_count` where that is not given either).
        workers : int or None
            Processes; with one, a single word uses all cores.
        parts : Path, optional
            Folder for finished parts: an interrupted run goes on from there.
        **changes
            Single settings that differ from ``settings``: ``n_senses=2``, ``rank=5``, ...
        """
        # Opening a model must not wait for what only induction needs (scikit-learn, joblib).
        from grassmeans.contexts import ContextExtractor
        from grassmeans.senses.batches import induce_batches

        settings = change_settings(settings or InductionSettings(), changes)
        chosen = (
            frequent_words(corpus, vectors, min_count)
            if words is None
            else list(dict.fromkeys(words))
        )
        if not chosen:
            raise InputError("there is no word to induce: lower min_count, or name words")
        extractor = ContextExtractor(
            corpus, vectors, window=settings.window, drop_repeats=settings.drop_repeats
        )
        entries: list[WordSenses] = []
        skipped: list[SkippedWord] = []
        results = induce_batches(
            chosen, extractor, vectors, settings, workers, parts, show_progress
        )
        for result in results:
            if isinstance(result, WordSenses):
                entries.append(result)
            else:
                skipped.append(result)
        return cls(entries, skipped)

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._numbers

    def __getitem__(self, word: str) -> WordSenses:
        number = self._number(word)
        return entry_from_dict(json.loads(self._lines[number]), self.directions(word))

    def directions(self, word: str) -> NDArray[np.float32]:
        """(n_senses, dim) intersection directions of a word; cheaper than the whole entry."""
        number = self._number(word)
        return self._directions[self._offsets[number] : self._offsets[number + 1]]

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

    def save(self, folder: Path) -> None:
        """Write the inventory into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        sizes = [len(line) + 1 for line in self._lines]
        write_bytes(folder / "words.txt", "\n".join(self.words).encode())
        write_array(folder / "sense_offsets.npy", self._offsets)
        write_array(folder / "directions.npy", self._directions)
        write_bytes(folder / "entries.jsonl", b"".join(line + b"\n" for line in self._lines))
        write_array(
            folder / "entry_offsets.npy", np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        )
        write_bytes(
            folder / "skipped.tsv",
            "".join(f"{s.word}\t{s.reason}\n" for s in self.skipped).encode(),
        )

    @classmethod
    def load(cls, folder: Path) -> SenseInventory:
        """Open an inventory that `save` wrote, or a compact one; entries stay on disk."""
        if (folder / MANIFEST).exists():
            return cls._from_compact(read_compact_inventory(folder))
        text = read_bytes(folder / "words.txt").decode()
        words = text.split("\n") if text else []
        offsets = open_array(folder / "sense_offsets.npy", mapped=False)
        directions = open_array(folder / "directions.npy")
        ends = open_array(folder / "entry_offsets.npy", mapped=False)
        content = map_bytes(folder / "entries.jsonl")
        fits = (
            len(offsets) == len(words) + 1 == len(ends)
            and int(offsets[-1]) == len(directions)
            and int(ends[-1]) == len(content)
        )
        if not fits:
            raise ArtifactError(f"{folder} is truncated or damaged: run `grassmeans induce` again")
        lines = read_bytes(folder / "skipped.tsv").decode().split("\n")
        skipped = (line.split("\t", 1) for line in lines if line)
        inventory = cls.__new__(cls)
        inventory._setup(words, offsets, directions, tuple(SkippedWord(w, r) for w, r in skipped))
        inventory._lines = _StoredLines(content, ends)
        return inventory

    @classmethod
    def _from_compact(cls, found: CompactInventory) -> SenseInventory:
        inventory = cls.__new__(cls)
        offsets = np.concatenate([[0], np.cumsum(found.sense_counts)]).astype(np.int64)
        inventory._setup(found.words, offsets, found.directions, found.skipped)
        inventory._lines = found.lines
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

    def __init__(self, content: memoryview, offsets: NDArray[np.int64]) -> None:
        self._content = content
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, number):  # type: ignore[no-untyped-def]
        return bytes(self._content[self._offsets[number] : self._offsets[number + 1]])
