from __future__ import annotations

import importlib.util
import socket
import time
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread

import pytest

from grassmeans.engines import count_workers, find_engine, find_shared_place, share_place
from grassmeans.engines import use_engine as use
from grassmeans.engines.parallel import effective_workers, is_remote, map_tasks, stays_here
from grassmeans.errors import EngineError, InputError, MissingExtraError


class Here:
    """An engine that does everything at once, in this process."""

    n_workers = 5

    def __init__(self) -> None:
        self.shared: list[Path | None] = []
        self.closed = False

    def map(self, function, tasks, shared, machines):
        self.shared.append(shared)
        return (function(*task) for task in tasks)

    def close(self) -> None:
        self.closed = True


def test_tasks_go_to_the_engine_that_is_used(tmp_path: Path) -> None:
    engine = Here()
    with use(engine), share_place(tmp_path):
        assert list(map_tasks(divmod, [(7, 2), (9, 4)], 1)) == [(3, 1), (2, 1)]
        assert effective_workers(1) == 5
        assert is_remote()
        assert not stays_here(1)
        with use("local"):
            assert find_engine() is None
            assert stays_here(1)
        with use(None):
            assert find_engine() is engine
    assert engine.shared == [tmp_path]
    assert find_engine() is None
    assert find_shared_place() is None
    assert not engine.closed, "who opened it closes it"


@pytest.mark.parametrize(
    "name", ["spark", "ray", "dask:", "dask://", "tls", "tls://", "dask:host:8786"]
)
def test_unknown_engines_are_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(InputError, match=r"unknown engine .*dask://HOST:PORT"), use(name):
        pass


def test_an_extra_that_is_missing_is_named(monkeypatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda package: None)
    with pytest.raises(MissingExtraError, match=r"grassmeans\[cluster\]"), use("dask"):
        pass


@pytest.mark.parametrize("listens", [False, True])
def test_a_scheduler_that_does_not_answer_is_one_line(listens, monkeypatch) -> None:
    on_dask = pytest.importorskip("grassmeans.engines.on_dask", reason="needs the extra cluster")
    assert on_dask.CONNECT_SECONDS <= 8, "people are told within ten seconds"
    monkeypatch.setattr(on_dask, "CONNECT_SECONDS", 0.5)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        if listens:
            silent.listen()  # takes calls, and says nothing
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        begun = time.monotonic()
        with pytest.raises(EngineError) as caught, use(f"dask://{address}"):
            pass
        assert time.monotonic() - begun < 2.5
    assert str(caught.value).startswith(f"no Dask scheduler answers at {address}: start one")
    assert "\n" not in str(caught.value)


class _Pages(BaseRequestHandler):
    """A server of pages, which is asked in another language."""

    def handle(self) -> None:
        self.request.recv(64)
        self.request.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def test_an_address_of_pages_is_no_scheduler() -> None:
    pytest.importorskip("grassmeans.engines.on_dask", reason="needs the extra cluster")
    with ThreadingTCPServer(("127.0.0.1", 0), _Pages) as pages:
        Thread(target=pages.serve_forever, daemon=True).start()
        address = f"127.0.0.1:{pages.server_address[1]}"
        with pytest.raises(EngineError) as caught, use(f"dask://{address}"):
            pass
        pages.shutdown()
    assert str(caught.value).startswith(f"what answers at {address} is no Dask scheduler: give")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("dask://a:1?ca=x", "takes no certificates: write tls://"),
        ("tls://a:1?password=x", "has no option 'password': expected ca, cert or key"),
        ("tls://a:1?ca=/nowhere/ca.pem", r"there is no file /nowhere/ca.pem \(the ca of tls://a:1"),
        ("tls://a:1", "needs certificates and has no ca: .* or name them in Dask's configuration"),
    ],
)
def test_what_is_wrong_with_certificates_is_told(name: str, told: str) -> None:
    pytest.importorskip("distributed", reason="needs the extra cluster")
    with pytest.raises(InputError, match=told), use(name):
        pass


def test_workers_are_counted() -> None:
    assert count_workers(3) == 3
    with pytest.raises(InputError, match="a whole number from 1 to 1,000; got 0"):
        count_workers(0)
