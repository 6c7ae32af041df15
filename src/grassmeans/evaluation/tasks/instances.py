"""Instances: occurrences of target words, with what stands before and after them.

Test sets of your own have one instance a line, as a JSON object:

``{"id": "1", "target": "crane", "left": "The ", "word": "cranes", "right": " fly.", "label": "a"}``

``target`` is the entry whose senses are asked for, ``word`` the occurrence as it is written (the
target by default). ``pos`` may name a part of speech. ``label`` may be absent.
"""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grassmeans.errors import InputError
from grassmeans.evaluation.key_files import Key, Label, read_numbered_lines


@dataclass(frozen=True, slots=True)
class Instance:
    """One occurrence of a target word in a text."""

    id: str  # as in the gold key
    target: str  # the word or lemma whose sense is asked for
    pos: str  # its part of speech: ``"n"``, ``"v"``, ... or empty
    # The text before the occurrence, the occurrence as it is written, and the text after it.
    # ``word`` is empty where the occurrence was not found.
    left: str
    word: str
    right: str
    # How the occurrence was found: ``"marked"`` in the source, or the rule that found it.
    located_by: str = "marked"

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


def known_form(known: Container[str], target: str) -> str | None:
    """The target as it is known: as it is, in lower case, or joined by ``_``."""
    joined = "_".join(target.split())
    forms = (target, target.lower(), joined, joined.lower())
    return next((form for form in forms if form in known), None)


@dataclass(frozen=True, slots=True)
class LabelledInstances:
    """Instances, and the gold labels of those that have one."""

    instances: tuple[Instance, ...]
    gold: Key = field(default_factory=lambda: Key({}))


def read_json_instances(path: str | Path) -> LabelledInstances:
    """Read a file of JSON lines.

    `InputError` with the line, where one is no JSON object, a field is missing or no text, or an id
    has spaces or comes twice.
    """
    path = Path(path)
    instances: dict[str, Instance] = {}
    labels: dict[str, dict[str, tuple[Label, ...]]] = {}
    for number, line in read_numbered_lines(path):
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
    word = fields.get("word")
    texts = {
        "id": str(fields["id"]) if isinstance(fields.get("id"), int) else fields.get("id"),
        "target": fields.get("target"),
        "left": fields.get("left"),
        "right": fields.get("right"),
        "word": fields.get("target") if word is None else word,
        "pos": fields.get("pos", ""),
    }
    wrong = [name for name, value in texts.items() if not isinstance(value, str)]
    wrong += [name for name in ("id", "target") if name not in wrong and not texts[name].strip()]
    if wrong:
        raise InputError(
            f"{place}: expected texts as id, target, left, right (and word, pos, label where there "
            f"are any); {wrong[0]!r} is {fields.get(wrong[0])!r}"
        )
    if len(texts["id"].split()) != 1:
        raise InputError(f"{place}: key files cannot hold an id with spaces: {texts['id']!r}")
    located_by = "marked" if texts["word"] else "not found"
    return Instance(**texts, located_by=located_by)
