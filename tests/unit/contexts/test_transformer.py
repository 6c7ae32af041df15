from __future__ import annotations

import pickle
import shutil

import numpy as np
import pytest

import grassmeans
from grassmeans import Corpus, SenseModel, load
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts import find_kind, list_kinds, open_contexts
from grassmeans.contexts.pretrained.fitting import Pretrained, TransformerSettings
from grassmeans.contexts.pretrained.network import Network, WordsInText
from grassmeans.contexts.transformer import TransformerEncoder
from grassmeans.corpus.occurrences import number_words, write_tokens
from grassmeans.errors import InputError
from grassmeans.models.building import build_model
from grassmeans.senses import pseudowords
from grassmeans.senses.induction import induce
from grassmeans.senses.samples import encode_words
from grassmeans.tagging.tagging import occurrences_in_passages
from grassmeans.text.tokenizer import Tokenizer

TEXTS = [
    "The crane flew over the river; a bird.",
    "A Steel CRANE lifted the money of the bank!",
    "Über dem Fluß: the Crane, “bird” of the river.",
] * 3


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Corpus:
    return Corpus.from_texts(TEXTS, tmp_path_factory.mktemp("texts") / "corpus")


@pytest.fixture(scope="module")
def encoder(corpus, transformer_folder) -> TransformerEncoder:
    return Pretrained(str(transformer_folder)).fit(corpus, "cpu", False, layers="2-3")


def test_it_is_a_kind_of_context() -> None:
    assert "transformer" in list_kinds()
    assert find_kind("transformer") is TransformerEncoder
    assert open_contexts("transformer:some/name") == Pretrained("some/name")


def test_lines_are_the_networks_vectors_of_the_original_text(encoder, corpus) -> None:
    positions = corpus.positions("crane")[:3]
    texts = [WordsInText(text, ((text.lower().index("crane"),) * 2,)) for text in TEXTS[:3]]
    texts = [WordsInText(t.text, ((t.spans[0][0], t.spans[0][0] + 5),)) for t in texts]
    expected = encoder.projection.project(encoder.network.embed(texts))
    np.testing.assert_allclose(encoder.encode_at(corpus, positions)[:, 0], expected, atol=2e-3)


def test_corpora_and_passages_give_the_same_lines(encoder, corpus) -> None:
    in_corpus = encoder.encode_at(corpus, corpus.positions("crane")[:3])
    passages = [
        ("The ", " flew over the river; a bird."),
        ("A Steel ", " lifted the money of the bank!"),
        ("Über dem Fluß: the ", ", “bird” of the river."),
    ]
    forms = ["crane", "CRANE", "Crane"]
    read = occurrences_in_passages("crane", passages, Tokenizer(), forms=forms)
    np.testing.assert_allclose(encoder.encode(read), in_corpus, atol=2e-3)


def test_words_encoded_together_are_as_if_alone(encoder, corpus) -> None:
    settings = InductionSettings(max_contexts=2)
    together = encode_words(["crane", "river"], corpus, encoder, settings)
    (alone,) = encode_words(["river"], corpus, encoder, settings)
    np.testing.assert_allclose(together[1].bases, alone.bases, atol=2e-3)


def test_a_word_behind_the_limit_is_read_in_a_shorter_passage(encoder) -> None:
    # 40 words of 4 pieces are more than the network takes: the last ones would be cut off.
    words = [*["abcd"] * 40, "crane", "river"]
    text = number_words([words]).written_in(lambda _: write_tokens(words))
    cut = encoder.encode(text.at(np.array([40])))
    assert np.linalg.norm(cut) == pytest.approx(1.0, abs=1e-2)
    endless = ["x" * 500]
    text = number_words([endless]).written_in(lambda _: write_tokens(endless))
    assert encoder.encode(text).any()


def test_words_written_as_one_are_one(encoder) -> None:
    as_one = encoder.writing_words_as({"crane": "crane", "bank": "crane"})

    def encode(own, word: str) -> np.ndarray:
        return own.encode(
            occurrences_in_passages(word, [("the ", " of steel")], Tokenizer(), forms=[word])
        )

    np.testing.assert_array_equal(encode(as_one, "bank"), encode(encoder, "crane"))
    np.testing.assert_array_equal(encode(as_one, "crane"), encode(encoder, "crane"))
    np.testing.assert_array_equal(encode(as_one, "river"), encode(encoder, "river"))
    assert not np.array_equal(encode(encoder, "bank"), encode(encoder, "crane"))


