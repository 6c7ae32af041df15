"""Files of sentences and of pairs: a word in texts with its sense, or whether that is the same.

``NAME-sentences.jsonl`` has a sentence a line, with its word in it exactly once:

``{"id": "crane-1", "word": "crane", "sense": "bird", "text": "A crane flew by.", "kind": "noun"}``

``id`` is the number of the line where it is absent; ``kind`` names a group of words to be scored
apart, if any. ``NAME-pairs.jsonl``, which may be absent, has pairs of sentences with one word in
two senses, to be read as one text: ``{"first": "crane-1", "second": "crane-3"}``.

Pairs of occurrences are JSON lines, or CSV or TSV whose first line names the columns:

``{"word": "crane", "text1": "A crane flew.", "text2": "The crane lifts steel.", "label": false}``

``label`` is true or false, 1 or 0, T or F. The occurrences are the characters ``start1:end1`` of
``text1`` and ``start2:end2`` of ``text2`` where these fields are given, else what is marked
``<b>cranes</b>``, else the first place of the word itself, in any case.

The JSON of MCL-WiC (SemEval-2021 task 2) is a list of objects with ``id``, ``lemma``,
``sentence1`` and ``sentence2`` in place of word and texts. Its labels, objects with ``id`` and
``tag``, lie in a file of the same name that ends in ``.gold``.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from grassmeans.errors import InputError
from grassmeans.evaluation.instances import (
    Instance,
    number_lines,
    parse_object,
    read_numbered_lines,
    read_whole_text,
)
from grassmeans.tagging.marked_text import remove_marks

EXPECTED = "word, text1, text2, label (and start1, end1, start2, end2 where there are any)"

_NAMES = {"lemma": "word", "sentence1": "text1", "sentence2": "text2", "tag": "label"}
_LABELS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, cut at its word."""

    id: str
    word: str
    sense: str
    kind: str
    # The text before and after the word, and the word as it stands there.
    left: str
    right: str
    written: str

    @property
    def text(self) -> str:
        """The whole sentence."""
        return f"{self.left}{self.written}{self.right}"


class SentencePair(NamedTuple):
    """Two sentences with one word in two senses."""

    first: Sentence
    second: Sentence

    @property
    def passages(self) -> list[tuple[str, str]]:
        """What stands before and after each occurrence in the text of both."""
        first, second = self
        return [
            (first.left, f"{first.right} {second.text}"),
            (f"{first.text} {second.left}", second.right),
        ]


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two occurrences of a word, and whether it means the same in both."""

    first: Instance
    second: Instance
    same: bool

    @property
    def word(self) -> str:
        """The word."""
        return self.first.target


def read_sentences(path: Path) -> tuple[Sentence, ...]:
    """Read a file of sentences; `InputError` names the line that is none, or does not fit."""
    found: dict[str, Sentence] = {}
    kinds: dict[str, str] = {}
    for number, line in read_numbered_lines(path):
        place = f"{path}, line {number}"
        sentence = _make_sentence(parse_object(line, place, "word, sense, text"), number, place)
        if sentence.id in found:
            raise InputError(f"{place}: the sentence {sentence.id!r} comes twice")
        if kinds.setdefault(sentence.word, sentence.kind) != sentence.kind:
            raise InputError(f"{place}: {sentence.word!r} was {kinds[sentence.word]!r} before")
        found[sentence.id] = sentence
    return tuple(found.values())


def _make_sentence(fields: dict[str, Any], number: int, place: str) -> Sentence:
    texts: dict[str, Any] = {name: fields.get(name) for name in ("word", "sense", "text")}
    texts["kind"] = fields.get("kind", "")
    wrong = [name for name, value in texts.items() if not isinstance(value, str)]
    if wrong:
        raise InputError(f"{place}: expected a text as {wrong[0]}, found {texts[wrong[0]]!r}")
    word, text = texts["word"], texts["text"]
    parts = re.split(rf"(?<!\w)({re.escape(word)})(?!\w)", text, flags=re.IGNORECASE)
    if len(parts) != 3:
        raise InputError(f"{place}: expected {word!r} once, found it {len(parts) // 2} times")
    left, written, right = parts
    name = str(fields.get("id", number))
    return Sentence(name, word, texts["sense"], texts["kind"], left, right, written)


def read_sentence_pairs(path: Path, sentences: Iterable[Sentence]) -> tuple[SentencePair, ...]:
    """Read pairs of these sentences; `InputError` where two have not one word in two senses."""
    known = {sentence.id: sentence for sentence in sentences}
    pairs: list[SentencePair] = []
    for number, line in read_numbered_lines(path):
        place = f"{path}, line {number}"
        fields = parse_object(line, place, "first, second")
        names = [str(fields.get(side)) for side in SentencePair._fields]
        missing = [name for name in names if name not in known]
        if missing:
            raise InputError(f"{place}: there is no sentence {missing[0]!r}")
        pair = SentencePair(*(known[name] for name in names))
        if pair.first.word != pair.second.word or pair.first.sense == pair.second.sense:
            raise InputError(f"{place}: expected one word in two senses, found {', '.join(names)}")
        pairs.append(pair)
    return tuple(pairs)


def read_word_pairs(path: str | Path, gold: str | Path | None = None) -> tuple[WordPair, ...]:
    """Read a file of pairs of occurrences.

    ``gold`` has the labels of an MCL-WiC file, where they do not lie beside it. `InputError` with
    the place, where a record is broken, lacks a field or a label, or has no occurrence of its word
    where one should be.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file of pairs, or a test set as of=...")
    text = read_whole_text(path)
    beside = path.with_suffix(".gold")
    labels: Mapping[str, Any] = {}
    if gold is not None:
        labels = _read_gold(Path(gold))
    elif _is_list(text) and beside != path and beside.is_file():
        labels = _read_gold(beside)
    pairs = [
        _make_pair(_rename(fields), str(number), labels, place)
        for number, (place, fields) in enumerate(_read_records(text, path), start=1)
    ]
    if not pairs:
        raise InputError(f"{path} has no pairs")
    return tuple(pairs)


