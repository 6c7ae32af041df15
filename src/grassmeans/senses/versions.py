"""The log of a model's versions: what text came when, which senses were born, merged, renamed.

``versions.jsonl`` lies beside the manifest, one version a line, the oldest first. A model without
it is its own first version. Senses keep their numbers when a model grows, so that what an earlier
version has labelled stays labelled; only a merger by a person gives other numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grassmeans.artifacts import write_bytes
from grassmeans.checked import damaged, has_file, parse_json, read_text
from grassmeans.schema import check_values, each, flag, record, text, whole
from grassmeans.senses.model import SenseModel

VERSIONS = "versions.jsonl"
BUILT, GROWN, EDITED = "built", "grown", "edited"
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
    path = None if model.folder is None else model.folder / VERSIONS
    if path is None or not has_file(path):
        return [_describe_first(model)]
    found = []
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
    found[-1]["created"] = str(model.manifest.get("created", ""))
    return found


def _describe_first(model: SenseModel) -> dict[str, Any]:
    about = model.manifest
    first = {"version": 1, "kind": BUILT, "created": str(about.get("created", ""))}
    corpus = about.get("corpus", {})
    return first | {name: corpus[name] for name in ("n_tokens", "n_documents") if name in corpus}


def append_version(
    model: SenseModel, folder: Path, kind: str, about: Version, *, keeps_numbers: bool
) -> None:
    """Write the log of a new version of a model into its folder.

    Parameters
    ----------
    model : SenseModel
        The version before.
    about : mapping
        What came with it, as plain values.
    keeps_numbers : bool
        Whether every sense that there was has the number that it had.
    """
    earlier = read_versions(model)
    new = {"version": len(earlier) + 1, "kind": kind, "digest_before": model.digest}
    new |= {"keeps_numbers": keeps_numbers} | dict(about)
    lines = [json.dumps(version, ensure_ascii=False) for version in (*earlier, new)]
    write_bytes(folder / VERSIONS, "\n".join(lines).encode())


def list_digests(model: SenseModel) -> list[str]:
    """Digests of the model, and of earlier versions whose senses have the same numbers."""
    found = [model.digest]
    for version in reversed(read_versions(model)):
        if not version.get("keeps_numbers") or "digest_before" not in version:
            break
        found.append(version["digest_before"])
    return found


def share_history(model: SenseModel, word: str) -> list[dict[str, Any]]:
    """How often each sense of a word occurred in the text of each version that had the word.

    Returns
    -------
    list of dict
        ``version``, ``created``, ``counts`` (of the senses that there were then). The first one is
        what the later ones leave of the word's occurrences, by the shares of its senses.
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
