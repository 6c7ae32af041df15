from __future__ import annotations

import os
import subprocess
import sys

import pytest
import typer

import grassmeans
from command_line import run_line
from grassmeans.cli import main


def stop_badly() -> None:
    """As joblib does that is stopped while it starts its threads."""
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        raise RuntimeError("cannot join thread before it is started") from None


def test_what_fails_because_of_a_stop_is_a_stop() -> None:
    with pytest.raises(main._InterruptError):
        main._watch(stop_badly)()


def test_any_other_failure_stays_what_it_is() -> None:
    def fail() -> None:
        try:
            raise KeyError("crane")
        except KeyError as error:
            raise RuntimeError("of our own") from error

    with pytest.raises(RuntimeError, match="of our own"):
        main._watch(fail)()


@pytest.mark.parametrize(
    ("command", "title", "name"),
    [
        ("explore", "the explorer", "explorer"),
        ("merge", "the explorer", "explorer"),
        ("query", "the explorer", "explorer"),
        ("build-dataset", "the laboratory", "lab"),
    ],
)
def test_a_command_of_another_distribution_says_which_one(
    command, title, name, monkeypatch, capsys
) -> None:
    bare = typer.Typer(cls=main._Commands)
    bare.callback()(main.root)
    bare.command()(main.show)
    monkeypatch.setattr(main, "app", bare)
    assert run_line(command, "en", "--any", "option") == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said == (
        f"grassmeans: {title} is not installed: pip install grassmeans-{name} "
        f"(in a clone: pip install ./packages/{name})"
    )


def test_a_command_that_nobody_has_is_not_known(capsys) -> None:
    assert run_line("explode") == 2
    assert "No such command 'explode'" in capsys.readouterr().err


def complete(*words: str) -> list[str]:
    """What a shell offers for the last of the words of a command line."""
    given = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    variables = {**os.environ, **given, "_GRASSMEANS_COMPLETE": "complete_bash"}
    command = [sys.executable, "-c", "from grassmeans.cli.main import run; run()"]
    found = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    return found.stdout.split()


def test_a_shell_completes_commands_and_options() -> None:
    assert complete("grassmeans", "ta") == ["tag"]
    assert complete("grassmeans", "tag", "--wo") == ["--word", "--workers"]


def test_what_computes_is_not_loaded_before_a_command_needs_it() -> None:
    """Of this distribution or of one that adds commands: help and completion would wait for it."""
    program = "import grassmeans.cli.main, sys; print({'numpy', 'scipy'} & sys.modules.keys())"
    command = [sys.executable, "-c", program]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"


def test_the_package_can_be_run_as_a_module() -> None:
    command = [sys.executable, "-m", "grassmeans", "--version"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout == f"grassmeans {grassmeans.__version__}\n"


@pytest.mark.parametrize(("command", "goes_on"), [(main.tag, False), (main.label, True)])
def test_a_command_that_only_prints_does_not_promise_to_go_on(command, goes_on) -> None:
    assert main._goes_on(command) is goes_on
