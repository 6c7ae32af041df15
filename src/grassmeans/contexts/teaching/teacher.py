"""The teacher: a transformer that reads a text once, and what is kept of what it says.

Of a word's vector most is the word itself, whatever stands around it. What a student is to learn is
how the vector *differs from the word's mean*: the axes that are kept are the main ones of these
deviations within words, levelled in part, as those of predictions are. The means are taken off when
the whole text was read (`measure_means`).
"""

from __future__ import annotations

import contextlib
import logging
import math
import re
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats, Indices, Integers
from grassmeans.artifacts.writing import digest_of
from grassmeans.contexts.attention.levelling import EXPONENT
from grassmeans.contexts.attention.reading import TrainingText
from grassmeans.contexts.attention.scopes import choose_group_sizes
from grassmeans.contexts.attention.stored import N_SPECIAL
from grassmeans.contexts.pretrained.lines import Projection, fix_signs
from grassmeans.contexts.pretrained.network import ModelHead, PieceBatch, Pieces
from grassmeans.contexts.pretrained.running import TorchNetwork
from grassmeans.contexts.teaching.lessons import (
    FILE_PASSAGES,
    Lesson,
    LessonFiles,
    LessonReader,
    PassagePlan,
    choose_passages,
    round_rows,
)
from grassmeans.corpus.occurrences import Span
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.engines.parallel import map_tasks
from grassmeans.errors import InputError, warn_user
from grassmeans.progress import progress_bar
from grassmeans.text.sentences import find_sentences

MOST_AXES = 256
DEFAULT_DISK = 20.0  # gigabytes of what the teacher said, at most
FUNCTION_WEIGHT = 0.1  # of a function word, beside 1 of any other word, in axes and losses
_SAMPLE_PASSAGES, _SAMPLE_SHARE, _FEWEST_SAMPLED, _SAMPLE_PARTS = 2_000, 0.1, 64, 8
_FEWEST_IN_SAMPLE = 4
_FEWEST_TOGETHER = 4  # words of a document that a teacher reads by themselves
_MOST_NUMBERS = 2**15  # of what is read together; a passage has far fewer
_PIECES_AT_ONCE = 65_536
_WRITERS = 2
_AXES = "axes.npy"
_READ_AS = "pages and sentences"  # what was read otherwise is read anew
_KEPT_FREE = 1.05  # of the disk, beside what is written
_MOST_UNKNOWN, _MOST_PIECES = 0.02, 2.5
"""Share of unknown pieces, and pieces a word, from which on a teacher's language is doubted: texts
in their own language have 1.1 to 1.6 pieces a word."""

_LOG = logging.getLogger(__name__)
_LICENCE = re.compile(r"^licen[cs]e:\s*(\S+)\s*$", re.MULTILINE)
_Task = tuple[int, int, int]


@dataclass(frozen=True)
class Teacher:
    """A transformer that is to teach.

    Parameters
    ----------
    source : str
        Its folder, or its name on the hub.
    layers : str, optional
        "7-9": the mean of these; without it 7 to 9 of 12, and so on.
    disk : float
        Gigabytes for what it says, at most: of a longer text some passages are read.
    cache : path, optional
        Folder where that is kept for the next training; without it, it is gone after this one.
    """

    source: str
    layers: str | None = None
    disk: float = DEFAULT_DISK
    cache: str | Path | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.disk, int | float) or not 0 < self.disk < math.inf:
            raise InputError(f"the disk space must be some gigabytes, above 0; got {self.disk!r}")

    @cached_property
    def head(self) -> ModelHead:
        """What is known of it before its weights are loaded."""
        return ModelHead(self.source, self.layers)

    @property
    def n_axes(self) -> int:
        """Numbers that are kept of a vector."""
        return min(MOST_AXES, self.head.dim)

    def describe(self) -> dict[str, Any]:
        """What an encoder's folder tells of it."""
        layers, licence = ",".join(map(str, self.head.layers)), find_licence(self.source)
        about = {"source": self.source, "layers": layers}
        return about | {"digest": self.head.digest, "licence": licence}


