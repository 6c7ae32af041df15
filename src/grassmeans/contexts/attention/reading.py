"""The text of a training: several corpora as one, each with its share, in passages.

What an encoder reads decides what it hears: the text that it is trained on may be wider than the
one in which senses are sought. Words of all corpora are counted by the shares, every step has
passages of each corpus, and a corpus that is smaller than its share is read the more often.

An epoch of a corpus is one long text: its documents, a boundary between each two. Stretches of
consecutive documents come in an order of the epoch's own, the text is cut into passages of one
length, and the passages of some million tokens are shuffled. So no more than that is in memory, an
epoch holds every word once, and where it is cut differs from epoch to epoch. Everything depends on
the seed and the epoch's number alone: a training can be taken up anywhere.

Some documents are held out: they tell how well words are predicted that were never trained on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from grassmeans.arrays import Booleans, Doubles, Indices, Integers
from grassmeans.contexts.attention.stored import BOUNDARY_ID, N_SPECIAL, UNKNOWN_ID
from grassmeans.corpus.appending import check_alike
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.vectors.training import TokenShard

HELD_OUT_EVERY = 40
MOST_HELD_OUT = 100_000
"""Tokens beyond which the held-out text is thinned: the loss is then known to about 0.01."""

STRETCH_TOKENS = 250_000
BUFFER_TOKENS = 4_000_000


@dataclass(frozen=True)
class TrainingText:
    """Corpora, and the words that an encoder of them knows."""

    corpora: tuple[Corpus, ...]
    shares: Doubles  # (n_corpora,) of the tokens that are trained on; 1 in all
    words: list[str]  # the most frequent ones first
    counts: Indices  # (n_words,) in a text of all corpora's length that has these shares
    numbers: tuple[Integers, ...]  # places in the words of each corpus's words; -1 for others

    @property
    def n_tokens(self) -> int:
        """Tokens of all corpora."""
        return sum(corpus.n_tokens for corpus in self.corpora)

    @property
    def function_words(self) -> frozenset[str]:
        """Those of any of the corpora."""
        return frozenset().union(*(corpus.function_words for corpus in self.corpora))


def mix_corpora(
    corpora: Sequence[Corpus],
    shares: Sequence[float] | None,
    n_words: int,
    min_count: int,
    words: Sequence[str] | None = None,
) -> TrainingText:
    """Put corpora together, by shares in any unit; by default as large as they are.

    Known are at most ``n_words``, none rarer than ``min_count``; or the words that are given.
    """
    check_alike(corpora)
    sizes = np.array([corpus.n_tokens for corpus in corpora], np.float64)
    given = normalise_shares(shares, sizes)
    counted = _count_words(corpora, given * sizes.sum() / np.maximum(sizes, 1.0))
    if words is None:
        ranked = sorted(counted, key=lambda word: -counted[word])[:n_words]  # stable
        words = [word for word in ranked if counted[word] >= min_count]
    if not words:
        raise InputError(f"no word occurs {min_count} times or more: give more text")
    counts = np.array([max(round(counted.get(word, 0.0)), 1) for word in words], np.int64)
    places = {word: i for i, word in enumerate(words)}
    numbers = tuple(
        np.array([places.get(word, -1) for word in corpus.vocabulary.words], np.int32)
        for corpus in corpora
    )
    return TrainingText(tuple(corpora), given, list(words), counts, numbers)


def normalise_shares(shares: Sequence[float] | None, sizes: Doubles) -> Doubles:
    """(n_corpora,) shares that are 1 in all; by default those of the corpora's sizes."""
    if shares is None:
        return np.asarray(sizes / max(sizes.sum(), 1.0))
    given = np.asarray(list(shares), np.float64)
    if len(given) != len(sizes) or not (np.isfinite(given) & (given > 0)).all():
        raise InputError(
            f"there must be a share above 0 for each of the {len(sizes)} corpora; got "
            f"{[float(share) for share in shares]}"
        )
    return np.asarray(given / given.sum())


def _count_words(corpora: Sequence[Corpus], weights: Doubles) -> dict[str, float]:
    """How often words occur in all corpora, those of each times its weight."""
    counted: dict[str, float] = {}
    for corpus, weight in zip(corpora, weights.tolist(), strict=True):
        counts = (np.asarray(corpus.vocabulary.counts, np.float64) * weight).tolist()
        for word, count in zip(corpus.vocabulary.words, counts, strict=True):
            counted[word] = counted.get(word, 0.0) + count
    # Of weights that are not exact; what occurs as often has one count.
    return {word: round(count, 6) for word, count in counted.items()}


class Reader(Protocol):
    """What gives the passages of a training."""

    passage: int
    n_passages: int

    def batches(self, n_passages: int, first_batch: int = 0) -> Iterator[Any]:
        """Batches of so many passages without end, from a batch's number on."""

    def held_out(self) -> Any:
        """Passages that are never trained on."""


class _Stretch(NamedTuple):
    """Documents of one shard; ``size`` counts what is trained on of them, with boundaries."""

    shard: int
    first_document: int
    last_document: int
    size: int


