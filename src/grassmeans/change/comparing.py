"""Words in groups of documents: the shares of their senses, and how much they differ.

`compare_groups` gives all that is known, for the report; `grassmeans.change.tables` makes plain
tables of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Doubles, Indices
from grassmeans.artifacts.schema import (
    check_arguments,
    check_fields,
    expect,
    instance_of,
    optional,
    whole,
)
from grassmeans.change.grouping import Corpora, GroupedDocuments, group_documents
from grassmeans.change.measures import (
    N_PERMUTATIONS,
    Example,
    correct_many,
    examine_word,
    find_intervals,
    find_p_values,
    jensen_shannon,
)
from grassmeans.change.uses import MAX_CONTEXTS, Uses, collect_uses, spell_words
from grassmeans.models.model import SenseModel, open_model
from grassmeans.progress import progress_bar
from grassmeans.reading.given import check_words
from grassmeans.results import ColumnTypes, Rows, Tabular, types_of

RARE_SHARE = 0.05
"""A sense is new, or gone, where it had at most this share."""

_TOLD_AS = {"p_value": "p", "q_value": "q", "is_change": "changed"}
_SHARE_TYPES: ColumnTypes = {
    "word": str,
    "group": str,
    "sense": int,
    "name": str,
    "count": int,
    **dict.fromkeys(("share", "low", "high"), float),
    "n": int,
    "unknown": int,
    "few": bool,
}


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """What is compared, and how."""

    fewest: int = 10
    """Occurrences with a sense that a group needs: others are shown, and not compared."""
    level: float = 0.05
    """Share of false alarms among the changes that are reported."""
    n_permutations: int = N_PERMUTATIONS
    """Of the test; so many are tried for words that changed, few for others."""
    max_contexts: int = MAX_CONTEXTS
    """Of a word and group in a corpus without labels."""
    examined: int = 50
    """Words, from the top of a ranking of all, whose contexts are compared (APD, PRT) and shown."""
    random_state: int = 0
    """Of samples and permutations."""

    def __post_init__(self) -> None:
        counts = dict.fromkeys(("fewest", "n_permutations", "max_contexts"), whole(1))
        between = expect("a number between 0 and 1", lambda level: 0.0 < level < 1.0)
        check_fields(self, **counts, examined=whole(), random_state=whole(), level=between)


@dataclass(frozen=True, slots=True)
class GroupShares:
    """A word in one group."""

    group: str
    """Its name."""
    counts: Indices
    """(n_senses,) occurrences of each sense."""
    low: Doubles
    """(n_senses,) where the 95% intervals of shares begin; NaN where the word does not occur."""
    high: Doubles
    """(n_senses,) where they end."""
    n_unknown: int
    """Occurrences that are "I don't know"."""
    is_few: bool
    """Whether they are too few to be compared."""

    @property
    def n(self) -> int:
        """Occurrences that have a sense."""
        return int(self.counts.sum())

    @property
    def shares(self) -> Doubles:
        """(n_senses,) of these; NaN where there are none."""
        return self.counts / self.n if self.n else np.full(len(self.counts), np.nan)


@dataclass(frozen=True, slots=True)
class PairChange:
    """A word in two groups."""

    first: str
    """The name of one group."""
    second: str
    """The name of the other."""
    n_first: int
    """Occurrences with a sense in the first."""
    n_second: int
    """The same in the second."""
    jsd: float = math.nan
    """Jensen-Shannon distance of the shares of senses; NaN for too few occurrences."""
    apd: float = math.nan
    """Average pairwise distance of contexts; NaN where they were not compared."""
    prt: float = math.nan
    """Distance of the mean contexts; NaN where they were not compared."""
    p_value: float = math.nan
    """Of the test; NaN where nothing was tested: too few occurrences, or a word with one sense."""
    q_value: float = math.nan
    """The same, corrected for all tests."""
    is_change: bool = False
    """Whether it is reported as a change."""
    gained: tuple[int, ...] = ()
    """Senses that were rare in the first group and are not in the second, beyond chance."""
    lost: tuple[int, ...] = ()
    """The other way round."""


@dataclass(frozen=True, slots=True)
class WordChange:
    """A word in all groups."""

    word: str
    """As the model spells it."""
    names: tuple[str, ...]
    """Of its senses."""
    groups: tuple[GroupShares, ...]
    """All, in order."""
    pairs: tuple[PairChange, ...]
    """Groups, two by two."""
    examples: tuple[Example, ...] = ()
    """Of each sense and group, where the word was looked at closely."""

    @property
    def is_change(self) -> bool:
        """Whether it changed between two of the groups, at least."""
        return any(pair.is_change for pair in self.pairs)

    def change_rows(self) -> list[dict[str, Any]]:
        """A row for each pair of groups, of plain values; None where something is not known."""
        rows = [asdict(pair) for pair in self.pairs]
        return [{_TOLD_AS.get(k, k): _plain(v) for k, v in row.items()} for row in rows]

    def share_rows(self) -> list[dict[str, Any]]:
        """A row for each group and sense, of plain values; None where the word does not occur."""
        return [
            {
                "group": group.group,
                "sense": number,
                "name": name,
                "count": int(group.counts[number - 1]),
                "share": _plain(float(group.shares[number - 1])),
                "low": _plain(float(group.low[number - 1])),
                "high": _plain(float(group.high[number - 1])),
                "n": group.n,
                "unknown": group.n_unknown,
                "few": group.is_few,
            }
            for group in self.groups
            for number, name in enumerate(self.names, 1)
        ]


def _plain(value: Any) -> Any:
    """A value for JSON, which has neither NaN nor tuples."""
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, 6)
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True, slots=True)
class Comparison(Tabular):
    """Words in groups of documents, those that changed most first.

    As a table it has a row for each word and pair of groups: ``word``, ``first``, ``second``,
    ``n_first``, ``n_second``, ``jsd``, ``apd``, ``prt``, ``p``, ``q`` (corrected for all tests),
    ``changed``, ``gained``, ``lost``.
    """

    by: str
    """How documents were grouped."""
    groups: tuple[str, ...]
    """Their names, in order."""
    n_documents: tuple[int, ...]
    """Of each group."""
    n_left_out: int
    """Documents in no group."""
    example_left_out: str
    """One of these."""
    n_tested: int
    """Tests that the q-values are corrected for."""
    words: tuple[WordChange, ...]
    """Those that changed most first."""
    absent: tuple[str, ...]
    """Words that were asked for and occur in no group."""
    settings: ChangeSettings
    """What it was made with."""

    def __repr__(self) -> str:
        return (
            f"Comparison({len(self.words):,} words in {len(self.groups)} groups by {self.by}: "
            f"{self.n_changed:,} changed)"
        )

    @property
    def n_changed(self) -> int:
        """Words that changed between two of the groups, at least."""
        return sum(word.is_change for word in self.words)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each word and pair of groups, those that changed most first."""
        return [{"word": word.word} | row for word in self.words for row in word.change_rows()]

    def column_types(self) -> ColumnTypes:
        """The columns of such rows."""
        pairs = types_of(PairChange).items()
        return {"word": str} | {_TOLD_AS.get(name, name): kind for name, kind in pairs}

    @property
    def shares(self) -> Rows:
        """A row for each word, group and sense; they have `to_pandas` and `to_polars`, too.

        ``word``, ``group``, ``sense``, ``name``, ``count``, ``share``, ``low`` and ``high`` (95%),
        ``n`` (occurrences of the group), ``unknown`` (those that are "I don't know"), ``few`` (too
        few to be compared).
        """
        rows = ({"word": x.word} | row for x in self.words for row in x.share_rows())
        return Rows(rows, _SHARE_TYPES)


