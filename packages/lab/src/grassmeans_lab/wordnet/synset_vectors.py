"""Vectors of WordNet's synsets in the space of given word vectors, made without a corpus.

Two ways. A gloss says what a synset means, so the mean of its words' vectors is a vector of the
synset (Chen et al. 2014). And WordNet says which words are in which synsets: a word is the sum of
its lexemes (the word in one synset), a synset the sum of its lexemes, and from the words' vectors
those of lexemes and synsets follow (AutoExtend, Rothe and Schuetze 2015).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, vstack

from grassmeans.arrays import Doubles, Floats
from grassmeans.corpus.vocabulary import load_function_words
from grassmeans.vectors.similarity import inverse_norms
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.wordnet.database import PARTS_OF_SPEECH, Synset, WordNet

SynsetPlace = tuple[str, int]
"""Part of speech and offset."""

_WORD = re.compile(r"[a-z]{2,}")
_RELATED = ("@", "&", "$")  # hypernyms, similar adjectives, groups of verbs
_TOLERANCE = 1e-3
_MAX_STEPS = 200


@dataclass(frozen=True)
class Lexicon:
    """Which words of a vocabulary are in which synsets; a lexeme is such a pair.

    Attributes
    ----------
    words : tuple of str
        Lemmas that have a vector.
    synsets : tuple of (str, int)
        Part of speech and offset of each.
    word_of, synset_of : (n_lexemes,) int64
        The word and the synset of each lexeme, by their positions above; those of a word stand
        together, nouns first, in WordNet's order.
    """

    words: tuple[str, ...]
    synsets: tuple[SynsetPlace, ...]
    word_of: NDArray[np.int64]
    synset_of: NDArray[np.int64]

    @classmethod
    def collect(cls, wordnet: WordNet, words: Iterable[str]) -> Lexicon:
        """Look words up; those that WordNet does not have as they stand are left out."""
        numbers: dict[SynsetPlace, int] = {}
        known: list[str] = []
        word_of: list[int] = []
        synset_of: list[int] = []
        for word in dict.fromkeys(words):
            places = find_synsets(wordnet, word)
            word_of += [len(known)] * len(places)
            synset_of += [numbers.setdefault(place, len(numbers)) for place in places]
            known += [word] if places else []
        return cls(
            tuple(known),
            tuple(numbers),
            np.array(word_of, np.int64),
            np.array(synset_of, np.int64),
        )

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """(n_words + 1,) where the lexemes of each word begin, and the end."""
        counts = np.bincount(self.word_of, minlength=len(self.words))
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def relate_synsets(self, wordnet: WordNet) -> NDArray[np.int64]:
        """(n_relations, 2) pairs of synsets that WordNet relates, each as often as it says so."""
        numbers = {place: number for number, place in enumerate(self.synsets)}
        pairs = [
            (number, other)
            for place, number in numbers.items()
            for pointer in wordnet.synset(*place).pointers
            if pointer.symbol in _RELATED
            and (other := numbers.get((pointer.pos, pointer.offset))) is not None
        ]
        return np.array(pairs, np.int64).reshape(-1, 2)


def find_synsets(wordnet: WordNet, lemma: str) -> list[SynsetPlace]:
    """The synsets of a lemma, nouns first, in WordNet's order."""
    return [
        (pos, offset) for pos in PARTS_OF_SPEECH for offset in wordnet.index[pos].get(lemma, ())
    ]


@dataclass(frozen=True, slots=True)
class ExtendedVectors:
    """Vectors of lexemes (n_lexemes, dim) and synsets (n_synsets, dim) of a lexicon, float32."""

    lexicon: Lexicon
    lexemes: Floats
    synsets: Floats


