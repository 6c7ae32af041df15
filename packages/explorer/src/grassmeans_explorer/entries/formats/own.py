"""Our own JSON: everything that an entry has, and back exactly."""

from __future__ import annotations

from pathlib import Path

from grassmeans.artifacts.checking import parse_json
from grassmeans.artifacts.schema import each as each_of
from grassmeans.artifacts.schema import find_problem, one_of, record, text
from grassmeans.artifacts.writing import encode_json
from grassmeans.errors import ArtifactError, InputError
from grassmeans_explorer.entries.entry import Lexicon
from grassmeans_explorer.entries.plain import entry_from_values, entry_to_values

_KIND, _FORMAT = "grassmeans-lexicon", 1
_HEAD = ("language", "title", "model", "root")
_RULES = {
    "kind": one_of(_KIND),
    "format_version": one_of(_FORMAT),
    "entries": each_of(record({"word": text})),
}


def write(lexicon: Lexicon) -> str:
    """A lexicon as JSON."""
    about = {"kind": _KIND, "format_version": _FORMAT}
    head = {name: getattr(lexicon, name) for name in _HEAD}
    entries = [entry_to_values(entry) for entry in lexicon.entries]
    return encode_json(about | head | {"entries": entries}, indent=2).decode() + "\n"


def read(content: str, path: Path) -> Lexicon:
    """The lexicon of a JSON file."""
    try:
        values = parse_json(content, path)
        problem = "it holds named values"
        if isinstance(values, dict):
            problem = find_problem(values, _RULES, dict.fromkeys(_HEAD, text)) or ""
        if problem:
            raise InputError(f"{path} is no lexicon of ours: expected that {problem}")
        entries = tuple(entry_from_values(entry, path) for entry in values["entries"])
    except ArtifactError as error:
        raise InputError(str(error).removesuffix(": build the folder again")) from error
    return Lexicon(entries, **{name: values[name] for name in _HEAD if name in values})