@check_arguments(settings=optional(instance_of(ChangeSettings)))
def compare_groups(
    model: SenseModel | str | Path,
    corpus: Corpora | GroupedDocuments,
    words: str | Iterable[str] | None = None,
    *,
    by: str | None = None,
    settings: ChangeSettings | None = None,
    show_progress: bool | None = False,
) -> Comparison:
    """Compare the senses of words between groups of documents.

    `InputError` where model and corpora do not fit; `UnknownWordError` for a word without senses.

    Parameters
    ----------
    model : SenseModel, path or name
    corpus : Corpus, path or several
        Labelled by the model, or not: then a sample of each word's occurrences is measured. Or
        documents that `grassmeans.change.grouping.group_documents` has grouped.
    words : str or iterable of str, optional
        Those to compare; all that the model has senses for by default, in a labelled corpus.
    by : str, optional
        ``"date:decade"``, ``"source"``, ...; without it several corpora are compared.

    Examples
    --------
    >>> found = compare_groups("en", "letters", "crane", by="date:decade")  # doctest: +SKIP
    >>> found.to_pandas()  # doctest: +SKIP
    >>> found.shares  # doctest: +SKIP
    """
    documents = corpus if isinstance(corpus, GroupedDocuments) else group_documents(corpus, by)
    chosen = settings or ChangeSettings()
    opened = open_model(model)
    asked = None if words is None else spell_words(opened, check_words(words))
    found: list[WordChange] = []
    blocks = collect_uses(opened, documents, asked, chosen.max_contexts, chosen.random_state)
    total = len(opened.inventory) if asked is None else len(asked)
    with progress_bar("comparing", total, unit="words", show=show_progress) as advance:
        for uses in blocks:
            found += compare_uses(opened, uses, documents, chosen)
            advance(len(uses.words))
    pairs = [pair for word in found for pair in word.pairs]
    q_values = correct_many(np.array([pair.p_value for pair in pairs]))
    corrected = iter(
        replace(pair, q_value=q_value, is_change=bool(q_value <= chosen.level))
        for pair, q_value in zip(pairs, q_values.tolist(), strict=True)
    )
    found = [replace(word, pairs=tuple(islice(corrected, len(word.pairs)))) for word in found]
    found.sort(key=_rank)
    top = found if asked is not None else found[: chosen.examined]
    with progress_bar("contexts", len(top), unit="words", show=show_progress) as advance:
        for i, word in enumerate(top):
            found[i] = _look_closely(opened, documents, word, chosen)
            advance()
    sizes = np.bincount(
        np.concatenate([part.groups[part.groups >= 0] for part in documents.parts]),
        minlength=len(documents.names),
    )
    present = {word.word for word in found}
    return Comparison(
        documents.by,
        documents.names,
        tuple(sizes.tolist()),
        documents.n_left_out,
        documents.example,
        int(np.count_nonzero(~np.isnan(q_values))),
        tuple(found),
        tuple(word for word in asked or () if word not in present),
        chosen,
    )


