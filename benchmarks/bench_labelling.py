"""Labelling: occurrences a second, against the batched path and against the paper's procedure.

    python benchmarks/bench_labelling.py                                 # a made-up text
    python benchmarks/bench_labelling.py --corpus CORPUS --model MODEL   # real text

Three ways to the same distances, on the same occurrences:

ours         products shared by neighbouring contexts, two worker processes;
batched      word by word: contexts, their bases, projections (all threads of the machine);
one by one   a NumPy singular value decomposition per occurrence, on a sample of them.

Labels are compared before the distances are rounded for storage, and after. Besides the clock, the
processor time of each way is taken (all threads together), which says more on a busy machine.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans import Corpus, SenseModel, WordVectors, load
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.corpus.shard import Shard
from grassmeans.geometry.distances import measure_distances, usable_contexts
from grassmeans.geometry.windows import ContextShape
from grassmeans.labelling.measuring import (
    EncoderMeasure,
    find_targets,
    make_measure,
    measure_corpus,
)
from grassmeans.outputs.places import Building
from grassmeans.senses.decoding import decode_hard
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from measurement import write_result

THRESHOLD = 0.6


def made_up_data(folder: Path, n_tokens: int, dim: int) -> tuple[Corpus, SenseModel]:
    """Zipf-distributed words, 60 topics in the vectors, 1,000 words of five senses each."""
    rng = np.random.default_rng(0)
    n_words, n_topics, n_targets = 20_000, 60, 1_000
    names = [f"w{i}" for i in range(n_words)]
    weights = 1.0 / (np.arange(n_words) + 2.7)
    ids = rng.choice(n_words, size=n_tokens, p=weights / weights.sum())
    texts = (" ".join(names[i] for i in ids[at : at + 1_000]) for at in range(0, n_tokens, 1_000))
    functions = frozenset(names[:50])
    options = IngestOptions(function_words=functions, shard_chars=400_000)
    corpus = Corpus.from_texts(texts, folder / "corpus", options=options)
    topics = rng.standard_normal((n_topics, dim))
    vectors = rng.standard_normal(dim) + rng.standard_normal((n_words, dim))
    vectors += topics[rng.integers(0, n_topics, n_words)]
    vectors *= rng.uniform(0.5, 1.5, (n_words, 1)) / np.sqrt(dim)
    entries = []
    for word in names[50 : 50 + n_targets]:
        directions = vectors[rng.integers(0, n_words, 5)]
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        entries.append(WordSenses(word, 1, 1, directions.astype(np.float32), ()))
    known = WordVectors(names, vectors.astype(np.float32))
    encoder = SubspaceEncoder(known, ContextShape(10, 3), functions)
    return corpus, SenseModel(encoder, SenseInventory(entries), corpus.tokenizer)


def time_ours(corpus: Corpus, measure: EncoderMeasure, workers: int, runs: int) -> float:
    """Best time of the first pass, writing included; the first run compiles and starts workers."""
    seconds = []
    for _ in range(runs + 1):
        folder = Path(tempfile.mkdtemp(prefix="bench-labelling-"))
        started = time.perf_counter()
        measure_corpus(corpus, Building(folder, folder), measure, workers, False)
        seconds.append(time.perf_counter() - started)
        shutil.rmtree(folder)
    return min(seconds[1:])


def find_occurrences(
    shard: Shard, measure: EncoderMeasure
) -> tuple[Occurrences, NDArray[np.int32]]:
    """The occurrences of the targets in a shard, and which target each of them is."""
    words = measure.word_of_token[np.asarray(shard.tokens)]
    positions = np.flatnonzero(words >= 0)
    return measure.corpus.occurrences_in(shard, positions), words[positions]


def measure_ours(corpus: Corpus, measure: EncoderMeasure) -> list[NDArray[np.float32]]:
    """Unrounded distances of every shard."""
    return [
        measure.encoder.measure(*find_occurrences(shard, measure), measure.lines)
        for shard in corpus.shards
    ]


def measure_batched(corpus: Corpus, measure: EncoderMeasure) -> list[NDArray[np.float32]]:
    """Word by word through the contexts' bases."""
    lines = measure.lines
    results = []
    for shard in corpus.shards:
        occurrences, words = find_occurrences(shard, measure)
        distances = np.full((len(words), lines.most_senses), np.nan, np.float32)
        order = np.argsort(words, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(words[order])) + 1):
            first, end = lines.offsets[words[rows[0]] : words[rows[0]] + 2]
            bases = measure.encoder.encode(occurrences[rows])
            found = measure_distances(bases, lines.directions[first:end])
            found[~usable_contexts(bases)] = np.nan
            distances[rows, : end - first] = found
        results.append(distances)
    return results


