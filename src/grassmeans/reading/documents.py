"""What a reader yields: documents, raw or already split into tokens, and a report of the rest."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from grassmeans.artifacts.schema import either, find_problem, flag, optional, text, whole
from grassmeans.errors import InputError
from grassmeans.reading.fields import Fields, check_field_names


@dataclass(frozen=True, slots=True)
class RawDocument:
    """One document as it was read, before cleaning and tokenising."""

    # As in the source; where it has no id, the file's name and a number.
    id: str
    title: str
    # The document's text. For tokenised formats: the surface forms joined by one space each.
    text: str
    # ``"plain"``, ``"wikitext"`` (cleaned later, in the workers), ``"tokens"`` (``text`` is split
    # on spaces and nothing else), or ``"redirect"`` (no document: ``text`` is the page that
    # ``title`` stands for).
    markup: str = "plain"
    # Only with ``markup="tokens"``: the key of every token where it differs from its surface form
    # (a lemma, say); as many as there are tokens.
    keys: tuple[str, ...] | None = None
    # Where sentences begin, as characters of the text, which then has no ``<b>`` marks. None where
    # it is not known: tokens are one sentence, and those of other text are looked for.
    sentences: tuple[int, ...] | None = None
    fields: Fields = ()  # what else was asked for: a date, a source (`grassmeans.reading.fields`)


@dataclass(frozen=True, slots=True)
class PartContent:
    """What a file part holds, as its reader takes it."""

    path: Path  # the file
    # The part and what follows it, and which of both it is: a document that begins in the part may
    # end behind it.
    blocks: Iterable[tuple[bytes, bool]]
    is_first: bool  # whether the file begins with the part


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
    """What the caller may choose about reading.

    Parameters
    ----------
    format : str
        One of `reading.FORMATS`, or ``"auto"``: recognised for every file from its content.
    text_field : str
        The field (JSON lines) or column (Parquet) that holds the text.
    column : str, int or None
        CoNLL-U (a name or a number) and vertical files (a number, from 0): where the keys of the
        tokens are; by default they are the forms.
    encoding : str, optional
        Of those text files that have no byte order mark and are no UTF-8.
    max_document_chars : int
        Longer documents are split at white space; the ids of the parts end in ``#2``, ``#3`` ...
    keep_redirects : bool
        MediaWiki: yield redirect pages as well, with ``markup="redirect"``; they are no documents.
    meta : tuple of str
        Fields of the documents to be kept: "date", "source", any other that the files have.
    """

    format: str = "auto"
    text_field: str = "text"
    column: str | int | None = None
    encoding: str | None = None
    max_document_chars: int = 4_000_000
    keep_redirects: bool = False
    meta: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "meta", check_field_names(self.meta))
        values = {name: getattr(self, name) for name in _RULES}
        if problem := find_problem(values, _RULES, {}):
            raise InputError(f"to read documents, expected that {problem}")
        if self.encoding is not None and not is_text_encoding(self.encoding):
            raise InputError(
                f"unknown encoding {self.encoding!r}: give a name such as utf-8, latin-1, cp1251 "
                "or gb18030"
            )


def is_text_encoding(name: str) -> bool:
    """Whether a codec is one of text files, whose lines can be told by their bytes.

    Python also has codecs that are none (hex, zip, punycode), and those of mainframes.
    """
    try:
        if codecs.lookup(name).name.startswith(("utf-16", "utf-32")):
            return True
        bytes(range(256)).decode(name, "replace")
        return b"az AZ09\r\n".decode(name) == "az AZ09\r\n"
    except (LookupError, ValueError):  # a name may hold a NUL
        return False


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
        if example and reason not in self.examples:
            self.examples[reason] = example[:200]

    def add(self, other: ReadReport) -> None:
        """Take over what was counted in another one, which follows this one."""
        self.n_documents += other.n_documents
        self.n_files += other.n_files
        self.n_bytes += other.n_bytes
        self.skipped.update(other.skipped)
        self.remarks.update(other.remarks)
        for reason, example in other.examples.items():
            self.examples.setdefault(reason, example)


def describe_skipped(counts: Mapping[str, int], examples: Mapping[str, str]) -> list[str]:
    """Reasons with their counts and first examples, for people."""
    return [
        f"{reason}: {count:,}" + (f" (first: {examples[reason]})" if reason in examples else "")
        for reason, count in counts.items()
    ]


class DocumentBuilder:
    """Gathers the lines or tokens of one document, and gives them away in parts of bounded length.

    A part holds at most ``max_chars`` characters, or one line or token. Tokens are joined by
    spaces.
    """

    def __init__(
        self, report: ReadReport, max_chars: int, *, tokenised: bool = False, keyed: bool = False
    ) -> None:
        self._report = report
        self._max_chars = max_chars
        self._separator, self._markup = (" ", "tokens") if tokenised else ("\n", "plain")
        self._keyed = keyed
        self.start("")

    def start(self, identifier: str, title: str = "", fields: Fields = ()) -> None:
        """Begin a document; what was gathered has to be taken before."""
        self.id = identifier
        self.title = title
        self.fields = fields
        self._part = 1
        self._empty()

    def _empty(self) -> None:
        self._gathered: list[str] = []
        self._keys: list[str] = []
        self._n_chars = 0

    @property
    def is_new(self) -> bool:
        """Whether nothing was gathered since the start."""
        return self._part == 1 and not self._gathered

    def __bool__(self) -> bool:
        return bool(self._gathered)

    def add(self, form: str, key: str = "") -> None:
        """Add a line, or a token with its key."""
        self._gathered.append(form)
        self._n_chars += len(form) + 1
        if self._keyed:
            self._keys.append(key)

    def make_room(self, n_chars: int = 0) -> Iterator[RawDocument]:
        """Yield a part where so many more characters would make it too long."""
        if self._gathered and self._n_chars + n_chars > self._max_chars:
            self._report.skip("long document split", self.id)
            yield from self.take()

    def take(self, *, even_empty: bool = False) -> Iterator[RawDocument]:
        """Yield what is left of the document, if anything is; or a document without any text."""
        if self._gathered or (even_empty and self.is_new):
            yield RawDocument(
                id=_number_part(self.id, self._part),
                title=self.title,
                text=self._separator.join(self._gathered),
                markup=self._markup,
                keys=tuple(self._keys) if self._keyed else None,
                fields=self.fields,
            )
            self._part += 1
            self._empty()


def _number_part(identifier: str, part: int) -> str:
    """The id of a document's part: the first keeps the id, the others get ``#2``, ``#3`` ..."""
    return identifier if part == 1 else f"{identifier}#{part}"


def split_document(document: RawDocument, max_chars: int) -> Iterator[RawDocument]:
    """Yield a document in parts of at most ``max_chars`` characters.

    A stretch longer than that without any white space is cut anyway. The parts of a tokenised
    document take their share of the keys along.
    """
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
        yield replace(document, id=_number_part(document.id, part), text=cut, keys=keys)
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
