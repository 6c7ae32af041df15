"""A labelled corpus whose senses are drawn anew in every epoch of a training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import Shard
from grassmeans.corpus.vocabulary import Vocabulary
from grassmeans.labelling.decoding import (
    Decoding,
    LexemeIds,
    draw_senses,
    order_lexemes,
    read_probabilities,
)
from grassmeans.labelling.measuring import StoredDistances, open_distances
from grassmeans.labelling.targets import Targets, read_targets

_ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True, eq=False)
class SoftShard:
    """A shard whose labelled tokens are drawn when they are read."""

    shard: Shard
    number: int
    targets: Targets
    ids: LexemeIds
    decoding: Decoding

    @cached_property
    def _stored(self) -> StoredDistances:
        return open_distances(self.shard.folder, len(self.shard.tokens), self.targets.max_senses)

    @property
    def document_offsets(self) -> NDArray[np.int64]:
        """(n_documents + 1,) where each document begins, and the end."""
        return self.shard.document_offsets

    def read_tokens(self, start: int, end: int, epoch: int = 0) -> NDArray[np.int32]:
        """The lexeme ids of the positions ``start:end``, drawn for this epoch.

        The draw depends on the epoch, the shard and ``start`` only: not on threads, and not on
        what was read before.
        """
        labelled = np.asarray(self.shard.tokens[start:end])
        first, last = (int(i) for i in np.searchsorted(self._stored.positions, (start, end)))
        words, probabilities = read_probabilities(
            self.shard, self._stored, slice(first, last), self.targets, self.decoding.sharpness
        )
        seed = [self.decoding.random_state, epoch, self.number, start]
        draws = np.random.default_rng(np.random.SeedSequence(seed)).random(last - first)
        senses = draw_senses(probabilities, self.targets.n_senses[words], draws)
        tokens: NDArray[np.int32] = self.ids.plain[labelled]
        places = self._stored.positions[first:last] - start
        tokens[places] = self.ids.lexemes[words, senses]
        return tokens


class SoftCorpus:
    """A labelled corpus for `SkipGram.fit` in which every epoch draws the senses anew.

    Parameters
    ----------
    labelled : Corpus
        From `label_corpus`, of either decoding: only its distances are used.
    sharpness : float, optional
        The labelled corpus's own by default.

    Attributes
    ----------
    vocabulary : Vocabulary
        Lexeme keys with their expected counts, rounded, most frequent first. A sense that is
        expected less than half a time has the count 0.
    """

    def __init__(
        self, labelled: Corpus, *, sharpness: float | None = None, random_state: int = 0
    ) -> None:
        self._corpus = labelled
        self._targets = read_targets(labelled)
        if sharpness is None:
            sharpness = float(labelled.manifest["labelled"]["sharpness"])
        self._decoding = Decoding("soft", sharpness=sharpness, random_state=random_state)

    def __repr__(self) -> str:
        return f"SoftCorpus({str(self._corpus.path)!r}, sharpness={self._decoding.sharpness})"

    @cached_property
    def expected_counts(self) -> NDArray[np.float64]:
        """(n_words, most senses) how often each sense of each word is expected."""
        shape = (len(self._targets.words), self._targets.max_senses)
        expected = np.zeros(shape)
        for shard in self._corpus.shards:
            stored = open_distances(shard.folder, len(shard.tokens), shape[1])
            for start in range(0, len(stored), _ROWS_AT_ONCE):
                part = slice(start, min(start + _ROWS_AT_ONCE, len(stored)))
                words, probabilities = read_probabilities(
                    shard, stored, part, self._targets, self._decoding.sharpness
                )
                for k in range(shape[1]):
                    expected[:, k] += np.bincount(words, probabilities[:, k], shape[0])
        return expected

    @cached_property
    def _ordered(self) -> tuple[Vocabulary, LexemeIds]:
        counts = np.zeros((len(self._targets.words), self._targets.max_senses + 1), np.int64)
        counts[:, 1:] = np.rint(self.expected_counts)
        # The senses of words that do not occur here, and "I don't know", get no key.
        counts[:, 1:][self.expected_counts == 0.0] = -1
        counts[:, 0] = -1
        return order_lexemes(self._corpus, self._targets, counts, smallest=0)

    @property
    def vocabulary(self) -> Vocabulary:
        """The lexeme keys with their expected counts."""
        return self._ordered[0]

    @cached_property
    def shards(self) -> Sequence[SoftShard]:
        """The tokens."""
        ids = self._ordered[1]
        return [
            SoftShard(shard, number, self._targets, ids, self._decoding)
            for number, shard in enumerate(self._corpus.shards)
        ]
