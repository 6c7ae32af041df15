"""Which group every document belongs to: by a field, by date, or by the corpus that it is in.

``date:decade`` puts documents into decades, ``date:year``, ``date:month`` and ``date:century`` into
longer or shorter times, ``date:25`` into times of 25 years; ``source`` or any other field into a
group for each of its values. Documents whose field is missing, or whose date cannot be read, belong
to no group, and are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from grassmeans.arrays import Integers
from grassmeans.artifacts.schema import shorten
from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.errors import InputError
from grassmeans.reading.documents import read_month, read_year

_SPANS = {"year": 1, "decade": 10, "century": 100}
_MONTH = "month"
_LONGEST_SPAN = 1_000
MOST_GROUPS = 200
_FEW_GROUPS = 5
_SHOWN = 5

NO_GROUP = -1

Corpora = Corpus | str | Path | Sequence[Corpus | str | Path]


@dataclass(frozen=True, slots=True)
class Grouping:
    """How documents are grouped: by the values of a field, or by the time of a date."""

    field: str
    span: str | int | None = None  # "month", or years of a group; None for the values as they are

    @classmethod
    def parse(cls, by: str) -> Grouping:
        """From ``"source"``, ``"date:decade"``, ``"date:25"``."""
        field, _, span = by.partition(":")
        if not field.strip():
            raise InputError(f"by must name a field, such as date:decade or source, got {by!r}")
        if not span or span == _MONTH:
            return cls(field, span or None)
        if span in _SPANS:
            return cls(field, _SPANS[span])
        if span.isascii() and span.isdigit() and 1 <= int(span) <= _LONGEST_SPAN:
            return cls(field, int(span))
        known = ", ".join([_MONTH, *_SPANS])
        raise InputError(f"by={by!r}: expected {known} or a number of years after ':'")

    def name_group(self, value: str) -> str | None:
        """The group of a document by its field; None where it has none."""
        if self.span is None:
            return value or None
        if self.span == _MONTH:
            return read_month(value)
        year = read_year(value)
        if year is None:
            return None
        span = int(self.span)
        first = year - year % span
        return str(year) if span == 1 else f"{first}-{first + span - 1}"


@dataclass(frozen=True, slots=True)
class GroupedCorpus:
    """A corpus, and the group of each of its documents."""

    corpus: Corpus
    groups: Integers  # (n_documents,) numbers of groups; `NO_GROUP` for those without


@dataclass(frozen=True, slots=True)
class GroupedDocuments:
    """Documents of one corpus or several, in groups."""

    # Of the groups, in order: of time, or of the alphabet, or as corpora were given.
    names: tuple[str, ...]
    parts: tuple[GroupedCorpus, ...]
    by: str  # how they were grouped
    n_left_out: int = 0  # documents that belong to no group
    example: str = ""  # a value that told no group, "" for a missing one

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Which groups are compared: all of a few; else each with the next, and the ends."""
        n = len(self.names)
        if n <= _FEW_GROUPS:
            return tuple((i, j) for i in range(n) for j in range(i + 1, n))
        return (*((i, i + 1) for i in range(n - 1)), (0, n - 1))

    def shuffle(self, random_state: int = 0) -> GroupedDocuments:
        """The same documents in groups of the same sizes, by chance: nothing has changed."""
        rng = np.random.default_rng(random_state)
        mixed = rng.permutation(np.concatenate([part.groups for part in self.parts]))
        cuts = np.cumsum([len(part.groups) for part in self.parts])[:-1]
        parts = zip(self.parts, np.split(mixed, cuts), strict=True)
        return replace(self, parts=tuple(replace(part, groups=own) for part, own in parts))


def group_documents(corpora: Corpora, by: str | None = None) -> GroupedDocuments:
    """Group the documents of a corpus by a field, or those of several corpora side by side.

    ``by`` is ``"date:decade"``, ``"source"``, ... (see the module); without it the names of the
    corpora's folders are the groups. `InputError` where there are fewer than two groups, or more
    than can be looked at.
    """
    given = [corpora] if isinstance(corpora, Corpus | str | Path) else corpora
    if not isinstance(given, list | tuple) or not all(
        isinstance(g, Corpus | str | Path) for g in given
    ):
        raise InputError(f"corpus must be a corpus, its path, or several; got {shorten(corpora)}")
    opened = [open_corpus(one) for one in given]
    if not opened:
        raise InputError("there is no corpus to compare: name one or more")
    if by is None:
        return _group_by_corpus(opened)
    grouping = Grouping.parse(by)
    values = [corpus.field_values(grouping.field) for corpus in opened]
    known = {value: grouping.name_group(value) for own in values for value in set(own)}
    names = sorted({name for name in known.values() if name is not None})
    _check_groups(names, by, known)
    numbers = {name: i for i, name in enumerate(names)}
    groups = [
        np.fromiter((numbers.get(known[v] or "", NO_GROUP) for v in own), np.int32, len(own))
        for own in values
    ]
    left_out = [value for own in values for value in own if known[value] is None]
    parts = tuple(GroupedCorpus(*pair) for pair in zip(opened, groups, strict=True))
    example = next((value for value in left_out if value), "")
    return GroupedDocuments(tuple(names), parts, by, len(left_out), example)


def _group_by_corpus(corpora: Sequence[Corpus]) -> GroupedDocuments:
    if len(corpora) < 2:
        raise InputError(
            "one corpus needs by=..., a field that groups its documents (date:decade, source); or "
            "name another corpus to compare it with"
        )
    names = tuple(corpus.path.name for corpus in corpora)
    if len(set(names)) < len(names):
        raise InputError(f"two corpora have the same name ({', '.join(names)}): rename a folder")
    parts = tuple(
        GroupedCorpus(corpus, np.full(corpus.n_documents, i, np.int32))
        for i, corpus in enumerate(corpora)
    )
    return GroupedDocuments(names, parts, "corpus")


def _check_groups(names: Sequence[str], by: str, known: dict[str, str | None]) -> None:
    examples = ", ".join(repr(value) for value in list(known)[:_SHOWN])
    if not names:
        raise InputError(f"by={by!r} tells no group of any document: its values are {examples}")
    if len(names) < 2:
        raise InputError(
            f"by={by!r} puts all documents into one group ({names[0]}): nothing to compare; choose "
            "shorter times or another field"
        )
    if len(names) > MOST_GROUPS:
        raise InputError(
            f"by={by!r} gives {len(names):,} groups, more than {MOST_GROUPS}: choose longer times "
            f"(date:decade), or a field with fewer values than {examples}"
        )
