"""Command lines, run inside of the tests' process: what they say, and which ones there are."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
import typer.main

from grassmeans.cli.main import app, run


def run_line(*arguments: object) -> int:
    """Run a command line; returns its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["grassmeans", *map(str, arguments)])
        try:
            run()
        except SystemExit as end:
            return int(end.code or 0)
    return 0


class CommandLine:
    """Runs `grassmeans` as a user does, up to the process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def say(self, *arguments: object) -> str:
        """What a command that succeeds prints on standard output."""
        self.capsys.readouterr()
        code = run_line(*arguments)
        said = self.capsys.readouterr()
        assert code == 0, said.err
        return said.out

    def lines(self, *arguments: object) -> list[Any]:
        """Its JSON lines."""
        return [json.loads(line) for line in self.say(*arguments).splitlines()]

    def line(self, *arguments: object) -> Any:
        """Its one JSON line."""
        (found,) = self.lines(*arguments)
        return found


def find_commands() -> dict[str, str]:
    """Every command of the help, with the title of its panel; those of a group with its name."""
    found: dict[str, str] = {}
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        inner: Mapping[str, object] = getattr(command, "commands", {})
        for full in [f"{name} {part}" for part in inner] or [name]:
            found[full] = command.rich_help_panel
    return found


def without_test(commands: Iterable[str], module: Mapping[str, object]) -> list[str]:
    """The commands that have no ``test_COMMAND`` in a module."""
    names = {command: f"test_{command}".replace(" ", "_").replace("-", "_") for command in commands}
    return [command for command, name in names.items() if name not in module]
