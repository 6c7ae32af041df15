"""By which names the server may be called.

A web page elsewhere can let a name of its own resolve to this machine (DNS rebinding), and the
browser would then send requests here in that name. So only names are answered that are known to be
this server's: those that were given, the address that the connection has come in on, and those of
the loopback interface on connections that have come in by it. (Starlette's `TrustedHostMiddleware`
has one list for every connection.)
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
import socket
from collections.abc import Collection, MutableMapping
from typing import Any

from grassmeans.errors import InputError

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
ANY = ("0.0.0.0", "::", "")
"""What listens on all interfaces."""

_NAME = re.compile(r"[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\]")
_ELSEWHERE = (  # addresses of documentation: nothing is sent to learn the way out
    (socket.AF_INET, "192.0.2.1"),
    (socket.AF_INET6, "2001:db8::1"),
)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host."""
    address = _read_address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def bracketed(host: str) -> str:
    """An IPv6 address in brackets, as addresses of pages have it."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def list_names(host: str, allowed: Collection[str] = ()) -> list[str]:
    """The names that a server on a host goes by, besides those of the loopback interface.

    `InputError` for one of ``allowed`` that is no name or address.
    """
    names = [_check_name(name) for name in allowed]
    if is_loopback(host):
        return list(dict.fromkeys([*([] if host == "localhost" else [bracketed(host)]), *names]))
    own = [*_list_addresses(), socket.gethostname().lower()] if host in ANY else [bracketed(host)]
    return list(dict.fromkeys([*own, *names]))


def is_known(host: str, names: Collection[str], scope: MutableMapping[str, Any]) -> bool:
    """Whether the host of a request is a name of this server, for the connection it came by.

    It is in lower case, without a port; an IPv6 address in brackets.
    """
    if host in names:
        return True
    client, server = (_read_address((scope.get(end) or ("",))[0]) for end in ("client", "server"))
    if host in LOOPBACK:
        return client is not None and client.is_loopback
    return server is not None and _read_address(host) == server


def _read_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An address; that of version 4 where one of version 6 stands for it."""
    try:
        found = ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def _check_name(name: str) -> str:
    found = bracketed(name.strip().lower().rstrip("."))
    if not _NAME.fullmatch(found):
        raise InputError(
            f"--allow-host {name!r} is no name of a host: give it as it stands in the address of a "
            "page, without http:// and without the port"
        )
    return found


def _list_addresses() -> list[str]:
    """Addresses that others may reach this machine by, as far as they are easy to learn."""
    found = []
    for family, elsewhere in _ELSEWHERE:
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as way_out:
            way_out.connect((elsewhere, 9))
            found.append(way_out.getsockname()[0])
    with contextlib.suppress(OSError):
        found += [str(at[4][0]) for at in socket.getaddrinfo(socket.gethostname(), None)]
    return [bracketed(address) for address in found if not is_loopback(address)]
