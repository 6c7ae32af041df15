"""`grassmeans info`: what a folder holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from grassmeans.terminal import options
from grassmeans.terminal.output import name_some, print_json, terminal, wants_json


def info(
    artifact: Annotated[
        Path, typer.Argument(help="A corpus, vectors or model folder, or a model's name.")
    ],
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Read every file and compare it with its digest."),
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Show what a folder holds: kind, sizes, the settings that made it.

    With [bold]--verify[/] every file is read and compared with the digest that was stored when it
    was written; a file that is not the same ends the command with an error that names it.
    """
    from grassmeans.artifacts import read_manifest
    from grassmeans.senses.model_places import resolve_name

    artifact = resolve_name(artifact)
    manifest = read_manifest(artifact)
    if verify:
        manifest["verified"] = _verify(artifact)
    files = [path for path in artifact.rglob("*") if path.is_file()]
    manifest["bytes"] = sum(path.stat().st_size for path in files)
    if manifest["kind"] == "model":
        from grassmeans.senses.model import load

        opened = load(artifact)
        manifest["words"] = list(opened.words)
        manifest["skipped"] = {s.word: s.reason for s in opened.inventory.skipped}
    if wants_json(as_json):
        print_json(manifest)
        return
    table = Table(title=str(artifact), show_header=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in manifest.items():
        if name != "shards":
            table.add_row(name, escape(_readable(value)))
    terminal().print(table)


def _verify(artifact: Path) -> str:
    """Compare all files with their digests; what was found, or an error that names them."""
    from grassmeans.artifacts import read_manifest
    from grassmeans.checked import MANIFEST, find_damage
    from grassmeans.errors import ArtifactError

    for manifest in sorted(artifact.rglob(MANIFEST)):
        read_manifest(manifest.parent)  # the digest of its fields
    problems, n_compared, n_unknown = find_damage(artifact)
    if problems:
        raise ArtifactError(f"{name_some(problems)}: build the folder again")
    found = f"{n_compared:,} files are what was written"
    if n_unknown:
        found += f"; {n_unknown:,} have no digest (an older release wrote none)"
    return found


_SHOWN = 20


def _readable(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list):
        return ", ".join(map(str, _shorten(value)))
    if isinstance(value, dict):
        shown = ((name, json.dumps(_shorten(v), ensure_ascii=False)) for name, v in value.items())
        return "\n".join(f"{name}: {text}" for name, text in shown)
    return str(value)


def _shorten(value: Any) -> Any:
    """A value with long lists cut, wherever they are in it: a table of phrases, say."""
    if isinstance(value, dict):
        return {name: _shorten(inner) for name, inner in value.items()}
    if isinstance(value, list) and len(value) > _SHOWN:
        return [*value[:_SHOWN], f"... ({len(value):,} in all)"]
    return value
