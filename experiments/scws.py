"""Similarity of words in context: SCWS and SCWS-lite (table 6 of the paper).

Spearman's rank correlation (x100) with people's ratings, for plain word vectors, and HardSim and
SoftSim for every pair of a sense model and the lexeme vectors trained on the corpus it labelled.
SCWS-lite are the pairs that show the same word on both sides: plain vectors cannot tell them apart.

Systems may lack vectors for different words. The lines "on common pairs" score all of them on the
pairs that every one can score: only these can be compared with each other.

    python experiments/scws.py --scws ratings.txt --vectors VECTORS \
        --lexemes hard2=MODEL:LEXEMES --lexemes soft5=MODEL:LEXEMES --output scws.json
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans import WordVectors, load
from grassmeans.evaluation.similarity_scores import correlate_ranks
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.evaluation.tasks.scws import ContextPair, read_scws
from grassmeans.lexemes.context_similarity import ContextSimilarity, Passage
from grassmeans.lexemes.lexeme_vectors import LexemeVectors

Row = dict[str, Any]


@dataclass(frozen=True)
class SystemAnswers:
    """What a system says of all pairs; NaN where a word has no vector at all."""

    name: str
    hard: NDArray[np.float64]
    soft: NDArray[np.float64]
    facts: Row = field(default_factory=dict)

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Which pairs the system can score."""
        return ~np.isnan(self.hard)


def compare_words(vectors: WordVectors, pairs: Sequence[ContextPair]) -> SystemAnswers:
    """Contexts are not looked at: what one vector a word can do."""
    found = np.full(len(pairs), np.nan)
    for i, pair in enumerate(pairs):
        first, second = (_known_form(vectors, side) for side in (pair.first, pair.second))
        if first is not None and second is not None:
            found[i] = vectors.similarity(first, second)
    return SystemAnswers("word vectors", found, found)


def compare_lexemes(
    name: str, similarity: ContextSimilarity, pairs: Sequence[ContextPair]
) -> SystemAnswers:
    """HardSim and SoftSim of all pairs."""
    started = time.perf_counter()
    found = similarity.compare((_passage(pair.first), _passage(pair.second)) for pair in pairs)
    facts = {
        "n_occurrences": found.n_occurrences,
        "n_decoded": found.n_decoded,
        "n_idk": found.n_idk,
        "missing_words": list(found.missing_words),
        "seconds": round(time.perf_counter() - started, 1),
    }
    return SystemAnswers(name, found.hard, found.soft, facts)


def score_answers(
    answers: SystemAnswers, ratings: NDArray[np.float64], wanted: NDArray[np.bool_]
) -> Row:
    """Correlations over the wanted pairs that the system can score."""
    chosen = wanted & answers.usable
    return {
        "soft": correlate(ratings[chosen], answers.soft[chosen]),
        "hard": correlate(ratings[chosen], answers.hard[chosen]),
        "n_pairs": int(wanted.sum()),
        "n_missing": int(wanted.sum() - chosen.sum()),
    }


def correlate(ratings: NDArray[np.float64], similarities: NDArray[np.float64]) -> float | None:
    """Spearman's correlation x100; None where all similarities are equal.

    Two occurrences in the same sense have cosine 1 up to rounding. Without rounding it away their
    ranks, and so the score of SCWS-lite, would be noise.
    """
    value = correlate_ranks(ratings.tolist(), np.round(similarities, 6).tolist())
    return None if math.isnan(value) else round(value, 2)


def print_table(rows: Sequence[Row]) -> None:
    """One line a system and part."""
    print(f"{'system':<16} {'part':<26} {'SoftSim':>8} {'HardSim':>8} {'missing':>10}")
    for row in rows:
        for part, score in row["scores"].items():
            soft, hard = (
                "-" if score[kind] is None else f"{score[kind]:.2f}" for kind in ("soft", "hard")
            )
            missing = f"{score['n_missing']}/{score['n_pairs']}"
            print(f"{row['system']:<16} {part:<26} {soft:>8} {hard:>8} {missing:>10}")
        if "n_idk" in row:
            print(
                f"{row['system']:<16} {row['n_idk']} of {row['n_decoded']} decoded occurrences "
                f"are IDK ({row['n_occurrences'] - row['n_decoded']} are of words without senses)"
            )


def _passage(instance: Instance) -> Passage:
    return Passage(instance.left, instance.target, instance.right)


def _known_form(vectors: WordVectors, instance: Instance) -> str | None:
    forms = (instance.target, instance.target.lower())
    return next((form for form in forms if form in vectors), None)


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
    systems: list[SystemAnswers] = []
    if arguments.vectors:
        systems.append(compare_words(WordVectors.load(arguments.vectors), pairs))
    threshold = arguments.idk if arguments.idk <= 1 else None
    for name, model, lexemes in arguments.lexemes:
        similarity = ContextSimilarity(
            load(model), LexemeVectors.load(lexemes), idk_threshold=threshold
        )
        systems.append(compare_lexemes(name, similarity, pairs))
    if not systems:
        parser.error("nothing to score: give --vectors or --lexemes")

    ratings = np.array([pair.rating for pair in pairs])
    parts = {
        "SCWS": np.ones(len(pairs), bool),
        "SCWS-lite": np.array([pair.has_same_form for pair in pairs]),
    }
    if len(systems) > 1:
        common = np.logical_and.reduce([system.usable for system in systems])
        parts |= {f"{name} on common pairs": part & common for name, part in parts.items()}
    rows: list[Row] = []
    for system in systems:
        scores = {name: score_answers(system, ratings, part) for name, part in parts.items()}
        rows.append({"system": system.name, "scores": scores} | system.facts)
    print_table(rows)
    if arguments.output:
        arguments.output.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
