"""What `grassmeans explore` and `grassmeans serve` check before they listen."""

from __future__ import annotations

import pytest

from grassmeans.errors import InputError
from grassmeans_explorer.commands.explore import open_socket, visible_name
from grassmeans_explorer.hosts import bracketed, is_loopback


def test_a_port_that_is_taken_is_explained():
    with open_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port}.*--port"):
            open_socket("127.0.0.1", port)
    with pytest.raises(InputError, match="no address"):
        open_socket("no such host", 0)


@pytest.mark.parametrize(
    ("host", "loopback", "shown"),
    [
        ("127.0.0.1", True, "127.0.0.1"),
        ("localhost", True, "localhost"),
        ("::1", True, "[::1]"),
        ("0.0.0.0", False, "127.0.0.1"),
        ("192.168.1.5", False, "192.168.1.5"),
        ("box.local", False, "box.local"),
    ],
)
def test_hosts(host, loopback, shown):
    assert is_loopback(host) is loopback
    assert bracketed(visible_name(host)) == shown
