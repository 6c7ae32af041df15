"""Commands on several hosts, which are network namespaces: by TLS, slow, cut off, of two versions.

It runs the script that readers run, with little text. It takes more than a minute, most of it
waiting for a host that does not answer any more, so it is run by `make torture` and where HOSTS is
set.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs the extra cluster")

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "several_hosts.py"


def run_script(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(SCRIPT.parent), *sys.path]))
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False,
        timeout=300,
    )  # fmt: skip


def list_spaces() -> set[str]:
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    return {line.split()[0] for line in listed.stdout.splitlines() if line}


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> dict[str, object]:
    """What a run of the script saw."""
    if not (os.environ.get("HOSTS") or os.environ.get("TORTURE")):
        pytest.skip("takes more than a minute: HOSTS=1 runs it, and make torture")
    if not SCRIPT.exists():
        pytest.skip("the benchmarks are not here")
    if (check := run_script("--check")).returncode:
        pytest.skip((check.stdout + check.stderr).strip().splitlines()[-1])
    before, about = list_spaces(), tmp_path_factory.mktemp("hosts") / "found.json"
    ended = run_script("--words", "30000", "--json", str(about))
    assert about.exists(), ended.stdout + ended.stderr
    assert list_spaces() <= before, "the hosts go with the script"
    return json.loads(about.read_text())


def test_several_hosts_make_the_bytes_that_one_process_makes(found) -> None:
    steps = ("ingest", "vectors", "induce", "label")
    assert found["same_bytes"] == dict.fromkeys(steps, True)


def test_a_host_was_cut_off_in_the_middle(found) -> None:
    assert found["cut_after"] is not None
    assert found["cut_after"] < found["seconds"]["induce"]["hosts"]


def test_a_host_of_another_version_is_refused_by_its_address(found) -> None:
    assert f"the worker tls://{found['refused_address']}:" in found["refused"]
    assert "has grassmeans 0.0.1 (code " in found["refused"]
