"""A cluster of hosts on one machine, each in a network namespace, and what goes wrong there.

    sudo python benchmarks/several_hosts.py                    # made-up text, a minute or two
    sudo python benchmarks/several_hosts.py --words 30000      # half of it, as the test does
    sudo python benchmarks/several_hosts.py --check            # only says whether it could run

Needs Linux, root, `ip` (Debian's iproute2), openssl and the extra cluster. Every host has its own
name, address (10.77.0.x), certificate and working folder; one folder is shared, and it is the disk
of this machine: links carry what Dask sends, not files. Nothing leaves the namespaces, and they go
at the end.

`ingest`, `vectors`, `induce` and `label` run here, and then by a scheduler and three workers that
speak TLS: with a slow link to one of them (vectors, label), with one of them cut off in the middle
(induce), and with a worker of another version (which has to be refused). All files have to be the
same bytes; manifests, which name times and folders, are not compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import grassmeans
from bench_pipeline import made_up_texts, write_texts
from measurement import describe_machine

NETWORK = "10.77.0"
PREFIX = "grassmeans"
SLOW = ("netem delay 40ms rate 20mbit", "tbf rate 20mbit burst 16kbit latency 400ms")
LOST_SECONDS = 12
"""After so long without an answer Dask takes a host for lost: 30 unless told, 11 at least."""

# A host has a name of its own, and other files under the same path; then it runs a command.
ENTER = 'hostname "$1" && mount --bind "$2" "$3" && cd "$3" && shift 3 && exec "$@"'
# Small shards, so that little text is many tasks: `grassmeans ingest` has no option for that.
INGEST = """
import sys
from grassmeans import Corpus
from grassmeans.corpus.ingest import IngestOptions
inputs, output, chars, engine = sys.argv[1:]
options = IngestOptions(shard_chars=int(chars))
Corpus.from_files(inputs, output, options=options, workers=1, engine=engine, show_progress=False)
"""


def why_not() -> str | None:
    """Why hosts cannot be made here; None where they can."""
    for program in ("ip", "tc", "unshare", "hostname", "openssl"):
        if shutil.which(program) is None:
            return f"needs the program {program}"
    if os.geteuid() != 0:
        return "needs root, for network namespaces"
    name = f"{PREFIX}-{os.getpid()}-try"
    try:
        run("ip", "netns", "add", name)
        run("ip", "-n", name, "link", "add", "name", "try0", "type", "veth")
        run("ip", "netns", "exec", name, "unshare", "--uts", "hostname", "other")
    except subprocess.CalledProcessError as error:
        return f"network namespaces cannot be made here: {error.stderr.strip()}"
    finally:
        subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
    return None


def run(*command: str) -> str:
    """Run a command of the system; returns what it says."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Hosts:
    """Hosts with a switch between them: namespaces, links, folders and certificates."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        self.shared, self.own = folder / "shared", folder / "own"
        self._private = folder / "private"
        self._names = {name: f"{PREFIX}-{os.getpid()}-{name}" for name in names}
        self._switch = f"{PREFIX}-{os.getpid()}-switch"
        self._ca = folder / "ca.key"
        for place in (self.shared, self.own):
            place.mkdir()
        for name in names:
            (self._private / name).mkdir(parents=True)

    def address(self, name: str) -> str:
        """The address of a host in the network between them."""
        return f"{NETWORK}.{10 + [*self._names].index(name)}"

    def make(self) -> None:
        """Make the namespaces, the links and a certificate for each host."""
        run("ip", "netns", "add", self._switch)
        run("ip", "-n", self._switch, "link", "add", "name", "switch", "type", "bridge")
        run("ip", "-n", self._switch, "link", "set", "switch", "up")
        new = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        ca = str(self.shared / "ca.pem")
        run(*new.split(), "-subj", "/CN=ours", "-keyout", str(self._ca), "-out", ca)
        for name, space in self._names.items():
            link = ("type", "veth", "peer", "name", "eth0", "netns", space)
            run("ip", "netns", "add", space)
            run("ip", "-n", self._switch, "link", "add", "name", name, *link)
            run("ip", "-n", self._switch, "link", "set", name, "master", "switch", "up")
            run("ip", "-n", space, "address", "add", f"{self.address(name)}/24", "dev", "eth0")
            run("ip", "-n", space, "link", "set", "eth0", "up")
            run("ip", "-n", space, "link", "set", "lo", "up")
            own = self._private / name
            signed = ("-CA", ca, "-CAkey", str(self._ca), "-subj", f"/CN={self.address(name)}")
            files = ("-keyout", str(own / "host.key"), "-out", str(own / "host.pem"))
            run(*new.split(), *signed, *files)

    def start(self, name: str, *command: str, **options: Any) -> subprocess.Popen[str]:
        """Start a command on a host, in its own folder."""
        places = (name, str(self._private / name), str(self.own))
        enter = ("ip", "netns", "exec", self._names[name], "unshare", "--uts", "sh", "-c", ENTER)
        return subprocess.Popen([*enter, "sh", *places, *command], text=True, **options)

    def cut(self, name: str) -> None:
        """Cut a host off, as if its cable were pulled."""
        run("ip", "-n", self._switch, "link", "set", name, "down")

    def slow_down(self, name: str) -> str:
        """Make the link of a host slow, both ways, as well as this kernel can; returns how."""
        ends = ((self._switch, name), (self._names[name], "eth0"))
        for kind in SLOW:
            with suppress(subprocess.CalledProcessError):
                for space, device in ends:
                    place = ("dev", device, "root")
                    run("tc", "-n", space, "qdisc", "replace", *place, *kind.split())
                return kind
        return "none: this kernel has neither netem nor tbf"

    def put(self, name: str, source: Path, target: str) -> Path:
        """Copy a folder into the own folder of a host; returns its path there."""
        shutil.copytree(source, self._private / name / target)
        return self.own / target

    def path_here(self, name: str, path: Path) -> Path:
        """Where this process finds a file of a host's own folder."""
        return self._private / name / path.relative_to(self.own)

    def remove(self) -> None:
        """End what runs on the hosts, and take them away."""
        remove_spaces([*self._names.values(), self._switch])


