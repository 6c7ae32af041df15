"""Every writing command, killed at every change of the file system and started again.

The second run gives what an undisturbed one gives, and nothing is left beside it. ``TORTURE=n``
looks at n times as many moments.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grassmeans import Corpus
from grassmeans_lab import IterationSettings, iterate
from kills import record_kills
from writing_commands import COMMANDS, OUT, grassmeans, make_material

TORTURE = int(os.environ.get("TORTURE", "1"))
N_MOMENTS = 4 * TORTURE
VOLATILE = re.compile("created|manifest_digest|parts|.*seconds?")  # times, and what depends on them
MORE = {
    "phrases": f"phrases corpus -o {OUT} --min-count 1 -j 1",
    "convert to text": f"convert vectors {OUT} --to glove",
    "export": f"export labelled -o {OUT}",
    "evaluate": f"evaluate jsonl --data instances.jsonl --model model --key-out {OUT}",
    "compare": (
        "compare --corpus corpus --vectors vectors --task jsonl=instances.jsonl "
        f"--methods one -o {OUT}"
    ),
}
LINES = {name: command.line for name, command in COMMANDS.items()} | MORE
if TORTURE == 1:
    LINES.pop("encoder", None)  # trains for seconds, and goes on like the others


@pytest.fixture(scope="module")
def material(tmp_path_factory, synthetic) -> Path:
    folder = make_material(tmp_path_factory.mktemp("kills"), synthetic)
    instance = {"target": "crane", "left": synthetic.documents[0], "right": ""}
    lines = [json.dumps(instance | {"id": str(i), "label": "ab"[i % 2]}) for i in range(4)]
    (folder / "instances.jsonl").write_text("\n".join(lines))
    return folder


def contents(folder: Path) -> dict[str, object]:
    """All files below a folder, without what tells the time."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and path.read_bytes().startswith(b"{\n"):
            found[name] = without_times(json.loads(path.read_text()))
        elif path.name == "checksums.txt":
            lines = path.read_text().splitlines()
            found[name] = [line for line in lines if not line.endswith(".json")]
        elif path.is_file():
            found[name] = path.read_bytes()
        else:
            found[name] = None
    return found


def without_times(value: object) -> object:
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if not VOLATILE.fullmatch(k)}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def choose(states: list[Path]) -> list[Path]:
    """Some of the moments: the last ones, where the result is put in its place, and others."""
    last = states[-N_MOMENTS // 2 :]
    before = states[: -N_MOMENTS // 2]
    step = max(1, len(before) * 2 // N_MOMENTS)
    return before[::step] + last


@pytest.mark.parametrize("name", LINES)
def test_a_killed_command_is_started_again(name, material, tmp_path, capsys) -> None:
    place, copies = tmp_path / "place", tmp_path / "copies"
    place.mkdir()
    codes: list[int] = []
    line = LINES[name]
    states = record_kills(
        lambda: codes.append(grassmeans(material, line, place / "out")), place, copies
    )
    assert codes == [0], capsys.readouterr().err
    expected = contents(place)
    assert {name.partition("/")[0] for name in expected} == {"out"}
    for state in choose(states):
        capsys.readouterr()
        shutil.rmtree(place)
        shutil.move(state, place)
        was_there = (place / "out").exists()
        code = grassmeans(material, line, place / "out")
        told = capsys.readouterr().err
        if was_there and name != "iterate":
            assert (code, "exists already" in told) == (2, True), (state.name, told)
        else:
            assert code == 0, (state.name, told)
        assert contents(place) == expected, state.name


def test_more_rounds_after_a_kill(material, tmp_path) -> None:
    """A finished folder that grows is there at every moment, with the old rounds or with all."""
    place = tmp_path / "place"
    (place / "out").mkdir(parents=True)

    def go_on(n_rounds: int) -> None:
        settings = IterationSettings(rounds=n_rounds, epochs=1, min_count=1, stop_early=False)
        corpus = Corpus.open(material / "corpus")
        iterate(corpus, material / "model", place / "out", settings, workers=1)

    go_on(1)
    first = contents(place / "out")
    states = record_kills(lambda: go_on(2), place, tmp_path / "copies")
    expected = contents(place / "out")
    assert {name.partition("/")[0] for name in expected.keys() - first.keys()} == {"round-2"}
    for state in choose(states):
        shutil.rmtree(place)
        shutil.move(state, place)
        between = place / ".out.building" / "old"  # of two renames
        assert contents(place / "out") in (first, expected) or between.exists(), state.name
        go_on(2)
        assert [path.name for path in place.iterdir()] == ["out"], state.name
        assert contents(place / "out") == expected, state.name


def test_another_input_of_the_same_name_is_noticed(material, tmp_path, capsys) -> None:
    book, place = tmp_path / "book.txt", tmp_path / "place"
    place.mkdir()
    book.write_text("the crane flew over the harbour")

    def ingest(more: str = "") -> int:
        return grassmeans(material, f"ingest {book} -o {OUT} {more}", place / "out")

    states = record_kills(ingest, place, tmp_path / "copies")
    half = next(state for state in states if (state / ".out.building" / "new" / "shards").exists())
    shutil.rmtree(place)
    shutil.move(half, place)
    book.write_text("the crane fled over the harbour")
    capsys.readouterr()
    assert ingest() == 2
    assert "an unfinished corpus of other inputs or options" in capsys.readouterr().err
    assert ingest("--overwrite") == 0
    assert "fled" in (place / "out" / "words.txt").read_text().split()


MARK = "GRASSMEANS_TEST"
TASKS = """
import sys
from pathlib import Path
from grassmeans.engines.parallel import map_tasks
from kills import hold_tight
from grassmeans.cli import main
main._hear_signals()
tasks = [(Path(sys.argv[1], name),) for name in "ab"]
list(map_tasks(hold_tight, tasks, 2))
"""


def list_marked(mark: str) -> list[int]:
    """The processes that a process has started, and those that they have, whoever has them now."""
    found = []
    for about in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{MARK}={mark}\0".encode() in about.read_bytes():
                found.append(int(about.parent.name))
        except OSError:  # gone, or somebody else's
            continue
    return found


def wait_until(condition: Callable[[], object], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.fixture
def start(tmp_path):
    """Start processes whose descendants can be found; what is left of them in the end goes."""
    if not Path("/proc/self/environ").exists():
        pytest.skip("this system does not tell of its processes")
    mark = str(tmp_path)
    path = os.pathsep.join(filter(None, sys.path))
    (tmp_path / "temporary").mkdir()
    own = {MARK: mark, "PYTHONPATH": path, "TMPDIR": str(tmp_path / "temporary")}
    own["JOBLIB_TEMP_FOLDER"] = own["TMPDIR"]
    yield lambda *command: subprocess.Popen(
        [sys.executable, *command],
        env=os.environ | own,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    for left in list_marked(mark):
        os.kill(left, signal.SIGKILL)


KILLS = [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", KILLS)
def test_workers_end_with_their_process_in_the_middle_of_a_kernel(number, start, tmp_path) -> None:
    process = start("-c", TASKS, str(tmp_path))
    wait_until(lambda: (tmp_path / "a").exists() and (tmp_path / "b").exists(), 60)
    assert len(list_marked(str(tmp_path))) > 2
    process.send_signal(number)
    wait_until(lambda: process.poll() is not None, 10)
    wait_until(lambda: not list_marked(str(tmp_path)), 10)


# A hang-up goes the way of a termination, whatever the engine is.
ENDS = [*((number, "local") for number in KILLS), *((number, "dask") for number in KILLS[:2])]


@pytest.mark.parametrize(("number", "engine"), ENDS)
def test_workers_end_with_their_command(number, engine, start, material, tmp_path) -> None:
    if engine == "dask":
        pytest.importorskip("distributed", reason="needs the extra cluster")
    line = [
        "induce", str(material / "corpus"), str(material / "vectors"), "-o", str(tmp_path / "out"),
        "--min-count", "8", "--max-contexts", "20", "--no-calibrate", "-j", "2", "--engine", engine,
    ]  # fmt: skip
    command = ("-c", "from grassmeans.cli.main import run; run()", *line)
    process = start(*command)
    # itself, two workers, and the process that joblib or multiprocessing have beside them
    wait_until(lambda: len(list_marked(str(tmp_path))) > 3 or process.poll() is not None, 60)
    process.send_signal(number)
    _, told = process.communicate(timeout=20)
    assert process.returncode == (-number if number == signal.SIGKILL else 128 + number), told
    assert (b"goes on from where it was" in told) == (number != signal.SIGKILL)
    wait_until(lambda: not list_marked(str(tmp_path)), 10)
    again = start(*command)
    _, told = again.communicate(timeout=120)
    assert again.returncode == 0, told
    assert [path.name for path in tmp_path.iterdir() if "temporary" not in path.name] == ["out"]
    left = [path for path in (tmp_path / "temporary").rglob("*") if path.is_file()]
    assert [path for path in left if path.suffix not in (".lock", ".nbi", ".nbc")] == []
