"""How often a model says "I don't know" on Make-Sense-2016, and how close its directions lie.

python packages/lab/scripts/idk_share.py --model MODEL --makes-sense FOLDER
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

import grassmeans
from grassmeans.evaluation.loading import open_task
from grassmeans.senses.decoding import decode_hard

THRESHOLDS = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--makes-sense", type=Path, required=True)
    arguments = parser.parse_args()
    model = grassmeans.load(arguments.model)
    passages = defaultdict(list)
    for instance in open_task("makes-sense", arguments.makes_sense).instances:
        if instance.target in model.inventory:
            passages[instance.target].append((instance.left, instance.right))
    distances = [model.distances(word, found) for word, found in passages.items()]
    for threshold in THRESHOLDS:
        senses = np.concatenate([decode_hard(found, threshold) for found in distances])
        print(f"threshold {threshold}: {np.mean(senses < 0):.0%} of {len(senses):,}")
    directions = np.concatenate([model.inventory.directions(word) for word in model.words])
    pairs = np.triu_indices(len(directions), 1)
    cosines = np.abs(directions @ directions.T)[pairs]
    print(f"cosine of two directions: {cosines.mean():.3f} +- {cosines.std():.3f}")


if __name__ == "__main__":
    main()