def remove_spaces(spaces: list[str]) -> None:
    """Take namespaces away with all that runs in them; those that there are."""
    known = {line.split()[0] for line in run("ip", "netns", "list").splitlines() if line}
    for space in known.intersection(spaces):
        for pid in run("ip", "netns", "pids", space).split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        run("ip", "netns", "del", space)


def remove_leftovers() -> None:
    """Take away the namespaces of runs that were killed."""
    spaces = [line.split()[0] for line in run("ip", "netns", "list").splitlines() if line]
    for space in spaces:
        kind, _, rest = space.partition("-")
        pid = rest.partition("-")[0]
        if kind == PREFIX and pid.isdigit() and not Path("/proc", pid).exists():
            remove_spaces([space])


class Cluster:
    """A Dask scheduler on the host ``head``, and workers on others, all by TLS."""

    def __init__(self, hosts: Hosts, environment: dict[str, str]) -> None:
        self._hosts = hosts
        self._environment = environment
        own = hosts.own
        self._files = {"ca": hosts.shared / "ca.pem", "cert": own / "host.pem"}
        self._files["key"] = own / "host.key"
        self.address = f"tls://{hosts.address('head')}:8786"
        self.engine = f"{self.address}?" + "&".join(f"{k}={v}" for k, v in self._files.items())
        self._start("head", "scheduler", "--host", hosts.address("head"), "--protocol", "tls")

    def add_worker(self, name: str, code: Path | None = None) -> subprocess.Popen[str]:
        """Start a worker on a host, with other code than ours where a place is given."""
        place = ("--host", self._hosts.address(name), "--local-directory", str(self._hosts.own))
        options = ("--nthreads", "1", "--no-nanny", *place)
        return self._start(name, "worker", self.address, *options, code=code)

    def _start(self, name: str, *command: str, code: Path | None = None) -> subprocess.Popen[str]:
        tls = ("--tls-ca-file", str(self._files["ca"]), "--tls-cert", str(self._files["cert"]))
        tls += ("--tls-key", str(self._files["key"]), "--no-dashboard")
        path = os.pathsep.join(filter(None, [str(code or ""), self._environment["PYTHONPATH"]]))
        log = self._hosts.path_here(name, self._hosts.own / "log.txt").open("a")
        return self._hosts.start(
            name, sys.executable, "-m", "dask", *command, *tls,
            env=self._environment | {"PYTHONPATH": path}, stdout=log, stderr=log,
        )  # fmt: skip

    def wait_for(self, n_workers: int) -> None:
        """Wait until so many workers are known to the scheduler."""
        tls = {"tls_ca_file": "ca", "tls_client_cert": "cert", "tls_client_key": "key"}
        given = ", ".join(f"{name}={str(self._files[key])!r}" for name, key in tls.items())
        ask = f"""
from distributed import Client, Security
security = Security(require_encryption=True, {given})
with Client({self.address!r}, security=security, timeout=30) as client:
    client.wait_for_workers({n_workers}, timeout=60)
    print(*sorted(client.scheduler_info(n_workers=-1)["workers"]))
"""
        process = self._hosts.start(
            "head", sys.executable, "-c", ask, env=self._environment, stdout=subprocess.PIPE
        )
        said, _ = process.communicate(timeout=120)
        if process.returncode:
            raise SystemExit("the workers did not come: see log.txt of their hosts (--keep)")
        print(f"workers: {said.strip()}", flush=True)


