"""Lexemes (a word in one sense) and their vectors: look-up, neighbours, similarity.

Which vector stands for a lexeme that has none of its own is decided here, once:

- hard: ``word.k``, then ``word.0`` (the vector of the occurrences labelled "I don't know"), then
  the plain ``word``, then the word's most frequent lexeme;
- soft: the probability of senses without a vector is spread over the word's other senses in
  proportion to theirs; where no sense has one, as for hard.

A word that has no vector under any of these names has no similarity: the answer is None.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from grassmeans.arrays import Doubles, Floats
from grassmeans.errors import ArtifactError, InputError, UnknownWordError
from grassmeans.models.model import SenseModel
from grassmeans.senses.keys import IDK_SENSE, decode_key, encode_key
from grassmeans.vectors.similarity import Neighbour
from grassmeans.vectors.word_vectors import WordVectors, open_vectors

_ROUNDING = 1e-4  # probabilities may come in float32, or rounded by hand


class LexemeVectors:
    """Vectors whose words are lexeme keys: ``crane.1``, ``crane.2``, ``crane.0``, ``harbour``.

    Parameters
    ----------
    vectors : WordVectors
        Trained on a labelled corpus. Words without senses stand there as themselves. Everything
        that takes word vectors takes the attribute of this name.
    """

    def __init__(self, vectors: WordVectors) -> None:
        self.vectors = vectors

    @classmethod
    def load(cls, path: str | Path) -> LexemeVectors:
        """Open a folder that `grassmeans lexemes` wrote, or any vectors whose words are keys."""
        return cls(WordVectors.load(path))

    def __repr__(self) -> str:
        return f"LexemeVectors({len(self.vectors):,} lexemes, {self.vectors.dim} dimensions)"

    def __contains__(self, word: object) -> bool:
        """Whether the word has any vector at all."""
        return word in self._rows

    @property
    def words_with_senses(self) -> list[str]:
        """The words that have at least one numbered sense, in the order of the vectors."""
        return [word for word in self._rows if self.senses(word)]

    def counts_by_kind(self) -> dict[str, int]:
        """How many vectors belong to senses, to "I don't know", and to plain words."""
        senses = [sense for rows in self._rows.values() for sense in rows]
        return {
            "n_words_with_senses": len(self.words_with_senses),
            "n_senses": sum(sense is not None and sense > IDK_SENSE for sense in senses),
            "n_idk": senses.count(IDK_SENSE),
            "n_plain": senses.count(None),
        }

    def senses(self, word: str) -> list[int]:
        """The numbers of the word's senses that have a vector, in order; "I don't know" is none."""
        rows = self._rows.get(word, {})
        return sorted(sense for sense in rows if sense is not None and sense > IDK_SENSE)

    def keys(self, word: str) -> list[str]:
        """The keys of a word's vectors: its senses in order, "I don't know", the plain word."""
        rows = self._rows.get(word, {})
        order = [*self.senses(word), IDK_SENSE, None]
        return [self.vectors.words[rows[sense]] for sense in order if sense in rows]

    def has_idk(self, word: str) -> bool:
        """Whether the word's "I don't know" occurrences have a vector (``word.0``)."""
        return IDK_SENSE in self._rows.get(word, {})

    def vector(self, word: str, sense: int | None = None) -> Floats:
        """The vector of exactly this lexeme, (dim,); no other stands in for it.

        Senses are 1, 2, ...; 0 is "I don't know", None the plain word. `UnknownWordError` with the
        senses that the word has.
        """
        vector: Floats = self.vectors.vectors[self._row(word, sense)]
        return vector

    def nearest_lexemes(
        self, word: str, sense: int | None = None, n: int = 10, *, exclude: Collection[str] = ()
    ) -> list[Neighbour]:
        """The lexemes nearest to this one by cosine, best first, but for keys to leave out."""
        return self.vectors.most_similar(self.vectors.words[self._row(word, sense)], n, exclude)

    @property
    def most_similar(self) -> Callable[..., list[Neighbour]]:
        """The keys nearest to keys such as ``crane.2``: `WordVectors.most_similar`."""
        return self.vectors.most_similar

    def hard_similarity(
        self, word: str, sense: int | None, other_word: str, other_sense: int | None
    ) -> float | None:
        """HardSim: the cosine of two lexemes (section 5.4 of the paper).

        Senses are numbered from 1; 0 is "I don't know", None a word without senses. None comes
        back where a word has no vector at all; see the module for what stands in for what.
        """
        return _dot(self.hard_vector(word, sense), self.hard_vector(other_word, other_sense))

    def soft_similarity(
        self,
        word: str,
        probabilities: ArrayLike | None,
        other_word: str,
        other_probabilities: ArrayLike | None,
    ) -> float | None:
        """SoftSim: the expected cosine over the senses of both words (section 5.4 of the paper).

        Probabilities (n_senses,) are of the senses 1, 2, ...; None for a word without senses.
        """
        return _dot(
            self.soft_vector(word, probabilities), self.soft_vector(other_word, other_probabilities)
        )

    def average_similarity(self, word: str, other_word: str) -> float | None:
        """AvgSim: the mean cosine over the senses of both words, whatever their contexts.

        A word without senses counts as one with a single sense; None as for HardSim.
        """
        sides = self._sense_units(word), self._sense_units(other_word)
        return _dot(*(None if units is None else units.mean(axis=0) for units in sides))

    def maximum_similarity(self, word: str, other_word: str) -> float | None:
        """MaxSim: the largest cosine of a sense of the one word and a sense of the other."""
        first, second = self._sense_units(word), self._sense_units(other_word)
        if first is None or second is None:
            return None
        return float(np.clip((first @ second.T).max(), -1.0, 1.0))

    def _sense_units(self, word: str) -> Doubles | None:
        """(n_senses, dim) unit vectors of a word's senses, or of what stands for the word."""
        rows = list(self.sense_rows(word).values())
        if not rows and (row := self.standing_row(word, None)) is not None:
            rows = [row]
        return np.stack([self._unit(row) for row in rows]) if rows else None

    def hard_vector(self, word: str, sense: int | None) -> Doubles | None:
        """The unit vector that stands for a lexeme in HardSim, (dim,); None without any."""
        row = self.standing_row(word, sense)
        return None if row is None else self._unit(row)

    def standing_row(self, word: str, sense: int | None) -> int | None:
        """The row of the vector that stands for a lexeme; see the module. None without any."""
        rows = self._rows.get(word)
        if rows is None:
            return None
        for candidate in (sense, IDK_SENSE, None):
            if candidate in rows:
                return rows[candidate]
        return min(rows.values())

    def sense_rows(self, word: str) -> dict[int, int]:
        """Sense number -> row of its own vector, for the senses that have one."""
        rows = self._rows.get(word, {})
        return {sense: rows[sense] for sense in self.senses(word)}

    def soft_vector(self, word: str, probabilities: ArrayLike | None) -> Doubles | None:
        """The mean of the senses' unit vectors, weighted by their probabilities, (dim,).

        SoftSim is the inner product of two of these, because it is linear in either side:
        sum_k sum_l P_k Q_l cos(v_k, w_l) = (sum_k P_k v_k / |v_k|) . (sum_l Q_l w_l / |w_l|).
        """
        if probabilities is None:
            return self.hard_vector(word, None)
        weights = np.asarray(probabilities, dtype=np.float64)
        proper = weights.ndim == 1 and len(weights) > 0 and bool((weights >= 0.0).all())
        if not proper or abs(float(weights.sum()) - 1.0) > _ROUNDING:
            raise InputError(
                "the probabilities of a word's senses must be 0 or more and sum to 1, "
                f"got {weights.tolist()}"
            )
        rows = self._rows.get(word)
        if rows is None:
            return None
        known = [k for k in self.senses(word) if k <= len(weights) and weights[k - 1] > 0.0]
        if not known:
            return self.hard_vector(word, IDK_SENSE)
        mass = weights[np.array(known) - 1]
        units = np.stack([self._unit(rows[k]) for k in known])
        mean: Doubles = (mass / mass.sum()) @ units
        return mean

    @cached_property
    def _rows(self) -> dict[str, dict[int | None, int]]:
        """Word -> sense -> row; rows are in order of falling count."""
        table: dict[str, dict[int | None, int]] = {}
        for row, key in enumerate(self.vectors.words):
            word, sense = decode_key(key)
            table.setdefault(word, {})[sense] = row
        return table

    def _unit(self, row: int) -> Doubles:
        vector: Doubles = self.vectors.vectors[row].astype(np.float64)
        length = float(np.linalg.norm(vector))
        return vector / length if length > 0.0 else vector

    def _row(self, word: str, sense: int | None) -> int:
        rows = self._rows.get(word)
        if rows is None:
            raise UnknownWordError(
                f"{word!r} has no vector, in any sense, among the {len(self.vectors):,} lexemes"
            )
        if sense not in rows:
            asked = "without a sense" if sense is None else f"as {encode_key(word, sense)!r}"
            present = ", ".join(self.keys(word))
            raise UnknownWordError(f"{word!r} has no vector {asked}; there is: {present}")
        return rows[sense]


