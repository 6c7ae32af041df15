"""Instances, which are occurrences of target words in texts, and keys, which tell their senses.

Test sets of your own have one instance a line, as a JSON object:

``{"id": "1", "target": "crane", "left": "The ", "word": "cranes", "right": " fly.", "label": "a"}``

``target`` is the entry whose senses are asked for, ``word`` the occurrence as it is written (the
target by default). ``pos`` may name a part of speech. ``label`` may be absent.

Keys have the format of SemEval-2010 task 14, one instance a line: the word, the instance and its
labels, each with a weight if it has one::

    absorb.v absorb.v.1 absorb.cluster.1
    absorb.v absorb.v.2 absorb.cluster.1/0.8 absorb.cluster.2/0.2

The graded keys of SemEval-2013 task 13 have the same format. Where only some labels of an instance
have a weight, all weigh 1, and what follows a column that begins with ``!!`` is a comment.
"""

from __future__ import annotations

import json
import math
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

from grassmeans.errors import InputError
from grassmeans.outputs.places import output_file

_LARGEST_WEIGHT = 1e9


@dataclass(frozen=True, slots=True)
class Label:
    """A sense given to an instance, and how much of it."""

    name: str
    """Of the sense."""
    weight: float = 1.0
    """Beside those of the instance's other labels."""


@dataclass(frozen=True, slots=True)
class Key:
    """The labels of the instances of words: ``labels[word][instance]``, at least one each."""

    labels: Mapping[str, Mapping[str, tuple[Label, ...]]]
    """``labels[word][instance]``."""

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


@dataclass(frozen=True, slots=True)
class Instance:
    """One occurrence of a target word in a text."""

    id: str
    """As in the gold key."""
    target: str
    """The word or lemma whose sense is asked for."""
    pos: str
    """Its part of speech: ``"n"``, ``"v"``, ... or empty."""
    left: str
    """The text before the occurrence."""
    word: str
    """The occurrence as it is written; empty where it was not found."""
    right: str
    """The text after it."""
    located_by: str = "marked"
    """How the occurrence was found: ``"marked"`` in the source, or the rule that found it."""

    @property
    def key_word(self) -> str:
        """The name of the target in key files: ``crane.n``, or ``crane`` without ``pos``.

        Key files are cut at spaces: those of a phrase become ``_``.
        """
        name = "_".join(self.target.split())
        return f"{name}.{self.pos}" if self.pos else name

    @property
    def is_located(self) -> bool:
        """Whether the occurrence was found in its text."""
        return bool(self.word)

    @property
    def text(self) -> str:
        """The whole text."""
        return f"{self.left}{self.word}{self.right}"


@dataclass(frozen=True, slots=True)
class LabelledInstances:
    """Instances, and the gold labels of those that have one."""

    instances: tuple[Instance, ...]
    """In the order of the file."""
    gold: Key = field(default_factory=lambda: Key({}))
    """The labels."""

    def by_word(self) -> dict[str, list[tuple[Instance, str]]]:
        """The instances of each word, by its name in keys, that have a label, and the heaviest."""
        best = {word: self.gold.best_labels(word) for word in self.gold.labels}
        found: dict[str, list[tuple[Instance, str]]] = {}
        for instance in self.instances:
            label = best.get(instance.key_word, {}).get(instance.id)
            if label is not None:
                found.setdefault(instance.key_word, []).append((instance, label))
        return found


def known_form(known: Container[str], target: str) -> str | None:
    """The target as it is known: as it is, in lower case, or joined by ``_``."""
    joined = "_".join(target.split())
    forms = (target, target.lower(), joined, joined.lower())
    return next((form for form in forms if form in known), None)


def read_json_instances(path: str | Path) -> LabelledInstances:
    """Read a file of JSON lines; `InputError` names the line that is no sound instance."""
    instances: dict[str, Instance] = {}
    labels: dict[str, dict[str, tuple[Label, ...]]] = {}
    for number, line in read_numbered_lines(Path(path)):
        place = f"{path}, line {number}"
        fields = parse_object(line, place, "id, target, left, right")
        instance = _make_instance(fields, place)
        if instance.id in instances:
            raise InputError(f"{place}: the instance {instance.id!r} comes twice")
        instances[instance.id] = instance
        if fields.get("label") is not None:
            label = Label(str(fields["label"]))
            labels.setdefault(instance.key_word, {})[instance.id] = (label,)
    return LabelledInstances(tuple(instances.values()), Key(labels))


def parse_object(line: str, place: str, expected: str) -> dict[str, Any]:
    """A line of JSON as an object; `InputError` names the place and the fields expected there."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: not JSON ({error}): {line[:80]!r}") from error
    if not isinstance(fields, dict):
        raise InputError(f"{place}: expected an object with {expected}; found {fields!r}")
    return fields


def _make_instance(fields: dict[str, Any], place: str) -> Instance:
    texts: dict[str, Any] = {
        name: fields.get(name) for name in ("id", "target", "left", "right", "word")
    }
    texts["pos"] = fields.get("pos", "")
    if isinstance(texts["id"], int):
        texts["id"] = str(texts["id"])
    if texts["word"] is None:
        texts["word"] = texts["target"]
    wrong = [name for name, value in texts.items() if not isinstance(value, str)]
    wrong += [name for name in ("id", "target") if name not in wrong and not texts[name].strip()]
    if wrong:
        raise InputError(
            f"{place}: expected texts as id, target, left, right (and word, pos, label where there "
            f"are any); {wrong[0]!r} is {fields.get(wrong[0])!r}"
        )
    if len(texts["id"].split()) != 1:
        raise InputError(f"{place}: key files cannot hold an id with spaces: {texts['id']!r}")
    return Instance(**texts, located_by="marked" if texts["word"] else "not found")


def read_key(path: str | Path) -> Key:
    """Read a key file; `InputError` names the line that is no instance with its labels."""
    labels: dict[str, dict[str, tuple[Label, ...]]] = {}
    lines_of: dict[str, int] = {}
    for number, line in read_numbered_lines(Path(path)):
        place = f"{path}, line {number}"
        columns = line.split()
        if len(columns) < 3 or columns[2].startswith("!!"):
            raise InputError(
                f"{place}: expected 'word instance label[/weight] ...', "
                f"found {len(columns)} column{'s' * (len(columns) > 1)}: {line[:80]!r}"
            )
        word, instance, *names = columns
        if instance in lines_of:
            raise InputError(
                f"{place}: the instance {instance!r} is in line {lines_of[instance]} already"
            )
        lines_of[instance] = number
        given = list(takewhile(lambda name: not name.startswith("!!"), names))
        parsed = tuple(_parse_label(text, place) for text in given)
        if not all("/" in text for text in given):
            parsed = tuple(Label(label.name) for label in parsed)
        elif not any(label.weight > 0 for label in parsed):
            raise InputError(f"{place}: all weights are 0, so that no label is meant")
        labels.setdefault(word, {})[instance] = parsed
    return Key(labels)


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


def write_key(key: Key, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a key file; weights are left out where all labels of an instance weigh 1."""
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


def read_numbered_lines(path: Path) -> list[tuple[int, str]]:
    """The lines of a file as `number_lines` gives them, read by `read_whole_text`."""
    return number_lines(read_whole_text(path))


def number_lines(text: str) -> list[tuple[int, str]]:
    """The lines of a text that are not blank, each with its number, counted from 1."""
    # Only line feeds end lines: contexts may hold other characters that str.splitlines cuts at.
    lines = enumerate(text.split("\n"), start=1)
    return [(number, line.rstrip("\r")) for number, line in lines if line.strip()]


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