def extend_vectors(lexicon: Lexicon, vectors: WordVectors, wordnet: WordNet) -> ExtendedVectors:
    """Find the lexemes and synsets that words are made of, by sparse least squares.

    In each dimension, the squares of these are least together:

    - a word less the sum of its lexemes;
    - a lexeme less the mean of its synset's lexemes, which is the synset over their number;
    - the means of two synsets that are related, one less the other;
    - a lexeme less its even share of the word.

    Without the last, senses that few words share would be anything that makes the sums come out.
    All dimensions have the same sparse matrix, so one product serves a step of conjugate gradients
    in all of them.

    Parameters
    ----------
    lexicon : Lexicon
        Its words have vectors.
    """
    n_lexemes = len(lexicon.word_of)
    places = np.arange(n_lexemes)
    n_of_word = np.bincount(lexicon.word_of, minlength=len(lexicon.words))
    n_of_synset = np.bincount(lexicon.synset_of, minlength=len(lexicon.synsets))
    sums = _incidence(lexicon.word_of, places, (len(lexicon.words), n_lexemes))
    gathered = _incidence(lexicon.synset_of, places, (len(lexicon.synsets), n_lexemes))
    means = diags_array(1.0 / np.maximum(n_of_synset, 1)) @ gathered
    identity = diags_array(np.ones(n_lexemes))
    pairs = lexicon.relate_synsets(wordnet)
    system = vstack(
        [
            sums,
            identity - gathered.T @ means,
            means[pairs[:, 0]] - means[pairs[:, 1]],
            identity,
        ],
        format="csr",
    )
    targets = vectors.vectors[vectors.ids_of(lexicon.words)]
    n_shares = n_of_word[lexicon.word_of, None].astype(np.float32)
    shares: Floats = targets[lexicon.word_of] / n_shares
    wanted = sums.T @ targets + shares
    lexemes = _solve_columns((system.T @ system).tocsr(), wanted, shares)
    return ExtendedVectors(lexicon, lexemes, (gathered @ lexemes).astype(np.float32))


def _incidence(
    rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]
) -> csr_array:
    return csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape)


def _solve_columns(matrix: csr_array, wanted: Floats, start: Floats) -> Floats:
    """Solve ``matrix @ x = wanted`` by conjugate gradients, all columns side by side.

    Every column has its own step lengths; the last one that is as good as asked for ends it.
    """
    matrix = matrix.astype(np.float32)
    found = start.astype(np.float32)
    residual = (wanted - matrix @ found).astype(np.float32)
    direction = residual.copy()
    squares = _squared_columns(residual)
    enough = _TOLERANCE**2 * np.maximum(_squared_columns(wanted), 1e-30)
    for _ in range(_MAX_STEPS):
        if (squares <= enough).all():
            break
        product = matrix @ direction
        curvature = np.einsum("nd,nd->d", direction, product, dtype=np.float64)
        step = np.where(curvature > 0.0, squares / np.where(curvature > 0.0, curvature, 1.0), 0.0)
        found += step.astype(np.float32) * direction
        residual -= step.astype(np.float32) * product
        before, squares = squares, _squared_columns(residual)
        turn = np.where(before > 0.0, squares / np.where(before > 0.0, before, 1.0), 0.0)
        direction = residual + turn.astype(np.float32) * direction
    return found


def _squared_columns(matrix: Floats) -> Doubles:
    squares: Doubles = np.einsum("nd,nd->d", matrix, matrix, dtype=np.float64)
    return squares


@dataclass(frozen=True)
class GlossVectors:
    """Synsets as the mean of their glosses' words.

    Parameters
    ----------
    least_cosine : float
        Words of a gloss count whose vectors have a larger cosine with that of the word in question.
    """

    wordnet: WordNet
    vectors: WordVectors
    least_cosine: float = 0.0
    # The words of each gloss with their rows: forms of one word ask for the same ones.
    _read: dict[str, dict[str, int]] = field(default_factory=dict, init=False, repr=False)

    def find(self, word: str, synsets: Sequence[Synset]) -> Floats:
        """(n_synsets, dim) means of unit vectors; the word's own where a gloss says nothing.

        Parameters
        ----------
        word : str
            Has a vector.
        """
        own = self._unit_rows(np.array([self.vectors.id_of(word)]))[0]
        return np.stack([self._find_one(word, own, synset) for synset in synsets])

    def _find_one(self, word: str, own: Floats, synset: Synset) -> Floats:
        known = self.read(synset)
        rows = np.array([row for other, row in known.items() if other != word], np.int32)
        units = self._unit_rows(rows)
        units = units[units @ own > self.least_cosine]
        return units.mean(axis=0) if len(units) else own

    def read(self, synset: Synset) -> dict[str, int]:
        """The words of definition, examples and lemmas that have a vector, with their rows."""
        known = self._read.get(synset.name)
        if known is None:
            known = self._read[synset.name] = self._look_up(synset)
        return known

    def _look_up(self, synset: Synset) -> dict[str, int]:
        text = " ".join([synset.definition, *synset.examples, *synset.lemmas]).lower()
        words = dict.fromkeys(_WORD.findall(text.replace("_", " ")))
        rows = {
            word: self.vectors.id_of(word) for word in words if word not in self._function_words
        }
        return {word: row for word, row in rows.items() if row is not None}

    def _unit_rows(self, rows: NDArray[np.int32]) -> Floats:
        chosen = self.vectors.vectors[rows]
        return chosen * inverse_norms(chosen)[:, None]

    @cached_property
    def _function_words(self) -> frozenset[str]:
        return load_function_words("en")
