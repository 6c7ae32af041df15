"""Every command and every Python block of the documentation is run, or says why not.

A block is run unless a comment right before it gives the reason::

    <!-- not run: needs a GPU -->

A page whose blocks all need the same thing says ``<!-- page not run: REASON -->`` once. The blocks
of a page run in order, in one folder and one Python namespace, on the small data of
`page_material`; what the page's commands write with ``-o`` is theirs to make. Blocks with ``$``
before their commands show the output as well: it has to be what the command prints on a terminal,
up to line breaks and what stands for ``...``.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from grassmeans.cli.main import app
from page_material import make_material

ROOT = Path(__file__).parents[2]
PAGES = [path for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))] if path.exists()]

pytestmark = pytest.mark.skipif(
    not (ROOT / "docs").is_dir(), reason="the documentation is not here: only the package is tested"
)

# Commands that are not run wherever they stand.
NOT_RUN = {
    "pip install": "changes the environment",
    "make": "sets up an environment of its own",
    "grassmeans explore": "serves until it is stopped; tests/explorer/system/browser opens it",
    "grassmeans serve": "serves until it is stopped; `serve_beside` starts it for the page",
    "grassmeans encoder": "trains for minutes; tests/unit/contexts/attention trains a small one",
}
_SECONDS = 120.0  # for a server to start, or to stop
SHELL = ("sh", "bash", "console", "")
_FENCE = re.compile(
    r"(?:<!--\s*not run:\s*(?P<reason>[^>]*?)\s*-->\s*\n+)?"
    r"^```(?P<language>\w*)[^\n]*\n(?P<code>.*?)^```",
    re.DOTALL | re.MULTILINE,
)
_PAGE_REASON = re.compile(r"<!--\s*page not run:\s*([^>]*?)\s*-->")
_OUTPUT = re.compile(r"(?:-o|--output|--corpus-out|--keep)[ =]([\w./-]+)|\.save\(\"([\w.-]+)\"")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_BOX = re.compile("[\u2500-\u257f\\s]+")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    line: int
    language: str
    code: str
    reason: str | None

    @property
    def is_session(self) -> bool:
        """Whether commands stand after a prompt, with their output."""
        return self.language in SHELL and self.code.startswith("$ ")

    @property
    def is_shell(self) -> bool:
        """Whether its lines are commands."""
        return self.language in ("sh", "bash", "console") or self.is_session

    @property
    def runs(self) -> bool:
        """Whether it is run."""
        return self.reason is None and (self.is_shell or self.language == "python")


def read_blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    whole = _PAGE_REASON.search(text)
    return [
        Block(
            text.count("\n", 0, match.start("code")),
            match["language"],
            match["code"],
            match["reason"] or (whole[1] if whole else None),
        )
        for match in _FENCE.finditer(text)
    ]


@pytest.fixture(scope="session")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("material")
    make_material(folder)
    (folder / "tests").symlink_to(ROOT / "tests")
    return folder


@pytest.fixture
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything happens in this process: the blocks are small, and starting workers is slow."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run(
    page: Path, material, tmp_path, monkeypatch, one_core, request
) -> None:
    running = [block for block in read_blocks(page) if block.runs]
    if not running:
        return
    written = {a or b for block in running for a, b in _OUTPUT.findall(_drop_not_run(block.code))}
    for source in material.iterdir():
        if source.name not in written:
            (tmp_path / source.name).symlink_to(source)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__page__"}
    serve_beside(running, tmp_path, request)
    for block in running:
        place = f"{page.relative_to(ROOT)}, line {block.line}"
        try:
            if block.is_shell:
                run_shell(block)
            else:
                exec(compile(block.code, place, "exec"), names)
        except AssertionError:
            raise
        except ImportError as error:
            pytest.skip(f"{place}: {error}")  # an extra is not here
        except BaseException as error:
            raise AssertionError(f"{place}: {type(error).__name__}: {error}") from error


def serve_beside(blocks: list[Block], folder: Path, request: pytest.FixtureRequest) -> None:
    """Run the server that a page starts until its test ends; the blocks then ask this one."""
    lines = [line for block in blocks if block.is_shell for line in block.code.splitlines()]
    command = next((line for line in lines if line.startswith("grassmeans serve ")), None)
    if command is None:
        return
    pytest.importorskip("grassmeans_explorer", reason="needs grassmeans-explorer")
    program = [sys.executable, "-c", "from grassmeans.cli.main import run; run()"]
    said = folder / "said.txt"
    with said.open("wb") as file:
        arguments = [*shlex.split(command, comments=True)[1:], "--port", "0", "--processes", "1"]
        server = subprocess.Popen([*program, *arguments], stdout=file, stderr=file)
    request.addfinalizer(lambda: (server.terminate(), server.wait(_SECONDS)))
    end = time.monotonic() + _SECONDS
    while not (found := re.search(r"serving .*:(\d+)/ by", said.read_text())):
        assert server.poll() is None, said.read_text()
        assert time.monotonic() < end, said.read_text()
        time.sleep(0.05)
    blocks[:] = [replace(b, code=b.code.replace(":8643", f":{found[1]}")) for b in blocks]


def test_blocks_that_are_not_run_say_why() -> None:
    for page in PAGES:
        for block in read_blocks(page):
            if block.reason is not None:
                assert len(block.reason.split()) >= 2, f"{page.name}, line {block.line}"


def run_shell(block: Block) -> None:
    """Run the lines of a block; of a session, compare what they print."""
    for command, shown in _read_commands(block):
        printed = run_command(command, is_terminal=block.is_session)
        if shown.strip():
            rest = _flatten(printed)
            for piece in filter(None, map(_flatten, shown.split("..."))):
                assert piece in rest, f"{command!r} does not print {piece!r} but {printed}"
                rest = rest.partition(piece)[2]


def _read_commands(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a block, each with the output that is shown of it."""
    lines = block.code.replace("\\\n", " ").splitlines()
    if not block.is_session:
        yield from ((line, "") for line in lines if line.strip())
        return
    command, shown = "", ""
    for line in [*lines, "$ "]:
        if line.startswith("$ "):
            if command:
                yield command, shown
            command, shown = line[2:], ""
        else:
            shown += line + "\n"


