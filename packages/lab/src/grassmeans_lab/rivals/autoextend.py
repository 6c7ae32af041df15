"""AutoExtend (Rothe and Schuetze 2015): vectors of lexemes and synsets from those of words.

No corpus is read. A word is the sum of its lexemes and a synset the sum of its lexemes; what
follows for both from the word vectors is found by sparse least squares
(`grassmeans_lab.wordnet.synset_vectors`). An occurrence has the sense whose synset has the
largest cosine with the mean of the words around it.

What differs from the publication, or is left open there:

- the publication trains an autoencoder whose layers are lexemes, with a matrix for each dimension;
  here the lexemes themselves are the unknowns, and the same squares are least: words against the
  sums of their lexemes, lexemes of a synset against each other, related synsets against each other;
- lexemes of a synset are alike (each its mean), in place of parts of it that are learnt;
- related are hypernyms, similar adjectives and groups of verbs;
- only single words, or phrases that the vectors have, are lemmas; inflected forms have the senses
  of their dictionary form.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats
from grassmeans.artifacts.checking import open_array
from grassmeans.artifacts.writing import write_array
from grassmeans.errors import InputError
from grassmeans.evaluation.systems import digest_of_vectors
from grassmeans.vectors.similarity import inverse_norms
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.rivals.atoms import smooth_inverse_frequencies
from grassmeans_lab.rivals.cosine_senses import CosineSenses, SenseDirections
from grassmeans_lab.rivals.interface import (
    Material,
    RivalInducer,
    Windows,
    check_at_least_one,
    is_kept,
    keep_work,
)
from grassmeans_lab.rivals.wordnet_senses import known_bases, list_synsets, require_known
from grassmeans_lab.wordnet.database import WordNet
from grassmeans_lab.wordnet.synset_vectors import ExtendedVectors, Lexicon, extend_vectors

_KIND = "autoextend"
_LEXEMES, _SYNSETS = "lexemes.npy", "synsets.npy"


@dataclass(eq=False)
class AutoExtendSenses(RivalInducer):
    """WordNet's senses of words, as far as the words of both are the same.

    Parameters
    ----------
    wordnet : str, optional
        WordNet's folder or zip file; where NLTK keeps it by default.
    window : int
        Kept words a side in a context.
    smoothing : float or None
        A context is the mean of its words' vectors weighted by a / (a + frequency); None weighs all
        words alike.
    """

    name: ClassVar[str] = "autoextend"

    wordnet: str | None = None
    window: int = 10
    _: KW_ONLY
    smoothing: float | None = 1e-3

    def induce(self, material: Material) -> CosineSenses:
        """Extend the word vectors, or open what was made of them before, and look words up.

        `InputError` where there is no WordNet, or it has none of the words.
        """
        check_at_least_one(window=self.window)
        if self.smoothing is not None and not self.smoothing > 0.0:
            raise InputError(f"smoothing must be above 0, or None; got {self.smoothing}")
        wordnet = WordNet.open(self.wordnet)
        lexicon = Lexicon.collect(wordnet, material.vectors.words)
        bases = known_bases(wordnet, material.words, material)
        rows = _rows_of_lexemes(lexicon, wordnet, bases)
        require_known(rows, material, wordnet)
        extended = self._keep_vectors(material, wordnet, lexicon)
        directions = {
            word: _scale_to_unit(extended.synsets[lexicon.synset_of[chosen]])
            for word, chosen in rows.items()
        }
        lexemes = np.concatenate(
            [np.empty((0, material.vectors.dim), np.float32)]
            + [extended.lexemes[chosen] for chosen in rows.values()]
        )
        return CosineSenses(
            SenseDirections.collect(directions, material.vectors.dim),
            Windows.of(material, self.window),
            smooth_inverse_frequencies(material.vectors, self.smoothing),
            sense_vectors=lexemes,
        )

    def _keep_vectors(
        self, material: Material, wordnet: WordNet, lexicon: Lexicon
    ) -> ExtendedVectors:
        folder = material.folder
        if folder is None:
            return extend_vectors(lexicon, material.vectors, wordnet)
        identity = {"vectors": digest_of_vectors(material.vectors), "wordnet": wordnet.digest}
        if not is_kept(folder, _KIND, identity):
            with keep_work(folder, _KIND, identity) as building:
                found = extend_vectors(lexicon, material.vectors, wordnet)
                write_array(building.folder / _LEXEMES, found.lexemes)
                write_array(building.folder / _SYNSETS, found.synsets)
        return _open_vectors(folder, lexicon, material.vectors)


def _open_vectors(folder: Path, lexicon: Lexicon, vectors: WordVectors) -> ExtendedVectors:
    shapes = {_LEXEMES: len(lexicon.word_of), _SYNSETS: len(lexicon.synsets)}
    lexemes, synsets = (
        open_array(folder / name, np.float32, (n_rows, vectors.dim))
        for name, n_rows in shapes.items()
    )
    return ExtendedVectors(lexicon, lexemes, synsets)


def _rows_of_lexemes(
    lexicon: Lexicon, wordnet: WordNet, bases: dict[str, str]
) -> dict[str, NDArray[np.int64]]:
    """The lexemes of each word, or of its dictionary form, those seen more often first."""
    numbers = {word: number for number, word in enumerate(lexicon.words)}
    found = {}
    for word, base in bases.items():
        number = numbers.get(base)  # a dictionary form may have no vector
        if number is None:
            continue
        first = int(lexicon.offsets[number])
        places = lexicon.synset_of[first : int(lexicon.offsets[number + 1])].tolist()
        of_place = {lexicon.synsets[place]: first + i for i, place in enumerate(places)}
        order = (of_place[synset.pos, synset.offset] for synset in list_synsets(wordnet, base))
        found[word] = np.fromiter(order, np.int64)
    return found


def _scale_to_unit(rows: Floats) -> Floats:
    return rows * inverse_norms(rows)[:, None]
