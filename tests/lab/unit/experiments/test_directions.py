from __future__ import annotations

from dataclasses import replace
from itertools import islice, permutations
from pathlib import Path

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.clustering.settings import InductionSettings
from grassmeans.errors import InputError
from grassmeans.models.building import build_model
from grassmeans_lab.experiments.directions import Isotropy, MonosemousDirections
from grassmeans_lab.experiments.experiment import (
    ExperimentSetup,
    SkipExperimentError,
    TestSets,
)

FIRST = ("alder", "apple", "ash", "aspen", "azalea", "avocado")
SECOND = ("oboe", "octave", "opera", "oratorio", "organ", "orchestra")
ONE_SENSE = Isotropy(n_senses=1, n_pairs=4000, max_contexts=60, shifts=(-1.0, 0.0, 1.0))


@pytest.fixture(scope="module")
def planted(tmp_path_factory) -> ExperimentSetup:
    """All vectors have a common part; the two groups add an axis of their own each."""
    texts = [
        " ".join(order) for group in (FIRST, SECOND) for order in islice(permutations(group), 50)
    ]
    corpus = Corpus.from_texts(texts, tmp_path_factory.mktemp("c") / "corpus")
    rows = np.array([[1, 1, 0]] * 6 + [[1, 0, 1]] * 6, np.float32)
    folder = tmp_path_factory.mktemp("v") / "vectors"
    WordVectors([*FIRST, *SECOND], rows).save(folder)
    return ExperimentSetup(
        corpus, WordVectors.load(folder), tmp_path_factory.mktemp("out"), workers=1
    )


def test_planted_common_part(planted):
    found = ONE_SENSE.run(planted)
    ours = {value.what: value.ours for value in found.values}
    # The mean of the text is (1, 1/2, 1/2): its cosine to (1, 1, 0) is sqrt(3) / 2.
    assert ours["intersection directions to the mean of the text"] == "0.866 ± 0.000"
    # Of the other eleven words five have the same vector, six a cosine of one half.
    expected = (5 + 6 * 0.5) / 11
    for what in ("random intersection directions", "random word vectors, of all words"):
        assert float(ours[what].split(" ")[0]) == pytest.approx(expected, abs=0.02)
    assert found.values[0].paper == "0.889 ± 0.068"
    assert found.values[1].paper == "0.134 ± 0.072"
    assert "12 directions of 12 words" in found.text[0]


def test_moving_the_mean_moves_the_directions(planted):
    found = ONE_SENSE.run(planted)
    table = next(table for table in found.tables if table.name == "isotropy-mean")
    amounts, words, directions = zip(*table.rows, strict=True)
    assert amounts == (-1.0, 0.0, 1.0)
    # Without the mean the groups are opposite; with twice the mean (2, 3/2, 1/2) their cosine is
    # (4 + 3/2) / (4 + 9/4 + 1/4).
    cosines = (-1.0, 0.5, 5.5 / 6.5)
    expected = [(5 + 6 * cosine) / 11 for cosine in cosines]
    assert list(words) == pytest.approx(expected, abs=0.05)
    assert list(directions[1:]) == pytest.approx(expected[1:], abs=0.05)
    assert "The mean is the cause" in found.text[1]


def test_figures(planted):
    found = ONE_SENSE.run(planted)
    names = [figure.name for figure in found.figures]
    assert names == ["isotropy-directions", "isotropy-words", "isotropy-mean"]
    assert len(found.tables[0].rows) == 3


def test_directions_of_a_model(planted, tmp_path):
    build_model(
        planted.corpus.path,
        planted.vectors.folder,
        tmp_path / "model",
        settings=InductionSettings(n_senses=2, max_contexts=60),
        workers=1,
        show_progress=False,
    )
    found = ONE_SENSE.run(replace(planted, model=tmp_path / "model"))
    assert "24 directions of 12 words" in found.text[0]
    few = replace(ONE_SENSE, n_words=5).run(replace(planted, model=tmp_path / "model"))
    assert "10 directions of 5 words" in few.text[0]


def test_reasons_to_skip(tmp_path, topic_corpus, topic_vectors, topic_model_folder):
    setup = ExperimentSetup(topic_corpus, topic_vectors, tmp_path, model=topic_model_folder)
    with pytest.raises(SkipExperimentError, match="2 words have senses; at least 5"):
        Isotropy.quick().run(setup)


def test_too_few_frequent_words(tmp_path):
    corpus = Corpus.from_texts(
        [" ".join(FIRST[:3]) + " x" * n for n in range(50)], tmp_path / "corpus"
    )
    vectors = WordVectors(["alder", "apple", "ash"], np.eye(3, dtype=np.float32))
    with pytest.raises(SkipExperimentError, match="only 3 words are frequent enough"):
        Isotropy.quick().run(ExperimentSetup(corpus, vectors, tmp_path))


@pytest.fixture(scope="module")
def two_axes(tmp_path_factory) -> ExperimentSetup:
    """The contexts of the first six lie on the first axis, the others' on the second one."""
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


def test_directions_are_where_the_vectors_are(two_axes):
    found = MonosemousDirections(rank=1).run(two_axes)
    own, other = found.values
    assert (own.paper, own.ours) == ("0.607 ± 0.095", "1.000 ± 0.000")
    assert other.ours == "0.000 ± 0.000"  # half the list further is the other group
    table = found.tables[0]
    assert [row[0] for row in table.rows] == sorted(FIRST) + sorted(SECOND)
    assert {row[1] for row in table.rows} == {50}
    assert len(found.tables[1].rows) == 10
    assert [figure.name for figure in found.figures] == ["monosemous"]
    assert "without WordNet" in found.text[0]


def test_wordnet_tells_which_words_have_one_sense(two_axes, tmp_path):
    senses = dict.fromkeys((*FIRST[:3], *SECOND[:3]), 1) | {"organ": 4, "ash": 2}
    sets = TestSets(wordnet=write_wordnet(tmp_path, **senses))
    found = MonosemousDirections(rank=1).run(replace(two_axes, test_sets=sets))
    assert [row[0] for row in found.tables[0].rows] == ["alder", "apple", *SECOND[:3]]
    assert "one sense in WordNet" in found.text[0]


def test_a_sample_is_drawn(two_axes):
    found = MonosemousDirections(rank=1, n_words=7).run(two_axes)
    again = MonosemousDirections(rank=1, n_words=7).run(two_axes)
    other = MonosemousDirections(rank=1, n_words=7).run(replace(two_axes, random_state=5))
    assert len(found.tables[0].rows) == 7
    assert found.tables == again.tables
    assert found.tables[0] != other.tables[0]


def test_reasons_to_skip_directions(two_axes, tmp_path):
    with pytest.raises(SkipExperimentError, match="0 words that occur 51 times have a vector"):
        MonosemousDirections(min_count=51).run(two_axes)
    one = TestSets(wordnet=write_wordnet(tmp_path, alder=1))
    with pytest.raises(SkipExperimentError, match="and one sense in WordNet; at least 5"):
        MonosemousDirections.quick().run(replace(two_axes, test_sets=one))
    nowhere = TestSets(wordnet=tmp_path / "nowhere")
    with pytest.raises(InputError, match="not a WordNet database"):
        MonosemousDirections().run(replace(two_axes, test_sets=nowhere))
