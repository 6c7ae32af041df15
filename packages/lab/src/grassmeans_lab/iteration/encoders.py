"""Two kinds of context in a labelled corpus: lexemes, and expected vectors over senses.

With hard decoding a context word has the vector of the sense that it is labelled with
(`LexemeEncoder`). With soft decoding it has all senses, weighted by their probabilities
(`ExpectedEncoder`): an occurrence of a word with senses stands for sum_k P(k) v_k, with P from
`decode_soft` of its stored distances and v_k the lexeme vectors. What else may happen then:

- a sense without a vector: its probability goes to the word's other senses, in proportion;
- no sense with any probability has a vector: ``word.0``, then the plain ``word``, then the word's
  most frequent lexeme stands in, as in `LexemeVectors`;
- too few known words around the occurrence to measure distances: all senses are equally likely;
- a word without senses is its plain vector;
- a word without any vector, or a function word, is no part of a context.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats
from grassmeans.artifacts.checking import damaged
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.contexts.subspaces import SubspaceEncoder, weigh_context_words
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.errors import InputError
from grassmeans.geometry.subspaces import principal_subspaces
from grassmeans.geometry.windows import ContextShape, count_words, gather_rows
from grassmeans.kernels.devices import check_device
from grassmeans.labelling.decoding import read_probabilities
from grassmeans.labelling.measuring import POSITIONS, StoredDistances, open_distances
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.senses.keys import IDK_SENSE, decode_key
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.iteration.labelled_words import LabelledOccurrences, LabelledWords

_CONTEXTS_AT_ONCE, _AT_ONCE_ON_DEVICE = 2048, 1 << 14
"""Every context word has a vector of its own: their table is no larger than for so many."""


def make_encoder(
    labelled: LabelledWords,
    lexemes: LexemeVectors,
    shape: ContextShape,
    sharpness: float | None = None,
) -> ContextEncoder:
    """Contexts of lexemes; with a sharpness, of expected vectors."""
    if not any(key in lexemes.vectors for key in labelled.vocabulary.words):
        raise InputError(
            "the lexeme vectors and the labelled corpus have no key in common: was one made from "
            "the other?"
        )
    if sharpness is not None:
        return ExpectedEncoder(labelled, lexemes, shape, sharpness)
    return LexemeEncoder(lexemes.vectors, shape, labelled.function_words)


class LexemeEncoder(SubspaceEncoder):
    """Subspaces of lexeme vectors: the words of the text are lexeme keys.

    Function words are left out in whatever sense, and so are repeats where the shape drops them.
    """

    kind = "lexemes"

    def __init__(
        self, vectors: WordVectors, shape: ContextShape, function_words: frozenset[str]
    ) -> None:
        super().__init__(vectors, shape, _keys_of(function_words, vectors))
        self._kept_words: tuple[Sequence[str], NDArray[np.int32] | None] = (), None

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_kept_words": ((), None)}

    def describing_words(self, occurrences: Occurrences) -> NDArray[np.int32]:
        """(n, 2 * window) rows of the lexemes around occurrences, -1 where there is none."""
        keys = occurrences.words
        words = self._words_of(keys)
        words = None if words is None else words[:-1]
        return gather_rows(occurrences, self.rows_of(keys), self.shape, words)

    def _words_of(self, keys: Sequence[str]) -> NDArray[np.int32] | None:
        """As `number_words`, where it matters; kept for the next text of the same corpus."""
        if self.shape.drop_repeats and self._kept_words[0] is not keys:
            self._kept_words = keys, number_words(keys)
        return self._kept_words[1]

    def _places_of(self, occurrences: Occurrences) -> NDArray[np.int32]:
        keys = occurrences.words
        kept = np.append(self.rows_of(keys) >= 0, False)
        return find_places(occurrences, kept, self.shape, self._words_of(keys))


class ExpectedEncoder(ContextEncoder):
    """Subspaces of expected vectors, one for every occurrence of a context word.

    Its occurrences must come from a `LabelledWords` with the vocabulary of ``labelled``. A context
    is described by the likeliest sense of each word.

    Parameters
    ----------
    sharpness : float
        Of the probabilities.
    """

    kind = "expected"

    def __init__(
        self, labelled: LabelledWords, lexemes: LexemeVectors, shape: ContextShape, sharpness: float
    ) -> None:
        function_keys = _keys_of(labelled.function_words, lexemes.vectors)
        super().__init__(lexemes.vectors, shape, function_keys)
        self._sharpness = sharpness
        self.targets = labelled.targets
        self._row_of_token, self._row_of_sense = _find_rows(labelled, lexemes)
        self._words = number_words(labelled.vocabulary.words) if shape.drop_repeats else None
        self._stored: dict[Path, StoredDistances] = {}

    def __getstate__(self) -> dict[str, Any]:
        # Workers have no GPU: it is used from one process.
        return super().__getstate__() | {"device": "cpu", "_stored": {}}

    def use_device(self, device: str) -> None:
        """Span contexts on a GPU from now on ("cuda"), or on the CPU again."""
        check_device(device)
        self.device = device

    def identity(self) -> Any:
        """The sharpness."""
        return self._sharpness

    def encode(self, occurrences: Occurrences) -> Floats:
        """(n, rank, dim) bases of the contexts' subspaces."""
        shape = self.shape
        bases = np.empty((len(occurrences), shape.rank, self.vectors.dim), np.float32)
        at_once = _CONTEXTS_AT_ONCE if self.device == "cpu" else _AT_ONCE_ON_DEVICE
        for start in range(0, len(occurrences), at_once):
            part = slice(start, start + at_once)
            ids, table = self._tabulate(occurrences, self._places_of(occurrences[part]))
            found = principal_subspaces(
                ids, table, shape.rank, weighting=shape.weighting, device=self.device
            )
            found[count_words(ids) < shape.fewest_words] = 0.0
            bases[part] = found
        return bases

    def describing_words(self, occurrences: Occurrences) -> NDArray[np.int32]:
        """(n, 2 * window) rows of the likeliest sense of the words around occurrences."""
        places = self._places_of(occurrences)
        used = np.unique(places[places >= 0])
        rows = np.append(self.likeliest_rows(occurrences, used), -1)
        found: NDArray[np.int32] = rows[_number_places(used, places)]
        return found

    def weigh_words(
        self, occurrences: Occurrences, directions: Floats
    ) -> list[list[tuple[int, float]]]:
        """The share of each context word in the projection of the direction on the subspace."""
        places = self._places_of(occurrences)
        ids, table = self._tabulate(occurrences, places)
        shape = self.shape
        weights = weigh_context_words(ids, directions, table, shape.rank, shape.weighting)
        pairs = zip(places.tolist(), weights.tolist(), strict=True)
        return [[pair for pair in zip(*both, strict=True) if pair[0] >= 0] for both in pairs]

    def vectors_at(self, text: Occurrences, positions: NDArray[np.integer]) -> Floats:
        """(n, dim) expected vectors of words that contexts keep, at positions in text order."""
        table = np.array(self.vectors.vectors[self._row_of_token[text.tokens[positions]]])
        places, rows, weights = self._weigh_senses(text, positions)
        expected = np.zeros((len(places), table.shape[1]), np.float32)
        for k in range(rows.shape[1]):
            has = weights[:, k] > 0.0
            expected[has] += weights[has, k, None] * self.vectors.vectors[rows[has, k]]
        table[places] = expected
        return table

    def likeliest_rows(
        self, text: Occurrences, positions: NDArray[np.integer]
    ) -> NDArray[np.int32]:
        """(n,) row of the likeliest sense with a vector, or of what stands for the word."""
        likeliest: NDArray[np.int32] = self._row_of_token[text.tokens[positions]]
        places, rows, weights = self._weigh_senses(text, positions)
        likeliest[places] = rows[np.arange(len(places)), weights.argmax(axis=1)]
        return likeliest

    def _places_of(self, occurrences: Occurrences) -> NDArray[np.int32]:
        return find_places(occurrences, self._row_of_token >= 0, self.shape, self._words)

    def _tabulate(
        self, text: Occurrences, places: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], Floats]:
        """Contexts given by places as rows of a table with one row a place, and the table."""
        used = np.unique(places[places >= 0])
        return _number_places(used, places), self.vectors_at(text, used)

    def _weigh_senses(
        self, text: Occurrences, positions: NDArray[np.integer]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], Floats]:
        """Which of the positions are means over senses, the senses' rows and their weights.

        Returns
        -------
        places : (m,) int64
            Indices into ``positions``.
        rows : (m, most senses) int32
        weights : (m, most senses) float32
            Rows sum to 1; 0 for senses without a vector.
        """
        if not isinstance(text, LabelledOccurrences):
            raise InputError("expected vectors need the occurrences of a labelled corpus")
        shard, targets = text.shard, self.targets
        stored = self._stored.get(shard.folder)
        if stored is None:
            stored = open_distances(shard.folder, len(text.tokens), targets.max_senses)
            self._stored[shard.folder] = stored
        places = np.flatnonzero(targets.word_of_token[text.tokens[positions]] >= 0)
        found = np.searchsorted(stored.positions, positions[places])
        beyond = found.max(initial=-1) >= len(stored)
        if beyond or not np.array_equal(stored.positions[found], positions[places]):
            raise damaged(shard.folder / POSITIONS, "the distances do not belong to the tokens")
        words, probabilities = read_probabilities(shard, stored, found, targets, self._sharpness)
        rows = self._row_of_sense[words]
        weights = np.where(rows >= 0, probabilities, 0.0)
        mass = weights.sum(axis=1)
        usable = mass > 0.0
        weights = (weights[usable] / mass[usable, None]).astype(np.float32)
        return places[usable], rows[usable], weights


