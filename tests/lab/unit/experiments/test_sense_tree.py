from __future__ import annotations

import json

import numpy as np
import pytest

from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.geometry.windows import ContextShape
from grassmeans.senses.word_induction import WordInducer
from grassmeans_lab.experiments.sense_tree import SenseTree, build_sense_tree, count_overlaps


@pytest.fixture(scope="module")
def encoder(topic_corpus, topic_vectors) -> SubspaceEncoder:
    return SubspaceEncoder(topic_vectors, ContextShape(), topic_corpus.function_words)


@pytest.fixture(scope="module")
def tree(topic_corpus, encoder) -> SenseTree:
    return build_sense_tree("crane", topic_corpus, encoder, max_senses=4)


def test_overlaps_count_the_contexts_that_moved():
    above = np.array([0, 0, 1, 1, 1])
    labels = np.array([2, 0, 1, 1, 2])
    assert count_overlaps(above, labels, 3).tolist() == [[1, 0, 1], [0, 2, 1]]


def test_levels_hold_as_many_groups(tree):
    assert [len(level) for level in tree.levels] == [1, 2, 3, 4]
    assert tree.n_contexts == tree.count == 200
    for number, level in enumerate(tree.levels, start=1):
        assert [node.level for node in level] == [number] * number
        assert [node.number for node in level] == list(range(1, number + 1))
        assert sum(node.share for node in level) == pytest.approx(1.0)


def test_two_topics_part_at_the_second_level(tree):
    first, second = tree.levels[1]
    assert first.share == pytest.approx(0.5, abs=0.02)
    topics = [{word[:4] for word in node.words} - {"cran"} for node in (first, second)]
    assert sorted(map(sorted, topics)) == [["bird"], ["mach"]]


def test_finer_groups_hang_below_the_topic_they_are_of(tree):
    for level in tree.levels[2:]:
        for node in level:
            parent = tree.node(node.level - 1, node.parent)
            assert node.words[0][:4] == parent.words[0][:4]
            assert node.purity > 0.5
            assert node in tree.children(parent)


def test_sources_sum_to_the_share(tree):
    assert tree.levels[0][0].parent is None
    assert tree.levels[0][0].sources == ()
    assert tree.levels[0][0].purity == 1.0
    for level in tree.levels[1:]:
        for node in level:
            assert len(node.sources) == node.level - 1
            assert sum(node.sources) == pytest.approx(node.share)
            assert node.sources[node.parent - 1] == max(node.sources)


def test_a_level_is_what_induction_finds_for_as_many_senses(tree, topic_corpus, encoder):
    entry = WordInducer(topic_corpus, encoder, InductionSettings(n_senses=3))("crane")
    for sense, node in zip(entry.senses, tree.levels[2], strict=True):
        assert node.share == pytest.approx(sense.share)
        assert node.crispness == pytest.approx(1.0 - sense.mean_distance)
        assert node.words == sense.characteristic_words
        assert node.nearest_words == sense.nearest_words


def test_tree_is_plain_values_for_json(tree):
    values = json.loads(json.dumps(tree.to_dict()))
    assert values["word"] == "crane"
    node = values["levels"][1][0]
    assert {"level", "number", "share", "crispness", "name", "words", "parent"} <= node.keys()
    assert node["parent"] == 1


def test_few_contexts_give_few_levels(topic_corpus, encoder):
    found = build_sense_tree(
        "crane", topic_corpus, encoder, InductionSettings(max_contexts=2), max_senses=5
    )
    assert [len(level) for level in found.levels] == [1, 2]


def test_mistakes_are_explained(topic_corpus, encoder):
    with pytest.raises(UnknownWordError, match="'nowhere' does not occur"):
        build_sense_tree("nowhere", topic_corpus, encoder)
    with pytest.raises(InputError, match="max_senses must be 1 or more, got 0"):
        build_sense_tree("crane", topic_corpus, encoder, max_senses=0)
    wide = SubspaceEncoder(encoder.vectors, ContextShape(rank=21), encoder.function_words)
    with pytest.raises(InputError, match="no context of 21 known words"):
        build_sense_tree("crane", topic_corpus, wide)
