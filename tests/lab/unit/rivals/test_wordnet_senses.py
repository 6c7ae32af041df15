"""Chen's method and AutoExtend, and what both do with words that WordNet does not have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grassmeans import Corpus, SkipGram
from grassmeans.errors import InputError, UnknownWordError
from grassmeans_lab.rivals import autoextend, labelled_training
from grassmeans_lab.rivals.autoextend import AutoExtendSenses
from grassmeans_lab.rivals.chen import ChenSenses
from grassmeans_lab.rivals.interface import Material, WindowSenses
from wordnet_files import Entry, write_wordnet

BIRDS = ["nest", "wing", "feather", "reed", "flock", "beak", "egg", "marsh"]
MACHINES = ["steel", "hook", "cable", "dock", "cargo", "boom", "load", "winch"]
ENTRIES = {
    "machine": Entry("n", 6, ("crane", "hook"), "steel and cable on a dock", (), 1),
    "bird": Entry("n", 5, ("crane", "beak"), "with a wing and a feather on its nest", (), 9),
    "verb": Entry("v", 29, ("crane",), "reed and flock"),
    "cargo": Entry("n", 6, ("cargo",), "load"),
}


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory) -> str:
    return str(write_wordnet(tmp_path_factory.mktemp("wordnet") / "wordnet", ENTRIES))


@pytest.fixture(scope="module")
def material(tmp_path_factory) -> Material:
    rng = np.random.default_rng(0)
    texts = []
    for number in range(400):
        words = list(rng.choice(BIRDS if number % 2 else MACHINES, size=9))
        words[4] = "cranes" if number % 5 == 0 else "crane"
        texts.append(" ".join(words))
    corpus = Corpus.from_texts(texts, tmp_path_factory.mktemp("corpus") / "corpus")
    vectors = SkipGram(dim=12, epochs=15, min_count=1, workers=1).fit(corpus).vectors_
    return Material(corpus, vectors, ("crane", "cranes", "cargo", "steel", "absent"))


def measure(senses: WindowSenses, word: str, words: list[str]) -> np.ndarray:
    """Distances of contexts made of such words; a training may have put words in another order."""
    rng = np.random.default_rng(1)
    ids_of = senses.windows.vectors.ids_of
    return senses.measure(word, np.stack([ids_of(rng.choice(words, size=6)) for _ in range(40)]))


METHODS = [ChenSenses, AutoExtendSenses]


@pytest.mark.parametrize("method", METHODS)
def test_senses_are_those_of_the_dictionary_form_the_frequent_first(
    method, wordnet: str, material: Material
) -> None:
    senses = method(wordnet).induce(material)
    assert senses.words == ("crane", "cranes", "cargo")  # steel has no synset
    assert [senses.n_senses(word) for word in senses.words] == [3, 3, 1]
    for word in ("crane", "cranes"):
        birds = measure(senses, word, BIRDS).argmin(axis=1)
        machines = measure(senses, word, MACHINES).argmin(axis=1)
        assert (machines == 1).mean() > 0.9
        assert (birds != 1).mean() > 0.9  # of the verb everything is said by words of birds
    with pytest.raises(UnknownWordError):
        senses.n_senses("steel")


@pytest.mark.parametrize("method", METHODS)
def test_folders_are_opened_again(
    method, wordnet: str, material: Material, tmp_path: Path, monkeypatch
) -> None:
    first = method(wordnet).induce(material)
    stored = method(wordnet).induce(replace(material, folder=tmp_path / "senses"))
    monkeypatch.setattr(autoextend, "extend_vectors", None)
    monkeypatch.setattr(labelled_training, "train_lexemes", None)
    opened = method(wordnet).induce(replace(material, folder=tmp_path / "senses", words=("crane",)))
    for other in (stored, opened):
        np.testing.assert_allclose(
            measure(other, "crane", BIRDS), measure(first, "crane", BIRDS), atol=1e-6
        )
    assert not (tmp_path / "senses" / "labelled").exists()
    changed = write_wordnet(tmp_path / "other", {**ENTRIES, "reed": Entry("n", 3, ("reed",), "-")})
    with pytest.raises(InputError, match="made with another wordnet"):
        method(str(changed)).induce(replace(material, folder=tmp_path / "senses"))


@pytest.mark.parametrize("method", METHODS)
def test_what_is_said_where_wordnet_does_not_help(
    method, wordnet: str, material: Material, tmp_path: Path, monkeypatch
) -> None:
    with pytest.raises(InputError, match=r"none of the 2 words .* is in WordNet .*English words"):
        method(wordnet).induce(replace(material, words=("steel", "absent")))
    with pytest.raises(InputError, match=r"not a WordNet database: it has no data\.adj; get"):
        method(str(tmp_path)).induce(material)
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    monkeypatch.setattr("grassmeans_lab.wordnet.database.usual_places", lambda: [])
    with pytest.raises(InputError, match="WordNet was not found in the usual places of NLTK: get"):
        method().induce(material)


def test_a_corpus_whose_words_have_one_sense_cannot_be_labelled(material, tmp_path: Path) -> None:
    one = write_wordnet(tmp_path / "wordnet", {"cargo": ENTRIES["cargo"]})
    with pytest.raises(InputError, match="no word of the corpus has two senses in WordNet"):
        ChenSenses(str(one)).induce(material)
    glosses = ChenSenses(str(one), train=False).induce(material)
    assert glosses.words == ("cargo",)


def test_glosses_alone_and_both_orders(wordnet: str, material: Material) -> None:
    glosses = ChenSenses(wordnet, train=False).induce(material)
    assert glosses.space is material.vectors
    trained = [
        ChenSenses(wordnet, order=order).induce(material)
        for order in ("simple-first", "left-to-right")
    ]
    for senses in (glosses, *trained):
        assert (measure(senses, "crane", MACHINES).argmin(axis=1) == 1).mean() > 0.9
    assert trained[0].space is not material.vectors


def test_no_more_senses_than_asked_for(wordnet: str, material: Material) -> None:
    assert ChenSenses(wordnet, max_senses=2, train=False).induce(material).n_senses("crane") == 2


def test_lexemes_are_the_sense_vectors_of_autoextend(wordnet: str, material: Material) -> None:
    senses = AutoExtendSenses(wordnet).induce(material)
    total = senses.sense_vectors("crane").sum(axis=0)
    own = material.vectors["crane"]
    cosine = total @ own / np.linalg.norm(total) / np.linalg.norm(own)
    assert cosine > 0.95  # a word is the sum of its lexemes


@pytest.mark.parametrize(
    ("inducer", "message"),
    [
        (ChenSenses(window=0), "window must be a whole number, 1 or more; got 0"),
        (ChenSenses(order="last"), "order must be simple-first or left-to-right, got 'last'"),
        (ChenSenses(margin=float("nan")), "margin must be from -2 to 2, got nan"),
        (AutoExtendSenses(window=0), "window must be a whole number, 1 or more; got 0"),
        (AutoExtendSenses(smoothing=0.0), "smoothing must be above 0, or None; got 0.0"),
    ],
)
def test_bad_parameters_are_explained(material: Material, inducer, message: str) -> None:
    with pytest.raises(InputError, match=message):
        inducer.induce(material)
