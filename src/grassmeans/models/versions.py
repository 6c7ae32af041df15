"""The log of a model's versions: what text came when, which senses were born, merged, renamed.

``versions.jsonl`` lies beside the manifest, one version a line, the oldest first. A model without
it is its own first version. Senses keep their numbers when a model grows, so that what an earlier
version has labelled stays labelled; only a merger by a person gives other numbers.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from grassmeans.artifacts.checking import damaged, has_file, parse_json, read_text
from grassmeans.artifacts.schema import check_values, each, flag, record, text, whole
from grassmeans.artifacts.writing import find_manifest, write_bytes
from grassmeans.errors import GrassmeansError
from grassmeans.models.model import SenseModel
from grassmeans.models.places import KIND

VERSIONS = "versions.jsonl"
BUILT, GROWN, EDITED, MERGED = "built", "grown", "edited", "merged"
_RULES = {"version": whole(1), "kind": text}
_OPTIONAL = {
    "created": text,
    "digest_before": text,
    "keeps_numbers": flag,
    "born": each(record()),
    "edits": each(record()),
    "counts": record(),
}

Version = Mapping[str, Any]


def read_versions(model: SenseModel) -> list[dict[str, Any]]:
    """The versions of a model, the oldest first; the last one is the model itself."""
    return _read_log(model.folder, model.manifest)


def _read_log(folder: Path | None, manifest: Version) -> list[dict[str, Any]]:
    path = None if folder is None else folder / VERSIONS
    if path is None or not has_file(path):
        return [_describe_first(manifest)]
    found: list[dict[str, Any]] = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line:
            values = parse_json(line, path)
            check_values(path, values, _RULES, _OPTIONAL)
            if values["version"] != number:
                raise damaged(path, f"line {number} is version {values['version']}")
            found.append(values)
    if not found:
        raise damaged(path, "it has no version")
    # The manifest says when the last one was made: the same update gives the same file.
    found[-1]["created"] = str(manifest.get("created", ""))
    return found


def _describe_first(about: Version) -> dict[str, Any]:
    first = {"version": 1, "kind": BUILT, "created": str(about.get("created", ""))}
    corpus = about.get("corpus", {})
    return first | {name: corpus[name] for name in ("n_tokens", "n_documents") if name in corpus}


def append_version(
    model: SenseModel, folder: Path, kind: str, about: Version, *, keeps_numbers: bool
) -> None:
    """Write the log of a new version into its folder: ``model`` is the one before.

    ``about`` is what came with it, as plain values; ``keeps_numbers`` says whether every sense that
    there was has the number that it had.
    """
    new = {"kind": kind, "digest_before": model.digest, "keeps_numbers": keeps_numbers}
    write_versions(folder, [*read_versions(model), new | dict(about)])


def write_versions(folder: Path, versions: Sequence[Version]) -> None:
    """Write a log into a folder; the versions are numbered in their order."""
    numbered = ({"version": i} | {**version, "version": i} for i, version in enumerate(versions, 1))
    lines = [json.dumps(version, ensure_ascii=False) for version in numbered]
    write_bytes(folder / VERSIONS, "\n".join(lines).encode())


def list_digests(model: SenseModel) -> list[str]:
    """Digests of the model, and of earlier versions whose senses have the same numbers."""
    found = [model.digest]
    for version in reversed(read_versions(model)):
        if not version.get("keeps_numbers") or "digest_before" not in version:
            break
        found.append(version["digest_before"])
    return found


def list_edits(versions: Sequence[Version]) -> list[Any]:
    """All corrections of some versions, in order, as plain values."""
    return [edit for version in versions for edit in version.get("edits", [])]


def find_left_out(model: SenseModel, place: Path) -> list[str]:
    """Names of versions in a folder that have a correction which a model does not have.

    Only of those that share an ancestor with it, or are made from it.
    """
    log = read_versions(model)
    ancestors = {model.digest, *_digests_before(log)}
    own = _by_word(list_edits(log))
    itself = None if model.folder is None else model.folder.resolve()
    found = []
    for folder in sorted(place.resolve().iterdir()) if place.is_dir() else []:
        manifest = None if folder == itself else find_manifest(folder)
        if manifest is None or manifest["kind"] != KIND:
            continue
        with contextlib.suppress(GrassmeansError):  # a damaged one is not our affair
            other = _read_log(folder, manifest)
            theirs = _by_word(list_edits(other)) if ancestors & _digests_before(other) else {}
            if any(own.get(word, [])[: len(edits)] != edits for word, edits in theirs.items()):
                found.append(folder.name)
    return found


def describe_descent(model: SenseModel) -> dict[str, Any]:
    """What an edited model was made from, and which versions beside it have other corrections."""
    edited = model.manifest.get("edited")
    if model.folder is None or not edited:
        return {}
    left_out = find_left_out(model, model.folder.resolve().parent)
    return {"made_from": edited.get("from", ""), "lacks_corrections_of": left_out}


def _digests_before(versions: Sequence[Version]) -> set[str]:
    return {version["digest_before"] for version in versions if "digest_before" in version}


def _by_word(edits: Iterable[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for edit in edits:
        found.setdefault(edit.get("word", ""), []).append(edit)
    return found


def share_history(model: SenseModel, word: str) -> list[dict[str, Any]]:
    """How often each sense of a word occurred in the text of each version that had the word.

    ``version``, ``created`` and ``counts`` (of the senses that there were then) of each. The first
    one is what the later ones leave of the word's occurrences, by the shares of its senses.
    """
    entry = model.senses(word)
    versions = read_versions(model)
    rows = [
        {"version": v["version"], "created": v["created"], "counts": v["counts"][entry.word]}
        for v in versions
        if entry.word in v.get("counts", {})
    ]
    left = [round(sense.share * entry.count) for sense in entry.senses]
    for row in rows:
        for sense, count in enumerate(row["counts"]):
            left[sense] = max(left[sense] - count, 0)
    if any(left):
        first = versions[0]
        rows.insert(0, {"version": first["version"], "created": first["created"], "counts": left})
    return rows


def describe_versions(versions: Sequence[Version]) -> list[dict[str, Any]]:
    """The log without the long lists of counts."""
    return [
        {name: value for name, value in version.items() if name != "counts"}
        | ({"n_words": len(version["counts"])} if "counts" in version else {})
        for version in versions
    ]
