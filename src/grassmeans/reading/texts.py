"""Formats of text: plain, WikiExtractor's output, and what comes tokenised.

That is one sentence a line, vertical files, and CoNLL-U. The surface forms are joined by single
spaces, sentence after sentence. Where another column than the form is chosen, its values are the
keys of the tokens: lemmas, say, while the surface forms stay readable in a concordance.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from grassmeans.errors import InputError
from grassmeans.reading.documents import Fields, InputFile, RawDocument, number_part
from grassmeans.reading.lines import MAX_LINE_BYTES, read_lines
from grassmeans.text.tokenizer import normalize_text

_OPENING = re.compile(r"<doc\s+[^<>]*\bid=[^<>]*>\s*$")
_QUOTED = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)')""")
# With WikiExtractor's --links anchors are kept, and some versions leave style tags behind.
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_CONLLU_COLUMNS = (
    "id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc",
)  # fmt: skip
# Without `# newdoc` the sentences are taken for running text in documents of this many.
_SENTENCES_PER_DOCUMENT = 100
_TAG_LINE = re.compile(r"<[/?!]?[A-Za-z][^<>]*>")
_DOCUMENT_TAG = re.compile(r"<(?:doc|text)[\s>]")
_ATTRIBUTE = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)'|([^\s>]*))""")
_WORD_ID = re.compile(r"\d+")
_SKIPPED_ID = re.compile(r"\d+[-.]\d+")
_WHITE_SPACE = re.compile(r"\s")
_NO_BREAK_SPACE = "\u00a0"


class _Builder:
    """Gathers the lines or tokens of one document, and gives them away in parts of bounded length.

    A tokenised document that has no id gets the file's name and a number.
    """

    def __init__(self, file: InputFile, *, tokenised: bool = False, keyed: bool = False) -> None:
        self._file = file
        self._tokenised = tokenised
        self._keyed = keyed
        self._number = 0
        self.start("")

    def start(self, identifier: str, title: str = "", fields: Fields = ()) -> None:
        """Begin a document; what was gathered has to be taken before."""
        self._number += 1
        named = identifier or not self._tokenised
        self.id = identifier if named else f"{self._file.shown.name}:{self._number}"
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

    def add(self, form: str) -> None:
        """Add a line or a token."""
        self._gathered.append(form)
        self._n_chars += len(form) + 1

    def add_token(self, form: str, key: str = "") -> None:
        """Add a token; ``key`` counts only where another column than the form was chosen."""
        form = clean_token(form)
        self.add(form)
        if self._keyed:
            self._keys.append(form if key in {"", "_"} else clean_token(key))

    def make_room(self, n_chars: int = 0) -> Iterator[RawDocument]:
        """Yield a part where so many more characters would make it too long."""
        if self._gathered and self._n_chars + n_chars > self._file.options.max_document_chars:
            self._file.report.skip("long document split", self.id)
            yield from self.take()

    def take(self, *, even_empty: bool = False) -> Iterator[RawDocument]:
        """Yield what is left of the document, if anything is; or a document without any text."""
        if self._gathered or (even_empty and self.is_new):
            yield RawDocument(
                id=number_part(self.id, self._part),
                title=self.title,
                text=(" " if self._tokenised else "\n").join(self._gathered),
                markup="tokens" if self._tokenised else "plain",
                keys=tuple(self._keys) if self._keyed else None,
                fields=self.fields,
            )
            self._part += 1
            self._empty()


def clean_token(form: str) -> str:
    """A form as one token: no white space that would split it, and never empty."""
    cleaned = normalize_text(form)
    return _WHITE_SPACE.sub(_NO_BREAK_SPACE, cleaned) or "_"


def read_plain(file: InputFile) -> Iterator[RawDocument]:
    """Yield the documents of a text file, which end at blank lines; ids tell the first line."""
    document = _Builder(file)
    for number, line in enumerate(_read_short_lines(file), start=1):
        if not line.strip():
            yield from document.take()
            document.start("")
            continue
        if document.is_new:
            document.start(f"{file.shown.name}:{number}")
        yield from document.make_room(len(line))
        document.add(line)
    yield from document.take()


def _read_short_lines(file: InputFile) -> Iterator[str]:
    """Lines, or pieces of them, that fit into a part of a long document."""
    max_line = min(MAX_LINE_BYTES, file.options.max_document_chars)
    return read_lines(file, max_line)


