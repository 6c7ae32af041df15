"""What every benchmark needs: facts about the machine, timing, and a JSON file with the result."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numba
import numpy as np

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of repeated runs.

    ``cpu`` is the processor time of the median run, over all threads: on a machine that others use
    too, it is what one-thread runs should be compared by.
    """

    best: float
    median: float
    cpu: float
    runs: int


def time_runs(function: Callable[[], Any], runs: int = 5) -> Timing:
    """Time a function; call it once beforehand where the first call compiles."""
    seconds, cpu_seconds = [], []
    for _ in range(runs):
        start, cpu_start = time.perf_counter(), time.process_time()
        function()
        seconds.append(time.perf_counter() - start)
        cpu_seconds.append(time.process_time() - cpu_start)
    return Timing(min(seconds), statistics.median(seconds), statistics.median(cpu_seconds), runs)


def measure_sgemm(size: int = 2000, runs: int = 5) -> float:
    """The rate of a large single-precision matrix product, in Gflop/s: what the machine can do."""
    rng = np.random.default_rng(0)
    matrix = rng.random((size, size), dtype=np.float32)
    matrix @ matrix
    return 2 * size**3 / time_runs(lambda: matrix @ matrix, runs).best / 1e9


def describe_machine() -> dict[str, Any]:
    """CPU, cores, load, versions and commit."""
    return {
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "load_average": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "commit": _git_commit(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def write_result(name: str, result: dict[str, Any]) -> Path:
    """Write a result, with the facts of the machine, to ``results/<name>.json``; print it."""
    content = {"machine": describe_machine()} | {
        key: asdict(value) if isinstance(value, Timing) else value for key, value in result.items()
    }
    text = json.dumps(content, indent=2, ensure_ascii=False)
    path = RESULTS / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")
    print(text)
    return path


def _cpu_model() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        fields = dict(
            (part.strip() for part in line.split(":", 1))
            for line in information.read_text(encoding="utf-8").splitlines()
            if ":" in line
        )
        if "model name" in fields:
            numbers = [fields.get("cpu family"), fields.get("model")]
            return f"{fields['model name']} (family {numbers[0]}, model {numbers[1]})"
    return platform.processor() or platform.machine()


def _git_commit() -> str | None:
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
