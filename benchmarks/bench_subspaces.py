"""Context subspaces against a loop over numpy.linalg.svd.

python benchmarks/bench_subspaces.py            10,000 contexts of 20 words, 300 dimensions
python benchmarks/bench_subspaces.py --quick
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numba
import numpy as np
from threadpoolctl import threadpool_limits

import reference_numpy
from context_data import ContextData, add_data_options, load_data
from grassmeans import principal_subspaces
from measurement import measure_sgemm, time_runs, write_result


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_data_options(parser)
    parser.add_argument("--rank", type=int, default=3)
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args(argv)
    if arguments.quick:
        arguments.contexts, arguments.runs = 500, 2
    data = load_data(arguments)
    name = arguments.name or ("subspaces-quick" if arguments.quick else "subspaces")
    write_result(name, measure(data, arguments.rank, arguments.runs))


def measure(data: ContextData, rank: int, runs: int) -> dict[str, object]:
    """Time one and all threads, and the reference once."""
    ids, vectors = data.context_ids, data.vectors
    bases = principal_subspaces(ids, vectors, rank)  # compiles
    result: dict[str, object] = {
        "data": data.source,
        "contexts": len(ids),
        "words_per_context": float((ids >= 0).sum(axis=1).mean()),
        "dim": vectors.shape[1],
        "rank": rank,
    }
    n_threads = numba.get_num_threads()
    with threadpool_limits(1):  # too small to share between threads: more only slow it down
        reference = time_runs(
            lambda: reference_numpy.principal_subspaces(ids, vectors, rank), runs=1
        )
    result["reference_seconds"] = reference.best
    result["reference_cpu_seconds"] = reference.cpu
    flops = _count_flops(ids, vectors.shape[1], rank)
    for threads in sorted({1, n_threads}):
        numba.set_num_threads(threads)
        with threadpool_limits(threads):
            sgemm = measure_sgemm()
        timing = time_runs(lambda: principal_subspaces(ids, vectors, rank), runs)
        result[f"threads_{threads}"] = {
            "seconds_best": timing.best,
            "seconds_median": timing.median,
            "microseconds_per_context": timing.best / len(ids) * 1e6,
            "cpu_seconds": timing.cpu,
            "times_faster": reference.best / timing.best,
            "times_faster_cpu": reference.cpu / timing.cpu,
            "gflops": flops / timing.best / 1e9,
            "sgemm_gflops": sgemm,
            "share_of_sgemm": flops / timing.best / 1e9 / sgemm,
        }
    numba.set_num_threads(n_threads)
    sample = slice(0, min(500, len(ids)))
    expected = reference_numpy.principal_subspaces(ids[sample], vectors.astype(float), rank)
    cosines = np.linalg.svd(bases[sample] @ expected.transpose(0, 2, 1), compute_uv=False)
    result["median_smallest_cosine_to_reference"] = float(np.median(cosines[:, -1]))
    return result


def _count_flops(ids: np.ndarray, dim: int, rank: int) -> float:
    """Useful single-precision operations: half of each Gram matrix, and the bases."""
    counts = (ids >= 0).sum(axis=1).astype(float)
    return float((counts * (counts + 1) * dim + 2 * rank * counts * dim).sum())


if __name__ == "__main__":
    main()