def _flatten(text: str) -> str:
    """Printed text without colours, boxes and line breaks."""
    return _BOX.sub(" ", _COLOUR.sub("", text)).strip()


def _drop_not_run(code: str) -> str:
    return "\n".join(line for line in code.splitlines() if not line.startswith(tuple(NOT_RUN)))


def run_command(line: str, *, is_terminal: bool = False) -> str:
    """Run ``a | b > file`` and give what is printed: our own commands in this process."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>&;")
    lexer.whitespace_split = True
    words = list(lexer)
    target = None
    if ">" in words:
        words, [target] = words[: words.index(">")], words[words.index(">") + 1 :]
    printed = ""
    while words:
        end = words.index("|") if "|" in words else len(words)
        stage, words = words[:end], words[end + 1 :]
        printed = _run_stage(stage, printed, is_terminal=is_terminal and not words)
    if target is not None:
        Path(target).write_text(printed, encoding="utf-8")
    return printed


def _run_stage(words: list[str], given: str, *, is_terminal: bool) -> str:
    if any(" ".join(words).startswith(name) for name in NOT_RUN):
        return ""
    name, *arguments = words
    if name == "grassmeans":
        return run_grassmeans(arguments, given, is_terminal=is_terminal)
    if name == "echo":
        return " ".join(arguments) + "\n"
    if name == "python" and arguments[0] == "-c":
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(arguments[1], "-c", "exec"), {})
        return printed.getvalue()
    raise AssertionError(f"the tests do not run {name!r}: mark the block as not run")


class _Terminal(io.TextIOWrapper):
    """Standard output that says whether it is a terminal."""

    is_terminal = False

    def isatty(self) -> bool:
        return self.is_terminal


def run_grassmeans(arguments: list[str], given: str, *, is_terminal: bool = False) -> str:
    """Run one of our commands in this process; returns what it prints."""
    with (
        tempfile.TemporaryFile() as stdin,
        pytest.MonkeyPatch.context() as monkeypatch,
        _Terminal(io.BytesIO(), encoding="utf-8") as stdout,
        _Terminal(io.BytesIO(), encoding="utf-8") as stderr,
    ):
        stdin.write(given.encode())
        stdin.seek(0)
        stdout.is_terminal = is_terminal
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "160")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stdin, encoding="utf-8"))
        monkeypatch.setattr(sys, "stdout", stdout)
        monkeypatch.setattr(sys, "stderr", stderr)
        code = app(arguments, prog_name="grassmeans", standalone_mode=False)
        stdout.flush()
        stderr.flush()
        assert not code, stderr.buffer.getvalue().decode()  # type: ignore[attr-defined]
        return stdout.buffer.getvalue().decode()  # type: ignore[attr-defined]
