"""Scopes are documents, and in half of the passages a few words that stand together."""

from __future__ import annotations

import numpy as np

from grassmeans.contexts.attention.scopes import (
    choose_group_sizes,
    draw_scopes,
    number_documents,
)
from grassmeans.contexts.attention.stored import BOUNDARY_ID


def test_a_boundary_begins_a_document() -> None:
    b = BOUNDARY_ID
    ids = np.array([[5, 6, b, 7, b, b, 8], [b, 5, 5, 5, 5, 5, 5]])
    assert number_documents(ids).tolist() == [[0, 0, 1, 1, 2, 3, 3], [1] * 7]


def test_half_of_the_passages_are_whole_and_the_others_in_parts_of_one_length() -> None:
    ids = np.full((4_000, 128), 9)
    found = draw_scopes(ids, np.random.default_rng(0))
    steps = np.diff(found, axis=1)
    assert set(np.unique(steps)) <= {0, 1}  # no part is without words
    n_cuts = steps.sum(axis=1)
    assert 0.47 < (n_cuts == 0).mean() < 0.53
    lengths = [np.bincount(row - row[0])[:-1] for row in found[n_cuts > 0]]  # but the last one
    means = np.array([own.mean() for own in lengths])
    assert 0.25 < (means < 10).mean() < 0.4  # evenly by the logarithm: log 2 / log 9.6
    assert 0.25 < (means > 24).mean() < 0.4
    for own in lengths:
        assert own.max() <= 3 * own.min() + 3  # half to one and a half times the mean
    assert min(own.min() for own in lengths) >= 2


def test_documents_stay_apart_and_one_seed_gives_one_cut() -> None:
    ids = np.full((50, 64), 9)
    ids[:, 20] = BOUNDARY_ID
    found = draw_scopes(ids, np.random.default_rng(3))
    assert (found[:, 19] < found[:, 20]).all()
    np.testing.assert_array_equal(found, draw_scopes(ids, np.random.default_rng(3)))


def test_a_teacher_reads_half_of_the_passages_whole_and_a_quarter_by_sentences() -> None:
    numbers = np.arange(8_000)
    found = choose_group_sizes(numbers, 0)
    shares = np.bincount(found) / len(found)
    np.testing.assert_allclose(shares, [0.5, 0.25, 0.125, 0.125], atol=0.02)
    assert choose_group_sizes(numbers[10:20], 0) == found[10:20]  # by their numbers alone
    assert choose_group_sizes(numbers, 1) != found
