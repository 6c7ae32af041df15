"""A GPU against the CPU of the same machine, other programs, and what the GPU can do at most.

    python benchmarks/bench_gpu.py                                       # a made-up text, speed
    python benchmarks/bench_gpu.py --corpus CORPUS --pairs SCWS=scws-pairs.txt

Skip-gram, labelling and K-Grassmeans, each beside peers in the same run: our kernels on all cores
of the CPU, plain PyTorch, gensim, flash-kmeans and cuML where they are installed. Ceilings are
measured, too: copying memory, matrix products, and gathering the vectors of contexts. Nothing is
done without a GPU.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from grassmeans import Corpus, WordVectors
from grassmeans.clustering.loop import FitOptions, Grouping, InducedDirections
from grassmeans.clustering.sense_number import ask_once, take_steps
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.geometry.windows import ContextShape
from grassmeans.kernels import get_kernels
from grassmeans.kernels.arguments import OCCURRENCE_BLOCK, RunningText, SenseTable, Windows
from grassmeans.kernels.gpu.labelling import measure_on_device, send_windows
from grassmeans.vectors.training import (
    Material,
    Matrices,
    MemoryShard,
    Trainer,
    TrainingSettings,
    draw_matrix,
    keep_probabilities,
)
from grassmeans_lab.evaluation.tasks.similarity_scores import read_word_pairs, score_word_pairs
from kmeans_peers import PEERS
from measurement import write_result

GPU, DEVICE = "cuda", torch.device("cuda")
WINDOW, RANK, DIM = 10, 3, 300
N_TARGETS, MOST_SENSES = 20_000, 8
N_CONTEXTS, N_SENSES, N_RESTARTS, N_WORDS = 2_000, 16, 5, 10_000
N_TOGETHER = 192  # words of the text with enough contexts


@dataclass(frozen=True)
class Text:
    """Running text: token ids by falling frequency (-1: rare words), documents, words."""

    tokens: np.ndarray
    offsets: np.ndarray
    words: Sequence[str]
    counts: np.ndarray
    function_words: frozenset[str]

    @classmethod
    def read(cls, path: Path, n_tokens: int, n_words: int = 60_000) -> Text:
        """The first documents of a corpus."""
        corpus = Corpus.open(path)
        tokens, ends = [], [0]
        for shard in corpus.shards:
            for start, end in pairwise(np.asarray(shard.document_offsets).tolist()):
                tokens.append(np.asarray(shard.tokens[start:end]))
                ends.append(ends[-1] + end - start)
            if ends[-1] >= n_tokens:
                break
        ids = np.concatenate(tokens)
        ids = np.where(ids < n_words, ids, -1).astype(np.int32)
        counts = np.maximum(np.bincount(ids[ids >= 0], minlength=n_words), 1)
        words = corpus.vocabulary.words[:n_words]
        return cls(ids, np.array(ends), words, counts, corpus.function_words)

    @classmethod
    def make_up(cls, n_tokens: int, n_words: int = 60_000) -> Text:
        """Zipf-distributed words; the first hundred are function words."""
        weights = 1.0 / (np.arange(n_words) + 2.7)
        rng = np.random.default_rng(0)
        tokens = rng.choice(n_words, n_tokens, p=weights / weights.sum()).astype(np.int32)
        words = [f"w{i}" for i in range(n_words)]
        counts = np.maximum(np.bincount(tokens, minlength=n_words), 1)
        offsets = np.append(np.arange(0, n_tokens, 2_000), n_tokens)
        return cls(tokens, offsets, words, counts, frozenset(words[:100]))

    @property
    def rows(self) -> np.ndarray:
        """(n_words + 1,) row of each id that describes a context, -1 for the others."""
        kept = [word not in self.function_words for word in self.words]
        return np.append(np.where(kept, np.arange(len(kept)), -1), -1).astype(np.int32)


def take_time(function: Callable[[], Any], runs: int = 3) -> float:
    """Median seconds; the first run compiles."""
    seconds = []
    for _ in range(runs + 1):
        torch.cuda.synchronize()
        started = time.perf_counter()
        function()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - started)
    return float(np.median(seconds[1:]))


def measure_ceilings(n_words: int) -> dict[str, float]:
    """What the GPU does at most: bytes copied, flops of products, contexts gathered, a second."""
    size = 8192
    numbers, matrix = torch.randn(1 << 29, device=DEVICE), torch.randn(size, size, device=DEVICE)
    table = torch.randn(n_words, DIM, device=DEVICE)
    ids = torch.randint(0, n_words, (1 << 17, 2 * WINDOW), device=DEVICE)
    return {
        "copied_GB_per_s": 8 * len(numbers) / take_time(numbers.clone) / 1e9,
        "float32_Tflops": 2 * size**3 / take_time(lambda: matrix @ matrix) / 1e12,
        "gathered_contexts_per_s": len(ids) / take_time(lambda: table[ids]),
    }


def train(text: Text, device: str, epochs: int) -> tuple[np.ndarray, float]:
    """Vectors, and words a second; the first epoch of another training compiles."""
    seconds = 0.0
    for n_epochs, n_documents in ((1, 5), (epochs, len(text.offsets) - 1)):
        offsets = text.offsets[: n_documents + 1]
        shards = [MemoryShard(text.tokens[: offsets[-1]], offsets)]
        inputs = draw_matrix(len(text.words), DIM, np.random.default_rng(0))
        free = np.zeros(len(inputs), np.bool_)
        matrices = Matrices(inputs, np.zeros_like(inputs), free, free)
        settings = TrainingSettings(dim=DIM, epochs=n_epochs)
        trainer = Trainer(Material(shards, text.counts, matrices, settings), None, device=device)
        started = time.perf_counter()
        trainer.run(show_progress=False)
        seconds = time.perf_counter() - started
    return inputs, epochs * len(text.tokens) / seconds


def train_with_gensim(text: Text, epochs: int, threads: int) -> float | None:
    """Words a second of gensim's skip-gram; None where it is not installed."""
    try:
        from gensim.models import Word2Vec
    except ImportError:
        return None
    words = np.array([*text.words, "-"], dtype=object)
    documents = [list(words[text.tokens[a:b]]) for a, b in pairwise(text.offsets.tolist())]
    model = Word2Vec(vector_size=DIM, sg=1, workers=threads, epochs=epochs, min_count=1)
    model.build_vocab(documents)
    started = time.perf_counter()
    model.train(documents, total_examples=len(documents), epochs=epochs)
    return epochs * len(text.tokens) / (time.perf_counter() - started)


