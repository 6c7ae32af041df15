from __future__ import annotations

import math

import numpy as np
import pytest

from grassmeans.change.measures import (
    LIKENESS,
    average_pairwise_distance,
    describe_contexts,
    jensen_shannon,
    prototype_distance,
)
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.geometry.windows import ContextShape
from grassmeans.vectors.word_vectors import WordVectors


def test_distributions_without_anything_in_common_are_one_apart():
    assert jensen_shannon(np.array([4.0, 0.0]), np.array([0.0, 9.0])) == 1.0
    assert jensen_shannon(np.array([2.0, 6.0]), np.array([0.25, 0.75])) == 0.0


def test_jensen_shannon_of_half_a_sense_by_hand():
    # Shares (1, 0) and (1/2, 1/2): H(3/4, 1/4) - 1/2 bits.
    mean = -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))
    found = jensen_shannon(np.array([3.0, 0.0]), np.array([5.0, 5.0]))
    assert found == pytest.approx(math.sqrt(mean - 0.5))


def test_a_side_without_occurrences_has_no_distance():
    found = jensen_shannon(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 1.0], [1.0, 0.0]]))
    assert np.isnan(found[0])
    assert found[1] == 0.0
    nothing = np.empty((0, 2), np.float32)
    assert math.isnan(average_pairwise_distance(nothing, np.eye(2, dtype=np.float32)))
    assert math.isnan(prototype_distance(nothing, np.eye(2, dtype=np.float32)))


def test_pairs_and_prototypes_by_hand():
    first = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
    second = np.array([[1.0, 0.0]], np.float32)
    assert average_pairwise_distance(first, second) == pytest.approx(0.5)  # cosines 1 and 0
    assert prototype_distance(first, second) == pytest.approx(1 - math.sqrt(0.5))


@pytest.fixture
def encoder():
    # So few words that one of them stands for a context.
    # "bank" lies between "river" and "money"; "verb" has nothing to do with it.
    rows = {"bank": [1, 1, 0], "river": [1, 0.4, 0], "money": [0.4, 1, 0], "verb": [0, 0, 1]}
    vectors = WordVectors(list(rows), np.array(list(rows.values()), np.float32))
    return SubspaceEncoder(vectors, ContextShape(rank=1), frozenset())


def test_a_context_stands_for_the_words_that_fit_and_are_like_the_word(encoder):
    # Both contexts ask for "verb" most, as texts of one style do; next to it for one of the others.
    lines = np.array([[[0.6, 0.1, 0.79]], [[0.1, 0.6, 0.79]]], np.float32)
    lines /= np.linalg.norm(lines, axis=2, keepdims=True)
    found = describe_contexts("bank", lines, encoder)
    unit = encoder.vectors.vectors / np.linalg.norm(encoder.vectors.vectors, axis=1, keepdims=True)
    assert LIKENESS == 0.5
    np.testing.assert_allclose(found, unit[[1, 2]], atol=1e-6)


def test_a_word_without_vector_stands_where_its_contexts_point_to(encoder):
    lines = np.zeros((3, 1, 3), np.float32)
    lines[:2, 0] = [[1.0, 0.3, 0.0], [1.0, 0.5, 0.0]]
    lines[:2] /= np.linalg.norm(lines[:2], axis=2, keepdims=True)
    found = describe_contexts("brook", lines, encoder)
    river = np.array([1, 0.4, 0]) / np.linalg.norm([1, 0.4, 0])
    np.testing.assert_allclose(found[:2], [river, river], atol=1e-6)
    assert not found[2].any()  # it says nothing
