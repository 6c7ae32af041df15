from __future__ import annotations

from dataclasses import replace
from itertools import islice, permutations
from pathlib import Path

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.errors import InputError
from grassmeans.laboratory.experiments.findings import SkipExperimentError
from grassmeans.laboratory.experiments.monosemous import MonosemousDirections
from grassmeans.laboratory.experiments.setup import ExperimentSetup, TestSets

# The contexts of the first six lie on the first axis, those of the others on the second one.
FIRST = ("alder", "apple", "ash", "aspen", "azalea", "avocado")
SECOND = ("oboe", "octave", "opera", "oratorio", "organ", "orchestra")


@pytest.fixture(scope="module")
def planted(tmp_path_factory) -> ExperimentSetup:
    texts = [
        " ".join(order) for group in (FIRST, SECOND) for order in islice(permutations(group), 50)
    ]
    corpus = Corpus.from_texts(texts, tmp_path_factory.mktemp("c") / "corpus")
    rows = [[k + 1, 0] for k in range(6)] + [[0, k + 1] for k in range(6)]
    vectors = WordVectors([*FIRST, *SECOND], np.array(rows, np.float32))
    return ExperimentSetup(corpus, vectors, tmp_path_factory.mktemp("out"), workers=1)


def write_wordnet(folder: Path, **senses: int) -> Path:
    """Index files with so many senses for each noun; nobody asks for the synsets."""
    lines = "".join(
        f"{word} n {n} 0 {n} 0 {' '.join(f'{i:08d}' for i in range(n))}\n"
        for word, n in senses.items()
    )
    for name in ("noun", "verb", "adj", "adv"):
        (folder / f"data.{name}").write_text("")
        (folder / f"index.{name}").write_text(lines if name == "noun" else "")
    return folder


def test_directions_are_where_the_vectors_are(planted):
    found = MonosemousDirections(rank=1).run(planted)
    own, other = found.values
    assert (own.paper, own.ours) == ("0.607 ± 0.095", "1.000 ± 0.000")
    assert other.ours == "0.000 ± 0.000"  # half the list further is the other group
    table = found.tables[0]
    assert [row[0] for row in table.rows] == sorted(FIRST) + sorted(SECOND)
    assert {row[1] for row in table.rows} == {50}
    assert len(found.tables[1].rows) == 10
    assert [figure.name for figure in found.figures] == ["monosemous"]
    assert "without WordNet" in found.text[0]


def test_wordnet_tells_which_words_have_one_sense(planted, tmp_path):
    senses = dict.fromkeys((*FIRST[:3], *SECOND[:3]), 1) | {"organ": 4, "ash": 2}
    sets = TestSets(wordnet=write_wordnet(tmp_path, **senses))
    found = MonosemousDirections(rank=1).run(replace(planted, test_sets=sets))
    assert [row[0] for row in found.tables[0].rows] == ["alder", "apple", *SECOND[:3]]
    assert "one sense in WordNet" in found.text[0]


def test_a_sample_is_drawn(planted):
    found = MonosemousDirections(rank=1, n_words=7).run(planted)
    again = MonosemousDirections(rank=1, n_words=7).run(planted)
    other = MonosemousDirections(rank=1, n_words=7).run(replace(planted, random_state=5))
    assert len(found.tables[0].rows) == 7
    assert found.tables == again.tables
    assert found.tables[0] != other.tables[0]


def test_reasons_to_skip(planted, tmp_path):
    with pytest.raises(SkipExperimentError, match="0 words that occur 51 times have a vector"):
        MonosemousDirections(min_count=51).run(planted)
    one = TestSets(wordnet=write_wordnet(tmp_path, alder=1))
    with pytest.raises(SkipExperimentError, match="and one sense in WordNet; at least 5"):
        MonosemousDirections.quick().run(replace(planted, test_sets=one))
    nowhere = TestSets(wordnet=tmp_path / "nowhere")
    with pytest.raises(InputError, match="not a WordNet database"):
        MonosemousDirections().run(replace(planted, test_sets=nowhere))
