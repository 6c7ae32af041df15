from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.senses.entries import WordSenses
from grassmeans_lab.experiments.experiment import ExperimentSetup, SkipExperimentError
from grassmeans_lab.experiments.intersection import Intersection, Polysemy, choose_by_anchors

# Every context of "storm" holds "wind", on the line of its vector, and two words that change.
PAIRS = (("palm", "reef"), ("reef", "sail"), ("sail", "tide"), ("tide", "palm"))
STORM = [
    " ".join(order) for pair in PAIRS for order in list(permutations(("storm", "wind", *pair)))[:8]
]
OTHERS = [" ".join(order) for order in list(permutations(("clef", "drum", "flute", "harp")))]
AXES = ("wind", "palm", "reef", "sail", "tide", "clef", "drum", "flute", "harp")


@pytest.fixture(scope="module")
def planted(tmp_path_factory) -> ExperimentSetup:
    corpus = Corpus.from_texts(STORM + OTHERS, tmp_path_factory.mktemp("c") / "corpus")
    table = np.eye(len(AXES), dtype=np.float32)
    table[0] *= 3
    vectors = WordVectors([*AXES, "storm"], np.vstack([table, 2 * np.eye(9)[:1]]))
    return ExperimentSetup(corpus, vectors, tmp_path_factory.mktemp("out"), workers=1)


def test_planted_similarities(planted):
    found = Intersection(word="storm").run(planted)
    ours = {value.what: value.ours for value in found.values}
    assert ours == {
        '"storm" to own contexts': "1.000 ± 0.000",
        '"storm" to own contexts, repeats of the word left out': "1.000 ± 0.000",
        '"storm" to random contexts': "0.000 ± 0.000",
        'where they meet, to the vector of "storm"': "1.000",
    }
    assert found.values[0].paper == "0.693 ± 0.211"
    assert found.values[2].paper == "0.305 ± 0.041"
    assert "100% of them" in found.text[0]
    assert len(found.text) == 1  # no context repeats the word


def test_tables_and_figures(planted):
    found = Intersection(word="storm", n_planes=3).run(planted)
    assert [figure.name for figure in found.figures] == [
        "intersection-similarity",
        "intersection-planes",
    ]
    assert all(figure.svg and figure.png for figure in found.figures)
    assert "drawPlanes" in found.figures[1].html
    tables = {table.name: table for table in found.tables}
    kinds = [row[0] for row in tables["intersection-similarity"].rows]
    assert kinds.count("own contexts") == 32
    assert kinds.count("random contexts") == 32
    assert len(tables["intersection-contexts"].rows) == 3
    # All planes hold the line, which has one row; a plane has two.
    assert all(
        row[-1] == pytest.approx(1, abs=1e-3) for row in tables["intersection-contexts"].rows
    )
    whats = [row[0] for row in tables["intersection-planes"].rows]
    assert (whats.count("line"), whats.count("plane")) == (1, 6)


def test_repeats_are_told_apart(tmp_path, topic_corpus, topic_vectors):
    setup = ExperimentSetup(topic_corpus, topic_vectors, tmp_path, workers=1)
    found = Intersection(word="crane", max_contexts=100).run(setup)
    own, alone, random, _ = (float(value.ours.split(" ")[0]) for value in found.values)
    assert own > alone > random
    assert "a second time" in found.text[1]


def test_reasons_to_skip(planted):
    with pytest.raises(SkipExperimentError, match="not in this corpus: typhoon"):
        Intersection().run(planted)
    with pytest.raises(SkipExperimentError, match="'storm' has 10 contexts of 3 known words"):
        Intersection(word="storm", max_contexts=10).run(planted)
    assert Intersection.quick().max_contexts < Intersection().max_contexts


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


def test_reasons_to_skip_polysemy(setup):
    with pytest.raises(SkipExperimentError, match="not in this corpus: nowhere"):
        Polysemy(word="nowhere").run(setup)
    with pytest.raises(SkipExperimentError, match="one sense cannot differ"):
        Polysemy(n_senses=1).run(setup)
    with pytest.raises(SkipExperimentError, match=r"has 3 contexts .* too few for 6 senses"):
        Polysemy(max_contexts=3).run(setup)