def find_places(
    occurrences: Occurrences,
    is_kept: NDArray[np.bool_],
    shape: ContextShape,
    word_of_token: NDArray[np.int32] | None,
) -> NDArray[np.int32]:
    """Where the words of contexts stand: the nearest kept ones around each occurrence.

    Parameters
    ----------
    occurrences : Occurrences
        Of a text of lexeme keys.
    is_kept : (n_types + 1,) bool
        False for what contexts leave out; the last is for tokens beyond the vocabulary.
    word_of_token : (n_types + 1,) int32 or None
        From `number_words`; needed where the shape drops repeats.

    Returns
    -------
    places : (n, 2 * window) int32
        Positions in text order, the nearest in the middle; -1 where there is no word.
    """
    documents = np.unique(occurrences.documents)
    starts, ends = (occurrences.document_offsets[documents + i] for i in (0, 1))
    # Only these documents are looked at: a shard may be long, and its occurrences few.
    text = np.concatenate([np.empty(0, np.int64), *map(np.arange, starts, ends)]).astype(np.int32)
    tokens = occurrences.tokens[text]
    # Every place is a word of its own here, so that what is gathered are places.
    numbers = np.arange(len(text), dtype=np.int32)
    cut = Occurrences(
        numbers,
        np.append(0, np.cumsum(ends - starts)),
        np.searchsorted(text, occurrences.positions),
        (),
    )
    rows = np.where(is_kept[tokens], numbers, -1).astype(np.int32)
    words = None if word_of_token is None else word_of_token[tokens]
    found = gather_rows(cut, rows, shape, words)
    places: NDArray[np.int32] = np.append(text, np.int32(-1))[found]
    return places


