"""Similarity of words in context: SCWS and SCWS-lite (table 6 of the paper).

Spearman's rank correlation (x100) with people's ratings, for plain word vectors, and HardSim and
SoftSim for every pair of a sense model and the lexeme vectors trained on the corpus it labelled.
SCWS-lite are the pairs that show the same word on both sides: plain vectors cannot tell them apart.

    python experiments/scws.py --scws ratings.txt --vectors VECTORS \
        --lexemes hard2=MODEL:LEXEMES --lexemes soft5=MODEL:LEXEMES --output scws.json
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans import WordVectors, load
from grassmeans.evaluation.similarity_scores import correlate_ranks, score_word_pairs
from grassmeans.evaluation.tasks.scws import ContextPair, read_scws
from grassmeans.lexemes.context_similarity import ContextSimilarity, PairSimilarities, Passage
from grassmeans.lexemes.lexeme_vectors import LexemeVectors

Row = dict[str, Any]


def score_plain_vectors(vectors: WordVectors, parts: dict[str, list[ContextPair]]) -> Row:
    """Contexts are not looked at: what one vector a word can do."""
    row: Row = {"system": "word vectors"}
    for name, pairs in parts.items():
        score = score_word_pairs(vectors, (pair.word_pair for pair in pairs))
        row[name] = {
            "hard": _rounded(score.spearman),
            "soft": _rounded(score.spearman),
            "n_pairs": len(pairs),
            "n_missing": score.n_missing,
        }
    return row


def score_lexemes(
    name: str, similarity: ContextSimilarity, parts: dict[str, list[ContextPair]]
) -> Row:
    """HardSim and SoftSim; pairs with a word that has no vector at all are left out and counted."""
    row: Row = {"system": name}
    for part, pairs in parts.items():
        started = time.perf_counter()
        found = similarity.compare((_passage(p, 0), _passage(p, 1)) for p in pairs)
        row[part] = _summarise(found, pairs) | {"seconds": round(time.perf_counter() - started, 1)}
    return row


def _summarise(found: PairSimilarities, pairs: Sequence[ContextPair]) -> Row:
    usable = ~np.isnan(found.hard)
    ratings = np.array([pair.rating for pair in pairs])[usable].tolist()
    return {
        "hard": _rounded(correlate_ranks(ratings, found.hard[usable].tolist())),
        "soft": _rounded(correlate_ranks(ratings, found.soft[usable].tolist())),
        "n_pairs": len(pairs),
        "n_missing": found.n_missing,
        "n_occurrences": found.n_occurrences,
        "n_decoded": found.n_decoded,
        "n_idk": found.n_idk,
        "missing_words": list(found.missing_words),
    }


def _passage(pair: ContextPair, side: int) -> Passage:
    instance = pair.second if side else pair.first
    return Passage(instance.left, instance.target, instance.right)


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(value, 2)


def print_table(rows: Sequence[Row], parts: Sequence[str]) -> None:
    """One line a system and part."""
    print(f"{'system':<20} {'part':<10} {'SoftSim':>8} {'HardSim':>8} {'missing':>8} {'IDK':>12}")
    for row in rows:
        for part in parts:
            values = row[part]
            idk = f"{values['n_idk']}/{values['n_decoded']}" if "n_idk" in values else "-"
            soft, hard = (
                "-" if values[kind] is None else f"{values[kind]:.2f}" for kind in ("soft", "hard")
            )
            missing = f"{values['n_missing']}/{values['n_pairs']}"
            print(f"{row['system']:<20} {part:<10} {soft:>8} {hard:>8} {missing:>8} {idk:>12}")


def _named_pair(text: str) -> tuple[str, Path, Path]:
    name, _, paths = text.partition("=")
    model, _, lexemes = paths.partition(":")
    if not (name and model and lexemes):
        raise argparse.ArgumentTypeError(f"expected NAME=MODEL:LEXEMES, got {text!r}")
    return name, Path(model), Path(lexemes)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scws", type=Path, required=True, help="ratings.txt")
    parser.add_argument("--vectors", type=Path, help="plain word vectors, for comparison")
    parser.add_argument("--lexemes", type=_named_pair, action="append", default=[])
    parser.add_argument("--idk", type=float, default=0.6, help="threshold; above 1: never IDK")
    parser.add_argument("--output", type=Path, help="write the scores as JSON")
    arguments = parser.parse_args()

    pairs = read_scws(arguments.scws)
    parts = {"SCWS": pairs, "SCWS-lite": [pair for pair in pairs if pair.has_same_form]}
    rows: list[Row] = []
    if arguments.vectors:
        rows.append(score_plain_vectors(WordVectors.load(arguments.vectors), parts))
    threshold = arguments.idk if arguments.idk <= 1 else None
    for name, model, lexemes in arguments.lexemes:
        similarity = ContextSimilarity(
            load(model), LexemeVectors.load(lexemes), idk_threshold=threshold
        )
        rows.append(score_lexemes(name, similarity, parts))
    print_table(rows, list(parts))
    if arguments.output:
        arguments.output.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
