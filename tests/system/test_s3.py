"""Object stores by a server that speaks S3 (moto's): what comes, what it costs, what goes wrong."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from joblib.externals.loky import get_reusable_executor

from grassmeans import Corpus
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.errors import GrassmeansError, InputError
from grassmeans.outputs.addresses import find_files
from grassmeans.outputs.stores import copy_artifact, fetch_inputs
from s3_server import S3Server

TEXTS = [f"the crane number {i} lifted a beam by the river" for i in range(40)]
ALONE = {"workers": 1, "show_progress": False}


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")  # asks nobody else for credentials
        patch.setenv("AWS_MAX_ATTEMPTS", "1")
        patch.setenv("AWS_CONFIG_FILE", os.devnull)
        patch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
        server = S3Server()
        patch.setenv("AWS_ENDPOINT_URL", server.url)
        # Workers that earlier tests have left have the environment of before.
        get_reusable_executor().shutdown(wait=True)
        yield server
        server.stop()


@pytest.fixture
def s3(server, monkeypatch) -> S3Server:
    """The server with an empty bucket, for clients that try twice, where five times are usual."""
    server.calm()
    server.forget_clients()
    monkeypatch.setattr(server.client_class, "retries", 2)
    return server


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Corpus:
    """A corpus of many files."""
    options = IngestOptions(shard_chars=200)
    return Corpus.from_texts(TEXTS, tmp_path_factory.mktemp("s3") / "corpus", options=options)


def read_folder(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def make_files() -> dict[str, bytes]:
    """The same kind of text in many formats."""
    lines = "\n".join(json.dumps({"text": text}) for text in TEXTS[:10]).encode()
    return {
        "a.txt": TEXTS[10].encode(),
        "deep/er/b.txt.gz": gzip.compress(TEXTS[11].encode()),
        "lines.jsonl": lines,
        "lines.jsonl.bz2": bz2.compress(lines.replace(b"crane", b"heron")),
        "table.csv": b"text\n" + "\n".join(TEXTS[12:20]).encode(),
        "names \u00fc [1] #2 +%2e.txt": TEXTS[20].encode(),
    }


def test_a_bucket_gives_the_corpus_of_the_files(s3, tmp_path) -> None:
    for name, content in make_files().items():
        s3.put(f"texts/{name}", content)
        (tmp_path / "texts" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "texts" / name).write_bytes(content)
    s3.put("texts/deep/", b"")  # as consoles mark a folder
    s3.put("texts2/other.txt", b"nothing of ours")
    here = Corpus.from_files(tmp_path / "texts", tmp_path / "here", **ALONE)
    there = Corpus.from_files("s3://bucket/texts", tmp_path / "there", workers=2)
    assert there.n_documents == here.n_documents == 31
    assert there.manifest["digest"] == here.manifest["digest"]
    some = Corpus.from_files("s3://bucket/texts/*.jsonl*", tmp_path / "some", **ALONE)
    one = Corpus.from_files(["s3://bucket/texts/a.txt"], tmp_path / "one", **ALONE)
    assert (some.n_documents, one.n_documents) == (20, 1)


def test_files_cost_one_request_each_and_lists_one_a_thousand(s3, corpus, tmp_path) -> None:
    for i in range(40):
        s3.put(f"texts/{i}.txt", TEXTS[i].encode())
    s3.requests.clear()
    with fetch_inputs(["s3://bucket/texts"], tmp_path / "c", workers=1) as paths:
        assert len(paths) == 40
    assert s3.requests == {"GET": 40 + 1}
    n_files = len(read_folder(corpus.path))
    assert n_files > 60
    s3.requests.clear()
    copy_artifact(corpus.path, "s3://bucket/corpus", **ALONE)
    assert s3.requests.total() - n_files < 15
    s3.requests.clear()
    copy_artifact(corpus.path, "s3://bucket/corpus", overwrite=True, **ALONE)
    assert s3.requests["DELETE"] + s3.requests["POST"] == 3, "the manifest, the files, the claim"
    assert s3.requests.total() - n_files < 20
    s3.requests.clear()
    copy_artifact("s3://bucket/corpus", tmp_path / "back", **ALONE)
    assert s3.requests.total() - n_files < 10
    assert read_folder(tmp_path / "back") == read_folder(corpus.path)


def in_the_middle(s3: S3Server, method: str, number: int, action: Callable[[], object]) -> None:
    """Do something before the answer to a request of a kind, and to all that follow."""

    def count(asked: str, path: str) -> tuple[int, str] | None:
        if asked == method and s3.requests[method] > number:
            action()
            return 500, "InternalError"
        return None

    s3.requests.clear()
    s3.fail = count


def test_a_server_that_dies_in_the_middle_is_told_and_gone_on_with(s3, corpus, tmp_path) -> None:
    files = read_folder(corpus.path)
    over = threading.Event()

    def stop_when_told() -> None:
        over.wait(30)
        s3.stop()

    killer = threading.Thread(target=stop_when_told)
    killer.start()
    in_the_middle(s3, "PUT", 20, over.set)
    with pytest.raises(InputError, match="cannot be reached: ") as told:
        copy_artifact(corpus.path, "s3://bucket/corpus", **ALONE)
    assert "\n" not in str(told.value)
    killer.join()
    with pytest.raises(InputError, match="cannot be reached: Could not connect"):
        copy_artifact("s3://bucket/corpus", tmp_path / "back", **ALONE)
    s3.start()
    s3.fail = lambda method, path: None
    n_sent = len(s3.read_all("corpus/")) - 1
    assert 0 < n_sent < len(files)
    s3.requests.clear()
    copy_artifact(corpus.path, "s3://bucket/corpus", **ALONE)
    assert s3.requests["PUT"] == len(files) - n_sent + 1, "what is missing, and the claim"
    assert s3.read_all("corpus/") == {f"corpus/{name}": files[name] for name in files}


def test_errors_in_the_middle_of_fetching_cost_only_what_is_missing(s3, corpus, tmp_path) -> None:
    copy_artifact(corpus.path, "s3://bucket/corpus", **ALONE)
    n_files = len(read_folder(corpus.path))
    in_the_middle(s3, "GET", 30, lambda: None)
    with pytest.raises(InputError, match=r"cannot be reached: .*InternalError"):
        copy_artifact("s3://bucket/corpus", tmp_path / "back", **ALONE)
    assert not (tmp_path / "back").exists()
    n_there = sum(path.suffix == ".npy" for path in (tmp_path / ".back.building").rglob("*"))
    s3.fail = lambda method, path: None
    s3.requests.clear()
    copy_artifact("s3://bucket/corpus", tmp_path / "back", **ALONE)
    assert n_there > 15
    assert s3.requests["GET"] <= n_files - n_there + 15, "what is missing, and the lists"
    assert read_folder(tmp_path / "back") == read_folder(corpus.path)


def test_an_ingest_whose_server_fails_goes_on_with_the_missing_files(s3, tmp_path) -> None:
    for i, text in enumerate(TEXTS):
        s3.put(f"texts/{i:02}.txt", text.encode())
    in_the_middle(s3, "GET", 20, s3.stop)
    with pytest.raises(InputError, match="cannot be reached: "):
        Corpus.from_files("s3://bucket/texts", tmp_path / "corpus", **ALONE)
    n_there = len(list((tmp_path / ".corpus.inputs").rglob("*.txt")))
    assert 0 < n_there < 40
    s3.start()
    s3.fail = lambda method, path: None
    s3.requests.clear()
    made = Corpus.from_files("s3://bucket/texts", tmp_path / "corpus", **ALONE)
    assert made.n_documents == 40
    assert s3.requests == {"GET": 40 - n_there + 1}


def test_single_errors_and_slow_answers_are_borne(s3, tmp_path) -> None:
    for i in range(16):
        s3.put(f"texts/{i}.txt", TEXTS[i].encode())
    asked: set[str] = set()

    def fail_first(method: str, path: str) -> tuple[int, str] | None:
        if path in asked or not path.endswith("7.txt"):
            return None
        asked.add(path)
        return 503, "SlowDown"

    s3.fail, s3.delay = fail_first, 0.1
    made = Corpus.from_files("s3://bucket/texts", tmp_path / "corpus", **ALONE)
    assert made.n_documents == 16
    assert len(asked) == 1


HOSTILE = {
    "../evil.txt": "no name of a file below it",
    "/evil.txt": "no name of a file below it",
    "a//b.txt": "no name of a file below it",
    "..\\evil.txt": "no name of a file below it",
    "C:evil.txt": "no name of a file below it",
    "folder/": "no name of a file below it",  # with content: a mark is empty
    "a\x1b[2Jb.txt": "control characters",
    "k" * 300 + ".txt": "more than 255 bytes",
}


def test_hostile_keys_are_refused_before_anything_is_written(s3, corpus, tmp_path) -> None:
    copy_artifact(corpus.path, "s3://bucket/corpus", **ALONE)
    for key, told in HOSTILE.items():
        s3.put(f"corpus/{key}", b"text of a stranger")
        for read in (
            lambda: copy_artifact("s3://bucket/corpus", tmp_path / "back", **ALONE),
            lambda: Corpus.from_files("s3://bucket/corpus", tmp_path / "c", **ALONE),
        ):
            with pytest.raises(InputError, match=told) as error:
                read()
            assert str(error.value).isprintable()
        s3.delete(f"corpus/{key}")
    for key in ("WORDS.txt", "words.txt/inside"):
        s3.put(f"corpus/{key}", b"text of a stranger")
        with pytest.raises(InputError, match=r"one name on some disks|as a file, and .* in it"):
            copy_artifact("s3://bucket/corpus", tmp_path / "back", **ALONE)
        s3.delete(f"corpus/{key}")
    assert not list(tmp_path.iterdir())


def test_keys_that_only_look_odd_are_read(s3, tmp_path) -> None:
    keys = ["A.txt", "a.txt", "both", "both/x.txt", "a*.txt", "q?.txt", "p/" * 300 + "x.txt", "con"]
    for number, key in enumerate(keys):
        s3.put(f"texts/{key}", TEXTS[number].encode())
    made = Corpus.from_files("s3://bucket/texts", tmp_path / "corpus", **ALONE)
    assert made.n_documents == len(keys)


def test_lists_are_those_of_now(s3) -> None:
    s3.put("texts/a.txt", b"four")
    (first,) = find_files("s3://bucket/texts")
    s3.put("texts/a.txt", b"five")
    s3.put("texts/b.txt", b"more")
    second, _ = find_files("s3://bucket/texts")
    assert second.address == first.address
    assert second.state != first.state


def test_what_is_missing_is_told_in_one_line(s3, corpus, tmp_path, monkeypatch) -> None:
    def tell(action: Callable[[], object]) -> str:
        with pytest.raises(GrassmeansError) as error:
            action()
        assert "\n" not in str(error.value)
        return str(error.value)

    def ingest(address: str) -> str:
        return tell(lambda: Corpus.from_files(address, tmp_path / "c", **ALONE))

    def send(address: str) -> str:
        return tell(lambda: copy_artifact(corpus.path, address, **ALONE))

    def fetch(address: str) -> str:
        return tell(lambda: copy_artifact(address, tmp_path / "b", **ALONE))

    absent = "there is no bucket 'nowhere' for s3://nowhere/x: check the address"
    assert [do("s3://nowhere/x") for do in (ingest, send, fetch)] == [absent] * 3
    nothing = "there is nothing at s3://bucket/x: check the address"
    assert [do("s3://bucket/x") for do in (ingest, fetch)] == [nothing] * 2
    s3.fail = lambda method, path: (403, "AccessDenied")
    for do in (ingest, send, fetch):
        assert "s3://bucket/x may not be read or written (" in do("s3://bucket/x")
    s3.fail = lambda method, path: (403, "AccessDenied") if method == "PUT" else None
    assert "may not be read or written (AccessDenied): check the cred" in send("s3://bucket/x")
    assert s3.read_all() == {}
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    s3.forget_clients()
    for do in (ingest, send, fetch):
        assert "needs credentials (Unable to locate credentials): set AWS_ACCESS" in do(
            "s3://bucket/x"
        )


def test_the_command_takes_endpoint_and_credentials_from_its_environment(s3, tmp_path) -> None:
    s3.put("texts/a.txt", "\n\n".join(TEXTS).encode())
    command = [sys.executable, "-c", "from grassmeans.cli.main import run; run()"]
    path = os.pathsep.join(filter(None, sys.path))
    given = os.environ | {"PYTHONPATH": path}

    def run(*arguments: str) -> None:
        started = time.monotonic()
        subprocess.run([*command, *arguments], env=given, check=True, capture_output=True)
        assert time.monotonic() - started < 60

    run("ingest", "s3://bucket/texts/*.txt", "-o", str(tmp_path / "corpus"), "--workers", "1")
    run("copy", str(tmp_path / "corpus"), "s3://bucket/made", "--workers", "1")
    sent = {key.removeprefix("made/"): content for key, content in s3.read_all("made/").items()}
    assert sent == read_folder(tmp_path / "corpus")
