"""Commands whose results are the same wherever they run, for tests of engines that fail."""

from __future__ import annotations

import bz2
import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from grassmeans import Corpus
from grassmeans.corpus.corpus import default_options
from grassmeans.labelling import label_corpus
from grassmeans.models.building import build_model
from synthetic import POLYSEMOUS, make_topic_text

OPTIONS = replace(default_options("none"), shard_chars=4_000)
PAGE = (
    "<page><title>{0}</title><ns>0</ns><id>{0}</id><revision><text>{1}</text></revision></page>\n"
)


FIRST_FILES = {"ingest": "part.json", "induce": "scratch/*.jsonl", "label": "scratch/0*.json"}
"""The first file that a task of each leaves."""


def write_inputs(folder: Path) -> list[Path]:
    """A multistream dump, JSON lines and a folder of texts, with duplicates among them."""
    texts = make_topic_text(120).documents
    dump = "".join(PAGE.format(i, text) for i, text in enumerate(texts[:60])).encode()
    dump = b"<mediawiki>" + dump + b"</mediawiki>"
    streams = (dump[i : i + 2_000] for i in range(0, len(dump), 2_000))
    (folder / "dump.xml.bz2").write_bytes(b"".join(map(bz2.compress, streams)))
    lines = [json.dumps({"text": text}) for text in texts[50:100]]
    (folder / "notes.jsonl").write_text("\n".join([*lines, "{broken"]))
    for i in range(100, 120):
        (folder / f"{i}.txt").write_text(texts[i])
    return sorted(folder.iterdir())


def make_jobs(inputs, corpus, vectors, engine) -> dict[str, Callable[[Path], Path]]:
    """The commands whose results are the same everywhere, each into a folder."""
    words = [*POLYSEMOUS, *corpus.vocabulary.words[8:68]]
    quiet = {"engine": engine, "workers": 1, "show_progress": False}

    def ingest(folder: Path) -> Path:
        return Corpus.from_files(inputs, folder, options=OPTIONS, **quiet).path

    def induce(folder: Path) -> Path:
        build_model(
            corpus.path, vectors.folder, folder, words, max_contexts=60, calibrated=False, **quiet
        )
        return folder

    def label(folder: Path) -> Path:
        source = Corpus.open(folder.parent / "cut")
        model = folder.parent / "model"
        return label_corpus(source, model, folder, **quiet).path

    def prepare_label(folder: Path) -> Path:
        if not (folder.parent / "model").exists():
            build_model(
                corpus.path, vectors.folder, folder.parent / "model", list(POLYSEMOUS),
                max_contexts=60, calibrated=False, workers=1, show_progress=False,
            )  # fmt: skip
            texts = make_topic_text(160).documents
            small = replace(OPTIONS, shard_chars=3_000)
            Corpus.from_texts(texts, folder.parent / "cut", options=small)
        return label(folder)

    return {"ingest": ingest, "induce": induce, "label": prepare_label}


def digest_folder(folder: Path) -> dict[str, str]:
    """Digests of all files but for what changes with the clock."""
    found = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        content = path.read_bytes()
        if path.name == "manifest.json":
            changing = ("created", "manifest_digest", "parts", "labelled", "digest", "corpus")
            values = json.loads(content)
            content = json.dumps({k: v for k, v in values.items() if k not in changing}).encode()
        if path.name != "checksums.txt":
            found[str(path.relative_to(folder))] = hashlib.md5(content).hexdigest()
    return found


def hold(begun: Path, until: Path) -> int:
    """A task that says that it has begun, and ends when it is told to."""
    with begun.open("a") as file:
        file.write("x")
    for _ in range(3000):
        if until.exists():
            return os.getpid()
        time.sleep(0.01)
    raise TimeoutError


@contextmanager
def when_written(folder: Path, pattern: str, action: Callable[[], None]) -> Iterator[list[bool]]:
    """Do something as soon as a file of the pattern lies in a folder that is being built."""
    work = folder.with_name(f".{folder.name}.building")
    done: list[bool] = []
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            there = False
            with suppress(OSError):  # folders come and go
                there = any(work.rglob(pattern))
            if there:
                action()
                done.append(True)
                return
            time.sleep(0.002)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield done
    finally:
        over.set()
        thread.join()
