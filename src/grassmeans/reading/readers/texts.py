"""Formats of text: plain, WikiExtractor's output, and what comes tokenised.

That is one sentence a line, vertical files, and CoNLL-U. The surface forms are joined by single
spaces, sentence after sentence. Where another column than the form is chosen, its values are the
keys of the tokens: lemmas, say, while the surface forms stay readable in a concordance.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from grassmeans.errors import InputError
from grassmeans.reading.documents import DocumentBuilder, RawDocument, ReadOptions, ReadReport
from grassmeans.reading.fields import Fields, pick_fields
from grassmeans.reading.lines import MAX_LINE_BYTES, read_lines
from grassmeans.text.tokenizer import normalize_text

_OPENING = re.compile(r"<doc\s+[^<>]*\bid=[^<>]*>\s*$")
_QUOTED = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)')""")
# With WikiExtractor's --links anchors are kept, and some versions leave style tags behind.
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


def read_plain(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[RawDocument]:
    """Yield the documents of a text file, which end at blank lines.

    The id is the file's name and the first line's number.
    """
    document = DocumentBuilder(report, options.max_document_chars)
    for number, line in enumerate(_read_short_lines(path, report, options), start=1):
        if not line.strip():
            yield from document.take()
            document.start("")
            continue
        if document.is_new:
            document.start(f"{path.name}:{number}")
        yield from document.make_room(len(line))
        document.add(line)
    yield from document.take()


def _read_short_lines(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[str]:
    """Lines, or pieces of them, that fit into a part of a long document."""
    max_line = min(MAX_LINE_BYTES, options.max_document_chars)
    return read_lines(path, report, encoding=options.encoding, max_line=max_line)


def read_wikiextractor(
    path: Path, report: ReadReport, options: ReadOptions
) -> Iterator[RawDocument]:
    """Yield the documents of WikiExtractor's text output: ``<doc id= url= title=>`` ... ``</doc>``.

    Text outside of documents is counted and passed over.
    """
    document = DocumentBuilder(report, options.max_document_chars)
    is_open = False
    for line in _read_short_lines(path, report, options):
        if line.startswith("<doc ") and _OPENING.match(line):
            if is_open:
                report.skip("unclosed document", f"{path}: {document.id}")
                yield from document.take(even_empty=True)
            values = {name: html.unescape(a or b) for name, a, b in _QUOTED.findall(line)}
            fields = pick_fields(values, options, report)
            document.start(values.get("id", ""), values.get("title", ""), fields)
            is_open = True
        elif not is_open:
            if line.strip():
                report.skip("text outside of a document", f"{path}: {line}")
        elif line.rstrip() == "</doc>":
            yield from document.take(even_empty=True)
            is_open = False
        else:
            yield from document.make_room(len(line))
            # Newer versions escape the text, too.
            if "&" in line or "<" in line:
                line = _TAG.sub("", html.unescape(line)).strip()  # noqa: PLW2901
            # The first line repeats the title, which is no running text.
            if line and not (document.is_new and line == document.title):
                document.add(line)
    if is_open:
        report.skip("unclosed document", f"{path}: {document.id}")
        yield from document.take(even_empty=True)


CONLLU_COLUMNS = (
    "id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc",
)  # fmt: skip
# Without `# newdoc` the sentences are taken for running text in documents of this many.
SENTENCES_PER_DOCUMENT = 100
_TAG_LINE = re.compile(r"<[/?!]?[A-Za-z][^<>]*>")
_DOCUMENT_TAG = re.compile(r"<(?:doc|text)[\s>]")
_ATTRIBUTE = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)'|([^\s>]*))""")
_WORD_ID = re.compile(r"\d+")
_SKIPPED_ID = re.compile(r"\d+[-.]\d+")
_WHITE_SPACE = re.compile(r"\s")
_NO_BREAK_SPACE = "\u00a0"


class _TokenBuilder(DocumentBuilder):
    """Gathers tokens; a document without an id gets the file's name and a number."""

    def __init__(
        self, path: Path, report: ReadReport, options: ReadOptions, *, keyed: bool
    ) -> None:
        self._path = path
        self._number = 0
        super().__init__(report, options.max_document_chars, tokenised=True, keyed=keyed)

    def start(self, identifier: str, title: str = "", fields: Fields = ()) -> None:
        """Begin a document; what was gathered has to be taken before."""
        self._number += 1
        super().start(identifier or f"{self._path.name}:{self._number}", title, fields)

    def add(self, form: str, key: str = "") -> None:
        """Add a token; ``key`` counts only where another column than the form was chosen."""
        form = clean_token(form)
        has_key = self._keyed and key not in {"", "_"}
        super().add(form, clean_token(key) if has_key else form)


def clean_token(form: str) -> str:
    """A form as one token: no white space that would split it, and never empty."""
    cleaned = normalize_text(form)
    return _WHITE_SPACE.sub(_NO_BREAK_SPACE, cleaned) or "_"


def read_tokens(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[RawDocument]:
    """Yield documents of sentences, one a line, split at white space; a blank line ends one."""
    document = _TokenBuilder(path, report, options, keyed=False)
    for line in read_lines(path, report, encoding=options.encoding):
        forms = line.split()
        if not forms and document:
            yield from document.take()
            document.start("")
        for form in forms:
            document.add(form)
        yield from document.make_room()
    yield from document.take()


def read_vertical(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[RawDocument]:
    """Yield documents from lines of one token each, columns separated by tabs.

    ``<doc ...>`` or ``<text ...>`` begins a document, whose fields are its attributes; other
    structural tags are passed over. The form is the first column, the keys are the column
    ``options.column`` (0 is the first).
    """
    column = _choose_index(options.column, (), default=0)
    document = _TokenBuilder(path, report, options, keyed=column != 0)
    for line in read_lines(path, report, encoding=options.encoding):
        stripped = line.strip()
        if not stripped:
            continue
        if stripped[0] == "<" and "\t" not in line and _TAG_LINE.fullmatch(stripped):
            if _DOCUMENT_TAG.match(stripped):
                yield from document.take()
                values = {name: a or b or c for name, a, b, c in _ATTRIBUTE.findall(stripped)}
                fields = pick_fields(values, options, report)
                document.start(values.get("id", ""), values.get("title", ""), fields)
            continue
        cells = line.split("\t")
        if column >= len(cells):
            report.skip("missing column", f"{path}: no column {column} in {line!r}")
            continue
        document.add(cells[0].strip(), cells[column].strip())
        yield from document.make_room()
    yield from document.take()


def read_conllu(path: Path, report: ReadReport, options: ReadOptions) -> Iterator[RawDocument]:
    """Yield documents from CoNLL-U; ``# newdoc`` begins one, a blank line ends a sentence.

    Ranges (``1-2``) and empty nodes (``1.1``) are passed over: the syntactic words are the tokens.
    Up to the first ``# newdoc``, and so throughout a file that has none, every 100 sentences make
    a document.
    """
    column = _choose_index(options.column, CONLLU_COLUMNS, default=1)
    document = _TokenBuilder(path, report, options, keyed=column != 1)
    n_sentences = 0
    marked = in_sentence = False
    for line in read_lines(path, report, encoding=options.encoding):
        if line.startswith("#"):
            if re.match(r"#\s*newdoc\b", line):
                yield from document.take()
                document.start(line.partition("=")[2].strip())
                marked = True
            elif options.meta and not in_sentence:
                document.fields += _read_comment(line, document.fields, options, report)
        elif not line.strip():
            n_sentences += in_sentence
            in_sentence = False
            yield from document.make_room()
            if not marked and n_sentences >= SENTENCES_PER_DOCUMENT:
                yield from document.take()
                document.start("")
                n_sentences = 0
        else:
            cells = line.split("\t")
            if len(cells) > max(1, column) and _WORD_ID.fullmatch(cells[0]):
                document.add(cells[1], cells[column])
                in_sentence = True
            elif not _SKIPPED_ID.fullmatch(cells[0]):
                report.skip("bad CoNLL-U line", f"{path}: {line!r}")
    yield from document.take()


def _read_comment(line: str, known: Fields, options: ReadOptions, report: ReadReport) -> Fields:
    """A field of the document that a comment gives: ``# date = 1857``, ``# meta::date = 1857``."""
    name, _, value = line.lstrip("#").partition("=")
    name = name.strip().removeprefix("meta::").removeprefix("newdoc ")
    return () if name in dict(known) else pick_fields({name: value.strip()}, options, report)


def read_sentences(lines: Iterable[str], column: str | int | None = None) -> Iterator[RawDocument]:
    """Yield the sentences of CoNLL-U lines, each a document; blank lines may be missing.

    Keys of the tokens are in a column as for `read_conllu`.
    """
    index = _choose_index(column, CONLLU_COLUMNS, default=1)
    forms: list[str] = []
    keys: list[str] = []
    for line in lines:
        cells = line.rstrip("\r\n").split("\t")
        if not _WORD_ID.fullmatch(cells[0]) or len(cells) <= max(1, index):
            continue
        if cells[0] == "1" and forms:
            yield RawDocument("", "", " ".join(forms), "tokens", tuple(keys))
            forms, keys = [], []
        forms.append(clean_token(cells[1]))
        has_key = cells[index] not in {"", "_"}
        keys.append(clean_token(cells[index]) if has_key else forms[-1])
    if forms:
        yield RawDocument("", "", " ".join(forms), "tokens", tuple(keys))


def _choose_index(column: str | int | None, names: tuple[str, ...], default: int) -> int:
    """The number of a column that was given by number or name."""
    if column is None:
        return default
    if isinstance(column, str) and column.lower() in names:
        return names.index(column.lower())
    known = f"one of {', '.join(names)}, or " if names else ""
    try:
        index = int(column)
    except ValueError:
        index = -1
    if index < 0 or (names and index >= len(names)):
        raise InputError(
            f"there is no column {column!r}: expected {known}a number counted from 0"
            + (f" to {len(names) - 1}" if names else "")
        )
    return index
