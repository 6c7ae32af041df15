from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.errors import InputError
from grassmeans.evaluation.grouping import answer_instances
from grassmeans.evaluation.instances import Instance
from grassmeans.evaluation.systems import ModelSystem
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel, load
from grassmeans.senses.calibration import CALIBRATION, SamenessCurve
from grassmeans.senses.coarsening import (
    SAME_IN_TEXT,
    CoarseInventory,
    TextGrouping,
    expect_b_cubed,
    expect_same,
    group_senses,
)
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.text.tokenizer import Tokenizer
from grassmeans.vectors.word_vectors import WordVectors

STEEP = SamenessCurve(-6.0, 20.0)
HALVES = np.array([0.5, 0.5])
BEFORE = ("a nest ", "a nests ", "a beam ")
TEXTS = ("a nest crane", "a nests crane", "a beam crane", "what crane")


def make_entry(hidden: int = 0) -> WordSenses:
    """Two senses about nests, one about beams."""
    directions = np.array([[1, 0, 0], [0.96, 0.28, 0], [0, 0, 1]], np.float32)
    senses = tuple(
        Sense(k, share, 0.6, (), (), (), f"name {k}", k == hidden)
        for k, share in enumerate((0.5, 0.2, 0.3), 1)
    )
    return WordSenses("crane", 100, 100, directions, senses)


class Rays(SubspaceEncoder):
    """Contexts as lines that have ends."""

    lines_have_ends = True
    idk_distance = None


@pytest.fixture
def model() -> SenseModel:
    vectors = WordVectors(["nest", "nests", "beam"], np.array(make_entry().directions))
    encoder = Rays(vectors, ContextShape(2, 1), frozenset())
    curve = {"intercept": 5.0, "log_margin": 1.0, "same_sense": STEEP.to_dict()}
    return SenseModel(encoder, SenseInventory([make_entry()]), Tokenizer(), {CALIBRATION: curve})


def test_the_prior_of_running_text() -> None:
    assert pytest.approx(0.622521 + 0.044521) == SAME_IN_TEXT


def test_expected_b_cubed_by_hand() -> None:
    same = np.array([[0.8, 0.2], [0.2, 0.8]])
    # Apart: precision 0.4 / 0.5, recall 0.4 / (0.4 + 0.1). As one: 0.5 and 1.
    assert expect_b_cubed(same, HALVES, np.array([0, 1])) == pytest.approx(0.8)
    assert expect_b_cubed(same, HALVES, np.array([0, 0])) == pytest.approx(2 / 3)
    # 0.9 of the first sense: precision 0.8, recall 0.9 * 0.72 / 0.74 + 0.1 * 0.08 / 0.26.
    recall = 0.9 * 0.72 / 0.74 + 0.1 * 0.08 / 0.26
    skewed = expect_b_cubed(same, np.array([0.9, 0.1]), np.array([0, 1]))
    assert skewed == pytest.approx(2 * 0.8 * recall / (0.8 + recall))


def test_senses_stay_apart_only_where_that_gains() -> None:
    apart, near = (np.array([[0.8, x], [x, 0.8]]) for x in (0.2, 0.5))
    assert group_senses(apart, HALVES).tolist() == [0, 1]
    assert group_senses(near, HALVES).tolist() == [0, 0]  # 0.696 apart, 0.788 as one
    same = np.array([[0.9, 0.1, 0.9], [0.1, 0.9, 0.1], [0.9, 0.1, 0.9]])
    assert group_senses(same, np.array([0.4, 0.4, 0.2])).tolist() == [0, 1, 0]


def test_all_senses_may_become_one() -> None:
    # Four senses, one as likely as not. Apart: precision 1, recall 0.25 / (0.25 + 3 * 0.125).
    same = np.full((4, 4), 0.5) + 0.5 * np.eye(4)
    quarters = np.full(4, 0.25)
    found = [expect_b_cubed(same, quarters, np.array(g)) for g in ([0, 1, 2, 3], [0, 0, 0, 0])]
    assert found == pytest.approx([0.8 / 1.4, 1.25 / 1.625])
    assert group_senses(same, quarters).tolist() == [0, 0, 0, 0]


