"""Corpus + word -> contexts: the kept words around every occurrence.

A context is the 10 kept words on each side of the target's occurrence, inside its document.
Function words and words without a vector are dropped first, then the window is cut. The centre
occurrence is not part of it; other occurrences of the same word are, unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Indices, Integers
from grassmeans.artifacts.schema import (
    as_plain,
    check_arguments,
    check_fields,
    flag,
    one_of,
    path,
    whole,
)
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.errors import InputError
from grassmeans.geometry.subspaces import WEIGHTINGS
from grassmeans.kernels import get_kernels
from grassmeans.kernels.arguments import RunningText
from grassmeans.vectors.word_vectors import WordVectors, open_vectors

if TYPE_CHECKING:
    from grassmeans.corpus.corpus import Corpus

DEFAULT_WINDOW = 10
DEFAULT_RANK = 3
DEFAULT_MIN_COUNT = 5
"""Without vectors, words as rare as skip-gram's default leaves out count as unknown."""

LARGEST_WINDOW = 1_000
"""Words a side, and directions of a context: its inner products are (2 * window)^2 numbers."""

FEWEST_WEIGHTED = 3
"""Words that a context needs where its directions are weighted; the paper's rank."""

FEW, SHORT = 32, 4096
"""Up to so many occurrences, a sentence's, in a text of so many words, go through plain NumPy,
which has nothing to load."""