def _is_list(text: str) -> bool:
    return text.lstrip().startswith("[")


def _read_records(text: str, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The place and the fields of each record, whatever the format."""
    if _is_list(text):
        yield from _read_list(text, path)
    elif text.lstrip().startswith("{"):
        for number, line in number_lines(text):
            place = f"{path}, line {number}"
            yield place, parse_object(line, place, EXPECTED)
    else:
        yield from _read_table(text, path)


def _read_list(text: str, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    for number, fields in enumerate(found, start=1):
        place = f"{path}, record {number}"
        if not isinstance(fields, dict):
            raise InputError(f"{place}: expected an object, found {str(fields)[:_SHOWN]!r}")
        yield place, fields


def _read_table(text: str, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    delimiter = "\t" if "\t" in text.lstrip().partition("\n")[0] else ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns: list[str] = []
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            raise InputError(f"{path}, line {rows.line_num}: broken row ({error})") from error
        if row is None:
            return
        place = f"{path}, line {rows.line_num}"
        if not any(cell.strip() for cell in row):
            continue
        if not columns:
            columns = [name.strip() for name in row]
            known = _rename(dict.fromkeys(columns))
            missing = [name for name in ("word", "text1", "text2", "label") if name not in known]
            if missing:
                raise InputError(
                    f"{place}: no column {missing[0]!r}; expected {EXPECTED}; found "
                    f"{', '.join(columns)[:_SHOWN]}"
                )
        elif len(row) != len(columns):
            raise InputError(
                f"{place}: expected {len(columns)} cells ({', '.join(columns)}), found {len(row)}"
            )
        else:
            yield place, {name: cell for name, cell in zip(columns, row, strict=True) if cell}


def _rename(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of MCL-WiC by the names of ours."""
    return {_NAMES.get(name, name): value for name, value in fields.items()}


def _read_gold(path: Path) -> dict[str, Any]:
    """Id -> label."""
    text = read_whole_text(path)
    if not _is_list(text):
        raise InputError(f"{path}: expected a JSON list of objects with id and tag")
    labels: dict[str, Any] = {}
    for place, fields in _read_list(text, path):
        if not {"id", "tag"} <= fields.keys():
            raise InputError(f"{place}: expected id and tag, found {str(fields)[:_SHOWN]!r}")
        labels[str(fields["id"])] = fields["tag"]
    return labels


def _make_pair(
    fields: dict[str, Any], number: str, labels: Mapping[str, Any], place: str
) -> WordPair:
    if "target" in fields and "text1" not in fields:
        raise InputError(f"{place}: this is an instance, no pair of texts: give of='jsonl'")
    for name in ("word", "text1", "text2"):
        if not isinstance(fields.get(name), str) or not fields[name].strip():
            raise InputError(f"{place}: expected {EXPECTED}; {name!r} is {fields.get(name)!r}")
    name = str(fields.get("id", number))
    first, second = (_make_instance(fields, side, f"{name}.{side}", place) for side in "12")
    label = fields.get("label", labels.get(name))
    same = _LABELS.get(str(label).strip().lower())
    if same is None:
        given = f"no label of {name!r}" if label is None else repr(label)
        raise InputError(f"{place}: expected true or false, 1 or 0, T or F as label, found {given}")
    return WordPair(first, second, same)


def _make_instance(fields: dict[str, Any], side: str, name: str, place: str) -> Instance:
    word, text = fields["word"], fields[f"text{side}"]
    given = [fields.get(f"{edge}{side}") for edge in ("start", "end")]
    plain, marked = remove_marks(text)
    located_by = "marked"
    if any(edge is not None for edge in given):
        start, end = _check_span(given, text, side, place)
    elif marked:
        text, (start, end) = plain, marked[0]
    else:
        found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, flags=re.IGNORECASE)
        if found is None:
            raise InputError(
                f"{place}: {word!r} is not in text{side}: mark the form that it has there as "
                f"<b>form</b>, or give start{side} and end{side}"
            )
        start, end = found.span()
        located_by = "exact"
    return Instance(name, word, "", text[:start], text[start:end], text[end:], located_by)


def _check_span(given: list[Any], text: str, side: str, place: str) -> tuple[int, int]:
    """Offsets as whole numbers, which some files have as text."""
    spelled = [str(edge).strip() for edge in given]
    if all(edge.isdecimal() for edge in spelled):
        start, end = map(int, spelled)
        if start < end <= len(text) and text[start:end].strip():
            return start, end
    raise InputError(
        f"{place}: expected start{side} and end{side} of a word among the {len(text)} characters "
        f"of text{side}, found {given[0]!r} and {given[1]!r}"
    )
