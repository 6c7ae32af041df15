"""Real-time use: how soon the first sentence is tagged, and how long a new word takes.

    python benchmarks/bench_online.py                     # a model of the demo text
    python benchmarks/bench_online.py --model MODEL --corpus CORPUS --name online-enwiki

Starting: from the start of the process `grassmeans tag MODEL` to its first answer, with files in
the system's cache; once more with an empty Numba cache, as after installation.

A new word: `WordInducer` from 1,000 and from 10,000 contexts, on all cores: extraction, subspaces,
K-Grassmeans, and the rest (characteristic words, neighbours, examples), p50 over several words.
Seconds a sentence are measured by `bench_tagging.py`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench_tagging import build_demo_model
from grassmeans import Corpus, WordVectors, load
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts import SubspaceEncoder
from grassmeans.geometry.windows import Contexts, ContextShape, sample_positions
from grassmeans.senses.samples import word_seeds
from grassmeans.senses.word_induction import WordInducer, group_contexts
from measurement import write_result

TAG = [sys.executable, "-c", "from grassmeans.cli.main import run; run()", "tag"]
SENTENCE = b"The crane lifted the heavy steel beams onto the ship in the harbour.\n"


def seconds_to_first_answer(model: Path, **variables: str) -> float:
    """From the start of a process to its answer to one sentence; the pipe stays open."""
    started = time.perf_counter()
    with subprocess.Popen(
        [*TAG, str(model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | variables,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(SENTENCE)
        process.stdin.flush()
        answer = process.stdout.readline()
        seconds = time.perf_counter() - started
        process.stdin.close()
    if not answer.startswith(b"{"):
        raise SystemExit(f"no answer from grassmeans tag {model}")
    return seconds


def measure_start(model: Path, runs: int) -> dict[str, float]:
    seconds = [seconds_to_first_answer(model) for _ in range(runs + 1)][1:]
    with tempfile.TemporaryDirectory() as empty:
        first = seconds_to_first_answer(model, NUMBA_CACHE_DIR=empty)
    return {
        "seconds_best": round(min(seconds), 3),
        "seconds_p50": round(float(np.median(seconds)), 3),
        "seconds_with_empty_numba_cache": round(first, 3),
    }


def choose_words(corpus: Corpus, vectors: WordVectors, n_contexts: int, n_words: int) -> list[str]:
    """Content words that have so many occurrences or a little more: the least frequent ones."""
    vocabulary = corpus.vocabulary
    frequent = vocabulary.words[: vocabulary.size_at(n_contexts)]
    left_out = corpus.function_words
    found = [word for word in frequent if word in vectors and word not in left_out]
    return list(found[-n_words:])


def measure_word(word: str, inducer: WordInducer) -> dict[str, float]:
    """Seconds of the whole, and of its parts run once more one by one."""
    clock, source, settings = time.perf_counter, inducer.source, inducer.settings
    started = clock()
    entry = inducer(word)
    total = clock() - started
    if not hasattr(entry, "senses"):
        raise SystemExit(f"{word}: {entry}")
    sampling = word_seeds(word, settings.random_state).spawn(2)[0]
    started = clock()
    positions = sample_positions(source.positions(word), settings.max_contexts, sampling)
    contexts = Contexts(inducer.encoder.describe_at(source, positions), positions)
    extracted = clock()
    bases = inducer.encoder.span(contexts.with_at_least(inducer.encoder.shape.rank).context_ids)
    solved = clock()
    group_contexts(word, bases, settings, inducer.encoder)
    return {
        "total": total,
        "extraction": extracted - started,
        "subspaces": solved - extracted,
        "k_grassmeans": clock() - solved,
    }


def measure_induction(
    corpus: Corpus, vectors: WordVectors, n_contexts: int, arguments: argparse.Namespace
) -> dict[str, Any]:
    senses = arguments.senses if arguments.senses == "auto" else int(arguments.senses)
    settings = InductionSettings(n_senses=senses, max_contexts=n_contexts)
    encoder = SubspaceEncoder(vectors, ContextShape(), corpus.function_words)
    inducer = WordInducer(corpus, encoder, settings)
    words = choose_words(corpus, vectors, n_contexts, arguments.words)
    if not words:
        return {"words": 0}
    measure_word(words[0], inducer)  # compiles, and maps the files
    found = [measure_word(word, inducer) for word in words]
    medians = {name: float(np.median([times[name] for times in found])) for name in found[0]}
    parts = sum(value for name, value in medians.items() if name != "total")
    return {
        "words": len(words),
        "n_senses": senses,
        "milliseconds_p50": round(1e3 * medians.pop("total"), 1),
        "milliseconds_max": round(1e3 * max(times["total"] for times in found), 1),
        "parts_milliseconds_p50": {name: round(1e3 * v, 1) for name, v in medians.items()}
        | {"together": round(1e3 * parts, 1)},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, help="a model folder, or a name")
    parser.add_argument("--corpus", type=Path, help="where new words are induced from")
    parser.add_argument("--vectors", type=Path, help="the model's own by default")
    parser.add_argument("--contexts", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--words", type=int, default=11)
    parser.add_argument("--senses", default="5", help="a number, or auto")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--name", default="online")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.model is None:
            build_demo_model(Path(folder))
            arguments.model, arguments.corpus = Path(folder) / "model", Path(folder) / "corpus"
            arguments.contexts = [50]
        result: dict[str, Any] = {"start": measure_start(arguments.model, arguments.runs)}
        if arguments.corpus is not None:
            given = arguments.vectors
            vectors = WordVectors.load(given) if given else load(arguments.model).vectors
            corpus = Corpus.open(arguments.corpus)
            for n_contexts in arguments.contexts:
                name = f"induction_from_{n_contexts}_contexts"
                result[name] = measure_induction(corpus, vectors, n_contexts, arguments)
        write_result(arguments.name, result)


if __name__ == "__main__":
    main()
