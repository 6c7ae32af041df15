"""Every command that computes says in its help what --device and --engine do, in the same words."""

from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner

from grassmeans.cli.main import app

ON_A_DEVICE = {
    *("vectors", "lexemes", "encoder", "induce", "tag", "label", "iterate", "evaluate", "model"),
    *("reliability", "compare", "reproduce", "update", "change", "collocates"),
}
IN_AN_ENGINE = {
    *("ingest", "phrases", "vectors", "lexemes", "induce", "label", "iterate", "evaluate", "model"),
    *("reliability", "compare", "reproduce", "update", "build-dataset pseudowords"),
}
NEITHER = {
    *(
        "show",
        "similar",
        "info",
        "convert",
        "compact",
        "copy",
        "export",
        "score",
        "explore",
        "serve",
        "wordnet",
    ),
    *("demo", "merge", "entries", "build-dataset links", "build-dataset lineup"),
    *("query", "sample", "ngrams", "keywords", "sketch", "annotate-grammar"),
    *(
        f"annotation {name}"
        for name in ("make", "export", "import", "agreement", "refit", "tokens")
    ),
}


def list_commands(group: typer.Typer, prefix: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    command = typer.main.get_command(group)
    found: dict[str, tuple[str, ...]] = {}
    for name, own in command.commands.items():  # type: ignore[attr-defined]
        inner = getattr(own, "commands", None) or {"": own}
        for last in inner:
            path = (*prefix, name, last) if last else (*prefix, name)
            found[" ".join(path)] = path
    return found


COMMANDS = list_commands(app)


def test_every_command_has_its_place() -> None:
    assert set(COMMANDS) == ON_A_DEVICE | IN_AN_ENGINE | NEITHER


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_says_what_device_and_engine_do(name: str) -> None:
    result = CliRunner().invoke(app, [*COMMANDS[name], "--help"], env={"COLUMNS": "300"})
    assert result.exit_code == 0
    assert ("cpu|cuda" in result.output) == (name in ON_A_DEVICE)
    assert ("on a GPU (extra gpu)" in result.output) == (name in ON_A_DEVICE)
    assert ("dask|dask://HOST:PORT|tls://HOST:PORT" in result.output) == (name in IN_AN_ENGINE)
    assert ("Where workers run" in result.output) == (name in IN_AN_ENGINE)
