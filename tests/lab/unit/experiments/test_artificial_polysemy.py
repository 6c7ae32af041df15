from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.geometry.windows import ContextShape, gather_rows
from grassmeans_lab.experiments.artificial_polysemy import (
    ArtificialPolysemy,
    ContextMerger,
    cross_tabulate,
    occurrences_of,
)
from grassmeans_lab.experiments.experiment import (
    ExperimentSetup,
    SkipExperimentError,
    TestSets,
)
from wordnet_files import Entry, write_wordnet

# The most frequent words of two and of three topics: nothing but the topic tells them apart.
PLANTED = (("birdba", "moneyba"), ("birdba", "moneyba", "letterba"))


@pytest.fixture(scope="module")
def setup(topic_corpus, topic_vectors, tmp_path_factory) -> ExperimentSetup:
    return ExperimentSetup(
        topic_corpus, topic_vectors, tmp_path_factory.mktemp("artificial"), workers=1
    )


@pytest.fixture(scope="module")
def experiment() -> ArtificialPolysemy:
    return ArtificialPolysemy(
        examples=PLANTED, ks=(2, 3), trials=3, contexts_per_word=40, min_count=8, n_init=3
    )


@pytest.fixture(scope="module")
def findings(experiment, setup):
    return experiment.run(setup)


def test_groups_stand_in_the_order_of_the_members_they_are_mapped_to():
    labels = np.array([1, 1, 0, 0, 0])
    members = np.array([0, 0, 1, 1, 0])
    assert cross_tabulate(labels, members, 2).tolist() == [[2, 0], [1, 2]]


def test_contexts_become_occurrences_and_contexts_again():
    vectors = WordVectors(["a", "b", "c", "d"], np.eye(4))
    contexts = np.array([[-1, 3, 1, 1], [2, 3, -1, -1], [-1, -1, -1, -1]], np.int32)
    found = occurrences_of(contexts, vectors)
    assert found.words == ["b", "c", "d"]
    rows = gather_rows(found, vectors.ids_of(found.words), ContextShape(window=2))
    assert rows.tolist() == contexts.tolist()
    full = occurrences_of(np.array([[0, 2]], np.int32), vectors)
    assert (full.words, full.tokens.tolist()) == (["a", "c"], [0, -1, 1])


def test_words_of_different_topics_are_taken_apart(findings):
    # Three methods for each of the two examples.
    accuracies = [float(value.ours) for value in findings.values[:6]]
    assert min(accuracies[:3]) > 0.95
    assert min(accuracies[3:]) > 0.9


def test_every_figure_has_its_data(findings):
    assert [figure.name for figure in findings.figures] == [
        "artificial-2",
        "artificial-3",
        "artificial-accuracy",
    ]
    tables = {table.name: table for table in findings.tables}
    assert len(tables["artificial-trials"].rows) == 2 * 3 * 3  # sizes, methods, trials
    assert [row[0] for row in tables["artificial-accuracy"].rows] == [2, 3]
    # Three methods, two groups each; all place every context of both members.
    counts = np.array([row[2:] for row in tables["artificial-2"].rows]).reshape(3, 2, 2)
    assert np.all(counts.sum(axis=1) == counts[0].sum(axis=0))
    assert np.all(counts.sum(axis=(1, 2)) >= 60)


def test_no_member_stands_in_a_context(experiment, setup):
    # Two words of one topic meet in many contexts.
    words = ("birdba", "birdbe")
    merger = ContextMerger.of(experiment, setup)
    contexts, members = merger.collect(words)
    rows = setup.vectors.ids_of(words)
    with_members = setup.extractor().extract(words[0], max_contexts=40).context_ids
    assert np.isin(with_members, rows).any()
    assert not np.isin(contexts, rows).any()
    assert np.bincount(members).tolist() == [
        min(40, len(setup.corpus.positions(word))) for word in words
    ]


def test_missing_words_are_replaced_and_named(experiment, setup):
    changed = ArtificialPolysemy(
        examples=(("monastery", "phd"),), ks=(2,), trials=1, min_count=8, n_init=1
    )
    found = changed.run(setup)
    assert found.text[-1].startswith("In place of monastery, phd: ")
    assert "monastery" not in found.values[0].what


def test_accuracies_do_not_depend_on_how_trials_are_handed_out(setup, experiment):
    merger = ContextMerger.of(experiment, setup)
    groups = [("birdba", "moneyba"), ("riverba", "fishba")]
    assert merger.score(groups) == merger.score(groups[:1]) + merger.score(groups[1:])


def test_too_small_a_corpus_is_skipped(setup):
    with pytest.raises(SkipExperimentError, match=r"only 0 words can be merged .* 8 are needed"):
        ArtificialPolysemy().run(setup)


def test_wordnet_chooses_words_of_one_sense(setup, tmp_path):
    entries = {
        "one": Entry("n", 5, ("birdba",), "a bird"),
        "two": Entry("n", 5, ("moneyba",), "some money"),
        "three": Entry("n", 5, ("letterba",), "a letter"),
        "four": Entry("n", 6, ("letterba",), "a sign"),
    }
    folder = write_wordnet(tmp_path / "wordnet", entries)
    small = ArtificialPolysemy(examples=(), ks=(2,), trials=2, min_count=8, n_init=1)
    found = small.run(replace(setup, test_sets=TestSets(wordnet=folder)))
    assert "2 words with one sense" in found.text[0]


def test_quick_runs_on_a_small_corpus(setup):
    found = ArtificialPolysemy.quick().run(setup)
    assert len(found.figures) == 3
