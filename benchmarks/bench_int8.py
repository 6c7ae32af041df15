"""A self-attention encoder in 8 bits: ours, NumPy in single precision, ONNX Runtime and PyTorch.

    python benchmarks/bench_int8.py                       # four sizes, two lengths, 1 and 2 threads
    python benchmarks/bench_int8.py --sizes 384x6 --threads 1

Random weights, and passages of one length each. Every way has the same weights, rounded to 8 bits a
number, so errors are those of rounded rows (ONNX Runtime and PyTorch round the weights once more).
With one thread, a second way to count is by seconds of the processor, which says more on a busy
machine. A sentence goes alone, on one thread.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from threadpoolctl import threadpool_limits

from grassmeans.kernels import get_kernels
from grassmeans.kernels.arguments import EncoderLayers
from grassmeans.vectors.quantising import quantise_rows
from measurement import measure_sgemm, time_runs, write_result

SIZES = ("384x6", "448x6", "512x6", "512x8")
LENGTHS, SENTENCE, HEAD = (128, 24), 24, 64
FIRST_CALL = """
import time
import numpy as np
from grassmeans.kernels import get_kernels
from grassmeans.kernels.arguments import EncoderLayers
kernels = get_kernels("cpu")
shapes = [(192, 64), (64, 64), (256, 64), (64, 256)]
ones = ((np.ones((1, *s), np.uint8), np.ones((1, s[0]), np.float32)) for s in shapes)
layers = EncoderLayers(*(kernels.pack_matrices(*each) for each in ones))
given = np.ones((3, 64), np.float32), np.array([0, 3]), np.array([-1], np.int32)
started = time.process_time()
kernels.encode_passages(*given, np.ones((3, 32), np.float32), layers)
print(time.process_time() - started)
"""


def make_codes(dim: int, n_layers: int) -> list[tuple[Any, Any]]:
    """Codes and scales of the four kinds of matrices."""
    rng = np.random.default_rng(0)
    found = []
    for n_out, n_in, gain in (
        (3 * dim, dim, 1.0),
        (dim, dim, 0.5),
        (4 * dim, dim, 1.0),
        (dim, 4 * dim, 0.5),
    ):
        drawn = rng.standard_normal((n_layers * n_out, n_in)) * gain / np.sqrt(n_in)
        rounded = quantise_rows(drawn.astype(np.float32))
        found.append(
            (rounded.codes.reshape(n_layers, n_out, n_in), rounded.scales.reshape(n_layers, n_out))
        )
    return found


def make_angles(length: int) -> Any:
    turns = 1000.0 ** -(np.arange(0, HEAD, 2) / HEAD)
    return np.outer(np.arange(length), turns).astype(np.float32)


def run_ours(device: str, codes: list[tuple[Any, Any]], length: int) -> Callable[[Any], Any]:
    kernels, angles = get_kernels(device), make_angles(length)
    layers = EncoderLayers(*(kernels.pack_matrices(*each) for each in codes))

    def encode(states: Any) -> Any:
        n, _, dim = states.shape
        offsets, hidden = np.arange(0, n * length + 1, length), np.full(n, -1, np.int32)
        rows = states.reshape(-1, dim)
        return kernels.encode_passages(rows, offsets, hidden, angles, layers).reshape(states.shape)

    return encode


def list_ways(
    codes: list[tuple[Any, Any]], dim: int, length: int, threads: int, folder: Path
) -> dict[str, Callable[[Any], Any]]:
    """What encodes passages of a length; the first one is what others are compared with."""
    ways = {"numpy": run_ours("numpy", codes, length), "ours": run_ours("cpu", codes, length)}
    try:
        import encoder_peers as peers
    except ImportError as error:
        print(f"measured without peers: {error}")
        return ways
    matrices = [get_kernels("numpy").pack_matrices(*each) for each in codes]
    network = peers.make_network(matrices, make_angles(length), threads)
    return ways | {
        "torch": peers.run_torch(network),
        "torch int8": peers.run_torch(peers.round_torch(network)),
        "onnx int8": peers.run_onnx(network, dim, length, folder, threads),
    }


def measure(
    codes: list[tuple[Any, Any]], length: int, threads: int, n_tokens: int, runs: int, folder: Path
) -> dict[str, Any]:
    """Tokens a second of all ways, and their errors."""
    dim = codes[0][0].shape[2]
    rng = np.random.default_rng(1)
    states = rng.standard_normal((n_tokens // length, length, dim)).astype(np.float32)
    n_tokens = states.shape[0] * length
    numba.set_num_threads(threads)
    rows: dict[str, Any] = {}
    expected = None
    with threadpool_limits(threads, "blas"):
        for name, encode in list_ways(codes, dim, length, threads, folder).items():
            found = encode(states)
            expected = found if expected is None else expected
            timing = time_runs(lambda encode=encode: encode(states), runs)
            rows[name] = {
                "tokens_per_second": round(n_tokens / timing.best),
                "tokens_per_processor_second": round(n_tokens / timing.cpu),
                **compare(found, expected),
            }
            if length == SENTENCE and threads == 1:
                alone = time_runs(lambda encode=encode: encode(states[:1]), 50)
                rows[name]["milliseconds_a_sentence"] = {
                    "best": round(1e3 * alone.best, 2),
                    "p50": round(1e3 * alone.median, 2),
                }
    return rows


def compare(found: Any, expected: Any) -> dict[str, float]:
    lengths = np.linalg.norm(found, axis=2) * np.linalg.norm(expected, axis=2)
    cosines = (found * expected).sum(axis=2) / lengths
    error = np.linalg.norm(found - expected) / np.linalg.norm(expected)
    return {
        "relative_error": round(float(error), 5),
        "mean_cosine": round(float(cosines.mean()), 6),
        "smallest_cosine": round(float(cosines.min()), 6),
    }


def time_first_call(folder: Path) -> dict[str, float]:
    """Seconds of the processor that a process needs for its first passage."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", FIRST_CALL]
    seconds = [
        float(
            subprocess.run(
                command, check=True, capture_output=True, text=True, env=environment
            ).stdout
        )
        for _ in range(3)
    ]
    return {"compiled": round(seconds[0], 2), "from_the_cache": round(min(seconds[1:]), 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", default=SIZES, help="dimensions x layers")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--tokens", type=float, default=4096)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--name", default="int8")
    arguments = parser.parse_args()
    started, results = time.perf_counter(), []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        first = time_first_call(folder / "cache")
        for size in arguments.sizes:
            codes = make_codes(*map(int, size.split("x")))
            (here := folder / size).mkdir()
            for length in LENGTHS:
                for threads in arguments.threads:
                    ways = measure(
                        codes, length, threads, int(arguments.tokens), arguments.runs, here
                    )
                    results.append({"size": size, "length": length, "threads": threads} | ways)
                    print(results[-1], f"{time.perf_counter() - started:.0f} s", flush=True)
    write_result(
        arguments.name,
        {
            "products": get_kernels("cpu").describe_products(),
            "seconds_of_the_first_call": first,
            "sgemm_gflops": round(measure_sgemm(), 1),
            "results": results,
        },
    )


if __name__ == "__main__":
    main()