@dataclass(frozen=True, slots=True)
class ContextShape:
    """What a context is made of; the defaults are the paper's.

    Parameters
    ----------
    window : int
        Kept words a side.
    rank : int
        N, the dimension of a context's subspace.
    weighting : {"flat", "singular"}
        Whether all directions of a subspace count alike, or by their singular values.
    drop_repeats : bool
        Leave out other occurrences of the target inside its context.
    """

    window: int = DEFAULT_WINDOW
    rank: int = DEFAULT_RANK
    weighting: str = "flat"
    drop_repeats: bool = False

    def __post_init__(self) -> None:
        size, weighting = whole(1, LARGEST_WINDOW), one_of(*WEIGHTINGS)
        check_fields(self, window=size, rank=size, drop_repeats=flag, weighting=weighting)

    @property
    def fewest_words(self) -> int:
        """How many known words a context must have to say something.

        As many as the rank, as in the paper. Where directions weigh by their singular values, the
        ones that few words cannot span weigh nothing, so three words are enough for any rank.
        Inducing and labelling go by it; tagging takes single words too.
        """
        return min(self.rank, FEWEST_WEIGHTED) if self.weighting == "singular" else self.rank

    def to_dict(self) -> dict[str, Any]:
        """The shape as plain values, for a manifest."""
        return {name: as_plain(value) for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ContextShape:
        """A shape from a manifest's plain values; other values among them are not looked at."""
        return cls(**{name: values[name] for name in cls.__slots__ if name in values})


@dataclass(frozen=True, slots=True)
class Contexts:
    """Contexts of one word.

    Parameters
    ----------
    context_ids : (n_contexts, 2 * window) int32
        Rows of the vectors, -1 where there is no word; text order, nearest words in the middle.
    positions : (n_contexts,) int64
        Where each occurrence stands in the corpus.
    """

    context_ids: Integers
    positions: Indices

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, part: slice | NDArray[Any]) -> Contexts:
        return Contexts(self.context_ids[part], self.positions[part])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.context_ids, dtype=dtype, copy=copy)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the ids."""
        return self.context_ids.shape

    @property
    def n_words(self) -> Indices:
        """(n_contexts,) how many words each context has."""
        return count_words(self.context_ids)

    def with_at_least(self, n_words: int) -> Contexts:
        """Only the contexts that have this many words."""
        return self[self.n_words >= n_words]


def count_words(context_ids: NDArray[np.integer]) -> Indices:
    """(n_contexts,) how many words each context has."""
    return np.asarray(np.count_nonzero(context_ids >= 0, axis=1))


def gather_rows(
    occurrences: Occurrences,
    row_of_token: Integers,
    shape: ContextShape,
    word_of_token: Integers | None = None,
) -> Integers:
    """(n, 2 * window) rows of the nearest kept words on both sides, inside the document.

    In text order, -1 where there is no word; the nearest on both sides of the middle. A token has a
    row in the vectors, -1 if it is dropped, and a word where several are the same one (lexemes).
    """
    # Plain NumPy goes through the whole text: good for a sentence, not for a shard.
    small = len(occurrences) <= FEW and len(occurrences.tokens) <= SHORT
    kernels = get_kernels("numpy" if small else "cpu")
    tokens = np.asarray(occurrences.tokens)
    text = RunningText(tokens, np.asarray(occurrences.document_offsets), row_of_token)
    positions, window = occurrences.positions, shape.window
    if word_of_token is None or not shape.drop_repeats:
        return kernels.gather_contexts(text, positions, window, shape.drop_repeats)
    found = np.full((len(occurrences), 2 * window), -1, np.int32)
    targets = word_of_token[tokens[positions]]
    for target in np.unique(targets):
        others = np.where(word_of_token == target, -1, row_of_token).astype(np.int32)
        mine = targets == target
        without = text._replace(row_of_token=others)
        found[mine] = kernels.gather_contexts(without, positions[mine], window)
    return found


def rows_of_words(
    words: Sequence[str], vectors: WordVectors, left_out: Collection[str] = ()
) -> Integers:
    """(n_words,) row of every word in the vectors; -1 for unknown ones and those left out."""
    return _drop_words(vectors.ids_of(words), words, left_out)


def _drop_words(rows: Integers, words: Sequence[str], left_out: Collection[str]) -> Integers:
    dropped = (is_function_word(word, left_out) for word in words)
    rows[np.fromiter(dropped, np.bool_, len(words))] = -1
    return rows


def rows_of_tokens(
    corpus: Corpus, vectors: WordVectors | None, *, drop_function_words: bool = True
) -> Integers:
    """(n_types,) row of every corpus word in the vectors; -1 for words that are dropped.

    Those are unknown words and, unless told otherwise, function words. Without vectors a word's
    row is its id, and words seen fewer than 5 times are dropped.
    """
    vocabulary = corpus.vocabulary
    left_out = corpus.function_words if drop_function_words else frozenset()
    if vectors is None:
        rows = np.arange(len(vocabulary), dtype=np.int32)
        rows[vocabulary.size_at(DEFAULT_MIN_COUNT) :] = -1
        return _drop_words(rows, vocabulary.words, left_out)
    check_common_words(corpus, vectors)
    return rows_of_words(vocabulary.words, vectors, left_out)


def check_common_words(corpus: Corpus, vectors: WordVectors) -> None:
    """Refuse vectors that have no word in common with a corpus."""
    if not any(word in vectors for word in corpus.vocabulary.words):
        raise InputError(
            "the vectors and the corpus have no word in common: are they of the same language, "
            "and are both lower-cased or both not?"
        )


def sample_positions(positions: Indices, max_contexts: int | None, random_state: Any) -> Indices:
    """All positions, or a random sample of them in text order."""
    if max_contexts is None or len(positions) <= max_contexts:
        return positions
    rng = np.random.default_rng(random_state)
    return positions[np.sort(rng.permutation(len(positions))[:max_contexts])]


def sample_words(
    corpus: Corpus, words: Sequence[int], n_words: int, n_contexts: int, random_state: int
) -> Indices:
    """Positions of some occurrences of some of the words, both drawn at random; in text order."""
    chosen = np.random.default_rng(random_state).permutation(words)[:n_words]
    seeds = np.random.SeedSequence(random_state).spawn(len(chosen))
    found = [
        sample_positions(corpus.positions(int(i)), n_contexts, seed)
        for i, seed in zip(chosen, seeds, strict=True)
    ]
    return np.sort(np.concatenate(found)) if found else np.empty(0, np.int64)


def contexts_at(
    corpus: Corpus, positions: Indices, row_of_token: Integers, shape: ContextShape
) -> Contexts:
    """The contexts of occurrences at positions in text order; see `gather_rows`."""
    found = np.full((len(positions), 2 * shape.window), -1, np.int32)
    for part, occurrences in corpus.occurrences(positions):
        found[part] = gather_rows(occurrences, row_of_token, shape)
    return Contexts(found, positions)


def _check_corpus(value: Any) -> str | None:
    return None if hasattr(value, "shards") or path(value) is None else "a Corpus or its path"


def _check_seed(value: Any) -> str | None:
    try:
        np.random.default_rng(value)
    except (TypeError, ValueError):
        return "a whole number, 0 or more, or a generator of random numbers"
    return None


@check_arguments(corpus=_check_corpus, window=whole(1, LARGEST_WINDOW), random_state=_check_seed)
def extract_contexts(
    corpus: Corpus | str | Path,
    word: str,
    window: int = DEFAULT_WINDOW,
    *,
    vectors: WordVectors | str | Path | None = None,
    max_contexts: int | None = None,
    drop_repeats: bool = False,
    random_state: Any = 0,
) -> Contexts:
    """Extract the contexts of a word from a corpus.

    Returns
    -------
    Contexts
        ``context_ids`` (n_contexts, 2 * window) int32, padded with -1, and ``positions``. The ids
        are rows of ``vectors``, or the corpus's own word ids where no vectors are given (the same
        thing for vectors trained on this corpus).
    """
    if isinstance(corpus, str | Path):
        from grassmeans.corpus.corpus import open_corpus

        corpus = open_corpus(corpus)
    known = None if vectors is None else open_vectors(vectors)
    positions = sample_positions(corpus.positions(word), max_contexts, random_state)
    shape = ContextShape(window=window, drop_repeats=drop_repeats)
    return contexts_at(corpus, positions, rows_of_tokens(corpus, known), shape)