def _rank(word: WordChange) -> tuple[bool, float, str]:
    """Changes first, the largest distance first."""
    distances = [pair.jsd for pair in word.pairs if not math.isnan(pair.jsd)]
    return not word.is_change, -max(distances, default=-1.0), word.word


def compare_uses(
    model: SenseModel, uses: Uses, documents: GroupedDocuments, settings: ChangeSettings
) -> list[WordChange]:
    """Some words over the groups, without the correction for many tests."""
    counts = uses.count_senses(len(documents.names))
    known = counts[:, :, 1:]
    low, high = find_intervals(uses, counts)
    enough = known.sum(axis=2) >= settings.fewest
    distances: dict[tuple[int, int], tuple[Doubles, Doubles]] = {}
    for pair in documents.pairs:
        both = enough[:, pair[0]] & enough[:, pair[1]]
        distance = jensen_shannon(*(known[:, group].astype(np.float64) for group in pair))
        tested = both & (uses.n_senses > 1)
        p_values = find_p_values(uses, pair, tested, settings.n_permutations, settings.random_state)
        distances[pair] = np.where(both, distance, np.nan), p_values
    found = []
    for i in np.flatnonzero(counts.sum(axis=(1, 2)) > 0).tolist():
        n_senses = int(uses.n_senses[i])
        groups = tuple(
            GroupShares(
                name,
                known[i, g, :n_senses],
                low[i, g, :n_senses],
                high[i, g, :n_senses],
                int(counts[i, g, 0]),
                not enough[i, g],
            )
            for g, name in enumerate(documents.names)
        )
        pairs = tuple(
            _make_pair(groups[pair[0]], groups[pair[1]], float(jsd[i]), float(p_values[i]))
            for pair, (jsd, p_values) in distances.items()
        )
        word = uses.words[i]
        names = tuple(model.inventory.name_of(word, k) for k in range(1, n_senses + 1))
        found.append(WordChange(word, names, groups, pairs))
    return found


def _make_pair(first: GroupShares, second: GroupShares, jsd: float, p_value: float) -> PairChange:
    pair = PairChange(first.group, second.group, first.n, second.n, jsd, p_value=p_value)
    if math.isnan(jsd):
        return pair
    # Senses whose share was small and has grown by more than the intervals allow.
    gained, lost = (
        np.flatnonzero((before.shares <= RARE_SHARE) & (before.high < after.low)) + 1
        for before, after in ((first, second), (second, first))
    )
    return replace(pair, gained=tuple(gained.tolist()), lost=tuple(lost.tolist()))


def _look_closely(
    model: SenseModel, documents: GroupedDocuments, word: WordChange, settings: ChangeSettings
) -> WordChange:
    """A word with its contexts compared, and with examples."""
    distances, examples = examine_word(model, documents, word.word, settings.random_state)
    pairs = tuple(
        replace(pair, apd=apd, prt=prt)
        if min(pair.n_first, pair.n_second) >= settings.fewest
        else pair
        for pair, (apd, prt) in zip(word.pairs, distances, strict=True)
    )
    return replace(word, pairs=pairs, examples=tuple(examples))
