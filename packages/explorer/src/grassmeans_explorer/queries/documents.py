"""Documents of the corpus: one to read, and how lines and senses of a word differ between groups.

The shares of senses are those of the lines that the concordance shows; the words that changed most
come from a report that `grassmeans change` wrote, because ranking them all takes longer than a page
may.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Indices, Integers
from grassmeans.artifacts.checking import read_json
from grassmeans.artifacts.schema import (
    check_values,
    each,
    either,
    flag,
    nothing,
    number,
    record,
    text,
    whole,
)
from grassmeans.artifacts.writing import read_manifest
from grassmeans.change import tables
from grassmeans.change.comparing import ChangeSettings, compare_uses
from grassmeans.change.grouping import GroupedDocuments
from grassmeans.change.uses import Uses
from grassmeans.models.model import SenseModel
from grassmeans.text.cutting import cut_left, cut_right
from grassmeans_explorer.limits import ConflictError, NothingThereError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.concordance import LineFilter, choose_lines, find_groups
from grassmeans_explorer.queries.induce import model_with
from grassmeans_explorer.queries.lookup import check_typed
from grassmeans_explorer.queries.occurrences import measure_word
from grassmeans_explorer.work import begin_long_work

_measure = either(number(), nothing)
_CHANGE_RULES = {"first": text, "second": text, "n_first": whole(), "n_second": whole()}
_CHANGE_RULES |= {"jsd": _measure, "q": _measure, "changed": flag}
_WORD_RULES = {"word": text, "changes": each(record(_CHANGE_RULES))}
_REPORT_RULES = {"by": text, "words": each(record(_WORD_RULES))}

BY_DOCUMENT = "document"
_MOST_DOCUMENTS = 100
_MILLION = 1_000_000
_DIGITS = 3
_PERMUTATIONS = 2_000
_CHARACTERS_A_WORD = 6
"""About, with the space behind it: how far to go for the text before or after."""


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A stretch of a document around an occurrence.

    Attributes
    ----------
    text : str
        Line breaks part its paragraphs.
    start, end : int
        Characters of the occurrence in the text.
    cut_before, cut_after : bool
        Whether the document goes on beyond the text.
    earlier, later : int or None
        Positions to ask for, to read on there.
    fields : mapping of str to str
        What else is known of the document: a date, a source.
    """

    document: str
    title: str
    text: str
    start: int
    end: int
    cut_before: bool
    cut_after: bool
    earlier: int | None = None
    later: int | None = None
    fields: dict[str, str] = field(default_factory=dict)


def show_document(opened: OpenModel, position: int) -> DocumentView:
    """The text around the token at a position of the corpus."""
    corpus = opened.require_corpus("reading a document")
    if not 0 <= position < corpus.n_tokens:
        raise NothingThereError(
            f"position {position} is outside the corpus of {corpus.n_tokens:,} words"
        )
    width = opened.limits.request.document_characters
    # A character more than is shown tells whether there is more text.
    line = corpus.line_at(position, width + 1, keep_breaks=True)
    left, right = cut_left(line.left, width), cut_right(line.right, width)
    shard, local = corpus.locate(position)
    first, end = (
        shard.first_position + int(bound[0]) for bound in shard.document_bounds(np.array([local]))
    )
    step = 2 * width // _CHARACTERS_A_WORD
    start = len(left)
    cut_before, cut_after = left != line.left, right != line.right
    return DocumentView(
        document=line.document_id,
        title=line.document_title,
        text=f"{left}{line.word}{right}",
        start=start,
        end=start + len(line.word),
        cut_before=cut_before,
        cut_after=cut_after,
        earlier=max(first, position - step) if cut_before else None,
        later=min(end - 1, position + step) if cut_after else None,
        fields=dict(line.fields),
    )


