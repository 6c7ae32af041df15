from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.artifacts.writing import building_place
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.vectors import training
from grassmeans_lab.rivals import multisense
from grassmeans_lab.rivals.interface import Material
from grassmeans_lab.rivals.mssg import MSSG, NPMSSG
from grassmeans_lab.rivals.multisense_training import MultiSenseTrainer

BIRDS = ["nest", "wing", "feather", "reed", "flock", "beak", "egg", "marsh"]
MACHINES = ["steel", "hook", "cable", "dock", "cargo", "boom", "load", "winch"]
SMALL = {"dim": 16, "epochs": 20, "learning_rate": 0.05, "sample": 0, "window": 3}


@pytest.fixture(scope="module")
def material(tmp_path_factory) -> Material:
    """``crane`` stands among birds and among machines, ``heron`` and ``lorry`` among one of them.

    Three documents of four with ``crane`` are about machines.
    """
    rng = np.random.default_rng(0)
    texts = []
    for number in range(800):
        about_birds = number % 4 == 0
        words = list(rng.choice(BIRDS if about_birds else MACHINES, size=9))
        words[4] = "crane" if number % 2 == 0 else ("lorry" if number % 4 == 1 else "crane")
        if number % 8 == 0:
            words[4] = "heron"
        texts.append(" ".join(words))
    texts.append("crane")
    corpus = Corpus.from_texts(texts, tmp_path_factory.mktemp("mssg") / "corpus")
    words = [*corpus.vocabulary.words, "unseen"]
    vectors = WordVectors(words, np.ones((len(words), 4)))
    return Material(corpus, vectors, ("crane", "heron", "lorry", "missing"))


def contexts_of(material: Material, words: list[str], n: int = 40) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.stack([material.vectors.ids_of(rng.choice(words, size=6)) for _ in range(n)])


def sizes_of(senses, material: Material, word: str) -> np.ndarray:
    row = material.vectors.id_of(word)
    first, last = senses.trained.first_row[row : row + 2]
    return senses.trained.sizes[first:last]


def nearest(senses, word: str, contexts: np.ndarray) -> np.ndarray:
    return senses.measure(word, contexts).argmin(axis=1)


def test_planted_senses_are_found_the_larger_first(material) -> None:
    senses = MSSG(n_senses=2, **SMALL).induce(material)
    assert senses.words == ("crane", "heron", "lorry")
    assert senses.n_senses("crane") == 2
    assert (nearest(senses, "crane", contexts_of(material, MACHINES)) == 0).mean() > 0.9
    assert (nearest(senses, "crane", contexts_of(material, BIRDS)) == 1).mean() > 0.9
    sizes = sizes_of(senses, material, "crane")
    assert sizes[0] > sizes[1] > 0
    # Each of the 500 occurrences in company counts, in every epoch but the first two: these come
    # before senses are chosen. The one that stands alone has no context.
    assert sizes.sum() == 500 * (SMALL["epochs"] - 2)


def test_sense_vectors_lie_near_words_of_the_same_topic(material) -> None:
    senses = MSSG(n_senses=2, words=["crane"], **SMALL).induce(material)
    machine, bird = senses.sense_vectors("crane")
    space = senses.space
    assert space.similarity(bird, "heron") > space.similarity(machine, "heron")
    assert space.similarity(machine, "lorry") > space.similarity(bird, "lorry")
    weights = sizes_of(senses, material, "crane")[:, None]
    expected = (weights * senses.sense_vectors("crane")).sum(axis=0) / weights.sum()
    np.testing.assert_allclose(space["crane"], expected, rtol=1e-4)
    # A mean of one, in which the last digit may be rounded.
    np.testing.assert_allclose(space["heron"], senses.sense_vectors("heron")[0], rtol=1e-6)


def test_words_beyond_the_multi_sense_ones_have_one_sense(material) -> None:
    n_above = material.corpus.vocabulary.id_of("lorry")
    senses = MSSG(n_multi=n_above, **SMALL | {"epochs": 2}).induce(material)
    assert [senses.n_senses(word) for word in ("crane", "heron", "lorry")] == [3, 1, 1]
    distances = senses.measure("heron", contexts_of(material, BIRDS, 3))
    np.testing.assert_array_equal(distances, np.zeros((3, 1), np.float32))
    assert senses.sense_vectors("heron").shape == (1, 16)


def test_rare_words_have_as_many_senses_as_contexts(material) -> None:
    asked = replace(material, words=("unseen",))
    senses = MSSG(**SMALL | {"epochs": 2}).induce(asked)
    assert senses.n_senses("unseen") == 1
    assert sizes_of(senses, material, "unseen").tolist() == [0]


def test_np_mssg_opens_more_senses_for_the_ambiguous_word(material) -> None:
    # Contexts of one topic have cosines above 0.9, those of the two topics below 0.2.
    senses = NPMSSG(max_senses=5, new_sense_below=0.5, **SMALL).induce(material)
    assert senses.n_senses("crane") == 2
    assert senses.n_senses("heron") == senses.n_senses("lorry") == 1
    assert (nearest(senses, "crane", contexts_of(material, BIRDS)) == 1).mean() > 0.9


def test_no_sense_is_opened_below_an_unreachable_cosine(material) -> None:
    senses = NPMSSG(new_sense_below=-1.0, **SMALL | {"epochs": 2}).induce(material)
    assert senses.n_senses("crane") == 1
    contexts = contexts_of(material, BIRDS, 2)
    centre = senses.trained.centres[senses.trained.first_row[material.vectors.id_of("crane")]]
    mean = senses.trained.global_vectors[contexts].mean(axis=1)
    cosines = mean @ centre / np.linalg.norm(mean, axis=1) / np.linalg.norm(centre)
    np.testing.assert_allclose(
        senses.measure("crane", contexts)[:, 0], (1 - cosines) / 2, atol=1e-5
    )


