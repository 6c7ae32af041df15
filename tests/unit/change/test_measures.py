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
    # The root of a rounding error of 1e-16 would be 1e-8.
    shares = np.array([0.27456492595745197, 0.708322913972445, 0.017112160070102904])
    rounded = np.array([0.27456492595745235, 0.708322913972445, 0.01711216007010293])
    assert jensen_shannon(shares, rounded) == 0.0


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
    # The same two on either side: cosines 1, 0, 0 and 1, but the same mean.
    assert average_pairwise_distance(first, first) == pytest.approx(0.5)
    assert prototype_distance(first, first) == pytest.approx(0.0)
    assert math.isnan(prototype_distance(first, np.array([[1, 0], [-1, 0]], np.float32)))


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


class PointingEncoder(SubspaceEncoder):
    """Lines with ends, as learned contexts have."""

    lines_have_ends = True


def make_encoder(rows, kind=SubspaceEncoder):
    vectors = WordVectors(list(rows), np.array(list(rows.values()), np.float32))
    return kind(vectors, ContextShape(rank=1), frozenset())


def unit(*rows):
    found = np.array(rows, np.float64)
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def test_the_word_itself_does_not_stand_for_its_contexts(encoder):
    # Nearer to "bank" than to any other word, and to "river" next.
    found = describe_contexts("bank", unit([1.0, 0.7, 0.0])[:, None], encoder)
    np.testing.assert_allclose(found, unit([1, 0.4, 0]), atol=1e-6)


def test_all_of_a_subspace_counts(encoder):
    # "verb" and "river" lie inside it; "river" is like "bank".
    plane = unit([0.0, 0.0, 1.0], [1.0, 0.4, 0.0])
    found = describe_contexts("bank", np.stack([plane, plane[::-1]]), encoder)
    np.testing.assert_allclose(found, unit([1, 0.4, 0], [1, 0.4, 0]), atol=1e-6)


def test_contexts_of_an_unknown_word_point_to_one_of_two_opposite_words():
    # Lines fit both ends equally well: to be like the place where the contexts meet decides.
    encoder = make_encoder({"north": [0, 1, 0], "south": [0, -1, 0]})
    lines = unit([0.1, 1.0, 0.0], [-0.1, 1.0, 0.0])[:, None]
    for side, towards in ((1.0, [0, 1, 0]), (-1.0, [0, -1, 0])):
        found = describe_contexts("brook", side * lines, encoder)
        np.testing.assert_allclose(found, [towards, towards], atol=1e-6)


def test_lines_with_ends_stand_for_the_words_that_they_point_to():
    encoder = make_encoder({"east": [1, 0], "north": [0, 1], "south": [0, -1]}, PointingEncoder)
    lines = unit([0.0, -1.0], [0.0, 1.0])[:, None]
    found = describe_contexts("east", lines, encoder)
    np.testing.assert_allclose(found, [[0, -1], [0, 1]], atol=1e-6)


def test_an_unknown_word_stands_at_the_mean_of_lines_with_ends():
    # (1, 0) and twice (0, 1) meet at (1, 2). With (1, 0) a cosine of 1 + 0.5 * 0.447 is less than
    # that of (0.8, 0.6), 0.8 + 0.5 * 0.894; by the first context alone it would be more.
    encoder = make_encoder({"x": [1, 0], "y": [0.8, 0.6], "z": [-1, 0]}, PointingEncoder)
    found = describe_contexts("brook", unit([1, 0], [0, 1], [0, 1])[:, None], encoder)
    np.testing.assert_allclose(found[0], [0.8, 0.6], atol=1e-6)
    # The mean of these is (0, 1), their main axis (1, 0).
    encoder = make_encoder({"east": [1, 0], "west": [-1, 0], "north": [0, 1]}, PointingEncoder)
    found = describe_contexts("brook", unit([0.8, 0.6], [-0.8, 0.6])[:, None], encoder)
    np.testing.assert_allclose(found, [[0, 1], [0, 1]], atol=1e-6)


@pytest.mark.parametrize(("n_others", "n_fitting"), [(39, 1), (40, 2), (439, 20)])
def test_a_twentieth_of_the_words_stand_for_a_context_and_twenty_at_most(n_others, n_fitting):
    # Words turn away from the context step by step; the nearest are taken.
    angles = np.radians(np.linspace(0.0, 80.0, n_others))
    rows = {f"w{i}": [np.cos(a), np.sin(a), 0] for i, a in enumerate(angles)}
    encoder = make_encoder({"crane": [0, 0, 1], **rows})
    found = describe_contexts("crane", np.eye(1, 3, dtype=np.float32)[None], encoder)
    nearest = np.array(list(rows.values()))[:n_fitting].mean(axis=0)
    np.testing.assert_allclose(found[0], nearest / np.linalg.norm(nearest), atol=1e-5)


def test_no_context_falls_between_two_blocks(encoder):
    lines = np.repeat(unit([1.0, 0.3, 0.0])[None], 600, axis=0)
    found = describe_contexts("bank", lines, encoder)
    np.testing.assert_allclose(found, np.repeat(unit([1, 0.4, 0]), 600, axis=0), atol=1e-6)


def test_a_word_alone_stands_for_nothing():
    encoder = make_encoder({"crane": [1, 0]})
    assert not describe_contexts("crane", np.eye(1, 2, dtype=np.float32)[None], encoder).any()
