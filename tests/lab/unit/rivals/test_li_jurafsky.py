from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.errors import InputError
from grassmeans_lab.rivals import multisense
from grassmeans_lab.rivals.interface import Material
from grassmeans_lab.rivals.li_jurafsky import RestaurantSenses

BIRDS = ["nest", "wing", "feather", "reed", "flock", "beak", "egg", "marsh"]
MACHINES = ["steel", "hook", "cable", "dock", "cargo", "boom", "load", "winch"]
SMALL = {"dim": 16, "epochs": 20, "learning_rate": 0.05, "sample": 0, "window": 3}


@pytest.fixture(scope="module")
def material(tmp_path_factory) -> Material:
    """One document of four with ``crane`` is about birds; ``lorry`` stands among machines."""
    rng = np.random.default_rng(0)
    texts = []
    for number in range(800):
        words = list(rng.choice(BIRDS if number % 4 == 0 else MACHINES, size=9))
        words[4] = "lorry" if number % 4 == 1 else "crane"
        texts.append(" ".join(words))
    corpus = Corpus.from_texts(texts, tmp_path_factory.mktemp("restaurant") / "corpus")
    words = list(corpus.vocabulary.words)
    vectors = WordVectors(words, np.ones((len(words), 4)))
    return Material(corpus, vectors, ("crane", "lorry", "missing"))


def contexts_of(material: Material, words: list[str]) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.stack([material.vectors.ids_of(rng.choice(words, size=6)) for _ in range(40)])


def test_an_ambiguous_word_opens_a_second_sense(material) -> None:
    senses = RestaurantSenses(words=["crane", "lorry"], **SMALL).induce(material)
    assert senses.words == ("crane", "lorry")
    assert senses.n_senses("crane") >= 2
    answers = {
        name: senses.measure("crane", contexts_of(material, words)).argmin(axis=1)
        for name, words in (("birds", BIRDS), ("machines", MACHINES))
    }
    assert (answers["machines"] == 0).mean() > 0.9
    assert (answers["birds"] == 1).mean() > 0.9


def test_a_larger_concentration_opens_more_senses(material) -> None:
    counts = [
        RestaurantSenses(
            concentration=c, sharpness=1.0, min_share=0.0, words=["crane"], **SMALL | {"epochs": 4}
        )
        .induce(material)
        .n_senses("crane")
        for c in (1e-6, 1.0, 1e6)
    ]
    assert counts[0] == 1
    assert counts[2] == 10  # no more than max_senses
    assert counts[0] < counts[1] <= counts[2]


def test_sizes_are_part_of_the_answer(material) -> None:
    senses = RestaurantSenses(sharpness=5.0, words=["crane"], **SMALL).induce(material)
    contexts = contexts_of(material, MACHINES)[:3]
    rows = slice(*senses.trained.first_row[material.vectors.id_of("crane") :][:2])
    centres, sizes = senses.trained.centres[rows], senses.trained.sizes[rows]
    means = senses.trained.global_vectors[contexts].mean(axis=1)
    cosines = (means @ centres.T) / np.outer(
        np.linalg.norm(means, axis=1), np.linalg.norm(centres, axis=1)
    )
    expected = (1 - cosines) / 2 + np.log(sizes.max() / sizes) / 10
    np.testing.assert_allclose(
        senses.measure("crane", contexts), np.minimum(expected, 1), atol=1e-5
    )


def test_small_senses_are_left_out_in_the_end_only(material, tmp_path: Path, monkeypatch) -> None:
    settings = {"concentration": 1.0, "sharpness": 1.0, "words": ["crane"], **SMALL | {"epochs": 4}}
    kept = replace(material, folder=tmp_path / "senses")
    every = RestaurantSenses(min_share=0.0, **settings).induce(kept)
    monkeypatch.setattr(multisense, "train_senses", None)  # trained already
    large = RestaurantSenses(min_share=0.2, **settings).induce(kept)
    row = material.vectors.id_of("crane")
    sizes = every.trained.sizes[slice(*every.trained.first_row[row : row + 2])]
    expected = sizes[sizes >= 0.2 * sizes.sum()]
    assert 1 <= len(expected) < len(sizes)
    assert large.n_senses("crane") == len(expected)
    np.testing.assert_array_equal(
        large.sense_vectors("crane"), every.sense_vectors("crane")[: len(expected)]
    )
    assert large.n_senses("lorry") == 1
    with pytest.raises(InputError, match=r"min_share must be at least 0 and below 1, got 1\.0"):
        RestaurantSenses(min_share=1.0).induce(material)


def test_the_folder_tells_how_many_senses_words_have(material, tmp_path: Path) -> None:
    inducer = RestaurantSenses(max_senses=3, min_share=0.0, **SMALL | {"epochs": 2})
    first = inducer.induce(replace(material, folder=tmp_path / "senses"))
    report = json.loads((tmp_path / "senses" / "manifest.json").read_text())["words_by_senses"]
    n_senses = np.diff(first.trained.first_row)
    assert report == {
        str(number): int((n_senses == number).sum())
        for number in (1, 2, 3)
        if (n_senses == number).any()
    }
    again = inducer.induce(replace(material, folder=tmp_path / "senses"))
    np.testing.assert_array_equal(again.trained.sizes, first.trained.sizes)


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["concentration", "sharpness"])
def test_bad_parameters_are_explained(material, name: str, value: float) -> None:
    with pytest.raises(InputError, match=f"{name} must be a number above 0, got {value}"):
        RestaurantSenses(**{name: value}).induce(material)
