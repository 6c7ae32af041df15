from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts import SubspaceEncoder
from grassmeans.errors import ArtifactError, InputError
from grassmeans.geometry.windows import ContextShape
from grassmeans.senses.calibration import (
    Calibration,
    ConfidenceRule,
    fit_calibration,
    measure_log_margins,
)
from grassmeans.senses.decoding import decode_hard
from grassmeans.senses.pseudowords import (
    answer_pseudoword,
    calibrate,
    choose_members,
    draw_pseudowords,
)

CURVE = Calibration(3.0, 1.0)
# Two senses whose directions lie inside a context by 0.8 and 0.6: a margin of 0.2.
CLEAR = [0.8, 0.6]


def test_margins_by_hand():
    # d = 0.6 and 0.8: sqrt(1 - 0.36) - sqrt(1 - 0.64) = 0.2; the farthest does not count.
    found = measure_log_margins(np.array([[0.8, 0.6, 0.9], [1.0, 1.0, 1.0], [0.5, np.nan, np.nan]]))
    np.testing.assert_allclose(np.exp(found[:2]), [0.21, 0.01])
    assert np.isnan(found[2])


def test_confidence_by_hand():
    # exp(3) * 0.21 = 4.218 to one -> 0.8084; exp(3) * 0.01 = 0.2009 to one -> 0.1673
    found = CURVE.confidence([CLEAR, [1.0, 1.0], [np.nan, np.nan], [0.9, np.nan]])
    np.testing.assert_allclose(found[:2], [0.8084, 0.1673], atol=1e-4)
    assert np.isnan(found[2])
    assert found[3] == 1.0  # one sense: nothing to choose
    assert CURVE.confidence([[0.9], [np.nan]])[0] == 1.0


def test_idk_means_less_likely_than_asked_for():
    distances = [CLEAR, [0.7, 0.69], [np.nan, np.nan]]
    assert decode_hard(distances, ConfidenceRule(CURVE, 0.7)).tolist() == [1, -1, -1]
    assert decode_hard(distances, ConfidenceRule(CURVE, 0.81)).tolist() == [-1, -1, -1]
    assert decode_hard(distances, ConfidenceRule(CURVE, 0.0)).tolist() == [1, 1, -1]


def test_a_curve_is_found_again():
    rng = np.random.default_rng(0)
    log_margins = np.log(rng.random(20_000))
    chances = 1 / (1 + np.exp(-(2.0 + 1.5 * log_margins)))
    right = rng.random(len(log_margins)) < chances
    found = fit_calibration(log_margins, right, np.ones(len(log_margins)))
    assert np.abs(found.confidence_of_margins(log_margins) - chances).mean() < 0.02


def test_where_all_answers_are_right_the_curve_still_rises():
    log_margins = np.full(50, np.log(0.5))
    found = fit_calibration(log_margins, np.ones(50, np.bool_), np.ones(50))
    nothing, clear = found.confidence([[1.0, 1.0], [0.2, 0.9]])
    assert nothing < 0.85 < clear


def test_one_group_of_a_divided_word_is_right():
    # The contexts of "nest" fall into two groups, those of "beam" into one.
    axes = np.eye(3, dtype=np.float32)[:, None, :]
    samples = [np.repeat(axes[[0, 0, 1]], 4, axis=0), np.repeat(axes[[2]], 8, axis=0)]
    vectors = WordVectors(["nest", "beam"], np.eye(2, 3, dtype=np.float32))
    encoder = SubspaceEncoder(vectors, ContextShape(rank=1), frozenset())
    settings = InductionSettings(n_senses=3)
    log_margins, right = answer_pseudoword(encoder, settings, ("nest", "beam"), samples)
    # Half of the contexts are decoded: 6 of "nest" (two of them in its smaller group), 4 of "beam".
    assert right.tolist() == [True] * 4 + [False] * 2 + [True] * 4
    np.testing.assert_allclose(np.exp(log_margins), 1.01, rtol=1e-5)


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