@contextmanager
def when_written(folder: Path, pattern: str, action: Callable[[], None]) -> Iterator[list[float]]:
    """Do something when the first file of the pattern is in the folder; gives when it was done."""
    done: list[float] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.002):
            with suppress(OSError):
                if any(folder.rglob(pattern)):
                    action()
                    done.append(time.perf_counter())
                    return

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield done
    finally:
        over.set()
        thread.join()


def make_commands(shared: Path, made: Path, shard_chars: int) -> dict[str, list[str]]:
    """The commands, in their order; what they make goes into a folder."""
    corpus, vectors, model = (str(made / name) for name in ("corpus", "vectors", "model"))
    python = [sys.executable, "-c"]
    ours = [*python, "from grassmeans.cli.main import run; run()"]
    return {
        "ingest": [*python, INGEST, str(shared / "texts"), corpus, str(shard_chars)],
        "vectors": [
            *ours, "vectors", corpus, "-o", vectors, "--dim", "32", "--epochs", "1",
            "--min-count", "5", "--parts", "3", "--workers", "1",
        ],
        "induce": [
            *ours, "induce", corpus, vectors, "-o", model, "--senses", "3", "--min-count", "20",
            "--max-contexts", "100", "--no-calibrate", "--workers", "1",
        ],
        "label": [*ours, "label", corpus, model, "-o", str(made / "labelled"), "--workers", "1"],
    }  # fmt: skip


def with_engine(name: str, command: list[str], engine: str) -> list[str]:
    """The command with its engine."""
    return [*command, engine] if name == "ingest" else [*command, "--engine", engine]


