"""What the kinds of context share whose lines a network of their own gives.

Texts are cut into passages at fixed places, so that an answer depends on the text alone; the
network gives a unit line for every place that is asked for, with NumPy and compiled kernels, or on
a GPU with PyTorch.
"""

from __future__ import annotations

import contextlib
import threading
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Booleans, Floats, Indices, Integers
from grassmeans.artifacts.checking import MANIFEST, damaged
from grassmeans.contexts import VECTORS_FOLDER
from grassmeans.contexts.attention.stored import N_SPECIAL, UNKNOWN_ID
from grassmeans.contexts.interface import (
    ContextEncoder,
    Numbers,
    OccurrenceSource,
    WordWeights,
    weigh_losses,
)
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.errors import InputError
from grassmeans.geometry.distances import SenseLines
from grassmeans.geometry.windows import FEW, ContextShape
from grassmeans.kernels.devices import check_device, one_blas_thread
from grassmeans.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from grassmeans.contexts.attention.inference import DeviceEncoder


FOLDER = "encoder"
_EPSILON = 1e-6
_PASSAGES_AT_ONCE, _PASSAGES_ON_DEVICE = 128, 16_384
_LINES_AT_ONCE = 500_000
_SMALL = 1_024  # occurrences, some dozen sentences, up to which one thread multiplies


