"""Labelled corpus + word -> contexts whose words are lexemes.

In a labelled corpus a word with senses stands under several keys. Its occurrences are those of all
its keys together, in text order; the words around them are lexemes already, so that the subspace of
a context is built from the vectors of the senses that its words have there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.contexts import DEFAULT_WINDOW, Contexts, contexts_at, sample_positions
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.labelling.keys import IDK_SENSE, decode_key
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.senses.settings import InductionSettings
from grassmeans.subspaces import principal_subspaces

_NO_ROW = -1


class LexemeContextExtractor:
    """Extracts the contexts of one word after another from a labelled corpus.

    Parameters
    ----------
    labelled : Corpus
        Its tokens are lexeme keys.
    lexemes : LexemeVectors
        Context words without a vector are dropped, and so are function words, whether they have
        been given senses or not.
    window : int, default 10
        Kept words a side.
    drop_repeats : bool, default False
        Leave out other occurrences of the target, in whatever sense, inside the window too.
    """

    def __init__(
        self,
        labelled: Corpus,
        lexemes: LexemeVectors,
        *,
        window: int = DEFAULT_WINDOW,
        drop_repeats: bool = False,
    ) -> None:
        if window < 1:
            raise InputError(f"window must be 1 or more, got {window}")
        self.corpus = labelled
        self.lexemes = lexemes
        self.window = window
        self.drop_repeats = drop_repeats
        self._row_of_token = rows_of_keys(labelled, lexemes)
        self._sense_of_id: dict[str, dict[int, int]] = {}
        for i, key in enumerate(labelled.vocabulary.words):
            word, sense = decode_key(key)
            self._sense_of_id.setdefault(word, {})[i] = sense or IDK_SENSE

    def __contains__(self, word: object) -> bool:
        """Whether the word occurs, in any sense."""
        return word in self._sense_of_id

    def count(self, word: str) -> int:
        """How often the word occurs, in all senses."""
        return int(np.asarray(self.corpus.vocabulary.counts)[list(self._ids_of(word))].sum())

    def positions(self, word: str) -> NDArray[np.int64]:
        """(n,) positions of all keys of a word, in text order."""
        return np.sort(np.concatenate([self.corpus.positions(i) for i in self._ids_of(word)]))

    def labels(self, word: str, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """(n,) sense numbers at positions of a word: from 1, or 0 for "I don't know"."""
        sense_of = self._ids_of(word)
        tokens = np.empty(len(positions), np.int64)
        for part, shard, local in self.corpus.split_positions(positions):
            tokens[part] = shard.tokens[local]
        ids, inverse = np.unique(tokens, return_inverse=True)
        return np.array([sense_of[int(i)] for i in ids], np.int64)[inverse]

    def extract(
        self, word: str, *, max_contexts: int | None = None, random_state: Any = 0
    ) -> Contexts:
        """The contexts of a word, all or a random sample in text order.

        ``context_ids`` are rows of the lexeme vectors.
        """
        positions = sample_positions(self.positions(word), max_contexts, random_state)
        return self.extract_at(word, positions)

    def extract_at(self, word: str, positions: NDArray[np.int64]) -> Contexts:
        """The contexts of the given occurrences of a word; positions in text order."""
        rows = self._row_of_token
        if self.drop_repeats:
            rows = rows.copy()
            rows[list(self._ids_of(word))] = _NO_ROW
        return contexts_at(self.corpus, positions, rows, self.window)

    def subspaces(
        self, word: str, contexts: Contexts, settings: InductionSettings
    ) -> NDArray[np.float32]:
        """(n_contexts, rank, dim) bases of the subspaces of a word's contexts."""
        return principal_subspaces(
            contexts.context_ids,
            self.lexemes.vectors.vectors,
            settings.rank,
            weighting=settings.weighting,
        )

    def _ids_of(self, word: str) -> dict[int, int]:
        """Token id -> sense of the word's keys."""
        ids = self._sense_of_id.get(word)
        if ids is None:
            raise UnknownWordError(
                f"{word!r} does not occur in the labelled corpus {self.corpus.path.name}, "
                "in any sense"
            )
        return ids


def rows_of_keys(labelled: Corpus, lexemes: LexemeVectors) -> NDArray[np.int32]:
    """(n_types,) row of every key of a labelled corpus in the lexeme vectors.

    -1 for keys without a vector, and for function words in any sense.
    """
    keys = labelled.vocabulary.words
    rows = lexemes.vectors.ids_of(keys)
    if not np.any(rows >= 0):
        raise InputError(
            "the lexeme vectors and the labelled corpus have no key in common: was one made from "
            "the other?"
        )
    dropped = labelled.function_words
    rows[[decode_key(key)[0] in dropped for key in keys]] = _NO_ROW
    return rows
