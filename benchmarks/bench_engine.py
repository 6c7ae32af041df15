"""What an engine costs: ingest, induce and label by Dask and by plain processes, on the same cores.

    python benchmarks/bench_engine.py                          # made-up text, a minute or two
    python benchmarks/bench_engine.py --input enwiki.jsonl.xz --tokens 6e6 --name engine-enwiki
    python benchmarks/bench_engine.py --corpus corpus --scws ratings.txt --dim 100 --epochs 1 \
        --name engine-vectors                                  # vectors in 1, 2 and 4 parts

Both run the same tasks in turns, in workers that are started already, and ratios are medians of
those of neighbouring runs; what starting takes is told apart. Processor time is that of all
processes together, and is what to compare on a machine that others use too. Memory is the largest
resident size of a worker.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from scipy.stats import spearmanr

from bench_pipeline import made_up_texts, write_texts
from grassmeans import Corpus, SkipGram, WordVectors
from grassmeans.engines import use_engine
from grassmeans.engines.messages import Packer
from grassmeans.labelling import label_corpus
from grassmeans.models.building import build_model
from grassmeans.reading.documents import ReadReport
from grassmeans.reading.inputs import read_documents
from grassmeans.vectors.skipgram import train_vectors
from grassmeans_lab.evaluation.tasks.similarity_scores import read_word_pairs, score_word_pairs
from measurement import write_result

QUIET = {"show_progress": False, "overwrite": True}


class ProcessMeter:
    """Processor time of this process and all below it, and the memory of each of them."""

    def __init__(self) -> None:
        self._times: dict[int, float] = {}
        self._here = psutil.Process()
        self.largest_worker = 0
        self.largest_here = 0

    def look(self) -> float:
        """Look at all processes; returns their processor seconds so far."""
        for process in [self._here, *self._here.children(recursive=True)]:
            try:
                used, size = process.cpu_times(), process.memory_info().rss
            except psutil.Error:
                continue
            self._times[process.pid] = used.user + used.system
            if process.pid == self._here.pid:
                self.largest_here = max(self.largest_here, size)
            else:
                self.largest_worker = max(self.largest_worker, size)
        return sum(self._times.values())

    @contextmanager
    def watch(self) -> Iterator[dict[str, float]]:
        """Measure a block: seconds, processor seconds, bytes of a worker."""
        over = threading.Event()
        self.largest_worker = self.largest_here = 0

        def keep_looking() -> None:
            while not over.wait(0.2):
                self.look()

        before, started = self.look(), time.perf_counter()
        thread = threading.Thread(target=keep_looking)
        thread.start()
        found: dict[str, float] = {}
        try:
            yield found
        finally:
            found["seconds"] = time.perf_counter() - started
            over.set()
            thread.join()
            found["cpu_seconds"] = self.look() - before
            found["worker_bytes"] = self.largest_worker
            found["client_bytes"] = self.largest_here


def make_jobs(folder: Path, n_words: int) -> dict[str, Callable[[str | None, int], Any]]:
    """The commands that are measured, by name."""
    corpus, model = folder / "corpus", folder / "model"

    def ingest(engine: str | None, workers: int) -> None:
        given = sorted((folder / "texts").iterdir())
        Corpus.from_files(given, folder / "again", workers=workers, engine=engine, **QUIET)

    def induce(engine: str | None, workers: int) -> None:
        words = Corpus.open(corpus).vocabulary.words[200 : 200 + n_words]
        build_model(
            corpus, folder / "vectors", model, words, n_senses=5, max_contexts=1_000,
            calibrated=False, workers=workers, engine=engine, **QUIET,
        )  # fmt: skip

    def label(engine: str | None, workers: int) -> None:
        target = folder / "labelled"
        label_corpus(Corpus.open(corpus), model, target, workers=workers, engine=engine, **QUIET)

    return {"ingest": ingest, "induce": induce, "label": label}


def prepare(folder: Path, source: Path | None, n_tokens: int, n_files: int = 8) -> int:
    """Write text in some files, its corpus and vectors; returns the number of words."""
    texts = made_up_texts()
    if source is not None:
        texts = (document.text for document in read_documents(source, report=ReadReport()))
    (folder / "texts").mkdir()
    for i in range(n_files):
        write_texts(texts, n_tokens // n_files, folder / "texts" / f"{i}.jsonl")
    corpus = Corpus.from_files(folder / "texts", folder / "corpus", workers=1, **QUIET)
    words = corpus.vocabulary.words[: corpus.vocabulary.size_at(5)]
    matrix = np.random.default_rng(0).standard_normal((len(words), 100)).astype(np.float32)
    WordVectors(words, matrix, corpus.vocabulary.counts[: len(words)]).save(folder / "vectors")
    return corpus.n_tokens


@contextmanager
def count_messages() -> Iterator[list[int]]:
    """The sizes of all messages that are sent in a block."""
    sizes: list[int] = []
    pack = Packer.pack

    def pack_and_count(self: Packer, *call: Any) -> Any:
        message = pack(self, *call)
        sizes.append(message.n_bytes)
        return message

    Packer.pack = pack_and_count  # type: ignore[method-assign]
    try:
        yield sizes
    finally:
        Packer.pack = pack  # type: ignore[method-assign]


def compare_engines(folder: Path, n_words: int, workers: int, runs: int) -> dict[str, Any]:
    """Seconds, processor seconds and memory of each job, by both."""
    meter = ProcessMeter()
    jobs = make_jobs(folder, n_words)
    started = time.perf_counter()
    rows: dict[str, Any] = {}
    with use_engine("dask", workers):
        starting = time.perf_counter() - started
        for name, job in jobs.items():
            measured: dict[str, list[dict[str, float]]] = {"local": [], "dask": []}
            sizes: list[int] = []
            for engine in ("local", None):  # compiles and imports, in all workers
                job(engine, workers)
            for run in range(runs):
                turns = (("local", "local"), ("dask", None))
                for engine, given in turns if run % 2 else reversed(turns):
                    with count_messages() as counted, meter.watch() as found:
                        job(given, workers)
                    measured[engine].append(found)
                    sizes = counted or sizes
            rows[name] = _summarise(measured) | {
                "messages": len(sizes),
                "largest_message_bytes": max(sizes, default=0),
            }
            print(workers, name, json.dumps(rows[name]), flush=True)
    return {"workers": workers, "starting_seconds": round(starting, 2)} | rows


def _summarise(measured: dict[str, list[dict[str, float]]]) -> dict[str, Any]:
    summary: dict[str, Any] = {
        engine: {
            name: round(statistics.median(run[name] for run in runs), 2)
            for name in ("seconds", "cpu_seconds", "worker_bytes", "client_bytes")
        }
        for engine, runs in measured.items()
    }
    for name in ("seconds", "cpu_seconds"):
        pairs = zip(measured["dask"], measured["local"], strict=True)
        ratios = [dask[name] / local[name] for dask, local in pairs]
        summary[f"{name}_dask_to_local"] = round(statistics.median(ratios), 3)
    return summary


def rate_pairs(vectors: WordVectors, ratings: Path) -> tuple[float, int]:
    """Spearman correlation (times 100) with the ratings of SCWS, contexts left aside."""
    found, rated = [], []
    for line in ratings.read_text(encoding="utf-8", errors="replace").splitlines():
        fields = line.split("\t")
        first, second = fields[1].lower(), fields[3].lower()
        if first in vectors and second in vectors:
            found.append(vectors.similarity(first, second))
            rated.append(float(fields[7]))
    return round(100 * float(spearmanr(found, rated)[0]), 2), len(rated)


def measure_parts(options: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    """Quality and time of a training in one part and in several, by workers of Dask."""
    corpus = Corpus.open(options.corpus)
    rows = []
    meter = ProcessMeter()
    with use_engine("dask", options.workers[-1]):
        for parts in options.parts:
            trainer = SkipGram(
                dim=options.dim, epochs=options.epochs, max_vocabulary=options.vocabulary,
                parts=parts, workers=1,
            )  # fmt: skip
            with meter.watch() as found:
                vectors = train_vectors(corpus, folder / f"parts-{parts}", trainer)
            score, n_pairs = rate_pairs(vectors, options.scws)
            others = {
                name: round(score_word_pairs(vectors, read_word_pairs(Path(path))).spearman, 2)
                for name, path in (pair.split("=", maxsplit=1) for pair in options.pairs)
            }
            rows.append({"parts": parts, "scws": score, "n_pairs": n_pairs} | others | found)
            print(json.dumps(rows[-1]), flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", type=Path, help="JSON lines with a field text")
    parser.add_argument("--tokens", type=float, default=1.5e6)
    parser.add_argument("--words", type=int, default=64, help="to induce")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--corpus", type=Path, help="train vectors on it instead")
    parser.add_argument("--scws", type=Path)
    parser.add_argument("--pairs", action="append", default=[], help="NAME=FILE of rated words")
    parser.add_argument("--parts", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--vocabulary", type=int, default=200_000)
    parser.add_argument("--name", default="engine")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="grassmeans-bench-"))
    try:
        if options.corpus is not None:
            settings = {name: getattr(options, name) for name in ("dim", "epochs", "vocabulary")}
            n_tokens = Corpus.open(options.corpus).n_tokens
            rows = measure_parts(options, folder)
            write_result(options.name, {"n_tokens": n_tokens} | settings | {"training": rows})
            return
        n_tokens = prepare(folder, options.input, int(options.tokens))
        rows = [
            compare_engines(folder, options.words, workers, options.runs)
            for workers in options.workers
        ]
        write_result(options.name, {"n_tokens": n_tokens, "n_words": options.words, "runs": rows})
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
