"""One suite for every method of sense induction, on a corpus whose senses are known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from joblib import parallel_config
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from grassmeans import Corpus, SkipGram, WordVectors
from grassmeans.corpus.occurrences import Occurrences, number_words
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.evaluation.systems import Senses
from grassmeans_lab.evaluation.sense_vectors import find_sense_vectors, find_space
from grassmeans_lab.rivals.interface import (
    ContextInducer,
    Material,
    RivalInducer,
    WindowSenses,
)
from grassmeans_lab.rivals.registry import METHODS, make_inducer
from synthetic import FUNCTION_WORDS, POLYSEMOUS
from wordnet_files import Entry, write_wordnet

RARE, ABSENT = "hapax", "nowhere"


@dataclass(frozen=True)
class Case:
    """How a method is tried.

    Attributes
    ----------
    text : str
        Its name and parameters, small enough for a small corpus.
    ari : float or None
        It finds the two senses of each ambiguous word at least as well as this, on the average;
        None where it does not try.
    takes_rare : bool
        Whether it also gives senses to a word that occurs once.
    by_size : bool
        Whether it knows the sizes of its senses.
    """

    text: str
    ari: float | None = None
    takes_rare: bool = False
    by_size: bool = False


CASES = {
    "one": Case("one", takes_rare=True),
    "per-instance": Case("per-instance", takes_rare=True),
    "random": Case("random", takes_rare=True),
    "kmeans": Case("kmeans", ari=0.9, by_size=True),
    "kmeans-idf": Case("kmeans-idf", ari=0.9, by_size=True),
    "grassmeans": Case("grassmeans", ari=0.9, by_size=True),
    "grassmeans-singular": Case("grassmeans-singular", ari=0.9, by_size=True),
    "reisinger-mooney": Case("reisinger-mooney:n_senses=2", ari=0.9, by_size=True),
    "huang": Case("huang:n_senses=2:epochs=2:min_count=2", ari=0.9, by_size=True),
    "mssg": Case("mssg:n_senses=2:dim=16:epochs=8:n_multi=20", ari=0.9, by_size=True),
    "np-mssg": Case("np-mssg:max_senses=4:dim=16:epochs=8:n_multi=20"),
    "li-jurafsky": Case("li-jurafsky:max_senses=4:dim=16:epochs=8:n_multi=20"),
    "atoms": Case("atoms:n_atoms=8:sparsity=2:n_iterations=10:max_share=1.0", ari=0.9),
    "chen": Case("chen:min_count=2:epochs=2", ari=0.9),
    "autoextend": Case("autoextend", ari=0.9),
    "skipgram": Case("skipgram"),
}


def make(name: str) -> RivalInducer:
    try:
        return make_inducer(CASES[name].text, 2)
    except ModuleNotFoundError as error:
        pytest.skip(f"{name} is not there: {error}")


@pytest.fixture(scope="module", autouse=True)
def wordnet(tmp_path_factory, synthetic) -> Iterator[None]:
    """WordNet where NLTK keeps it: a synset a topic, with some of its words in synset and gloss."""
    folder = tmp_path_factory.mktemp("nltk_data")
    entries = {
        f"{word}.{topic}": Entry(
            "n",
            5,
            (word, *synthetic.topic_words[topic][:3]),
            " ".join(synthetic.topic_words[topic][3:9]),
        )
        for word, topics in POLYSEMOUS.items()
        for topic in topics
    }
    write_wordnet(folder / "corpora" / "wordnet", entries)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NLTK_DATA", str(folder))
        yield


@pytest.fixture(scope="module")
def material(tmp_path_factory, synthetic) -> Material:
    folder = tmp_path_factory.mktemp("contract")
    corpus = Corpus.from_texts([*synthetic.documents, f"{RARE} birdba birdbe."], folder / "corpus")
    SkipGram(dim=24, window=5, min_count=2, epochs=12, workers=1).fit(corpus).vectors_.save(
        folder / "vectors"
    )
    words = (*POLYSEMOUS, RARE, ABSENT)
    return Material(corpus, WordVectors.load(folder / "vectors"), words)


@pytest.fixture(scope="module", params=list(METHODS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def senses(name: str, material: Material) -> Senses:
    return make(name).induce(material)


def occurrences_of(word: str, material: Material) -> Occurrences:
    """All occurrences of a word, in reading order."""
    ((_, occurrences),) = material.corpus.occurrences(material.corpus.positions(word))
    return occurrences


def measure(senses: Senses, material: Material, word: str = "crane") -> NDArray[np.float32]:
    return senses.distances(word, occurrences_of(word, material))


def test_registry_and_suite_know_the_same_methods() -> None:
    assert list(CASES) == list(METHODS)


def test_words_that_have_senses(name: str, senses: Senses) -> None:
    expected = {*POLYSEMOUS, RARE} if CASES[name].takes_rare else set(POLYSEMOUS)
    assert set(senses.words) == expected
    assert all(word in senses for word in expected)
    assert ABSENT not in senses


def test_shape_and_range_of_distances(name: str, senses: Senses, material: Material) -> None:
    for word in POLYSEMOUS:
        contexts = occurrences_of(word, material)
        found = senses.distances(word, contexts)
        n_columns = len(contexts) if name == "per-instance" else senses.n_senses(word)
        assert senses.n_senses(word) >= 1
        assert found.dtype == np.float32
        assert found.shape == (len(contexts), n_columns)
        assert ((found >= 0) & (found <= 1)).all()


def test_context_without_words(name: str, senses: Senses, material: Material) -> None:
    known = ["birdba", "birdbe", "birdbi", "birdbo"]
    texts = [["crane", *known], ["unseen", "crane", "unheard"], [*known, "crane"]]
    places = np.array([0, 6, 12])
    contexts = replace(number_words(texts), positions=places)
    assert [texts[0][0], texts[1][1], texts[2][4]] == ["crane"] * 3
    found = senses.distances("crane", contexts)
    assert np.isnan(found[1]).all() == senses.uses_contexts
    assert not np.isnan(found[[0, 2]]).any()
    no_contexts = senses.distances("crane", contexts[:0])
    assert no_contexts.shape == (0, 0 if name == "per-instance" else senses.n_senses("crane"))


def test_unknown_word_is_refused(senses: Senses, material: Material) -> None:
    contexts = occurrences_of("crane", material)
    for ask in (
        lambda: senses.n_senses(ABSENT),
        lambda: senses.distances(ABSENT, contexts),
        lambda: find_sense_vectors(senses, ABSENT),
    ):
        with pytest.raises(UnknownWordError, match="'nowhere'"):
            ask()


def test_sense_vectors_belong_to_the_senses_and_the_space(senses: Senses) -> None:
    vectors, space = find_sense_vectors(senses, "crane"), find_space(senses)
    if vectors is None:
        assert space is None
        return
    assert space is not None
    assert vectors.dtype == np.float32
    assert vectors.shape == (senses.n_senses("crane"), space.dim)
    assert np.isfinite(vectors).all()
    assert "birdba" in space


def test_order_of_context_words_and_padding_do_not_matter(
    senses: Senses, material: Material
) -> None:
    if not isinstance(senses, WindowSenses):
        pytest.skip("it does not look at windows of words")
    contexts = senses.windows.read(occurrences_of("crane", material)[:20])
    mixed = np.random.default_rng(0).permuted(contexts, axis=1)
    # Near 0 the root in a distance makes a rounding error of a sum a thousand times larger.
    np.testing.assert_allclose(
        senses.measure("crane", mixed), senses.measure("crane", contexts), atol=2e-4
    )


def test_contexts_are_answered_one_by_one(name: str, senses: Senses, material: Material) -> None:
    if name == "per-instance":
        pytest.skip("its senses are those of the contexts that are asked together")
    contexts = occurrences_of("crane", material)[:5]
    single = [senses.distances("crane", contexts[i : i + 1])[0] for i in range(5)]
    np.testing.assert_allclose(single, senses.distances("crane", contexts), atol=1e-6)


def test_same_material_gives_the_same_senses(name: str, senses: Senses, material: Material) -> None:
    again = make(name).induce(material)
    np.testing.assert_array_equal(measure(again, material), measure(senses, material))
    first, second = find_sense_vectors(senses, "crane"), find_sense_vectors(again, "crane")
    assert first is second is None or np.array_equal(first, second)


def test_number_of_workers_does_not_matter(
    name: str, senses: Senses, material: Material, synthetic
) -> None:
    if not isinstance(make(name), ContextInducer):
        pytest.skip("its training is repeatable with one worker only, or never goes in parallel")
    # More words than one batch, so that there is something to share out.
    more = [word for topic in synthetic.topic_words for word in topic[:3]]
    with parallel_config("threading"):
        found = make(name).induce(replace(material, workers=2, words=(*more, *material.words)))
    np.testing.assert_allclose(measure(found, material), measure(senses, material), atol=1e-6)


def test_company_of_words_does_not_matter(name: str, senses: Senses, material: Material) -> None:
    alone = make(name).induce(replace(material, words=("crane",)))
    assert alone.words == ("crane",)
    np.testing.assert_allclose(measure(alone, material), measure(senses, material), atol=1e-6)


def test_planted_senses_are_found(name: str, senses: Senses, material: Material, synthetic) -> None:
    bound = CASES[name].ari
    if bound is None:
        pytest.skip("it does not look for two senses")
    found = [
        adjusted_rand_score(
            [topic for _, topic in synthetic.gold[word]],
            measure(senses, material, word).argmin(axis=1),
        )
        for word in POLYSEMOUS
    ]
    assert np.mean(found) >= bound


def test_largest_sense_comes_first(name: str, senses: Senses, material: Material) -> None:
    if not CASES[name].by_size:
        pytest.skip("it does not know the sizes of its senses")
    for word in POLYSEMOUS:
        sizes = np.bincount(measure(senses, material, word).argmin(axis=1))
        assert (np.diff(sizes) <= 0).all()


def test_parameters_are_plain_values(name: str) -> None:
    parameters = make(name).parameters()
    assert json.loads(json.dumps(parameters)) == parameters


@pytest.mark.parametrize("method", [name for name in METHODS if METHODS[name].varies_senses])
def test_number_of_senses_is_checked(method: str, material: Material) -> None:
    with pytest.raises(InputError, match=r"n_senses must be .*1 (or more|to)"):
        make_inducer(method, 0).induce(material)


def test_given_contexts_are_enough(name: str, material: Material, synthetic) -> None:
    inducer = make(name)
    if not isinstance(inducer, ContextInducer):
        pytest.skip("it learns from a corpus only")
    contexts = occurrences_of("crane", material)
    found = inducer.induce_from("crane", contexts, material)
    assert found is not None
    assert found.words == ("crane",)
    again = inducer.induce_from("crane", contexts, material)
    assert again is not None
    answers = found.distances("crane", contexts)
    np.testing.assert_array_equal(again.distances("crane", contexts), answers)
    if CASES[name].ari is not None:
        gold = [topic for _, topic in synthetic.gold["crane"]]
        assert adjusted_rand_score(gold, answers.argmin(axis=1)) >= 0.9
    nothing = inducer.induce_from("crane", contexts[:0], material)
    assert nothing is None or nothing.n_senses("crane") == 1


def test_function_words_are_in_the_windows_where_they_are_kept(
    senses: Senses, material: Material
) -> None:
    if not isinstance(senses, WindowSenses):
        pytest.skip("it does not look at windows of words")
    rows = set(material.vectors.ids_of(FUNCTION_WORDS).tolist())
    contexts = senses.windows.read(occurrences_of("crane", material))
    assert bool(rows & set(contexts.ravel().tolist())) != bool(senses.windows.left_out)
