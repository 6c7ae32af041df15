"""Labelled text for other tools: plain text, vertical, JSON lines, CoNLL-U, Parquet.

All are written from documents with their text and a key for every word in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from grassmeans.arrays import Indices
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import Shard
from grassmeans.errors import ArtifactError, InputError, import_extra
from grassmeans.labelling.decoding import read_distances, sense_probabilities
from grassmeans.labelling.measuring import Targets, open_distances, read_targets
from grassmeans.outputs.places import output_file
from grassmeans.progress import progress_bar
from grassmeans.senses.keys import decode_key
from grassmeans.text.tokenizer import Tokenizer, WhitespaceTokenizer


class KeyedWord(NamedTuple):
    """A word of a document."""

    # Characters ``start:end`` of the document's text.
    start: int
    end: int
    form: str  # as it stands there
    key: str  # lexeme key, or the word itself
    word: str  # the word as the corpus counts it (lower-cased, say)
    sense: int | None  # from 1; 0 for "I don't know"; None where the word has no senses
    # Of the word's senses, in a corpus that was labelled by soft decoding.
    probabilities: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class KeyedDocument:
    """A document: its number in the corpus, the position of its first word, text and words.

    ``fields`` is what else is known of it: a date, a source.
    """

    is_labelled: bool
    number: int
    first_position: int
    id: str
    title: str
    text: str
    words: list[KeyedWord]
    fields: Mapping[str, str] = field(default_factory=dict)

    def is_listed(self, word: KeyedWord) -> bool:
        """Whether lists of labelled words show it: one with a sense, or any without labels."""
        return word.sense is not None or not self.is_labelled


def read_keyed_documents(corpus: Corpus) -> Iterator[KeyedDocument]:
    """Go through the documents of a corpus, in order, one in memory at a time."""
    reader = _Reader(corpus)
    for number, shard in enumerate(corpus.shards):
        first_document = int(corpus.document_starts[number])
        first_position = int(corpus.shard_starts[number])
        yield from reader.read_shard(shard, first_document, first_position)


class _Reader:
    def __init__(self, corpus: Corpus) -> None:
        labelled = corpus.manifest.get("labelled")
        self._is_labelled = labelled is not None
        self._tokenizer = corpus.tokenizer
        keys = corpus.vocabulary.words
        decoded = map(decode_key, keys) if labelled else ((word, None) for word in keys)
        self._entries = [
            (key, word, sense) for key, (word, sense) in zip(keys, decoded, strict=True)
        ]
        self._targets: Targets | None = None
        if labelled and labelled["decoding"] == "soft":
            self._targets = read_targets(corpus)
            self._sharpness = float(labelled["sharpness"])

    def read_shard(
        self, shard: Shard, first_document: int, first_position: int
    ) -> Iterator[KeyedDocument]:
        offsets, text_offsets = shard.document_offsets, shard.text_offsets
        probabilities = self._probability_reader(shard)
        for i, (identifier, title) in enumerate(shard.metadata):
            start, end = int(offsets[i]), int(offsets[i + 1])
            text = bytes(shard.text[text_offsets[i] : text_offsets[i + 1]]).decode()
            tokenizer: Tokenizer | WhitespaceTokenizer = self._tokenizer
            if shard.pretokenised[i]:
                tokenizer = WhitespaceTokenizer(lowercase=tokenizer.lowercase)
            spans = list(tokenizer.spans(text))
            tokens = shard.tokens[start:end].tolist()
            if len(spans) != len(tokens):
                raise ArtifactError(
                    f"{shard.folder} is damaged: text and tokens do not fit; build it again"
                )
            words = [
                self._word(text, span, token, tokenizer)
                for span, token in zip(spans, tokens, strict=True)
            ]
            if probabilities is not None:
                for place, row in probabilities(start, end):
                    words[place] = words[place]._replace(probabilities=row)
            yield KeyedDocument(
                self._is_labelled,
                first_document + i,
                first_position + start,
                identifier,
                title,
                text,
                words,
                shard.fields[i],
            )

    def _word(
        self,
        text: str,
        span: tuple[int, int],
        token: int,
        tokenizer: Tokenizer | WhitespaceTokenizer,
    ) -> KeyedWord:
        form = text[span[0] : span[1]]
        if token < 0:  # beyond the vocabulary's limit: the text still has it
            word = tokenizer.key_of(form) or form
            return KeyedWord(*span, form, word, word, None)
        key, word, sense = self._entries[token]
        return KeyedWord(*span, form, key, word, sense)

    def _probability_reader(
        self, shard: Shard
    ) -> Callable[[int, int], Iterator[tuple[int, tuple[float, ...]]]] | None:
        """Tells for the positions ``start:end`` which words have which probabilities."""
        if self._targets is None:
            return None
        targets = self._targets
        stored = open_distances(shard.folder, len(shard.tokens), targets.max_senses)

        def read(start: int, end: int) -> Iterator[tuple[int, tuple[float, ...]]]:
            first, last = (int(i) for i in np.searchsorted(stored.positions, (start, end)))
            places = stored.positions[first:last]
            n_senses: Indices = targets.n_senses[targets.word_of_token[shard.tokens[places]]]
            distances = read_distances(stored, slice(first, last), n_senses, shard.folder)
            rows = sense_probabilities(distances, n_senses, self._sharpness)
            for place, row, n in zip(
                places.tolist(), rows.tolist(), n_senses.tolist(), strict=True
            ):
                yield place - start, tuple(row[:n])

        return read


_SPACE = re.compile(r"\s")
_NO_NAME = re.compile(r"[^\w-]")
# The escapes that Universal Dependencies use inside MISC.
_MISC_ESCAPES = str.maketrans({"\\": "\\\\", "|": "\\p", " ": "\\s", "\t": "\\t"})


def _text_lines(document: KeyedDocument) -> Iterator[str]:
    yield " ".join(_SPACE.sub("_", word.key) for word in document.words)


def _vertical_lines(document: KeyedDocument) -> Iterator[str]:
    title = _SPACE.sub(" ", document.title)
    told = "".join(f' {_as_name(k)}="{escape(v)}"' for k, v in document.fields.items())
    yield f'<doc id="{escape(document.id)}" title="{escape(title)}"{told}>'
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
        **({"fields": dict(document.fields)} if document.fields else {}),
        "text": document.text,
        "words": [_word_as_dict(word) for word in document.words if document.is_listed(word)],
    }
    yield json.dumps(value, ensure_ascii=False)


def _word_as_dict(word: KeyedWord) -> dict[str, Any]:
    told = ("start", "end", "word", "key", "sense")
    fields: dict[str, Any] = {name: getattr(word, name) for name in told}
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
        if number == 1:
            yield from (f"# {_as_name(k)} = {v}" for k, v in document.fields.items())
        yield f"# sent_id = {identifier}-{number}"
        yield f"# text = {_SPACE.sub(' ', line).strip()}"
        for i, word in enumerate(words, 1):
            misc = "_" if word.sense is None else f"Sense={word.key.translate(_MISC_ESCAPES)}"
            yield "\t".join([str(i), _SPACE.sub(" ", word.form), *["_"] * 7, misc])
        yield ""


def _as_name(field: str) -> str:
    """The name of a field as that of an attribute."""
    return _NO_NAME.sub("_", field)


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
    """Write a corpus, labelled or not, in a format that other tools read; the number of documents.

    text: keys separated by spaces, one document a line. vertical: form, key, word and sense
    separated by tabs, one word a line, inside ``<doc>``. jsonl: one document a line with the
    character spans of its words. conllu: the key in MISC (``Sense=crane.2``), a sentence for every
    line of the text. parquet: one row for every word that has a sense.

    A path, which Parquet needs, is written under a temporary name first.
    """
    if format not in FORMATS:
        raise InputError(f"format must be one of {', '.join(FORMATS)}, got {format!r}")
    if format == "parquet" and not isinstance(output, Path):
        raise InputError("parquet cannot be written to a stream: name a file with -o")
    bar = progress_bar("exporting", corpus.n_documents, unit="documents", show=show_progress)
    with bar as advance:
        documents = _counted(read_keyed_documents(corpus), advance)
        if not isinstance(output, Path):
            return _write_lines(documents, output, format)
        with output_file(output, inputs=[corpus.path], overwrite=overwrite) as temporary:
            if format == "parquet":
                return write_parquet(documents, temporary, corpus.fields)
            with temporary.open("wb") as file:
                return _write_lines(documents, file, format)


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
_FIELD = "field_"


def write_parquet(
    documents: Iterable[KeyedDocument], path: Path, fields: Sequence[str] = ()
) -> int:
    """Write the words that have a sense (in a corpus without labels all words), in groups of rows.

    Columns: ``document`` (its number), ``document_id``, ``title``, ``position`` (of the word in the
    corpus), ``start`` and ``end`` (characters), ``form``, ``key``, ``word``, ``sense``,
    ``probabilities``, and one for each field of the documents (``field_date``).
    """
    pa = import_extra("pyarrow", "parquet", "writing Parquet")
    import pyarrow.parquet as pq

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
            *((_FIELD + name, pa.string()) for name in fields),
        ]
    )
    columns: dict[str, list[Any]] = {name: [] for name in schema.names}
    n_documents = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for document in documents:
            n_documents += 1
            _add_rows(document, columns, fields)
            if len(columns["key"]) >= _ROWS_PER_GROUP:
                writer.write_table(pa.table(columns, schema=schema))
                columns = {name: [] for name in schema.names}
        writer.write_table(pa.table(columns, schema=schema))
    return n_documents


def _add_rows(
    document: KeyedDocument, columns: dict[str, list[Any]], fields: Sequence[str]
) -> None:
    for i, word in enumerate(document.words):
        if not document.is_listed(word):
            continue
        columns["document"].append(document.number)
        columns["document_id"].append(document.id)
        columns["title"].append(document.title)
        columns["position"].append(document.first_position + i)
        for name in KeyedWord._fields:
            columns[name].append(getattr(word, name))
        for name in fields:
            columns[_FIELD + name].append(document.fields.get(name))
