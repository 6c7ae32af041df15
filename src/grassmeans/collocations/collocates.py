"""Collocates: words that stand near a word, or near one of its senses, more often than elsewhere.

A word is near an occurrence within some words on either side of it, inside its document; every such
place counts (surface co-occurrence), and two scores are usual (`grassmeans.corpus.association`).
The log-likelihood between the surroundings of two senses tells their differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Booleans, Doubles, Indices, Integers
from grassmeans.artifacts.schema import check_arguments, whole
from grassmeans.corpus.association import measure_log_dice, measure_log_likelihood
from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.errors import InputError, check_choice
from grassmeans.geometry.windows import sample_positions
from grassmeans.labelling.measuring import find_targets
from grassmeans.models.model import SenseModel, open_model
from grassmeans.results import ColumnTypes, Records, Tabular, types_of
from grassmeans.senses.samples import word_seeds

DEFAULT_SPAN = 5
LARGEST_SPAN = 50
FEWEST = 3
SCORES = ("log_dice", "log_likelihood")

OUTSIDE = -2
"""In place of a word id: beyond the document."""

_DIGITS = 3
_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True)
class Collocate:
    """A word near others."""

    word: str
    """As the corpus spells it."""
    count: int
    """How often it stands near."""
    total: int
    """How often it stands in the whole corpus."""
    expected: float
    """How often it would stand near by chance."""
    log_dice: float
    """How exclusively the two belong together, 14 at most."""
    log_likelihood: float
    """How surely it is near more often than by chance."""


class Collocates(Records[Collocate]):
    """Words near others, the best first; as a table, a row for each."""

    kind = Collocate


@dataclass(frozen=True, slots=True)
class ComparedCollocate:
    """A word near two things: how often near each."""

    word: str
    """As the corpus spells it."""
    first: int
    """How often it stands near the first."""
    second: int
    """How often it stands near the second."""
    total: int
    """How often it stands in the whole corpus."""
    first_log_dice: float | None
    """With the first; None where it never stands near."""
    second_log_dice: float | None
    """The same with the second."""
    log_likelihood: float
    """Of the difference: positive where it belongs to the first, negative for the second."""


class ComparedCollocates(Records[ComparedCollocate]):
    """Words near two things, the surest first; as a table, a row for each."""

    kind = ComparedCollocate


@dataclass(frozen=True, slots=True)
class NearWords:
    """How often every word stands near the occurrences of some groups (senses, words)."""

    words: Sequence[str]
    """Of the corpus; ``ids`` are numbers in it."""
    ids: Indices
    """(n_words,) words that stand near any occurrence, frequent ones first."""
    counts: Indices
    """(n_groups, n_words) how often each stands near."""
    totals: Indices
    """(n_words,) how often each stands in the whole corpus."""
    lines: Indices
    """(n_groups,) occurrences of each group."""
    places: Indices
    """(n_groups,) words near them in all."""
    n_tokens: int
    """Of the corpus."""
    shares: Doubles
    """(n_groups,) which part of all occurrences was looked at."""
    function_words: frozenset[str] = field(default_factory=frozenset)
    """Which are no collocates unless asked for."""

    def rank(
        self,
        group: int,
        *,
        by: str = SCORES[0],
        limit: int | None = 50,
        fewest: int = FEWEST,
        function_words: bool = False,
    ) -> Collocates:
        """The collocates of a group, best first: words that are nearer than by chance.

        Parameters
        ----------
        by : {"log_dice", "log_likelihood"}
        fewest : int
            Words that stand near less often are left out.
        function_words : bool
            Whether they are collocates too.
        """
        check_choice("by", by, SCORES)
        near, expected, dice = self.counts[group], self._expect(group), self._measure_dice(group)
        likely = measure_log_likelihood(near, self.places[group], self.totals, self.n_tokens)
        score = dice if by == SCORES[0] else likely
        rows = self._choose(self._is_near(group, fewest), score, limit, function_words)
        return Collocates(
            Collocate(
                word=self.words[self.ids[i]],
                count=int(near[i]),
                total=int(self.totals[i]),
                expected=round(float(expected[i]), _DIGITS),
                log_dice=round(float(dice[i]), _DIGITS),
                log_likelihood=round(float(likely[i]), _DIGITS),
            )
            for i in rows
        )

    def compare(
        self,
        first: int,
        second: int,
        *,
        shared: bool = False,
        limit: int | None = 50,
        fewest: int = FEWEST,
        function_words: bool = False,
    ) -> ComparedCollocates:
        """Words that stand near one group rather than near the other, the surest first.

        ``shared`` ones are near both, by the smaller of their two logDice. ``limit`` is of words
        for each of the two; the others are as for `rank`.
        """
        if shared:
            passes = self._is_near(first, fewest) & self._is_near(second, fewest)
            dice = np.minimum(self._measure_dice(first), self._measure_dice(second))
            rows = self._choose(passes, dice, limit, function_words)
            return self._compare_rows(first, second, rows)
        likely = self._compare_counts(first, second)
        enough = self.counts[first] + self.counts[second] >= max(fewest, 1)
        sides = [
            self._choose(enough & (sign * likely > 0.0), sign * likely, limit, function_words)
            for sign in (1.0, -1.0)
        ]
        rows = np.concatenate(sides)
        order = np.argsort(-np.abs(likely[rows]), kind="stable")
        return self._compare_rows(first, second, rows[order])

    def _expect(self, group: int) -> Doubles:
        """(n_words,) how often each would stand near by chance."""
        expected: Doubles = self.places[group] * self.totals / max(self.n_tokens, 1)
        return expected

    def _is_near(self, group: int, fewest: int) -> Booleans:
        """(n_words,) which are collocates: often enough near, and more than by chance."""
        near = self.counts[group]
        passes: Booleans = (near >= max(fewest, 1)) & (near > self._expect(group))
        return passes

    def _measure_dice(self, group: int) -> Doubles:
        # Of a part of the occurrences, only that part of the other word's could be near.
        others = self.totals * self.shares[group]
        return measure_log_dice(self.counts[group], self.lines[group], others)

    def _compare_counts(self, first: int, second: int) -> Doubles:
        one, other = self.counts[first], self.counts[second]
        n_one, n_all = self.places[first], self.places[first] + self.places[second]
        return measure_log_likelihood(one, n_one, one + other, n_all)

    def _compare_rows(self, first: int, second: int, rows: Indices) -> ComparedCollocates:
        likely = self._compare_counts(first, second)
        dice = [self._measure_dice(group) for group in (first, second)]
        return ComparedCollocates(
            ComparedCollocate(
                word=self.words[self.ids[i]],
                first=int(self.counts[first, i]),
                second=int(self.counts[second, i]),
                total=int(self.totals[i]),
                first_log_dice=_round_finite(dice[0][i]),
                second_log_dice=_round_finite(dice[1][i]),
                log_likelihood=round(float(likely[i]), _DIGITS),
            )
            for i in rows
        )

    def _choose(
        self, passes: Booleans, score: Doubles, limit: int | None, function_words: bool
    ) -> Indices:
        """Numbers of the words that pass, the highest score first."""
        rows = np.flatnonzero(passes)
        rows = rows[np.argsort(-score[rows], kind="stable")]
        if function_words:
            return rows[:limit]
        chosen = (
            i
            for i in rows.tolist()
            if not is_function_word(self.words[self.ids[i]], self.function_words)
        )
        return np.fromiter(islice(chosen, limit), np.int64)


def _round_finite(value: Any) -> float | None:
    return round(float(value), _DIGITS) if np.isfinite(value) else None


def count_near_words(
    corpus: Corpus,
    groups: Sequence[Indices],
    *,
    before: int = DEFAULT_SPAN,
    after: int = DEFAULT_SPAN,
    length: int = 1,
    shares: Sequence[float] | None = None,
) -> NearWords:
    """Count the words near the occurrences of groups: (n,) positions of the corpus in text order.

    ``before`` and ``after`` say how many words on each side are near, other occurrences of the same
    word among them; ``length``, of how many tokens each occurrence is, the first of which stands at
    its position; ``shares``, which part of its occurrences those of each group are.
    """
    if min(before, after) < 0 or not 1 <= before + after <= 2 * LARGEST_SPAN:
        raise InputError(
            f"before and after must be 0 to {LARGEST_SPAN} words, and one of them more than 0; got "
            f"{before} and {after}"
        )
    found = [tokens_around(corpus, positions, before, after, length) for positions in groups]
    known = [tokens[tokens >= 0] for tokens in found]
    ids, columns = np.unique(np.concatenate([*known, np.empty(0, np.int32)]), return_inverse=True)
    ends = np.cumsum([len(tokens) for tokens in known])
    counts = np.zeros((len(groups), len(ids)), np.int64)
    for group, own in enumerate(np.split(columns, ends)[: len(groups)]):
        counts[group] = np.bincount(own, minlength=len(ids))
    return NearWords(
        words=corpus.vocabulary.words,
        ids=ids.astype(np.int64),
        counts=counts,
        totals=np.asarray(corpus.vocabulary.counts)[ids].astype(np.int64),
        lines=np.array([len(positions) for positions in groups], np.int64),
        places=np.array([(tokens != OUTSIDE).sum() for tokens in found], np.int64),
        n_tokens=corpus.n_tokens,
        shares=np.ones(len(groups)) if shares is None else np.asarray(shares, np.float64),
        function_words=corpus.function_words,
    )


def tokens_around(
    corpus: Corpus, positions: Indices, before: int, after: int, length: int = 1
) -> Integers:
    """(n, before + after) word ids beside ``length`` tokens from positions on, in text order.

    -1 for words beyond the vocabulary's limit, `OUTSIDE` where the document has begun or ended.
    """
    steps = np.concatenate([np.arange(-before, 0), np.arange(length, length + after)])
    found = np.empty((len(positions), len(steps)), np.int32)
    for part, shard, local in corpus.split_positions(positions, _AT_ONCE):
        first, end = shard.document_bounds(local)
        places = local[:, None] + steps
        inside = (places >= first[:, None]) & (places < end[:, None])
        tokens = np.asarray(shard.tokens)[np.clip(places, 0, len(shard.tokens) - 1)]
        found[part] = np.where(inside, tokens, OUTSIDE)
    return found


MAX_CONTEXTS = 5_000
"""Occurrences of a word whose senses are told, a random sample of more."""


@dataclass(frozen=True, slots=True)
class SenseCollocates(Tabular):
    """Words near the senses of a word; as a table, the best fifty of each sense."""

    word: str
    """As the model spells it."""
    names: tuple[str, ...]
    """Of the senses, number 1 first."""
    n_lines: int
    """Occurrences of the word."""
    n_looked_at: int
    """Those whose senses were told."""
    near: NearWords
    """What was counted, a group for each sense: number 1 is group 0."""

    def __repr__(self) -> str:
        return (
            f"SenseCollocates({self.word!r}: {len(self.names)} senses, "
            f"{self.n_looked_at:,} of {self.n_lines:,} occurrences)"
        )

    def rows(self) -> list[dict[str, Any]]:
        """``sense``, ``name``, and what `rank` tells of each collocate."""
        return [
            {"sense": sense, "name": name} | asdict(found)
            for sense, name in enumerate(self.names, 1)
            for found in self.rank(sense)
        ]

    def column_types(self) -> ColumnTypes:
        """``sense``, ``name``, and those of `Collocates`."""
        return {"sense": int, "name": str} | types_of(Collocate)

    def rank(self, sense: int, **options: Any) -> Collocates:
        """The collocates of a sense by its number; see `NearWords.rank`."""
        return self.near.rank(self._find_group(sense), **options)

    def compare(self, first: int, second: int, **options: Any) -> ComparedCollocates:
        """What stands near one sense rather than the other; see `NearWords.compare`."""
        return self.near.compare(self._find_group(first), self._find_group(second), **options)

    def share(self, first: int, second: int, **options: Any) -> ComparedCollocates:
        """What stands near both senses; see `NearWords.compare`."""
        return self.compare(first, second, shared=True, **options)

    def _find_group(self, sense: int) -> int:
        if whole(1, len(self.names))(sense) is not None:
            raise InputError(f"{self.word!r} has the senses 1 to {len(self.names)}, not {sense}")
        return sense - 1


@check_arguments()
def find_collocates(
    model: SenseModel | str | Path,
    corpus: Corpus | str | Path,
    word: str,
    *,
    before: int = DEFAULT_SPAN,
    after: int = DEFAULT_SPAN,
    max_contexts: int = MAX_CONTEXTS,
    random_state: int = 0,
) -> SenseCollocates:
    """Count the words near each sense of a word.

    Parameters
    ----------
    model : SenseModel, path or name
    corpus : Corpus or path
    before, after : int
        How many words on each side are near.
    max_contexts : int
        Of more occurrences, the senses of a random sample of this size are told.

    Examples
    --------
    >>> found = find_collocates(model, corpus, "bank")  # doctest: +SKIP
    >>> [near.word for near in found.rank(1, limit=5)]  # doctest: +SKIP
    >>> found.compare(1, 2, limit=5)  # doctest: +SKIP
    """
    model, corpus = open_model(model), open_corpus(corpus)
    find_targets(corpus, model)  # refuses a corpus that was split into words by another rule
    entry = model.senses(word)
    everything = model.pool_forms(corpus).positions(entry.word)
    (seed,) = word_seeds(entry.word, random_state).spawn(1)
    positions = sample_positions(everything, max_contexts, seed)
    senses = model.senses_at(corpus, entry.word, positions).senses
    groups = [positions[senses == number] for number in range(1, entry.n_senses + 1)]
    share = len(positions) / max(len(everything), 1)
    near = count_near_words(
        corpus, groups, before=before, after=after, shares=[share] * len(groups)
    )
    names = tuple(sense.name for sense in entry.senses) or ("",) * entry.n_senses
    return SenseCollocates(entry.word, names, len(everything), len(positions), near)
