from __future__ import annotations

import numpy as np
import pytest
from grassmeans_lab.substitutes import N_SUBSTITUTES, SubstituteEncoder

from grassmeans import load
from grassmeans.contexts import open_contexts
from grassmeans.corpus.occurrences import number_words
from grassmeans.errors import InputError
from grassmeans.models.places import models_folder, resolve_name

WORDS = ["the", "crane", "lifted", "the", "steel", "beams", "of", "the", "tower"]


@pytest.fixture(scope="module")
def encoder() -> SubstituteEncoder:
    found = open_contexts(resolve_name("substitutes:en"))
    assert isinstance(found, SubstituteEncoder)
    return found


def test_bases_are_spanned_by_the_words_that_fit_best(encoder) -> None:
    text = number_words([WORDS]).at(np.array([1]))
    (basis,) = encoder.encode(text)
    products = basis @ basis.T
    np.testing.assert_allclose(products, np.diag(np.diag(products)), atol=1e-5)
    assert products[0, 0] == pytest.approx(1.0, abs=1e-5)
    line = encoder.base.encode(text)[:, 0]
    fits, chosen = encoder._propose(line, np.array([-1]))
    assert chosen.shape == (1, N_SUBSTITUTES)
    assert (np.diff(fits) <= 0).all()
    words = encoder.vectors.vectors[:20_000]
    units = words / np.linalg.norm(words, axis=1, keepdims=True)
    assert chosen[0, 0] == int((units @ line[0]).argmax())
    # The first axis is the one along which the words lie, each weighted by how well it fits.
    own = int(encoder.vectors.ids_of(["crane"])[0])
    fits, chosen = encoder._propose(line, np.array([own]))
    weighted = units[chosen[0]] * np.exp(10.0 * (fits[0] - fits[0, 0]))[:, None]
    leading = np.linalg.eigh(weighted.T @ weighted)[1][:, -1]
    assert abs(leading @ basis[0]) == pytest.approx(1.0, abs=1e-3)


def test_a_word_does_not_stand_for_itself(encoder) -> None:
    line = encoder.base.encode(number_words([WORDS]).at(np.array([1])))[:, 0]
    first = int(encoder._propose(line, np.array([-1]))[1][0, 0])
    assert first not in encoder._propose(line, np.array([first]))[1][0]


def test_contexts_that_say_nothing_stay_zero(encoder) -> None:
    alone = number_words([["crane"]])
    assert not encoder.encode(alone).any()


def test_a_model_of_substitutes(encoder, topic_corpus, tmp_path) -> None:
    from grassmeans import build_model

    model = build_model(
        topic_corpus.path,
        "substitutes:en",
        tmp_path / "model",
        "crane",
        n_senses=2,
        max_contexts=60,
        calibrated=False,
        workers=1,
        show_progress=False,
    )
    assert model.encoder.kind == "substitutes"
    assert len(load(tmp_path / "model").tag("The crane flew over the river.")[0].distances) == 2


def test_other_contexts_propose_no_words(topic_model_folder) -> None:
    with pytest.raises(InputError, match="learned encoder"):
        open_contexts(f"substitutes:{topic_model_folder}")
    assert str(resolve_name("substitutes:en")) == f"substitutes:{models_folder() / 'en'}"