def bench_skipgram(
    text: Text, epochs: int, pairs: dict[str, Path], ceilings: dict[str, float]
) -> dict[str, Any]:
    """GPU, CPU and gensim, and what the vectors of both devices score."""
    result: dict[str, Any] = {"dim": DIM, "epochs": epochs, "tokens": len(text.tokens)}
    for device in (GPU, "cpu"):
        vectors, speed = train(text, device, epochs)
        result[device] = {"words_per_s": round(speed)}
        known = WordVectors(list(text.words), vectors)
        result[device] |= {
            name: score_word_pairs(known, read_word_pairs(path)).spearman
            for name, path in pairs.items()
        }
    result["gensim_words_per_s"] = train_with_gensim(text, 1, torch.get_num_threads())
    # A kept word has 6 others around it on average; they and 6 outputs are read and added to.
    kept = float(keep_probabilities(text.counts, 1e-3) @ text.counts) / len(text.tokens)
    moved = result[GPU]["words_per_s"] * kept * 2 * 12 * 4 * DIM / 1e9
    result["rows_GB_per_s"] = moved
    result["rows_over_copy_rate"] = moved / ceilings["copied_GB_per_s"]
    result["gpu_over_cpu"] = result[GPU]["words_per_s"] / result["cpu"]["words_per_s"]
    return result


