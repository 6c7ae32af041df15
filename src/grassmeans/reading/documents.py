"""What a reader gets and what it yields: a file with what is asked of it; documents, and a report.

Documents are raw or already split into tokens. What is known of one beside its text are its fields,
a date, a source, any that was asked for: texts. Where a format has no such field, or a record
leaves it out, two of them are told by the file itself: ``source`` is the name of the folder that it
lies in, and ``date`` the date in its name, or else in that of the folder (``1857-03-01.txt``,
``fic_1857_12.txt``, ``1857/a.txt``).
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grassmeans.artifacts.schema import either, find_problem, flag, optional, shorten, text, whole
from grassmeans.errors import InputError

Fields = tuple[tuple[str, str], ...]
"""Names and values, in the order in which they were asked for."""

_LONGEST_VALUE = 1_000
_DATED_NAME = re.compile(
    r"(?<!\d)((?:1\d|20)\d\d)(?:[-_.]?(0[1-9]|1[0-2])(?:[-_.]?(0[1-9]|[12]\d|3[01]))?)?(?!\d)"
)
_YEAR = re.compile(r"(?<!\d)([12]\d{3})(?!\d)")
_MONTH = re.compile(r"([12]\d{3})[-/.](0?[1-9]|1[0-2])(?!\d)")


@dataclass(frozen=True, slots=True)
class RawDocument:
    """One document as it was read, before cleaning and tokenising."""

    id: str
    """As in the source; where it has no id, the file's name and a number."""
    title: str
    """As in the source."""
    text: str
    """For tokenised formats: the surface forms joined by one space each."""
    markup: str = "plain"
    """``"plain"``, ``"wikitext"`` (cleaned later, in the workers), ``"tokens"`` (``text`` is split
    on spaces and nothing else), or ``"redirect"`` (no document: ``text`` is the page that ``title``
    stands for)."""
    keys: tuple[str, ...] | None = None
    """Only with ``markup="tokens"``: the key of every token where it differs from its surface form
    (a lemma, say); as many as there are tokens."""
    sentences: tuple[int, ...] | None = None
    """Where sentences begin, as characters of the text, which then has no ``<b>`` marks. None where
    it is not known: tokens are one sentence, and those of other text are looked for."""
    fields: Fields = ()
    """What else was asked for: a date, a source."""


_RULES = {
    "format": text,
    "text_field": text,
    "column": optional(either(text, whole(-(2**62)))),  # which there are, the reader knows
    "encoding": optional(text),
    "max_document_chars": whole(1),
    "keep_redirects": flag,
}


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the caller may choose about reading."""

    # One of `inputs.FORMATS`, or "auto": recognised for every file from its content.
    format: str = "auto"
    # The field (JSON) or column (CSV, Parquet) that holds the text.
    text_field: str = "text"
    # CoNLL-U (a name or a number) and vertical files (a number, from 0): where the keys of the
    # tokens are; by default they are the forms.
    column: str | int | None = None
    # Of those text files that have no byte order mark and are no UTF-8.
    encoding: str | None = None
    # Longer documents are split at white space; the ids of the parts end in ``#2``, ``#3`` ...
    max_document_chars: int = 4_000_000
    # MediaWiki: yield redirect pages as well, with ``markup="redirect"``; they are no documents.
    keep_redirects: bool = False
    # Fields of the documents to be kept: "date", "source", any other that the files have.
    meta: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "meta", check_field_names(self.meta))
        values = {name: getattr(self, name) for name in _RULES}
        if problem := find_problem(values, _RULES, {}):
            raise InputError(f"to read documents, expected that {problem}")
        if self.encoding is not None and not _is_text_encoding(self.encoding):
            raise InputError(
                f"unknown encoding {self.encoding!r}: give a name such as utf-8, latin-1, cp1251 "
                "or gb18030"
            )


def _is_text_encoding(name: str) -> bool:
    """Whether a codec is one of text files: Python also has hex, zip, and those of mainframes."""
    try:
        if codecs.lookup(name).name.startswith(("utf-16", "utf-32")):
            return True
        bytes(range(256)).decode(name, "replace")
        return b"az AZ09\r\n".decode(name) == "az AZ09\r\n"
    except (LookupError, ValueError):  # a name may hold a NUL
        return False


def check_field_names(names: Any) -> tuple[str, ...]:
    """Names of fields, one or several, each once; `InputError` for those that no field can have."""
    given = [names] if isinstance(names, str) else names
    if isinstance(given, bytes | Mapping) or not isinstance(given, Iterable):
        raise InputError(f"the names of fields must be a list of texts, got {shorten(names)}")
    found = tuple(given)
    for name in found:
        if not isinstance(name, str):
            raise InputError(f"the name of a field must be a text, got {name!r}")
        if not name.strip() or not name.isprintable() or len(name) > 80 or ":" in name:
            raise InputError(f"a field needs a printable name without ':', got {name!r}")
        if name in {"text", "id", "title"}:
            raise InputError(f"{name!r} is kept anyway: name other fields as meta")
    return tuple(dict.fromkeys(found))


@dataclass(slots=True)
class ReadReport:
    """What was read and what was passed over, with the reasons; filled while reading."""

    n_documents: int = 0
    n_files: int = 0
    n_bytes: int = 0  # of the files themselves, compressed as they are: shows the progress
    n_lines: int = 0  # of a part of a file
    skipped: Counter[str] = field(default_factory=Counter)
    remarks: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def describe(self) -> list[str]:
        """What was passed over and what was remarked: how often, and the first example."""
        return describe_skipped(self.skipped | self.remarks, self.examples)

    def remark(self, reason: str, example: str) -> None:
        """Count a thing that was read, but in a way that the user should know of."""
        self.remarks[reason] += 1
        self.examples.setdefault(reason, example[:200])

    def skip(self, reason: str, example: str = "") -> None:
        """Count one thing that was passed over, and keep the first example of its kind."""
        self.skipped[reason] += 1
        if example:
            self.examples.setdefault(reason, example[:200])

    def add(self, other: ReadReport) -> None:
        """Take over what was counted in another one, which follows this one."""
        self.n_documents += other.n_documents
        self.n_files += other.n_files
        self.n_bytes += other.n_bytes
        self.skipped.update(other.skipped)
        self.remarks.update(other.remarks)
        self.examples = other.examples | self.examples


def describe_skipped(counts: Mapping[str, int], examples: Mapping[str, str]) -> list[str]:
    """Reasons with their counts and first examples, for people."""
    return [
        f"{reason}: {count:,}" + (f" (first: {examples[reason]})" if reason in examples else "")
        for reason, count in counts.items()
    ]


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to be read, how, and where its reader tells what it passes over."""

    path: Path
    report: ReadReport = field(default_factory=ReadReport)
    options: ReadOptions = field(default_factory=ReadOptions)
    copy_of: Path | None = None  # where it comes from, if it lies in a temporary place

    @property
    def shown(self) -> Path:
        """What people are told of it, and what its names tell."""
        return self.copy_of or self.path

    def __str__(self) -> str:
        return str(self.shown)

    def count_bytes(self, n_bytes: int) -> None:
        """Note how far it is read; a copy's bytes are not those of the input."""
        if self.copy_of is None:
            self.report.n_bytes += n_bytes

    def pick_fields(self, values: Mapping[str, Any]) -> Fields:
        """Those fields of a record that were asked for and are there, as texts."""
        return pick_fields(values, self.options, self.report)

    def check(self, document: RawDocument) -> Iterator[RawDocument]:
        """Pass over what is empty, split what is too long, and add what the file's name tells."""
        report, most = self.report, self.options.max_document_chars
        if document.markup == "redirect":
            yield document
            return
        name = document.title or document.id
        document = self._complete_fields(document)
        if not document.text or document.text.isspace():
            report.skip("empty document", name)
        elif len(document.text) <= most:
            report.n_documents += 1
            yield document
        else:
            report.skip("long document split", name)
            for part in split_document(document, most):
                report.n_documents += 1
                yield part

    def _complete_fields(self, document: RawDocument) -> RawDocument:
        """The document with what its file tells; fields that are nowhere are counted."""
        if not self.options.meta:
            return document
        known = dict(document.fields)
        for name in self.options.meta:
            if name in known:
                continue
            if value := _read_from_path(name, self.shown):
                known[name] = value
            else:
                example = document.title or document.id
                self.report.skip(f"document without the field {name!r}", example)
        fields = tuple((name, known[name]) for name in self.options.meta if name in known)
        return replace(document, fields=fields)