def measure_one_by_one(
    corpus: Corpus, measure: EncoderMeasure, sample: NDArray[np.int64]
) -> NDArray[np.float64]:
    """A decomposition per occurrence, for some occurrences of the first shard."""
    occurrences, words = find_occurrences(corpus.shards[0], measure)
    tokens, offsets = np.asarray(occurrences.tokens), np.asarray(occurrences.document_offsets)
    encoder, lines = measure.encoder, measure.lines
    row_of_token, vectors = encoder.rows_of(occurrences.words), encoder.vectors.vectors
    window, rank = encoder.shape.window, encoder.shape.rank
    distances = np.full((len(sample), lines.most_senses), np.nan)
    for i, number in enumerate(sample):
        position, word = occurrences.positions[number], words[number]
        document = np.searchsorted(offsets, position, side="right") - 1
        # Wide enough for ten kept words a side in nearly every text; cut after dropping the others.
        before = tokens[max(offsets[document], position - 200) : position]
        after = tokens[position + 1 : min(offsets[document + 1], position + 201)]
        left = [row_of_token[t] for t in before if t >= 0 and row_of_token[t] >= 0]
        right = [row_of_token[t] for t in after if t >= 0 and row_of_token[t] >= 0]
        context = left[-window:] + right[:window]
        if len(context) < rank:
            continue
        basis = np.linalg.svd(vectors[context], full_matrices=False)[2][:rank]
        first, end = lines.offsets[word : word + 2]
        inside = np.square(basis @ lines.directions[first:end].T).sum(axis=0)
        distances[i, : end - first] = np.sqrt(np.clip(1.0 - inside, 0.0, 1.0))
    return distances


def time_call(function: Callable[[], Any]) -> tuple[Any, float, float]:
    """Result, seconds by the clock, seconds of processor time."""
    clock, processor = time.perf_counter(), time.process_time()
    result = function()
    return result, time.perf_counter() - clock, time.process_time() - processor


def labels(distances: NDArray[Any]) -> NDArray[np.int64]:
    missing = np.isnan(distances[:, :1])
    filled = np.where(np.isnan(distances) & ~missing, 2.0, distances)
    return decode_hard(filled, THRESHOLD)


def agreement(first: NDArray[Any], second: NDArray[Any]) -> float:
    return round(float((labels(first) == labels(second)).mean()), 6)


def first_shards(corpus: Corpus, n_shards: int) -> Corpus:
    """Keep the first shards only, to measure on a part of a large corpus."""
    corpus.shards = corpus.shards[:n_shards]
    return corpus


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--shards", type=int, default=4, help="of --corpus, to measure on")
    parser.add_argument("--tokens", type=float, default=1e6, help="of the made-up text")
    parser.add_argument("--dim", type=int, default=300, help="of the made-up vectors")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sample", type=int, default=3_000, help="occurrences one by one")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--name", default="labelling")
    arguments = parser.parse_args()
    if (arguments.corpus is None) != (arguments.model is None):
        raise SystemExit("give --corpus and --model together")
    with tempfile.TemporaryDirectory() as temporary:
        if arguments.corpus:
            corpus = first_shards(Corpus.open(arguments.corpus), arguments.shards)
            model = load(arguments.model)
        else:
            corpus, model = made_up_data(Path(temporary), int(arguments.tokens), arguments.dim)
        measure = make_measure(corpus, model.encoder, model.inventory, find_targets(corpus, model))
        write_result(arguments.name, compare(corpus, measure, arguments))


def compare(
    corpus: Corpus, measure: EncoderMeasure, arguments: argparse.Namespace
) -> dict[str, Any]:
    seconds = time_ours(corpus, measure, arguments.workers, arguments.runs)
    start = first_shards(Corpus.open(corpus.path), 1)
    measure_ours(start, measure)  # compiles
    ours, _, ours_processor = time_call(lambda: measure_ours(corpus, measure))
    measure_batched(start, measure)
    batched, batched_clock, batched_processor = time_call(lambda: measure_batched(corpus, measure))
    rng = np.random.default_rng(0)
    sample = np.sort(rng.permutation(len(ours[0]))[: arguments.sample])
    single, single_clock, single_processor = time_call(
        lambda: measure_one_by_one(corpus, measure, sample)
    )
    together = np.concatenate(ours)
    n_occurrences, n_sample = len(together), len(sample)
    rates = {
        "ours": n_occurrences / seconds,
        "batched": n_occurrences / batched_clock,
        "one_by_one": n_sample / single_clock,
    }
    processor_rates = {
        "ours": n_occurrences / ours_processor,
        "batched": n_occurrences / batched_processor,
        "one_by_one": n_sample / single_processor,
    }
    return {
        "text": str(arguments.corpus.name) if arguments.corpus else "made up",
        "n_occurrences": n_occurrences,
        "n_tokens": sum(len(shard.tokens) for shard in corpus.shards),
        "n_words": len(measure.lines.n_senses),
        "dim": measure.encoder.vectors.dim,
        "workers": arguments.workers,
        "occurrences_per_second": {name: round(rate) for name, rate in rates.items()},
        "occurrences_per_processor_second": {
            name: round(rate) for name, rate in processor_rates.items()
        },
        "times_batched": round(rates["ours"] / rates["batched"], 1),
        "times_one_by_one": round(rates["ours"] / rates["one_by_one"], 1),
        "same_labels": {
            "batched": agreement(together, np.concatenate(batched)),
            "one_by_one": agreement(ours[0][sample], single),
            "after_rounding": agreement(together, together.astype(np.float16)),
        },
        "largest_difference": float(np.nanmax(np.abs(together - np.concatenate(batched)))),
    }


if __name__ == "__main__":
    main()
