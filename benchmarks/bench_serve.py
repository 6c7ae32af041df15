"""`grassmeans serve` beside spaCy's small pipeline: requests/s and latency at 1, 8 and 64 clients.

    python benchmarks/bench_serve.py
    python benchmarks/bench_serve.py --model MODEL --processes 2 --requests 1500

Both are served by the same supervisor, with as many processes, on this machine alone; they take
turns, and the same sentences are sent to both. The clients are threads of this process with one
connection each, and share the cores with the servers. `spacy_service.py` says what spaCy runs.
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
from pathlib import Path
from typing import Any

from bench_explorer import ask, load_server
from grassmeans.cli.explore import open_socket
from grassmeans.engines import count_workers
from measurement import write_result
from spacy_service import read_sentences

CLIENTS = (1, 8, 64)
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


def measure(name: str, command: list[str], port: int, requests: int) -> dict[str, Any]:
    bodies = [json.dumps({"text": sentence}) for sentence in read_sentences()]
    with serving(command, port) as server:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", "/healthz")
        what = json.load(connection.getresponse())["model"]
        connection.close()
        load_server(port, bodies, 8, 200)
        loads = []
        for n_clients in CLIENTS:
            before = os.getloadavg()[0]
            n_requests = requests if n_clients > 1 else requests // 2
            loads.append(load_server(port, bodies, n_clients, n_requests))
            loads[-1]["load_average_before"] = round(before, 2)
        memory = shared_megabytes(server)
    return {"name": name, "model": what, "loads": loads, "megabytes": memory}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="en")
    parser.add_argument("--processes", type=int, default=count_workers(None))
    parser.add_argument("--requests", type=int, default=1_500)
    parser.add_argument("--name", default="serve")
    arguments = parser.parse_args()
    servers = []
    for name in ("grassmeans", "spacy"):
        with open_socket("127.0.0.1", 0) as free:
            port = free.getsockname()[1]
        own = ["-c", _PROGRAM, "serve", arguments.model, "--port", str(port)]
        own += ["--processes", str(arguments.processes)]
        peer = [str(_PEER), str(port), str(arguments.processes)]
        command = own if name == "grassmeans" else peer
        servers.append(measure(name, command, port, arguments.requests))
    result = {
        "processes": arguments.processes,
        "sentences": len(read_sentences()),
        "servers": servers,
        "versions": {package: version(package) for package in _PACKAGES},
    }
    write_result(arguments.name, result)


if __name__ == "__main__":
    main()
