from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans_lab.wordnet.database import WordNet
from grassmeans_lab.wordnet.synset_vectors import GlossVectors, Lexicon, extend_vectors
from wordnet_files import Entry, write_wordnet

ENTRIES = {
    "bird": Entry("n", 5, ("crane", "heron"), "wades in a marsh", (("@", "animal"),)),
    "lift": Entry("n", 6, ("crane", "derrick"), "lifts steel"),
    "stretch": Entry("v", 29, ("crane",), "-"),
    "animal": Entry("n", 5, ("animal",), "lives"),
    "far": Entry("n", 5, ("unheard",), "-"),
}


@pytest.fixture
def wordnet(tmp_path: Path) -> WordNet:
    return WordNet.open(write_wordnet(tmp_path / "wordnet", ENTRIES))


def test_lexemes_are_pairs_of_words_and_synsets(wordnet: WordNet) -> None:
    lexicon = Lexicon.collect(wordnet, ["crane", "nothing", "derrick", "heron", "crane"])
    assert lexicon.words == ("crane", "derrick", "heron")
    assert [place[0] for place in lexicon.synsets] == ["n", "n", "v"]
    assert lexicon.word_of.tolist() == [0, 0, 0, 1, 2]
    assert lexicon.synset_of.tolist() == [0, 1, 2, 1, 0]
    assert lexicon.offsets.tolist() == [0, 3, 4, 5]
    assert lexicon.relate_synsets(wordnet).shape == (0, 2)  # animals have no word here
    related = Lexicon.collect(wordnet, ["heron", "animal"])
    assert related.relate_synsets(wordnet).tolist() == [[0, 1]]


def test_senses_go_towards_the_words_that_share_them(wordnet: WordNet) -> None:
    vectors = WordVectors(["crane", "heron", "derrick"], [[1, 1, 1], [1, 0, 0], [0, 1, 0]])
    found = extend_vectors(Lexicon.collect(wordnet, vectors.words), vectors, wordnet)
    bird, lift, stretch, heron, _ = found.lexemes
    assert bird.argmax() == 0
    assert lift.argmax() == 1
    assert stretch.argmax() == 2  # what is left of crane
    np.testing.assert_allclose(bird + lift + stretch, [1, 1, 1], atol=0.15)
    np.testing.assert_allclose(found.synsets[0], bird + heron, atol=1e-5)
    assert found.lexemes.dtype == found.synsets.dtype == np.float32


def test_the_squares_are_least(wordnet: WordNet) -> None:
    # All equations written out, solved by NumPy: words, likeness, relations, even shares.
    vectors = WordVectors(["crane", "heron", "animal"], [[2.0], [1.0], [-1.0]])
    lexicon = Lexicon.collect(wordnet, vectors.words)
    assert lexicon.word_of.tolist() == [0, 0, 0, 1, 2]
    assert lexicon.synset_of.tolist() == [0, 1, 2, 0, 3]
    equations = np.array(
        [
            [1, 1, 1, 0, 0, 2],
            [0, 0, 0, 1, 0, 1],
            [0, 0, 0, 0, 1, -1],
            [0.5, 0, 0, -0.5, 0, 0],
            [-0.5, 0, 0, 0.5, 0, 0],
            [0.5, 0, 0, 0.5, -1, 0],
            [1, 0, 0, 0, 0, 2 / 3],
            [0, 1, 0, 0, 0, 2 / 3],
            [0, 0, 1, 0, 0, 2 / 3],
            [0, 0, 0, 1, 0, 1],
            [0, 0, 0, 0, 1, -1],
        ]
    )
    expected, *_ = np.linalg.lstsq(equations[:, :5], equations[:, 5], rcond=None)
    found = extend_vectors(lexicon, vectors, wordnet).lexemes[:, 0]
    np.testing.assert_allclose(found, expected, atol=5e-3)


def test_a_gloss_is_the_mean_of_its_words(wordnet: WordNet) -> None:
    words = ["crane", "wades", "marsh", "heron", "steel", "in"]
    rows = [[1, 0], [3, 0], [0, 2], [1, 1], [-1, 0], [-5, -5]]
    glosses = GlossVectors(wordnet, WordVectors(words, rows))
    synsets = [sense.synset for sense in wordnet.senses_of("crane")]
    bird, lift, stretch = glosses.find("crane", synsets)
    # wades and heron, as unit vectors; marsh is no nearer than 0 to crane, in is a function word.
    np.testing.assert_allclose(bird, [(1 + 0.5**0.5) / 2, 0.5**0.5 / 2], atol=1e-6)
    # steel points the other way: nothing is left of the gloss, and the word stands for it.
    np.testing.assert_allclose(lift, [1, 0])
    np.testing.assert_allclose(stretch, [1, 0])
    every = GlossVectors(wordnet, WordVectors(words, rows), least_cosine=-2.0)
    np.testing.assert_allclose(every.find("crane", synsets[1:2])[0], [-1, 0])
