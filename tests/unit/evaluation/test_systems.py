from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.evaluation.systems import ModelSenses, ModelSystem, VectorSystem
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.tagging.tagging import occurrences_in_passages


class ParityEncoder(ContextEncoder):
    """A kind of context that reads no window: where an occurrence stands is all that counts."""

    kind = "parity"

    def encode(self, occurrences):
        bases = np.zeros((len(occurrences), 1, self.vectors.dim), np.float32)
        bases[np.arange(len(occurrences)), 0, occurrences.positions % 2] = 1.0
        return bases

    def weigh_words(self, occurrences, directions):
        raise NotImplementedError

    def identity(self):
        return None


def test_distances_are_those_of_the_model(small_model) -> None:
    senses = ModelSystem(small_model).find_senses(["crane"])
    texts = [("nest", ""), ("", "mix"), ("unseen", "")]
    found = senses.distances(
        "crane", occurrences_in_passages("crane", texts, small_model.tokenizer)
    )
    np.testing.assert_allclose(found[:2], [[0, 1], [0.8, 0.6]], atol=1e-6)
    assert np.isnan(found[2]).all()
    np.testing.assert_array_equal(found, small_model.distances("crane", texts))
    with pytest.raises(UnknownWordError, match="'seal' has no senses"):
        senses.distances("seal", occurrences_in_passages("seal", texts, small_model.tokenizer))


def test_any_kind_of_context_will_do(small_model) -> None:
    encoder = ParityEncoder(
        small_model.vectors, small_model.encoder.shape, small_model.encoder.function_words
    )
    senses = ModelSenses(encoder, small_model.inventory)
    # crane stands at 0 of its text, then at 1 + 1 = 2, and at 3 + 2 = 5.
    passages = [("", "x"), ("", ""), ("x x", "")]
    found = occurrences_in_passages("crane", passages, small_model.tokenizer)
    assert found.positions.tolist() == [0, 2, 5]
    np.testing.assert_allclose(senses.distances("crane", found), [[0, 1], [0, 1], [1, 0]])


def test_other_number_of_senses_is_induced_anew(small_model, tmp_path) -> None:
    texts = ["nest crane nest", "beam crane beam"] * 3
    corpus = Corpus.from_texts(texts, tmp_path / "corpus")
    fewer = ModelSystem(small_model, n_senses=1, corpus=corpus).find_senses(["Crane", "absent"])
    assert fewer.inventory.sense_counts == {"crane": 1}
    assert fewer.n_induced == 1
    kept = ModelSystem(small_model, n_senses=2, corpus=corpus).find_senses(["crane"])
    assert kept.inventory.sense_counts == {"crane": 2}
    assert kept.n_induced == 0
    assert ModelSystem(small_model, n_senses=3).find_senses(["crane"]).words == ()
    with pytest.raises(InputError, match=r"n_senses must be .*1 to"):
        ModelSystem(small_model, n_senses=0)


def test_record_of_a_model(small_model) -> None:
    system = ModelSystem(small_model, name="mine", random_state=4)
    assert system.parameters["method"] == "mine"
    assert (system.parameters["kind"], system.parameters["rank"]) == ("subspaces", 1)
    assert (system.parameters["n_senses"], system.parameters["random_state"]) == (2, 4)
    assert system.digests == {"model": small_model.digest}
    lexemes = LexemeVectors(WordVectors(["crane.1"], np.ones((1, 2), np.float32)))
    assert ModelSystem(small_model, lexemes).digests.keys() == {"model", "lexemes"}


def test_threshold_of_the_model_is_the_default(small_model) -> None:
    small_model.manifest["idk_threshold"] = 0.3
    assert ModelSystem(small_model).choose_threshold("model") == 0.3
    assert ModelSystem(small_model).choose_threshold(None) is None
    # Other systems have none of their own.
    vectors = VectorSystem(small_model.vectors)
    assert (vectors.choose_threshold("model"), vectors.choose_threshold(0.5)) == (None, 0.5)


def test_vectors_alone_have_no_senses(small_model) -> None:
    system = VectorSystem(small_model.vectors)
    senses = system.find_senses(["crane"])
    assert senses.words == ()
    with pytest.raises(UnknownWordError, match="'crane' has no senses"):
        senses.n_senses("crane")
    with pytest.raises(InputError, match="vectors does not work on given contexts"):
        system.induce_on_test("crane", occurrences_in_passages("crane", [], system.tokenizer))
