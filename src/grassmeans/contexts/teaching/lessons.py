"""Lessons: passages of a text with what a transformer said of their words, kept on disk.

The text of a corpus is one long row of documents, a boundary between each two, cut into passages of
one length. What the teacher said of a word is as many numbers as there are axes, 8 bits each, and
one scale. Files hold some thousand passages each; a file is written at once, so that a teacher that
was interrupted goes on behind the last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Halves, Indices, Integers
from grassmeans.artifacts.checking import open_array
from grassmeans.artifacts.writing import write_array
from grassmeans.contexts.attention.reading import HELD_OUT_EVERY, MOST_HELD_OUT
from grassmeans.contexts.attention.stored import BOUNDARY_ID, N_SPECIAL, UNKNOWN_ID
from grassmeans.corpus.corpus import Corpus

FILE_PASSAGES = 1_024
FILES_AT_ONCE = 16
"""Whose passages are shuffled together: half a gigabyte."""

_SHUFFLED_AT_ONCE = 256
_IDS, _CODES, _SCALES = "ids", "codes", "scales"


@dataclass(frozen=True, slots=True)
class Lesson:
    """Passages with what was said of their words."""

    ids: Integers  # (n, passage) of the student's words
    codes: NDArray[np.int8]  # (n, passage, n_axes)
    scales: Halves  # (n, passage) of the codes; 0 where the teacher said nothing

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, part: slice | NDArray[Any]) -> Lesson:
        return Lesson(self.ids[part], self.codes[part], self.scales[part])

    @staticmethod
    def join(parts: Sequence[Lesson]) -> Lesson:
        """Several as one."""
        arrays = zip(*((part.ids, part.codes, part.scales) for part in parts), strict=True)
        return Lesson(*map(np.concatenate, arrays))


class Segment(NamedTuple):
    """Consecutive words of one document in a passage."""

    shard: int
    first: int  # position in the shard
    end: int
    slot: int  # of its first word, counted over all passages that were asked for


class PassagePlan:
    """Where the passages of a corpus are: the held-out documents of it, or all others, in a row.

    ``numbers`` (n_corpus_words,) are the student's words; -1 for others.
    """

    def __init__(self, corpus: Corpus, numbers: Integers, passage: int, held_out: bool) -> None:
        self.corpus = corpus
        self.passage = passage
        self._numbers = np.append(numbers, -1)
        offsets = [np.asarray(shard.document_offsets) for shard in corpus.shards]
        firsts = np.concatenate([o[:-1] for o in offsets])
        lengths = np.concatenate([np.diff(o) for o in offsets])
        shards = np.repeat(np.arange(len(offsets)), [len(o) - 1 for o in offsets])
        is_held_out = np.arange(len(firsts)) % HELD_OUT_EVERY == HELD_OUT_EVERY - 1
        chosen = is_held_out == held_out
        self._firsts, self._lengths, self._shards = firsts[chosen], lengths[chosen], shards[chosen]
        self._begins = np.cumsum(self._lengths + 1) - (self._lengths + 1)
        self.n_passages = -(-int((self._lengths + 1).sum()) // passage)
        if held_out:
            self.n_passages = min(self.n_passages, -(-MOST_HELD_OUT // passage))

    def segments(self, passages: Indices) -> list[Segment]:
        """What stands in some of the passages, one after the other."""
        found: list[Segment] = []
        for row, number in enumerate(passages.tolist()):
            start = number * self.passage
            end = start + self.passage
            document = int(np.searchsorted(self._begins, start, side="right")) - 1
            while document < len(self._begins) and self._begins[document] < end:
                begin = int(self._begins[document])
                first = max(start - begin, 0)
                last = min(end - begin, int(self._lengths[document]))
                if first < last:
                    place = int(self._firsts[document])
                    slot = row * self.passage + begin + first - start
                    shard = int(self._shards[document])
                    found.append(Segment(shard, place + first, place + last, slot))
                document += 1
        return found

    def read_ids(self, segments: Sequence[Segment], n_passages: int) -> Integers:
        """(n_passages, passage) the student's ids of segments, boundaries between them."""
        ids = np.full(n_passages * self.passage, BOUNDARY_ID, np.int32)
        for segment in segments:
            shard = self.corpus.shards[segment.shard]
            tokens = shard.read_tokens(segment.first, segment.end)
            known = self._numbers[tokens]
            part = slice(segment.slot, segment.slot + len(tokens))
            ids[part] = np.where(known >= 0, known + N_SPECIAL, UNKNOWN_ID)
        return ids.reshape(n_passages, self.passage)


