"""How a model measures occurrences and makes answers of distances, by its own limits."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.schema import check_arguments, either, instance_of, number, optional, text
from grassmeans.contexts.interface import ContextEncoder, OccurrenceSource
from grassmeans.errors import InputError
from grassmeans.geometry.distances import SenseLines, measure_senses
from grassmeans.senses.calibration import (
    CALIBRATION,
    Calibration,
    ConfidenceRule,
    SamenessCurve,
    Strangers,
    expect_sameness,
    expect_strangers,
)
from grassmeans.senses.decoding import (
    MODEL_THRESHOLD,
    IdkRule,
    IdkThreshold,
    Limits,
    SenseDistances,
    check_threshold,
)
from grassmeans.senses.inventory import SenseInventory
from grassmeans.tagging.answering import Answering, Decided
from grassmeans.tagging.comparing import compare_texts
from grassmeans.tagging.lemmas import Lemmas
from grassmeans.tagging.marked_text import AnyTokenizer
from grassmeans.tagging.tagging import OnProgress, passage_distances

_STRANGERS = 512
"""Words whose lines tell how near strangers are."""

_POSITIONS_AT_ONCE = 8192
_THRESHOLD = optional(either(number(0.0, 1.0), text, instance_of(ConfidenceRule)))


def _check_passages(passages: Any) -> str | None:
    sound = isinstance(passages, Sequence) and all(
        isinstance(passage, tuple | list)
        and len(passage) == 2
        and all(isinstance(side, str) for side in passage)
        for passage in passages
    )
    return None if sound else "a list of two texts each, before and after the word"


def _is_array(value: Any, n_axes: int, kinds: str) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == n_axes and value.dtype.kind in kinds


def _check_distances(distances: Any) -> str | None:
    expected = "an array (n, n_senses) that `distances` or `measure_at` gave"
    return None if _is_array(distances, 2, "f") and distances.shape[1] else expected


def _check_positions(positions: Any) -> str | None:
    expected = "an array of whole numbers, as `Corpus.positions` gives it"
    return None if _is_array(positions, 1, "iu") else expected


def _check_source(corpus: Any) -> str | None:
    return None if hasattr(corpus, "occurrences") else "a corpus"


class DecidingModel(ABC):
    """Contexts, senses and a calibration: what `grassmeans.models.model.SenseModel` decides by."""

    encoder: ContextEncoder
    inventory: SenseInventory
    tokenizer: AnyTokenizer
    manifest: dict[str, Any]

    @property
    @abstractmethod
    def lemmas(self) -> Lemmas | None:
        """Where inflected forms lead to; None where they stay what they are."""

    @abstractmethod
    def spell(self, word: str) -> str:
        """A word as the model spells it: in lower case, say."""

    @cached_property
    def calibration(self) -> Calibration | None:
        """How distances become probabilities to be right; None for a model that was not asked."""
        values = self.manifest.get(CALIBRATION)
        if values is None:
            return None
        found = Calibration.from_dict(values)
        if found.strangers is None and self.encoder.lines_have_ends:
            return replace(found, strangers=self._strangers)
        return found

    @cached_property
    def _strangers(self) -> Strangers | None:
        """What can be told by the lines of a model that did not store it."""
        words = [word for word, n_senses in self.inventory.sense_counts.items() if n_senses == 1]
        some = words[:: len(words) // _STRANGERS + 1]
        usual = [self.inventory.usual_distance(word) for word in some[:: _STRANGERS // 32]]
        lines = [self.inventory.directions(word) for word in some]
        return expect_strangers(np.concatenate(lines), usual) if lines else None

    @cached_property
    def sameness(self) -> SamenessCurve | None:
        """How likely two contexts have one sense: as stored, or as the lines of senses tell."""
        if self.calibration is not None and self.calibration.same_sense is not None:
            return self.calibration.same_sense
        if not self.encoder.lines_have_ends:
            return None
        words = [word for word, n_senses in self.inventory.sense_counts.items() if n_senses > 1]
        some = words[:: len(words) // _STRANGERS + 1]
        cosines: list[NDArray[np.floating]] = [np.empty(0)]
        for word in some:
            lines = np.asarray(self.inventory.directions(word))
            lines = lines[lines.any(axis=1)]  # a hidden sense is zeros
            cosines.append((lines @ lines.T)[np.triu_indices(len(lines), 1)])
        entries = [self.inventory[word] for word in some[:: _STRANGERS // 32]]
        shown = [sense for entry in entries for sense in entry.senses if not sense.hidden]
        distances = [sense.mean_distance for sense in shown]
        return expect_sameness(np.concatenate(cosines), distances, self.encoder.vectors.dim)

    @check_arguments(text1=text, text2=text)
    def same_sense(self, text1: str, text2: str, word: str) -> float:
        """How likely a word means the same in two texts, where that is as likely as not.

        It goes by how alike the two contexts are, whatever senses the model has of the word: also
        for words that it has none of.

        Parameters
        ----------
        text1, text2 : str
            Their first occurrence of the word counts, or the one marked ``<b>word</b>``, which may
            be an inflected form.

        Returns
        -------
        float
            From 0 to 1; 0.5 where nothing is known around the word in one of the texts.

        Raises
        ------
        InputError
            Where a text lacks the word; for models that have not learnt it, and whose lines do not
            tell: those of word vectors, built without a calibration.

        Examples
        --------
        >>> bird = "A crane with long legs waded through the marsh in search of frogs."
        >>> machine = "The crane lifted the steel beams onto the roof."
        >>> round(model.same_sense(bird, machine, "crane"), 2)  # doctest: +SKIP
        0.28
        """
        if self.sameness is None:
            raise InputError(
                "this model does not know how alike two contexts of one sense are: build it again, "
                "calibrated, from enough text"
            )
        key, texts = self.spell(word), (text1, text2)
        alike = compare_texts(texts, key, self.encoder, self.tokenizer, self.lemmas)
        return 0.5 if math.isnan(alike) else float(self.sameness.probability(alike))

    @property
    def idk_threshold(self) -> IdkRule:
        """When this model says "I don't know".

        Where it is calibrated, below a probability to be right of 0.7, or what its kind of context
        has for it, 0.5 for two voices; else from a distance on, its own or that of its kind of
        context, which is the paper's 0.6 for subspaces.
        """
        if self.calibration is not None and "idk_threshold" not in self.manifest:
            return ConfidenceRule(self.calibration, self.encoder.answer_confidence)
        distance = self.manifest.get("idk_threshold", self.encoder.idk_distance)
        return None if distance is None else float(distance)

    @check_arguments(idk_threshold=_THRESHOLD)
    def choose_threshold(
        self, idk_threshold: IdkThreshold = MODEL_THRESHOLD, confidence: float | None = None
    ) -> IdkRule:
        """A rule for "I don't know": the model's own for "model".

        Parameters
        ----------
        confidence : float, optional
            The smallest probability to be right, in place of a threshold.
        """
        if confidence is not None:
            if self.calibration is None:
                raise InputError(
                    "this model is not calibrated, so it has no confidence: build it again, or "
                    "give a distance as idk_threshold"
                )
            return ConfidenceRule(self.calibration, confidence)
        if isinstance(idk_threshold, str) and idk_threshold == MODEL_THRESHOLD:
            return self.idk_threshold
        return check_threshold(idk_threshold)

    @check_arguments()
    def choose_sharpness(self, sharpness: float | None = None) -> float:
        """How sharp soft answers are: as asked, or as suits the model's kind of context."""
        return self.encoder.sharpness if sharpness is None else sharpness

    def answering(
        self,
        idk_threshold: IdkThreshold = MODEL_THRESHOLD,
        confidence: float | None = None,
        sharpness: float | None = None,
    ) -> Answering:
        """How this model makes answers of distances, as asked for or by its own rule."""
        rule = self.choose_threshold(idk_threshold, confidence)
        return Answering(rule, self.calibration, self.choose_sharpness(sharpness))

    @check_arguments(distances=_check_distances)
    def decide(
        self,
        word: str,
        distances: NDArray[np.floating],
        *,
        idk_threshold: IdkThreshold = MODEL_THRESHOLD,
        confidence: float | None = None,
    ) -> Decided:
        """The senses of a word's occurrences, by their distances and the model's own limits.

        Parameters
        ----------
        distances : (n, n_senses)
            From `distances` or `measure_at`.
        idk_threshold, confidence
            As for `tag`.

        Examples
        --------
        >>> around = [("The ", " lifted the steel beams.")]  # doctest: +SKIP
        >>> model.decide("crane", model.distances("crane", around)).senses  # doctest: +SKIP
        array([1])
        """
        usual = self.inventory.usual_distance(self.spell(word))
        return self.answering(idk_threshold, confidence).decide(distances, usual)

    def measure_at(
        self,
        corpus: OccurrenceSource,
        positions: NDArray[np.int64],
        directions: NDArray[np.float32],
        on_progress: OnProgress | None = None,
    ) -> NDArray[np.float32]:
        """(n, n_senses) distances of occurrences at positions of a corpus, in text order.

        A corpus is read in its documents, as `grassmeans label` and `grassmeans induce` do, not
        sentence by sentence as a text is tagged.

        Parameters
        ----------
        directions : (n_senses, dim) float32
            Of the word's senses: `SenseInventory.directions`.
        """
        lines = SenseLines.collect([directions])
        distances = np.full((len(positions), lines.most_senses), np.nan, np.float32)
        for start in range(0, len(positions), _POSITIONS_AT_ONCE):
            part = slice(start, start + _POSITIONS_AT_ONCE)
            for inside, occurrences in corpus.occurrences(positions[part]):
                same = np.zeros(len(occurrences), np.int64)
                distances[part][inside] = self.encoder.measure(occurrences, same, lines)
            if on_progress is not None:
                on_progress(start / len(positions))
        return distances

    def measure_bases(
        self, bases: NDArray[np.float32], directions: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """(n, n_senses) distances of contexts that were encoded before; NaN for bases of zeros."""
        same = np.zeros(len(bases), np.int64)
        lines = SenseLines.collect([directions])
        return measure_senses(bases, same, lines, signed=self.encoder.lines_have_ends)

    @check_arguments(corpus=_check_source, positions=_check_positions)
    def senses_at(
        self, corpus: OccurrenceSource, word: str, positions: NDArray[np.int64]
    ) -> Decided:
        """The senses of a word's occurrences at positions of a corpus, in text order."""
        key = self.spell(word)
        found = self.measure_at(corpus, positions, self.inventory.directions(key))
        return self.decide(key, found)

    @check_arguments(passages=_check_passages)
    def distances(self, word: str, passages: Sequence[tuple[str, str]]) -> SenseDistances:
        """(n_passages, n_senses) distances of occurrences to the senses of a word.

        Parameters
        ----------
        passages : sequence of (left, right)
            The text before and after each occurrence; the occurrence itself, which may be an
            inflected form, is left out.

        Returns
        -------
        SenseDistances
            An array of float32; a row of NaN has too few known words around it. It knows the
            model's own limits, by which `decide`, `grassmeans.decode` and `decode_hard` turn it
            into senses, and `decode_soft` into probabilities.
        """
        key = self.spell(word)
        found = passage_distances(
            key, passages, self.inventory, self.encoder, self.tokenizer, self.lemmas
        )
        usual = self.inventory.usual_distance(key)
        return SenseDistances(found, Limits(self.idk_threshold, self.choose_sharpness(), usual))
