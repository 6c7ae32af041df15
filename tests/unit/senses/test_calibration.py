from __future__ import annotations

import numpy as np
import pytest

from grassmeans import decode_hard
from grassmeans.errors import ArtifactError, InputError
from grassmeans.senses.calibration import (
    Calibration,
    ConfidenceRule,
    answer_features,
    expected_calibration_error,
    fit_calibration,
)
from grassmeans.senses.pseudowords import calibrate, choose_members, draw_pseudowords
from grassmeans.senses.settings import InductionSettings

CURVE = Calibration(-1.0, 2.0, 4.0)


def test_features_by_hand():
    # d = 0.6 and 0.8: 1 - 0.36 = 0.64, and 0.64 - (1 - 0.64) = 0.28; the farthest does not count.
    found = answer_features(np.array([[0.8, 0.6, 0.9], [1.0, 1.0, 1.0]]))
    np.testing.assert_allclose(found, [[0.64, 0.28], [0.0, 0.0]])


def test_confidence_by_hand():
    # -1 + 2 * 0.64 + 4 * 0.28 = 1.4 -> 1 / (1 + exp(-1.4)) = 0.8022; -1 -> 0.2689
    found = CURVE.confidence([[0.8, 0.6], [1.0, 1.0], [np.nan, np.nan]])
    np.testing.assert_allclose(found[:2], [0.8022, 0.2689], atol=1e-4)
    assert np.isnan(found[2])
    assert CURVE.confidence([[0.9], [np.nan]])[0] == 1.0  # one sense: nothing to choose


def test_idk_means_less_likely_than_asked_for():
    distances = [[0.8, 0.6], [0.7, 0.69], [np.nan, np.nan]]
    assert decode_hard(distances, ConfidenceRule(CURVE, 0.7)).tolist() == [1, -1, -1]
    assert decode_hard(distances, ConfidenceRule(CURVE, 0.81)).tolist() == [-1, -1, -1]
    assert decode_hard(distances, ConfidenceRule(CURVE, 0.0)).tolist() == [1, 1, -1]


def test_a_curve_is_found_again():
    rng = np.random.default_rng(0)
    features = rng.random((20_000, 2))
    chances = 1 / (1 + np.exp(-(-2.0 + 3.0 * features[:, 0] + 5.0 * features[:, 1])))
    right = rng.random(len(features)) < chances
    found = fit_calibration(features, right, np.ones(len(features)))
    line = found.intercept + features @ [found.nearest, found.margin]
    assert np.abs(1 / (1 + np.exp(-line)) - chances).mean() < 0.04
    assert expected_calibration_error(chances, right) < 0.02


def test_where_all_answers_are_right_the_curve_still_rises():
    features = np.full((50, 2), 0.5)
    found = fit_calibration(features, np.ones(50, np.bool_), np.ones(50))
    nothing, clear = found.confidence([[1.0, 1.0], [0.2, 0.9]])
    assert nothing < 0.85 < clear


def test_calibration_error_by_hand():
    # Bins 0.9 to 1 (0.95: one right of two) and 0.5 to 0.6 (0.55, right):
    # |1.9 - 1| + |0.55 - 1| = 1.35, over three answers.
    found = expected_calibration_error(np.array([0.95, 0.95, 0.55]), np.array([True, False, True]))
    assert found == pytest.approx(0.45)


def test_pseudowords_are_made_of_different_words(topic_corpus, topic_model, synthetic):
    members = choose_members(topic_corpus, topic_model.encoder)
    assert "the" not in members
    vectors = topic_model.vectors
    groups = draw_pseudowords(members, vectors, (2, 3), 8, 0)
    assert groups == draw_pseudowords(members, vectors, (2, 3), 8, 0)
    used = [word for group in groups for word in group]
    assert len(set(used)) == len(used)
    assert {len(group) for group in groups} <= {2, 3}
    for group in groups:
        assert len({word[:4] for word in group if word[:4] in "birdmach"}) == len(
            [word for word in group if word[:4] in "birdmach"]
        )


def test_a_model_knows_how_sure_it_is(topic_model, synthetic):
    birds = " ".join(synthetic.topic_words[0][:8])
    clear, poor = topic_model.tag_many([f"crane {birds}", "crane"])
    assert clear[0].confidence > 0.9
    assert clear[0].sense > 0
    assert (poor[0].confidence, poor[0].sense) == (0.5, 0)  # as frequent as it is
    assert topic_model.tag(f"crane {birds}", confidence=1.0)[0].sense == 0
    assert isinstance(topic_model.idk_threshold, ConfidenceRule)


def test_too_small_a_corpus_is_not_calibrated(tmp_path, topic_vectors):
    from grassmeans import Corpus
    from grassmeans.encoders import SubspaceEncoder
    from grassmeans.geometry.contexts import ContextShape

    corpus = Corpus.from_texts(["crane nest wing"], tmp_path / "c")
    encoder = SubspaceEncoder(topic_vectors, ContextShape(), frozenset())
    assert calibrate(corpus, encoder, InductionSettings()) is None
    assert calibrate(corpus, encoder, InductionSettings(n_senses=1)) is None


def test_mistakes_are_explained(topic_model):
    with pytest.raises(InputError, match=r"between 0 and 1, got 1\.5"):
        ConfidenceRule(CURVE, 1.5)
    with pytest.raises(ArtifactError, match="calibration is damaged"):
        Calibration.from_dict({"intercept": "x"})
    topic_model = topic_model.with_inventory(topic_model.inventory)
    topic_model.manifest = {}
    with pytest.raises(InputError, match="not calibrated"):
        topic_model.tag("crane", confidence=0.5)
    assert topic_model.idk_threshold == 0.6
