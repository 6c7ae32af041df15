"""`grassmeans serve` as it is started: two processes, one of them killed, all of them stopped."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="needs /proc to see which processes there are"
)

PATIENCE = 90.0
# Where tests run in the background of a shell, interrupts are ignored.
PROGRAM = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    "from grassmeans.cli.main import run; run()"
)
TEXT = "The crane and the bird. A crane is a machine."


class Served:
    """A server in a process of its own, with its processes."""

    def __init__(self, process: subprocess.Popen[bytes], errors: Path) -> None:
        self.process = process
        self.errors = errors
        self.port = int(self.wait_for(r"serving \S+ at http://127\.0\.0\.1:(\d+)/ by 2 processes"))

    @property
    def said(self) -> str:
        return self.errors.read_text(encoding="utf-8")

    def wait_for(self, pattern: str) -> str:
        end = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.said)):
            assert self.process.poll() is None, self.said
            assert time.monotonic() < end, self.said
            time.sleep(0.05)
        return found[1] if found.groups() else found[0]

    def children(self) -> set[int]:
        own = self.process.pid
        found = Path(f"/proc/{own}/task/{own}/children").read_text()
        return {int(child) for child in found.split()}

    def ask(self, path: str, body: Any = None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        head = {"Content-Type": "application/json"} if content else {}
        request = Request(f"http://127.0.0.1:{self.port}{path}", content, head)
        with urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)


@contextmanager
def serve(model: Path, folder: Path) -> Iterator[Served]:
    errors = folder / "said.txt"
    command = [sys.executable, "-c", PROGRAM, "serve", str(model), "--port", "0", "-j", "2"]
    with errors.open("wb") as said:
        process = subprocess.Popen(command, stderr=said, stdout=said)
    try:
        yield Served(process, errors)
    finally:
        process.kill()
        process.wait(PATIENCE)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_two_processes_answer_one_is_killed_and_all_are_stopped(
    topic_model_folder, tmp_path, number
) -> None:
    before = sorted(path for path in topic_model_folder.parent.rglob("*"))
    with serve(topic_model_folder, tmp_path) as served:
        assert served.ask("/healthz")["status"] == "ok"
        tagged = served.ask("/api/tag", {"text": TEXT})
        assert [word["key"] for word in tagged["words"]].count("crane") == 2
        first = served.children()
        assert len(first) == 2
        os.kill(min(first), signal.SIGKILL)
        served.wait_for(rf"process {min(first)} ended by signal 9")
        end = time.monotonic() + PATIENCE
        while len(served.children()) < 2:
            assert time.monotonic() < end
            time.sleep(0.05)
        second = served.children()
        assert len(first & second) == 1
        for _ in range(10):  # whoever answers
            assert served.ask("/api/tag", {"text": TEXT}) == tagged
        served.process.send_signal(number)
        assert served.process.wait(PATIENCE) == 0
        assert served.said.strip().splitlines()[-1] == "stopped: 2 processes ended"
        assert "Traceback" not in served.said
        assert not any(Path(f"/proc/{child}").exists() for child in first | second)
    assert sorted(path for path in topic_model_folder.parent.rglob("*")) == before


def test_a_server_starts_without_what_only_grouping_needs() -> None:
    """Half a second, and a fifth of its memory."""
    code = (
        "import sys, grassmeans_explorer.server\n"
        "print([name for name in ('sklearn', 'pandas', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
