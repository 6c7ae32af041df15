"""What every kind of context has in common."""

from __future__ import annotations

import math

import numpy as np
import pytest

from grassmeans.contexts.learned import LearnedEncoder
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.geometry.windows import ContextShape
from grassmeans.vectors.word_vectors import WordVectors


class SlopedEncoder(SubspaceEncoder):
    """With the rules of learned contexts."""

    grouping = LearnedEncoder.grouping


def limit_in(n_tokens: int | None, count: int) -> float:
    """From which cosine on directions of a word with so many occurrences are one sense."""
    counts = None if n_tokens is None else [n_tokens - 1, 1]
    vectors = WordVectors(["a", "b"], np.eye(2, dtype=np.float32), counts)
    return SlopedEncoder(vectors, ContextShape(rank=1), frozenset()).rules_for(count).merge_cosine


USUAL = 60_000_000


def test_the_limit_of_merging_follows_the_share_of_a_word_in_the_text() -> None:
    assert limit_in(USUAL, 1_000) == pytest.approx(0.45)
    assert limit_in(USUAL, 10_000) == pytest.approx(0.45 + 0.15)
    assert limit_in(6_000_000, 1_000) == pytest.approx(limit_in(USUAL, 10_000))
    assert limit_in(600_000_000, 10_000) == pytest.approx(limit_in(USUAL, 1_000))


def test_text_below_six_million_words_counts_as_so_many() -> None:
    assert limit_in(1_000, 100) == limit_in(6_000_000, 100)


def test_vectors_without_counts_are_taken_for_those_of_the_usual_text() -> None:
    assert limit_in(None, 5_000) == limit_in(USUAL, 5_000)


def test_limits_have_ends_and_subspaces_have_one_for_all_words() -> None:
    assert limit_in(USUAL, 0) == limit_in(USUAL, 1) == 0.2
    assert limit_in(USUAL, 10**9) == 0.8
    assert math.isclose(limit_in(USUAL, 40), 0.45 + 0.15 * math.log10(0.04), rel_tol=1e-9)
    vectors = WordVectors(["a", "b"], np.eye(2, dtype=np.float32), [10, 10])
    subspaces = SubspaceEncoder(vectors, ContextShape(rank=1), frozenset())
    assert subspaces.rules_for(1) == subspaces.rules_for(10**6) == SubspaceEncoder.grouping
