"""The words of a corpus, most frequent first, with their counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import open_array, write_array, write_bytes
from grassmeans.errors import ArtifactError, InputError

UNKNOWN = -1
_WORDS = "words.txt"
_COUNTS = "counts.npy"


class Vocabulary:
    """Words with ids 0, 1, 2, ... in order of falling count (ties in code-point order).

    Because of the order, cutting the vocabulary at a count or a size keeps all smaller ids as they
    are: row ``i`` of vectors trained on a corpus belongs to word ``i`` of its vocabulary.
    """

    def __init__(self, words: Sequence[str], counts: NDArray[np.int64]) -> None:
        if len(words) != len(counts):
            raise InputError(f"a vocabulary of {len(words)} words cannot have {len(counts)} counts")
        self.words = words
        self.counts = counts

    @classmethod
    def from_counts(cls, counts: Mapping[str, int], *, max_size: int | None = None) -> Vocabulary:
        """Order counted words; keep the ``max_size`` most frequent."""
        ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:max_size]
        return cls(
            [word for word, _ in ordered],
            np.fromiter((count for _, count in ordered), dtype=np.int64, count=len(ordered)),
        )

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def id_of(self, word: str) -> int:
        """The word's id, or `UNKNOWN`."""
        return self._ids.get(word, UNKNOWN)

    def ids_of(self, words: Iterable[str]) -> NDArray[np.int32]:
        """The words' ids, `UNKNOWN` where a word is not in the vocabulary."""
        ids = self._ids
        return np.fromiter((ids.get(word, UNKNOWN) for word in words), dtype=np.int32)

    def count_of(self, word: str) -> int:
        """How often the word occurs; 0 where it is unknown."""
        i = self.id_of(word)
        return 0 if i == UNKNOWN else int(self.counts[i])

    def size_at(self, min_count: int) -> int:
        """How many words occur at least ``min_count`` times; they have the smallest ids."""
        return int(np.searchsorted(-np.asarray(self.counts), -min_count, side="right"))

    def save(self, folder: Path) -> None:
        """Write the words, one a line, and the counts."""
        broken = next((word for word in self.words if "\n" in word), None)
        if broken is not None:
            raise InputError(f"a word cannot hold a line break, found {broken!r}")
        write_bytes(folder / _WORDS, "\n".join(self.words).encode())
        write_array(folder / _COUNTS, np.asarray(self.counts, dtype=np.int64))

    @classmethod
    def load(cls, folder: Path) -> Vocabulary:
        """Read what `save` wrote."""
        try:
            text = (folder / _WORDS).read_bytes().decode()
        except (FileNotFoundError, UnicodeDecodeError) as error:
            raise ArtifactError(
                f"{folder / _WORDS} is missing or damaged: build it again"
            ) from error
        counts = open_array(folder / _COUNTS, mapped=False)
        words = text.split("\n") if text or len(counts) else []
        if len(words) != len(counts):
            raise ArtifactError(
                f"{folder} is damaged: {len(words)} words but {len(counts)} counts; build it again"
            )
        return cls(words, counts)
