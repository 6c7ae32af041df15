"""How many requests the explorer answers: `POST /api/tag` at 1, 8 and 32 clients, over loopback.

    python benchmarks/bench_explorer.py                   # the shipped model, or one of the demo
    python benchmarks/bench_explorer.py --model MODEL

The server is the real one (`grassmeans explore`), a process of its own; the clients are threads
with one connection each. The memory of the server is read before and after all requests.
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench_tagging import DEMO, build_demo_model
from grassmeans.models.places import list_models
from grassmeans_explorer.commands.explore import open_socket
from measurement import write_result

CLIENTS = (1, 8, 32)


def start_server(model: str, port: int) -> subprocess.Popen[bytes]:
    program = (
        "import typer; from grassmeans_explorer.commands.explore import explore; typer.run(explore)"
    )
    command = [sys.executable, "-c", program]
    server = subprocess.Popen([*command, model, "--port", str(port), "--no-browser"])
    for _ in range(600):
        time.sleep(0.1)
        try:
            if ask(http.client.HTTPConnection("127.0.0.1", port), "GET", "/healthz") == 200:
                return server
        except OSError:
            if server.poll() is not None:
                raise SystemExit("the server did not start") from None
    raise SystemExit("the server does not answer")


def ask(connection: http.client.HTTPConnection, method: str, path: str, body: str = "") -> int:
    connection.request(method, path, body or None, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    return answer.status


def load_server(port: int, bodies: list[str], n_clients: int, n_requests: int) -> dict[str, Any]:
    """Send requests from several clients at once."""
    seconds: list[float] = []
    failures: list[int] = []

    def run(client: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for i in range(client, n_requests, n_clients):
            started = time.perf_counter()
            status = ask(connection, "POST", "/api/tag", bodies[i % len(bodies)])
            seconds.append(time.perf_counter() - started)
            if status != 200:
                failures.append(status)

    threads = [threading.Thread(target=run, args=(client,)) for client in range(n_clients)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall = time.perf_counter() - started
    return {
        "clients": n_clients,
        "requests": n_requests,
        "failures": len(failures),
        "requests_per_second": round(n_requests / wall),
        "milliseconds_p50": round(1e3 * float(np.percentile(seconds, 50)), 2),
        "milliseconds_p95": round(1e3 * float(np.percentile(seconds, 95)), 2),
        "milliseconds_p99": round(1e3 * float(np.percentile(seconds, 99)), 2),
    }


def resident_megabytes(process: int) -> dict[str, float]:
    """Memory of a process: all, and without mapped files; empty where the system does not tell."""
    status = Path(f"/proc/{process}/status")
    text = status.read_text(encoding="utf-8") if status.exists() else ""
    found = re.findall(r"(VmRSS|RssAnon):\s+(\d+) kB", text)
    return {name: round(int(size) / 1024, 1) for name, size in found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model")
    parser.add_argument("--text", type=Path)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--name", default="explorer")
    arguments = parser.parse_args()
    text = (arguments.text or DEMO).read_text(encoding="utf-8")
    sentences = [s for s in re.split(r"(?<=[.!?])\s+", text) if s.strip()][:1000]
    bodies = [json.dumps({"text": sentence}) for sentence in sentences]
    with tempfile.TemporaryDirectory() as folder:
        model = arguments.model or ("en" if "en" in list_models() else None)
        if model is None:
            build_demo_model(Path(folder))
            model = str(Path(folder) / "model")
        with open_socket("127.0.0.1", 0) as free:
            port = free.getsockname()[1]
        server = start_server(model, port)
        try:
            load_server(port, bodies, 1, 100)
            before = resident_megabytes(server.pid)
            each = arguments.requests // len(CLIENTS)
            loads = []
            for n_clients in CLIENTS:
                found = load_server(port, bodies, n_clients, each)
                loads.append(found | {"server_megabytes": resident_megabytes(server.pid)})
        finally:
            server.terminate()
            server.wait(30)
    result = {
        "model": Path(model).name,
        "sentences": len(sentences),
        "loads": loads,
        "server_megabytes_before": before,
        "requests": each * len(CLIENTS),
    }
    write_result(arguments.name, result)


if __name__ == "__main__":
    main()