def test_contexts_without_words_have_no_distance(material) -> None:
    senses = MSSG(words=["crane"], **SMALL | {"epochs": 2}).induce(material)
    contexts = contexts_of(material, BIRDS, 2)
    contexts[1] = -1
    for word in ("crane", "heron"):
        distances = senses.measure(word, contexts)
        assert np.isfinite(distances[0]).all()
        assert np.isnan(distances[1]).all()
    assert senses.measure("crane", contexts[:0]).shape == (0, 3)


def test_rule_and_unknown_words(material) -> None:
    senses = MSSG(**SMALL | {"epochs": 2}).induce(material)
    assert senses.windows.shape.window == 3
    assert not senses.windows.left_out
    with pytest.raises(UnknownWordError, match="'missing' has no senses"):
        senses.n_senses("missing")


@pytest.mark.parametrize("inducer", [MSSG(**SMALL), NPMSSG(new_sense_below=0.3, **SMALL)])
def test_one_worker_repeats_exactly_and_folders_are_opened_again(
    inducer, material, tmp_path: Path, monkeypatch
) -> None:
    first = inducer.induce(material)
    stored = inducer.induce(replace(material, folder=tmp_path / "senses"))
    monkeypatch.setattr(multisense, "train_senses", None)  # trained already
    opened = inducer.induce(replace(material, folder=tmp_path / "senses", words=("hook",)))
    for other in (stored, opened):
        for name in ("global_vectors", "senses", "centres", "sizes", "first_row"):
            np.testing.assert_array_equal(
                getattr(first.trained, name), getattr(other.trained, name)
            )
    assert opened.words == ("hook",)


def test_another_random_state_gives_other_vectors(material) -> None:
    inducer = MSSG(**SMALL | {"epochs": 2})
    first, second = (inducer.induce(replace(material, random_state=state)) for state in (0, 1))
    assert not np.array_equal(first.trained.senses, second.trained.senses)


def test_folder_of_another_training_is_refused(material, tmp_path: Path) -> None:
    kept = replace(material, folder=tmp_path / "senses")
    MSSG(**SMALL | {"epochs": 2}).induce(kept)
    with pytest.raises(InputError, match="holds multi-sense vectors made with another n_senses"):
        MSSG(n_senses=2, **SMALL | {"epochs": 2}).induce(kept)
    with pytest.raises(InputError, match="made with another random_state"):
        MSSG(**SMALL | {"epochs": 2}).induce(replace(kept, random_state=1))


def test_an_interrupted_training_goes_on_to_the_same_senses(
    material, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(training, "CHUNK_TOKENS", 1_000)
    inducer = MSSG(**SMALL | {"epochs": 2})
    whole = inducer.induce(material).trained
    original = MultiSenseTrainer._train
    calls = 0

    def stop_in_the_second_epoch(self, chunk):
        nonlocal calls
        calls += 1
        if calls > 10:
            raise KeyboardInterrupt
        original(self, chunk)

    kept = replace(material, folder=tmp_path / "senses")
    with monkeypatch.context() as patch:
        patch.setattr(MultiSenseTrainer, "_train", stop_in_the_second_epoch)
        with pytest.raises(KeyboardInterrupt):
            inducer.induce(kept)
    work = building_place(tmp_path / "senses")
    assert (work / "scratch" / "checkpoint.json").exists()
    resumed = inducer.induce(kept).trained
    for name in ("global_vectors", "senses", "centres", "sizes", "first_row"):
        np.testing.assert_array_equal(getattr(resumed, name), getattr(whole, name))
    assert not work.exists()


def test_rows_of_the_vectors_need_not_be_those_of_the_corpus(material) -> None:
    order = np.random.default_rng(3).permutation(len(material.vectors))
    words = [material.vectors.words[i] for i in order]
    shuffled = replace(material, vectors=WordVectors(words, np.ones((len(words), 4))))
    senses = MSSG(n_senses=2, **SMALL).induce(shuffled)
    assert senses.n_senses("crane") == 2
    assert (nearest(senses, "crane", contexts_of(shuffled, MACHINES)) == 0).mean() > 0.9
    assert (nearest(senses, "crane", contexts_of(shuffled, BIRDS)) == 1).mean() > 0.9


@pytest.mark.parametrize(
    ("inducer", "message"),
    [
        (MSSG(n_senses=0), "n_senses must be a whole number, 1 or more; got 0"),
        (NPMSSG(max_senses=2.5), "max_senses must be a whole number, 1 or more; got 2.5"),
        (MSSG(epochs=0), "epochs must be a whole number from 1 to 10,000; got 0"),
        (MSSG(sample=1.0), r"sample must lie in \[0, 1\), got 1.0"),
        (MSSG(learning_rate=0.0), "learning_rate must be positive and finite, got 0.0"),
        (NPMSSG(new_sense_below=float("nan")), "new_sense_below must be a number, got NaN"),
    ],
)
def test_bad_parameters_are_explained(material, inducer, message: str) -> None:
    with pytest.raises(InputError, match=message):
        inducer.induce(material)


def test_parameters_are_those_of_the_constructor() -> None:
    assert MSSG(words=iter(["crane"]), n_multi=7).parameters() == {
        "n_senses": 3,
        "n_multi": 7,
        "words": ("crane",),
        "window": 5,
        "dim": 300,
        "negative": 5,
        "epochs": 5,
        "learning_rate": 0.025,
        "sample": 1e-3,
    }
    assert NPMSSG().parameters()["max_senses"] == 10
