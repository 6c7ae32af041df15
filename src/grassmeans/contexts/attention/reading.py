"""A corpus as passages for a training, however large it is.

An epoch is one long text: the documents of the corpus, a boundary between each two. Stretches of
consecutive documents come in an order of the epoch's own, the text is cut into passages of one
length, and the passages of some million tokens are shuffled. So no more than that is in memory, an
epoch holds every word once, and where it is cut differs from epoch to epoch. Everything depends on
the seed and the epoch's number alone: a training can be taken up anywhere.

Some documents are held out: they tell how well words are predicted that were never trained on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.contexts.attention.stored import BOUNDARY_ID, N_SPECIAL, UNKNOWN_ID
from grassmeans.vectors.training import TokenShard

HELD_OUT_EVERY = 40
MOST_HELD_OUT = 100_000
"""Tokens beyond which the held-out text is thinned: the loss is then known to about 0.01."""

STRETCH_TOKENS = 250_000
BUFFER_TOKENS = 4_000_000

Ids = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Documents of one shard; ``size`` counts what is trained on of them, with boundaries."""

    shard: int
    first_document: int
    last_document: int
    size: int


class PassageReader:
    """Gives the passages of a corpus, epoch by epoch.

    Parameters
    ----------
    shards : sequence of TokenShard
    numbers : (n_corpus_words,) int32
        The encoder's words, by those of the corpus; -1 for words that are unknown to it.
    passage : int
        Tokens of a passage.
    seed : int
    stretch_tokens, buffer_tokens : int
        Tokens that stay together, and tokens whose passages are shuffled.

    Attributes
    ----------
    n_tokens : int
        Tokens that an epoch trains on.
    n_passages : int
        Passages of an epoch.
    passage : int
        Tokens of a passage.
    """

    def __init__(
        self,
        shards: Sequence[TokenShard],
        numbers: Ids,
        passage: int,
        seed: int = 0,
        *,
        stretch_tokens: int = STRETCH_TOKENS,
        buffer_tokens: int = BUFFER_TOKENS,
    ) -> None:
        self._shards = shards
        self._numbers = np.append(numbers, np.int32(-1))  # the last one: of no word
        self.passage = passage
        self._seed = seed
        self._at_once = max(1, buffer_tokens // passage)
        sizes = [len(shard.document_offsets) - 1 for shard in shards]
        self._first_documents = np.cumsum([0, *sizes])
        self._stretches = [
            stretch
            for number in range(len(shards))
            for stretch in self._plan_shard(number, stretch_tokens)
        ]
        n_read = sum(stretch.size for stretch in self._stretches)
        n_documents = int(self._first_documents[-1])
        n_boundaries = n_documents - n_documents // HELD_OUT_EVERY
        self.n_tokens = n_read - n_boundaries
        # Room for a first cut at any of a passage's tokens; boundaries fill up.
        self.n_passages = n_read // passage + 2

    def _plan_shard(self, number: int, stretch_tokens: int) -> Iterator[_Stretch]:
        offsets = np.asarray(self._shards[number].document_offsets)
        lengths = np.where(self._held_out(number), 0, np.diff(offsets) + 1)
        ends = np.cumsum(lengths)
        first, before = 0, 0
        while first < len(lengths):
            last = min(int(np.searchsorted(ends, before + stretch_tokens)) + 1, len(lengths))
            yield _Stretch(number, first, last, int(ends[last - 1]) - before)
            first, before = last, int(ends[last - 1])

    def _held_out(self, shard: int) -> NDArray[np.bool_]:
        """(n_documents,) which documents of a shard are not trained on."""
        numbers = np.arange(self._first_documents[shard], self._first_documents[shard + 1])
        return np.asarray(numbers % HELD_OUT_EVERY == HELD_OUT_EVERY - 1)

    def batches(self, n_passages: int, first_batch: int = 0) -> Iterator[Ids]:
        """Batches of (n_passages, passage) ids without end, from a batch's number on.

        They go on over the ends of epochs.
        """
        epoch, skip = divmod(first_batch * n_passages, self.n_passages)
        left = np.empty((0, self.passage), np.int32)
        while True:
            for following in self.passages(epoch, skip):
                passages = np.concatenate([left, following])
                n_whole = len(passages) // n_passages * n_passages
                yield from passages[:n_whole].reshape(-1, n_passages, self.passage)
                left = passages[n_whole:]
            epoch, skip = epoch + 1, 0

    def passages(self, epoch: int, skip: int = 0) -> Iterator[Ids]:
        """The (n, passage) passages of an epoch but the first ones, a buffer at a time."""
        rng = np.random.default_rng([self._seed, epoch])
        order = rng.permutation(len(self._stretches))
        phase = int(rng.integers(self.passage))
        n_buffers = -(-self.n_passages // self._at_once)
        seeds = rng.integers(2**63, size=n_buffers)
        first_buffer, skip = divmod(skip, self._at_once)
        start = first_buffer * self._at_once * self.passage - phase
        text = self._read_text(order, epoch, max(start, 0))
        pending = [np.full(max(-start, 0), BOUNDARY_ID, np.int32)]
        for number in range(first_buffer, n_buffers):
            size = min(self._at_once, self.n_passages - number * self._at_once) * self.passage
            while (n_pending := sum(map(len, pending))) < size:
                following = next(text, None)
                if following is None:
                    following = np.full(size - n_pending, BOUNDARY_ID, np.int32)
                pending.append(following)
            joined = np.concatenate(pending)
            pending = [joined[size:]]
            passages = joined[:size].reshape(-1, self.passage)
            yield np.random.default_rng(seeds[number]).permutation(passages)[skip:]
            skip = 0

    def _read_text(self, order: NDArray[np.int64], epoch: int, start: int) -> Iterator[Ids]:
        """The text of an epoch from a token on, stretch by stretch."""
        for number in order.tolist():
            stretch = self._stretches[number]
            if start < stretch.size:
                yield self._read(stretch, epoch)[start:]
            start = max(start - stretch.size, 0)

    def _read(self, stretch: _Stretch, epoch: int) -> Ids:
        """(size,) ids of a stretch, each document followed by a boundary."""
        shard = self._shards[stretch.shard]
        documents = slice(stretch.first_document, stretch.last_document)
        offsets = np.asarray(shard.document_offsets[documents.start : documents.stop + 1])
        tokens = shard.read_tokens(int(offsets[0]), int(offsets[-1]), epoch)
        lengths, kept = np.diff(offsets), ~self._held_out(stretch.shard)[documents]
        return self._number(tokens[np.repeat(kept, lengths)], lengths[kept])

    def _number(self, tokens: NDArray[np.int32], lengths: NDArray[np.int64]) -> Ids:
        """Corpus tokens -> ids of the network, with boundaries after documents of these lengths."""
        known = self._numbers[tokens]
        ids = np.full(len(tokens) + len(lengths), BOUNDARY_ID, np.int32)
        inside = np.arange(len(tokens)) + np.repeat(np.arange(len(lengths)), lengths)
        ids[inside] = np.where(known >= 0, known + N_SPECIAL, UNKNOWN_ID)
        return ids

    def held_out(self) -> Ids:
        """(n, passage) the passages of held-out documents, at most `MOST_HELD_OUT` tokens."""
        n_held_out = sum(
            int(np.diff(shard.document_offsets)[self._held_out(number)].sum())
            for number, shard in enumerate(self._shards)
        )
        step = HELD_OUT_EVERY * max(1, -(-n_held_out // MOST_HELD_OUT))
        parts: list[Ids] = []
        for number in range(HELD_OUT_EVERY - 1, int(self._first_documents[-1]), step):
            i = int(np.searchsorted(self._first_documents, number, side="right")) - 1
            shard, local = self._shards[i], number - int(self._first_documents[i])
            start, end = (int(o) for o in shard.document_offsets[local : local + 2])
            end = min(end, start + MOST_HELD_OUT)
            parts.append(self._number(shard.read_tokens(start, end, 0), np.array([end - start])))
        text = np.concatenate([*parts, np.empty(0, np.int32)])[:MOST_HELD_OUT]
        missing = -len(text) % self.passage
        filled = np.concatenate([text, np.full(missing, BOUNDARY_ID, np.int32)])
        return filled.reshape(-1, self.passage)