def digest_files(folder: Path) -> dict[str, str]:
    """Digests of all files but of manifests and lists, which name times and folders."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if path.name not in ("manifest.json", "checksums.txt")
    }


def write_inputs(folder: Path, n_words: int) -> None:
    """Write made-up texts, in files enough for all workers."""
    folder.mkdir()
    texts = made_up_texts()
    for number in range(12):
        write_texts(texts, n_words // 12, folder / f"{number:02}.jsonl")


def make_environment() -> dict[str, str]:
    """The environment of all processes: our code, one thread each, losses noticed soon."""
    return dict(os.environ) | {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "NUMBA_NUM_THREADS": "1",
        "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": f"{LOST_SECONDS}s",
    }


def make_other_version(hosts: Hosts, name: str) -> Path:
    """A copy of the package with another version, on a host of its own."""
    place = hosts.put(name, Path(grassmeans.__file__).parent, "code/grassmeans")
    version = hosts.path_here(name, place / "version.py")
    version.write_text(version.read_text().replace(grassmeans.__version__, "0.0.1"))
    return place.parent


def run_all(hosts: Hosts, n_words: int) -> dict[str, Any]:
    """Run everything here, and then by the hosts; returns what was seen."""
    shared, environment = hosts.shared, make_environment()
    shard_chars = max(20_000, n_words // 2)
    write_inputs(shared / "texts", n_words)
    here, there = shared / "here", shared / "there"
    seconds: dict[str, dict[str, float]] = {}
    for place in (here, there):
        place.mkdir()

    def finish(name: str, where: str, process: subprocess.Popen[str], started: float) -> None:
        try:
            said, _ = process.communicate(timeout=1_800)
        finally:
            process.kill()  # where this script is ended first
        if process.returncode:
            raise SystemExit(f"{name} ({where}) ended with {process.returncode}:\n{said}")
        seconds.setdefault(name, {})[where] = round(time.perf_counter() - started, 1)
        print(f"{name} ({where}): {seconds[name][where]} s", flush=True)

    told: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    told["env"] = environment
    cluster = Cluster(hosts, environment)
    for name in ("one", "two", "three"):  # they start while this process works
        cluster.add_worker(name)
    for name, command in make_commands(shared, here, shard_chars).items():
        local = with_engine(name, command, "local")
        finish(name, "here", subprocess.Popen(local, text=True, **told), time.perf_counter())
    cluster.wait_for(3)
    found: dict[str, Any] = {"words": n_words, "seconds": seconds, "same_bytes": {}}
    folders = {"ingest": "corpus", "vectors": "vectors", "induce": "model", "label": "labelled"}
    for name, command in make_commands(shared, there, shard_chars).items():
        if name == "vectors":
            found["slow_link"] = hosts.slow_down("two")
            print(f"the link of host two is slow: {found['slow_link']}", flush=True)
        cut = ExitStack()
        if name == "induce":
            done = cut.enter_context(
                when_written(
                    there / ".model.building", "scratch/*.jsonl", lambda: hosts.cut("three")
                )
            )
        started = time.perf_counter()
        with cut:
            process = hosts.start("head", *with_engine(name, command, cluster.engine), **told)
            finish(name, "hosts", process, started)
        if name == "induce":
            found["cut_after"] = round(done[0] - started, 1) if done else None
        same = digest_files(here / folders[name]) == digest_files(there / folders[name])
        found["same_bytes"][name] = same
    command = make_commands(shared, there, shard_chars)["ingest"]
    command[4] = str(there / "refused")
    cluster.add_worker("other", make_other_version(hosts, "other"))
    cluster.wait_for(3)
    process = hosts.start("head", *with_engine("ingest", command, cluster.engine), **told)
    said, _ = process.communicate(timeout=300)
    found["refused"] = said.strip().splitlines()[-1] if process.returncode else None
    found["refused_address"] = hosts.address("other")
    return found


def main() -> None:
    """Make the hosts, run everything, and take them away, whatever happens."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=60_000, help="made-up words (60,000)")
    parser.add_argument("--json", type=Path, help="a file for what was seen")
    parser.add_argument("--keep", type=Path, help="a new folder to work in, that stays")
    parser.add_argument("--check", action="store_true", help="only say whether it could run")
    given = parser.parse_args()
    reason = why_not()
    if given.check or reason:
        print(reason or "hosts can be made here")
        raise SystemExit(1 if reason else 0)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what follows is cleaned
    remove_leftovers()
    with ExitStack() as stack:
        if given.keep is not None:
            given.keep.mkdir(parents=True)
        temporary = None if given.keep else stack.enter_context(tempfile.TemporaryDirectory())
        folder = Path(temporary or given.keep.resolve())
        hosts = Hosts(folder, ["head", "one", "two", "three", "other"])
        stack.callback(hosts.remove)
        hosts.make()
        found = run_all(hosts, given.words)
    found["machine"] = describe_machine()
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(json.dumps({k: v for k, v in found.items() if k != "machine"}, indent=2))
    refused = found["refused"] or ""
    is_refused = found["refused_address"] in refused and "grassmeans 0.0.1" in refused
    if not (all(found["same_bytes"].values()) and found["cut_after"] and is_refused):
        raise SystemExit("something is not as it should be: see above")


if __name__ == "__main__":
    main()
