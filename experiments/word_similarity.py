"""Spearman correlation of word vectors with human ratings: word pairs, and SCWS without contexts.

python experiments/word_similarity.py VECTORS --pairs WordSim-353=EN-WS-353-ALL.txt \
        MEN=EN-MEN-TR-3k.txt --scws ratings.txt
"""

from __future__ import annotations

import argparse
from pathlib import Path

from grassmeans import WordVectors
from grassmeans.evaluation.similarity_scores import read_word_pairs, score_word_pairs
from grassmeans.evaluation.tasks.scws import read_scws


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--pairs", nargs="*", default=[], metavar="NAME=FILE")
    parser.add_argument("--scws", type=Path)
    arguments = parser.parse_args()
    vectors = WordVectors.load(arguments.vectors)
    tests = {}
    for item in arguments.pairs:
        name, path = item.split("=", 1)
        tests[name] = read_word_pairs(path)
    if arguments.scws:
        tests["SCWS"] = [pair.word_pair for pair in read_scws(arguments.scws)]
    for name, pairs in tests.items():
        score = score_word_pairs(vectors, pairs)
        print(f"{name}: {score.spearman:.1f} ({score.n_used} pairs, {score.n_missing} missing)")


if __name__ == "__main__":
    main()
