"""`grassmeans info`: what a folder holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.table import Table

from grassmeans.errors import ArtifactError, InputError
from grassmeans.terminal import options
from grassmeans.terminal.output import name_some, print_json, terminal, wants_json

_SHOWN = 20


def info(
    artifact: options.ReadPath,
    verify: bool = False,
    words: bool = False,
    as_json: options.Json = False,
) -> None:
    """Show what a folder holds: kind, sizes, the settings that made it.

    Of long lists the first items are shown, and how many there are; in a pipe or with
    [bold]--json[/] these are [bold]first[/] and [bold]n[/]. The words of a model are counted, and
    listed with [bold]--words[/].

    With [bold]--verify[/] every file is read and compared with the digest that was stored when it
    was written; a file that is not the same ends the command with an error that names it.

    Options
    -------
    artifact: A corpus, vectors or model folder, or a model's name.
    verify: Read every file and compare it with its digest.
    words: List all words of a model, and those without senses, with the reason.
    """
    from grassmeans.artifacts.writing import read_manifest
    from grassmeans.models.places import resolve_name

    artifact = resolve_name(artifact)
    about = read_manifest(artifact)
    if verify:
        about["verified"] = _verify(artifact)
    files = [path for path in artifact.rglob("*") if path.is_file()]
    about["bytes"] = sum(path.stat().st_size for path in files)
    listed: dict[str, Any] = {}
    if about["kind"] == "model":
        counts, listed = _count_words(artifact)
        about |= counts
    elif words:
        raise InputError(f"{artifact} holds a {about['kind']}, but --words lists those of a model")
    if wants_json(as_json):
        print_json({name: _cut(value) for name, value in about.items()} | (listed if words else {}))
        return
    table = Table(title=str(artifact), show_header=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in about.items():
        if name != "shards":
            table.add_row(name, _readable(value))
    for name, value in listed.items():
        table.add_row(name, _readable(value, len(value) if words else _SHOWN))
    terminal().print(table)


def _count_words(artifact: Path) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """How many words and senses a model has, its versions, and the words themselves."""
    from grassmeans.models.model import load
    from grassmeans.models.versions import describe_descent, describe_versions, read_versions

    model = load(artifact)
    inventory = model.inventory
    skipped = [{"word": found.word, "reason": found.reason} for found in inventory.skipped]
    listed: dict[str, list[Any]] = {"words": list(inventory.words), "skipped": skipped}
    counts = {
        "n_words": len(inventory.words),
        "n_senses": sum(inventory.sense_counts.values()),
        "n_skipped": len(skipped),
    }
    versions = {"versions": describe_versions(read_versions(model))}
    return counts | describe_descent(model) | versions, listed


def _verify(artifact: Path) -> str:
    """Compare all files with their digests; what was found, or an error that names them."""
    from grassmeans.artifacts.checking import MANIFEST
    from grassmeans.artifacts.digests import find_damage
    from grassmeans.artifacts.writing import read_manifest

    for manifest in sorted(artifact.rglob(MANIFEST)):
        read_manifest(manifest.parent)  # the digest of its fields
    problems, n_compared, n_unknown = find_damage(artifact)
    if problems:
        raise ArtifactError(f"{name_some(problems)}: build the folder again")
    found = f"{n_compared:,} files are what was written"
    if n_unknown:
        found += f"; {n_unknown:,} have no digest (an older release wrote none)"
    return found


def _readable(value: Any, n_shown: int = _SHOWN) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list):
        rest = f", ... ({len(value):,} in all)" if len(value) > n_shown else ""
        return ", ".join(map(str, value[:n_shown])) + rest
    if isinstance(value, dict):
        shown = ((name, json.dumps(_cut(v), ensure_ascii=False)) for name, v in value.items())
        return "\n".join(f"{name}: {text}" for name, text in shown)
    return str(value)


def _cut(value: Any) -> Any:
    """A value with long lists cut, wherever they are in it: a table of phrases, say."""
    if isinstance(value, dict):
        return {name: _cut(inner) for name, inner in value.items()}
    if isinstance(value, list) and len(value) > _SHOWN:
        return {"first": value[:_SHOWN], "n": len(value)}
    return value
