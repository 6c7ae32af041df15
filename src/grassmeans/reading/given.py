"""What users hand over in Python: texts and words. One door for each, used everywhere.

A string is never taken for a list of characters, nor a table for the list of its columns: what was
meant is done, or an error of one line says what to pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from grassmeans.artifacts.schema import as_plain, shorten
from grassmeans.errors import InputError
from grassmeans.reading.documents import RawDocument, ReadOptions, ReadReport, pick_fields
from grassmeans.reading.inputs import read_documents
from grassmeans.reading.tables import DEFAULT_COLUMN, open_table, read_column
from grassmeans.reading.texts import clean_token
from grassmeans.text.tokenizer import (
    Tokenizer,
    WhitespaceTokenizer,
    mend_surrogates,
    normalize_text,
)

Text = str | RawDocument
"""A text as it stands, or one that comes tokenised (``markup="tokens"``)."""

MISSING = "missing text"
"""Under which texts that are not there are counted."""

_LONGEST_PATH = 1024
_MISSING_TYPES = {"NAType", "NaTType"}


def iterate_documents(
    texts: Any,
    *,
    column: str | None = None,
    name: str = "texts",
    skip_missing: bool = False,
    options: ReadOptions | None = None,
    report: ReadReport | None = None,
) -> Iterator[RawDocument]:
    """The documents of whatever holds texts and can be iterated over once.

    Strings; texts that come tokenised, as lists of strings; records, with the text in the field
    ``column``; a column of a table, or a table (pandas, polars, Arrow, a data set of Hugging Face)
    whose ``column`` holds the texts ("text" by default, or the only one); the path of a file or
    folder, or several of them as `pathlib.Path`, read by ``options``. A document that does not come
    from a file has its number as id.

    None and NaN are passed over where missing texts are skipped, or refused. ``name`` is what the
    caller calls the argument. `InputError` at once where ``texts`` cannot be read at all; while
    reading where one of them is no text.
    """
    chosen = options or ReadOptions()
    table = open_table(texts, name)
    if table is not None:
        column = table.choose(column)
        texts = table.rows([column, *(table.choose(field, "meta") for field in chosen.meta)])
    items = open_container(texts, name)
    # `report or` would replace one that is empty so far.
    counted = ReadReport() if report is None else report

    def read() -> Iterator[RawDocument]:
        for number, item in enumerate(items):
            if isinstance(item, Path):
                files = replace(chosen, text_field=column or chosen.text_field)
                yield from read_documents(item, files, report=counted)
                continue
            place = f"{name}[{number}]"
            is_record = isinstance(item, Mapping)
            text = read_field(item, column or DEFAULT_COLUMN, place) if is_record else item
            if is_missing(text) and skip_missing:
                counted.skip(MISSING, place)
                continue
            document = make_document(text, str(number), place)
            if is_record and chosen.meta:
                known = {field: item.get(field) for field in chosen.meta}
                plain = {field: as_plain(x) for field, x in known.items() if not is_missing(x)}
                document = replace(document, fields=pick_fields(plain, chosen, counted))
            counted.n_documents += 1
            yield document

    return read()


def open_container(texts: Any, name: str = "texts") -> Iterable[Any]:
    """What holds texts, as something to iterate over: a list, a column, the path of a file."""
    if isinstance(texts, str):
        if _names_file(texts):
            return [Path(texts)]
        raise InputError(
            f"{name} must be a list of texts or the path of a file, got the string "
            f"{shorten(texts)}, which names no file: put a text into a list"
        )
    if isinstance(texts, Path):
        return [texts]
    if isinstance(texts, bytes | bytearray):
        raise InputError(f"{name} must be strings, got bytes: decode them first")
    if isinstance(texts, Mapping):
        raise InputError(
            f"{name} must be a list of texts, got a {type(texts).__name__}: pass its values"
        )
    texts = read_column(texts, name)
    shape = getattr(texts, "shape", None)
    if shape is not None and len(shape) > 1:
        if len(shape) == 2 and shape[1] == 1:
            return list(texts.ravel())
        raise InputError(f"{name} must be one column of texts, got an array of the shape {shape}")
    if not isinstance(texts, Iterable):
        raise InputError(
            f"{name} must be a list of texts, a column of a table or a path, got "
            f"{type(texts).__name__}"
        )
    found: Iterable[Any] = texts
    return found


def _names_file(text: str) -> bool:
    if not text.strip() or len(text) > _LONGEST_PATH or "\n" in text or "\0" in text:
        return False
    try:
        return Path(text).exists()
    except OSError:  # a part that is too long for a name
        return False


def read_field(item: Mapping[str, Any], field: str, place: str, argument: str = "column") -> Any:
    """A field of a record; where it is missing, an error that says which argument names it."""
    if field not in item:
        shown = ", ".join(map(repr, list(item)[:10])) or "none"
        raise InputError(
            f"{place} is a record without the field {field!r}: name the one with the text as "
            f"{argument}=..., of {shown}"
        )
    return item[field]


def make_document(text: Any, identifier: str = "", place: str = "text") -> RawDocument:
    """A document of a string, of a list of tokens, or of sentences, each a list of tokens."""
    if isinstance(text, RawDocument):
        return text
    if isinstance(text, str):
        return RawDocument(identifier, "", text)
    if is_missing(text):
        raise InputError(f'{place} is missing ({text}): leave it out, or put "" in its place')
    is_sequence = isinstance(text, list | tuple) or getattr(text, "ndim", 0) == 1
    tokens = list(text) if is_sequence else []
    if tokens and all(isinstance(sentence, list | tuple) for sentence in tokens):
        sentences = (make_document(sentence, identifier, place) for sentence in tokens)
        texts = [sentence.text for sentence in sentences if sentence.text]
        ends = accumulate(len(own) + 1 for own in texts)
        starts = tuple([0, *ends][: max(len(texts), 1)])
        return RawDocument(identifier, "", " ".join(texts), "tokens", sentences=starts)
    if is_sequence and all(isinstance(token, str) for token in tokens):
        return RawDocument(identifier, "", " ".join(map(clean_token, tokens)), "tokens")
    raise InputError(f"{place} must be a string or a list of tokens, got {type(text).__name__}")


def is_missing(value: Any) -> bool:
    """Whether a cell of a table holds nothing: None, NaN, or pandas' own sign for it."""
    if value is None or type(value).__name__ in _MISSING_TYPES:
        return True
    return isinstance(value, float) and math.isnan(value)


def check_words(words: Any, name: str = "words") -> list[str]:
    """Words as a list, each once: one word, or whatever holds several of them."""
    if isinstance(words, str):
        words = [words]
    wrong = isinstance(words, bytes | Mapping) or hasattr(words, "columns")
    if wrong or not isinstance(words, Iterable):
        raise InputError(f"{name} must be a word or a list of words, got {type(words).__name__}")
    found = list(words)
    for word in found:
        if not isinstance(word, str) or not word.strip() or word != mend_surrogates(word):
            raise InputError(f"{name} must be words in UTF-8, got {word!r} among them")
    return list(dict.fromkeys(found))


def spell_word(word: str, tokenizer: Tokenizer | WhitespaceTokenizer) -> str:
    """A word as a tokenizer makes its keys: in lower case, say."""
    plain = normalize_text(word)
    keys = tokenizer.tokenize(plain)
    if len(keys) == 1:
        return keys[0]
    return plain.strip().lower() if tokenizer.lowercase else plain.strip()