def read_wikiextractor(file: InputFile) -> Iterator[RawDocument]:
    """Yield the documents of WikiExtractor's output: ``<doc id= url= title=>`` ... ``</doc>``."""
    document = _Builder(file)
    is_open = False
    for line in _read_short_lines(file):
        if line.startswith("<doc ") and _OPENING.match(line):
            if is_open:
                file.report.skip("unclosed document", f"{file}: {document.id}")
                yield from document.take(even_empty=True)
            values = {name: html.unescape(a or b) for name, a, b in _QUOTED.findall(line)}
            fields = file.pick_fields(values)
            document.start(values.get("id", ""), values.get("title", ""), fields)
            is_open = True
        elif not is_open:
            if line.strip():
                file.report.skip("text outside of a document", f"{file}: {line}")
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
        file.report.skip("unclosed document", f"{file}: {document.id}")
        yield from document.take(even_empty=True)


def read_tokens(file: InputFile) -> Iterator[RawDocument]:
    """Yield documents of sentences, one a line, split at white space; a blank line ends one."""
    document = _Builder(file, tokenised=True)
    for line in read_lines(file):
        forms = line.split()
        if not forms and document:
            yield from document.take()
            document.start("")
        for form in forms:
            document.add_token(form)
        yield from document.make_room()
    yield from document.take()


def read_vertical(file: InputFile) -> Iterator[RawDocument]:
    """Yield documents from lines of one token each, columns separated by tabs, the form first.

    ``<doc ...>`` or ``<text ...>`` begins a document; other structural tags are passed over.
    """
    column = _choose_index(file.options.column, (), default=0)
    document = _Builder(file, tokenised=True, keyed=column != 0)
    for line in read_lines(file):
        stripped = line.strip()
        if not stripped:
            continue
        if stripped[0] == "<" and "\t" not in line and _TAG_LINE.fullmatch(stripped):
            if _DOCUMENT_TAG.match(stripped):
                yield from document.take()
                values = {name: a or b or c for name, a, b, c in _ATTRIBUTE.findall(stripped)}
                fields = file.pick_fields(values)
                document.start(values.get("id", ""), values.get("title", ""), fields)
            continue
        cells = line.split("\t")
        if column >= len(cells):
            file.report.skip("missing column", f"{file}: no column {column} in {line!r}")
            continue
        document.add_token(cells[0].strip(), cells[column].strip())
        yield from document.make_room()
    yield from document.take()


def read_conllu(file: InputFile) -> Iterator[RawDocument]:
    """Yield documents from CoNLL-U; ``# newdoc`` begins one, or else every 100 sentences make one.

    Ranges (``1-2``) and empty nodes (``1.1``) are passed over: the syntactic words are the tokens.
    """
    column = _choose_index(file.options.column, _CONLLU_COLUMNS, default=1)
    document = _Builder(file, tokenised=True, keyed=column != 1)
    n_sentences = 0
    marked = in_sentence = False
    for line in read_lines(file):
        if line.startswith("#"):
            if re.match(r"#\s*newdoc\b", line):
                yield from document.take()
                document.start(line.partition("=")[2].strip())
                marked = True
            elif file.options.meta and not in_sentence:  # "# date = 1857", "# meta::date = 1857"
                name, _, value = line.lstrip("#").partition("=")
                name = name.strip().removeprefix("meta::").removeprefix("newdoc ")
                if name not in dict(document.fields):
                    document.fields += file.pick_fields({name: value.strip()})
        elif not line.strip():
            n_sentences += in_sentence
            in_sentence = False
            yield from document.make_room()
            if not marked and n_sentences >= _SENTENCES_PER_DOCUMENT:
                yield from document.take()
                document.start("")
                n_sentences = 0
        else:
            cells = line.split("\t")
            if len(cells) > max(1, column) and _WORD_ID.fullmatch(cells[0]):
                document.add_token(cells[1], cells[column])
                in_sentence = True
            elif not _SKIPPED_ID.fullmatch(cells[0]):
                file.report.skip("bad CoNLL-U line", f"{file}: {line!r}")
    yield from document.take()


def read_sentences(lines: Iterable[str], column: str | int | None = None) -> Iterator[RawDocument]:
    """Yield the sentences of CoNLL-U lines, each a document; blank lines may be missing."""
    index = _choose_index(column, _CONLLU_COLUMNS, default=1)
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
