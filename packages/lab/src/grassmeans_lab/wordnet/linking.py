"""The synset of WordNet that an induced sense is nearest to.

An induced sense is told by its characteristic and nearest words; a synset by the words of its gloss
(as in the first step of Chen et al. 2014), and by what follows for it from its words and those
around them in WordNet (AutoExtend). All are unit vectors from which what all words have in common
is taken out, and the largest cosine wins (`scripts/wordnet_links.py` measures it).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats
from grassmeans.lexemes.lexeme_vectors import open_lexemes
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import WordSenses
from grassmeans.vectors.similarity import inverse_norms
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.evaluation.sense_vectors import merge_lexemes
from grassmeans_lab.wordnet.database import Synset, WordNet
from grassmeans_lab.wordnet.synset_vectors import GlossVectors, Lexicon, extend_vectors

NEAR = 0.3
"""From this cosine on a synset is named. Of a hundred senses, hardly any of those that WordNet has
lie farther from all synsets of the word, and most of those that it does not have, names above all;
the number was chosen with a look at them."""

_AROUND = ("@", "~", "&", "$", "+", "^")  # hypernyms, hyponyms, similar, verb groups, derived
_MOST_WORDS = 1_500
"""Of WordNet's words around a word: what is farther away changes its synsets' vectors little."""

_COMMON_WORDS = 20_000  # whose mean is what all words have in common


@dataclass(frozen=True, slots=True)
class SynsetLink:
    """The synset that an induced sense is nearest to, and how near it is."""

    synset: Synset
    cosine: float

    def __str__(self) -> str:
        """The synset's first lemma, its part of speech and its gloss, for people."""
        synset = self.synset
        return f"{synset.lemmas[0].replace('_', ' ')} ({synset.pos}): {synset.definition}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "synset": self.synset.name,
            "lemmas": list(self.synset.lemmas),
            "definition": self.synset.definition,
            "cosine": round(self.cosine, 4),
        }


@dataclass(frozen=True)
class SynsetLinker:
    """Finds the synsets that induced senses are nearest to.

    Parameters
    ----------
    vectors : WordVectors
        In which senses and synsets are compared.
    """

    wordnet: WordNet
    vectors: WordVectors

    @classmethod
    def of_model(cls, wordnet: WordNet, model: SenseModel) -> SynsetLinker:
        """With the vectors of a model's words: those of its lexemes, where it has some.

        Where contexts are learned, the vectors that go into them are not made to be compared.
        """
        lexemes = open_lexemes(model)
        return cls(wordnet, model.vectors if lexemes is None else merge_lexemes(lexemes))

    def link_entry(self, entry: WordSenses) -> list[SynsetLink | None]:
        """The synset of each sense of an inventory's word."""
        told = [[*sense.characteristic_words, *sense.nearest_words] for sense in entry.senses]
        return self.link(entry.word, told)

    def link(self, word: str, senses: Sequence[Sequence[str]]) -> list[SynsetLink | None]:
        """The synset of each induced sense of a word.

        Parameters
        ----------
        senses : sequence of sequence of str
            Words that tell each sense.

        Returns
        -------
        list of SynsetLink or None
            None where no synset of the word is near: it has none, WordNet does not have the sense,
            or nothing is known of it.
        """
        synsets = self.find_synsets(word)
        if not synsets:
            return [None] * len(senses)
        candidates = self.place_synsets(word, synsets)
        return [self._choose(synsets, candidates @ self.place_words(words)) for words in senses]

    def find_synsets(self, word: str) -> list[Synset]:
        """All synsets of the lemmas that a word may be a form of."""
        return [
            sense.synset
            for lemma in self.wordnet.base_forms(word.lower())
            for sense in self.wordnet.senses_of(lemma)
        ]

    def place_words(self, words: Iterable[str]) -> Floats:
        """(dim,) the unit vector of an induced sense; zeros where no word of it is known."""
        rows = self.vectors.ids_of(words)
        return self._average(rows[rows >= 0])

    def place_synsets(self, word: str, synsets: Sequence[Synset]) -> Floats:
        """(n_synsets, dim) unit vectors, half gloss and half AutoExtend."""
        return scale_to_unit(self.place_glosses(word, synsets) + self.extend_synsets(synsets))

    def place_glosses(self, word: str, synsets: Sequence[Synset]) -> Floats:
        """(n_synsets, dim) unit vectors; what the word itself says in its glosses is left out."""
        return np.stack(
            [
                self._average(
                    [row for one, row in self._glosses.read(synset).items() if one != word]
                )
                for synset in synsets
            ]
        )

    def extend_synsets(self, synsets: Sequence[Synset]) -> Floats:
        """(n_synsets, dim) AutoExtend's unit vectors, from the words around these synsets only.

        Zeros for a synset without words that have vectors.
        """
        lexicon = Lexicon.collect(self.wordnet, self._words_around(synsets))
        found = np.zeros((len(synsets), self.vectors.dim), np.float32)
        if not lexicon.words:
            return found
        rows = self.level(self.vectors.vectors[self.vectors.ids_of(lexicon.words)])
        levelled = WordVectors(lexicon.words, rows, check=False)
        extended = extend_vectors(lexicon, levelled, self.wordnet).synsets
        numbers = {place: number for number, place in enumerate(lexicon.synsets)}
        for i, synset in enumerate(synsets):
            number = numbers.get((synset.pos, synset.offset))
            if number is not None:
                found[i] = extended[number]
        return scale_to_unit(found)

    def _words_around(self, synsets: Sequence[Synset]) -> list[str]:
        """Lemmas of the synsets and of related ones, then of all synsets of these."""
        related = (one for synset in synsets for one in self.wordnet.related(synset, *_AROUND))
        near = list(dict.fromkeys([*self._lemmas(synsets), *self._lemmas(related)]))
        near = near[: _MOST_WORDS // 2]
        far = (sense.synset for lemma in near for sense in self.wordnet.senses_of(lemma))
        return list(dict.fromkeys([*near, *self._lemmas(far)]))[:_MOST_WORDS]

    def _lemmas(self, synsets: Iterable[Synset]) -> Iterator[str]:
        """Those that have a vector."""
        lemmas = (lemma.lower() for synset in synsets for lemma in synset.lemmas)
        return (lemma for lemma in lemmas if lemma in self.vectors)

    def level(self, rows: Floats) -> Floats:
        """Unit rows without what all words have in common."""
        return scale_to_unit(scale_to_unit(rows) - self._common)

    def _choose(self, synsets: Sequence[Synset], cosines: Floats) -> SynsetLink | None:
        # Of synsets that are as near the first, which WordNet holds for commoner.
        best = int(np.argmax(cosines))
        return SynsetLink(synsets[best], float(cosines[best])) if cosines[best] >= NEAR else None

    def _average(self, rows: Sequence[int] | NDArray[np.int32]) -> Floats:
        chosen = np.asarray(rows, np.int64)
        sums: Floats = self.level(self.vectors.vectors[chosen]).sum(axis=0)
        mean: Floats = scale_to_unit(sums[None])[0]
        return mean

    @cached_property
    def _common(self) -> Floats:
        mean: Floats = scale_to_unit(self.vectors.vectors[:_COMMON_WORDS]).mean(axis=0)
        return mean

    @cached_property
    def _glosses(self) -> GlossVectors:
        return GlossVectors(self.wordnet, self.vectors)


def scale_to_unit(rows: Floats) -> Floats:
    """Every row at length 1; rows of zeros stay zero."""
    return rows * inverse_norms(rows)[:, None]
