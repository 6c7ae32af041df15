"""Labelled text for other tools: plain text, vertical, JSON lines, CoNLL-U, Parquet."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any, BinaryIO

from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError, MissingExtraError
from grassmeans.labelling.documents import KeyedDocument, KeyedWord, read_keyed_documents
from grassmeans.outputs import output_file
from grassmeans.progress import progress_bar

_SPACE = re.compile(r"\s")
# The escapes that Universal Dependencies use inside MISC.
_MISC_ESCAPES = str.maketrans({"\\": "\\\\", "|": "\\p", " ": "\\s", "\t": "\\t"})


def _text_lines(document: KeyedDocument) -> Iterator[str]:
    yield " ".join(_SPACE.sub("_", word.key) for word in document.words)


def _vertical_lines(document: KeyedDocument) -> Iterator[str]:
    title = _SPACE.sub(" ", document.title)
    yield f'<doc id="{escape(document.id)}" title="{escape(title)}">'
    for word in document.words:
        sense = "" if word.sense is None else str(word.sense)
        fields = (word.form, word.key, word.word, sense)
        # Columns are cut at tabs, and a line that begins with "<" would be a structure.
        yield "\t".join(escape(_SPACE.sub("_", field), quote=False) for field in fields)
    yield "</doc>"


def _json_lines(document: KeyedDocument) -> Iterator[str]:
    value = {
        "id": document.id,
        "title": document.title,
        "text": document.text,
        "words": [_word_as_dict(word) for word in document.words if document.is_listed(word)],
    }
    yield json.dumps(value, ensure_ascii=False)


def _word_as_dict(word: KeyedWord) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "start": word.start,
        "end": word.end,
        "word": word.word,
        "key": word.key,
        "sense": word.sense,
    }
    if word.probabilities is not None:
        fields["probabilities"] = [round(p, 4) for p in word.probabilities]
    return fields


def _conllu_lines(document: KeyedDocument) -> Iterator[str]:
    identifier = _SPACE.sub("_", document.id) or str(document.number)
    for number, (line, words) in enumerate(_by_line(document), 1):
        if number == 1:  # a document without words has no sentence that could say so
            yield f"# newdoc id = {identifier}"
        if number == 1 and document.title:
            yield f"# title = {_SPACE.sub(' ', document.title)}"
        yield f"# sent_id = {identifier}-{number}"
        yield f"# text = {_SPACE.sub(' ', line).strip()}"
        for i, word in enumerate(words, 1):
            misc = "_" if word.sense is None else f"Sense={word.key.translate(_MISC_ESCAPES)}"
            yield "\t".join([str(i), _SPACE.sub(" ", word.form), *["_"] * 7, misc])
        yield ""


def _by_line(document: KeyedDocument) -> Iterator[tuple[str, list[KeyedWord]]]:
    """The lines of a document that have words, with their words."""
    remaining = iter(document.words)
    word = next(remaining, None)
    start = 0
    for line in document.text.split("\n"):
        end = start + len(line)
        words = []
        while word is not None and word.start < end:
            words.append(word)
            word = next(remaining, None)
        if words:
            yield line, words
        start = end + 1


_LINES: dict[str, Callable[[KeyedDocument], Iterator[str]]] = {
    "text": _text_lines,
    "vertical": _vertical_lines,
    "jsonl": _json_lines,
    "conllu": _conllu_lines,
}
FORMATS = (*_LINES, "parquet")


def export_corpus(
    corpus: Corpus,
    output: Path | BinaryIO,
    format: str = "text",
    *,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> int:
    """Write a corpus, labelled or not, in a format that other tools read.

    Parameters
    ----------
    output : Path or binary file
        A path is written under a temporary name first; Parquet needs one.
    format : {"text", "vertical", "jsonl", "conllu", "parquet"}
        text: keys separated by spaces, one document a line. vertical: form, key, word and sense
        separated by tabs, one word a line, inside ``<doc>``. jsonl: one document a line with the
        character spans of its words. conllu: the key in MISC (``Sense=crane.2``), a sentence for
        every line of the text. parquet: one row for every word that has a sense.

    Returns
    -------
    int
        The number of documents.
    """
    if format not in FORMATS:
        raise InputError(f"format must be one of {', '.join(FORMATS)}, got {format!r}")
    if isinstance(output, Path):
        with (
            progress_bar(
                "exporting", corpus.n_documents, unit="documents", show=show_progress
            ) as advance,
            output_file(output, inputs=[corpus.path], overwrite=overwrite) as temporary,
        ):
            documents = _counted(read_keyed_documents(corpus), advance)
            if format == "parquet":
                return write_parquet(documents, temporary)
            with temporary.open("wb") as file:
                return _write_lines(documents, file, format)
    if format == "parquet":
        raise InputError("parquet cannot be written to a stream: name a file with -o")
    return _write_lines(read_keyed_documents(corpus), output, format)


def _counted(
    documents: Iterable[KeyedDocument], advance: Callable[..., None]
) -> Iterator[KeyedDocument]:
    for document in documents:
        yield document
        advance()


def _write_lines(documents: Iterable[KeyedDocument], file: BinaryIO, format: str) -> int:
    n_documents = 0
    for document in documents:
        lines = _LINES[format](document)
        file.write("".join(f"{line}\n" for line in lines).encode())
        n_documents += 1
    return n_documents


_ROWS_PER_GROUP = 200_000


def write_parquet(documents: Iterable[KeyedDocument], path: Path) -> int:
    """Write the words that have a sense (in a corpus without labels all words), in groups of rows.

    Columns: ``document`` (its number), ``document_id``, ``title``, ``position`` (of the word in the
    corpus), ``start`` and ``end`` (characters), ``form``, ``key``, ``word``, ``sense``,
    ``probabilities``.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet", "writing Parquet") from error
    schema = pa.schema(
        [
            ("document", pa.int64()),
            ("document_id", pa.string()),
            ("title", pa.string()),
            ("position", pa.int64()),
            ("start", pa.int64()),
            ("end", pa.int64()),
            ("form", pa.string()),
            ("key", pa.string()),
            ("word", pa.string()),
            ("sense", pa.int16()),
            ("probabilities", pa.list_(pa.float32())),
        ]
    )
    columns: dict[str, list[Any]] = {name: [] for name in schema.names}
    n_documents = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for document in documents:
            n_documents += 1
            _add_rows(document, columns)
            if len(columns["key"]) >= _ROWS_PER_GROUP:
                writer.write_table(pa.table(columns, schema=schema))
                columns = {name: [] for name in schema.names}
        writer.write_table(pa.table(columns, schema=schema))
    return n_documents


def _add_rows(document: KeyedDocument, columns: dict[str, list[Any]]) -> None:
    for i, word in enumerate(document.words):
        if not document.is_listed(word):
            continue
        columns["document"].append(document.number)
        columns["document_id"].append(document.id)
        columns["title"].append(document.title)
        columns["position"].append(document.first_position + i)
        for name in KeyedWord._fields:
            columns[name].append(getattr(word, name))