def find_licence(source: str) -> str | None:
    """What the card in a transformer's folder says; None where nothing is known."""
    card = Path(source) / "README.md"
    if not card.is_file():
        return None
    found = _LICENCE.search(card.read_text("utf-8", "replace"))
    return found[1] if found else None


class Heard(NamedTuple):
    """What a worker has prepared of some passages."""

    ids: Integers  # (n_passages, passage) the student's
    scopes: NDArray[np.int16]  # (n_passages, passage) what was read together, by its number
    batches: list[PieceBatch]
    slots: Indices  # (n_words,) where the words of all batches stand among the passages


@lru_cache(maxsize=1)
def _open_pieces(source: str) -> Pieces:
    return ModelHead(source).pieces


class Reading(NamedTuple):
    """What a teacher reads by itself: a stretch of a document, or some sentences of it."""

    text: str
    spans: list[Span]  # of its words
    slot: int  # of its first word, as in `Segment`


def cut_passages(
    plan: PassagePlan, passages: Indices, source: str, batch_size: int, seed: int = 0
) -> Heard:
    """Passages as the student and as the teacher read them; runs in a worker.

    Of half of them the teacher reads sentences (`grassmeans.contexts.attention.scopes`).
    """
    segments = plan.segments(passages)
    ids = plan.read_ids(segments, len(passages))
    shards, tokenizer = plan.corpus.shards, plan.corpus.text_tokenizer
    sizes = choose_group_sizes(passages, seed)
    readings: list[Reading] = []
    for s in segments:
        text, spans = shards[s.shard].read_stretch(s.first, s.end, tokenizer)
        whole = Reading(text, spans, s.slot)
        n_sentences = sizes[s.slot // plan.passage]
        readings += group_sentences(whole, n_sentences) if n_sentences else [whole]
    scopes = np.zeros(ids.size, np.int16)
    for number, reading in enumerate(readings):  # of two in a passage no numbers are the same
        scopes[reading.slot : reading.slot + len(reading.spans)] = number % _MOST_NUMBERS
    pieces = _open_pieces(source)
    cut = pieces.cut([reading.text for reading in readings])
    batches, slots = [], [np.empty(0, np.int64)]
    for rows in split_by_length([len(found.ids) for found in cut], batch_size):
        batches.append(pieces.batch([cut[i] for i in rows], [readings[i].spans for i in rows]))
        slots += [readings[i].slot + np.arange(len(readings[i].spans)) for i in rows]
    return Heard(ids, scopes.reshape(ids.shape), batches, np.concatenate(slots))


def group_sentences(whole: Reading, n_together: int) -> list[Reading]:
    """So many sentences of a stretch together, and more where these have few words."""
    words = [first for first, _ in whole.spans]
    starts = find_sentences(whole.text)[n_together::n_together]
    begins, firsts = [0], [0]
    for begin, first in zip(starts, np.searchsorted(words, starts).tolist(), strict=True):
        if first - firsts[-1] >= _FEWEST_TOGETHER <= len(words) - first:
            begins.append(begin)
            firsts.append(first)
    ends, lasts = [*begins[1:], len(whole.text)], [*firsts[1:], len(words)]
    found: list[Reading] = []
    for begin, end, first, last in zip(begins, ends, firsts, lasts, strict=True):
        spans = [(start - begin, stop - begin) for start, stop in whole.spans[first:last]]
        found.append(Reading(whole.text[begin:end].rstrip(), spans, whole.slot + first))
    return found


def split_by_length(lengths: Sequence[int], most: int) -> Iterator[list[int]]:
    """Texts of like length together, at most so many, and not too many pieces with the padding."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    start = 0
    while start < len(order):
        fitting = _PIECES_AT_ONCE // max(lengths[order[start]], 1)
        end = start + max(1, min(most, fitting))
        yield order[start:end]
        start = end


class Listener:
    """Lets a teacher read what it has not read before, and keeps in a folder what it says."""

    def __init__(
        self,
        teacher: Teacher,
        text: TrainingText,
        passage: int,
        folder: Path,
        device: str,
        workers: int | None = None,
        show_progress: bool | None = None,
    ) -> None:
        self.teacher, self.text = teacher, text
        self._device, self._workers, self._show = device, workers, show_progress
        head = teacher.head
        digests = [corpus.manifest["digest"] for corpus in text.corpora]
        identity = [digests, text.shares.tolist(), text.words, passage, head.digest, head.layers]
        identity += [_READ_AS]
        self.folder = folder / digest_of([*identity, teacher.disk])
        self._plans = [
            [PassagePlan(corpus, numbers, passage, held_out) for held_out in (False, True)]
            for corpus, numbers in zip(text.corpora, text.numbers, strict=True)
        ]
        self._bytes_a_passage = passage * (teacher.n_axes + 8)
        self._seconds_a_token = math.nan  # known when a sample was read

    @cached_property
    def network(self) -> TorchNetwork:
        """The teacher's network, loaded where there is something left to read.

        In bfloat16 where that is fast: what it says is rounded to 8 bits anyway.
        """
        from grassmeans.contexts.attention.network import choose_dtype

        dtype = choose_dtype(self._device)
        return TorchNetwork(self.teacher.head, self._device, dtype=dtype)

    @cached_property
    def files(self) -> list[list[LessonFiles]]:
        """For each corpus, what is trained on and what is held out."""
        most, n_axes = int(self.teacher.disk * 1e9 / self._bytes_a_passage), self.teacher.n_axes
        found = []
        for i, (trained, held_out) in enumerate(self._plans):
            wanted = max(1, math.ceil(most * float(self.text.shares[i])))
            sizes = (min(trained.n_passages, wanted), held_out.n_passages)
            places = [self.folder / f"{i}-{name}" for name in ("trained", "held-out")]
            both = zip(places, sizes, strict=True)
            found.append([LessonFiles(*one, trained.passage, n_axes) for one in both])
        return found

    def prepare(self, tell: Callable[[str], None] | None = None) -> None:
        """Let the teacher read a sample, where all was not read before, and tell what all takes."""
        tasks = self._missing()
        if not tasks:
            return
        n_bytes = self._check_disk(tasks)
        self._find_axes()
        if tell is not None:
            n_tokens = sum(len(rows) * plan.passage for plan, rows in map(self._passages_of, tasks))
            tell(describe_cost(n_tokens * self._seconds_a_token, n_bytes))

    def listen(self) -> list[LessonReader]:
        """Let the teacher read all that was not read before."""
        tasks = self._missing()
        if tasks:
            self._check_disk(tasks)
            self._read(tasks, self._find_axes())
        seeds = np.random.SeedSequence(0).generate_state(len(self.files)).tolist()
        pairs = zip(self.files, seeds, strict=True)
        return [LessonReader(trained, held_out, seed) for (trained, held_out), seed in pairs]

    @contextlib.contextmanager
    def listen_beside(self) -> Iterator[None]:
        """Let the teacher read while something else is done, on the same device, after `prepare`.

        A thread does so, which ends with what it does beside: at once where that fails. What it
        has not read is left to `listen`, which also tells why.
        """
        stopped = threading.Event()

        def read() -> None:
            try:
                if tasks := self._missing():
                    self._read(tasks, self._find_axes(), stopped)
            except Exception as error:  # `listen` meets it again
                _LOG.info("the teacher stopped reading beside the training: %s", error)

        with ThreadPoolExecutor(1) as thread:
            thread.submit(copy_context().run, read)
            try:
                yield
            except BaseException:
                stopped.set()
                raise

    def _missing(self) -> list[_Task]:
        """The files that are not written yet: of which corpus, trained on or held out, which."""
        return [
            (i, kind, number)
            for i, kinds in enumerate(self.files)
            for kind, files in enumerate(kinds)
            for number in range(files.n_files)
            if not files.is_written(number)
        ]

    def _passages_of(self, task: _Task) -> tuple[PassagePlan, Indices]:
        """The passages of a file."""
        i, kind, number = task
        files, plan = self.files[i][kind], self._plans[i][kind]
        return plan, choose_passages(plan.n_passages, files.n_passages)[files.rows_of(number)]

    def _check_disk(self, tasks: Sequence[_Task]) -> int:
        """Bytes that are needed; refuses where there is no room for them."""
        needed = len(tasks) * FILE_PASSAGES * self._bytes_a_passage
        self.folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(self.folder).free
        if needed * _KEPT_FREE > free:
            raise InputError(
                f"what the teacher says needs {needed / 1e9:.1f} GB, and {self.folder.parent} has "
                f"{free / 1e9:.1f} GB free: give another place (cache=...) or less room (disk=...)"
            )
        return needed

    def _find_axes(self) -> Projection:
        if (self.folder / _AXES).exists():
            return Projection.open(self.folder, _AXES)
        found = self._fit_axes()
        found.save(self.folder, _AXES)
        return found

    def _fit_axes(self) -> Projection:
        """Axes of a sample of all corpora; a remark where the teacher hardly knows the language."""
        ids, vectors, times, sizes, unknown, n_pieces = [], [], [], [], 0, 0
        no_piece = self.teacher.head.pieces.unknown
        n_read = sum(trained.n_passages for trained, _ in self.files)
        n_sampled = min(_SAMPLE_PASSAGES, max(_SAMPLE_SHARE * n_read, _FEWEST_SAMPLED))
        parts = []
        for i, (plan, _) in enumerate(self._plans):
            wanted = math.ceil(n_sampled * float(self.text.shares[i]))
            chosen = choose_passages(plan.n_passages, wanted)
            size = -(-len(chosen) // _SAMPLE_PARTS)
            parts += [(plan, chosen[s : s + size]) for s in range(0, len(chosen), size)]
        for heard, said in self._hear(parts):
            rows = said.cpu().numpy()
            times.append(time.perf_counter())
            sizes.append(heard.ids.size)
            is_said = rows.any(axis=1)
            ids.append(heard.ids.reshape(-1)[heard.slots[is_said]])
            vectors.append(rows[is_said])
            unknown += sum(int((b.ids == no_piece).sum()) for b in heard.batches)
            n_pieces += sum(int(b.lengths.sum()) for b in heard.batches)
        # Without the first parts, before which workers and the network had to start.
        if n_timed := sum(sizes[len(sizes) // 2 + 1 :]):
            self._seconds_a_token = (times[-1] - times[len(times) // 2]) / n_timed
        words, rows = np.concatenate(ids), np.concatenate(vectors)
        if doubt := describe_doubt(unknown, n_pieces, len(words)):
            warn_user(f"is the teacher {self.teacher.source} for another language? {doubt}")
        return fit_axes(words, rows, weigh_words(self.text), self.teacher.n_axes)

    def _hear(self, tasks: Sequence[tuple[PassagePlan, Indices]]) -> Iterator[tuple[Heard, Any]]:
        """What was cut, and (n_words, dim) vectors on the device; zeros for what is cut off."""
        import torch

        given = ((plan, rows, self.teacher.source, self.network.batch_size) for plan, rows in tasks)
        nothing = torch.empty((0, self.network.dim), device=self._device)
        for heard in map_tasks(cut_passages, given, self._workers):
            with torch.inference_mode():
                said = [self.network.run_here(batch) for batch in heard.batches]
                yield heard, torch.cat(said) if said else nothing

    def _read(
        self, tasks: Sequence[_Task], axes: Projection, stopped: threading.Event | None = None
    ) -> None:
        """Let the teacher read what belongs into files, and write them.

        Beside other work, until it is ``stopped``, it has no bar.
        """
        import torch

        mean, turn = (torch.from_numpy(a).to(self._device) for a in (axes.mean, axes.axes.T.copy()))
        given = [self._passages_of(task) for task in tasks]
        n_tokens = sum(len(rows) * plan.passage for plan, rows in given)

        def write(task: _Task, heard: Heard, rows: Sequence[Any]) -> int:
            i, kind, number = task
            codes, scales = (found.cpu().numpy() for found in rows)
            shape = heard.ids.shape
            told = codes.reshape(*shape, -1), scales.reshape(shape)
            lesson = Lesson(heard.ids, heard.scopes, *told)
            self.files[i][kind].write(number, lesson)
            return heard.ids.size

        waiting: deque[Future[int]] = deque()
        show = self._show if stopped is None else False
        is_beside = stopped is not None and self._device == "cuda"
        stream = torch.cuda.Stream() if is_beside else None  # so that neither waits for the other
        with (
            torch.cuda.stream(stream),
            progress_bar("teacher", n_tokens, unit="tokens", show=show) as advance,
            ThreadPoolExecutor(_WRITERS) as writers,
        ):
            for task, (heard, said) in zip(tasks, self._hear(given), strict=True):
                if stopped is not None and stopped.is_set():
                    return
                with torch.inference_mode():
                    told = round_rows((said - mean) @ turn * said.any(dim=1, keepdim=True))
                    slots = torch.from_numpy(heard.slots).to(self._device)
                    # Laid out here: NumPy would keep the other threads waiting meanwhile.
                    rows = [
                        found.new_zeros((heard.ids.size, *found.shape[1:])).index_copy_(
                            0, slots, found
                        )
                        for found in told
                    ]
                if stream is not None:
                    stream.synchronize()  # writers read in the order of another one
                waiting.append(writers.submit(write, task, heard, rows))
                while len(waiting) > _WRITERS:
                    advance(waiting.popleft().result())
            while waiting:
                advance(waiting.popleft().result())


def describe_cost(seconds: float, n_bytes: float) -> str:
    """What a teacher's reading takes, in words; how long is left out where nobody knows (NaN)."""
    room = f"what the teacher says takes {n_bytes / 1e9:.1f} GB"
    if math.isnan(seconds):
        return room
    hours, minutes = divmod(round(seconds / 60), 60)
    taken = f"{hours} h {minutes} min" if hours else f"{max(minutes, 1)} min"
    return f"{room}, and it reads for about {taken}"


def describe_doubt(n_unknown: int, n_pieces: int, n_words: int) -> str:
    """Why a teacher seems to be for another language; empty where it does not."""
    share, pieces = n_unknown / max(n_pieces, 1), n_pieces / max(n_words, 1)
    if share > _MOST_UNKNOWN:
        return f"{share:.0%} of the text's pieces are unknown to it"
    if pieces > _MOST_PIECES:
        return f"it cuts a word into {pieces:.1f} pieces"
    return ""


def weigh_words(text: TrainingText) -> Floats:
    """(n_ids,) how much the places of each id count: function words little, no word nothing."""
    left_out = text.function_words
    weights = [FUNCTION_WEIGHT if is_function_word(w, left_out) else 1.0 for w in text.words]
    return np.array([0.0] * N_SPECIAL + weights, np.float32)


def fit_axes(ids: Integers, vectors: Floats, weights: Floats, n_axes: int) -> Projection:
    """The main axes of how vectors (n, dim) differ from the mean of their word, levelled in part.

    ``ids`` (n,) are the student's, and weights (n_ids,) those of words.
    """
    mean = vectors.mean(axis=0, dtype=np.float64)
    counts = np.bincount(ids, minlength=len(weights))
    used = np.flatnonzero((counts[ids] >= _FEWEST_IN_SAMPLE) & (ids >= N_SPECIAL))
    if len(used) < 2 * vectors.shape[1]:
        raise InputError(
            "the text is too small for a teacher: no word of it occurs often enough; give more text"
        )
    order = used[np.argsort(ids[used], kind="stable")]
    words, starts, sizes = np.unique(ids[order], return_index=True, return_counts=True)
    centred = vectors[order] - mean
    means = np.add.reduceat(centred, starts, axis=0) / sizes[:, None]
    centred -= np.repeat(means, sizes, axis=0)
    # A mean of few takes some of the deviation with it.
    shares = np.repeat(weights[words] * sizes / (sizes - 1), sizes)
    covariance = (centred * shares[:, None]).T @ centred / shares.sum()
    values, found = np.linalg.eigh(covariance)
    values, found = values[::-1][:n_axes], found[:, ::-1][:, :n_axes]
    scales = np.maximum(values, values[0] * 1e-9) ** (-EXPONENT / 2)
    axes = (found * scales).T
    axes /= math.sqrt(float((values * scales**2).sum()))  # a deviation has the length 1 or so
    return Projection(mean.astype(np.float32), fix_signs(axes))
