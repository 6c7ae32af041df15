"""What every benchmark needs: facts about the machine, timing, and a JSON file with the result."""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
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


@dataclass(frozen=True, slots=True)
class CommandRun:
    """What a command took, with all its processes."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    """The largest sum of the memory of its processes, looked at four times a second.

    A page that several share is counted once (Pss), or for each of them where the system does not
    tell more (RSS).
    """
    peak_own_bytes: int
    """The same without mapped files, whose pages the system takes back when it needs them."""
    written_bytes: int
    """What was written to disk, files of the meantime included; 0 where nobody counts it."""
    output: str


def run_measured(command: Sequence[str]) -> CommandRun:
    """Run a command in a session of its own; it ends the benchmark where it fails."""
    started = time.perf_counter()
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE, text=True)
    peak = np.zeros(2, np.int64)
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.25):
            np.maximum(peak, session_bytes(process.pid), out=peak)

    watcher = threading.Thread(target=watch)
    watcher.start()
    assert process.stdout is not None
    with process.stdout as answers:
        output = answers.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - started
    over.set()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    cpu_seconds = used.ru_utime + used.ru_stime
    return CommandRun(seconds, cpu_seconds, *peak.tolist(), used.ru_oublock * 512, output)


def session_bytes(session: int) -> tuple[int, int]:
    """The memory of all processes of a session: all of it, and without mapped files."""
    if not Path("/proc/self/stat").exists():
        command = ["ps", "-o", "rss=", "-s", str(session)]
        listed = subprocess.run(command, capture_output=True, text=True, check=False)
        together = sum(int(line) for line in listed.stdout.split()) * 1024
        return together, together
    processes = [int(p) for p in os.listdir("/proc") if p.isdigit() and _is_of(p, session)]
    sizes = [_process_bytes(process) for process in processes]
    return sum(own[0] for own in sizes), sum(own[1] for own in sizes)


def _is_of(process: str, session: int) -> bool:
    try:  # the name of a program, in brackets, may hold anything
        behind = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2]
    except OSError:  # it has ended, or is none
        return False
    return int(behind.split()[3]) == session


def _process_bytes(process: int) -> tuple[int, int]:
    for name, fields in (("smaps_rollup", ("Pss", "Pss_Anon")), ("status", ("VmRSS", "RssAnon"))):
        try:
            told = Path(f"/proc/{process}/{name}").read_text(encoding="utf-8")
        except OSError:  # of somebody else, or gone
            continue
        found = [re.search(rf"^{field}:\s+(\d+)", told, re.MULTILINE) for field in fields]
        if found[0] and found[1]:
            return int(found[0][1]) * 1024, int(found[1][1]) * 1024
    return 0, 0


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


def write_result(name: str, result: dict[str, Any], *, shown: bool = True) -> Path:
    """Write a result, with the facts of the machine, to ``results/<name>.json``, and print it."""
    content = {"machine": describe_machine()} | {
        key: asdict(value) if isinstance(value, Timing) else value for key, value in result.items()
    }
    text = json.dumps(content, indent=2, ensure_ascii=False)
    path = RESULTS / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")
    if shown:
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