def pick_fields(values: Mapping[str, Any], options: ReadOptions, report: ReadReport) -> Fields:
    """The fields of a record that were asked for, as texts; what is none is counted."""
    found = []
    for name in options.meta:
        value = values.get(name)
        if value is None or value == "":
            continue
        if hasattr(value, "isoformat"):  # dates of Parquet files
            value = value.isoformat()
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            found.append((name, _clean_value(str(value))))
        else:
            report.skip(f"field {name!r} that is no text or number", str(value))
    return tuple(found)


def _clean_value(value: str) -> str:
    """A value in one line of bounded length."""
    return " ".join(value.split())[:_LONGEST_VALUE]


def _read_from_path(name: str, path: Path) -> str:
    if name == "source":
        return _clean_value(path.parent.name)
    if name == "date":
        for part in (path.name, path.parent.name):
            if found := _DATED_NAME.search(part):
                return "-".join(piece for piece in found.groups() if piece)
    return ""


def read_year(value: str) -> int | None:
    """The year of a date, however it is written; None where there is none, or several."""
    years = set(_YEAR.findall(value))
    return int(years.pop()) if len(years) == 1 else None


def read_month(value: str) -> str | None:
    """Year and month of a date that begins with both, "1857-03"; None for others."""
    found = _MONTH.match(value.strip())
    return None if found is None else f"{found[1]}-{int(found[2]):02d}"


def number_part(identifier: str, part: int) -> str:
    """The id of a document's part: the first keeps the id, the others get ``#2``, ``#3`` ..."""
    return identifier if part == 1 else f"{identifier}#{part}"


def split_document(document: RawDocument, max_chars: int) -> Iterator[RawDocument]:
    """A document in parts of at most so many characters, each with its share of the keys."""
    text = document.text
    start = n_tokens = 0
    part = 1
    while start < len(text):
        end = _find_cut(text, start, max_chars)
        cut = text[start:end].strip(" \n")
        start = end
        if not cut:
            continue
        keys = None
        if document.keys is not None:
            n_cut = cut.count(" ") + 1
            keys = document.keys[n_tokens : n_tokens + n_cut]
            n_tokens += n_cut
        yield replace(document, id=number_part(document.id, part), text=cut, keys=keys)
        part += 1


def _find_cut(text: str, start: int, max_chars: int) -> int:
    end = start + max_chars
    if end >= len(text):
        return len(text)
    cut = text.rfind("\n", start + 1, end + 1)
    # A line end is a better place than a space, unless it lies far back.
    if cut < start + max_chars // 2:
        cut = max(cut, text.rfind(" ", start + 1, end + 1))
    return cut if cut > start else end
