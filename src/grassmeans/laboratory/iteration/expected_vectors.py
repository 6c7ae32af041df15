"""Occurrences of a labelled corpus -> expected vectors: the mean over the senses they may have.

Hard decoding passes one label on. Soft decoding passes all senses on, weighted by their
probabilities: an occurrence of a word with senses stands for sum_k P(k) v_k, with P from
`decode_soft` of its stored distances and v_k the lexeme vectors. What else may happen:

- a sense without a vector: its probability goes to the word's other senses, in proportion;
- no sense with any probability has a vector: ``word.0``, then the plain ``word``, then the word's
  most frequent lexeme stands in, as in `LexemeVectors`;
- too few known words around the occurrence to measure distances: all senses are equally likely;
- a word without senses is its plain vector;
- a word without any vector, or a function word, is no part of a context.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import Shard
from grassmeans.errors import InputError
from grassmeans.labelling.decoding import read_probabilities
from grassmeans.labelling.keys import decode_key
from grassmeans.labelling.stored import damaged, open_distances
from grassmeans.labelling.targets import Targets, read_targets
from grassmeans.lexemes.lexeme_vectors import LexemeVectors

_NO_ROW = -1


@dataclass(frozen=True, slots=True)
class Expectations:
    """What stands for the tokens of a labelled corpus.

    Attributes
    ----------
    vectors : (n_lexemes, dim) float32
    row_of_token : (n_types + 1,) int32
        Row of a token id without senses, and the row that stands in for one with senses; -1 for
        what contexts leave out. The last entry is -1: it belongs to tokens beyond the vocabulary.
    row_of_sense : (n_words, most senses) int32
        Rows of the target words' senses, -1 where a sense has no vector.
    targets : Targets
    sharpness : float
        Of the probabilities.
    """

    vectors: NDArray[np.float32]
    row_of_token: NDArray[np.int32]
    row_of_sense: NDArray[np.int32]
    targets: Targets
    sharpness: float


def find_expectations(labelled: Corpus, lexemes: LexemeVectors, sharpness: float) -> Expectations:
    """Look up the rows of all tokens and senses of a labelled corpus."""
    targets = read_targets(labelled)
    keys = labelled.vocabulary.words
    row_of_token = np.append(lexemes.vectors.ids_of(keys), _NO_ROW).astype(np.int32)
    row_of_sense = np.full((len(targets.words), targets.max_senses), _NO_ROW, np.int32)
    standing = np.full(len(targets.words), _NO_ROW, np.int32)
    for number, word in enumerate(targets.words):
        row = lexemes.standing_row(word, None)
        if row is not None:
            standing[number] = row
        for sense, sense_row in lexemes.sense_rows(word).items():
            if sense <= targets.n_senses[number]:
                row_of_sense[number, sense - 1] = sense_row
    with_senses = targets.word_of_token >= 0
    row_of_token[with_senses] = standing[targets.word_of_token[with_senses]]
    if not np.any(row_of_token >= 0):
        raise InputError(
            "the lexeme vectors and the labelled corpus have no word in common: was one made from "
            "the other?"
        )
    dropped = labelled.function_words
    row_of_token[:-1][[decode_key(key)[0] in dropped for key in keys]] = _NO_ROW
    vectors = lexemes.vectors.vectors
    return Expectations(vectors, row_of_token, row_of_sense, targets, sharpness)


class ExpectedShard:
    """A labelled shard whose occurrences have expected vectors.

    Parameters
    ----------
    shard : Shard
    expectations : Expectations
        Of the shard's corpus.
    """

    def __init__(self, shard: Shard, expectations: Expectations) -> None:
        self.shard = shard
        self.expectations = expectations
        self.tokens: NDArray[np.int32] = np.asarray(shard.tokens)
        self._stored = open_distances(
            shard.folder, len(self.tokens), expectations.targets.max_senses
        )

    def vectors_at(self, positions: NDArray[np.integer]) -> NDArray[np.float32]:
        """(n, dim) expected vectors of words that contexts keep, at positions in text order."""
        given = self.expectations
        table: NDArray[np.float32] = np.array(
            given.vectors[given.row_of_token[self.tokens[positions]]], np.float32
        )
        places, rows, weights = self._weigh_senses(positions)
        expected = np.zeros((len(places), table.shape[1]), np.float32)
        for k in range(rows.shape[1]):
            has = weights[:, k] > 0.0
            expected[has] += weights[has, k, None] * given.vectors[rows[has, k]]
        table[places] = expected
        return table

    def likeliest_rows(self, positions: NDArray[np.integer]) -> NDArray[np.int32]:
        """(n,) row of the likeliest sense with a vector, or of what stands for the word."""
        likeliest: NDArray[np.int32] = self.expectations.row_of_token[self.tokens[positions]]
        places, rows, weights = self._weigh_senses(positions)
        likeliest[places] = rows[np.arange(len(places)), weights.argmax(axis=1)]
        return likeliest

    def _weigh_senses(
        self, positions: NDArray[np.integer]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
        """Which of the positions are means over senses, the senses' rows and their weights.

        Returns
        -------
        places : (m,) int64
            Indices into ``positions``.
        rows : (m, most senses) int32
        weights : (m, most senses) float32
            Rows sum to 1; 0 for senses without a vector.
        """
        given = self.expectations
        places = np.flatnonzero(given.targets.word_of_token[self.tokens[positions]] >= 0)
        found = np.searchsorted(self._stored.positions, positions[places])
        beyond = found.max(initial=-1) >= len(self._stored)
        if beyond or not np.array_equal(self._stored.positions[found], positions[places]):
            raise damaged(self.shard.folder, "the distances do not belong to the tokens")
        words, probabilities = read_probabilities(
            self.shard, self._stored, found, given.targets, given.sharpness
        )
        rows = given.row_of_sense[words]
        weights = np.where(rows >= 0, probabilities, 0.0)
        mass = weights.sum(axis=1)
        usable = mass > 0.0
        weights = (weights[usable] / mass[usable, None]).astype(np.float32)
        return places[usable], rows[usable], weights
