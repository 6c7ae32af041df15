"""Processes that answer on one socket: all, also after one has died, until they are told."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import pytest

from grassmeans_explorer.processes import describe_end

PATIENCE = 60.0
PROGRAM = """
import os, signal, sys
from functools import partial
from grassmeans_explorer.commands.explore import open_socket
from grassmeans_explorer import processes

async def answer(scope, receive, send):
    while scope["type"] == "lifespan":
        message = await receive()
        await send({"type": message["type"] + ".complete"})
        if message["type"] == "lifespan.shutdown":
            return
    import numba, threadpoolctl
    pools = threadpoolctl.threadpool_info()
    threads = {numba.get_num_threads(), *(pool["num_threads"] for pool in pools)}
    body = f"{os.getpid()} {MADE} {max(threads)}".encode()
    length = (b"content-length", str(len(body)).encode())
    head = {"type": "http.response.start", "status": 200, "headers": [length]}
    await send(head)
    await send({"type": "http.response.body", "body": body})

def make_app():
    global MADE
    MADE = os.getpid()
    return answer

def make_failing():
    return "no.such:app"

# Where tests run in the background of a shell, interrupts are ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
processes._WAIT_SECONDS = 0.01
listening = open_socket("127.0.0.1", 0)
make = make_app if sys.argv[1] == "well" else make_failing
crew = processes.Processes(make, listening, 2, partial(print, flush=True))
print("port", listening.getsockname()[1], flush=True)
crew.run()
"""


class Running:
    """Such a program."""

    def __init__(self, process: subprocess.Popen[str], printed: Path) -> None:
        self.process = process
        self.printed = printed
        self.port = int(self.wait_for(r"port (\d+)"))

    def wait_for(self, pattern: str) -> str:
        end = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.printed.read_text())):
            assert time.monotonic() < end, self.printed.read_text()
            time.sleep(0.02)
        return found[1] if found.groups() else found[0]

    def ask(self) -> tuple[int, int, int]:
        """Which process answers, which one made the application, and how many threads it has."""
        with urlopen(f"http://127.0.0.1:{self.port}/", timeout=PATIENCE) as answer:
            process, made, threads = answer.read().split()
        return int(process), int(made), int(threads)

    def wait_for_processes(self, n: int, without: int = 0) -> set[int]:
        """Ask until so many have answered."""
        end, found = time.monotonic() + PATIENCE, set[int]()
        while len(found) < n:
            assert time.monotonic() < end
            found |= {self.ask()[0]} - {without}
        return found


@contextmanager
def start(folder: Path, kind: str = "well") -> Iterator[Running]:
    printed = folder / "printed.txt"
    with printed.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, kind], stdout=file, stderr=file, text=True
        )
    try:
        yield Running(process, printed)
    finally:
        process.kill()
        process.wait(PATIENCE)


def wait_until_gone(processes: set[int]) -> None:
    end = time.monotonic() + PATIENCE
    for process in processes:
        with suppress(ProcessLookupError):
            while time.monotonic() < end:
                os.kill(process, 0)
                time.sleep(0.02)
            raise AssertionError(f"process {process} is there still")


def test_one_that_dies_is_replaced_and_all_stop_at_once(tmp_path) -> None:
    with start(tmp_path) as running:
        first = running.wait_for_processes(2)
        victim = min(first)
        _, made, threads = running.ask()
        assert threads == 1
        if sys.platform == "linux":  # made once, and shared
            assert made == running.process.pid
        os.kill(victim, signal.SIGKILL)
        running.wait_for(rf"process {victim} ended by signal 9 \(SIGKILL\): another one")
        second = running.wait_for_processes(2, without=victim)
        assert len(first & second) == 1
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(PATIENCE) == 0
        assert running.wait_for("stopped:.*") == "stopped: 2 processes ended"
        wait_until_gone(first | second)
        assert "Traceback" not in running.printed.read_text()


def test_processes_end_when_the_first_one_is_killed(tmp_path) -> None:
    with start(tmp_path) as running:
        processes = running.wait_for_processes(2)
        running.process.kill()
        running.process.wait(PATIENCE)
        wait_until_gone(processes)


def test_processes_that_cannot_begin_are_given_up(tmp_path) -> None:
    with start(tmp_path, "ill") as running:
        assert running.process.wait(PATIENCE) == 1
        said = running.wait_for("GrassmeansError: .*")
        assert "6 processes ended soon after they were started" in said
        assert "with exit code 1" in said


@pytest.mark.parametrize(
    ("code", "told"),
    [(-9, "by signal 9 (SIGKILL)"), (1, "with exit code 1"), (0, "with exit code 0")],
)
def test_how_a_process_has_ended(code, told) -> None:
    assert describe_end(code) == told