def _dot(first: Doubles | None, second: Doubles | None) -> float | None:
    if first is None or second is None:
        return None
    return float(np.clip(first @ second, -1.0, 1.0))


def open_lexemes(
    lexemes: LexemeVectors | WordVectors | SenseModel | str | Path,
) -> LexemeVectors | None:
    """Lexemes as they are, those of vectors or of their folder, or those of a model.

    A model of subspaces stores vectors of senses only. They were trained with all other words held
    fixed, so the word vectors of the model stand for the words without senses. Where contexts have
    a space of their own, lexemes have these words among them, whether they were trained or are the
    places of senses (`grassmeans.models.placed_lexemes`). None where the model has no lexeme
    vectors; `ArtifactError` where words and lexemes differ in their number of dimensions.
    """
    if isinstance(lexemes, LexemeVectors):
        return lexemes
    if not isinstance(lexemes, SenseModel):
        return LexemeVectors(open_vectors(lexemes))
    model = lexemes
    senses = model.lexemes
    if senses is None:
        return None
    if model.encoder.space_is_fixed:
        return LexemeVectors(senses)
    if senses.dim != model.vectors.dim:
        raise ArtifactError(
            f"the lexemes of this model have {senses.dim} dimensions, its words "
            f"{model.vectors.dim}: install or build it again"
        )
    rows_of_word: dict[str, list[int]] = defaultdict(list)
    for row, key in enumerate(senses.words):
        rows_of_word[decode_key(key)[0]].append(row)
    keys: list[str] = []
    sources: list[int] = []
    n_senses = len(senses)
    for row, word in enumerate(model.vectors.words):
        rows = rows_of_word.pop(word, None)
        keys += [encode_key(word)] if rows is None else [senses.words[i] for i in rows]
        sources += [n_senses + row] if rows is None else rows
    for rows in rows_of_word.values():  # senses of words that have no vector themselves
        keys += [senses.words[i] for i in rows]
        sources += rows
    stacked = np.concatenate([senses.vectors, model.vectors.vectors])
    joined = WordVectors(keys, stacked[sources], check=False)
    joined.manifest = {"lexemes": senses.manifest.get("lexemes", {})}
    return LexemeVectors(joined)
