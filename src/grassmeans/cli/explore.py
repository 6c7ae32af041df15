"""`grassmeans explore`: the senses of words in a browser."""

from __future__ import annotations

import ipaddress
import socket
import threading
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from grassmeans.errors import InputError, MissingExtraError
from grassmeans.terminal.output import note
from grassmeans.terminal.places import READ, WRITTEN_INTO

DEFAULT_PORT = 8642
_SECONDS_TO_START = 0.8
_STRANGE = {
    "part": "is a part of the text that the model has seen",
    "other": "is not the one that the model was induced on",
    "unknown": "may not be the one that the model was induced on, which does not say",
}


def explore(
    model: Annotated[str, READ, typer.Argument(help="A model folder, or a name: en.")] = "en",
    corpus: Annotated[
        Path | None,
        READ,
        typer.Option(help="Its corpus, or another: all lines, and a dial for senses."),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any.")] = DEFAULT_PORT,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    save_to: Annotated[
        Path | None,
        WRITTEN_INTO,
        typer.Option(help="Folder for new versions of the model; beside it by default."),
    ] = None,
    changes: Annotated[
        Path | None,
        READ,
        typer.Option(help="A report of `grassmeans change`: its words that changed most."),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open a browser.")
    ] = False,
) -> None:
    """Explore a model in the browser: senses, concordance, your own text, the geometry.

    Works offline, on this machine alone. Corrections that you make are saved as a new version of
    the model beside the old one.

    [dim]grassmeans explore en[/]
    """
    try:
        import uvicorn

        from grassmeans.explorer.connections import TimedConnection
        from grassmeans.explorer.server import create_app
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("fastapi", "uvicorn", "starlette"):
            raise
        raise MissingExtraError(
            error.name or "fastapi", "explorer", "`grassmeans explore`"
        ) from error
    listening = open_socket(host, port)
    if not is_loopback(host):
        note(
            f"listening on {host}: everybody who can reach this machine can use the explorer, "
            "change the session and save new versions"
        )
    app = create_app(model, corpus, hosts=[bracketed(host)], save_to=save_to, changes_path=changes)
    address = f"http://{bracketed(visible_name(host))}:{listening.getsockname()[1]}/"
    opened = app.state.session.opened
    if opened.relation in _STRANGE:
        note(f"the corpus {_STRANGE[opened.relation]}: its counts stand beside the model's")
    note(f"the explorer is at {address} (stop it with Ctrl+C)")
    if not no_browser:
        opening = threading.Timer(_SECONDS_TO_START, webbrowser.open, [address])
        opening.daemon = True
        opening.start()
    config = uvicorn.Config(
        app,
        http=TimedConnection,
        ws="none",
        log_level="warning",
        server_header=False,
        access_log=False,
        timeout_keep_alive=15,
    )
    uvicorn.Server(config).run(sockets=[listening])


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that listens; an error for people where that cannot be."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise InputError(f"--host {host!r} is no address of this machine: try 127.0.0.1") from error
    listening = socket.socket(family, kind, protocol)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise InputError(
            f"cannot listen on {host} port {port} ({error.strerror or error}): is an explorer "
            "running already? choose another with --port, or --port 0 for any"
        ) from error
    return listening


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def visible_name(host: str) -> str:
    """The name to put into the browser: all interfaces are reached by the loopback one."""
    return "127.0.0.1" if host in ("0.0.0.0", "::", "") else host


def bracketed(host: str) -> str:
    """An IPv6 address in brackets, as addresses of pages have it."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
