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

from grassmeans.arrays import Floats, Halves, Indices, Integers
from grassmeans.artifacts.checking import open_array
from grassmeans.artifacts.writing import write_array
from grassmeans.contexts.attention.reading import (
    HELD_OUT_EVERY,
    MOST_HELD_OUT,
    cut_batches,
    number_ids,
)
from grassmeans.contexts.attention.stored import BOUNDARY_ID, N_SPECIAL
from grassmeans.corpus.corpus import Corpus

SHRINKING = 5  # occurrences of the mean of all words that are added to those of a word for its mean
FILE_PASSAGES = 1_024
FILES_AT_ONCE = 16  # whose passages are shuffled together: half a gigabyte
_SHUFFLED_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Lesson:
    """Passages with what was said of their words."""

    ids: Integers  # (n, passage) of the student's words
    scopes: NDArray[np.int16]  # (n, passage) what each place was read with, by its number
    codes: NDArray[np.int8]  # (n, passage, n_axes)
    scales: Halves  # (n, passage) of the codes; 0 where the teacher said nothing

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, part: slice | NDArray[Any]) -> Lesson:
        return Lesson(self.ids[part], self.scopes[part], self.codes[part], self.scales[part])

    @staticmethod
    def join(parts: Sequence[Lesson]) -> Lesson:
        """Several as one."""
        arrays = zip(*((p.ids, p.scopes, p.codes, p.scales) for p in parts), strict=True)
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
        self._numbers = np.append(numbers, np.int32(-1))  # the last one: of no word
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
            ids[segment.slot : segment.slot + len(tokens)] = number_ids(self._numbers, tokens)
        return ids.reshape(n_passages, self.passage)


def choose_passages(n_passages: int, n_wanted: int) -> Indices:
    """(n,) numbers of so many passages, spread evenly over all of them."""
    n = min(n_passages, n_wanted)
    return np.arange(n) * n_passages // max(n, 1)


@dataclass(frozen=True)
class LessonFiles:
    """The lessons of one corpus in a folder."""

    folder: Path
    n_passages: int
    passage: int
    n_axes: int

    @property
    def n_files(self) -> int:
        """Files that there are, or will be."""
        return -(-self.n_passages // FILE_PASSAGES)

    def rows_of(self, number: int) -> slice:
        """The passages of a file."""
        start = number * FILE_PASSAGES
        return slice(start, min(start + FILE_PASSAGES, self.n_passages))

    def _place(self, number: int, what: str) -> Path:
        return self.folder / f"{number:05d}.{what}.npy"

    def is_written(self, number: int) -> bool:
        """Whether a file is there already; its scales come last."""
        return self._place(number, "scales").exists()

    def write(self, number: int, lesson: Lesson) -> None:
        """Write a file."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for what in ("ids", "scopes", "codes", "scales"):
            write_array(self._place(number, what), getattr(lesson, what))

    def read(self, number: int) -> Lesson:
        """The passages of a file, mapped into memory."""
        rows = self.rows_of(number)
        shape = (rows.stop - rows.start, self.passage)
        ids = open_array(self._place(number, "ids"), np.int32, shape)
        scopes = open_array(self._place(number, "scopes"), np.int16, shape)
        codes = open_array(self._place(number, "codes"), np.int8, (*shape, self.n_axes))
        scales = open_array(self._place(number, "scales"), np.float16, shape)
        return Lesson(ids, scopes, codes, scales)


class LessonReader:
    """Gives the lessons of one corpus, the passages of some files at a time shuffled."""

    def __init__(self, trained: LessonFiles, kept_back: LessonFiles, seed: int) -> None:
        self._trained = trained
        self._kept_back = kept_back
        self._seed = seed
        self.passage = trained.passage
        self.n_passages = trained.n_passages

    def batches(self, n_passages: int, first_batch: int = 0) -> Iterator[Lesson]:
        """Batches of so many passages without end, over the ends of epochs."""
        return cut_batches(self._shuffled, self.n_passages, n_passages, first_batch)

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


def round_rows(rows: Any) -> tuple[Any, Any]:
    """Rows (n, n_axes) of a tensor in 8 bits a number, and (n,) their scales; 0 for zeros."""
    import torch

    largest = rows.abs().amax(dim=1).clamp(max=6e4)
    scales = (largest / 127).half()
    steps = scales.float().clamp_min(1e-8)[:, None]
    codes = (rows / steps).round().clamp(-127, 127).to(torch.int8)
    return codes, scales


def measure_means(files: Sequence[Sequence[LessonFiles]], n_ids: int, device: str) -> Floats:
    """(n_ids, n_axes) what the teacher says of each word in the mean, rare words less."""
    import torch

    n_axes = files[0][0].n_axes
    sums = torch.zeros((n_ids, n_axes), device=device)
    counts = torch.zeros(n_ids, device=device)
    for trained, _ in files:
        for number in range(trained.n_files):
            lesson = trained.read(number)
            arrays = (lesson.ids, lesson.scales, lesson.codes)
            ids, scales, codes = (torch.from_numpy(np.array(a)).to(device) for a in arrays)
            ids, scales = ids.flatten().long(), scales.flatten().float()
            sums.index_add_(0, ids, codes.reshape(-1, n_axes).float() * scales[:, None])
            counts.index_add_(0, ids, (scales > 0).float())
    means = sums / (counts + SHRINKING)[:, None]
    means[:N_SPECIAL] = 0.0
    return np.asarray(means.cpu().numpy())
