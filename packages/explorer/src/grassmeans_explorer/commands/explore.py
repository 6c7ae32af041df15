"""`grassmeans explore`: the senses of words in a browser."""

from __future__ import annotations

import shlex
import signal
import socket
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.options import READ
from grassmeans.terminal.output import name_some, note
from grassmeans_explorer.commands.query import Grammar
from grassmeans_explorer.hosts import ANY, bracketed, is_loopback, list_names

if TYPE_CHECKING:
    from grassmeans_explorer.open_model import OpenModel

DEFAULT_PORT = 8642
_SECONDS_TO_START = 0.8
_STRANGE = {
    "part": "is a part of the text that the model has seen",
    "other": "is not the one that the model was induced on",
    "unknown": "may not be the one that the model was induced on, which does not say",
}


def explore(
    model: Annotated[str, READ, typer.Argument()] = "en",
    corpus: options.ReadPath | None = None,
    port: Annotated[int, typer.Option(min=0, max=65535)] = DEFAULT_PORT,
    host: str = "127.0.0.1",
    save_to: options.FilledFolder | None = None,
    changes: options.ReadPath | None = None,
    grammar: Grammar = None,
    drafts: options.FilledFolder | None = None,
    annotation: options.FilledFolder | None = None,
    entries: options.FilledFolder | None = None,
    read_only: bool = False,
    allow_host: list[str] | None = None,
    no_browser: bool = False,
) -> None:
    """Explore a model in the browser: senses, concordance, your own text, the geometry.

    Works offline, on this machine alone. Corrections that you make are kept in a draft, also when
    the explorer is stopped, until you save them as a new version of the model beside the old one.
    Drafts of models that come with a package are in your own data folder.

    [dim]grassmeans explore en[/]

    Options
    -------
    model: A model folder, or a name: en.
    corpus: Its corpus, or another: all lines, and a dial for senses.
    port: 0 takes any.
    host: Where to listen.
    save_to: Folder for new versions of the model; beside it by default.
    changes: A report of `grassmeans change`: its words that changed most.
    drafts: Folder for corrections that are not saved yet; beside the model.
    annotation: Folder of annotations that people judge in the browser; new ones go there.
    entries: Folder of your dictionary entries; beside the model.
    read_only: Write nothing: no drafts, no versions, no entries.
    allow_host: Another name that the server may be called by; repeat it for more.
    no_browser: Do not open a browser.
    """
    import uvicorn

    from grassmeans_explorer.queries.shelf import Shelf
    from grassmeans_explorer.server import configure, create_app

    names = list_names(host, allow_host or ())
    listening = open_socket(host, port)
    if not is_loopback(host):
        note(
            f"listening on {host}: everybody who can reach this machine can use the explorer, "
            "change the session and save new versions"
        )
    tell_names(names)
    # By a name of its own it is reached through another server, and so by others too.
    is_open = bool(allow_host) or not is_loopback(host)
    shelf = None
    if annotation is not None:
        shelf = Shelf(annotation, needs_tokens=is_open, read_only=read_only, tell=note)
    app = create_app(
        model,
        corpus,
        hosts=names,
        save_to=save_to,
        changes_path=changes,
        grammar_path=grammar,
        annotations=shelf,
        entries_to=entries,
    )
    opened: OpenModel = app.state.session.opened
    if opened.relation in _STRANGE:
        note(f"the corpus {_STRANGE[opened.relation]}: its counts stand beside the model's")
    _take_up_draft(opened, drafts, read_only)
    address = f"http://{bracketed(visible_name(host))}:{listening.getsockname()[1]}/"
    note(f"the explorer is at {address} (stop it with Ctrl+C)")
    if not no_browser:
        opening = threading.Timer(_SECONDS_TO_START, webbrowser.open, [address])
        opening.daemon = True
        opening.start()
    signal.signal(signal.SIGTERM, _end)  # the server ends by it first, and then raises it again
    try:
        uvicorn.Server(configure(app)).run(sockets=[listening])
    finally:
        if opened.draft is not None:
            opened.draft.close()
        tell_draft(opened, model)


def tell_names(names: Sequence[str]) -> None:
    """By which names a server may be called, besides those of the loopback interface."""
    if names:
        note(
            f"it goes by {', '.join(names)}, and on this machine by localhost (more: --allow-host)"
        )


def _take_up_draft(opened: OpenModel, folder: Path | None, read_only: bool) -> None:
    from grassmeans.models.versions import find_left_out
    from grassmeans_explorer.drafts import keep_drafts
    from grassmeans_explorer.editing.saving import place_beside

    if read_only:
        opened.read_only = True
        opened.not_kept = "the explorer was started with --read-only"
        note("nothing is written (--read-only): corrections are gone when the explorer stops")
        return
    for line in keep_drafts(opened, folder):
        note(line)
    left_out = find_left_out(opened.base, opened.save_to or place_beside(opened.base))
    if left_out:
        note(f"versions with corrections that are not in this model: {name_some(left_out)}")


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that listens; an error for people where that cannot be."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise InputError(f"--host {host!r} is no address of this machine: try 127.0.0.1") from error
    listening = socket.socket(family, kind, protocol)
    # On Windows the usual option would let two servers have one address.
    alone = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
    listening.setsockopt(socket.SOL_SOCKET, alone, 1)
    try:
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise InputError(
            f"cannot listen on {host} port {port} ({error.strerror or error}): is another server "
            "there already? choose another with --port, or --port 0 for any"
        ) from error
    return listening


def visible_name(host: str) -> str:
    """The name to put into the browser: all interfaces are reached by the loopback one."""
    return "127.0.0.1" if host in ANY else host


def tell_draft(opened: OpenModel, model: str) -> None:
    """What is to be known of corrections that no version has, when the explorer ends."""
    n = opened.n_unsaved
    if n == 0:
        return
    told = f"{n:,} correction{'s are' if n != 1 else ' is'} not saved as a version"
    if opened.draft is None:
        note(f"{told}, and not kept: {opened.not_kept}")
        return
    note(
        f"{told}: kept in {opened.draft.path}; `grassmeans explore {shlex.quote(model)}` (with the "
        "same options) goes on from there, and its pages save them as a version"
    )


def _end(number: int, _: object) -> None:
    raise SystemExit(128 + number)
