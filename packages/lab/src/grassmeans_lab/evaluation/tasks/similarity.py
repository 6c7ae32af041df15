"""Similarity test sets: SCWS with and without senses, and lists of word pairs."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.writing import digest_of
from grassmeans.errors import InputError
from grassmeans.evaluation.instances import Instance, known_form
from grassmeans.evaluation.reports import (
    ResultTable,
    format_value,
    group_rows,
    round_interval,
    round_score,
)
from grassmeans.evaluation.running import Result, RunSettings, Task
from grassmeans.evaluation.systems import Senses, System, digest_of_vectors
from grassmeans.lexemes.context_similarity import ContextSimilarity, Passage
from grassmeans.senses.decoding import IdkRule, IdkThreshold, describe_rule
from grassmeans.tagging.tagging import occurrences_in_passages
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.evaluation.sense_vectors import collect_lexemes, plain_vectors
from grassmeans_lab.evaluation.tasks.similarity_scores import (
    ContextPair,
    SimilarityScore,
    bootstrap_correlation,
    correlate_ranks,
    read_scws,
    read_word_pairs,
    score_word_pairs,
)

_DECIMALS = 6  # two occurrences in one sense have cosine 1 up to rounding, which must not be ranked

_COLUMNS = {
    "Spearman": "spearman",
    "Spearman 95%": "spearman_interval",
    "pairs": "n_used",
    "missing": "n_missing",
}


@dataclass(frozen=True, kw_only=True)
class SimilarityResult(Result):
    """Spearman's correlations with people's ratings, x100.

    Attributes
    ----------
    groups : mapping
        ``groups[test set][way]``. For SCWS the test sets are ``"all"`` and ``"lite"`` (the same
        word on both sides), and, where ways miss different pairs, the same ones ``"on common
        pairs"``; the ways ``"plain"``, ``"hard"``, ``"soft"``, and without
        contexts ``"average"`` and ``"maximum"``.
    """

    groups: Mapping[str, Mapping[str, SimilarityScore]]

    def plain_scores(self) -> dict[str, Any]:
        """The scores of each test set and way."""
        return {
            group: {name: _plain_score(score) for name, score in ways.items()}
            for group, ways in self.groups.items()
        }

    def rows(self) -> list[dict[str, Any]]:
        """``group`` (a test set), ``system`` (the way), and the scores."""
        return [
            {"group": group} | row
            for group, ways in self.plain_scores().items()
            for row in group_rows(ways, "system")
        ]

    def to_table(self) -> ResultTable:
        """A table of the test sets and ways."""
        rows = [
            (group, name, *(format_value(plain[field]) for field in _COLUMNS.values()))
            for group, ways in self.plain_scores().items()
            for name, plain in ways.items()
        ]
        return ResultTable(("", "system", *_COLUMNS), tuple(rows))


class WordPairsTask(Task[SimilarityResult]):
    """Word vectors against ratings of word pairs.

    Parameters
    ----------
    data : path
        A file of ``word1 word2 score`` lines, or a folder of such ``.txt`` files.
    """

    name = "wordsim"

    def __init__(self, data: str | Path) -> None:
        place = Path(data)
        paths = sorted(place.glob("*.txt")) if place.is_dir() else [place]
        if not paths:
            raise InputError(f"{place} holds no .txt files of word pairs")
        self.tests = {path.stem: read_word_pairs(path) for path in paths}

    @cached_property
    def digest(self) -> str:
        """Of words and ratings."""
        return digest_of(
            [
                [name, [[pair.first, pair.second, pair.rating] for pair in pairs]]
                for name, pairs in self.tests.items()
            ]
        )

    @property
    def targets(self) -> tuple[str, ...]:
        """No word needs senses."""
        return ()

    def score(self, system: System, settings: RunSettings) -> SimilarityResult:
        """Correlate the cosines of whole words with the ratings."""
        vectors = plain_vectors(system, system.find_senses(self.targets))
        return SimilarityResult(
            task=self.name,
            groups={
                name: {"plain": score_word_pairs(vectors, pairs)}
                for name, pairs in self.tests.items()
            },
            digests={"vectors": digest_of_vectors(vectors)},
            counts={"n_pairs": sum(len(pairs) for pairs in self.tests.values())},
        )


class ScwsTask(Task[SimilarityResult]):
    """Similarity of words in context, by HardSim, SoftSim, AvgSim and MaxSim, against ratings.

    An occurrence stands for the vector of its nearest sense, or the mean of all by their
    probabilities; one that is "I don't know", or has too few known words around it, for the vector
    that the lexemes have for that, or of the whole word. So do words without senses; a word that
    has no vector either is missing. A system without sense vectors has the way ``"plain"`` only.

    Parameters
    ----------
    data : path
        ``ratings.txt``, or the folder that holds it.
    """

    name = "scws"

    def __init__(self, data: str | Path) -> None:
        place = Path(data)
        self.pairs = read_scws(place / "ratings.txt" if place.is_dir() else place)

    @cached_property
    def digest(self) -> str:
        """Of texts and ratings."""
        return digest_of([[p.id, p.first.text, p.second.text, p.rating] for p in self.pairs])

    @property
    def targets(self) -> tuple[str, ...]:
        """The words of both sides."""
        sides = (side for pair in self.pairs for side in (pair.first, pair.second))
        return tuple(dict.fromkeys(side.target for side in sides))

    def score(self, system: System, settings: RunSettings) -> SimilarityResult:
        """Correlate similarities with the ratings."""
        senses = system.find_senses(self.targets)
        plain = plain_vectors(system, senses)
        lexemes = collect_lexemes(senses, self.targets)
        ways = {"plain": _compare_words(plain, self.pairs)}
        counts = {"n_pairs": len(self.pairs)}
        digests = {"vectors": digest_of_vectors(plain)}
        parameters: dict[str, Any] = {}
        if lexemes is not None:
            similarity = ContextSimilarity(
                _ReadSenses(senses, system),
                lexemes,
                idk_threshold=settings.idk_threshold,
                sharpness=settings.sharpness,
            )
            found = similarity.compare((_passage(p.first), _passage(p.second)) for p in self.pairs)
            ways |= {
                "hard": found.hard,
                "soft": found.soft,
                "average": found.average,
                "maximum": found.maximum,
            }
            counts |= {
                "n_occurrences": found.n_occurrences,
                "n_decoded": found.n_decoded,
                "n_idk": found.n_idk,
            }
            idk = describe_rule(similarity.idk_threshold)
            parameters = {"idk": idk, "sharpness": similarity.sharpness}
            digests["lexemes"] = digest_of_vectors(lexemes.vectors)
        return SimilarityResult(
            task=self.name,
            groups=_score_parts(self.pairs, ways),
            parameters=parameters,
            digests=digests,
            counts=counts,
        )


@dataclass(frozen=True, slots=True)
class _ReadSenses:
    """Senses that are asked with texts instead of occurrences."""

    senses: Senses
    system: System

    @property
    def inventory(self) -> Container[str]:
        return self.senses

    def distances(self, word: str, passages: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        read = occurrences_in_passages(word, passages, self.system.tokenizer)
        return self.senses.distances(word, read)

    def choose_threshold(self, idk_threshold: IdkThreshold) -> IdkRule:
        return self.system.choose_threshold(idk_threshold)

    def choose_sharpness(self, sharpness: float | None) -> float:
        return self.system.choose_sharpness(sharpness)


def _compare_words(vectors: WordVectors, pairs: Sequence[ContextPair]) -> NDArray[np.float64]:
    found = np.full(len(pairs), np.nan)
    for i, pair in enumerate(pairs):
        first, second = (known_form(vectors, side.target) for side in (pair.first, pair.second))
        if first is not None and second is not None:
            found[i] = vectors.similarity(first, second)
    return found


def _score_parts(
    pairs: Sequence[ContextPair], ways: Mapping[str, NDArray[np.float64]]
) -> dict[str, dict[str, SimilarityScore]]:
    usable = [~np.isnan(values) for values in ways.values()]
    parts = {
        "all": np.ones(len(pairs), bool),
        "lite": np.array([pair.has_same_form for pair in pairs]),
    }
    if any((one != usable[0]).any() for one in usable):
        common = np.logical_and.reduce(usable)
        parts |= {f"{name} on common pairs": part & common for name, part in parts.items()}
    return {
        part: {name: _correlate(pairs, wanted, values) for name, values in ways.items()}
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
    return {
        "spearman": round_score(score.spearman),
        "spearman_interval": round_interval(score.spearman_interval),
        "n_used": score.n_used,
        "n_missing": score.n_missing,
    }


def _passage(instance: Instance) -> Passage:
    return Passage(instance.left, instance.target, instance.right)
