"""Learned contexts: how fast sentences are tagged, and corpora labelled and sampled.

    python benchmarks/bench_encoder.py                                  # the packaged, or made up
    python benchmarks/bench_encoder.py --contexts MODEL --corpus CORPUS --tokens 1e6
    python benchmarks/bench_encoder.py --contexts ENCODER --device cuda --tokens 2e7 --workers 16

``--contexts`` is a model, or an encoder, whose content words then get three made-up senses each.
The peer is the machine itself: its rate of large matrix products, in the same run. What the network
needs is counted for each encoded place (`count_operations`), products with zero too; the rest is
memory, text and Python.
Besides the clock, processor seconds are taken, which say more on a busy machine.
"""

from __future__ import annotations

import argparse
import string
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import count, islice, product
from pathlib import Path
from typing import Any

import numpy as np

import grassmeans
from grassmeans import Corpus, SenseModel, WordVectors
from grassmeans.artifacts.writing import read_manifest, write_bytes, write_manifest
from grassmeans.contexts import (
    VECTORS_FOLDER,
    LearnedEncoder,
    describe_encoder,
    open_contexts,
)
from grassmeans.contexts.attention.encoder import FOLDER, NetworkEncoder
from grassmeans.contexts.attention.stored import (
    AttentionShape,
    LearnedWeights,
    NetworkShape,
    write_weights,
)
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.corpus.vocabulary import FUNCTION_WORDS
from grassmeans.geometry.windows import ContextShape
from grassmeans.labelling.measuring import find_targets, make_measure, measure_corpus
from grassmeans.models.places import resolve_name
from grassmeans.outputs.places import Building
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from measurement import measure_sgemm, write_result

PACKAGED = "en"
N_WORDS, N_FUNCTION_WORDS, N_TARGETS, N_SENSES = 40_000, 150, 30_000, 3
SENTENCE = 20
OPENING = """
import sys, time
import grassmeans.models.model, grassmeans.contexts.learned
from pathlib import Path
from grassmeans.contexts import open_contexts
started = time.perf_counter()
path, device = Path(sys.argv[1]), sys.argv[2]
if (path / "inventory").exists():
    model = grassmeans.models.model.load(path, device=device)
    model.tag("a sentence of some words")
else:
    open_contexts(path, device)
print(time.perf_counter() - started)
"""


def make_encoder(folder: Path, dim: int, layers: int) -> Path:
    """An encoder of random weights, as `grassmeans encoder` would write it."""
    rng = np.random.default_rng(0)
    letters = product(string.ascii_lowercase, repeat=4)
    words = ["".join(word) for word in islice(letters, N_WORDS)]
    vectors = WordVectors(words, rng.standard_normal((N_WORDS, dim)).astype(np.float32))
    shape = NetworkShape(N_WORDS, dim, layers)
    arrays = {
        name: (rng.standard_normal(size) / np.sqrt(size[-1])).astype(np.float32)
        for name, size in shape.matrix_shapes().items()
    }
    functions = frozenset(words[:N_FUNCTION_WORDS])
    vectors.save(folder / VECTORS_FOLDER, bits=8)
    write_weights(folder / FOLDER, LearnedWeights(shape, **arrays))
    write_bytes(folder / FUNCTION_WORDS, "\n".join(sorted(functions)).encode())
    encoder = LearnedEncoder.open(folder, vectors, ContextShape(rank=1), functions)
    write_manifest(folder, "encoder", 1, describe_encoder(encoder))
    return folder