class PassageReader:
    """Gives the passages of a corpus, epoch by epoch; numbers are as `number_ids` takes them."""

    def __init__(
        self,
        shards: Sequence[TokenShard],
        numbers: Integers,
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
        numbered = range(len(shards))
        self._stretches = [s for i in numbered for s in self._plan_shard(i, stretch_tokens)]
        # Room for a first cut at any of a passage's tokens; boundaries fill up.
        self.n_passages = sum(stretch.size for stretch in self._stretches) // passage + 2

    def _plan_shard(self, number: int, stretch_tokens: int) -> Iterator[_Stretch]:
        offsets = np.asarray(self._shards[number].document_offsets)
        lengths = np.where(self._held_out(number), 0, np.diff(offsets) + 1)
        ends = np.cumsum(lengths)
        first, before = 0, 0
        while first < len(lengths):
            last = min(int(np.searchsorted(ends, before + stretch_tokens)) + 1, len(lengths))
            yield _Stretch(number, first, last, int(ends[last - 1]) - before)
            first, before = last, int(ends[last - 1])

    def _held_out(self, shard: int) -> Booleans:
        """(n_documents,) which documents of a shard are not trained on."""
        numbers = np.arange(self._first_documents[shard], self._first_documents[shard + 1])
        return np.asarray(numbers % HELD_OUT_EVERY == HELD_OUT_EVERY - 1)

    def batches(self, n_passages: int, first_batch: int = 0) -> Iterator[Integers]:
        """Batches of (n_passages, passage) ids without end, from a batch's number on."""
        return cut_batches(self.passages, self.n_passages, n_passages, first_batch)

    def passages(self, epoch: int, skip: int = 0) -> Iterator[Integers]:
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

    def _read_text(self, order: Indices, epoch: int, start: int) -> Iterator[Integers]:
        """The text of an epoch from a token on, stretch by stretch."""
        for number in order.tolist():
            stretch = self._stretches[number]
            if start < stretch.size:
                yield self._read(stretch, epoch)[start:]
            start = max(start - stretch.size, 0)

    def _read(self, stretch: _Stretch, epoch: int) -> Integers:
        """(size,) ids of a stretch, each document followed by a boundary."""
        shard = self._shards[stretch.shard]
        documents = slice(stretch.first_document, stretch.last_document)
        offsets = np.asarray(shard.document_offsets[documents.start : documents.stop + 1])
        tokens = shard.read_tokens(int(offsets[0]), int(offsets[-1]), epoch)
        lengths, kept = np.diff(offsets), ~self._held_out(stretch.shard)[documents]
        return self._number(tokens[np.repeat(kept, lengths)], lengths[kept])

    def _number(self, tokens: Integers, lengths: Indices) -> Integers:
        """Corpus tokens -> ids of the network, with boundaries after documents of these lengths."""
        ids = np.full(len(tokens) + len(lengths), BOUNDARY_ID, np.int32)
        inside = np.arange(len(tokens)) + np.repeat(np.arange(len(lengths)), lengths)
        ids[inside] = number_ids(self._numbers, tokens)
        return ids

    def held_out(self) -> Integers:
        """(n, passage) the passages of held-out documents, at most `MOST_HELD_OUT` tokens."""
        n_held_out = sum(
            int(np.diff(shard.document_offsets)[self._held_out(number)].sum())
            for number, shard in enumerate(self._shards)
        )
        step = HELD_OUT_EVERY * max(1, -(-n_held_out // MOST_HELD_OUT))
        parts: list[Integers] = []
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


class MixedReader:
    """Gives batches that have passages of each reader, by their shares (n_readers,)."""

    def __init__(self, readers: Sequence[Reader], shares: Doubles) -> None:
        self._readers = readers
        self._shares = shares
        self.passage = readers[0].passage
        self.n_passages = sum(reader.n_passages for reader in readers)

    def batches(self, n_passages: int, first_batch: int = 0) -> Iterator[Any]:
        """Batches of so many passages without end, from a batch's number on."""
        sizes = share_out(n_passages, self._shares)
        pairs = zip(self._readers, sizes, strict=True)
        streams = [reader.batches(size, first_batch) for reader, size in pairs if size]
        while True:
            yield join_batches([next(stream) for stream in streams])

    def held_out(self) -> Any:
        """The held-out passages of all readers."""
        return join_batches([reader.held_out() for reader in self._readers])


def share_out(n: int, shares: Doubles) -> list[int]:
    """Whole numbers by shares, which are n in all (largest remainders), none 0 that need not be."""
    exact = n * shares
    sizes = np.floor(exact).astype(np.int64)
    rest = n - int(sizes.sum())
    sizes[np.argsort(sizes - exact, kind="stable")[:rest]] += 1
    for none in np.flatnonzero(sizes == 0):
        if sizes.max() > 1:
            sizes[sizes.argmax()] -= 1
            sizes[none] = 1
    return [int(size) for size in sizes]


def join_batches(parts: Sequence[Any]) -> Any:
    """Batches of one kind as one: arrays, or what can join itself."""
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return parts[0].join(parts)


def cut_batches(
    read: Callable[[int, int], Iterator[Any]], n_epoch: int, n_passages: int, first_batch: int
) -> Iterator[Any]:
    """Batches of so many passages without end, over the ends of epochs, from a batch's number on.

    Of the ``n_epoch`` passages of an epoch ``read`` gives all but the first ones, part by part.
    """
    epoch, skip = divmod(first_batch * n_passages, n_epoch)
    pending: list[Any] = []
    n_pending = 0
    while True:
        for passages in read(epoch, skip):
            start = 0
            while start < len(passages):
                part = passages[start : start + n_passages - n_pending]
                pending.append(part)
                start, n_pending = start + len(part), n_pending + len(part)
                if n_pending == n_passages:
                    yield join_batches(pending)
                    pending, n_pending = [], 0
        epoch, skip = epoch + 1, 0


def number_ids(numbers: Integers, tokens: Integers) -> Integers:
    """(n,) a network's ids of tokens; ``numbers`` are its words by those of the corpus, -1 last."""
    known = numbers[tokens]
    return np.where(known >= 0, known + N_SPECIAL, np.int32(UNKNOWN_ID))
