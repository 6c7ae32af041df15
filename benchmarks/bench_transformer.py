"""Pieces a second of a transformer: PyTorch, ONNX Runtime in 8 bits, and sentence-transformers.

    python benchmarks/bench_transformer.py --transformer NAME --corpus corpus --threads 2

Passages of 64 tokens around random words of the corpus. With one thread, the seconds are those of
the processor where the device is the CPU: other work on the machine does not count. Without a
transformer, nothing is measured.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans import Corpus
from grassmeans.contexts.pretrained.fitting import PASSAGE, sample_contexts
from grassmeans.contexts.pretrained.lines import cut_texts
from grassmeans.contexts.pretrained.network import ModelHead, WordsInText
from grassmeans.contexts.pretrained.running import open_network
from measurement import write_result


def read_texts(corpus: Corpus, n_texts: int) -> list[WordsInText]:
    drawn = np.random.default_rng(0).permutation(sample_contexts(corpus))[:n_texts]
    found = []
    for _, occurrences in corpus.occurrences(np.sort(drawn)):
        found += cut_texts(occurrences, PASSAGE).texts
    return found


def time_once(function: Callable[[], Any], on_cpu: bool) -> tuple[Any, float]:
    clock = time.process_time if on_cpu else time.perf_counter
    began = clock()
    result = function()
    return result, clock() - began


def bench(
    source: str, texts: list[WordsInText], devices: list[str], layers: str, threads: int
) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    vectors = {}
    for device in devices:
        on_cpu = device != "cuda" and threads == 1
        network = open_network(ModelHead(source, layers), device)
        network.embed(texts[:8])
        vectors[device], seconds = time_once(lambda n=network: n.embed(texts), on_cpu)
        n_pieces = sum(len(cut.ids) for cut in network.pieces.cut([text.text for text in texts]))
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rows[device] = {
            "pieces": n_pieces,
            "pieces_per_second": n_pieces / seconds,
            "largest_memory_MB": megabytes,
        }
    first = vectors[devices[0]]
    for device in devices[1:]:
        products = (first * vectors[device]).sum(axis=1)
        lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(vectors[device], axis=1)
        rows[device]["mean_cosine"] = float((products / lengths).mean())
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transformer", help="folder or hub name")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--texts", type=int, default=256)
    parser.add_argument("--devices", nargs="+", default=["cpu", "onnx"])
    parser.add_argument("--layers", default="7-9")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.transformer is None or arguments.corpus is None:
        print("nothing to measure without --transformer and --corpus")
        return
    import torch

    threads = arguments.threads
    torch.set_num_threads(threads)
    # ONNX Runtime takes as many threads as there are cores.
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:threads]))
    texts = read_texts(Corpus.open(arguments.corpus), arguments.texts)
    rows = bench(arguments.transformer, texts, arguments.devices, arguments.layers, threads)
    write_result("transformer", {"layers": arguments.layers, "threads": threads, **rows})


if __name__ == "__main__":
    main()
