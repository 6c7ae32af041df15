from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.laboratory.wordnet.database import WordNet
from grassmeans.laboratory.wordnet.synset_vectors import GlossVectors, Lexicon, extend_vectors
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


def test_a_word_is_the_sum_of_its_lexemes_and_lexemes_of_a_synset_are_alike(wordnet) -> None:
    # The verb shares nothing with other words: what is left of crane is its.
    vectors = WordVectors(["crane", "heron", "derrick"], [[1, 1, 1], [1, 0, 0], [0, 1, 0]])
    found = extend_vectors(Lexicon.collect(wordnet, vectors.words), vectors, wordnet)
    bird, lift, stretch, heron, derrick = found.lexemes
    np.testing.assert_allclose(bird + lift + stretch, [1, 1, 1], atol=0.02)
    np.testing.assert_allclose(bird, heron, atol=0.07)  # even shares pull a little
    np.testing.assert_allclose(lift, derrick, atol=0.07)
    np.testing.assert_allclose(stretch, [0, 0, 1], atol=0.07)
    np.testing.assert_allclose(found.synsets[0], bird + heron, atol=1e-5)
    assert found.lexemes.dtype == found.synsets.dtype == np.float32


def test_the_squares_are_least(wordnet: WordNet) -> None:
    # All equations written out, solved by NumPy: words, likeness, relations, even shares.
    vectors = WordVectors(["crane", "heron", "animal"], [[2.0], [1.0], [-1.0]])
    lexicon = Lexicon.collect(wordnet, vectors.words)
    assert lexicon.word_of.tolist() == [0, 0, 0, 1, 2]
    assert lexicon.synset_of.tolist() == [0, 1, 2, 0, 3]
    small = np.sqrt(0.01)
    equations = np.array(
        [
            [1, 1, 1, 0, 0, 2],
            [0, 0, 0, 1, 0, 1],
            [0, 0, 0, 0, 1, -1],
            [0.5, 0, 0, -0.5, 0, 0],
            [-0.5, 0, 0, 0.5, 0, 0],
            [0.5, 0, 0, 0.5, -1, 0],
            [small, 0, 0, 0, 0, small * 2 / 3],
            [0, small, 0, 0, 0, small * 2 / 3],
            [0, 0, small, 0, 0, small * 2 / 3],
            [0, 0, 0, small, 0, small],
            [0, 0, 0, 0, small, -small],
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
