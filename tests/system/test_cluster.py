"""Commands on a real Dask cluster of processes: the same results, and what its failures cost."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs the extra cluster")

import distributed
from dask import config as dask_config

import grassmeans
from cluster_jobs import FIRST_FILES, digest_folder, hold, make_jobs, when_written, write_inputs
from grassmeans import SkipGram
from grassmeans.engines import messages, on_dask, use_engine
from grassmeans.engines.parallel import map_tasks
from grassmeans.errors import EngineError, StorageError
from grassmeans.evaluation.loading import open_task
from grassmeans.reading import parts
from grassmeans.vectors import training
from grassmeans.vectors.skipgram import train_vectors
from grassmeans_lab.comparing.comparing import Comparison
from grassmeans_lab.comparing.systems import make_systems
from synthetic import POLYSEMOUS, make_topic_text


@pytest.fixture(scope="module")
def cluster() -> Iterator[distributed.LocalCluster]:
    """Two workers, as `--engine dask` starts them."""
    engine = on_dask.DaskEngine("", 2)
    yield engine._cluster
    engine.close()


@pytest.fixture
def engine(cluster) -> Iterator[on_dask.DaskEngine]:
    """The engine of these workers, by the address of their scheduler."""
    engine = on_dask.DaskEngine(cluster.scheduler_address.removeprefix("tcp://"), 1)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> list[Path]:
    return write_inputs(tmp_path_factory.mktemp("inputs"))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch) -> None:
    """Several parts of small files."""
    monkeypatch.setattr(parts, "PLAIN_BYTES", 3_000)
    monkeypatch.setattr(parts, "PACKED_BYTES", 2_000)


@pytest.fixture(scope="module")
def expected(tmp_path_factory, inputs, topic_corpus, topic_vectors) -> dict[str, dict[str, str]]:
    """Digests of what this process makes alone."""
    folder = tmp_path_factory.mktemp("expected")
    jobs = make_jobs(inputs, topic_corpus, topic_vectors, None)
    return {name: digest_folder(job(folder / name)) for name, job in jobs.items()}


@pytest.mark.parametrize("name", ["ingest", "induce", "label"])
def test_a_cluster_gives_what_one_process_gives_though_a_worker_is_killed(
    name, cluster, engine, inputs, topic_corpus, topic_vectors, expected, tmp_path
) -> None:
    victim = min(worker.pid for worker in cluster.workers.values() if worker.pid is not None)

    def kill_one() -> None:
        os.kill(victim, signal.SIGKILL)

    job = make_jobs(inputs, topic_corpus, topic_vectors, engine)[name]
    with when_written(tmp_path / name, FIRST_FILES[name], kill_one) as killed:
        found = digest_folder(job(tmp_path / name))
    assert killed, "the worker was to be killed in the middle"
    assert found == expected[name]
    assert not (tmp_path / f".{name}.building").exists()
    assert victim not in {worker.pid for worker in cluster.workers.values()}


def test_vectors_are_trained_in_parts_as_in_this_process(
    engine, topic_corpus, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(training, "CHUNK_TOKENS", 1_000)
    trainers = [SkipGram(dim=16, min_count=2, epochs=1, workers=1, parts=2) for _ in range(2)]
    here = train_vectors(topic_corpus, tmp_path / "here", trainers[0], show_progress=False)
    there = train_vectors(
        topic_corpus, tmp_path / "there", trainers[1], engine=engine, show_progress=False
    )
    assert there.vectors.tolist() == here.vectors.tolist()


def test_methods_are_compared_by_the_workers(engine, topic_corpus, topic_vectors, tmp_path) -> None:
    instances = [
        {"id": str(i), "target": "crane", "left": "the", "right": text, "label": str(i % 2)}
        for i, text in enumerate(make_topic_text(16).documents)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, instances)))
    rows = {}
    for name, chosen in {"here": "local", "there": engine}.items():
        tasks = [open_task("jsonl", tmp_path / "a.jsonl")]
        comparison = Comparison(topic_corpus, topic_vectors, tasks, keep=tmp_path / name)
        with use_engine(chosen):
            found = comparison.compare(make_systems(["kmeans", "one"], [2]))
            rows[name] = [(row.title, row.error, row.result["all"]) for row in found]
    assert rows["there"] == rows["here"]
    assert [error for _, error, _ in rows["there"]] == [None, None]
    assert not (tmp_path / "there" / "engine").exists()


def test_a_full_disk_of_a_worker_is_told_and_the_command_goes_on_later(
    engine, inputs, topic_corpus, topic_vectors, expected, tmp_path
) -> None:
    job = make_jobs(inputs, topic_corpus, topic_vectors, engine)["ingest"]
    engine._client.run(_limit_files, 4_000)
    with pytest.raises(StorageError, match=r"the disk \(or the quota\) is full while writing"):
        job(tmp_path / "ingest")
    engine._client.run(_limit_files, resource.RLIM_INFINITY)
    assert (tmp_path / ".ingest.building").exists()
    assert digest_folder(job(tmp_path / "ingest")) == expected["ingest"]


def _limit_files(n_bytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, resource.RLIM_INFINITY))


TESTS = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # for tasks of tests


@contextmanager
def run_processes() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start processes that end with the block."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*command: str, **environment: str) -> subprocess.Popen[bytes]:
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        started.append(subprocess.Popen(command, env=os.environ | TESTS | environment, **silent))
        return started[-1]

    try:
        yield start
    finally:
        for process in started:
            process.kill()
            process.wait()


def dask(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "dask", *arguments]


def start_scheduler(start, folder: Path, *options: str) -> tuple[subprocess.Popen[bytes], str]:
    about = folder / f"scheduler-{time.monotonic_ns()}.json"
    process = start(
        *dask("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
        "--scheduler-file", str(about), *options,
    )  # fmt: skip
    wait_until(lambda: about.exists() and about.read_text() != "")
    return process, json.loads(about.read_text())["address"].removeprefix("tcp://")


def wait_until(condition: Callable[[], object]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


WORKER = ("--nthreads", "1", "--no-dashboard", "--no-nanny")


def test_a_command_goes_on_after_its_scheduler_was_killed(
    inputs, topic_corpus, topic_vectors, expected, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(on_dask, "RECONNECT_SECONDS", 1.0)
    with run_processes() as start:
        scheduler, address = start_scheduler(start, tmp_path)
        start(*dask("worker", address, *WORKER))
        job = make_jobs(inputs, topic_corpus, topic_vectors, f"dask://{address}")["induce"]
        with (
            when_written(tmp_path / "induce", FIRST_FILES["induce"], scheduler.kill) as killed,
            pytest.raises(EngineError, match=r"the Dask scheduler .* is gone: .* is kept"),
        ):
            job(tmp_path / "induce")
        assert killed
        scheduler, address = start_scheduler(start, tmp_path)
        start(*dask("worker", address, *WORKER))
        job = make_jobs(inputs, topic_corpus, topic_vectors, f"dask://{address}")["induce"]
        assert digest_folder(job(tmp_path / "induce")) == expected["induce"]


def test_a_command_that_was_killed_goes_on(
    cluster, engine, inputs, topic_corpus, topic_vectors, expected, tmp_path
) -> None:
    words = tmp_path / "words.txt"
    words.write_text("\n".join([*POLYSEMOUS, *topic_corpus.vocabulary.words[8:68]]))
    address = cluster.scheduler_address.removeprefix("tcp://")
    command = [
        sys.executable, "-c", "from grassmeans.cli.main import run; run()", "induce",
        str(topic_corpus.path), str(topic_vectors.folder), "-o", str(tmp_path / "induce"),
        "--words", str(words), "--max-contexts", "60", "--no-calibrate",
        "--engine", f"dask://{address}",
    ]  # fmt: skip
    with run_processes() as start:
        process = start(*command)
        with when_written(tmp_path / "induce", FIRST_FILES["induce"], process.kill) as killed:
            assert process.wait(timeout=60) == -signal.SIGKILL
        assert killed
    job = make_jobs(inputs, topic_corpus, topic_vectors, engine)["induce"]
    assert digest_folder(job(tmp_path / "induce")) == expected["induce"]


def test_a_task_that_ends_its_workers_is_told(cluster, engine, monkeypatch) -> None:
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    with use_engine(engine), pytest.raises(EngineError, match=r"ended 1 workers.* memory"):
        list(map_tasks(os._exit, [(9,)], 1))


def test_a_command_does_not_wait_for_ever_without_workers(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(on_dask, "NO_WORKERS_SECONDS", 1.0)
    with run_processes() as start:
        _, address = start_scheduler(start, tmp_path)
        worker = start(*dask("worker", address, *WORKER))
        with (
            use_engine(f"dask://{address}"),
            when_begun(tmp_path / "begun", worker.kill),
            pytest.raises(EngineError, match="all workers are gone: start some"),
        ):
            list(map_tasks(hold, [(tmp_path / "begun", tmp_path / "never")], 1))


@contextmanager
def when_begun(begun: Path, action: Callable[[], None]) -> Iterator[None]:
    """Do something as soon as a task `hold` is under way."""

    def wait_and_do() -> None:
        wait_until(begun.exists)
        action()

    thread = threading.Thread(target=wait_and_do)
    thread.start()
    yield
    thread.join()


def test_a_task_that_was_lost_is_sent_again(cluster, engine, tmp_path) -> None:
    """The scheduler forgets tasks that are under way: nobody but the engine has them."""
    begun, until = tmp_path / "begun", tmp_path / "until"

    def lose() -> None:
        wait_until(lambda: begun.read_text() == "xx")
        with distributed.Client(cluster.scheduler_address, set_as_default=False) as other:
            known = [distributed.Future(key, other) for key in cluster.scheduler.tasks]
            other.cancel(known, force=True)
        until.touch()

    with use_engine(engine), when_begun(begun, lose):
        assert len(list(map_tasks(hold, [(begun, until)] * 2, 1))) == 2
    assert begun.read_text() == "xxxx", "each was begun, and begun again"


def test_a_task_goes_on_when_the_scheduler_comes_back(tmp_path) -> None:
    begun, until = tmp_path / "begun", tmp_path / "until"
    with run_processes() as start:
        first, address = start_scheduler(start, tmp_path)
        start(*dask("worker", address, *WORKER))

        def replace_scheduler() -> None:
            first.kill()
            first.wait()
            start_scheduler(start, tmp_path, "--port", address.rpartition(":")[2])
            start(*dask("worker", address, *WORKER))
            until.touch()

        with use_engine(f"dask://{address}"), when_begun(begun, replace_scheduler):
            assert len(list(map_tasks(hold, [(begun, until)], 1))) == 1
    assert len(begun.read_text()) > 1, "it was begun, and begun again"


def test_what_a_command_starts_is_for_this_machine_alone(cluster, engine) -> None:
    import psutil  # Dask's own

    wait_until(lambda: engine._client.scheduler_info()["workers"])
    this = psutil.Process()
    pids = [worker.pid for worker in cluster.workers.values()]
    workers = [psutil.Process(pid) for pid in pids if pid and psutil.pid_exists(pid)]
    for process in (this, *workers):
        hosts = {c.laddr.ip for c in process.net_connections("tcp") if c.status == "LISTEN"}
        assert hosts == {"127.0.0.1"}


@pytest.fixture
def other_code(tmp_path) -> Path:
    """A copy of the package with another default deep inside, and the same version."""
    package = Path(grassmeans.__file__).parent
    shutil.copytree(package, tmp_path / "other" / "grassmeans")
    changed = tmp_path / "other" / "grassmeans" / "clustering" / "kgrassmeans.py"
    changed.write_text(changed.read_text() + "\n_ANOTHER = 1\n")
    return tmp_path / "other"


OTHER_CODE = r"has grassmeans (\S+) \(code \w+\) in place of \1 \(code \w+\): .*install the same"


def test_a_worker_with_other_code_is_refused(other_code, tmp_path) -> None:
    with run_processes() as start:
        _, address = start_scheduler(start, tmp_path)
        start(*dask("worker", address, *WORKER), PYTHONPATH=str(other_code))
        with (
            pytest.raises(EngineError, match=r"the worker tcp://127\.0\.0\.1:\d+ " + OTHER_CODE),
            use_engine(f"dask://{address}"),
        ):
            pass


def test_a_worker_with_other_code_that_comes_later_is_refused(other_code, tmp_path) -> None:
    with run_processes() as start:
        _, address = start_scheduler(start, tmp_path)
        worker = start(*dask("worker", address, *WORKER))
        with use_engine(f"dask://{address}"):
            assert list(map_tasks(divmod, [(7, 2)], 1)) == [(3, 1)]
            start(*dask("worker", address, *WORKER), PYTHONPATH=str(other_code))
            worker.kill()
            with pytest.raises(EngineError, match="the worker on .* " + OTHER_CODE):
                list(map_tasks(divmod, [(7, 2)], 1))


def test_a_worker_without_the_package_is_told(tmp_path) -> None:
    with run_processes() as start:
        _, address = start_scheduler(start, tmp_path)
        (tmp_path / "hide.py").write_text("import sys; sys.modules['grassmeans'] = None")
        start(*dask("worker", address, *WORKER, "--preload", str(tmp_path / "hide.py")))
        with (
            pytest.raises(EngineError, match=r"the worker tcp\S+ has grassmeans unusable \("),
            use_engine(f"dask://{address}"),
        ):
            pass


@pytest.fixture(scope="module")
def certificates(tmp_path_factory) -> dict[str, str]:
    """A CA of our own, and what it signed."""
    folder = tmp_path_factory.mktemp("certificates")
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl to make certificates")
    new = "openssl req -newkey rsa:2048 -nodes -x509 -days 2 -subj /CN=127.0.0.1"
    for name in ("own", "stranger"):  # each signs itself
        command = [*new.split(), "-keyout", f"{name}.key", "-out", f"{name}.pem"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return {path.name: str(path) for path in folder.iterdir()}


@pytest.mark.parametrize("way", ["option", "configuration"])
def test_a_cluster_is_reached_by_tls(way, certificates, tmp_path) -> None:
    ca, key = certificates["own.pem"], certificates["own.key"]
    tls = ("--tls-ca-file", ca, "--tls-cert", ca, "--tls-key", key)
    configured = {f"distributed.comm.tls.{name}": path for name, path in
                  {"ca-file": ca, "client.cert": ca, "client.key": key}.items()}  # fmt: skip
    with run_processes() as start:
        _, address = start_scheduler(start, tmp_path, "--protocol", "tls", *tls)
        assert address.startswith("tls://")
        start(*dask("worker", address, *WORKER, *tls))
        named = f"{address}?ca={ca}&cert={ca}&key={key}" if way == "option" else address
        with dask_config.set(configured if way == "configuration" else {}), use_engine(named):
            assert list(map_tasks(divmod, [(7, 2)], 1)) == [(3, 1)]


def test_a_stranger_is_not_let_in_by_tls(certificates, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(on_dask, "CONNECT_SECONDS", 2.0)
    ca, key = certificates["own.pem"], certificates["own.key"]
    mine, my_key = certificates["stranger.pem"], certificates["stranger.key"]
    with run_processes() as start:
        tls = ("--protocol", "tls", "--tls-ca-file", ca, "--tls-cert", ca, "--tls-key", key)
        _, address = start_scheduler(start, tmp_path, *tls)
        with (
            pytest.raises(EngineError, match=r"no Dask scheduler answers at tls:.* certificates"),
            use_engine(f"{address}?ca={ca}&cert={mine}&key={my_key}"),
        ):
            pass


def test_a_worker_with_another_file_system_is_told(
    inputs, topic_corpus, topic_vectors, tmp_path, monkeypatch
) -> None:
    apart = ["unshare", "--mount", "--map-root-user"]
    hide = f'mount -t tmpfs none {tmp_path / "shared"} && exec "$@"'
    (tmp_path / "shared").mkdir()
    try:
        subprocess.run([*apart, "sh", "-c", hide, "sh", "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this system does not let us hide a folder from a process")
    with run_processes() as start:
        _, address = start_scheduler(start, tmp_path)
        quick = "import grassmeans.engines.messages as m; m.TOKEN_SECONDS = 1.0"
        command = dask("worker", address, *WORKER, "--preload", quick)
        start(*apart, "sh", "-c", hide, "sh", *command)
        job = make_jobs(inputs, topic_corpus, topic_vectors, f"dask://{address}")["ingest"]
        with pytest.raises(EngineError, match=r"does not see .*shared.*all workers need"):
            job(tmp_path / "shared" / "ingest")
    assert messages.TOKEN_SECONDS > 1