def draw_senses(text: Text, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Target of each id (-1: none), directions near vectors, and their offsets."""
    rng = np.random.default_rng(1)
    targets = np.flatnonzero(text.rows[:-1] >= 0)[:N_TARGETS]
    target_of = np.full(len(text.words) + 1, -1, np.int32)
    target_of[targets] = np.arange(len(targets))
    numbers = rng.integers(2, MOST_SENSES + 1, len(targets))
    offsets = np.concatenate([[0], np.cumsum(numbers)]).astype(np.int64)
    lines = vectors[rng.integers(0, len(vectors), offsets[-1])]
    lines = lines + 0.3 * vectors.std() * rng.standard_normal(lines.shape)
    return target_of, _unit(lines), offsets


def measure_plainly(windows: Windows, n: int, vectors: torch.Tensor, table: Any) -> None:
    """Distances with plain tensors of PyTorch in single precision: what one would write first."""
    width, step = 2 * WINDOW, 1 << 15
    kept = torch.from_numpy(np.array(windows.kept_rows)).to(DEVICE)
    places = torch.arange(width, device=DEVICE)
    for start in range(0, n, step):
        part = slice(start, min(start + step, n))
        words, firsts, ends, centres = (
            torch.from_numpy(np.array(x[part])).to(DEVICE).long()[:, None] for x in windows[1:]
        )
        at = firsts + places + (places >= centres)
        inside = at < ends
        rows = vectors[kept[at.clamp(max=len(kept) - 1)]] * inside[:, :, None]
        values, left = torch.linalg.eigh(rows @ rows.transpose(1, 2))
        scaled = left[:, :, -RANK:] * values[:, None, -RANK:].clamp(min=1e-9).rsqrt()
        bases = scaled.transpose(1, 2) @ rows
        lines = table.on_device.offsets[words].long() + torch.arange(MOST_SENSES, device=DEVICE)
        directions = table.on_device.directions[lines.clamp(max=len(table.directions) - 1)]
        squares = (bases @ directions.transpose(1, 2)).square().sum(dim=1)
        (1.0 - squares).clamp(0.0, 1.0).sqrt().argmin(dim=1)


def bench_labelling(text: Text, vectors: np.ndarray, ceilings: dict[str, float]) -> dict[str, Any]:
    """Distances of all occurrences of the targets to their senses, in memory."""
    target_of, directions, offsets = draw_senses(text, vectors)
    words = target_of[text.tokens]
    positions = np.flatnonzero(words >= 0)[:4_000_000]
    cpu, gpu = get_kernels("cpu"), get_kernels(GPU)
    running = RunningText(text.tokens, text.offsets, text.rows)
    windows = cpu.find_windows(running, positions, words[positions], WINDOW)
    senses = SenseTable(vectors, directions, offsets, RANK, WINDOW, singular=False, fewest=RANK)
    tables = [kernels.prepare_senses(senses) for kernels in (cpu, gpu)]
    n, few = len(positions), 200 * OCCURRENCE_BLOCK
    on_gpu = send_windows(windows, slice(0, n), DEVICE)
    blocks = [slice(i, i + OCCURRENCE_BLOCK) for i in range(0, few, OCCURRENCE_BLOCK)]
    with ThreadPoolExecutor(torch.get_num_threads()) as pool:

        def measure_block(part: slice) -> np.ndarray:
            return cpu.measure_windows(windows, part, tables[0])

        expected = np.concatenate(list(pool.map(measure_block, blocks)))
        on_cores = few / take_time(lambda: list(pool.map(measure_block, blocks)))
    found = gpu.measure_windows(windows, slice(0, few), tables[1])
    nearest = [np.nan_to_num(d, nan=2.0).argmin(axis=1) for d in (found, expected)]
    plain = 1 << 17
    table = tables[1].on_device.vectors
    in_memory = n / take_time(lambda: measure_on_device(on_gpu, tables[1]))
    whole = n / take_time(lambda: gpu.measure_windows(windows, slice(0, n), tables[1]))
    by_torch = plain / take_time(lambda: measure_plainly(windows, plain, table, tables[1]))
    return {
        "occurrences": n,
        "occurrences_per_s": round(in_memory),
        "with_transfers_per_s": round(whole),
        "all_cores_per_s": round(on_cores),
        "plain_pytorch_per_s": round(by_torch),
        "over_plain_pytorch": in_memory / by_torch,
        "share_of_gather_limit": in_memory / ceilings["gathered_contexts_per_s"],
        "largest_difference": float(np.nanmax(np.abs(found - expected))),
        "same_nearest": float((nearest[0] == nearest[1]).mean()),
    }


def sample_contexts(text: Text, n_words: int) -> list[np.ndarray]:
    """Up to `N_CONTEXTS` contexts of frequent words, as rows of the vectors."""
    found = []
    for word in np.flatnonzero(text.rows[:-1] >= 0):
        positions = np.flatnonzero(text.tokens == word)[:N_CONTEXTS]
        if len(found) == n_words:
            break
        if len(positions) < N_CONTEXTS:
            continue
        running = RunningText(text.tokens, text.offsets, text.rows)
        found.append(get_kernels().gather_contexts(running, positions, WINDOW))
    return found


def bench_induction(
    text: Text, vectors: np.ndarray, n_words: int, ceilings: dict[str, float]
) -> dict[str, Any]:
    """Contexts to senses for many words; each of the frequent ones several times, other starts."""
    contexts = sample_contexts(text, N_TOGETHER)
    known = WordVectors(list(text.words), vectors)
    rows = np.concatenate(contexts)
    encoders = {}
    for device in ("cpu", GPU):
        encoders[device] = SubspaceEncoder(
            known, ContextShape(window=WINDOW, rank=RANK), text.function_words
        )
        encoders[device].use_device(device)
    bases = np.split(encoders[GPU].span(rows), len(contexts))
    solve_all(_ask(bases, len(bases)), GPU)
    spanning = grouping = 0.0
    for start in range(0, n_words, len(bases)):  # as many as `induce` takes together
        started = time.perf_counter()
        bases = np.split(encoders[GPU].span(rows), len(contexts))
        spanned = time.perf_counter()
        solve_all(_ask(bases, min(len(bases), n_words - start), start), GPU)
        spanning += spanned - started
        grouping += time.perf_counter() - spanned
    few = 8
    solve_all(_ask(bases, 1))
    alone = take_time(lambda: solve_all(_ask(bases, few)), 1) / few
    one, other = solve_all(_ask(bases, few), GPU), solve_all(_ask(bases, few))
    on_cores = take_time(lambda: encoders["cpu"].span(rows), 1) / len(contexts)
    seconds = spanning + grouping
    return {
        "contexts_a_word": N_CONTEXTS,
        "senses": N_SENSES,
        "restarts": N_RESTARTS,
        "words": n_words,
        "seconds": seconds,
        "seconds_spanning": spanning,
        "seconds_grouping": grouping,
        "words_per_s": n_words / seconds,
        "cpu_spanning_words_per_s": 1 / on_cores,
        "cpu_grouping_words_per_s": 1 / alone,
        "gpu_over_cpu": n_words / seconds * (alone + on_cores),
        "inertia_over_cpus": [a.inertia / b.inertia for a, b in zip(one, other, strict=True)],
        **_count_flops(bases, ceilings),
    }


def _ask(
    bases: Sequence[np.ndarray], n: int, seed: int = 0, signed: bool = False
) -> list[Grouping]:
    lines = [own[:, :1] for own in bases] if signed else bases
    fit = FitOptions(n_init=N_RESTARTS, signed=signed)
    return [Grouping(lines[i % len(lines)], N_SENSES, fit, seed + i) for i in range(n)]


def solve_all(asked: Sequence[Grouping], device: str = "cpu") -> list[InducedDirections]:
    """The groupings word by word, or together on a GPU."""
    return take_steps([ask_once(grouping) for grouping in asked], device)


def _count_flops(bases: Sequence[np.ndarray], ceilings: dict[str, float]) -> dict[str, float]:
    """Of expectation steps: products of contexts with directions, and of groups with contexts."""
    from grassmeans.kernels.gpu.induction import Block

    contexts = torch.from_numpy(np.stack(bases)).to(DEVICE)
    n_words, n, _, dim = contexts.shape
    block = Block(contexts, torch.full((n_words,), n, device=DEVICE))
    lines = contexts[:, : N_RESTARTS * N_SENSES, 0]
    lines = lines.reshape(n_words, -1, N_SENSES, dim).contiguous()
    flops = 4 * contexts.numel() * lines.shape[1] * lines.shape[2]
    rate = flops / take_time(lambda: block.assign(lines)) / 1e12
    return {"assigning_Tflops": rate, "share_of_flops": rate / ceilings["float32_Tflops"]}


def bench_kmeans(text: Text, vectors: np.ndarray, most: int = 30) -> dict[str, Any]:
    """Iterations of one restart of all words a second: ours of signed lines, and k-means."""
    known = WordVectors(list(text.words), vectors)
    encoder = SubspaceEncoder(known, ContextShape(window=WINDOW, rank=1), text.function_words)
    encoder.use_device(GPU)
    contexts = sample_contexts(text, N_TOGETHER)
    bases = np.split(encoder.span(np.concatenate(contexts)), len(contexts))
    lines = torch.from_numpy(np.stack([own[:, 0] for own in bases])).to(DEVICE)
    chosen = np.random.default_rng(0).choice(N_CONTEXTS, N_SENSES, replace=False)
    starts = lines[:, torch.from_numpy(chosen).to(DEVICE)].contiguous()
    signed = {
        name: n / take_time(lambda d=name, n=n: solve_all(_ask(bases, n, signed=True), d), 1)
        for name, n in (("cpu", 8), (GPU, len(bases)))
    }
    rates: dict[str, float | None] = {}
    for name, iterate in PEERS.items():
        try:
            n_iterations = iterate(lines, starts, most)
            seconds = take_time(lambda i=iterate: i(lines, starts, most))
            rates[name] = n_iterations / seconds
        except ImportError:
            rates[name] = None
    return {
        "words": len(bases),
        "contexts_a_word": N_CONTEXTS,
        "groups": N_SENSES,
        "iterations_per_s": rates,
        "signed_words_per_s": signed,
    }


def _unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def run(text: Text, epochs: int, pairs: dict[str, Path], n_words: int) -> None:
    """All of it, into ``results/gpu.json``."""
    ceilings = measure_ceilings(len(text.words))
    vectors, _ = train(text, GPU, 2)
    vectors = _unit(vectors)
    write_result(
        "gpu",
        {
            "gpu": torch.cuda.get_device_name(),
            "torch": torch.__version__,
            "ceilings": ceilings,
            "skipgram": bench_skipgram(text, epochs, pairs, ceilings),
            "labelling": bench_labelling(text, vectors, ceilings),
            "induction": bench_induction(text, vectors, n_words, ceilings),
            "kmeans": bench_kmeans(text, vectors),
        },
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--corpus", type=Path, help="made-up text where it is not given")
    parser.add_argument("--tokens", type=float, default=12.5e6)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--pairs", action="append", default=[], help="NAME=FILE of rated words")
    parser.add_argument("--words", type=int, default=N_WORDS)
    given = parser.parse_args()
    if not torch.cuda.is_available():
        print("bench_gpu.py: there is no GPU here")
        return
    n_tokens = int(given.tokens)
    text = Text.make_up(n_tokens) if given.corpus is None else Text.read(given.corpus, n_tokens)
    pairs = dict(pair.split("=", maxsplit=1) for pair in given.pairs)
    run(text, given.epochs, {name: Path(path) for name, path in pairs.items()}, given.words)


if __name__ == "__main__":
    main()
