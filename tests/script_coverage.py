"""Which lines of the explorer's scripts the browser tests run, as Chromium counts them.

Every page of a test is watched (`ScriptLines.watch`). The processes of a parallel run give what
they saw to the first one, which looks at the end whether enough lines of every script were run. It
looks only where all tests of the browser ran and passed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

BROWSER_TESTS = Path(__file__).parent / "explorer" / "system" / "browser"
ROOT = Path(__file__).parents[1]
STATIC = ROOT / "packages" / "explorer" / "src" / "grassmeans_explorer" / "static"
ASSETS = ROOT / "src" / "grassmeans" / "pictures" / "assets"
LEAST = 0.9
_NO_CODE = re.compile(r"\s*(//.*|/?\*.*|)$")


def find_scripts() -> dict[str, Path]:
    """The scripts by the path that they are served under."""
    found = {f"/static/{path.relative_to(STATIC)}": path for path in STATIC.rglob("*.js")}
    return found | {f"/static/{path.name}": path for path in ASSETS.glob("*.js")}


def lines_of(source: str) -> dict[int, tuple[int, int]]:
    """The lines that hold code, by their number from 1: where their code begins and ends.

    In UTF-16 units, in which Chromium counts; comments stand on lines of their own.
    """
    places = {}
    start = 0
    for number, line in enumerate(source.split("\n"), 1):
        units = len(line.encode("utf-16-le")) // 2
        if not _NO_CODE.match(line):
            places[number] = (start + len(line) - len(line.lstrip()), start + units)
        start += units + 1
    return places


def run_lines(functions: Iterable[Mapping[str, Any]], source: str) -> set[int]:
    """The numbers of lines some of whose code was run; inner ranges tell it more exactly."""
    ranges = [part for function in functions for part in function["ranges"]]
    ranges.sort(key=lambda part: (part["startOffset"], -part["endOffset"]))
    was_run = bytearray(len(source.encode("utf-16-le")) // 2)
    for part in ranges:
        size = part["endOffset"] - part["startOffset"]
        was_run[part["startOffset"] : part["endOffset"]] = bytes([part["count"] > 0]) * size
    return {n for n, (start, end) in lines_of(source).items() if any(was_run[start:end])}


class ScriptLines:
    """Gathers the lines that were run, in this process and in those of a parallel run."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.run: dict[str, set[int]] = defaultdict(set)
        self.scripts = find_scripts()
        self.seen: set[str] = set()  # files of browser tests of which a test passed
        self.poor: list[str] = []

    def watch(self, page: Any) -> Callable[[], None]:
        """Count from now on; what is returned takes the counts, before the page is closed.

        Those of scripts that a page has left are forgotten sooner or later: they are taken before
        it goes elsewhere, and by ``page.take_counts()`` before a script does so.
        """
        session = page.context.new_cdp_session(page)
        session.send("Profiler.enable")
        session.send("Profiler.startPreciseCoverage", {"callCount": False, "detailed": True})

        def take() -> None:
            for script in session.send("Profiler.takePreciseCoverage")["result"]:
                path = urlsplit(script["url"]).path
                if path in self.scripts:
                    source = self.scripts[path].read_text(encoding="utf-8")
                    self.run[path] |= run_lines(script["functions"], source)

        def take_first(go: Callable[..., Any]) -> Callable[..., Any]:
            def leave(*arguments: Any, **options: Any) -> Any:
                take()
                return go(*arguments, **options)

            return leave

        page.goto, page.reload = take_first(page.goto), take_first(page.reload)
        page.take_counts = take
        return take

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        path = self.config.rootpath / report.location[0]
        if report.when == "call" and report.passed and path.parent == BROWSER_TESTS:
            self.seen.add(path.name)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Of another process: what it saw."""
        for path, lines in getattr(node, "workeroutput", {}).get("script_lines", {}).items():
            self.run[path].update(lines)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(self.config, "workeroutput", None)
        if output is not None:
            output["script_lines"] = {path: sorted(lines) for path, lines in self.run.items()}
        elif self.is_whole(session) and self.find_poor():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def is_whole(self, session: pytest.Session) -> bool:
        """Whether all tests of the browser ran and passed."""
        option = self.config.option
        chosen = option.keyword or option.markexpr not in ("", "system")
        chosen = chosen or any("::" in name for name in self.config.args)
        every = {path.name for path in BROWSER_TESTS.glob("test_*.py")}
        return not chosen and not session.testsfailed and every <= self.seen

    def find_poor(self) -> list[str]:
        """The scripts of which too few lines were run, with the lines that were not."""
        for path, file in sorted(self.scripts.items()):
            places = set(lines_of(file.read_text(encoding="utf-8")))
            share = len(places & self.run[path]) / len(places)
            if share < LEAST:
                missed = ", ".join(map(str, sorted(places - self.run[path])))
                self.poor.append(f"{path}: {share:.0%} of {len(places)} lines; not {missed}")
        return self.poor

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.poor:
            terminalreporter.section(f"scripts with less than {LEAST:.0%} of lines run")
            terminalreporter.write("\n".join(self.poor) + "\n")