@dataclass(frozen=True, slots=True)
class Passages:
    """Stretches of text with the places to be encoded in them."""

    ids: Integers  # (n_passages, length) of the encoder's words; -1 fills up at the end
    offsets: Indices  # (n_passages + 1,) where the places of each passage begin, and the end
    places: Integers  # (n,)
    rows: Indices  # (n,) which occurrence each place is

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def words(self) -> Integers:
        """(n_passages, length) rows of the words' vectors; negative for what is no word."""
        return self.ids - N_SPECIAL

    @property
    def owners(self) -> Indices:
        """(n,) the passage of each place."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @property
    def lengths(self) -> Indices:
        """(n_passages,) how many words each has."""
        return np.asarray((self.ids >= 0).sum(axis=1), np.int64)


def cut_passages(
    occurrences: Occurrences, ids: Integers, length: int, own: int, at_once: int, first_row: int = 0
) -> Iterator[Passages]:
    """Cut documents at fixed places, so that an answer depends on the text alone.

    Passages overlap: of its ``length`` each has its ``own`` places in the middle, and as many on
    either side that belong to its neighbours. A short document is one passage. So many at once are
    given together; ``ids`` (n_words + 1,) has that of unknown words at its end.
    """
    margin = (length - own) // 2
    starts, ends = occurrences.document_bounds
    inside = occurrences.positions - starts
    whole = ends - starts <= length
    cells = np.where(whole, 0, inside // own)
    firsts = np.where(whole, starts, np.maximum(starts, starts + cells * own - margin))
    order = np.argsort(firsts, kind="stable")
    begins = np.flatnonzero(np.diff(firsts[order], prepend=-1))
    bounds = np.append(begins, len(order))
    for block in range(0, len(begins), at_once):
        edges = bounds[block : block + at_once + 1]
        rows = order[edges[0] : edges[-1]]
        heads = order[edges[:-1]]
        lasts = np.minimum(firsts[heads] + length, ends[heads])
        cut = firsts[heads, None] + np.arange(int((lasts - firsts[heads]).max()))
        there = cut < lasts[:, None]
        tokens = occurrences.tokens[np.where(there, cut, 0)]
        places = (occurrences.positions[rows] - firsts[rows]).astype(np.int32)
        found = np.where(there, ids[tokens], -1).astype(np.int32)
        yield Passages(found, edges - edges[0], places, rows + first_row)


def gather_passages(parts: Iterable[Passages], at_once: int) -> Iterator[Passages]:
    """The same passages, small groups of them put together."""
    pending: list[Passages] = []
    for part in parts:
        pending.append(part)
        if sum(map(len, pending)) >= at_once:
            yield _join(pending)
            pending = []
    if pending:
        yield _join(pending)


def _join(parts: Sequence[Passages]) -> Passages:
    if len(parts) == 1:
        return parts[0]
    length = max(part.ids.shape[1] for part in parts)
    ids = [np.pad(p.ids, ((0, 0), (0, length - p.ids.shape[1])), constant_values=-1) for p in parts]
    sizes = np.concatenate([np.diff(part.offsets) for part in parts])
    return Passages(
        np.concatenate(ids),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([part.places for part in parts]),
        np.concatenate([part.rows for part in parts]),
    )


class NetworkEncoder(ContextEncoder):
    """Lines from a network, whose words lie where contexts do that ask for them."""

    lines_have_ends = True
    worth_keeping = True
    space_is_fixed = True
    sharpness = 40.0  # between two senses lie a few hundredths of the distance
    idk_distance = None  # no distance of a network's line means the same in two corpora
    induction: ClassVar[Mapping[str, Any]] = {"max_contexts": 1_000}
    own_share: ClassVar[float] = 0.5
    """Of a passage: its middle, whose places are its own; the rest belongs to its neighbours."""

    def __init__(
        self,
        vectors: WordVectors,
        shape: ContextShape,
        function_words: frozenset[str],
        weights: Any,
    ) -> None:
        super().__init__(vectors, shape, function_words)
        self.weights = weights
        self.remark = "" if weights.training is None else weights.training.describe_lack()
        self.folder: Path | None = None
        self.device = "cpu"
        self._kept_ids: tuple[Sequence[str], Integers] | None = None
        self._sending = threading.Lock()
        self._sent_network: DeviceEncoder | None = None

    def use_device(self, device: str) -> None:
        """Encode on a GPU from now on, or on the CPU again, as pickled encoders of workers do."""
        check_device(device)
        self.device = device
        self._sent_network = None

    @property
    def network(self) -> DeviceEncoder:
        """The network on the device, sent there when it is first needed."""
        with self._sending:
            if self._sent_network is None:
                self._sent_network = self._send_network()
            return self._sent_network

    @abstractmethod
    def _send_network(self) -> DeviceEncoder:
        """The network on the device."""

    @abstractmethod
    def _predict(self, passages: Passages, hidden: Integers, kernels: str) -> Floats:
        """(n, n_axes) unit lines of the places of passages, by the kernels "numpy" or "cpu".

        ``hidden`` (n,) has for each place one of its passage that is not looked at; -1 for none.
        """

    @staticmethod
    @abstractmethod
    def _read_weights(folder: Path) -> Any:
        """The weights in a folder."""

    @staticmethod
    @abstractmethod
    def _write_weights(folder: Path, weights: Any, word_bits: int | None) -> None:
        """Write weights into a folder."""

    @property
    def _at_once(self) -> int:
        return _PASSAGES_AT_ONCE if self.device == "cpu" else _PASSAGES_ON_DEVICE

    def encode(self, occurrences: Occurrences) -> Floats:
        """(n, 1, dim) unit lines; zeros where there is no other word in the passage."""
        return self._encode(self._cut(occurrences), len(occurrences))

    def encode_at(self, source: OccurrenceSource, positions: Indices) -> Floats:
        """(n, 1, dim) lines of the occurrences at positions, those of several shards together."""
        parts = source.occurrences(positions)
        cuts = chain.from_iterable(self._cut(found, part.start) for part, found in parts)
        return self._encode(gather_passages(cuts, self._at_once), len(positions))

    def encode_unordered(self, source: OccurrenceSource, positions: Indices) -> Floats:
        """(n, 1, dim) lines of the occurrences at positions in any order, read in text order.

        Part by part to their places: lines of all words are never there twice.
        """
        order = np.argsort(positions, kind="stable")
        lines = np.empty((len(positions), 1, self.weights.n_axes), np.float32)
        for start in range(0, len(order), _LINES_AT_ONCE):
            rows = order[start : start + _LINES_AT_ONCE]
            lines[rows] = self.encode_at(source, positions[rows])
        return lines

    def reads_twice(self, n_contexts: int, n_tokens: int) -> bool:
        """Whether a passage for each context is more than all text, twice over."""
        own = int(self.weights.shape.passage * self.own_share)
        return n_contexts * own > 2 * n_tokens

    def measure(self, occurrences: Occurrences, words: Numbers, lines: SenseLines) -> Floats:
        """Distances of occurrences to the senses of their words, as `measure_senses` gives them."""
        if self.device == "cpu":
            return super().measure(occurrences, words, lines)
        distances = np.full((len(occurrences), lines.most_senses), np.nan, np.float32)
        passages = self._cut(occurrences)
        for rows, found in self.network.stream_distances(passages, words, lines):
            distances[rows] = found
        return distances

    def _find_heard(self, occurrences: Occurrences) -> Booleans:
        """(n,) which occurrences do not stand alone in their document."""
        starts, ends = occurrences.document_bounds
        return np.asarray(ends - starts > 1)

    def weigh_words(self, occurrences: Occurrences, directions: Floats) -> WordWeights:
        """How much each word of the passage, hidden in turn, brings the line to the direction."""
        found: WordWeights = []
        for i in range(len(occurrences)):
            one = occurrences[i : i + 1]
            (passages,) = self._cut(one)
            place, length = int(passages.places[0]), int(passages.lengths[0])
            others = [t for t in range(length) if t != place]
            hidden = np.array([-1, *others], np.int32)
            bounds, rows = np.array([0, len(hidden)], np.int64), np.arange(len(hidden))
            many = Passages(passages.ids, bounds, np.full_like(hidden, place), rows)
            squares = np.square(self._predict(many, hidden, "numpy") @ directions[i])
            start = int(one.positions[0]) - place
            found.append(weigh_losses([start + t for t in others], squares))
        return found

    def identity(self) -> Any:
        """A digest of the weights."""
        return self.weights.digest

    def save(self, folder: Path, bits: int | None = None) -> None:
        """Write the weights beside the vectors."""
        self._write_weights(folder / FOLDER, self.weights, bits)

    @classmethod
    def open(
        cls, folder: Path, vectors: WordVectors, shape: ContextShape, function_words: frozenset[str]
    ) -> Self:
        """Read the weights of a model, whose vectors are the encoder's."""
        weights = cls._read_weights(folder / FOLDER)
        n_words, n_axes, found = weights.shape.n_words, weights.n_axes, (len(vectors), vectors.dim)
        if found != (n_words, n_axes):
            expected = f"{n_words:,} words of {n_axes} dimensions"
            reason = f"its network is for {expected}, the vectors are {found}"
            raise damaged(folder / FOLDER / MANIFEST, reason)
        encoder = cls(vectors, shape, function_words, weights)
        encoder.folder = folder
        return encoder

    def ids_of(self, words: Sequence[str]) -> Integers:
        """(n_words + 1,) the encoder's ids of words; the last one is that of unknown words."""
        if self._kept_ids is not None and self._kept_ids[0] is words:
            return self._kept_ids[1]
        rows = self.vectors.ids_of(words)
        ids = np.append(np.where(rows >= 0, rows + N_SPECIAL, UNKNOWN_ID), UNKNOWN_ID)
        self._kept_ids = words, ids.astype(np.int32)
        return self._kept_ids[1]

    def _cut(self, occurrences: Occurrences, first_row: int = 0) -> Iterator[Passages]:
        ids, length = self.ids_of(occurrences.words), self.weights.shape.passage
        own = int(length * self.own_share)
        return cut_passages(occurrences, ids, length, own, self._at_once, first_row)

    def _encode(self, passages: Iterable[Passages], n: int) -> Floats:
        """(n, 1, dim) lines of the rows of passages."""
        lines = np.zeros((n, 1, self.weights.n_axes), np.float32)
        if self.device != "cpu":
            for rows, found in self.network.stream_lines(passages):
                lines[rows, 0] = found
        else:
            kernels = self._choose_kernels(n)
            with one_blas_thread() if n <= _SMALL else contextlib.nullcontext():
                for part in passages:
                    hidden = np.full(len(part.places), -1, np.int32)
                    lines[part.rows, 0] = self._predict(part, hidden, kernels)
        if not np.isfinite(lines.sum()):  # one number that is not finite is enough
            wrong = "some vectors of the encoder hold NaN or infinity"
            raise InputError(f"{wrong}: train it again, or leave those words out")
        return lines

    def _choose_kernels(self, n: int) -> str:
        """Those for so many occurrences: few go through NumPy, which has nothing to load."""
        return "numpy" if n <= FEW else "cpu"

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers read the folder, once, and keep what they have computed from task to task.
        if self.folder is not None and self.vectors.folder == self.folder / VECTORS_FOLDER:
            return _open_kept, (type(self), self.folder, self.shape, self.function_words)
        return type(self), (self.vectors, self.shape, self.function_words, self.weights)


@lru_cache(maxsize=2)
def _open_kept(
    kind: type[NetworkEncoder], folder: Path, shape: ContextShape, function_words: frozenset[str]
) -> NetworkEncoder:
    vectors = WordVectors.load(folder / VECTORS_FOLDER)
    return kind.open(folder, vectors, shape, function_words)


def normalise_rows(x: NDArray[Any]) -> Floats:
    """Rows (last axis) with a mean square of 1."""
    squares = np.einsum("...i,...i->...", x, x)[..., None] / x.shape[-1]
    normed: Floats = x / np.sqrt(squares + _EPSILON)
    return normed
