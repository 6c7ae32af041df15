"""Test sets of your own: one instance a line as a JSON object.

``{"id": "1", "target": "crane", "left": "The ", "word": "cranes", "right": " fly.", "label": "a"}``

``target`` is the entry whose senses are asked for, ``word`` the occurrence as it is written (the
target by default). ``pos`` may name a part of speech. ``label`` may be absent.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grassmeans.errors import InputError
from grassmeans.evaluation.key_files import Key, Label
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.evaluation.text_files import read_numbered_lines


@dataclass(frozen=True, slots=True)
class LabelledInstances:
    """Instances, and the gold labels of those that have one."""

    instances: tuple[Instance, ...]
    gold: Key


def read_json_instances(path: str | Path) -> LabelledInstances:
    """Read a file of JSON lines.

    Raises
    ------
    InputError
        With the line, where one is no JSON object, a field is missing or no text, or an id has
        spaces or comes twice.
    """
    path = Path(path)
    instances: dict[str, Instance] = {}
    labels: dict[str, dict[str, tuple[Label, ...]]] = {}
    for number, line in read_numbered_lines(path):
        place = f"{path}, line {number}"
        fields = _parse_line(line, place)
        instance = _make_instance(fields, place)
        if instance.id in instances:
            raise InputError(f"{place}: the instance {instance.id!r} comes twice")
        instances[instance.id] = instance
        if fields.get("label") is not None:
            label = Label(str(fields["label"]))
            labels.setdefault(instance.key_word, {})[instance.id] = (label,)
    return LabelledInstances(tuple(instances.values()), Key(labels))


def _parse_line(line: str, place: str) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except ValueError as error:
        raise InputError(f"{place}: not JSON ({error}): {line[:80]!r}") from error
    if not isinstance(fields, dict):
        raise InputError(
            f"{place}: expected an object with id, target, left, right; found {fields!r}"
        )
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