def test_lines_are_kept_on_disk(encoder, corpus, tmp_path, monkeypatch) -> None:
    positions = corpus.positions("crane")
    monkeypatch.setattr(encoder, "cache", tmp_path / "kept")
    first = encoder.encode_at(corpus, positions)
    embed, asked = Network.embed, []

    def count(self, texts, advance=None):
        asked.append(sum(len(text.spans) for text in texts))
        return embed(self, texts, advance)

    monkeypatch.setattr(Network, "embed", count)
    monkeypatch.setattr(encoder, "_open_cache", None)
    again = encoder.encode_at(corpus, np.sort(np.append(positions, corpus.positions("bank"))))
    assert asked == [len(corpus.positions("bank"))]
    known = np.isin(np.sort(np.append(positions, corpus.positions("bank"))), positions)
    np.testing.assert_array_equal(again[known], first)


def test_words_that_decide(encoder, corpus) -> None:
    ((_, occurrences),) = corpus.occurrences(corpus.positions("crane")[:2])
    directions = -encoder.encode(occurrences)[::-1, 0]
    for pairs in encoder.weigh_words(occurrences, -directions):
        assert all(weight >= 0.0 for _, weight in pairs)
        assert sum(weight for _, weight in pairs) == pytest.approx(1.0) or not pairs
    assert encoder.weigh_words(occurrences, 0.0 * directions) == [[], []]


def test_turned_axes_give_turned_lines(encoder, corpus) -> None:
    positions = corpus.positions("crane")[:2]
    dim = encoder.vectors.dim
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((dim, dim)))[0]
    turned = encoder.turn(turn)
    expected = encoder.encode_at(corpus, positions) @ turn
    np.testing.assert_allclose(turned.encode_at(corpus, positions), expected, atol=3e-3)
    np.testing.assert_allclose(turned.vectors.vectors, encoder.vectors.vectors @ turn, atol=1e-3)


def test_workers_load_the_network_themselves(encoder, corpus) -> None:
    again = pickle.loads(pickle.dumps(encoder))
    assert again._network is None
    positions = corpus.positions("crane")[:2]
    np.testing.assert_allclose(
        again.encode_at(corpus, positions), encoder.encode_at(corpus, positions), atol=2e-3
    )


def test_a_model_knows_where_its_network_is(corpus, transformer_folder, tmp_path) -> None:
    place = shutil.copytree(transformer_folder, tmp_path / "network")
    build_model(
        corpus.path,
        f"transformer:{place}",
        tmp_path / "model",
        "crane",
        n_senses=2,
        layers="3",
        calibrated=False,
        show_progress=False,
    )
    model = load(tmp_path / "model")
    assert model.encoder.identity()[1:3] == ["3", 64]
    expected = model.tag("The crane flew.")[0].distances
    assert len(expected) == 2
    # Beside the model it is found again; another one is not taken for it.
    (tmp_path / "moved").mkdir()
    shutil.move(tmp_path / "model", tmp_path / "moved/model")
    shutil.move(place, tmp_path / "moved/network")
    moved = load(tmp_path / "moved/model")
    assert moved.tag("The crane flew.")[0].distances == pytest.approx(expected, abs=2e-3)
    (tmp_path / "moved/network/tokenizer.json").unlink()
    with pytest.raises(InputError, match="not the one that these contexts were made with"):
        load(tmp_path / "moved/model").tag("The crane flew.")
    shutil.rmtree(tmp_path / "moved/network")
    with pytest.raises(InputError, match="there is no transformer at"):
        load(tmp_path / "moved/model").tag("The crane flew.")


def test_texts_become_senses_in_one_line(transformer_folder) -> None:
    contexts = f"transformer:{transformer_folder}"
    found = grassmeans.find_senses(TEXTS, "crane", contexts=contexts, n_senses=2, layers="2")
    assert len(found) == 2
    assert len(found.labels) == len(TEXTS)


def test_answers_are_calibrated_with_hidden_words(
    topic_corpus, transformer_folder, monkeypatch
) -> None:
    monkeypatch.setattr(TransformerEncoder, "n_pseudowords", 6)
    monkeypatch.setattr(pseudowords, "CONTEXTS_A_WORD", 40)
    contexts = f"transformer:{transformer_folder}"
    model = SenseModel.fit(topic_corpus, "crane", contexts=contexts, n_senses=2)
    assert model.calibration is not None


def test_settings_are_checked(transformer_folder, corpus) -> None:
    with pytest.raises(InputError, match="batch_size must be a whole number"):
        TransformerSettings(batch_size=0)
    contexts = f"transformer:{transformer_folder}"
    with pytest.raises(InputError, match="unknown setting 'rank'"):
        induce(corpus, contexts, "crane", rank=3)
    with pytest.raises(InputError, match="the layers 1 to 4"):
        induce(corpus, contexts, "crane", layers="9")


def test_the_cost_is_told_before_it_starts(encoder, corpus, capsys) -> None:
    induce(corpus, encoder, ["crane", "river"], n_senses=2)
    assert "15 contexts of 2 words to encode" in capsys.readouterr().err
    induce(corpus, encoder, "crane", n_senses=2, show_progress=False)
    assert capsys.readouterr().err == ""
