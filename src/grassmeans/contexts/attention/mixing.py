"""Several corpora as one text to learn from, each with its share.

What an encoder reads decides what it hears: the text that it is trained on may be wider than the
one in which senses are sought. Words of all corpora are counted by the shares, every step has
passages of each corpus, and a corpus that is smaller than its share is read the more often.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError


class Reader(Protocol):
    """What gives the passages of a training."""

    passage: int
    n_tokens: int
    n_passages: int

    def batches(self, n_passages: int, first_batch: int = 0) -> Iterator[Any]:
        """Batches of so many passages without end, from a batch's number on."""

    def held_out(self) -> Any:
        """Passages that are never trained on."""


@dataclass(frozen=True)
class TrainingText:
    """Corpora, and the words that an encoder of them knows.

    Attributes
    ----------
    corpora : tuple of Corpus
    shares : (n_corpora,) float64
        Of the tokens that are trained on; 1 in all.
    words : list of str
        The most frequent ones first.
    counts : (n_words,) int64
        How often they would occur in a text of all corpora's length that has these shares.
    numbers : tuple of (n_corpus_words,) int32
        For each corpus, the places of its words in ``words``; -1 for the others.
    """

    corpora: tuple[Corpus, ...]
    shares: NDArray[np.float64]
    words: list[str]
    counts: NDArray[np.int64]
    numbers: tuple[NDArray[np.int32], ...]

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
    """Put corpora together.

    Parameters
    ----------
    shares : sequence of float, optional
        One a corpus, in any unit; by default as large as they are.
    n_words : int
        Words that are known, at most.
    min_count : int
        Rarer words are not known.
    words : sequence of str, optional
        Know these in place of the most frequent ones.
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


def check_alike(corpora: Sequence[Corpus]) -> None:
    """Refuse corpora that no single encoder can read."""
    first = corpora[0]
    for other in corpora[1:]:
        if other.tokenizer.to_dict() != first.tokenizer.to_dict():
            raise InputError(
                f"{other.path} and {first.path} were cut into words by different rules: ingest "
                "them with the same options"
            )
    if len({corpus.path.resolve() for corpus in corpora}) < len(corpora):
        raise InputError("the same corpus is given twice: give it once, with a larger share")


def normalise_shares(
    shares: Sequence[float] | None, sizes: NDArray[np.float64]
) -> NDArray[np.float64]:
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


def _count_words(corpora: Sequence[Corpus], weights: NDArray[np.float64]) -> dict[str, float]:
    """How often words occur in all corpora, those of each times its weight."""
    counted: dict[str, float] = {}
    for corpus, weight in zip(corpora, weights.tolist(), strict=True):
        counts = (np.asarray(corpus.vocabulary.counts, np.float64) * weight).tolist()
        for word, count in zip(corpus.vocabulary.words, counts, strict=True):
            counted[word] = counted.get(word, 0.0) + count
    # Of weights that are not exact; what occurs as often has one count.
    return {word: round(count, 6) for word, count in counted.items()}


class MixedReader:
    """Gives batches that have passages of each reader, by their shares.

    Parameters
    ----------
    readers : sequence of Reader
    shares : (n_readers,) float64
    """

    def __init__(self, readers: Sequence[Reader], shares: NDArray[np.float64]) -> None:
        self._readers = readers
        self._shares = shares
        self.passage = readers[0].passage
        self.n_tokens = sum(reader.n_tokens for reader in readers)
        self.n_passages = sum(reader.n_passages for reader in readers)

    def batches(self, n_passages: int, first_batch: int = 0) -> Iterator[Any]:
        """Batches of so many passages without end, from a batch's number on."""
        sizes = share_out(n_passages, self._shares)
        streams = [
            reader.batches(size, first_batch)
            for reader, size in zip(self._readers, sizes, strict=True)
            if size
        ]
        while True:
            yield join_batches([next(stream) for stream in streams])

    def held_out(self) -> Any:
        """The held-out passages of all readers."""
        return join_batches([reader.held_out() for reader in self._readers])


def share_out(n: int, shares: NDArray[np.float64]) -> list[int]:
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