def choose_options(functions: frozenset[str], n_chars: int, workers: int) -> IngestOptions:
    """Options by which there are a few shards for each worker."""
    return IngestOptions(
        function_words=functions, shard_chars=min(8_000_000, 1 + n_chars // (4 * workers))
    )


def make_corpus(
    folder: Path, words: list[str], functions: frozenset[str], n_tokens: int, workers: int
) -> Corpus:
    """Zipf-distributed words in documents of a thousand."""
    rng = np.random.default_rng(1)
    weights = 1.0 / (np.arange(len(words)) + 2.7)
    ids = rng.choice(len(words), size=n_tokens, p=weights / weights.sum())
    texts = (" ".join(words[i] for i in ids[at : at + 1_000]) for at in range(0, n_tokens, 1_000))
    options = choose_options(functions, 5 * n_tokens, workers)
    return Corpus.from_texts(texts, folder, options=options)


def take_documents(corpus: Corpus, n_tokens: int, folder: Path, workers: int) -> Corpus:
    """A corpus of the first documents of another; the other itself where that is no larger."""
    if corpus.n_tokens <= n_tokens:
        return corpus
    texts, left = [], n_tokens
    for shard in corpus.shards:
        for number, length in enumerate(np.diff(shard.document_offsets).tolist()):
            if left <= 0:
                break
            texts.append(shard.document_text(number))
            left -= length
    options = choose_options(corpus.function_words, sum(map(len, texts)), workers)
    return Corpus.from_texts(texts, folder, options=options)


def open_model(place: Path, device: str, corpus: Corpus) -> SenseModel:
    """A model, or an encoder with made-up senses for its content words."""
    if read_manifest(place)["kind"] == "model":
        return grassmeans.load(place, device=device)
    encoder = open_contexts(place, device)
    assert isinstance(encoder, NetworkEncoder)
    rng = np.random.default_rng(2)
    content = (word for word in encoder.vectors.words if word not in encoder.function_words)
    entries = []
    for word in islice(content, N_TARGETS):
        directions = rng.standard_normal((N_SENSES, encoder.vectors.dim))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        entries.append(WordSenses(word, 1, 1, directions.astype(np.float32), ()))
    return SenseModel(encoder, SenseInventory(entries), corpus.tokenizer)


def count_operations(shape: AttentionShape) -> int:
    """Floating-point operations that the place of a full passage needs, were nothing left out."""
    looking = 2 if isinstance(shape, NetworkShape) else 4  # keys and values of words are kept
    dense = shape.n_layers * (looking + 2 * shape.inner_factor) * shape.dim**2 + shape.dim**2
    attention = shape.n_layers * 2 * shape.passage * shape.dim
    return 2 * (dense + attention)


def measure_gpu() -> dict[str, float]:
    """The rates of large matrix products on the GPU, in Gflop/s."""
    import torch

    size, rates = 8192, {}
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    for name, dtype in (("bfloat16", torch.bfloat16), ("tf32", torch.float32)):
        matrix = torch.randn(size, size, device="cuda", dtype=dtype)
        matrix @ matrix
        torch.cuda.synchronize()
        started = time.perf_counter()
        for _ in range(20):
            matrix @ matrix
        torch.cuda.synchronize()
        rates[name] = 20 * 2 * size**3 / (time.perf_counter() - started) / 1e9
    torch.set_float32_matmul_precision(before)
    return rates


def take_time(function: Callable[[], Any], runs: int) -> tuple[float, float]:
    """Best clock and processor seconds of this process; the first run compiles and warms up."""
    found = []
    for _ in range(runs + 1):
        started, used = time.perf_counter(), time.process_time()
        function()
        found.append((time.perf_counter() - started, time.process_time() - used))
    return min(clock for clock, _ in found[1:]), min(used for _, used in found[1:])


def time_opening(place: Path, device: str, runs: int = 5) -> float:
    """Seconds from the path to the first answer (an encoder: until it is open), without imports."""
    command = [sys.executable, "-c", OPENING, str(place), device]
    done = [
        subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(runs)
    ]
    return min(float(run.stdout) for run in done)


def measure_tagging(model: SenseModel, corpus: Corpus, n_sentences: int) -> dict[str, Any]:
    texts = (shard.document_text(i) for shard in corpus.shards for i in range(len(shard.metadata)))
    words = (word for text in texts for word in text.split())
    sentences = [" ".join(islice(words, SENTENCE)) for _ in range(n_sentences)]
    model.tag_many(sentences)
    seconds = []
    for sentence in sentences:
        started = time.perf_counter()
        model.tag(sentence)
        seconds.append(time.perf_counter() - started)
    clock, used = take_time(lambda: model.tag_many(sentences), 3)
    return {
        "sentences": n_sentences,
        "words_a_sentence": SENTENCE,
        "milliseconds_p50": round(1e3 * float(np.percentile(seconds, 50)), 3),
        "milliseconds_p99": round(1e3 * float(np.percentile(seconds, 99)), 3),
        "sentences_per_second_in_batches": round(n_sentences / clock),
        "sentences_per_processor_second": round(n_sentences / used),
    }


def measure_labelling(
    model: SenseModel, corpus: Corpus, folder: Path, workers: int, runs: int
) -> dict[str, Any]:
    """The first pass of labelling: distances of all occurrences, written."""
    targets = find_targets(corpus, model)
    measure = make_measure(corpus, model.encoder, model.inventory, targets)

    numbers = count()

    def label(workers: int) -> None:
        output = folder / str(next(numbers))
        building = Building(output, output / "scratch")
        building.scratch.mkdir(parents=True)
        measure_corpus(corpus, building, measure, workers, False)

    alone, used = take_time(lambda: label(1), 1)
    clock = min(alone, take_time(lambda: label(workers), runs)[0])
    tokens = [np.asarray(shard.tokens) for shard in corpus.shards]
    n_tokens = sum(map(len, tokens))
    words = np.concatenate([targets.word_of_token[part] for part in tokens])
    n_places = int((words >= 0).sum())
    n_encoded = int((targets.n_senses[words[words >= 0]] > 1).sum())  # an only sense is no choice
    return {
        "tokens": n_tokens,
        "occurrences": n_places,
        "encoded": n_encoded,
        "tokens_per_second": round(n_tokens / clock),
        "occurrences_per_second": round(n_places / clock),
        "tokens_per_processor_second": round(n_tokens / used),
        "gflops": round(n_encoded * count_operations(_shape(model)) / clock / 1e9, 1),
    }


def measure_samples(model: SenseModel, corpus: Corpus, n: int, runs: int) -> dict[str, Any]:
    """Contexts as induction samples them: far from each other."""
    rng = np.random.default_rng(3)
    positions = np.unique(rng.integers(0, corpus.n_tokens, n))
    clock, used = take_time(lambda: model.encoder.encode_at(corpus, positions), runs)
    return {
        "contexts": len(positions),
        "contexts_per_second": round(len(positions) / clock),
        "contexts_per_processor_second": round(len(positions) / used),
        "gflops": round(len(positions) * count_operations(_shape(model)) / clock / 1e9, 1),
    }


def _shape(model: SenseModel) -> AttentionShape:
    encoder = model.encoder
    assert isinstance(encoder, NetworkEncoder), "the model's contexts are not learned"
    return encoder.weights.shape


def choose_contexts(given: str | None, folder: Path, dim: int, layers: int) -> tuple[Path, str]:
    """What is measured, and its name: what was given, the packaged model, or made up."""
    if given is not None:
        return resolve_name(given), Path(given).name
    packaged = resolve_name(PACKAGED)
    if read_manifest(packaged)["context"]["kind"] == "learned":
        return packaged, PACKAGED
    return make_encoder(folder, dim, layers), "made up"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contexts", help="a model or an encoder")
    parser.add_argument("--corpus", type=Path, help="real text")
    parser.add_argument("--tokens", type=float, default=2e5)
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--samples", type=float, default=2e4, help="contexts far from each other")
    parser.add_argument("--dim", type=int, default=256, help="of a made-up encoder")
    parser.add_argument("--layers", type=int, default=4, help="of a made-up encoder")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--name", default="encoder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        place, name = choose_contexts(
            arguments.contexts, folder / "encoder", arguments.dim, arguments.layers
        )
        known = open_contexts(place)
        assert isinstance(known, NetworkEncoder)
        if arguments.corpus:
            corpus = Corpus.open(arguments.corpus)
        else:
            words = [word for word in known.vectors.words if word.isalpha() and word.islower()]
            corpus = make_corpus(
                folder / "corpus",
                words,
                known.function_words,
                int(arguments.tokens),
                arguments.workers,
            )
        write_result(arguments.name, measure_all(arguments, place, name, corpus, folder))


def measure_all(
    arguments: argparse.Namespace, place: Path, name: str, corpus: Corpus, folder: Path
) -> dict[str, Any]:
    device, runs = arguments.device, arguments.runs
    opening = time_opening(place, device)
    model = open_model(place, device, corpus)
    shape = _shape(model)
    result: dict[str, Any] = {
        "contexts": name,
        "network": f"{shape.dim} x {shape.n_layers}",
        "text": arguments.corpus.name if arguments.corpus else "made up",
        "device": device,
        "workers": arguments.workers,
        "seconds_to_open": round(opening, 3),
        "samples": measure_samples(model, corpus, int(arguments.samples), runs),
    }
    cut = take_documents(corpus, int(arguments.tokens), folder / "part", arguments.workers)
    result["tagging"] = measure_tagging(model, cut, arguments.sentences)
    result["labelling"] = measure_labelling(model, cut, folder / "out", arguments.workers, runs)
    peaks = measure_gpu() if device == "cuda" else {"sgemm": measure_sgemm()}
    result["matrix_product_gflops"] = {kind: round(rate, 1) for kind, rate in peaks.items()}
    for part in ("samples", "labelling"):
        result[part]["share_of_matrix_product_rate"] = {
            kind: round(result[part]["gflops"] / rate, 4) for kind, rate in peaks.items()
        }
    return result


if __name__ == "__main__":
    main()
