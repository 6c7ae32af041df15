"""Corpus + word -> contexts: the kept words around every occurrence.

A context is the 10 kept words on each side of the target's occurrence, inside its document.
Function words and words without a vector are dropped first, then the window is cut. The centre
occurrence is not part of it; other occurrences of the same word are, unless told otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.errors import InputError
from grassmeans.kernels import get_kernels
from grassmeans.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from grassmeans.corpus.corpus import Corpus

DEFAULT_WINDOW = 10
DEFAULT_MIN_COUNT = 5
"""Without vectors, words as rare as skip-gram's default leaves out count as unknown."""

NO_TOKEN = -2
"""Stands for no token id at all."""


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

    context_ids: NDArray[np.int32]
    positions: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.positions)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.context_ids, dtype=dtype, copy=copy)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the ids."""
        return self.context_ids.shape

    @property
    def n_words(self) -> NDArray[np.int64]:
        """(n_contexts,) how many words each context has."""
        counts: NDArray[np.int64] = np.count_nonzero(self.context_ids >= 0, axis=1)
        return counts

    def with_at_least(self, n_words: int) -> Contexts:
        """Only the contexts that have this many words."""
        enough = self.n_words >= n_words
        return Contexts(self.context_ids[enough], self.positions[enough])


class ContextExtractor:
    """Extracts contexts of one word after another; what all words share is worked out once.

    Parameters
    ----------
    corpus : Corpus
    vectors : WordVectors, optional
        Words without a vector are dropped, and ids are its rows. Without it ids are the corpus's,
        and words seen fewer than 5 times are dropped.
    window : int, default 10
        Kept words a side.
    drop_repeats : bool, default False
        Leave out other occurrences of the target inside the window too.
    drop_function_words : bool, default True
    """

    def __init__(
        self,
        corpus: Corpus,
        vectors: WordVectors | None = None,
        *,
        window: int = DEFAULT_WINDOW,
        drop_repeats: bool = False,
        drop_function_words: bool = True,
    ) -> None:
        if window < 1:
            raise InputError(f"window must be 1 or more, got {window}")
        self.corpus = corpus
        self.window = window
        self.drop_repeats = drop_repeats
        self.row_of_token = rows_of_tokens(corpus, vectors, drop_function_words=drop_function_words)

    def extract(
        self, word: str | int, *, max_contexts: int | None = None, random_state: Any = 0
    ) -> Contexts:
        """The contexts of a word (or of a word id), all or a random sample in text order."""
        word_id = self.corpus.word_id(word) if isinstance(word, str) else word
        positions = sample_positions(self.corpus.positions(word_id), max_contexts, random_state)
        left_out = word_id if self.drop_repeats else NO_TOKEN
        return contexts_at(self.corpus, positions, self.row_of_token, self.window, left_out)


def sample_positions(
    positions: NDArray[np.int64], max_contexts: int | None, random_state: Any
) -> NDArray[np.int64]:
    """All positions, or a random sample of them in text order."""
    if max_contexts is None or len(positions) <= max_contexts:
        return positions
    rng = np.random.default_rng(random_state)
    return positions[np.sort(rng.permutation(len(positions))[:max_contexts])]


def contexts_at(
    corpus: Corpus,
    positions: NDArray[np.int64],
    row_of_token: NDArray[np.int32],
    window: int,
    left_out: int = NO_TOKEN,
) -> Contexts:
    """The contexts of occurrences.

    Parameters
    ----------
    positions : (n_contexts,) int64
        In text order.
    row_of_token : (n_types,) int32
        Row of every token id in the vectors; -1 for words that are dropped.
    left_out : int
        A token id that is dropped as well.
    """
    context_ids = np.full((len(positions), 2 * window), -1, np.int32)
    bounds = np.searchsorted(positions, corpus.shard_starts)
    for number, shard in enumerate(corpus.shards):
        part = slice(bounds[number], bounds[number + 1])
        local = positions[part] - corpus.shard_starts[number]
        if len(local) == 0:
            continue
        context_ids[part] = get_kernels().gather_contexts(
            np.asarray(shard.tokens),
            np.asarray(shard.document_offsets),
            row_of_token,
            local,
            window,
            drop_repeats=left_out != NO_TOKEN,
        )
    return Contexts(context_ids, positions)


def rows_of_tokens(
    corpus: Corpus, vectors: WordVectors | None, *, drop_function_words: bool = True
) -> NDArray[np.int32]:
    """(n_types,) row of every corpus word in the vectors; -1 for words that are dropped.

    Those are unknown words and, unless told otherwise, function words.
    """
    vocabulary = corpus.vocabulary
    if vectors is None:
        rows = np.arange(len(vocabulary), dtype=np.int32)
        rows[vocabulary.size_at(DEFAULT_MIN_COUNT) :] = -1
    else:
        rows = vectors.ids_of(vocabulary.words)
        if not np.any(rows >= 0):
            raise InputError(
                "the vectors and the corpus have no word in common: are they of the same language, "
                "and are both lower-cased or both not?"
            )
    if drop_function_words:
        function_ids = vocabulary.ids_of(sorted(corpus.function_words))
        rows[function_ids[function_ids >= 0]] = -1
    return rows


def extract_contexts(
    corpus: Corpus,
    word: str,
    window: int = DEFAULT_WINDOW,
    *,
    vectors: WordVectors | None = None,
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
    extractor = ContextExtractor(corpus, vectors, window=window, drop_repeats=drop_repeats)
    return extractor.extract(word, max_contexts=max_contexts, random_state=random_state)
