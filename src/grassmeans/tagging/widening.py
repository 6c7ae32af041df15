"""Which stretch of running text decides for a sense: the sentence, or more where it says little.

The rule, the same wherever text is tagged:

1. A word is measured in its own sentence alone.
2. Where that says little, it is measured again with one sentence before and one after, and where
   these too say little, with the whole text, as far as the kind of context reads. A stretch says
   little with fewer than `ENOUGH_WORDS` known words beside the word itself, function words not
   counted, and where a calibrated model is less sure of it than its own rule asks for. In the
   second case it ends before a sentence that has the same word again: what that sentence says, it
   says of its own word, which may mean something else.
3. Of the stretches that were measured, the one that tells best between the two nearest senses
   decides: that with the largest difference of the squared projections, s_1 - s_2 with s = 1 - d^2.
   An only sense has no next one, and s_2 is 0: the stretch nearest to it decides.

Distances cannot make the choice by themselves. That to the nearest sense falls with every word that
is added to a subspace, whatever the word, so that two sentences always seem surer than one.

What is asked for as "I don't know" has no part in this: another threshold changes which answers are
given, never the answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats
from grassmeans.corpus.occurrences import MovedText, Occurrences, TokenText
from grassmeans.senses.calibration import ConfidenceRule

Places = NDArray[np.int64]

Stretches = tuple[Places, Places]
"""(n,) where each begins and (n,) where it ends, as positions in the tokens."""

ENOUGH_WORDS = 4
"""Known words from which on a sentence speaks for itself."""

Measure = Callable[[Occurrences, Places], Floats]
"""Occurrences, and which of all they are -> (n, most senses) distances, NaN where there is none."""


@dataclass(frozen=True, slots=True)
class SentencedText:
    """Occurrences in running text whose sentences are known."""

    occurrences: Occurrences  # their documents are the texts
    # (n_sentences + 1,) where sentences begin, and the end; every document begins one.
    sentence_offsets: Places
    # (n_words,) which of the occurrences' words say something about a context.
    describes: NDArray[np.bool_]

    def in_sentences(self) -> Occurrences:
        """The occurrences with their sentences as documents."""
        whole = self.occurrences
        return Occurrences(
            whole.tokens, self.sentence_offsets, whole.positions, whole.words, whole.text
        )

    def stretches(self, reach: int | None, rows: Places, is_poor: NDArray[np.bool_]) -> Stretches:
        """Where the sentences within reach of some of the occurrences begin and end.

        The reach is so many sentences on either side, None for the document, whose end no stretch
        crosses. Those that are not poor, whose own sentence has words enough, do not reach a
        sentence with the same word.
        """
        bounds = zip(self.occurrences[rows].document_bounds, self._bounds(rows), strict=True)
        first, last = (np.where(is_poor, widest, nearer) for widest, nearer in bounds)
        if reach is None:
            return first, last
        edges = self.sentence_offsets
        own = self.sentences_of(self.occurrences.positions[rows])
        starts = edges[np.maximum(own - reach, 0)]
        ends = edges[np.minimum(own + 1 + reach, len(edges) - 1)]
        return np.maximum(starts, first), np.minimum(ends, last)

    def sentences_of(self, positions: Places) -> Places:
        """(n,) numbers of the sentences that positions lie in."""
        return np.asarray(np.searchsorted(self.sentence_offsets, positions, side="right") - 1)

    def _bounds(self, rows: Places) -> Stretches:
        """How far some of the occurrences may look: the document, or the same word again."""
        chosen = self.occurrences[rows]
        first, last = chosen.document_bounds
        edges, n_sentences = self.sentence_offsets, len(self.sentence_offsets)
        words = self.occurrences.tokens[chosen.positions].astype(np.int64)
        again = np.flatnonzero(np.isin(self.occurrences.tokens, words))
        spelled = self.occurrences.tokens[again].astype(np.int64)
        # Every sentence with every word, in order; before and after it the same word's next ones.
        pairs = np.unique(spelled * n_sentences + self.sentences_of(again))
        own = words * n_sentences + self.sentences_of(chosen.positions)
        places = np.searchsorted(pairs, own)
        around = np.append(pairs, -1)  # -1, which is no pair, before and after all
        before, after = around[places - 1], around[places + 1]
        is_same_before = (words >= 0) & (before >= 0) & (before // n_sentences == words)
        is_same_after = (words >= 0) & (after >= 0) & (after // n_sentences == words)
        starts = np.where(is_same_before, edges[(before + 1) % n_sentences], first)
        ends = np.where(is_same_after, edges[after % n_sentences], last)
        return np.maximum(starts, first), np.minimum(ends, last)

    def cut(self, stretches: Stretches, rows: Places) -> Occurrences:
        """Some of the occurrences, with nothing around them but their stretch."""
        whole = self.occurrences
        bounds, numbers = np.unique(np.stack(stretches, 1), axis=0, return_inverse=True)
        numbers = numbers.reshape(-1)
        offsets = np.concatenate([[0], np.cumsum(bounds[:, 1] - bounds[:, 0])])
        tokens = np.concatenate([whole.tokens[first:last] for first, last in bounds.tolist()])
        positions = offsets[numbers] + whole.positions[rows] - stretches[0]
        text: TokenText | None = None
        if whole.text is not None:
            origins = np.concatenate([np.arange(first, last) for first, last in bounds.tolist()])
            text = MovedText(whole.text, origins)
        return Occurrences(tokens, offsets, positions, whole.words, text)

    def have_few_words(self, stretches: Stretches, rows: Places) -> NDArray[np.bool_]:
        """(n,) which stretches have too few words beside their occurrence."""
        tokens = self.occurrences.tokens
        counted = (tokens >= 0) & np.append(self.describes, False)[tokens]
        before = np.concatenate([[0], np.cumsum(counted)])
        starts, ends = stretches
        # The word itself says nothing.
        n_words = before[ends] - before[starts] - counted[self.occurrences.positions[rows]]
        return np.asarray(n_words < ENOUGH_WORDS)


@dataclass(frozen=True, slots=True)
class Widened:
    """What was measured in the stretches that decided."""

    # (n, most senses) NaN beyond a word's senses, and all along where no stretch says anything.
    distances: Floats
    # (n,) the stretch of each occurrence, as positions of the text.
    starts: Places
    ends: Places


def measure_near_first(
    text: SentencedText,
    measure: Measure,
    rule: ConfidenceRule | None = None,
    usual: NDArray[np.float64] | None = None,
) -> Widened:
    """Measure occurrences in their sentences, and those of which these say little more widely.

    ``rule`` is that of a calibrated model; by ``usual`` (n,), the usual distance of only senses, it
    judges these.
    """

    def are_unsure(found: Floats, rows: Places) -> NDArray[np.bool_]:
        own = None if usual is None else usual[rows]
        nothing = np.isnan(found[:, 0])
        return np.asarray(nothing if rule is None else nothing | rule.is_unsure(found, own))

    rows = np.arange(len(text.occurrences))
    own = text.sentences_of(text.occurrences.positions)
    starts, ends = text.sentence_offsets[own], text.sentence_offsets[own + 1]
    distances = measure(text.in_sentences(), rows)
    margins = find_margins(distances)
    is_poor = text.have_few_words((starts, ends), rows)
    rows = rows[is_poor | are_unsure(distances, rows)]
    last = starts[rows], ends[rows]
    for reach in (1, None):
        wider = text.stretches(reach, rows, is_poor[rows])
        is_wider = wider[1] - wider[0] > last[1] - last[0]
        rows, wider = rows[is_wider], (wider[0][is_wider], wider[1][is_wider])
        if not len(rows):
            break
        found = measure(text.cut(wider, rows), rows)
        tells = find_margins(found)
        better = tells > margins[rows]
        taken = rows[better]
        distances[taken], margins[taken] = found[better], tells[better]
        starts[taken], ends[taken] = wider[0][better], wider[1][better]
        little = text.have_few_words(wider, rows) | are_unsure(found, rows)
        rows, last = rows[little], (wider[0][little], wider[1][little])
    return Widened(distances, starts, ends)


def find_margins(distances: Floats) -> NDArray[np.float64]:
    """(n,) s_1 - s_2 of distances (n, n_senses); -1 where nothing was measured.

    A sense that a word does not have is at distance 1.
    """
    squares = np.square(distances.astype(np.float64))
    absent = np.isnan(squares)
    squares[absent] = 1.0
    least = np.partition(np.pad(squares, ((0, 0), (0, 1)), constant_values=1.0), 1, axis=1)
    return np.where(absent[:, 0], -1.0, least[:, 1] - least[:, 0])
