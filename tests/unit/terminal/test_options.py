from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import pytest
import typer
from typer.testing import CliRunner

from grassmeans.artifacts.writing import write_manifest
from grassmeans.cli.main import app
from grassmeans.errors import InputError
from grassmeans.terminal.options import (
    READ,
    WRITTEN,
    WRITTEN_INTO,
    Count,
    check_places,
    complete_commands,
    find_places,
)

COMMANDS = {
    command.callback.__name__: inspect.unwrap(command.callback)
    for group in (app, *(added.typer_instance for added in app.registered_groups))
    for command in group.registered_commands
    if command.callback is not None
}
NAMES_A_PLACE = re.compile(r"\b(folder|file|PATH|address)\b")
NO_PLACES = {
    ("convert", "to"),  # a format, one of which is "folder"
    ("score", "task"),  # a name, which says what a folder holds
}


def test_all_commands_are_looked_at() -> None:
    assert {"ingest", "induce", "compare", "reproduce", "explore", "lineup"} <= COMMANDS.keys()
    assert len(COMMANDS) > 25


@pytest.mark.parametrize("name", COMMANDS)
def test_what_names_a_file_or_folder_is_declared_read_or_written(name) -> None:
    declared = find_places(COMMANDS[name])
    hints = get_type_hints(COMMANDS[name], include_extras=True)
    for parameter, hint in hints.items():
        plain, *about = get_args(hint) if hasattr(hint, "__metadata__") else (hint,)
        told = " ".join(str(getattr(one, "help", "")) for one in about)
        is_path = Path in (plain, *get_args(plain))
        is_text = str in (plain, *get_args(plain)) and NAMES_A_PLACE.search(told)
        if is_path or (is_text and (name, parameter) not in NO_PLACES):
            assert parameter in declared, f"{name}: is {parameter} read or written?"


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_written_is_replaced_only_when_told(name) -> None:
    places = find_places(COMMANDS[name])
    if WRITTEN in places.values():
        assert "overwrite" in get_type_hints(COMMANDS[name])


@pytest.mark.parametrize("name", COMMANDS)
def test_every_parameter_has_a_help_and_every_help_a_parameter(name) -> None:
    hints = get_type_hints(COMMANDS[name], include_extras=True)
    for parameter in inspect.signature(COMMANDS[name]).parameters:
        assert get_args(hints[parameter])[1].help, f"{name}: what is {parameter}?"
    _, _, listed = inspect.getdoc(COMMANDS[name]).partition("Options\n-------\n")
    assert set(re.findall(r"^(\w+):", listed, re.MULTILINE)) <= hints.keys()


def test_a_help_text_keeps_what_stands_in_brackets(monkeypatch) -> None:
    """Extras of a package are no markup, styles are."""

    def small(number: Count | None = None, all_of_it: bool = False) -> None:
        """Do [bold]it[/]: pip install 'grassmeans[encoder,gpu]'.

        Options
        -------
        number: Of [word] and
            of other words.
        all_of_it: Not [dim]some[/].
        """

    monkeypatch.setenv("TERMINAL_WIDTH", "200")
    own = typer.Typer(rich_markup_mode="rich", add_completion=False)
    own.command()(small)
    complete_commands(own)
    told = CliRunner().invoke(own, ["--help"]).stdout
    assert "Do it: pip install 'grassmeans[encoder,gpu]'." in told
    assert "Of [word] and of other words." in told
    assert "Not some." in told
    assert "-------" not in told
    assert "--all-of-it" in told
    assert "--no-all-of-it" not in told
    assert "[x>=1]" in told
    assert CliRunner().invoke(own, ["--number", "0"]).exit_code == 2
    assert CliRunner().invoke(own, ["--number", str(2**63)]).exit_code == 2
    assert CliRunner().invoke(own, ["--number", str(2**63 - 1)]).exit_code == 0


def command(
    inputs: Annotated[list[str] | None, READ, typer.Argument()] = None,
    output: Annotated[Path | None, WRITTEN, typer.Option()] = None,
    page: Annotated[Path | None, WRITTEN, typer.Option()] = None,
    keep: Annotated[Path | None, WRITTEN_INTO, typer.Option()] = None,
) -> None:
    """A command with everything."""


def refuse(match: str, function: Callable[..., Any] = command, **values: Any) -> None:
    with pytest.raises(InputError, match=match):
        check_places(function, values)


@pytest.fixture
def model(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").mkdir()
    write_manifest(tmp_path / "model", "model", 1, {})
    (tmp_path / "link").symlink_to(tmp_path / "model", target_is_directory=True)
    return "model"


@pytest.mark.parametrize(
    "given",
    ["model", "./model", "link", "task=model", "transformer:model", "model:lexemes", "file:model"],
)
def test_what_is_read_is_found_in_every_form_of_a_name(model, given) -> None:
    for output in ("model", "link", "model/manifest.json", "model/new.txt"):
        refuse("an input", inputs=["nowhere", given], output=Path(output))
    refuse("is an input", inputs=[given], keep=Path("model"))
    refuse("holds model, an input", inputs=[given], output=Path())
    check_places(command, {"inputs": [given], "output": Path("other"), "keep": Path()})


def test_a_model_of_the_package_is_read_where_its_name_is_given(tmp_path, monkeypatch) -> None:
    from grassmeans.models.places import installed_folder, list_models

    if "en" not in list_models():
        pytest.skip("the model is a package of its own")
    monkeypatch.chdir(tmp_path)
    refuse("an input", inputs=["en"], output=installed_folder("en"))
    check_places(command, {"inputs": ["en"], "output": Path("en")})  # a new folder of that name


def test_names_that_no_file_can_have_are_passed_over(tmp_path) -> None:
    names = ["x" * 5000, "s3://bucket/*.bz2", "", "nul\0"]
    check_places(command, {"inputs": names, "output": tmp_path / "out"})


def test_two_results_need_two_places(tmp_path) -> None:
    for output, page in (("a", "a"), ("a", "a/page.html"), ("a/b", "a")):
        refuse("both written", output=tmp_path / output, page=tmp_path / page)
    refuse("both written", output=tmp_path / "a", keep=tmp_path / "a" / "kept")
    check_places(command, {"output": tmp_path / "kept" / "result.md", "keep": tmp_path / "kept"})
    check_places(command, {"output": tmp_path / "a", "page": tmp_path / "b"})
