from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors, load
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts import SubspaceEncoder
from grassmeans.errors import ArtifactError, InputError
from grassmeans.geometry.windows import ContextShape
from grassmeans.senses.calibration import (
    Calibration,
    ConfidenceRule,
    KnownPairs,
    SamenessCurve,
    Strangers,
    expect_sameness,
    expect_strangers,
    fit_calibration,
    fit_logistic,
    fit_sameness,
    fit_strangers,
    measure_log_margins,
)
from grassmeans.senses.decoding import decode_hard
from grassmeans.senses.pseudowords import (
    answer_pseudoword,
    calibrate,
    choose_members,
    draw_pseudowords,
    pair_contexts,
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

    class Fine(SubspaceEncoder):
        further_right = 0.5  # the smaller group may be a sense of "nest", too

    fine = Fine(vectors, ContextShape(rank=1), frozenset())
    found = answer_pseudoword(fine, settings, ("nest", "beam"), samples)
    assert found.right.tolist() == [1.0] * 4 + [0.5] * 2 + [1.0] * 4


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


def test_two_values_with_known_odds() -> None:
    # Right in 1 of 4 at 0, in 3 of 4 at 1: log odds of -log 3 and log 3.
    values = np.repeat([0.0, 1.0], 4)
    right = np.array([True, False, False, False, True, True, True, False])
    intercept, slope = fit_logistic(values, right, np.full(8, 1 / 8))
    assert intercept == pytest.approx(-np.log(3), abs=0.01)  # but for the ridge
    assert slope == pytest.approx(2 * np.log(3), abs=0.02)


def test_answers_of_one_kind_are_held_by_the_ridge() -> None:
    found = fit_logistic(np.array([0.0, 1.0]), np.array([True, True]), np.full(2, 0.5))
    assert np.isfinite(found).all()


SENTENCES = Path(__file__).parents[2] / "data" / "only-senses.jsonl"
STRANGERS = Strangers(0.0, 0.1, 0.25)
USUAL = 0.6  # c = 0.8, with a spread of 0.2


def confidence(distance: float, usual: float = USUAL) -> float:
    return float(STRANGERS.confidence(np.array([distance]), np.array([usual]))[0])


def test_the_odds_by_hand():
    # c = 0.28: exp(2.8^2 / 2) * 0.1 strangers to exp(-2.6^2 / 2) / 0.2 own, nine times as frequent.
    odds = 9 * np.exp(2.8**2 / 2 - 2.6**2 / 2) * 0.1 / 0.2
    assert confidence(0.96) == pytest.approx(odds / (1 + odds))  # 0.8854
    # c = 0: exp(-8) / 2, nine times.
    assert confidence(1.0) == pytest.approx(4.5 * np.exp(-8) / (1 + 4.5 * np.exp(-8)))


def test_nearer_is_never_less_sure():
    found = [confidence(distance) for distance in np.linspace(0.0, 1.0, 101)]
    assert np.all(np.diff(found) <= 0.0)
    assert confidence(0.0) == confidence(USUAL)  # nearer than usual is as usual


def test_without_evidence_there_is_what_is_assumed():
    assert confidence(np.nan) == 0.9
    assert confidence(0.5, np.nan) == 0.9
    # Contexts of a word that lie no nearer to its line than strangers do tell nothing.
    assert confidence(0.5, 1.0) == pytest.approx(0.9)


def test_an_only_sense_is_judged_where_its_usual_distance_is_known():
    curve = Calibration(3.0, 1.0, STRANGERS)
    rows = [[0.6, np.nan], [1.0, np.nan], [0.6, 0.8], [np.nan, np.nan]]
    near, far, chosen, nothing = curve.confidence(rows, USUAL)
    assert (near, nothing) == (0.9999, pytest.approx(np.nan, nan_ok=True))  # none is more certain
    assert far == pytest.approx(confidence(1.0))
    assert chosen == Calibration(3.0, 1.0).confidence([[0.6, 0.8]])[0]
    assert curve.confidence([[1.0]]).tolist() == [1.0]  # not measured
    assert ConfidenceRule(curve, 0.7).is_unsure([[0.6], [1.0]], USUAL).tolist() == [False, True]


def test_expected_strangers_are_those_of_made_up_contexts():
    rng = np.random.default_rng(0)
    lines = rng.normal(size=(400, 40)) + 0.3  # all a little to one side
    lines /= np.linalg.norm(lines, axis=1, keepdims=True)
    rest = rng.normal(size=lines.shape)
    rest /= np.linalg.norm(rest, axis=1, keepdims=True)
    contexts = 0.8 * lines + 0.6 * rest
    measured = (contexts @ lines.T)[~np.eye(400, dtype=bool)]
    found = expect_strangers(lines, [0.6, 0.6])
    assert found is not None
    assert found.mean == pytest.approx(measured.mean(), abs=0.005)
    assert found.spread == pytest.approx(measured.std(), abs=0.005)
    assert expect_strangers(lines[:31], [0.6]) is None


def test_strangers_that_were_measured():
    found = fit_strangers(np.array([-0.1, 0.1]), np.array([0.6, 1.4]))
    assert found is not None
    assert (found.mean, found.spread, found.own_spread) == pytest.approx((0.0, 0.1, 0.4))
    assert fit_strangers(np.array([-0.1, 0.1]), np.array([1.0])) == Strangers(0.0, 0.1, 0.3)
    assert fit_strangers(np.array([0.1, 0.1]), np.array([1.0])) is None


def test_a_sense_that_is_lacking_may_be_nearer_than_strangers():
    found = fit_strangers(np.array([-0.1, 0.1]), np.array([0.6, 1.4]), 2.0, 0.05)
    assert found == Strangers(0.2, 0.1, 0.05)
    # Own contexts may then be closer together than strangers: c = 0.6 is 0.2 of 0.03 from 0.8.
    far, usual = np.sqrt(1 - np.square([[0.6], [0.8]]))
    score = np.square(0.4 / 0.1) / 2 + np.log(0.1) - np.square(0.2 / 0.04) / 2 - np.log(0.04)
    odds = 9 * np.exp(score)
    np.testing.assert_allclose(found.confidence(far, usual), [odds / (1 + odds)])


def test_strangers_are_stored_with_the_curve():
    curve = Calibration(3.0, 1.0, STRANGERS)
    assert Calibration.from_dict(curve.to_dict()) == curve
    assert Calibration(3.0, 1.0).to_dict() == {"intercept": 3.0, "log_margin": 1.0}
    with pytest.raises(ArtifactError, match="calibration is damaged"):
        Calibration.from_dict(curve.to_dict() | {"strangers": {"mean": 0.0, "spread": -1.0}})
    with pytest.raises(InputError, match="spreads above 0"):
        Strangers(0.0, 0.0)


@pytest.mark.parametrize("held_out", [False, True])
def test_the_english_model_knows_most_senses_that_it_lacks(held_out):
    """Sentences of words of which it knows one sense, in this one or in another."""
    model = load("en")
    rows = [json.loads(line) for line in SENTENCES.read_text().splitlines()]
    given = {True: [], False: []}
    counts = model.inventory.sense_counts
    for row in (row for row in rows if row["held_out"] is held_out):
        if counts.get(row["word"]) == 1:
            (word,) = model.tag(row["text"], words=row["word"])
            assert word.only_sense
            given[row["has_sense"]].append(word.sense)
    assert min(map(len, given.values())) >= 5
    assert np.mean(given[True]) >= 0.95
    assert np.mean(given[False]) <= 0.45


NONE_ALIKE = np.zeros((3, 3), np.bool_)


def test_a_curve_by_hand() -> None:
    found = SamenessCurve(-2.0, 10.0).probability([0.2, 0.4, np.nan])
    np.testing.assert_allclose(found[:2], [0.5, 1 / (1 + np.exp(-2))])
    assert np.isnan(found[2])
    with pytest.raises(InputError, match="finite"):
        SamenessCurve(0.0, float("inf"))


def test_contexts_are_paired_with_those_of_their_word_and_of_a_near_one() -> None:
    # Three words along axes; the third lies near the second.
    lines = np.array([[1, 0, 0], [0, 1, 0], [0, 0.8, 0.6]], np.float32)
    samples = [np.repeat(line[None, None], 6, axis=0) for line in lines]
    found = pair_contexts(samples, NONE_ALIKE, signed=True)
    assert sum(found.same) == sum(~found.same) == 9
    assert found.similarities[found.same].tolist() == [1.0] * 9
    expected = [0, 0, 0, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8]  # the first word has none near
    np.testing.assert_allclose(found.similarities[~found.same], expected, atol=1e-6)


def test_words_that_nobody_could_tell_apart_are_not_paired() -> None:
    lines = np.array([[1, 0, 0], [0, 1, 0], [0, 0.8, 0.6]], np.float32)
    samples = [np.repeat(line[None, None], 6, axis=0) for line in lines]
    alike = np.zeros((3, 3), np.bool_)
    alike[1, 2] = alike[2, 1] = True
    found = pair_contexts(samples, alike, signed=True)
    assert found.similarities[~found.same].tolist() == [0.0] * 9
    assert pair_contexts(samples, np.ones((3, 3), np.bool_), signed=True).same.all()


def test_neighbours_in_the_text_are_not_paired() -> None:
    rays = np.eye(8, dtype=np.float32)[np.repeat(np.arange(4), 2)][:, None]  # two of each in a row
    found = pair_contexts([rays], NONE_ALIKE[:1, :1], signed=True)
    assert found.same.tolist() == [True] * 4
    assert found.similarities.tolist() == [0.0] * 4


def test_too_few_pairs_tell_nothing() -> None:
    one = np.ones((4, 1, 2), np.float32)
    assert fit_sameness(pair_contexts([one], NONE_ALIKE[:1, :1])) is None
    assert fit_sameness(pair_contexts([], NONE_ALIKE[:0, :0])) is None


def test_one_sense_and_two_are_as_likely_however_many_pairs_there_are() -> None:
    # Above 0.5 lie 3 of 4 pairs of one word and 1 of 4 of two; of the latter there are ten times
    # as many.
    same = np.repeat([True, False], [200, 2000])
    above = np.concatenate([np.arange(200) % 4 > 0, np.arange(2000) % 4 == 0])
    found = fit_sameness(KnownPairs(above.astype(np.float32), same))
    assert found is not None
    np.testing.assert_allclose(found.probability([0.0, 1.0]), [0.25, 0.75], atol=0.01)


def test_a_curve_that_falls_is_none() -> None:
    same = np.repeat([True, False], 200)
    assert fit_sameness(KnownPairs((~same).astype(np.float32), same)) is None


def test_an_expected_curve_by_hand() -> None:
    # c = 0.8: means 0.64 and 0; q = 0.64 * 1.09 = 0.6976, q^2 = 0.48664576.
    # Variances, in 1000 dimensions: 0.48664576 - 0.4096 + n and n, n = 0.51335424 / 1000.
    found = expect_sameness(np.zeros(40), [0.6], 1000)
    noise = 0.51335424 / 1000
    one, two = 0.07704576 + noise, noise
    slope = 0.64 / ((one + two) / 2)
    half = 0.64 * two**0.5 / (one**0.5 + two**0.5)
    assert found is not None
    assert found.slope == pytest.approx(slope)
    assert found.intercept == pytest.approx(-slope * half)


def test_too_few_senses_tell_nothing() -> None:
    assert expect_sameness(np.zeros(8), [0.6], 100) is None
    assert expect_sameness(np.zeros(40), [], 100) is None
    assert expect_sameness(np.ones(40), [0.6], 100) is None  # senses that do not differ


def test_the_mean_of_a_curve_over_normal_similarities() -> None:
    curve = SamenessCurve(0.0, 2.0)
    assert curve.expect(np.array(1.0), np.array(0.0)) == pytest.approx(1 / (1 + np.exp(-2)))
    # 1 + pi / 8 * 4 * v = 4 halves the score.
    assert curve.expect(np.array(1.0), np.array(6 / np.pi)) == pytest.approx(1 / (1 + np.exp(-1)))
    assert curve.expect(np.array(0.0), np.array(0.0), 0.8) == pytest.approx(0.8)
