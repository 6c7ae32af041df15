"""The paper's kind of context: the subspace of the words around an occurrence."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from grassmeans.arrays import Doubles, Floats, Indices, Integers
from grassmeans.contexts.interface import (
    ContextEncoder,
    Numbers,
    OccurrenceSource,
    WordWeights,
    rank_places,
)
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.errors import InputError
from grassmeans.geometry.distances import SenseLines
from grassmeans.geometry.subspaces import principal_subspaces
from grassmeans.geometry.windows import FEW, ContextShape, count_words, gather_rows
from grassmeans.kernels import get_kernels
from grassmeans.kernels.arguments import OCCURRENCE_BLOCK, RunningText, SenseTable
from grassmeans.kernels.devices import check_device
from grassmeans.vectors.word_vectors import WordVectors

_AT_ONCE_ON_CPU, _AT_ONCE_ON_DEVICE = 64 * OCCURRENCE_BLOCK, 2048 * OCCURRENCE_BLOCK
_WORTH_SENDING = 4096  # contexts; for fewer a GPU would wait for the words' vectors
_AT_ONCE = 1024  # contexts whose words' vectors are held at once
_DEPENDENT = 1e-6  # of the largest eigenvalue: what is smaller is rounding


class SubspaceEncoder(ContextEncoder):
    """S(c): the rank-N subspace of a context's word vectors (algorithm 1)."""

    kind = "subspaces"

    def __init__(
        self, vectors: WordVectors, shape: ContextShape, function_words: frozenset[str]
    ) -> None:
        super().__init__(vectors, shape, function_words)
        self.fewest_words = shape.fewest_words  # with fewer known ones a context says nothing
        self._prepared: tuple[SenseLines, SenseTable] | None = None

    def use_device(self, device: str) -> None:
        """Compute on a GPU from now on ("cuda"), or on the CPU again; few contexts always there."""
        check_device(device)
        self.device = device
        self._prepared = None

    def hearing_single_words(self) -> SubspaceEncoder:
        """The same, with contexts of one known word or more: lines and planes of lower rank."""
        other = copy(self)
        other.fewest_words, other._prepared = 1, None
        return other

    def identity(self) -> Any:
        """Nothing beside the vectors and the shape."""
        return None

    def encode(self, occurrences: Occurrences) -> Floats:
        """(n, rank, dim) bases of the contexts' subspaces."""
        return self.span(self.describing_words(occurrences))

    def encode_at(self, source: OccurrenceSource, positions: Indices) -> Floats:
        """(n, rank, dim) bases of the contexts at positions, those of all shards together."""
        return self.span(self.describe_at(source, positions))

    def encode_unordered(self, source: OccurrenceSource, positions: Indices) -> Floats:
        """(n, rank, dim) bases of contexts in any order; their words are sorted, not the bases."""
        order = np.argsort(positions, kind="stable")
        return self.span(self.describe_at(source, positions[order])[rank_places(order)])

    def span(self, context_ids: Integers) -> Floats:
        """(n, rank, dim) bases of contexts given as rows of the vectors."""
        bases = principal_subspaces(
            context_ids,
            self.vectors.vectors,
            self.shape.rank,
            weighting=self.shape.weighting,
            device="numpy" if len(context_ids) <= FEW else self._device_for(len(context_ids)),
        )
        bases[count_words(context_ids) < self.fewest_words] = 0.0
        return bases

    def _device_for(self, n_contexts: int) -> str:
        return self.device if n_contexts >= _WORTH_SENDING else "cpu"

    def measure(self, occurrences: Occurrences, words: Numbers, lines: SenseLines) -> Floats:
        """Distances to the senses; of many occurrences, without forming the bases."""
        if len(occurrences) <= FEW or self.shape.drop_repeats:
            return super().measure(occurrences, words, lines)
        device = self._device_for(len(occurrences))
        kernels = get_kernels(device)
        table = self._prepare_senses(lines, device)
        rows = self.rows_of(occurrences.words)
        text = RunningText(occurrences.tokens, occurrences.document_offsets, rows)
        targets = words.astype(np.int32)
        windows = kernels.find_windows(text, occurrences.positions, targets, self.shape.window)
        distances = np.empty((len(occurrences), lines.most_senses), np.float32)
        at_once = _AT_ONCE_ON_CPU if device == "cpu" else _AT_ONCE_ON_DEVICE
        for start in range(0, len(distances), at_once):
            part = slice(start, start + at_once)
            distances[part] = kernels.measure_windows(windows, part, table)
            poor = windows.context_sizes(part) < self.fewest_words
            if np.any(np.isnan(distances[part, 0]) & ~poor):
                wrong = "some vectors of the model hold NaN or infinity"
                raise InputError(f"{wrong}: train them again, or leave those words out")
        return distances

    def _prepare_senses(self, lines: SenseLines, device: str) -> SenseTable:
        """Senses as kernels take them; those on a device stay there for the next text."""
        if device != "cpu" and self._prepared is not None and self._prepared[0] is lines:
            return self._prepared[1]
        table = SenseTable(
            self.vectors.vectors,
            lines.directions,
            lines.offsets,
            self.shape.rank,
            self.shape.window,
            singular=self.shape.weighting == "singular",
            fewest=self.fewest_words,
        )
        table = get_kernels(device).prepare_senses(table)
        if device != "cpu":
            self._prepared = lines, table
        return table

    def weigh_words(self, occurrences: Occurrences, directions: Floats) -> WordWeights:
        """The share of each context word in the projection of the direction on the subspace."""
        places = self._places_of(occurrences)
        found: WordWeights = []
        for start in range(0, len(occurrences), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            rows = self.rows_of(occurrences.words)[occurrences.tokens[places[part]]]
            rows = np.where(places[part] >= 0, rows, -1)
            weights = weigh_context_words(
                rows, directions[part], self.vectors.vectors, self.shape.rank, self.shape.weighting
            )
            for where, shares in zip(places[part].tolist(), weights.tolist(), strict=True):
                pairs = zip(where, shares, strict=True)
                found.append([(place, share) for place, share in pairs if place >= 0])
        return found

    def _places_of(self, occurrences: Occurrences) -> Integers:
        """(n, 2 * window) positions of the words of each context, -1 where there is none."""
        tokens = np.asarray(occurrences.tokens)
        rows = self.rows_of(occurrences.words)
        # Every token is a word of its own here, so that what is gathered are positions.
        places = np.arange(len(tokens), dtype=np.int32)
        kept = np.where((tokens >= 0) & (rows[tokens] >= 0), places, np.int32(-1))
        by_place = Occurrences(places, occurrences.document_offsets, occurrences.positions, ())
        return gather_rows(by_place, kept, self.shape, tokens)

    def __getstate__(self) -> dict[str, Any]:
        # Workers have no GPU: it is used from one process.
        return super().__getstate__() | {"device": "cpu", "_prepared": None}


Encoder = SubspaceEncoder


def weigh_context_words(
    rows: Integers, directions: Floats, vectors: Floats, rank: int, weighting: str = "flat"
) -> Doubles:
    """(n_contexts, width) shares of context words in a direction's projection on the subspace.

    The words are ``rows`` (n_contexts, width) of the vectors, -1 where there is none, a direction
    a context. Let X = U S V' be the context's word vectors (a row a word), cut to the rank, and u
    the direction. The squared length of u's projection on the subspace is |V'u|^2, and as U has
    orthonormal columns it equals |U V'u|^2: a sum of one square per word. These squares, divided
    by their sum, are the weights: not negative, and 1 in all. With singular weighting, V'u is
    replaced by (S / s_1) V'u, as in the distances. Zeros where the projection is zero.
    """
    present = rows >= 0
    words = vectors[np.where(present, rows, 0)].astype(np.float64) * present[:, :, None]
    products = np.einsum("nwd,nd->nw", words, directions.astype(np.float64))
    # The eigenvectors of XX' are U, its eigenvalues S^2; V'u = U'(Xu) / S.
    squares, left = np.linalg.eigh(words @ words.swapaxes(1, 2))
    squares, left = squares[:, ::-1][:, :rank], left[:, :, ::-1][:, :, :rank]
    usable = squares > _DEPENDENT * np.maximum(squares[:, :1], np.finfo(float).tiny)
    sizes = np.sqrt(np.where(usable, squares, 1.0))
    inside = np.where(usable, np.einsum("nwr,nw->nr", left, products) / sizes, 0.0)
    if weighting == "singular":
        inside *= np.where(usable, sizes / sizes[:, :1], 0.0)
    shares = np.square(np.einsum("nwr,nr->nw", left, inside)) * present
    totals = shares.sum(axis=1, keepdims=True)
    return np.asarray(shares / np.where(totals > 0.0, totals, 1.0))
