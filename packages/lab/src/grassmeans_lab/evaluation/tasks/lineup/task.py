"""The testbed of the police lineup (Arora et al. 2016): polysemous words, senses told by words.

Two formats are read, told apart by the first line:

- JSON lines, one sense a line:
  ``{"word": "crane", "sense": "crane.1", "words": ["bird", "wading", ...], "source": "..."}``;
  ``sense`` and ``source`` may be absent.
- Plain text, one sense a line: the word, a tab, and the words of the sense between spaces or tabs,
  ``crane<TAB>bird wading marsh ...``. A line that begins with ``#`` is a comment.

The lines of a word need not stand together. Senses without a name are numbered: ``crane.1``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grassmeans.artifacts.writing import digest_of
from grassmeans.errors import InputError
from grassmeans.evaluation.instances import read_numbered_lines
from grassmeans.outputs.ownership import Paths
from grassmeans.outputs.places import output_file

_JSON_EXPECTED = 'expected {"word": "crane", "sense": "crane.1", "words": ["bird", ...]}'
_TEXT_EXPECTED = "expected the word, a tab, and the words of one sense: crane<TAB>bird wading ..."


@dataclass(frozen=True, slots=True)
class LineupSense:
    """One sense of a polysemous word."""

    word: str
    name: str  # unique in a testbed
    words: tuple[str, ...]  # what defines the sense: related words, eight in the paper
    source: str = ""  # where the sense was taken from; may be empty


@dataclass(frozen=True, slots=True)
class LineupTestbed:
    """Senses of polysemous words, in the order of the file."""

    senses: tuple[LineupSense, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The polysemous words, in the order of their first sense."""
        return tuple(dict.fromkeys(sense.word for sense in self.senses))

    @property
    def digest(self) -> str:
        """A short digest of what is tested: words and their definitions."""
        return digest_of([[sense.word, sense.name, *sense.words] for sense in self.senses])


def read_lineup(path: str | Path) -> LineupTestbed:
    """Read a testbed, as JSON lines or as plain text.

    `InputError` with the line, where one has no word or no defining words, is no JSON object, names
    a sense a second time, or defines a word by itself.
    """
    path = Path(path)
    lines = read_numbered_lines(path)
    is_json = lines[0][1].lstrip().startswith("{")
    senses: dict[str, LineupSense] = {}
    numbers: Counter[str] = Counter()
    for number, line in lines:
        place = f"{path}, line {number}"
        if not is_json and line.startswith("#"):
            continue
        fields = _parse_json(line, place) if is_json else _parse_text(line, place)
        numbers[fields["word"]] += 1
        sense = _make_sense(fields, numbers[fields["word"]], place)
        if sense.name in senses:
            raise InputError(f"{place}: the sense {sense.name!r} comes twice")
        senses[sense.name] = sense
    if not senses:
        raise InputError(f"{path} holds comments only; {_TEXT_EXPECTED}")
    return LineupTestbed(tuple(senses.values()))


def write_lineup(
    path: str | Path,
    senses: Iterable[LineupSense],
    *,
    inputs: Paths = (),
    overwrite: bool = False,
) -> None:
    """Write a testbed as JSON lines, as `grassmeans.outputs.places.output_file` writes."""
    lines = [
        json.dumps(
            {
                "word": sense.word,
                "sense": sense.name,
                "words": list(sense.words),
                "source": sense.source,
            },
            ensure_ascii=False,
        )
        for sense in senses
    ]
    with output_file(path, inputs=inputs, overwrite=overwrite) as temporary:
        temporary.write_bytes("".join(line + "\n" for line in lines).encode())


def _parse_json(line: str, place: str) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: not JSON ({error}): {line[:80]!r}") from error
    if not isinstance(fields, dict):
        raise InputError(f"{place}: {_JSON_EXPECTED}, found {line[:80]!r}")
    word, words = fields.get("word"), fields.get("words")
    if not isinstance(word, str) or not word.strip():
        raise InputError(f"{place}: {_JSON_EXPECTED}; 'word' is {word!r}")
    if not isinstance(words, list) or not all(isinstance(one, str) and one for one in words):
        raise InputError(f"{place}: {_JSON_EXPECTED}; 'words' is {words!r}")
    for name in ("sense", "source"):
        if not isinstance(fields.get(name, ""), str):
            raise InputError(f"{place}: {name!r} must be a text, found {fields[name]!r}")
    return fields


def _parse_text(line: str, place: str) -> dict[str, Any]:
    word, tab, definition = line.partition("\t")
    if not tab or not word.strip():
        raise InputError(f"{place}: {_TEXT_EXPECTED}; found {line[:80]!r}")
    return {"word": word.strip(), "words": definition.split()}


def _make_sense(fields: dict[str, Any], number: int, place: str) -> LineupSense:
    word, words = fields["word"], tuple(dict.fromkeys(fields["words"]))
    if not words:
        raise InputError(f"{place}: the sense of {word!r} has no words that define it")
    if word in words:
        raise InputError(f"{place}: the word {word!r} is among the words that define its sense")
    name = fields.get("sense") or f"{word}.{number}"
    return LineupSense(word, name, words, fields.get("source", ""))
