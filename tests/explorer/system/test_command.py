"""`grassmeans explore` as a process: stopped, killed, called by names, and left in the middle."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from grassmeans_explorer.hosts import list_names

PATIENCE = 90.0
STOPPED = "grassmeans: stopped; the same command goes on from where it was"
PROGRAM = "from grassmeans.cli.main import run; run()"


@dataclass
class Running:
    """An explorer in a process of its own."""

    process: subprocess.Popen[bytes]
    errors: Path
    port: int

    def ask(self, path: str, body: Any = None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        head = {"Content-Type": "application/json"} if content else {}
        request = Request(f"http://127.0.0.1:{self.port}{path}", content, head)
        try:
            with urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)
        except HTTPError as error:
            return json.load(error)

    def correct(self, action: str, **more: Any) -> Any:
        revision = self.ask("/api/words/crane")["revision"]
        body = {"word": "crane", "action": action, "revision": revision} | more
        return self.ask("/api/corrections", body)

    def wait_until_deaf(self) -> None:
        """Wait until it takes no more calls: it has heard a signal."""
        end = time.monotonic() + PATIENCE
        with suppress(ConnectionError):
            while time.monotonic() < end:
                socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE).close()
                time.sleep(0.02)
            raise AssertionError("it still takes calls")

    def stop(self, number: int) -> str:
        """End it by a signal; what it said."""
        self.process.send_signal(number)
        self.process.wait(PATIENCE)
        return self.said

    @property
    def said(self) -> str:
        return self.errors.read_text(encoding="utf-8")


@contextmanager
def explore(folder: Path, *options: str | Path, host: str = "127.0.0.1") -> Iterator[Running]:
    errors = folder.parent / f"said-{time.monotonic_ns()}.txt"
    command = [sys.executable, "-c", PROGRAM, "explore", str(folder), "--no-browser"]
    command += ["--port", "0", "--host", host, *map(str, options)]
    with errors.open("wb") as said:
        process = subprocess.Popen(command, stderr=said, stdout=said)
    try:
        end = time.monotonic() + PATIENCE
        while not (found := re.search(r"explorer is at http://\S*:(\d+)/", errors.read_text())):
            assert process.poll() is None, errors.read_text()
            assert time.monotonic() < end
            time.sleep(0.05)
        running = Running(process, errors, int(found[1]))
        running.ask("/healthz")
        yield running
    finally:
        process.kill()
        process.wait(PATIENCE)


@pytest.fixture
def folder(topic_model_folder, tmp_path) -> Path:
    return shutil.copytree(topic_model_folder, tmp_path / "place" / "model")


def test_corrections_outlive_a_kill_and_a_stop_says_where_they_are(folder, topic_corpus):
    corpus = ("--corpus", topic_corpus.path)
    with explore(folder, *corpus) as first:
        adopted = first.correct("adopt", n_senses=3)
        assert adopted["n_senses"] == 3
        first.stop(signal.SIGKILL)
    (draft,) = folder.parent.glob(".model-*.draft.jsonl")
    with explore(folder) as second:
        assert f"1 correction from an earlier visit: taken from {draft}" in second.said
        pending = second.ask("/api/corrections")
        assert (pending["n_found"], pending["kept"]) == (1, True)
        assert second.ask("/api/words/crane")["senses"] == adopted["senses"]
        assert second.correct("undo")["n_senses"] == 2
        assert second.correct("redo")["n_senses"] == 3
        said = second.stop(signal.SIGTERM)
        assert second.process.returncode == 128 + signal.SIGTERM
    assert f"1 correction is not saved as a version: kept in {draft}" in said
    assert f"grassmeans explore {folder}" in said
    with explore(folder) as third:
        assert third.ask("/api/corrections/save", {})["saved_to"] == "model-v2"
        said = third.stop(signal.SIGINT)
        assert third.process.returncode == 130
    assert "not saved" not in said
    assert "Traceback" not in said
    with explore(folder) as fourth:
        assert fourth.ask("/api/corrections")["edits"] == []


def test_a_second_explorer_and_a_reading_one_keep_nothing(folder, tmp_path):
    with explore(folder) as first, explore(folder) as second:
        assert f"another explorer (process {first.process.pid})" in second.said
        second.correct("hide", senses=[1])
        pending = second.ask("/api/corrections")
        assert (pending["kept"], len(pending["edits"])) == (False, 1)
        assert "and not kept: another explorer" in second.stop(signal.SIGINT)
        assert first.ask("/api/corrections")["edits"] == []
        first.stop(signal.SIGTERM)
    with explore(folder, "--read-only") as reading:
        reading.correct("hide", senses=[1])
        assert reading.ask("/api/corrections/save", {})["error"]["code"] == "conflict"
    with explore(folder, "--drafts", tmp_path / "drafts") as chosen:
        chosen.correct("hide", senses=[1])
        chosen.stop(signal.SIGTERM)
    assert len(list((tmp_path / "drafts").glob("model-*.draft.jsonl"))) == 1
    assert [p.name for p in folder.parent.iterdir() if not p.name.startswith("said")] == ["model"]


def answer_for(address: str, port: int, host: str) -> int:
    """The status of a request to an address, in a name."""
    with socket.create_connection((address, port), timeout=PATIENCE) as client:
        client.sendall(
            f"GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
        )
        return int(client.recv(1 << 16).split()[1])


def test_names_are_known_by_the_connection(folder):
    own = [name for name in list_names("0.0.0.0") if re.fullmatch(r"[0-9.]+", name)]
    if not own:
        pytest.skip("this machine has no address but the loopback one")
    with explore(folder, "--allow-host", "Box.local", host="0.0.0.0") as running:
        port = running.port
        assert f"it goes by {', '.join([*list_names('0.0.0.0'), 'box.local'])}" in running.said
        for host in (own[0], f"{own[0]}:{port}", "box.local", socket.gethostname()):
            assert answer_for(own[0], port, host) == 200, host
        # From outside nobody says localhost, and nobody anywhere what is not this server's.
        for host in ("localhost", f"127.0.0.1:{port}", "[::1]", "evil.example", "198.51.100.7"):
            assert answer_for(own[0], port, host) == 400, host
        for host in ("localhost", f"127.0.0.1:{port}", "box.local"):
            assert answer_for("127.0.0.1", port, host) == 200, host
        assert answer_for("127.0.0.1", port, "evil.example") == 400


REQUESTS = (
    "GET /api/words/crane HTTP/1.1",
    "GET /static/js/main.js HTTP/1.1",
    "GET /api/concordance?word=crane&limit=200&sort=confidence HTTP/1.1",
    "GET /api/words?format=csv&whole=true HTTP/1.1",
    "GET /api/words/crane/planes HTTP/1.1",
    "POST /api/induce HTTP/1.1",
    "POST /api/tag HTTP/1.1",
)
TEXT = " ".join(["crane bird machine"] * 3_000)
BODIES = {"induce": {"word": "bank", "n_senses": 4}, "tag": {"text": TEXT, "deciding": True}}


def leave_in_the_middle(port: int, line: str, seconds: float, *, reset: bool, part: bool) -> None:
    """Ask, take nothing or a bit of the answer, and go: politely, or with a reset."""
    body = b""
    if line.startswith("POST"):
        body = json.dumps(next(v for k, v in BODIES.items() if k in line)).encode()
    head = f"{line}\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {len(body)}\r\n\r\n" if body else "\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        content = head.encode() + body
        client.sendall(content[: len(content) // 2] if part and body else content)
        time.sleep(seconds)
        if seconds > 0.05:
            client.setblocking(False)
            with suppress(BlockingIOError):
                client.recv(10)
        if reset:  # what is not read yet is thrown away, and the other side is told
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")


def test_clients_that_go_in_the_middle_leave_no_trace_in_the_terminal(folder, topic_corpus):
    with explore(folder, "--corpus", topic_corpus.path) as running:
        before = running.said
        for line in REQUESTS:
            for seconds in (0.0, 0.01, 0.1):
                for reset in (False, True):
                    for part in (False, True):
                        leave_in_the_middle(running.port, line, seconds, reset=reset, part=part)
        assert running.ask("/healthz")["status"] == "ok"
        said = running.stop(signal.SIGINT)
    assert said.replace(before, "", 1).strip() == STOPPED


@pytest.mark.parametrize("times", [1, 2])
def test_a_stop_while_somebody_waits_leaves_no_trace(folder, times):
    head = b"POST /api/tag HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    head += b"Content-Length: 90\r\nExpect: 100-continue\r\n\r\n"
    with explore(folder) as running:
        before = running.said
        with socket.create_connection(("127.0.0.1", running.port), timeout=PATIENCE) as waiting:
            waiting.sendall(head)
            assert waiting.recv(100).startswith(b"HTTP/1.1 100 ")  # it waits for the rest
            for _ in range(times):
                running.process.send_signal(signal.SIGINT)
                running.wait_until_deaf()
            running.process.wait(PATIENCE)
        said = running.said
    assert said.replace(before, "", 1).strip() == STOPPED
