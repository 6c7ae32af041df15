"""Labelled text for other tools: plain text, vertical, JSON lines, CoNLL-U, terms, Parquet.

All are written from documents with their text and a key for every word in it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from grassmeans.arrays import Doubles, Integers
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import Shard
from grassmeans.errors import ArtifactError, InputError, check_choice, import_extra
from grassmeans.labelling.decoding import find_probabilities, read_labelled
from grassmeans.labelling.measuring import Targets, open_distances, read_targets
from grassmeans.models.model import SenseModel, open_model
from grassmeans.outputs.places import output_file
from grassmeans.progress import progress_bar
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.keys import decode_key
from grassmeans.text.tokenizer import Tokenizer, WhitespaceTokenizer


class KeyedWord(NamedTuple):
    """A word of a document."""

    start: int
    """Its first character in the document's text."""
    end: int
    """The character after its last."""
    form: str
    """As it stands there."""
    key: str
    """Lexeme key, or the word itself."""
    word: str
    """As the corpus counts it (lower-cased, say)."""
    sense: int | None
    """From 1; 0 for "I don't know"; None where the word has no senses."""
    probabilities: tuple[float, ...] | None = None
    """Of the word's senses, in a corpus that was labelled by soft decoding."""
    name: str | None = None
    """What the sense is called, with the model by which the corpus was labelled; None for words
    without senses."""
    confidence: float | None = None
    """How likely it is right, with that model; None for words without senses or with one."""


@dataclass(frozen=True, slots=True)
class KeyedDocument:
    """A document: its number in the corpus, the position of its first word, text and words."""

    is_labelled: bool
    """Whether its corpus is."""
    number: int
    """In the corpus, from 0."""
    first_position: int
    """Of its first word, in the corpus."""
    id: str
    """As in the source."""
    title: str
    """As in the source."""
    text: str
    """Without markup."""
    words: list[KeyedWord]
    """In order."""
    fields: Mapping[str, str]
    """What else is known of it: a date, a source."""

    def is_listed(self, word: KeyedWord) -> bool:
        """Whether lists of labelled words show it: one with a sense, or any without labels."""
        return word.sense is not None or not self.is_labelled


def read_keyed_documents(
    corpus: Corpus, model: SenseModel | None = None
) -> Iterator[KeyedDocument]:
    """Go through the documents of a corpus, in order, one in memory at a time."""
    labelled: Any = corpus.manifest.get("labelled")
    if model is not None and (labelled is None or labelled["model_digest"] != model.digest):
        raise InputError(f"{corpus.path} was not labelled by this model: it cannot name its senses")
    keys = corpus.vocabulary.words
    entries = [(key, *(decode_key(key) if labelled else (key, None))) for key in keys]
    is_soft = labelled and labelled["decoding"] == "soft"
    targets = read_targets(corpus) if is_soft or model is not None else None
    sharpness = float(labelled["sharpness"]) if is_soft else None
    for number, shard in enumerate(corpus.shards):
        stored = targets and open_distances(shard.folder, len(shard.tokens), targets.max_senses)
        for i, (identifier, title) in enumerate(shard.metadata):
            start, end = shard.document_offsets[i : i + 2].tolist()
            text = shard.document_text(i)
            words = _key_words(shard.token_rule(i, corpus.tokenizer), shard, i, text, entries)
            if targets and stored:
                part = stored.rows_within(start, end)
                places = (stored.positions[part] - start).tolist()
                found = read_labelled(shard, stored, part, targets)
                for place, told in zip(
                    places, _tell_answers(*found, targets, model, sharpness), strict=True
                ):
                    words[place] = words[place]._replace(**told)
                if model is not None:
                    words = [_name_sense(word, model.inventory) for word in words]
            yield KeyedDocument(
                is_labelled=labelled is not None,
                number=int(corpus.document_starts[number]) + i,
                first_position=int(corpus.shard_starts[number]) + start,
                id=identifier,
                title=title,
                text=text,
                words=words,
                fields=shard.fields[i],
            )


