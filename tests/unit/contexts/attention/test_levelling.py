"""Levelling: means taken out, scales made more alike, topics beside predictions."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans.contexts.attention.encoder import Passages
from grassmeans.contexts.attention.levelling import (
    EXPONENT,
    TOPIC_WINDOW,
    fit_levelling,
    sum_topics,
    weigh_topic_words,
)


def _passages(ids, places):
    ids = np.array(ids, np.int32)
    return Passages(
        ids,
        np.array([0, len(places)], np.int64),
        np.array(places, np.int32),
        np.arange(len(places)),
    )


def _nothing_hidden(passages):
    return np.full(len(passages.places), -1, np.int32)


def test_a_topic_is_the_weighted_sum_of_the_unit_vectors_around():
    words = np.array([[2.0, 0.0], [0.0, 5.0], [3.0, 4.0]], np.float32)
    weights = np.array([1.0, 0.5, 0.0], np.float32)
    # words 0 1 2 0, an unknown word, and nothing more
    passages = _passages([[2, 3, 4, 2, 0, -1]], [0, 1])
    found = sum_topics(passages, _nothing_hidden(passages), words, weights)
    # around the first: words 1, 2 (of no weight) and 0; around the second: 0, 2 and 0
    np.testing.assert_allclose(found, [[1.0, 0.5], [2.0, 0.0]], atol=1e-6)


def test_hidden_words_are_no_part_of_a_topic():
    words, weights = np.eye(2, dtype=np.float32), np.ones(2, np.float32)
    passages = _passages([[2, 3, 2]], [0])
    found = sum_topics(passages, np.array([1], np.int32), words, weights)
    np.testing.assert_allclose(found, [[1.0, 0.0]], atol=1e-6)


def test_topics_reach_as_far_as_the_window():
    words, weights = np.eye(2, dtype=np.float32), np.ones(2, np.float32)
    row = [2] + [0] * (TOPIC_WINDOW - 1) + [3, 3]
    passages = _passages([row], [0])
    found = sum_topics(passages, _nothing_hidden(passages), words, weights)
    np.testing.assert_allclose(found, [[0.0, 1.0]], atol=1e-6)


def test_function_words_weigh_nothing_and_frequent_words_less():
    weights = weigh_topic_words(np.array([0.05, 1e-4, 1e-7]), np.array([True, False, False]))
    np.testing.assert_allclose(weights, [0.0, np.sqrt(0.5), 1.0], atol=1e-3)


@pytest.fixture
def levelling():
    rng = np.random.default_rng(0)
    scales = np.array([4.0, 1.0, 1.0, 0.25])
    lines = rng.normal(size=(4000, 4)) * scales + [3.0, 0.0, 0.0, 0.0]
    lines = (lines / np.linalg.norm(lines, axis=1, keepdims=True)).astype(np.float32)
    topics = rng.normal(size=(4000, 4)).astype(np.float32)
    words = rng.normal(size=(7, 4)).astype(np.float32)
    return fit_levelling(lines, topics, words, np.ones(7, np.float32)), lines, topics


def test_what_all_lines_share_is_gone(levelling):
    found, lines, topics = levelling
    shared = np.linalg.norm(lines.mean(axis=0))
    np.testing.assert_allclose(
        ((lines - found.line_mean) @ found.line_map).mean(axis=0), 0, atol=1e-5
    )
    assert np.linalg.norm(found.level(lines, topics).mean(axis=0)) < shared / 1.3


def test_scales_are_more_alike_but_not_equal(levelling):
    found, lines, _ = levelling
    before = np.linalg.eigvalsh(np.cov(lines.T))
    after = np.linalg.eigvalsh(np.cov(((lines - found.line_mean) @ found.line_map).T))
    np.testing.assert_allclose(after, np.sort(before ** (1 - EXPONENT)), rtol=0.02)


def test_lines_are_of_unit_length_and_nothing_stays_nothing(levelling):
    found, lines, topics = levelling
    made = found.level(lines[:5], topics[:5])
    np.testing.assert_allclose(np.linalg.norm(made, axis=1), 1.0, atol=1e-5)
    empty = np.zeros((1, 4), np.float32)
    assert not found.level(empty, topics[:1]).any()
    assert found.level(lines[:1], empty).any()


def test_words_lie_where_contexts_ask_for_them_and_speak_of_them(levelling):
    found, _, _ = levelling
    placed = found.place_words()
    unit = found.words / np.linalg.norm(found.words, axis=1, keepdims=True)
    np.testing.assert_allclose(placed, found.level(unit, found.words), atol=1e-6)
    assert placed.shape == (7, found.n_axes)
