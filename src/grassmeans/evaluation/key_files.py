"""Keys: which sense each instance of each word has, in the format of SemEval-2010 task 14.

One instance a line: the word, the instance and its labels, each with a weight if it has one::

    absorb.v absorb.v.1 absorb.cluster.1
    absorb.v absorb.v.2 absorb.cluster.1/0.8 absorb.cluster.2/0.2

The graded keys of SemEval-2013 task 13 have the same format. Where only some labels of an instance
have a weight, all weigh 1, and what follows a column that begins with ``!!`` is a comment.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from grassmeans.errors import InputError
from grassmeans.outputs.places import output_file

_LARGEST_WEIGHT = 1e9


@dataclass(frozen=True, slots=True)
class Label:
    """A sense given to an instance, and how much of it."""

    name: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Key:
    """The labels of the instances of words: ``labels[word][instance]``, at least one each."""

    labels: Mapping[str, Mapping[str, tuple[Label, ...]]]

    @property
    def n_instances(self) -> int:
        """Instances of all words."""
        return sum(len(instances) for instances in self.labels.values())

    def best_labels(self, word: str) -> dict[str, str]:
        """Give each instance of a word its heaviest label; the first one where several are."""
        return {
            instance: max(labels, key=lambda label: label.weight).name
            for instance, labels in self.labels.get(word, {}).items()
        }


def read_key(path: str | Path) -> Key:
    """Read a key file.

    `InputError` with the line, where there are fewer than three columns, a weight is not a number
    of 0 or more, or an instance comes twice.
    """
    path = Path(path)
    labels: dict[str, dict[str, tuple[Label, ...]]] = {}
    lines_of: dict[str, int] = {}
    for number, line in read_numbered_lines(path):
        columns = line.split()
        if len(columns) < 3 or columns[2].startswith("!!"):
            raise InputError(
                f"{path}, line {number}: expected 'word instance label[/weight] ...', "
                f"found {len(columns)} column{'s' * (len(columns) > 1)}: {line[:80]!r}"
            )
        word, instance, *names = columns
        names = list(takewhile(lambda name: not name.startswith("!!"), names))
        if instance in lines_of:
            raise InputError(
                f"{path}, line {number}: the instance {instance!r} is in line "
                f"{lines_of[instance]} already"
            )
        lines_of[instance] = number
        labels.setdefault(word, {})[instance] = _parse_labels(names, f"{path}, line {number}")
    return Key(labels)


def write_key(key: Key, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a key file; weights are left out where all labels of an instance weigh 1.

    A file that is there is replaced only where ``overwrite`` is set.
    """
    lines = []
    for word, instances in key.labels.items():
        for instance, labels in instances.items():
            plain = all(label.weight == 1 for label in labels)
            given = (label.name if plain else f"{label.name}/{label.weight:g}" for label in labels)
            columns = [word, instance, *given]
            if any(len(column.split()) != 1 for column in columns):
                raise InputError(
                    f"a key file cannot hold names that are empty or have spaces: {columns[:3]}"
                )
            lines.append(" ".join(columns) + "\n")
    with output_file(path, overwrite=overwrite) as temporary:
        temporary.write_bytes("".join(lines).encode())


def _parse_labels(texts: list[str], place: str) -> tuple[Label, ...]:
    parsed = [_parse_label(text, place) for text in texts]
    if all("/" in text for text in texts):
        if not any(label.weight > 0 for label in parsed):
            raise InputError(f"{place}: all weights are 0, so that no label is meant")
        return tuple(parsed)
    return tuple(Label(label.name) for label in parsed)


def _parse_label(text: str, place: str) -> Label:
    name, slash, weight_text = text.rpartition("/")
    if not slash:
        return Label(text)
    try:
        weight = float(weight_text)
    except ValueError:
        weight = math.nan
    if not name or not 0 <= weight <= _LARGEST_WEIGHT:
        raise InputError(
            f"{place}: expected a label, or label/weight with a weight from 0 to "
            f"{_LARGEST_WEIGHT:.0e}, found {text!r}"
        )
    return Label(name, weight)


def read_numbered_lines(path: Path) -> list[tuple[int, str]]:
    """Read the lines of a file that are not blank, each with its number, counted from 1.

    `InputError` where the file is missing, is not UTF-8 or holds nothing.
    """
    return number_lines(read_whole_text(path))


def number_lines(text: str) -> list[tuple[int, str]]:
    """The lines of a text that are not blank, each with its number, counted from 1."""
    # Only line feeds end lines: contexts may hold other characters that str.splitlines cuts at.
    return [
        (number, line.rstrip("\r"))
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    ]


def read_whole_text(path: Path) -> str:
    """Read a file; `InputError` where it is missing, is not UTF-8 or holds nothing."""
    try:
        # A byte order mark inside is what is left where files were joined.
        text = path.read_text(encoding="utf-8").replace("\ufeff", "")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text ({error.reason} at {error.start})") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; check the path") from error
    if "\0" in text:
        raise InputError(f"{path} is no text: it holds a NUL at character {text.index(chr(0))}")
    if not text.strip():
        raise InputError(f"{path} is empty")
    return text
