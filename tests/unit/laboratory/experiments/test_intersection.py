from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.laboratory.experiments.findings import SkipExperimentError
from grassmeans.laboratory.experiments.intersection import Intersection
from grassmeans.laboratory.experiments.setup import ExperimentSetup

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
