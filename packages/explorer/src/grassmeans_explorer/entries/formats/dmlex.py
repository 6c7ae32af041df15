"""DMLex 1.0 of OASIS, in its JSON: a flat data model for dictionaries.

Senses inside of senses and references are relations of its linking module; the kinds of labels are
tags of its controlled values. The format has no notes, no collocates, and a part of speech only for
the entry: one of a sense is a label. A reference to what is not in the file is left out. The
number of the model's sense is the end of the id: ``e-crane-1.s2`` is the first sense of the entry,
and ``crane.2``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grassmeans.artifacts.checking import parse_json
from grassmeans.artifacts.writing import encode_json
from grassmeans.errors import ArtifactError, InputError
from grassmeans.senses.keys import decode_key, encode_key
from grassmeans_explorer.entries.entry import (
    DEEPEST,
    LABEL_KINDS,
    REFERENCE_KINDS,
    CrossReference,
    DictionaryEntry,
    EntryExample,
    EntrySense,
    Label,
    Lexicon,
    SensePath,
    walk_senses,
)
from grassmeans_explorer.entries.formats.identifiers import Targets, name_entry, name_sense
from grassmeans_explorer.entries.formats.joining import join_homographs, mark_word

_SUBSENSING = "subsensing"
_PART_OF_SPEECH = "partOfSpeech"
_NUMBER = re.compile(r"\.s([1-9][0-9]{0,8})\Z")
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
                _describe_sense(sense, _name(entry.word, path, sense))
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
                found.setdefault(sense.part_of_speech, _PART_OF_SPEECH)
    return found


def _relate_senses(entry: DictionaryEntry) -> list[dict[str, Any]]:
    """Senses inside of senses."""
    names = {path: _name(entry.word, path, sense) for path, sense in walk_senses(entry.senses)}
    return [
        {
            "type": _SUBSENSING,
            "members": [
                {"role": "super", "ref": names[path[:-1]]},
                {"role": "sub", "ref": name},
            ],
        }
        for path, name in names.items()
        if len(path) > 1
    ]


def _name(word: str, path: SensePath, sense: EntrySense) -> str:
    """The id of a sense: its place, and the number of the model's sense."""
    number = decode_key(sense.key)[1] if sense.key else None
    return name_sense(word, path) + (f".s{number}" if number else "")


def _relate_references(lexicon: Lexicon) -> list[dict[str, Any]]:
    targets = Targets(lexicon)
    names = {
        name_sense(entry.word, path): _name(entry.word, path, sense)
        for entry in lexicon.entries
        for path, sense in walk_senses(entry.senses)
    }
    found = []
    for entry in lexicon.entries:
        owners: list[tuple[str, DictionaryEntry | EntrySense]] = [(name_entry(entry.word), entry)]
        owners += [(_name(entry.word, path, s), s) for path, s in walk_senses(entry.senses)]
        for name, owner in owners:
            for reference in owner.references:
                target = targets.find(reference)
                if target is not None:
                    target = names.get(target, target)
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


def read(content: str, path: Path) -> Lexicon:
    """The lexicon of a file of DMLex in JSON; what we have no place for is passed over."""
    try:
        values = parse_json(content, path)
    except ArtifactError as error:
        raise InputError(str(error).removesuffix(": build the folder again")) from error
    try:
        if not isinstance(values, dict) or "entries" not in values:
            raise InputError("expected a lexicographic resource of DMLex, with entries")
        entries = _Reader(values).read_entries()
        language = _text(values, "langCode") or "und"
        return Lexicon(entries, language, title=_text(values, "title") or "Lexicon")
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


