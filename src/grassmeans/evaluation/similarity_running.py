"""Similarity test sets with a model: SCWS with and without senses, and lists of word pairs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import digest_of, digest_of_array
from grassmeans.errors import InputError
from grassmeans.evaluation.reports import ResultTable, format_value, round_score
from grassmeans.evaluation.similarity_scores import (
    SimilarityScore,
    bootstrap_correlation,
    correlate_ranks,
    read_word_pairs,
    score_word_pairs,
)
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.evaluation.tasks.scws import ContextPair, read_scws
from grassmeans.lexemes.context_similarity import ContextSimilarity, Passage
from grassmeans.vectors.word_vectors import WordVectors

_DECIMALS = 6  # two occurrences in one sense have cosine 1 up to rounding, which must not be ranked

_COLUMNS = {
    "Spearman": "spearman",
    "Spearman 95%": "spearman_interval",
    "pairs": "n_used",
    "missing": "n_missing",
}


@dataclass(frozen=True, slots=True)
class SimilarityResult:
    """Spearman's correlations with people's ratings, x100.

    Attributes
    ----------
    groups : mapping
        ``groups[test set][system]``. For SCWS the test sets are ``"all"`` and ``"lite"`` (the same
        word on both sides), and, where systems miss different pairs, the same ones ``"on common
        pairs"``; the systems ``"plain"``, ``"hard"`` and ``"soft"``.
    parameters, digests, counts : mapping
        The record of the run.
    """

    task: str
    groups: Mapping[str, Mapping[str, SimilarityScore]]
    parameters: Mapping[str, Any]
    digests: Mapping[str, str]
    counts: Mapping[str, int]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The scores and the record of the run as plain values."""
        scores = {
            group: {name: _plain_score(score) for name, score in systems.items()}
            for group, systems in self.groups.items()
        }
        return scores | {
            "task": self.task,
            "parameters": dict(self.parameters),
            "digests": dict(self.digests),
            "counts": dict(self.counts),
            "seconds": round(self.seconds, 2),
        }

    def to_table(self) -> ResultTable:
        """A table of the test sets and systems."""
        rows = [
            (group, name, *(format_value(plain[field]) for field in _COLUMNS.values()))
            for group, systems in self.groups.items()
            for name, score in systems.items()
            for plain in [_plain_score(score)]
        ]
        return ResultTable(("", "system", *_COLUMNS), tuple(rows))


def evaluate_word_pairs(vectors: WordVectors, data: str | Path) -> SimilarityResult:
    """Correlate word vectors with ratings of word pairs.

    Parameters
    ----------
    data : path
        A file of ``word1 word2 score`` lines, or a folder of such ``.txt`` files.
    """
    started = time.perf_counter()
    place = Path(data)
    paths = sorted(place.glob("*.txt")) if place.is_dir() else [place]
    if not paths:
        raise InputError(f"{place} holds no .txt files of word pairs")
    tests = {path.stem: read_word_pairs(path) for path in paths}
    texts = [
        [name, [[pair.first, pair.second, pair.rating] for pair in pairs]]
        for name, pairs in tests.items()
    ]
    return SimilarityResult(
        task="wordsim",
        groups={name: {"plain": score_word_pairs(vectors, pairs)} for name, pairs in tests.items()},
        parameters={},
        digests={"vectors": digest_of_vectors(vectors), "data": digest_of(texts)},
        counts={"n_pairs": sum(len(pairs) for pairs in tests.values())},
        seconds=time.perf_counter() - started,
    )


