"""Sense induction against the paper's procedure in plain NumPy.

python benchmarks/bench_kgrassmeans.py          10,000 contexts, K = 5, five restarts: half a minute
python benchmarks/bench_kgrassmeans.py --quick

Both sides are compared on one thread each and by processor time. On cores that others use too, a
linear algebra library may be ten times slower with two threads than with one, to our favour.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numba
from threadpoolctl import threadpool_limits

import reference_numpy
from context_data import ContextData, add_data_options, load_data
from grassmeans import KGrassmeans, principal_subspaces
from measurement import time_runs, write_result


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_data_options(parser)
    parser.add_argument("--rank", type=int, default=3)
    parser.add_argument("--senses", type=int, default=5)
    parser.add_argument("--restarts", type=int, default=5)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--no-reference", action="store_true", help="only time ours")
    arguments = parser.parse_args(argv)
    if arguments.quick:
        arguments.contexts, arguments.dim, arguments.runs = 600, 50, 2
    data = load_data(arguments)
    result: dict[str, Any] = {
        "data": data.source,
        "contexts": len(data.context_ids),
        "dim": data.vectors.shape[1],
        "rank": arguments.rank,
        "senses": arguments.senses,
        "restarts": arguments.restarts,
    }
    ours = measure_ours(data, arguments)
    result["ours"] = ours
    if not arguments.no_reference:
        with threadpool_limits(1):
            reference = measure_reference(data, arguments)
        result["reference"] = reference
        alone = ours["threads_1"]
        for part in ("induction", "all"):
            result[f"times_faster_{part}_one_thread_cpu"] = (
                reference[f"{part}_cpu_seconds"] / alone[f"{part}_cpu_seconds"]
            )
        result["objective_ours_less_reference_per_context"] = (
            ours["objective_per_context"] - reference["objective_per_context"]
        )
    name = arguments.name or ("kgrassmeans-quick" if arguments.quick else "kgrassmeans")
    write_result(name, result)


def measure_ours(data: ContextData, arguments: argparse.Namespace) -> dict[str, Any]:
    """Time subspaces and induction on one thread and on all, with different seeds."""
    bases = principal_subspaces(data.context_ids, data.vectors, arguments.rank)

    def induce(seed: int) -> KGrassmeans:
        return KGrassmeans(arguments.senses, arguments.restarts, random_state=seed).fit(bases)

    models = [induce(arguments.seed + run) for run in range(arguments.runs)]
    objectives = [model.inertia_ / len(bases) for model in models]
    result: dict[str, Any] = {
        "objective_per_context": objectives[0],
        "objective_per_context_worst_seed": max(objectives),
        "iterations": [model.n_iter_ for model in models],
    }
    n_threads = numba.get_num_threads()
    for threads in sorted({1, n_threads}):
        numba.set_num_threads(threads)
        seeds = iter(range(arguments.seed, arguments.seed + arguments.runs))
        induction = time_runs(lambda seeds=seeds: induce(next(seeds)), arguments.runs)
        subspaces = time_runs(
            lambda: principal_subspaces(data.context_ids, data.vectors, arguments.rank),
            arguments.runs,
        )
        result[f"threads_{threads}"] = {
            "subspaces_seconds_median": subspaces.median,
            "induction_seconds_median": induction.median,
            "induction_seconds_best": induction.best,
            "all_seconds_median": subspaces.median + induction.median,
            "induction_cpu_seconds": induction.cpu,
            "all_cpu_seconds": subspaces.cpu + induction.cpu,
        }
    numba.set_num_threads(n_threads)
    return result


def measure_reference(data: ContextData, arguments: argparse.Namespace) -> dict[str, Any]:
    """Time the reference once, whole, with as many threads as the caller allows."""
    found: list[Any] = []
    subspaces = time_runs(
        lambda: found.append(
            reference_numpy.principal_subspaces(data.context_ids, data.vectors, arguments.rank)
        ),
        runs=1,
    )
    induction = time_runs(
        lambda: found.append(
            reference_numpy.induce_directions(
                found[0], arguments.senses, arguments.restarts, random_state=arguments.seed
            )
        ),
        runs=1,
    )
    return {
        "subspaces_seconds": subspaces.best,
        "induction_seconds": induction.best,
        "all_seconds": subspaces.best + induction.best,
        "induction_cpu_seconds": induction.cpu,
        "all_cpu_seconds": subspaces.cpu + induction.cpu,
        "iterations": found[1].iterations,
        "objective_per_context": found[1].objective / len(data.context_ids),
    }


if __name__ == "__main__":
    main()