class _Reader:
    """From the flat lists of a file to entries."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.entries = _records(values, "entries")
        self.kinds = {
            _text(tag, "tag"): _text(tag, "typeTag") for tag in _records(values, "labelTags")
        }
        self.keys: dict[str, str] = {}  # what an id stands for: a word, or one of its senses
        for entry in self.entries:
            word = _text(entry, "headword")
            self.keys[_text(entry, "id")] = encode_key(word)
            for sense in _records(entry, "senses"):
                number = _find_number(sense)
                own = encode_key(word) if number is None else encode_key(word, number)
                self.keys[_text(sense, "id")] = own
        self.parents: dict[str, str] = {}
        self.references: dict[str, list[CrossReference]] = {}
        for relation in _records(values, "relations"):
            self._take(relation)
        self.keys.pop("", None)

    def _take(self, relation: Mapping[str, Any]) -> None:
        """Senses inside of senses, and references; by another program's names, ways to see."""
        members = _records(relation, "members")
        pairs = [(_text(one, "role"), _text(one, "ref")) for one in members]
        if _text(relation, "type") == _SUBSENSING:
            above = next((ref for role, ref in pairs if role in ("super", "supersense")), "")
            inside = [ref for _, ref in pairs if ref != above]
            self.parents |= dict.fromkeys(inside, above)
            return
        kind = _text(relation, "type")
        kind = kind if kind in REFERENCE_KINDS else "see"
        start = next((ref for role, ref in pairs if role == "from"), pairs[0][1] if pairs else "")
        for _, ref in pairs:
            if ref != start and ref in self.keys:
                made = CrossReference(kind, self.keys[ref])
                self.references.setdefault(start, []).append(made)

    def read_entries(self) -> tuple[DictionaryEntry, ...]:
        return join_homographs(map(self._read_entry, self.entries))

    def _read_entry(self, values: Mapping[str, Any]) -> DictionaryEntry:
        word = _text(values, "headword")
        senses = _records(values, "senses")
        named = [name for name in (_text(sense, "id") for sense in senses) if name]
        ids = set(named)
        if len(ids) < len(named):  # each would have the senses of the other inside
            raise InputError(f"two senses of {word[:80]!r} have the same id")
        inner: dict[str, list[Mapping[str, Any]]] = {"": []}
        for sense in senses:
            above = self.parents.get(_text(sense, "id"), "")
            inner.setdefault(above if above in ids else "", []).append(sense)

        def make(above: str, depth: int) -> tuple[EntrySense, ...]:
            if depth > DEEPEST:
                raise InputError(
                    f"senses of {word[:80]!r} are too deep: {DEEPEST} levels are the most"
                )
            return tuple(
                self._read_sense(one, word, make(_text(one, "id"), depth + 1))
                for one in (inner.get(above, []) if above or depth == 1 else [])
            )

        made = make("", 1)
        if sum(1 for _ in walk_senses(made)) < len(senses):
            raise InputError(f"senses of {word[:80]!r} are inside of each other")
        labels, _ = self._read_labels(values)
        return DictionaryEntry(
            word,
            part_of_speech="".join(_texts(values, "partsOfSpeech")[:1]),
            labels=labels,
            references=tuple(self.references.get(_text(values, "id"), ())),
            senses=made,
        )

    def _read_sense(
        self, values: Mapping[str, Any], word: str, inner: tuple[EntrySense, ...]
    ) -> EntrySense:
        number = _find_number(values)
        labels, part_of_speech = self._read_labels(values)
        definitions = [_text(one, "text") for one in _records(values, "definitions")]
        return EntrySense(
            key="" if number is None else encode_key(word, number),
            name=_text(values, "indicator"),
            definition="; ".join(filter(None, definitions)),
            part_of_speech=part_of_speech,
            labels=labels,
            examples=tuple(_read_example(one, word) for one in _records(values, "examples")),
            references=tuple(self.references.get(_text(values, "id"), ())),
            senses=inner,
        )

    def _read_labels(self, values: Mapping[str, Any]) -> tuple[tuple[Label, ...], str]:
        """Labels, and the part of speech where one of them is that."""
        labels, part_of_speech = [], ""
        for text in _texts(values, "labels"):
            kind = self.kinds.get(text, "")
            if kind == _PART_OF_SPEECH and not part_of_speech:
                part_of_speech = text
            else:
                labels.append(Label(kind if kind in LABEL_KINDS else "other", text))
        return tuple(labels), part_of_speech


def _find_number(sense: Mapping[str, Any]) -> int | None:
    """The number of the model's sense that an id of ours ends in."""
    found = _NUMBER.search(_text(sense, "id"))
    return None if found is None else int(found[1])


def _read_example(values: Mapping[str, Any], word: str) -> EntryExample:
    text, source = _text(values, "text"), _text(values, "sourceElaboration")
    source = source or _text(values, "sourceIdentity")
    markers = _records(values, "headwordMarkers")
    if not markers:
        return mark_word(text, word, source)
    start, end = (markers[0].get(name) for name in ("startIndex", "endIndex"))
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start <= end <= len(text):
        raise InputError(f"the word of an example is not in it: {text[:80]!r}")
    return EntryExample(text[:start], text[start:end], text[end:], source)


def _text(values: Mapping[str, Any], name: str) -> str:
    found = values.get(name, "")
    if not isinstance(found, str):
        raise InputError(f"expected a text as {name}, found {type(found).__name__}")
    return found


def _list(values: Mapping[str, Any], name: str, kind: type) -> list[Any]:
    found = values.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, kind) for one in found):
        what = "texts" if kind is str else "objects"
        raise InputError(f"expected a list of {what} as {name}")
    return found


def _texts(values: Mapping[str, Any], name: str) -> list[str]:
    return _list(values, name, str)


def _records(values: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    return _list(values, name, dict)
