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
from grassmeans.senses.same_sense import SamenessCurve

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
    assert found[3] == 1.0  # one sense, and nothing is known of strangers
    assert CURVE.confidence([[0.9], [np.nan]])[0] == 1.0


def test_idk_means_less_likely_than_asked_for():
    distances = [CLEAR, [0.7, 0.69], [np.nan, np.nan]]
    assert decode_hard(distances, ConfidenceRule(CURVE, 0.7)).tolist() == [1, -1, -1]
    assert decode_hard(distances, ConfidenceRule(CURVE, 0.81)).tolist() == [-1, -1, -1]
    assert decode_hard(distances, ConfidenceRule(CURVE, 0.0)).tolist() == [1, 1, -1]
    even = Calibration(0.0, 0.0)  # always one half: just as likely as asked for is likely enough
    assert decode_hard([CLEAR], ConfidenceRule(even, 0.5)).tolist() == [1]


def test_a_curve_is_found_again():
    rng = np.random.default_rng(0)
    log_margins = np.log(rng.random(20_000))
    chances = 1 / (1 + np.exp(-(2.0 + 1.5 * log_margins)))
    right = rng.random(len(log_margins)) < chances
    found = fit_calibration(log_margins, right, np.ones(len(log_margins)))
    assert np.abs(found.confidence_of_margins(log_margins) - chances).mean() < 0.02


def curve(found):
    """The numbers of a curve."""
    return found.intercept, found.log_margin


def test_an_answer_counts_by_its_weight():
    # At one margin three quarters of the weight are right; the made-up answers have 2 in 1,000.
    same = np.full(2, np.log(0.5))
    right = np.array([True, False])
    weighted = fit_calibration(same, right, np.array([3.0, 1.0]))
    assert weighted.confidence_of_margins(same)[0] == pytest.approx(0.75, abs=0.01)
    repeated = fit_calibration(same[[0] * 4], right[[0, 0, 0, 1]], np.ones(4))
    assert curve(weighted) == pytest.approx(curve(repeated), rel=1e-6)
    in_tens = fit_calibration(same, right, np.array([30.0, 10.0]))
    assert curve(weighted) == pytest.approx(curve(in_tens), rel=1e-6)


def test_the_fit_is_where_the_gradient_vanishes():
    """With weights w, a ridge of 1e-4 and two made-up answers of 1e-3, right and wrong, at 0.01."""
    margins, right = np.log([0.02, 0.1, 0.3, 0.8]), np.array([0.0, 1.0, 0.0, 1.0])
    weights = np.array([0.1, 0.2, 0.3, 0.4])
    found = fit_calibration(margins, right > 0, weights)
    missed = weights * (right - found.confidence_of_margins(margins))
    nothing = 1e-3 * (1.0 - 2.0 * found.confidence_of_margins(np.log(0.01)))
    of_intercept = missed.sum() + nothing - 1e-4 * found.intercept
    of_slope = (missed * margins).sum() + nothing * np.log(0.01) - 1e-4 * found.log_margin
    assert (of_intercept, of_slope) == pytest.approx((0.0, 0.0), abs=1e-9)


def test_no_choice_is_quite_certain():
    # exp(20) to one is more than 9,999 to one; one sense alone is no choice.
    sure = Calibration(20.0, 0.0).confidence([CLEAR, [0.9, np.nan]])
    assert sure.tolist() == [0.9999, 1.0]


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
    found = answer_pseudoword(encoder, settings, ("nest", "beam"), samples)
    log_margins, right = found.log_margins, found.right
    # Half of the contexts are decoded: 6 of "nest" (two of them in its smaller group), 4 of "beam".
    assert right.tolist() == [True] * 4 + [False] * 2 + [True] * 4
    np.testing.assert_allclose(np.exp(log_margins), 1.01, rtol=1e-5)
    # The line of "nest" is its larger group's, at 0 from four contexts and at 1 from two: usually
    # at 1/3, c = sqrt(8/9). "beam" has one line, and neither comes near the other's.
    usual = np.sqrt(8 / 9)
    np.testing.assert_allclose(found.own, [1 / usual] * 4 + [0.0] * 2 + [1.0] * 4, atol=1e-3)
    np.testing.assert_allclose(found.strangers, 0.0, atol=1e-3)


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


def test_a_rule_is_kept_as_plain_values():
    rule = ConfidenceRule(CURVE, 0.8)
    kept = {"confidence": 0.8, "calibration": {"intercept": 3.0, "log_margin": 1.0}}
    assert rule.to_dict() == kept
    assert ConfidenceRule.from_dict(kept) == rule
    assert ConfidenceRule(CURVE).at_least == 0.7
    assert ConfidenceRule(CURVE, 1.0).is_unsure([CLEAR]).tolist() == [True]
    for damaged in ({"intercept": 3.0}, {"intercept": "x", "log_margin": 1.0}, None):
        with pytest.raises(ArtifactError, match="the model's calibration is damaged"):
            Calibration.from_dict(damaged)
    with pytest.raises(InputError, match=r"needs finite numbers, got .*nan"):
        Calibration(np.nan, 1.0)
    for wrong in (-0.1, 1.5):
        with pytest.raises(InputError, match=rf"confidence must be between 0 and 1, got {wrong}"):
            ConfidenceRule(CURVE, wrong)


def test_a_model_without_calibration_asks_for_none(topic_model):
    topic_model = topic_model.with_inventory(topic_model.inventory)
    topic_model.manifest = {}
    with pytest.raises(InputError, match="not calibrated"):
        topic_model.tag("crane", confidence=0.5)
    assert topic_model.idk_threshold == 0.6


def test_how_same_senses_are_told_is_kept_as_plain_values():
    curve = Calibration(3.0, 1.0, same_sense=SamenessCurve(-2.0, 9.0))
    plain = curve.to_dict()
    assert plain["same_sense"] == {"intercept": -2.0, "slope": 9.0}
    assert Calibration.from_dict(plain) == curve
    with pytest.raises(ArtifactError, match="the model's calibration is damaged"):
        Calibration.from_dict(plain | {"same_sense": {"intercept": 1.0}})