def test_how_likely_senses_are_the_same_by_hand() -> None:
    lines = np.array([[1, 0], [0, 1]], np.float32)
    found = expect_same(lines, [0.6, 0.6], STEEP, 0.5)
    # Inside: 0.8. Squares: (0.64 * 1.09) ** 2 = 0.48664576; noise (1 - 0.48664576) / 2.
    noise = 0.25667712
    same = (-6 + 20 * 0.64) / np.sqrt(1 + np.pi / 8 * 400 * (noise + 0.48664576 - 0.4096))
    other = -6 / np.sqrt(1 + np.pi / 8 * 400 * noise)
    expected = 1 / (1 + np.exp([-same, -other]))
    np.testing.assert_allclose(found, [[expected[0], expected[1]], [expected[1], expected[0]]])


def test_groups_have_the_number_of_their_first_sense() -> None:
    grouping = TextGrouping(STEEP, 0.5)
    assert grouping.group(make_entry()).tolist() == [1, 1, 3]
    assert grouping.group(make_entry(hidden=1)).tolist() == [0, 2, 3]
    assert grouping.group(replace(make_entry(), senses=())).tolist() == [1, 2, 3]


def test_a_use_as_a_function_word_is_one_with_no_content_sense() -> None:
    senses = [replace(sense, function=sense.number == 2) for sense in make_entry().senses]
    entry = replace(make_entry(), senses=tuple(senses))
    assert TextGrouping(STEEP, 0.5).group(entry).tolist() == [1, 2, 3]
    assert TextGrouping(STEEP, 0.9999).group(entry).tolist() == [1, 2, 1]


def test_a_group_is_as_near_as_its_nearest_sense() -> None:
    coarse = CoarseInventory(SenseInventory([make_entry()]), TextGrouping(STEEP, 0.5))
    distances = np.array([[0.5, 0.25, 0.75], [np.nan] * 3], np.float32)
    found = coarse.gather(distances, np.zeros(2, np.int64), ["crane"])
    np.testing.assert_array_equal(found, [[0.25, 1.0, 0.75], [np.nan] * 3])
    assert coarse.shares_of("crane") == pytest.approx((0.7, 0.0, 0.3))
    assert coarse["crane"] == make_entry()  # what is told of the senses stays


def test_a_model_tags_with_groups_and_keeps_its_senses(model, tmp_path) -> None:
    fine = [model.tag(text, idk_threshold=None)[0].sense for text in TEXTS]
    assert fine == [1, 2, 3, 1]
    coarse = model.at_granularity("text")
    assert [coarse.tag(text, idk_threshold=None)[0].sense for text in TEXTS] == [1, 1, 3, 1]
    assert coarse.tag(TEXTS[1])[0].name == "name 1"
    assert coarse.tag(TEXTS[3])[0].probabilities == pytest.approx((0.7, 0.0, 0.3))
    assert model.sense_groups("Crane") == coarse.sense_groups("crane") == ((1, 2), (3,))
    assert (coarse.granularity, model.granularity) == ("text", None)
    assert coarse.at_granularity("text") is coarse
    assert coarse.digest != model.digest
    assert coarse.distances("crane", [("a nests ", "")]).round(3).tolist() == [[0.0, 1.0, 1.0]]


def test_test_sets_are_answered_with_groups(model) -> None:
    instances = [Instance(str(i), "crane", "", a, "crane", "") for i, a in enumerate(BEFORE)]
    system = ModelSystem(model.at_granularity("text"))
    answers = answer_instances(system, instances, system.find_senses(["crane"]))
    names = [labels[0].name for labels in answers.key.labels["crane"].values()]
    assert names == ["crane.1", "crane.1", "crane.3"]
    assert system.parameters["granularity"] == "text"


def test_what_is_saved_is_the_model_itself(model, tmp_path) -> None:
    model.with_lemmas({}).at_granularity("text").inventory.save(tmp_path / "senses")
    stored = SenseInventory.load(tmp_path / "senses")
    assert stored["crane"] == make_entry()
    np.testing.assert_array_equal(stored.directions("crane"), make_entry().directions)


def test_other_granularities_and_models_are_refused(model, topic_model_folder) -> None:
    with pytest.raises(InputError, match='granularity must be "text"; got 7'):
        model.at_granularity(7)
    with pytest.raises(InputError, match="take a model of learned contexts"):
        load(topic_model_folder).at_granularity("text")
