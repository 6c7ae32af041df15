"""Substitutes: the words that a learned encoder proposes in a context's place span its subspace.

The paper's subspaces are those of the words that stand around an occurrence. Here the words come
from a prediction instead: those nearest to the line of the learned encoder, which would fit in
the place of the word, weighted by how well they fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.contexts.interface import ContextEncoder, OccurrenceSource
from grassmeans.contexts.learned import LearnedEncoder
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.geometry.windows import ContextShape
from grassmeans.vectors.word_vectors import WordVectors

Floats = NDArray[np.float32]

N_SUBSTITUTES = 20
AMONG = 20_000
"""Substitutes are looked for among this many of the most frequent words."""

SHARPNESS = 10.0
"""Of the weights exp(sharpness * cosine)."""

RANK = 3
_AT_ONCE = 1_024


class SubstituteEncoder(ContextEncoder):
    """The subspace of the words that a learned encoder proposes.

    Parameters
    ----------
    base : LearnedEncoder
        What proposes them; its vectors are those of the words.
    """

    kind = "substitutes"
    space_is_fixed = True
    merge_cosine = 0.8
    worth_keeping = True
    induction: ClassVar[Mapping[str, Any]] = {"n_senses": "auto", "max_contexts": 1_000}

    def __init__(self, base: LearnedEncoder, rank: int = RANK) -> None:
        super().__init__(base.vectors, ContextShape(rank=rank), base.function_words)
        self.base = base
        self.remark = base.remark
        head = np.array(base.vectors.vectors[:AMONG], np.float32)
        lengths = np.linalg.norm(head, axis=1, keepdims=True)
        unit = head / np.where(lengths > 0.0, lengths, 1.0)
        self._candidates: Floats = unit.astype(np.float32)

    def use_device(self, device: str) -> None:
        """Where the learned encoder computes."""
        self.base.use_device(device)
        self.device = device

    def encode(self, occurrences: Occurrences) -> Floats:
        """(n, rank, dim) bases of the substitutes' subspaces."""
        own = self.vectors.ids_of(occurrences.words)
        return self._span(self.base.encode(occurrences)[:, 0], self._targets(occurrences, own))

    def encode_at(self, source: OccurrenceSource, positions: NDArray[np.int64]) -> Floats:
        """(n, rank, dim) bases of the occurrences at positions of a corpus."""
        lines = self.base.encode_at(source, positions)[:, 0]
        targets = np.full(len(positions), -1)
        for part, occurrences in source.occurrences(positions):
            targets[part] = self._targets(occurrences, self.vectors.ids_of(occurrences.words))
        return self._span(lines, targets)

    @staticmethod
    def _targets(occurrences: Occurrences, rows: NDArray[np.integer]) -> NDArray[np.integer]:
        """(n,) rows of the words themselves, which do not stand for themselves."""
        tokens = np.asarray(occurrences.tokens[occurrences.positions])
        return np.where(tokens >= 0, rows[tokens], -1)

    def _span(self, lines: Floats, targets: NDArray[np.integer]) -> Floats:
        rank, dim = self.shape.rank, self.vectors.dim
        bases = np.zeros((len(lines), rank, dim), np.float32)
        for start in range(0, len(lines), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            fits, chosen = self._propose(lines[part], targets[part])
            weights = np.exp(SHARPNESS * (fits - fits[:, :1]))
            words = self._candidates[chosen] * weights[:, :, None]
            _, sizes, rows = np.linalg.svd(words, full_matrices=False)
            # A direction counts as much as the words lie along it.
            bases[part] = rows[:, :rank] * (sizes[:, :rank] / sizes[:, :1])[:, :, None]
        bases[~lines.any(axis=1)] = 0.0
        return bases

    def _propose(
        self, lines: Floats, targets: NDArray[np.integer]
    ) -> tuple[Floats, NDArray[np.int64]]:
        """(n, N_SUBSTITUTES) cosines and rows of the words that fit best, best first."""
        fits = lines @ self._candidates.T
        known = np.flatnonzero((targets >= 0) & (targets < len(self._candidates)))
        fits[known, targets[known]] = -np.inf
        n = min(N_SUBSTITUTES, fits.shape[1] - 1)
        chosen = np.argpartition(-fits, n, axis=1)[:, :n]
        found = np.take_along_axis(fits, chosen, axis=1)
        order = np.argsort(-found, axis=1)
        return np.take_along_axis(found, order, 1), np.take_along_axis(chosen, order, 1)

    def weigh_words(
        self, occurrences: Occurrences, directions: Floats
    ) -> list[list[tuple[int, float]]]:
        """As the encoder that proposes them hears the words."""
        return self.base.weigh_words(occurrences, directions)

    def identity(self) -> Any:
        """That of the encoder that proposes them."""
        return self.base.identity()

    def save(self, folder: Path, bits: int | None = None) -> None:
        """Write the encoder that proposes them."""
        self.base.save(folder, bits)

    @classmethod
    def open(
        cls, folder: Path, vectors: WordVectors, shape: ContextShape, function_words: frozenset[str]
    ) -> SubstituteEncoder:
        """Read what `save` wrote."""
        line = ContextShape(rank=1)
        return cls(LearnedEncoder.open(folder, vectors, line, function_words), shape.rank)


Encoder = SubstituteEncoder
