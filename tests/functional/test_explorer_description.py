"""Schemathesis makes requests up from ``/openapi.json``: what is answered is what it says.

All checks, a fixed seed, a real server. ``TORTURE=n`` makes n times as many requests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from urllib.request import urlopen

import pytest

pytest.importorskip("fastapi", reason="needs the extra explorer")
pytest.importorskip("schemathesis", reason="needs schemathesis")

import uvicorn

from grassmeans.cli.explore import open_socket
from grassmeans.explorer.connections import TimedConnection
from grassmeans.explorer.server import create_app

N_EXAMPLES = 4 * int(os.environ.get("TORTURE", "1"))
SEED = 20
# 413 is for what is well formed, but more than this server gives at once.
SETTINGS = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "404", "409", "413", "429"]
"""


@pytest.fixture(params=["with corpus", "alone"])
def address(request, topic_model_folder, topic_corpus, tmp_path) -> Iterator[str]:
    corpus = topic_corpus.path if request.param == "with corpus" else None
    app = create_app(topic_model_folder, corpus, save_to=tmp_path / "versions")
    listening = open_socket("127.0.0.1", 0)
    server = uvicorn.Server(
        uvicorn.Config(app, http=TimedConnection, ws="none", log_level="critical")
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(60)


def test_answers_are_as_described(address, tmp_path) -> None:
    (tmp_path / "schemathesis.toml").write_text(SETTINGS)
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{address}/openapi.json"]
    options = f"--checks all --phases examples,coverage,fuzzing --seed {SEED} --no-color"
    bounds = f"--max-examples {N_EXAMPLES} --generation-database none --workers 1"
    found = subprocess.run(
        [*command, *options.split(), *bounds.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout[-20_000:] + found.stderr[-2_000:]
    with urlopen(f"{address}/openapi.json") as answer:
        described = json.load(answer)["paths"].values()
    assert f"{sum(map(len, described))} selected" in found.stdout
