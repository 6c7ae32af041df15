from __future__ import annotations

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.laboratory.experiments.findings import SkipExperimentError
from grassmeans.laboratory.experiments.polysemy import Polysemy, choose_by_anchors
from grassmeans.laboratory.experiments.setup import ExperimentSetup
from grassmeans.senses.entries import WordSenses


@pytest.fixture
def setup(tmp_path, topic_corpus, topic_vectors) -> ExperimentSetup:
    return ExperimentSetup(topic_corpus, topic_vectors, tmp_path, workers=1)


def test_two_planted_senses(setup, synthetic):
    # Anchors in the order machine, bird: so is the picture.
    anchors = (synthetic.topic_words[1][0], synthetic.topic_words[0][0])
    found = Polysemy(n_senses=2, n_init=3, anchors=anchors).run(setup)
    ours = {value.what: value.ours for value in found.values}
    assert -1 < float(ours.pop("cosine between the two directions")) < 0.9
    for sense in (1, 2):
        own = float(ours[f"contexts of crane.{sense} to their own direction"].split(" ")[0])
        other = float(ours[f"contexts of crane.{sense} to the other direction"].split(" ")[0])
        assert own > other + 0.1
    tables = {table.name: table for table in found.tables}
    senses = {row[0]: row for row in tables["polysemy-senses"].rows}
    assert [row[1] for row in senses.values()] == pytest.approx([0.5, 0.5], abs=0.02)
    contexts = tables["polysemy-contexts"].rows
    assert len(contexts) == 8
    shown = list(dict.fromkeys(row[0] for row in contexts))
    topic_of = {}
    for sense in shown:
        marks = set(senses[sense][3].split(", "))
        topic_of[sense] = [len(marks & set(synthetic.topic_words[t])) for t in (0, 1)]
    assert sorted(topic_of.values()) == [[0, 8], [8, 0]]


def test_picture_has_three_panels_and_an_interactive_twin(setup):
    (figure,) = Polysemy(n_senses=2, n_init=2).run(setup).figures
    assert figure.name == "polysemy-planes"
    assert figure.svg.count('id="axes_') == 3
    assert "drawPlanes" in figure.html


def test_anchors_choose_senses():
    vectors = WordVectors(["a", "b", "c"], [[1, 0.1, 0], [0, 0.2, 1], [2, 0, 0]])
    directions = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]], np.float32)
    entry = WordSenses("w", 9, 9, directions, ())
    assert choose_by_anchors(entry, ("a", "b"), vectors) == (2, 3)
    assert choose_by_anchors(entry, ("b", "a"), vectors) == (3, 2)
    assert choose_by_anchors(entry, ("a", "c"), vectors) is None  # both are nearest to the second
    assert choose_by_anchors(entry, ("a", "unknown"), vectors) is None
    assert choose_by_anchors(entry, ("a",), vectors) is None


def test_reasons_to_skip(setup):
    with pytest.raises(SkipExperimentError, match="not in this corpus: nowhere"):
        Polysemy(word="nowhere").run(setup)
    with pytest.raises(SkipExperimentError, match="one sense cannot differ"):
        Polysemy(n_senses=1).run(setup)
    with pytest.raises(SkipExperimentError, match=r"has 3 contexts .* too few for 6 senses"):
        Polysemy(max_contexts=3).run(setup)
