"""Commands on Ray, where it is installed: the same results, though workers are killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="Ray is not installed: pip install 'grassmeans[ray]'")

from cluster_jobs import FIRST_FILES, digest_folder, make_jobs, when_written, write_inputs
from grassmeans import use_engine
from grassmeans.engines.on_ray import RayEngine
from grassmeans.engines.parallel import map_tasks
from grassmeans.errors import EngineError
from grassmeans.reading import pieces


@pytest.fixture(scope="module")
def engine() -> Iterator[RayEngine]:
    engine = RayEngine("", 2)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> list[Path]:
    return write_inputs(tmp_path_factory.mktemp("inputs"))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch) -> None:
    """Several parts of small files."""
    monkeypatch.setattr(pieces, "PLAIN_BYTES", 3_000)
    monkeypatch.setattr(pieces, "PACKED_BYTES", 2_000)


@pytest.mark.parametrize("name", ["ingest", "induce", "label"])
def test_ray_gives_what_one_process_gives_though_workers_are_killed(
    name, engine, inputs, topic_corpus, topic_vectors, tmp_path: Path
) -> None:
    given = (inputs, topic_corpus, topic_vectors)
    expected = digest_folder(make_jobs(*given, None)[name](tmp_path / "alone"))
    with use_engine(engine):
        working = set(map_tasks(os.getpid, [()] * 8, 2))

    def kill_all() -> None:
        for pid in working:
            os.kill(pid, signal.SIGKILL)

    job = make_jobs(*given, engine)[name]
    with when_written(tmp_path / name, FIRST_FILES[name], kill_all) as killed:
        found = digest_folder(job(tmp_path / name))
    assert killed, "the workers were to be killed in the middle"
    assert found == expected
    assert not (tmp_path / f".{name}.building").exists()
    with use_engine(engine):
        assert not working & set(map_tasks(os.getpid, [()] * 8, 2))


def test_a_task_that_ends_its_workers_is_told(engine) -> None:
    with use_engine(engine), pytest.raises(EngineError, match=r"ended 4 workers.* memory"):
        list(map_tasks(os._exit, [(9,)], 1))
