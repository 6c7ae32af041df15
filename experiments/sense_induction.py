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
from collections import defaultdict
from pathlib import Path

from grassmeans import decode_hard
from grassmeans.evaluation.clustering_scores import score_clustering
from grassmeans.evaluation.key_files import Key, Label, read_key
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.evaluation.tasks.makes_sense import read_makes_sense
from grassmeans.evaluation.tasks.semeval2010 import read_semeval2010
from grassmeans.senses.building import build_model
from grassmeans.senses.model import SenseModel
from grassmeans.senses.settings import InductionSettings


def decode_instances(model: SenseModel, instances: list[Instance]) -> Key:
    """Name the sense of every instance; words without senses get one cluster."""
    by_word: dict[tuple[str, str], list[Instance]] = defaultdict(list)
    for instance in instances:
        by_word[instance.key_word, instance.target].append(instance)
    labels: dict[str, dict[str, tuple[Label, ...]]] = {}
    for (key_word, target), group in by_word.items():
        senses = [0] * len(group)
        if target in model.inventory:
            distances = model.distances(target, [(i.left, i.right) for i in group])
            senses = [max(int(k), 0) + 1 for k in decode_hard(distances, None)]
        labels[key_word] = {
            instance.id: (Label(f"{key_word}.{sense}", 1.0),)
            for instance, sense in zip(group, senses, strict=True)
        }
    return Key(labels)


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

    tasks: dict[str, tuple[list[Instance], Key]] = {}
    if arguments.makes_sense:
        makes_sense = read_makes_sense(arguments.makes_sense)
        tasks["Make-Sense-2016"] = (list(makes_sense.instances), makes_sense.gold)
    if arguments.semeval:
        gold = read_key(arguments.semeval / "gold.key")
        tasks["SemEval-2010"] = (read_semeval2010(arguments.semeval / "test_data"), gold)
    words = sorted({i.target for instances, _ in tasks.values() for i in instances})
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
            for name, (instances, gold) in tasks.items():
                scores = score_clustering(decode_instances(model, instances), gold)
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
