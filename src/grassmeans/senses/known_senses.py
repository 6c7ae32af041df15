"""Few contexts of a word, seen in the light of senses of it that are known already.

A context is its sense's line, as far as that lies inside it, and else a direction of its own
(`grassmeans.senses.calibration`). Of many contexts the rest is noise that goes by itself. Of four
sentences in different words it is most of what there is: each seems a sense of its own, or none
does. Where contexts are those of a model, and the model has senses of the word from more text than
these few, they tell which part of a context is the sense. So before few contexts x are grouped,
that part is added once more,

    x' = x + q sum_k p_k c_k d_k

of unit length, with d_k, the line of sense k; c_k, how much of it lies inside its contexts usually;
p_k, how likely the context has this sense of those that are known; and q, how likely it has a known
one at all, and is no stranger. All of these are the model's own: other lines bring other numbers.

What is known does not decide: contexts of two known senses are one group where they lie near, and a
sense that the model lacks is found where contexts are far from all that it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.clustering.sense_number import find_different
from grassmeans.geometry.distances import measure_distances
from grassmeans.senses.calibration import Strangers, measure_inside
from grassmeans.senses.decoding import decode_soft
from grassmeans.senses.entries import WordSenses
from grassmeans.vectors.similarity import unit_rows


@dataclass(frozen=True, slots=True)
class KnownSenses:
    """Senses that a model has, to group few new contexts by; its lines have ends.

    Attributes
    ----------
    entries : mapping of str to WordSenses
        An inventory, or a part of one.
    strangers : Strangers
        How near contexts of other words come to a line.
    sharpness : float
        Of soft decoding.
    """

    entries: Mapping[str, WordSenses]
    strangers: Strangers
    sharpness: float

    def only(self, words: Iterable[str]) -> KnownSenses:
        """Those of some words, as many as there are: no more is sent to a worker."""
        chosen = {word: self.entries[word] for word in words if word in self.entries}
        return replace(self, entries=chosen)

    def add_to(self, word: str, bases: Floats, few: int) -> Floats:
        """Contexts (n, 1, dim) of a word with what is known; as they are, where they are not few.

        Few are fewer different ones than ``few``. Of a word without known senses there is nothing
        to add.
        """
        if word not in self.entries:
            return bases
        different = find_different(bases)
        if len(different) >= few:
            return bases
        entry = self.entries[word]
        shown = [i for i, sense in enumerate(entry.senses) if not sense.hidden]
        if not shown:
            return bases
        # What is repeated stays the same to the last digit: it counts once where few are grouped.
        rows = {bases[i].tobytes(): row for row, i in enumerate(different.tolist())}
        return self._move(bases[different], entry, shown)[[rows[x.tobytes()] for x in bases]]

    def _move(self, bases: Floats, entry: WordSenses, shown: list[int]) -> Floats:
        """Contexts with their part of the senses ``shown``."""
        lines = np.asarray(entry.directions)[shown]
        usual = np.array([entry.senses[i].mean_distance for i in shown])
        distances = measure_distances(bases, lines, signed=True)
        nearest = distances.argmin(axis=1)
        known = self.strangers.confidence(distances.min(axis=1), usual[nearest])
        weights = decode_soft(distances, self.sharpness) * measure_inside(usual)
        moved = bases[:, 0] + known[:, None] * (weights @ lines)
        return unit_rows(moved)[:, None].astype(np.float32)
