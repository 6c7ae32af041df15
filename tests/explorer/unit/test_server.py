"""Clients that are slow, silent or gone, on real sockets."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn

from grassmeans_explorer.commands.explore import open_socket
from grassmeans_explorer.limits import ConnectionLimits
from grassmeans_explorer.server import TimedConnection

SHORT = 0.4
PATIENCE = 20.0
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
LARGE = 32 << 20  # more than the buffers of both ends


class ShortConnection(TimedConnection):
    limits = ConnectionLimits(
        head_seconds=SHORT, answer_seconds=SHORT, stop_seconds=SHORT, at_once=3
    )


async def answer(scope, receive, send) -> None:
    body = b"x" * (LARGE if scope["path"] == "/large" else 2)
    length = str(len(body)).encode()
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]}
    )
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    listening = open_socket("127.0.0.1", 0)
    config = uvicorn.Config(
        answer, http=ShortConnection, ws="none", lifespan="off", log_level="error"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield listening.getsockname()
    server.should_exit = True
    thread.join(PATIENCE)


@contextmanager
def connect(address) -> Iterator[socket.socket]:
    with socket.create_connection(address, timeout=PATIENCE) as client:
        yield client


def read_to_end(client: socket.socket) -> bytes:
    """What comes until the server closes; a time-out fails."""
    parts = []
    try:
        while part := client.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def assert_answered(client: socket.socket) -> None:
    client.sendall(REQUEST)
    found = b""
    while not found.endswith(b"\r\n\r\nxx"):
        part = client.recv(1 << 16)
        assert part
        found += part
    assert found.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("sent", [b"", b"G", REQUEST[:-2], REQUEST + b"GET"])
def test_half_a_request_is_not_waited_for(address, sent) -> None:
    with connect(address) as client:
        client.sendall(sent)
        begun = time.monotonic()
        answers = read_to_end(client)
        assert time.monotonic() - begun > SHORT / 2
    assert answers.count(b"HTTP/1.1 200") == sent.count(b"\r\n\r\n")


def test_bytes_that_trickle_do_not_wind_the_clock_up_again(address) -> None:
    def trickle(client: socket.socket) -> None:
        for byte in b"GET / HTTP/1.1\r\n" + b"X-Slow: 1\r\n" * 20:
            client.sendall(bytes([byte]))
            time.sleep(SHORT / 10)

    with connect(address) as client, pytest.raises(OSError, match=r"[Bb]roken|reset"):
        trickle(client)


def test_a_connection_that_is_used_stays_open(address) -> None:
    with connect(address) as client:
        for _ in range(4):
            assert_answered(client)
            time.sleep(SHORT / 2)  # four of them are more than the time for one head


def test_an_answer_that_nobody_takes_is_given_up(address) -> None:
    with connect(address) as client:
        client.sendall(REQUEST.replace(b"/ ", b"/large ", 1))
        time.sleep(3 * SHORT)
        assert len(read_to_end(client)) < LARGE


def test_there_are_so_many_connections_at_once(address) -> None:
    with connect(address) as one, connect(address) as two, connect(address) as three:
        for client in (one, two, three):
            assert_answered(client)
        with connect(address) as four:
            assert read_to_end(four) == b""
        assert_answered(three)


def test_a_stop_waits_a_moment_for_answers_and_not_longer() -> None:
    asked = threading.Event()

    async def wait(scope, receive, send) -> None:
        asked.set()
        while (await receive())["type"] != "http.disconnect":
            pass

    listening = open_socket("127.0.0.1", 0)
    config = uvicorn.Config(
        wait, http=ShortConnection, ws="none", lifespan="off", log_level="error"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    with connect(listening.getsockname()) as client:
        client.sendall(REQUEST)
        assert asked.wait(PATIENCE)
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()
        assert read_to_end(client) == b""