def _tell_answers(
    words: Integers,
    distances: Doubles,
    targets: Targets,
    model: SenseModel | None,
    sharpness: float | None,
) -> Iterator[dict[str, Any]]:
    """Probabilities, in a corpus of soft labels, and confidence, with the model, of occurrences."""
    n_senses = targets.n_senses[words]
    rows = sure = None
    if sharpness is not None:
        rows = find_probabilities(distances, n_senses, sharpness).tolist()
    if model is not None and model.calibration is not None:
        found = model.calibration.confidence(distances)
        # How far an only sense is was not measured.
        sure = np.where(n_senses > 1, found, np.nan).tolist()
    for i, n in enumerate(n_senses.tolist()):
        told: dict[str, Any] = {} if rows is None else {"probabilities": tuple(rows[i][:n])}
        if sure is not None and not math.isnan(sure[i]):
            told["confidence"] = sure[i]
        yield told


def _name_sense(word: KeyedWord, inventory: SenseInventory) -> KeyedWord:
    name = inventory.names_of(word.word).get(word.sense, "") if word.sense else ""
    return word._replace(name=name) if name else word


def _key_words(
    tokenizer: Tokenizer | WhitespaceTokenizer,
    shard: Shard,
    document: int,
    text: str,
    entries: Sequence[tuple[str, str, int | None]],
) -> list[KeyedWord]:
    """The words of a document; ``entries`` are key, word and sense of each token id."""
    spans = list(tokenizer.spans(text))
    tokens = shard.tokens[slice(*shard.document_offsets[document : document + 2])].tolist()
    if len(spans) != len(tokens):
        raise ArtifactError(
            f"{shard.folder} is damaged: text and tokens do not fit; build it again"
        )
    words = []
    for (start, end), token in zip(spans, tokens, strict=True):
        form = text[start:end]
        if token < 0:  # beyond the vocabulary's limit: the text still has it
            word = tokenizer.key_of(form) or form
            words.append(KeyedWord(start, end, form, word, word, None))
        else:
            words.append(KeyedWord(start, end, form, *entries[token]))
    return words


TERM_MARK = "|"
"""Between a word and the number of its sense, in the terms of a search engine."""

_SPACE = re.compile(r"\s")
_NO_NAME = re.compile(r"[^\w-]")
# The escapes that Universal Dependencies use inside MISC.
_MISC_ESCAPES = str.maketrans({"\\": "\\\\", "|": "\\p", " ": "\\s", "\t": "\\t"})


def _text_lines(document: KeyedDocument) -> Iterator[str]:
    yield " ".join(_SPACE.sub("_", word.key) for word in document.words)


def _terms_lines(document: KeyedDocument) -> Iterator[str]:
    terms = []
    for word in document.words:
        form = _SPACE.sub("_", word.form.lower() if word.word == word.word.lower() else word.form)
        counted = _SPACE.sub("_", word.word)
        terms += [form] if form == counted else [form, counted]
        if word.sense:
            terms.append(f"{counted}{TERM_MARK}{word.sense}")
    yield f"{_SPACE.sub(' ', document.id)}\t{' '.join(terms)}"


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
    told = ("start", "end", "word", "key", "sense")
    words = []
    for word in filter(document.is_listed, document.words):
        fields: dict[str, Any] = {name: getattr(word, name) for name in told}
        if word.probabilities is not None:
            fields["probabilities"] = [round(p, 4) for p in word.probabilities]
        if word.name is not None:
            fields["name"] = word.name
        if word.confidence is not None:
            fields["confidence"] = round(word.confidence, 4)
        words.append(fields)
    value = {
        "id": document.id,
        "title": document.title,
        **({"fields": dict(document.fields)} if document.fields else {}),
        "text": document.text,
        "words": words,
    }
    yield json.dumps(value, ensure_ascii=False)


