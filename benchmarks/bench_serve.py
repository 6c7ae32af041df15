"""`grassmeans serve` beside spaCy's small pipeline: requests/s and latency at 1, 8 and 64 clients.

    python benchmarks/bench_serve.py
    python benchmarks/bench_serve.py --model MODEL --processes 2 --requests 500

Both are served by the same supervisor, with as many processes, on this machine alone. They take
turns, some rounds of each number of clients, and the same sentences are sent to both. The clients
are threads of this process with one connection each, and share the cores with the servers.
`spacy_service.py` says what spaCy runs.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from operator import itemgetter
from pathlib import Path
from typing import Any

from bench_explorer import ask, load_server
from grassmeans.engines import count_workers
from grassmeans_explorer.commands.explore import open_socket
from measurement import write_result
from spacy_service import read_sentences

CLIENTS = (1, 8, 64)
ROUNDS = 3
_PEER = Path(__file__).with_name("spacy_service.py")
_PROGRAM = "from grassmeans.cli.main import run; run()"
_PACKAGES = ("spacy", "fastapi", "uvicorn", "starlette")


@contextmanager
def serving(command: list[str], port: int) -> Iterator[int]:
    """Run a server until the block ends; its process."""
    server = subprocess.Popen([sys.executable, *command], stderr=subprocess.DEVNULL)
    try:
        for _ in range(1200):
            time.sleep(0.1)
            if server.poll() is not None:
                raise SystemExit(f"the server did not start: {' '.join(command)}")
            try:
                ask(http.client.HTTPConnection("127.0.0.1", port), "GET", "/healthz")
                break
            except OSError:
                continue
        yield server.pid
    finally:
        server.terminate()
        server.wait(30)


def shared_megabytes(parent: int) -> dict[str, float]:
    """Memory of a process and its children: each page once (Pss), and what is of one alone."""
    children = Path(f"/proc/{parent}/task/{parent}/children")
    if not children.exists():
        return {}
    processes = [parent, *map(int, children.read_text().split())]
    rolled = [Path(f"/proc/{p}/smaps_rollup").read_text().splitlines()[1:] for p in processes]
    sizes = [{line.split(":")[0]: int(line.split()[1]) / 1024 for line in own} for own in rolled]
    return {
        "all_processes": round(sum(own["Pss"] for own in sizes), 1),
        "largest_private": round(max(own["Private_Dirty"] for own in sizes), 1),
    }


def ask_what(port: int) -> str:
    """What a server serves."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/healthz")
    what: str = json.load(connection.getresponse())["model"]
    connection.close()
    return what


def measure_in_turn(
    ports: dict[str, int], bodies: list[str], n_clients: int, n_requests: int
) -> dict[str, dict[str, Any]]:
    """Load the servers one after the other, some times; of each the round of median speed."""
    rounds: dict[str, list[dict[str, Any]]] = {name: [] for name in ports}
    for _ in range(ROUNDS):
        for name, port in ports.items():
            load = {"load_average_before": round(os.getloadavg()[0], 2)}
            rounds[name].append(load_server(port, bodies, n_clients, n_requests) | load)
    found = {}
    for name, own in rounds.items():
        own.sort(key=itemgetter("requests_per_second"))
        speeds = [load["requests_per_second"] for load in own]
        found[name] = own[ROUNDS // 2] | {"requests_per_second_of_rounds": speeds}
        found[name]["failures"] = sum(load["failures"] for load in own)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="en")
    parser.add_argument("--processes", type=int, default=count_workers(None))
    parser.add_argument("--requests", type=int, default=500, help="of a round with many clients")
    parser.add_argument("--name", default="serve")
    arguments = parser.parse_args()
    bodies = [json.dumps({"text": sentence}) for sentence in read_sentences()]
    ports = {}
    for name in ("grassmeans", "spacy"):
        with open_socket("127.0.0.1", 0) as free:
            ports[name] = free.getsockname()[1]
    n = str(arguments.processes)
    own = ["-c", _PROGRAM, "serve", arguments.model, "--port", str(ports["grassmeans"])]
    peer = [str(_PEER), str(ports["spacy"]), n]
    with (
        serving([*own, "--processes", n], ports["grassmeans"]) as ours,
        serving(peer, ports["spacy"]) as theirs,
    ):
        for port in ports.values():
            load_server(port, bodies, 8, 200)
        models = {name: ask_what(port) for name, port in ports.items()}
        levels = []
        for n_clients in CLIENTS:
            n_requests = arguments.requests if n_clients > 1 else arguments.requests // 2
            levels.append(measure_in_turn(ports, bodies, n_clients, n_requests))
        memory = {"grassmeans": shared_megabytes(ours), "spacy": shared_megabytes(theirs)}
    result = {
        "processes": arguments.processes,
        "rounds": ROUNDS,
        "sentences": len(bodies),
        "models": models | {"grassmeans": arguments.model},
        "levels": levels,
        "megabytes": memory,
        "versions": {package: version(package) for package in _PACKAGES},
    }
    write_result(arguments.name, result)


if __name__ == "__main__":
    main()
