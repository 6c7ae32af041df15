from __future__ import annotations

import socket

import pytest

from grassmeans.errors import InputError
from grassmeans_explorer.hosts import bracketed, is_known, is_loopback, list_names

HERE, THERE = ("127.0.0.1", 5000), ("192.0.2.7", 5000)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("[::1]", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", False),
        ("192.0.2.7", False),
        ("localhost.example", False),
    ],
)
def test_what_only_this_machine_can_reach(host, expected):
    assert is_loopback(host) is expected


def test_addresses_of_version_6_stand_in_brackets_once():
    assert bracketed(bracketed("2001:db8::1")) == "[2001:db8::1]"
    assert bracketed("box.local") == "box.local"


def test_names_are_those_of_the_place_and_those_that_were_given():
    assert list_names("localhost") == []
    assert list_names("127.0.0.1", ["Box.Local.", "box.local"]) == ["127.0.0.1", "box.local"]
    assert list_names("192.0.2.7", ["2001:db8::1"]) == ["192.0.2.7", "[2001:db8::1]"]
    everywhere = list_names("0.0.0.0", ["box"])
    assert {socket.gethostname().lower(), "box"} <= set(everywhere)
    assert not any(map(is_loopback, everywhere[:-2]))


@pytest.mark.parametrize("name", ["", "http://box", "box:8000", "a b", "-box", "box/"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(InputError, match="is no name of a host"):
        list_names("localhost", [name])


@pytest.mark.parametrize(
    ("host", "client", "server", "expected"),
    [
        ("localhost", HERE, HERE, True),
        ("localhost", THERE, THERE, False),  # somebody elsewhere calls us so
        ("[::1]", ("::1", 5000), ("::1", 80), True),
        ("192.0.2.9", THERE, ("192.0.2.9", 80), True),
        ("192.0.2.9", THERE, ("::ffff:192.0.2.9", 80), True),
        ("192.0.2.8", THERE, ("192.0.2.9", 80), False),
        ("evil.example", HERE, HERE, False),
        ("box.local", THERE, HERE, True),
        ("localhost", None, None, False),
    ],
)
def test_a_request_is_answered_by_the_names_of_its_connection(host, client, server, expected):
    assert is_known(host, ["box.local"], {"client": client, "server": server}) is expected
