"""Word sense induction on Make-Sense-2016 and SemEval-2010 task 14 (table 5 of the paper).

Senses are induced on a corpus, test instances are decoded to the nearest direction, with no "I
don't know". Instances with fewer known context words than the rank go to the largest sense.

    python experiments/sense_induction.py --corpus CORPUS --vectors VECTORS \
        --makes-sense FOLDER --semeval FOLDER --senses 2 5
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from grassmeans import Corpus, WordVectors
from grassmeans.laboratory.comparing.comparing import Comparison, ComparisonSettings
from grassmeans.laboratory.comparing.systems import make_systems
from grassmeans.laboratory.comparing.tasks import open_task

PARTS = ("all", "n", "v")
SCORES = ("v_measure", "f_score", "n_clusters")


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

    places = {"makes-sense": arguments.makes_sense, "semeval2010": arguments.semeval}
    tasks = [open_task(name, place) for name, place in places.items() if place]
    if not tasks:
        parser.error("nothing to score: give --makes-sense or --semeval")
    comparison = Comparison(
        Corpus.open(arguments.corpus),
        WordVectors.load(arguments.vectors),
        tasks,
        ComparisonSettings(max_contexts=arguments.max_contexts),
        workers=None,
    )
    method = f"grassmeans:rank={arguments.rank}:weighting={arguments.weighting}"
    rows = []
    for found in comparison.compare(make_systems([method], arguments.senses)):
        for part in (part for part in PARTS if part in found.result):
            row = {
                "task": found.task,
                "part": part,
                "senses": found.n_senses,
                "rank": arguments.rank,
                "weighting": arguments.weighting,
                **{name: round(found.result[part][name], 2) for name in SCORES},
                "induction_seconds": found.induction_seconds,
            }
            rows.append(row)
            print(json.dumps(row), flush=True)
    if arguments.output:
        arguments.output.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
