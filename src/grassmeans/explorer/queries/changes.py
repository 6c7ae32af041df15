"""How the senses of a word differ between groups of the corpus's documents.

The shares are those of the lines that the concordance shows; the words that changed most come from
a report that `grassmeans change` wrote, because ranking them all takes longer than a page may.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.change import tables
from grassmeans.change.comparing import ChangeSettings, compare_uses
from grassmeans.change.grouping import GroupedDocuments, group_documents
from grassmeans.change.uses import Uses
from grassmeans.errors import InputError
from grassmeans.explorer.limits import BoundedCache, ConflictError, Kept
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.induce import model_with
from grassmeans.explorer.queries.measuring import measure_word
from grassmeans.explorer.work import UNLIMITED, Checkpoint

_PERMUTATIONS = 2_000
_FEW = 8
_GROUPS: Kept[BoundedCache[GroupedDocuments]] = Kept(lambda _: BoundedCache(_FEW))
_PAIRED = ("first", "second", "n_first", "n_second", "jsd", "p")
_LISTED = ("word", "first", "second", "n_first", "n_second", "jsd", "q", "changed")


def find_groups(opened: OpenModel, by: str) -> GroupedDocuments:
    """The documents of the corpus in groups; `ConflictError` where they cannot be grouped so."""
    corpus = opened.require_corpus("grouping documents")
    try:
        return _GROUPS.of(opened).get_or_make(by, lambda: group_documents(corpus, by))
    except InputError as error:
        raise ConflictError(str(error)) from error


@dataclass(frozen=True, slots=True)
class GroupShare:
    """A sense in a group of documents."""

    group: str
    sense: int
    name: str
    count: int
    share: float | None  # None where the word does not occur
    low: float | None
    high: float | None
    n: int  # occurrences of the group that have a sense
    unknown: int  # those that are "I don't know"
    few: bool  # too few to be compared


@dataclass(frozen=True, slots=True)
class GroupPair:
    """Two groups of documents; None where there are too few occurrences."""

    first: str
    second: str
    n_first: int
    n_second: int
    jsd: float | None
    p: float | None
    gained: tuple[int, ...]
    lost: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A word over groups of documents."""

    word: str
    by: str
    groups: tuple[str, ...]
    n_left_out: int  # documents in no group
    measured: int | None  # of a sample of the occurrences, its size; None for all of them
    shares: tuple[GroupShare, ...]
    pairs: tuple[GroupPair, ...]


def show_change(
    opened: OpenModel, word: str, by: str, *, check: Checkpoint = UNLIMITED
) -> ChangeView:
    """The shares of a word's senses in groups of documents, and how much they differ."""
    corpus = opened.require_corpus("comparing groups of documents")
    documents = find_groups(opened, by)
    model, key = model_with(opened, word, None, check)
    measured = measure_word(opened, key, model.inventory.directions(key), check)
    numbers = corpus.documents_of(measured.positions)
    groups = documents.parts[0].groups[numbers]
    kept = groups >= 0
    uses = _count_uses(
        key, model.inventory.sense_counts[key], numbers[kept], groups[kept], measured.senses[kept]
    )
    settings = ChangeSettings(n_permutations=_PERMUTATIONS)
    found = compare_uses(model, uses, documents, settings)
    n_all = int(corpus.vocabulary.counts[corpus.word_id(key)])
    return ChangeView(
        word=key,
        by=by,
        groups=documents.names,
        n_left_out=documents.n_left_out,
        measured=len(measured.positions) if len(measured.positions) < n_all else None,
        shares=tuple(GroupShare(**row) for one in found for row in one.share_rows()),
        pairs=tuple(
            GroupPair(
                **{name: row[name] for name in _PAIRED},
                gained=tuple(row["gained"]),
                lost=tuple(row["lost"]),
            )
            for one in found
            for row in one.change_rows()
        ),
    )


def _count_uses(word: str, n_senses: int, documents: Any, groups: Any, senses: Any) -> Uses:
    """The lines of one word as uses."""
    rows = np.stack([documents, senses, groups])
    different, counts = np.unique(rows, axis=1, return_counts=True)
    document, sense, group = different.astype(np.int32)
    return Uses(
        [word],
        np.array([n_senses], np.int64),
        np.zeros(len(counts), np.int32),
        document,
        sense,
        group,
        counts.astype(np.int32),
    )


@dataclass(frozen=True, slots=True)
class ChangedWord:
    """A row of the ranking."""

    word: str
    first: str
    second: str
    n_first: int
    n_second: int
    jsd: float | None
    q: float | None
    changed: bool


@dataclass(frozen=True, slots=True)
class ChangedWords:
    """A page of the ranking; ``total`` counts all pages."""

    by: str
    total: int
    words: tuple[ChangedWord, ...]


def list_changes(opened: OpenModel, offset: int, limit: int) -> ChangedWords:
    """The words that changed most, from the report that the explorer was started with."""
    if opened.changes is None:
        raise ConflictError(
            "a list of words that changed needs a report of `grassmeans change`: start with "
            "--changes REPORT"
        )
    rows = opened.changes.words
    page = rows[offset : offset + limit]
    return ChangedWords(opened.changes.by, len(rows), page)


def read_report(path: str | Path) -> ChangedWords:
    """The ranking of a report: its folder, or its ``changes.json``."""
    found = tables.read_report(path)
    rows = [
        ChangedWord(*(({"word": word["word"]} | row)[name] for name in _LISTED))
        for word in found["words"]
        for row in word["changes"]
        if row["jsd"] is not None
    ]
    rows.sort(key=lambda row: (not row.changed, -(row.jsd or 0.0)))
    return ChangedWords(found["by"], len(rows), tuple(rows))
