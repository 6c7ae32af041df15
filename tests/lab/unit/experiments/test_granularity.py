from __future__ import annotations

from dataclasses import replace

import pytest

from grassmeans_lab.experiments.experiment import (
    ExperimentSetup,
    SkipExperimentError,
    TestSets,
)
from grassmeans_lab.experiments.granularity import Granularity, link_trees
from grassmeans_lab.experiments.sense_tree import SenseNode, SenseTree
from grassmeans_lab.wordnet.database import WordNet
from grassmeans_lab.wordnet.linking import SynsetLinker
from wordnet_files import Entry, write_wordnet

ENTRIES = {
    "bird": Entry("n", 5, ("crane",), "a bird that lives in the marsh and eats birdba"),
    "machine": Entry("n", 6, ("crane",), "machineba that lifts and lowers machinebe"),
    "marsh": Entry("n", 17, ("marsh",), "wet land"),
    "birdba": Entry("n", 5, ("birdba",), "a small animal"),
    "machineba": Entry("n", 6, ("machineba",), "a large tool"),
    "machinebe": Entry("n", 6, ("machinebe",), "a heavy load"),
}


@pytest.fixture(scope="module")
def setup(topic_corpus, topic_vectors, tmp_path_factory) -> ExperimentSetup:
    folder = tmp_path_factory.mktemp("granularity")
    return ExperimentSetup(topic_corpus, topic_vectors, folder, workers=1)


@pytest.fixture(scope="module")
def findings(setup):
    return Granularity.quick().run(setup)


def make_tree(*words: tuple[str, ...]) -> SenseTree:
    top = SenseNode(1, 1, 1.0, 0.3, "all", (), (), None)
    share = 1 / len(words)
    nodes = tuple(
        SenseNode(len(words), number, share, 0.4, "name", found, (), 1, (share,))
        for number, found in enumerate(words, start=1)
    )
    return SenseTree("crane", 10, 10, ((top,), nodes))


def test_groups_are_linked_to_the_sense_with_the_nearest_gloss(setup, tmp_path):
    wordnet = WordNet.open(write_wordnet(tmp_path / "wordnet", ENTRIES))
    tree = make_tree(("machinebi", "machinebo"), ("unheard",))
    links = link_trees([tree], SynsetLinker(wordnet, setup.vectors))
    assert list(links) == [("crane", 2, 1)]
    assert links["crane", 2, 1].synset.definition.startswith("machineba that lifts")
    assert links["crane", 2, 1].cosine > 0.5


def test_every_word_of_the_corpus_has_a_picture_and_its_data(findings):
    # Java, rock and apple are not in the text.
    names = ["granularity-crane", "granularity-bank", "granularity-bass"]
    assert [figure.name for figure in findings.figures] == names
    assert [table.name for table in findings.tables] == names
    assert all(figure.png and figure.svg for figure in findings.figures)
    for table in findings.tables:
        assert [row[:2] for row in table.rows] == [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)]
    assert findings.text[-1] == "Too rare in this corpus: apple, java, rock."


def test_topics_stay_apart_from_two_to_three_groups(findings):
    nested = float(findings.values[0].ours.split()[0])
    assert findings.values[0].what.endswith("K=2 to 3")
    assert nested > 0.9


def test_wordnet_senses_stand_in_the_tables(setup, tmp_path):
    folder = write_wordnet(tmp_path / "wordnet", ENTRIES)
    experiment = replace(Granularity.quick(), words=("crane",), max_senses=2)
    table = experiment.run(replace(setup, test_sets=TestSets(wordnet=folder))).tables[0]
    assert table.columns[-2:] == ("WordNet", "cosine")
    linked = {row[-2] for row in table.rows if row[0] == 2}
    assert linked == {f"crane (n): {ENTRIES[key].gloss}" for key in ("bird", "machine")}


def test_a_corpus_without_the_words_is_skipped(setup):
    with pytest.raises(SkipExperimentError, match="none of java, rock occurs 20 times"):
        replace(Granularity.quick(), words=("java", "rock")).run(setup)