def _conllu_lines(document: KeyedDocument) -> Iterator[str]:
    identifier = _SPACE.sub("_", document.id) or str(document.number)
    for number, (line, words) in enumerate(_by_line(document), 1):
        if number == 1:  # a document without words has no sentence that could say so
            yield f"# newdoc id = {identifier}"
            if document.title:
                yield f"# title = {_SPACE.sub(' ', document.title)}"
            yield from (f"# {_as_name(k)} = {v}" for k, v in document.fields.items())
        yield f"# sent_id = {identifier}-{number}"
        yield f"# text = {_SPACE.sub(' ', line).strip()}"
        for i, word in enumerate(words, 1):
            confidence = None if word.confidence is None else f"{word.confidence:.4f}"
            key = None if word.sense is None else word.key
            told = {"Sense": key, "SenseName": word.name, "SenseConfidence": confidence}
            pairs = (f"{k}={v.translate(_MISC_ESCAPES)}" for k, v in told.items() if v is not None)
            misc = "|".join(pairs) or "_"
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
    "terms": _terms_lines,
}
FORMATS = (*_LINES, "parquet")


def export_corpus(
    corpus: Corpus,
    output: Path | BinaryIO,
    format: str = "text",
    *,
    model: SenseModel | str | Path | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> int:
    """Write a corpus, labelled or not, in a format that other tools read; the number of documents.

    text: keys separated by spaces, one document a line. vertical: form, key, word and sense
    separated by tabs, one word a line, inside ``<doc>``. jsonl: one document a line with the
    character spans of its words. conllu: the key in MISC (``Sense=crane.2``), a sentence for every
    line of the text. terms: its id and its words, separated by a tab, one document a line; behind a
    word its entry's word, where that is another, and its sense as a term of its own (``cranes crane
    crane|2``). parquet: one row for every word that
    has a sense.

    With the model by which the corpus was labelled, jsonl, conllu and parquet tell the name of each
    sense, and how likely it is right.

    A path, which Parquet needs, is written under a temporary name first.
    """
    check_choice("format", format, FORMATS)
    if format == "parquet" and not isinstance(output, Path):
        raise InputError("parquet cannot be written to a stream: name a file with -o")
    bar = progress_bar("exporting", corpus.n_documents, unit="documents", show=show_progress)
    with bar as advance:
        opened = None if model is None else open_model(model)
        documents = _counted(read_keyed_documents(corpus, opened), advance)
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
    ``probabilities``, ``name`` and ``confidence`` of the sense, and one for each field of the
    documents (``field_date``).
    """
    pa = import_extra("pyarrow", "parquet", "writing Parquet")
    import pyarrow.parquet as pq

    kinds = {
        "document": pa.int64(),
        "document_id": pa.string(),
        "title": pa.string(),
        "position": pa.int64(),
        "start": pa.int64(),
        "end": pa.int64(),
        "form": pa.string(),
        "key": pa.string(),
        "word": pa.string(),
        "sense": pa.int16(),
        "probabilities": pa.list_(pa.float32()),
        "name": pa.string(),
        "confidence": pa.float32(),
    }
    schema = pa.schema(kinds | {_FIELD + name: pa.string() for name in fields})
    rows: list[tuple[Any, ...]] = []
    n_documents = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:

        def write_rows() -> None:
            columns = {name: [row[i] for row in rows] for i, name in enumerate(schema.names)}
            writer.write_table(pa.table(columns, schema=schema))
            rows.clear()

        for document in documents:
            n_documents += 1
            told = [document.fields.get(name) for name in fields]
            head = (document.number, document.id, document.title)
            for position, word in enumerate(document.words, document.first_position):
                if document.is_listed(word):
                    rows.append((*head, position, *word, *told))
            if len(rows) >= _ROWS_PER_GROUP:
                write_rows()
        write_rows()
    return n_documents
