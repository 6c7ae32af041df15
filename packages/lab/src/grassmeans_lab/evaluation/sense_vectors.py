"""Vectors of the senses that a system has found, for what compares words by their vectors."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.sparse import csr_array

from grassmeans.arrays import Floats
from grassmeans.evaluation.systems import ModelSenses, ModelSystem, Senses, System
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.senses.keys import decode_key, encode_key
from grassmeans.vectors.word_vectors import WordVectors


class VectorSenses(Senses):
    """Senses that may have vectors, and vectors of whole words to compare them with: here none."""

    @property
    def space(self) -> WordVectors | None:
        """Vectors of whole words that the sense vectors may be compared with, if there are any."""
        return None

    def sense_vectors(self, word: str) -> Floats | None:
        """(n_senses, dim) a vector for each sense, or None where there are none."""
        self.require(word)
        return None


def find_space(senses: Senses) -> WordVectors | None:
    """What the sense vectors may be compared with: of a model its words, or its lexemes merged."""
    if isinstance(senses, ModelSenses):
        return senses.encoder.vectors if senses.lexemes is None else merge_lexemes(senses.lexemes)
    return senses.space if isinstance(senses, VectorSenses) else None


def find_sense_vectors(senses: Senses, word: str) -> Floats | None:
    """(n_senses, dim) a vector for each sense, or None where there are none.

    Of a model its lexeme vectors, trained on a corpus that these senses labelled, or directions
    where it has no lexemes at all. For a sense whose lexeme has none another stands in, as
    `LexemeVectors` says.
    """
    senses.require(word)
    if not isinstance(senses, ModelSenses):
        return senses.sense_vectors(word) if isinstance(senses, VectorSenses) else None
    if senses.lexemes is None:
        return np.asarray(senses.inventory.directions(word))
    numbers = range(1, senses.n_senses(word) + 1)
    rows = [senses.lexemes.standing_row(word, number) for number in numbers]
    known = [row for row in rows if row is not None]
    # A word has a vector for each sense or, where it has none under any name, for no sense.
    return senses.lexemes.vectors.vectors[known] if known else None


def collect_lexemes(senses: Senses, targets: Iterable[str]) -> LexemeVectors | None:
    """Sense vectors of words under lexeme keys, and whole words under their own.

    Of a model its lexemes as they are, with "I don't know", where it has some. The words may be
    known in lower case only; None where none has a sense vector.
    """
    if isinstance(senses, ModelSenses) and senses.lexemes is not None:
        return senses.lexemes
    forms = dict.fromkeys(form for target in targets for form in (target, target.lower()))
    found: dict[str, Floats] = {}
    for word in (form for form in forms if form in senses):
        vectors = find_sense_vectors(senses, word)
        # A sense that got no vector in training is NaN.
        for number, vector in enumerate(vectors if vectors is not None else (), start=1):
            if np.isfinite(vector).all():
                found[encode_key(word, number)] = vector
    space = find_space(senses)
    if not found or space is None:
        return None
    found |= {encode_key(form): space[form] for form in forms if form in space}
    return LexemeVectors(WordVectors(list(found), np.stack(list(found.values()))))


def plain_vectors(system: System, senses: Senses) -> WordVectors:
    """What stands for whole words where senses are not looked at: of a model its word vectors."""
    space = None if isinstance(system, ModelSystem) else find_space(senses)
    return system.vectors if space is None else space


def merge_lexemes(lexemes: LexemeVectors) -> WordVectors:
    """Vectors of whole words in the space of the lexemes.

    The vector of a word is the mean of its lexemes' vectors, weighted by their counts where these
    are known: in the paper's model a word's vector is such a sum of those of its senses.
    """
    keys = lexemes.vectors.words
    numbers: dict[str, int] = {}
    owners = np.array([numbers.setdefault(decode_key(key)[0], len(numbers)) for key in keys])
    counts = lexemes.vectors.counts
    weights = np.ones(len(keys)) if counts is None else np.maximum(counts, 1).astype(np.float64)
    totals = np.bincount(owners, weights, minlength=len(numbers))
    shares = (weights / totals[owners]).astype(np.float32)
    mixing = csr_array((shares, (owners, np.arange(len(keys)))), (len(numbers), len(keys)))
    merged = mixing @ lexemes.vectors.vectors
    return WordVectors(list(numbers), merged, totals.astype(np.int64), check=False)
