from __future__ import annotations

import errno
import io
import subprocess
import sys

import pytest

from grassmeans.evaluation.reports import ResultTable
from grassmeans.terminal.output import (
    describe_os_error,
    draw_table,
    is_unicode,
    name_options,
    note,
    open_streams,
    print_summary,
)


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("choose another, or pass overwrite=True", "choose another, or pass --overwrite"),
        ("choose it as text_field=..., of a, b", "choose it as --text-field, of a, b"),
        ("take induce='on-corpus' only", "take --induce on-corpus only"),
        ("use calibrate=False", "use --no-calibrate"),
        ("x=3 stays, and so does a = b", "x=3 stays, and so does a = b"),
    ],
)
def test_arguments_of_python_become_options(message, shown) -> None:
    assert name_options(message) == shown


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.ENOENT, "No such file", "a.txt"), "a.txt: No such file"),
        (OSError(errno.ENOSPC, "No space left"), "the output cannot be written: No space left"),
        (
            OSError(errno.EBADF, "Bad"),
            "standard output is closed: send it to a file, or to /dev/null",
        ),
        (OSError(errno.EPERM, "Not permitted"), "Not permitted"),
        (OSError("something else"), "something else"),
    ],
)
def test_an_error_of_the_system_is_one_line(error, told):
    assert describe_os_error(error) == told


@pytest.mark.parametrize(
    ("encoding", "expected"), [("utf-8", True), ("UTF-16", True), ("latin-1", False)]
)
def test_which_streams_hold_every_letter(encoding, expected):
    assert is_unicode(io.TextIOWrapper(io.BytesIO(), encoding=encoding)) is expected


def test_letters_that_an_encoding_lacks_are_written_as_escapes(monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    open_streams()
    print("Kr\u00e4n", end="", flush=True)
    assert written.getvalue() == rb"Kr\xe4n"


LOOKS_LIKE_MARKUP = ":x: and [word], [bold]crane[/] or [/]"


def test_what_looks_like_markup_or_emoji_is_told_as_it_is(monkeypatch, capsys) -> None:
    monkeypatch.setattr("grassmeans.terminal.output.wants_json", lambda _asked: False)
    monkeypatch.setenv("COLUMNS", "100")
    note(LOOKS_LIKE_MARKUP)
    note(LOOKS_LIKE_MARKUP, style="bold red")
    assert capsys.readouterr().err == f"{LOOKS_LIKE_MARKUP}\n" * 2
    print_summary({}, f"12 of {LOOKS_LIKE_MARKUP}", False, [LOOKS_LIKE_MARKUP, "two"])
    next_ones = f"next: {LOOKS_LIKE_MARKUP}, two"
    assert capsys.readouterr().out == f"12 of {LOOKS_LIKE_MARKUP}\n{next_ones}\n"
    table = ResultTable(("word", "near"), ((LOOKS_LIKE_MARKUP, "[1]"),), ":x: [note]")
    draw_table(table, "of [word]")
    told = capsys.readouterr().out
    assert all(text in told for text in (LOOKS_LIKE_MARKUP, "[1]", ":x: [note]", "of [word]"))


def test_the_first_number_of_a_summary_and_its_commands_are_bold(monkeypatch, capsys) -> None:
    monkeypatch.setattr("grassmeans.terminal.output.wants_json", lambda _asked: False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    print_summary({}, "senses of 1,200 words, 3 skipped", False, ["grassmeans show"])
    bold, plain = "\x1b[1m", "\x1b[0m"
    assert capsys.readouterr().out == (
        f"senses of {bold}1,200{plain} words, 3 skipped\nnext: {bold}grassmeans show{plain}\n"
    )


CLOSED = """
import os, sys
for number in (0, 1):
    os.close(number)
sys.stdin = sys.stdout = None
from grassmeans.terminal.output import give_up_output, open_streams
open_streams()
assert sys.stdin.read() == ""
try:
    print("lost", flush=True)
except OSError as error:
    sys.stderr.write(f"told {error.errno}")
give_up_output()
"""


def test_streams_that_are_closed_are_empty_or_an_error():
    done = subprocess.run(
        [sys.executable, "-c", CLOSED], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, f"told {errno.EBADF}")
