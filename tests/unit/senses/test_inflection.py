"""Contexts of a word in several forms."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.clustering.kgrassmeans import KGrassmeans
from grassmeans.clustering.settings import InductionSettings
from grassmeans.corpus.pooled_forms import PooledForms
from grassmeans.geometry.windows import ContextShape
from grassmeans.senses.inflection import Groups, level_forms, level_word
from grassmeans.senses.samples import EncodedWord, sample_word
from grassmeans.senses.word_induction import WordInducer, group_contexts, group_sample
from grassmeans.vectors.similarity import unit_rows
from rays import Rays

N = 40


def make_lines() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lines of two senses (axis 0) in two forms (axis 1, which tells more); and these."""
    senses, forms = np.tile([1, -1], 2 * N), np.repeat([1, -1], 2 * N)
    noise = 0.05 * np.random.default_rng(0).standard_normal((4 * N, 4))
    rows = np.stack([0.5 * senses, 2.0 * forms, np.ones(4 * N), np.zeros(4 * N)], axis=1) + noise
    return unit_rows(rows).astype(np.float32)[:, None], senses, forms


def group(lines: np.ndarray) -> KGrassmeans:
    return KGrassmeans(n_senses=2, n_init=5, random_state=0, signed=True).fit(lines)


def test_senses_are_not_those_of_grammar() -> None:
    lines, senses, forms = make_lines()

    def agree(labels: np.ndarray, truth: np.ndarray) -> float:
        same = float(((labels == 0) == (truth > 0)).mean())
        return max(same, 1.0 - same)

    assert agree(group(lines).labels_, forms) == 1.0
    levelled = level_forms(lines, forms)
    assert agree(group(levelled).labels_, senses) == 1.0
    np.testing.assert_allclose(np.linalg.norm(levelled, axis=2), 1.0, atol=1e-6)


def test_directions_are_where_contexts_meet_as_they_are() -> None:
    lines, _, forms = make_lines()
    levelled = level_forms(lines, forms)
    found = group(levelled)
    met = Groups.of(found, True).meet(lines)
    for k in range(2):
        mean = lines[found.labels_ == k, 0].mean(axis=0)
        assert met[k] @ mean / np.linalg.norm(mean) == pytest.approx(1.0, abs=1e-3)
    assert Groups.of(found, False).meet(lines) is found.directions_


def test_the_mean_of_a_few_is_moved_less() -> None:
    # Ten lines along the first axis, ten along the second: either mean is half believed, and moved
    # by half of (0.5, -0.5).
    lines = np.repeat(np.eye(2, dtype=np.float32), 10, axis=0)[:, None]
    moved = level_forms(lines, np.repeat([3, 7], 10))
    expected = np.array([0.75, 0.25]) / np.hypot(0.75, 0.25)
    np.testing.assert_allclose(moved[0, 0], expected, atol=1e-6)


def test_words_of_one_form_are_left_alone() -> None:
    corpus = PooledForms(Corpus.from_texts(["cranes nest cranes", "a crane"]), {"cranes": "crane"})
    lines = np.eye(3, dtype=np.float32)[:, None]
    crane = EncodedWord(corpus.positions("crane"), lines)
    assert level_word("crane", crane, corpus, False) is lines  # has no ends
    assert level_word("nest", EncodedWord(corpus.positions("nest"), lines), corpus, True) is lines
    moved = level_word("crane", crane, corpus, True)
    np.testing.assert_array_equal(moved, level_forms(lines, np.array([0, 0, 1])))


def test_words_are_levelled_alone_and_together() -> None:
    # Sense and tense of a place: the tense tells more.
    rows = {"nest": (2, 0, 2), "steel": (-2, 0, 2), "once": (0, 4, 1), "now": (0, -4, 1)}
    pairs = [(sense, form) for sense in ("nest", "steel") for form in ("drew", "draw")]
    tense = {"drew": "once", "draw": "now"}
    texts = [f"{sense} {form} {tense[form]}" for sense, form in pairs * 60]
    vectors = WordVectors(list(rows), np.array(list(rows.values()), np.float32))
    encoder = Rays(vectors, ContextShape(window=2, rank=1), frozenset())
    plain = Corpus.from_texts(texts, language="none")
    source, settings = PooledForms(plain, {"drew": "draw"}), InductionSettings(n_senses=2)
    inducer = WordInducer(source, encoder, settings)
    sample = sample_word("draw", source, encoder, settings)
    is_nest, is_past = np.tile([1, 1, 0, 0], 60), np.tile([1, 0, 1, 0], 60)  # in text order

    def divided_by(directions: np.ndarray, truth: np.ndarray) -> bool:
        nearest = sample.measure(directions).argmin(axis=1)
        return any(np.array_equal(nearest, found) for found in (truth, 1 - truth))

    unlevelled = group_contexts("draw", sample.bases, settings, encoder, sample.count)
    assert divided_by(unlevelled.directions_, is_past)
    assert divided_by(group_sample(sample, settings, encoder), is_nest)
    ahead = inducer.encode_ahead(["draw"]).group_ahead(["draw"])
    assert divided_by(ahead.grouped["draw"].meet(ahead.encoded["draw"].bases), is_nest)
    assert divided_by(inducer("draw").directions, is_nest)