def choose_passages(n_passages: int, n_wanted: int) -> Indices:
    """(n,) numbers of so many passages, spread evenly over all of them."""
    n = min(n_passages, n_wanted)
    return np.arange(n) * n_passages // max(n, 1)


class LessonFiles:
    """The lessons of one corpus in a folder."""

    def __init__(self, folder: Path, n_passages: int, passage: int, n_axes: int) -> None:
        self.folder = folder
        self.n_passages = n_passages
        self.passage = passage
        self.n_axes = n_axes
        self.n_files = -(-n_passages // FILE_PASSAGES)

    def rows_of(self, number: int) -> slice:
        """The passages of a file."""
        start = number * FILE_PASSAGES
        return slice(start, min(start + FILE_PASSAGES, self.n_passages))

    def _place(self, number: int, what: str) -> Path:
        return self.folder / f"{number:05d}.{what}.npy"

    def is_written(self, number: int) -> bool:
        """Whether a file is there already; its scales come last."""
        return self._place(number, _SCALES).exists()

    def write(self, number: int, lesson: Lesson) -> None:
        """Write a file."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for what in (_IDS, _CODES, _SCALES):
            write_array(self._place(number, what), getattr(lesson, what))

    def read(self, number: int) -> Lesson:
        """The passages of a file, mapped into memory."""
        rows = self.rows_of(number)
        shape = (rows.stop - rows.start, self.passage)
        return Lesson(
            open_array(self._place(number, _IDS), np.int32, shape),
            open_array(self._place(number, _CODES), np.int8, (*shape, self.n_axes)),
            open_array(self._place(number, _SCALES), np.float16, shape),
        )


class LessonReader:
    """Gives the lessons of one corpus, epoch by epoch, in an order of the epoch's own.

    Some files at a time are read into memory, and their passages shuffled. Those that are kept back
    are never trained on.
    """

    def __init__(self, trained: LessonFiles, kept_back: LessonFiles, seed: int) -> None:
        self._trained = trained
        self._kept_back = kept_back
        self._seed = seed
        self.passage = trained.passage
        self.n_passages = trained.n_passages

    def batches(self, n_passages: int, first_batch: int = 0) -> Iterator[Lesson]:
        """Batches of so many passages without end, over the ends of epochs."""
        epoch, skip = divmod(first_batch * n_passages, self.n_passages)
        pending: list[Lesson] = []
        n_pending = 0
        while True:
            for lesson in self._shuffled(epoch, skip):
                start = 0
                while start < len(lesson):
                    part = lesson[start : start + n_passages - n_pending]
                    pending.append(part)
                    start, n_pending = start + len(part), n_pending + len(part)
                    if n_pending == n_passages:
                        yield pending[0] if len(pending) == 1 else Lesson.join(pending)
                        pending, n_pending = [], 0
            epoch, skip = epoch + 1, 0

    def _shuffled(self, epoch: int, skip: int) -> Iterator[Lesson]:
        """The passages of an epoch but the first ones, some files of them at a time."""
        rng = np.random.default_rng([self._seed, epoch])
        files = rng.permutation(self._trained.n_files)
        for start in range(0, len(files), FILES_AT_ONCE):
            group = files[start : start + FILES_AT_ONCE].tolist()
            rows = [self._trained.rows_of(number) for number in group]
            order = rng.permutation(sum(part.stop - part.start for part in rows))
            if skip >= len(order):
                skip -= len(order)
                continue
            lesson = Lesson.join([self._trained.read(number) for number in group])
            for first in range(skip, len(order), _SHUFFLED_AT_ONCE):
                yield lesson[order[first : first + _SHUFFLED_AT_ONCE]]
            skip = 0

    def held_out(self) -> Lesson:
        """The passages that are never trained on."""
        files = self._kept_back
        parts = [files.read(number) for number in range(files.n_files)]
        return Lesson.join(parts) if parts else self._trained.read(0)[:0]
