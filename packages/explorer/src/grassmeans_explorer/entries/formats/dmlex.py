"""DMLex 1.0 of OASIS, in its JSON: a flat data model for dictionaries.

Senses inside of senses and references are relations of its linking module; the kinds of labels are
tags of its controlled values. The format has no notes, no collocates, and a part of speech only for
the entry: one of a sense is a label. A reference to what is not in the file is left out.
"""

from __future__ import annotations

from typing import Any

from grassmeans.artifacts.writing import encode_json
from grassmeans_explorer.entries.entry import (
    DictionaryEntry,
    EntryExample,
    EntrySense,
    Lexicon,
    walk_senses,
)
from grassmeans_explorer.entries.formats.identifiers import Targets, name_entry, name_sense

_SUBSENSING = "subsensing"
_ROLES = (("super", "none"), ("sub", "embed"))


def write(lexicon: Lexicon) -> str:
    """A lexicon as DMLex."""
    return encode_json(describe(lexicon), indent=2).decode() + "\n"


def describe(lexicon: Lexicon) -> dict[str, Any]:
    """The same as plain values."""
    relations = [relation for entry in lexicon.entries for relation in _relate_senses(entry)]
    relations += _relate_references(lexicon)
    tags = _tag_labels(lexicon)
    found: dict[str, Any] = {
        "title": lexicon.title,
        "langCode": lexicon.language,
        "entries": [_describe_entry(entry) for entry in lexicon.entries],
        "labelTags": [{"tag": tag, "typeTag": kind} for tag, kind in tags.items()],
        "labelTypeTags": [{"tag": kind} for kind in dict.fromkeys(tags.values())],
        "relations": relations,
        "relationTypes": [
            _describe_relation(kind) for kind in dict.fromkeys(r["type"] for r in relations)
        ],
    }
    return _drop_empty(found)


def _drop_empty(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}


def _describe_entry(entry: DictionaryEntry) -> dict[str, Any]:
    return _drop_empty(
        {
            "id": name_entry(entry.word),
            "headword": entry.word,
            "partsOfSpeech": [entry.part_of_speech] if entry.part_of_speech else [],
            "labels": _list_labels(entry),
            "senses": [
                _describe_sense(sense, name_sense(entry.word, path))
                for path, sense in walk_senses(entry.senses)
            ],
        }
    )


def _list_labels(owner: DictionaryEntry | EntrySense) -> list[str]:
    return list(dict.fromkeys(label.text for label in owner.labels if label.text))


def _describe_sense(sense: EntrySense, name: str) -> dict[str, Any]:
    spoken = [sense.part_of_speech] if sense.part_of_speech else []
    definitions = [{"text": sense.definition}] if sense.definition else []
    return _drop_empty(
        {
            "id": name,
            "indicator": sense.name,
            "labels": list(dict.fromkeys([*spoken, *_list_labels(sense)])),
            "definitions": definitions,
            "examples": [_describe_example(one) for one in sense.shown if one.text],
        }
    )


def _describe_example(example: EntryExample) -> dict[str, Any]:
    start = len(example.left)
    marker = {"startIndex": start, "endIndex": start + len(example.word)}
    return _drop_empty(
        {
            "text": example.text,
            "sourceElaboration": example.document,
            "headwordMarkers": [marker] if example.word else [],
        }
    )


def _tag_labels(lexicon: Lexicon) -> dict[str, str]:
    """The kind of each label; the first one, where a text is used for two."""
    found: dict[str, str] = {}
    for entry in lexicon.entries:
        senses = [sense for _, sense in walk_senses(entry.senses)]
        for label in (*entry.labels, *(label for sense in senses for label in sense.labels)):
            if label.text:
                found.setdefault(label.text, label.kind)
        for sense in senses:
            if sense.part_of_speech:
                found.setdefault(sense.part_of_speech, "partOfSpeech")
    return found


def _relate_senses(entry: DictionaryEntry) -> list[dict[str, Any]]:
    """Senses inside of senses."""
    return [
        {
            "type": _SUBSENSING,
            "members": [
                {"role": "super", "ref": name_sense(entry.word, path[:-1])},
                {"role": "sub", "ref": name_sense(entry.word, path)},
            ],
        }
        for path, _ in walk_senses(entry.senses)
        if len(path) > 1
    ]


def _relate_references(lexicon: Lexicon) -> list[dict[str, Any]]:
    targets = Targets(lexicon)
    found = []
    for entry in lexicon.entries:
        owners: list[tuple[str, DictionaryEntry | EntrySense]] = [(name_entry(entry.word), entry)]
        owners += [(name_sense(entry.word, path), s) for path, s in walk_senses(entry.senses)]
        for name, owner in owners:
            for reference in owner.references:
                target = targets.find(reference)
                if target is not None:
                    members = [{"role": "from", "ref": name}, {"role": "to", "ref": target}]
                    found.append({"type": reference.kind, "members": members})
    return found


def _describe_relation(kind: str) -> dict[str, Any]:
    if kind == _SUBSENSING:
        members = [
            {"role": role, "type": "sense", "min": 1, "max": 1, "hint": hint}
            for role, hint in _ROLES
        ]
        return {"type": kind, "scopeRestriction": "sameEntry", "memberTypes": members}
    members = [
        {"role": role, "type": what, "min": 0, "max": 1, "hint": "navigate"}
        for role in ("from", "to")
        for what in ("entry", "sense")
    ]
    return {"type": kind, "scopeRestriction": "any", "memberTypes": members}
