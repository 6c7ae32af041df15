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
    """With the limits of learned contexts."""

    merge_cosine = LearnedEncoder.merge_cosine
    merge_slope = LearnedEncoder.merge_slope


def encoder_of_text(n_tokens: int | None) -> SlopedEncoder:
    counts = None if n_tokens is None else [n_tokens - 1, 1]
    vectors = WordVectors(["a", "b"], np.eye(2, dtype=np.float32), counts)
    return SlopedEncoder(vectors, ContextShape(rank=1), frozenset())


def test_the_limit_of_merging_follows_the_share_of_a_word_in_the_text() -> None:
    usual = encoder_of_text(60_000_000)
    assert usual.merge_limit(1_000) == pytest.approx(usual.merge_cosine)
    assert usual.merge_limit(10_000) == pytest.approx(usual.merge_cosine + usual.merge_slope)
    tenth = encoder_of_text(6_000_000)
    assert tenth.merge_limit(1_000) == pytest.approx(usual.merge_limit(10_000))
    large = encoder_of_text(600_000_000)
    assert large.merge_limit(10_000) == pytest.approx(usual.merge_limit(1_000))


def test_text_below_six_million_words_counts_as_so_many() -> None:
    assert encoder_of_text(1_000).merge_limit(100) == encoder_of_text(6_000_000).merge_limit(100)


def test_vectors_without_counts_are_taken_for_those_of_the_usual_text() -> None:
    usual = encoder_of_text(60_000_000)
    assert encoder_of_text(None).merge_limit(5_000) == usual.merge_limit(5_000)


def test_limits_have_ends_and_subspaces_have_one_for_all_words() -> None:
    usual = encoder_of_text(60_000_000)
    assert usual.merge_limit(0) == usual.merge_limit(1) == 0.2
    assert usual.merge_limit(10**9) == 0.8
    assert math.isclose(usual.merge_limit(40), 0.45 + 0.15 * math.log10(0.04), rel_tol=1e-9)
    subspaces = SubspaceEncoder(usual.vectors, ContextShape(rank=1), frozenset())
    assert subspaces.merge_limit(1) == subspaces.merge_limit(10**6) == subspaces.merge_cosine
