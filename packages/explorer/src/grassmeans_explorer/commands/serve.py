"""`grassmeans serve`: a model for programs, by HTTP, on all cores."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from grassmeans.terminal.options import READ
from grassmeans.terminal.output import note
from grassmeans_explorer.commands.explore import open_socket, tell_names, visible_name
from grassmeans_explorer.hosts import bracketed, is_loopback, list_names

DEFAULT_PORT = 8643


def serve(
    model: Annotated[str, READ, typer.Argument()] = "en",
    port: Annotated[int, typer.Option(min=0, max=65535)] = DEFAULT_PORT,
    host: str = "127.0.0.1",
    processes: Annotated[int | None, typer.Option("--processes", "-j", min=1, max=1_000)] = None,
    allow_host: list[str] | None = None,
) -> None:
    """Serve a model to programs: text in, senses out, by HTTP.

    The explorer's API without its pages and without anything that writes. The processes share one
    address and the model's memory; one that dies is started again. Ctrl+C or SIGTERM ends all.
    What there is, and its limits: /openapi.json; whether it is there: /healthz.

    [dim]grassmeans serve en --processes 4[/]

    Options
    -------
    model: A model folder, or a name: en.
    port: 0 takes any.
    host: Where to listen.
    processes: How many, each on one core; as many as there are cores by default.
    allow_host: Another name that the server may be called by; repeat it for more.
    """
    from grassmeans.engines import count_workers
    from grassmeans_explorer.processes import Processes
    from grassmeans_explorer.server import create_service

    names = list_names(host, allow_host or ())
    with open_socket(host, port) as listening:
        if not is_loopback(host):
            note(f"listening on {host}: everybody who can reach this machine can ask the model")
        tell_names(names)
        n_processes = count_workers(processes)
        service = partial(create_service, model, hosts=names, warm=True)
        crew = Processes(service, listening, n_processes, note)
        address = f"http://{bracketed(visible_name(host))}:{listening.getsockname()[1]}/"
        by = f"{n_processes} process{'es' if n_processes != 1 else ''}"
        note(f"serving {model} at {address} by {by} (stop with Ctrl+C)")
        crew.run()