@dataclass(frozen=True, slots=True)
class GroupFrequency:
    """Lines in a group of documents."""

    group: str
    count: int
    n_words: int  # of all its documents
    # Lines in a million words; an estimate where a sample of the lines was looked at.
    per_million: float | None


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Lines of a word by groups of documents."""

    word: str
    by: str
    total: int  # lines that were looked for
    measured: int | None  # of a sample of the occurrences, its size; None for all of them
    occurrences: int
    left_out: int  # lines in no group, or in documents beyond the first
    groups: tuple[GroupFrequency, ...]


def count_lines(opened: OpenModel, word: str, wanted: LineFilter, by: str) -> Frequencies:
    """Count the lines that pass a filter by groups of documents.

    These are by a field, a time (``date:decade``), or "document": those with most lines.
    """
    begin_long_work()
    corpus = opened.require_corpus("counting by groups of documents")
    check_typed(opened, wanted.search.text, "a search")
    if by != BY_DOCUMENT:
        find_groups(opened, by)
    chosen = choose_lines(opened, word, wanted)
    documents = corpus.documents_of(np.sort(chosen.positions))
    rows, left_out = count_documents(opened, documents, by, chosen.share)
    looked_at = chosen.sampled, chosen.n_occurrences
    return Frequencies(chosen.key, by, len(documents), *looked_at, left_out, rows)


def count_documents(
    opened: OpenModel, documents: Indices, by: str, share: float = 1.0
) -> tuple[tuple[GroupFrequency, ...], int]:
    """How many lines each group has, of (n,) numbers of their documents; and those in no group.

    ``share`` is the part of the lines that was looked at.
    """
    corpus = opened.require_corpus("counting by groups of documents")
    grouped = None if by == BY_DOCUMENT else find_groups(opened, by)
    n_words = np.concatenate([np.diff(shard.document_offsets) for shard in corpus.shards])
    names: list[str] = []
    if grouped is None:
        numbers, counts = np.unique(documents, return_counts=True)
        best = np.argsort(-counts, kind="stable")[:_MOST_DOCUMENTS]
        counts, sizes = counts[best], n_words[numbers[best]]
        for number in numbers[best].tolist():
            identifier, title, _ = corpus.describe_document(number)
            names.append(title or identifier)
    else:
        groups = np.asarray(grouped.parts[0].groups)
        names += grouped.names
        counts = _count_in_groups(groups[documents], len(names))
        sizes = _count_in_groups(groups, len(names), n_words)
    rows = []
    for name, count, size in zip(names, counts.tolist(), sizes.tolist(), strict=True):
        often = round(_MILLION * count / size / share, _DIGITS) if size else None
        rows.append(GroupFrequency(name, count, size, often))
    return tuple(rows), len(documents) - int(counts.sum())


def _count_in_groups(groups: Integers, n_groups: int, weights: Indices | None = None) -> Indices:
    kept = groups >= 0
    own = None if weights is None else weights[kept]
    return np.bincount(groups[kept], own, n_groups).astype(np.int64)


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
    overall: GroupPair | None  # the first and the last group that have occurrences enough


def show_change(opened: OpenModel, word: str, by: str) -> ChangeView:
    """The shares of a word's senses in groups of documents, and how much they differ."""
    begin_long_work()
    corpus = opened.require_corpus("comparing groups of documents")
    documents = find_groups(opened, by)
    model, key = model_with(opened, word, None)
    measured = measure_word(opened, key, model.inventory.directions(key))
    numbers = corpus.documents_of(measured.positions)
    groups = documents.parts[0].groups[numbers]
    kept = groups >= 0
    rows = np.stack([numbers[kept], measured.senses[kept], groups[kept]])
    different, counts = np.unique(rows, axis=1, return_counts=True)
    document, sense, group = different.astype(np.int32)
    n_senses = np.array([model.inventory.sense_counts[key]], np.int64)
    words = np.zeros(len(counts), np.int32)
    uses = Uses([key], n_senses, words, document, sense, group, counts.astype(np.int32))
    settings = ChangeSettings(n_permutations=_PERMUTATIONS)
    found = compare_uses(model, uses, documents, settings)
    ends = [i for i, one in enumerate(found[0].groups) if not one.is_few] if found else []
    overall = None
    if len(ends) > 1:
        overall = _compare_ends(model, uses, documents, settings, (ends[0], ends[-1]))
    n_measured = len(measured.positions)
    return ChangeView(
        word=key,
        by=by,
        groups=documents.names,
        n_left_out=documents.n_left_out,
        measured=n_measured if n_measured < corpus.count_of(key) else None,
        shares=tuple(_view(GroupShare, row) for one in found for row in one.share_rows()),
        pairs=tuple(_view(GroupPair, row) for one in found for row in one.change_rows()),
        overall=overall,
    )


def _compare_ends(
    model: SenseModel,
    uses: Uses,
    documents: GroupedDocuments,
    settings: ChangeSettings,
    ends: tuple[int, int],
) -> GroupPair:
    """Two groups, whether they are neighbours or not."""
    kept = np.isin(uses.group, ends)
    group = (uses.group[kept] == ends[1]).astype(np.int32)
    rows = uses.word[kept], uses.document[kept], uses.sense[kept], group, uses.count[kept]
    two = replace(documents, names=tuple(documents.names[i] for i in ends))
    (found,) = compare_uses(model, Uses(uses.words, uses.n_senses, *rows), two, settings)
    (row,) = found.change_rows()
    pair: GroupPair = _view(GroupPair, row)
    return pair


def _view(kind: Any, row: Mapping[str, Any]) -> Any:
    """What a view tells of a row of a report."""
    values = {own.name: row[own.name] for own in fields(kind)}
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})


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
    return replace(opened.changes, words=opened.changes.words[offset : offset + limit])


def read_report(path: str | Path) -> ChangedWords:
    """The ranking of a report: its folder, or its ``changes.json``; an error if not whole."""
    place = Path(path)
    if place.is_dir():
        read_manifest(place, tables.REPORT_KIND, tables.REPORT_VERSION)
        place = place / tables.REPORT
    found = read_json(place)
    check_values(place, found, _REPORT_RULES)
    rows = [
        _view(ChangedWord, {"word": word["word"]} | row)
        for word in found["words"]
        for row in word["changes"]
        if row["jsd"] is not None
    ]
    rows.sort(key=lambda row: (not row.changed, -(row.jsd or 0.0)))
    return ChangedWords(found["by"], len(rows), tuple(rows))