def evaluate_scws(
    data: str | Path, vectors: WordVectors, similarity: ContextSimilarity | None = None
) -> SimilarityResult:
    """Correlate similarities with the ratings of SCWS.

    Parameters
    ----------
    data : path
        ``ratings.txt``, or the folder that holds it.
    vectors : WordVectors
        The plain system: one vector a word, contexts not looked at.
    similarity : ContextSimilarity, optional
        HardSim and SoftSim by a model and the lexeme vectors that belong to it.
    """
    started = time.perf_counter()
    pairs = read_pairs(data)
    systems = {"plain": _compare_words(vectors, pairs)}
    counts = {"n_pairs": len(pairs)}
    parameters: dict[str, Any] = {}
    digests = {
        "vectors": digest_of_vectors(vectors),
        "data": digest_of_pairs(pairs),
    }
    if similarity is not None:
        found = similarity.compare((_passage(p.first), _passage(p.second)) for p in pairs)
        systems |= {"hard": found.hard, "soft": found.soft}
        counts |= {
            "n_occurrences": found.n_occurrences,
            "n_decoded": found.n_decoded,
            "n_idk": found.n_idk,
        }
        parameters = {"idk": similarity.idk_threshold, "sharpness": similarity.sharpness}
        digests["lexemes"] = digest_of_vectors(similarity.lexemes.vectors)
    return SimilarityResult(
        task="scws",
        groups=_score_parts(pairs, systems),
        parameters=parameters,
        digests=digests,
        counts=counts,
        seconds=time.perf_counter() - started,
    )


def read_pairs(data: str | Path) -> list[ContextPair]:
    """Read the pairs of SCWS from ``ratings.txt``, or from the folder that holds it."""
    place = Path(data)
    return read_scws(place / "ratings.txt" if place.is_dir() else place)


def digest_of_pairs(pairs: Sequence[ContextPair]) -> str:
    """A short digest of texts and ratings."""
    return digest_of([[p.id, p.first.text, p.second.text, p.rating] for p in pairs])


def digest_of_vectors(vectors: WordVectors) -> str:
    """A short digest of words and vectors."""
    return digest_of([list(vectors.words), digest_of_array(vectors.vectors)])


def _compare_words(vectors: WordVectors, pairs: Sequence[ContextPair]) -> NDArray[np.float64]:
    found = np.full(len(pairs), np.nan)
    for i, pair in enumerate(pairs):
        first, second = (_known_form(vectors, side) for side in (pair.first, pair.second))
        if first is not None and second is not None:
            found[i] = vectors.similarity(first, second)
    return found


def _score_parts(
    pairs: Sequence[ContextPair], systems: Mapping[str, NDArray[np.float64]]
) -> dict[str, dict[str, SimilarityScore]]:
    usable = [~np.isnan(values) for values in systems.values()]
    parts = {
        "all": np.ones(len(pairs), bool),
        "lite": np.array([pair.has_same_form for pair in pairs]),
    }
    if any((one != usable[0]).any() for one in usable):
        common = np.logical_and.reduce(usable)
        parts |= {f"{name} on common pairs": part & common for name, part in parts.items()}
    return {
        part: {name: _correlate(pairs, wanted, values) for name, values in systems.items()}
        for part, wanted in parts.items()
    }


def _correlate(
    pairs: Sequence[ContextPair], wanted: NDArray[np.bool_], values: NDArray[np.float64]
) -> SimilarityScore:
    chosen = np.flatnonzero(wanted & ~np.isnan(values))
    ratings = [pairs[i].rating for i in chosen.tolist()]
    similarities = np.round(values[chosen], _DECIMALS).tolist()
    return SimilarityScore(
        spearman=correlate_ranks(ratings, similarities),
        n_used=len(chosen),
        n_missing=int(wanted.sum()) - len(chosen),
        missing_words=(),
        spearman_interval=bootstrap_correlation(ratings, similarities),
    )


def _plain_score(score: SimilarityScore) -> dict[str, Any]:
    interval = score.spearman_interval
    return {
        "spearman": round_score(score.spearman),
        "spearman_interval": interval and [round_score(interval.low), round_score(interval.high)],
        "n_used": score.n_used,
        "n_missing": score.n_missing,
    }


def _passage(instance: Instance) -> Passage:
    return Passage(instance.left, instance.target, instance.right)


def _known_form(vectors: WordVectors, instance: Instance) -> str | None:
    forms = (instance.target, instance.target.lower())
    return next((form for form in forms if form in vectors), None)
