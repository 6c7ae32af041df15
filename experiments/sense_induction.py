"""Word sense induction on Make-Sense-2016 and SemEval-2010 task 14 (table 5 of the paper).

Senses are induced on a corpus, test instances are decoded to the nearest direction, with no "I
don't know". Instances with fewer known context words than the rank go to the largest sense.

    python experiments/sense_induction.py --corpus CORPUS --vectors VECTORS \
        --makes-sense FOLDER --semeval FOLDER --senses 2 5
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from grassmeans.evaluation.clustering_scores import ClusteringScores
from grassmeans.evaluation.running import evaluate_clustering
from grassmeans.evaluation.tasks.loading import ClusteringTask, load_task
from grassmeans.senses.building import build_model
from grassmeans.senses.settings import InductionSettings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--makes-sense", type=Path)
    parser.add_argument("--semeval", type=Path)
    parser.add_argument("--senses", type=int, nargs="+", default=[2, 5])
    parser.add_argument("--rank", type=int, default=3)
    parser.add_argument("--weighting", default="flat")
    parser.add_argument("--max-contexts", type=int, default=10_000)
    parser.add_argument("--output", type=Path, help="write the scores as JSON")
    arguments = parser.parse_args()

    tasks: dict[str, ClusteringTask] = {}
    if arguments.makes_sense:
        tasks["Make-Sense-2016"] = load_task("makes-sense", arguments.makes_sense)
    if arguments.semeval:
        tasks["SemEval-2010"] = load_task("semeval2010", arguments.semeval)
    if not tasks:
        parser.error("nothing to score: give --makes-sense or --semeval")
    words = sorted({i.target for task in tasks.values() for i in task.instances})
    rows = []
    for n_senses in arguments.senses:
        settings = InductionSettings(
            n_senses=n_senses,
            rank=arguments.rank,
            weighting=arguments.weighting,
            max_contexts=arguments.max_contexts,
        )
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            model = build_model(
                arguments.corpus, arguments.vectors, Path(folder) / "m", words, settings=settings
            )
            seconds = time.perf_counter() - started
            for skipped in model.inventory.skipped:
                print(f"no senses: {skipped.word} {skipped.reason}")
            for name, task in tasks.items():
                scores = evaluate_clustering(task, model).scores
                assert isinstance(scores, ClusteringScores)
                for group, score in scores.groups.items():
                    row = {
                        "task": name,
                        "part": group,
                        "senses": n_senses,
                        "rank": arguments.rank,
                        "weighting": arguments.weighting,
                        "v_measure": round(score.v_measure, 2),
                        "f_score": round(score.f_score, 2),
                        "n_clusters": round(score.n_clusters, 2),
                        "induction_seconds": round(seconds, 1),
                    }
                    rows.append(row)
                    print(json.dumps(row), flush=True)
    if arguments.output:
        arguments.output.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