def number_words(keys: Sequence[str]) -> NDArray[np.int32]:
    """(n_types + 1,) the same number for all keys of a word; the last, -1, is no word's."""
    numbers: dict[str, int] = {}
    found = [numbers.setdefault(decode_key(key)[0], len(numbers)) for key in keys]
    return np.array([*found, -1], np.int32)


def _number_places(used: NDArray[np.int32], places: NDArray[np.int32]) -> NDArray[np.int32]:
    """Places as indices into the sorted ``used``; -1 stays."""
    return np.where(places >= 0, np.searchsorted(used, places), -1).astype(np.int32)


def _keys_of(words: frozenset[str], vectors: WordVectors) -> frozenset[str]:
    """The keys of words, in any sense, that have a vector."""
    return frozenset(key for key in vectors.words if decode_key(key)[0] in words)


def _find_rows(
    labelled: LabelledWords, lexemes: LexemeVectors
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """What stands for the tokens of a labelled corpus.

    Returns
    -------
    row_of_token : (n_types + 1,) int32
        Row of a token id without senses, and the row that stands in for one with senses; -1 for
        what contexts leave out. The last entry is -1: it belongs to tokens beyond the vocabulary.
    row_of_sense : (n_words, most senses) int32
        Rows of the target words' senses, -1 where a sense has no vector.
    """
    targets, keys = labelled.targets, labelled.vocabulary.words
    row_of_token = np.append(lexemes.vectors.ids_of(keys), -1).astype(np.int32)
    row_of_sense = np.full((len(targets.words), targets.max_senses), -1, np.int32)
    standing = np.full(len(targets.words), -1, np.int32)
    for number, word in enumerate(targets.words):
        row = lexemes.standing_row(word, IDK_SENSE)
        if row is not None:
            standing[number] = row
        for sense, sense_row in lexemes.sense_rows(word).items():
            if sense <= targets.n_senses[number]:
                row_of_sense[number, sense - 1] = sense_row
    with_senses = targets.word_of_token >= 0
    row_of_token[with_senses] = standing[targets.word_of_token[with_senses]]
    dropped = labelled.function_words
    row_of_token[:-1][[decode_key(key)[0] in dropped for key in keys]] = -1
    return row_of_token, row_of_sense
