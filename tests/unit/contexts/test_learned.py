"""Learned contexts, against the network's definition written out as plain loops."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from damage import make_old
from grassmeans import Corpus, SkipGram, WordVectors, load
from grassmeans.contexts import find_kind, list_kinds
from grassmeans.contexts.attention.encoder import FOLDER
from grassmeans.contexts.attention.levelling import Levelling
from grassmeans.contexts.attention.stored import (
    LearnedWeights,
    NetworkShape,
    read_weights,
    write_weights,
)
from grassmeans.contexts.learned import LearnedEncoder
from grassmeans.corpus.occurrences import number_words
from grassmeans.errors import ArtifactError, InputError
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.building import build_model
from grassmeans.vectors.quantising import quantise_rows

WORDS = [f"w{i}" for i in range(30)]
SHAPE = NetworkShape(n_words=30, dim=16, n_layers=2, head_dim=8, passage=16)


def make_weights(shape: NetworkShape = SHAPE, seed: int = 0) -> LearnedWeights:
    rng = np.random.default_rng(seed)
    arrays = {
        name: (rng.standard_normal(size) * 0.5).astype(np.float32)
        for name, size in shape.matrix_shapes().items()
    }
    return LearnedWeights(shape=shape, **arrays)


@pytest.fixture(scope="module")
def encoder() -> LearnedEncoder:
    vectors = np.random.default_rng(1).standard_normal((30, 16)).astype(np.float32)
    return LearnedEncoder(
        WordVectors(WORDS, vectors), ContextShape(rank=1), frozenset({"w0"}), make_weights()
    )


def normalise(x):
    return x / np.sqrt((x * x).mean() + 1e-6)


def turn(x, place):
    half = len(x) // 2
    out = np.empty_like(x)
    for i in range(half):
        angle = place * 1000.0 ** (-2 * i / len(x))
        a, b = x[i], x[half + i]
        out[i] = a * np.cos(angle) - b * np.sin(angle)
        out[half + i] = b * np.cos(angle) + a * np.sin(angle)
    return out


def plain_line(encoder, words, place):
    """The prediction of one place of a passage, from the formulas alone."""
    w, shape = encoder.weights, encoder.weights.shape
    known = dict(zip(encoder.vectors.words, encoder.vectors.vectors, strict=True))
    raw = [known.get(word, w.specials[0]).astype(np.float64) for word in words]
    features = []
    for x in raw:
        inner = np.maximum(w.word_up @ normalise(x), 0.0) ** 2
        features.append(normalise(x + w.word_down @ inner))
    x = w.start.astype(np.float64)
    for layer in range(shape.n_layers):
        query = w.queries[layer] @ normalise(x)
        mixed = np.zeros(shape.dim)
        for head in range(shape.n_heads):
            part = slice(head * shape.head_dim, (head + 1) * shape.head_dim)
            q = turn(normalise(query[part]), place)
            scores, values = [], []
            for t, feature in enumerate(features):
                if t != place:
                    key = turn(normalise((w.keys_values[0, layer] @ feature)[part]), t)
                    scores.append(q @ key / np.sqrt(shape.head_dim))
                    values.append((w.keys_values[1, layer] @ feature)[part])
            weights = np.exp(np.array(scores) - max(scores))
            mixed[part] = (weights / weights.sum()) @ np.array(values)
        x = x + w.mixing[layer] @ mixed
        x = x + w.inner_down[layer] @ (np.maximum(w.inner_up[layer] @ normalise(x), 0.0) ** 2)
    line = w.output @ normalise(x)
    return line / np.linalg.norm(line)


@pytest.mark.parametrize("n_copies", [1, 9], ids=["plain NumPy", "compiled"])
def test_lines_are_those_of_the_definition(encoder, n_copies):
    text = ["w3", "w7", "other", "w3", "w9", "w1"]
    lines = encoder.encode(number_words([text] * n_copies))
    assert lines.shape == (6 * n_copies, 1, 16)
    for copy in (0, n_copies - 1):
        for place in range(len(text)):
            expected = plain_line(encoder, text, place)
            np.testing.assert_allclose(lines[6 * copy + place, 0], expected, atol=2e-3)


def test_a_place_does_not_see_its_own_word(encoder):
    one, two = (encoder.encode(number_words([["w3", word, "w8"]])) for word in ("w5", "w6"))
    np.testing.assert_allclose(one[1], two[1], atol=1e-6)
    assert np.abs(one[0] - two[0]).max() > 1e-3


def test_a_word_alone_says_nothing(encoder):
    assert not encoder.encode(number_words([["w3"], ["w4", "w5"]]))[0].any()
    assert np.linalg.norm(encoder.encode(number_words([["w4", "w5"]]))[0]) == pytest.approx(1.0)


def test_an_answer_depends_on_the_text_alone(encoder):
    text = [WORDS[i % 29] for i in range(0, 130, 3)]
    everything = number_words([text, text[:5]])
    whole = encoder.encode(everything)
    for rows in ([0], [20, 21], list(range(3, 45, 7))):
        np.testing.assert_allclose(
            encoder.encode(everything[np.array(rows)]), whole[rows], atol=1e-5
        )


def test_passages_reach_at_least_a_quarter_to_either_side(encoder):
    text = [WORDS[i % 29] for i in range(60)]
    occurrences = number_words([text])
    for passages in encoder._cut(occurrences):
        lengths = (passages.ids >= 0).sum(axis=1)
        assert lengths.max() <= 16
    seen = {}
    for passages in encoder._cut(occurrences):
        owner = np.repeat(np.arange(len(passages.ids)), np.diff(passages.offsets))
        for row, passage, place in zip(passages.rows, owner, passages.places, strict=True):
            seen[row] = place, int((passages.ids[passage] >= 0).sum()) - 1 - place
    assert sorted(seen) == list(range(60))
    for row, (before, after) in seen.items():
        assert before >= min(4, row)
        assert after >= min(4, 59 - row)


def test_words_of_several_shards_are_encoded_together(encoder, tmp_path):
    from grassmeans.corpus.ingest import IngestOptions

    documents = [" ".join(WORDS[i : i + 6]) for i in range(20)]
    corpus = Corpus.from_texts(documents, tmp_path / "c", options=IngestOptions(shard_chars=60))
    assert len(corpus.shards) > 3
    positions = np.arange(0, corpus.n_tokens, 5)
    whole = encoder.encode_at(corpus, positions)
    for part, occurrences in corpus.occurrences(positions):
        np.testing.assert_allclose(whole[part], encoder.encode(occurrences), atol=1e-5)


def test_deciding_words_are_those_whose_loss_is_felt(encoder):
    occurrences = number_words([["w3", "w7", "w9", "w1", "w4"]])[2:3]
    line = encoder.encode(occurrences)[:, 0]
    (weights,) = encoder.weigh_words(occurrences, line)
    assert {position for position, _ in weights} == {0, 1, 3, 4}
    assert sum(weight for _, weight in weights) == pytest.approx(1.0)
    # Of each word: what its loss takes from the squared projection on the line itself, 1.
    lost = {}
    for hidden in (0, 1, 3, 4):
        from grassmeans.contexts.attention.encoder import Passages

        passages = Passages(
            encoder.ids_of(occurrences.words)[occurrences.tokens][None],
            np.array([0, 1]),
            np.array([2], np.int32),
            np.array([0]),
        )
        without = encoder._predict(passages, np.array([hidden], np.int32), "numpy")[0]
        lost[hidden] = max(1.0 - float(without @ line[0]) ** 2, 0.0)
    total = sum(lost.values())
    for position, weight in weights:
        assert weight == pytest.approx(lost[position] / total, abs=1e-3)


def test_weights_come_back_rounded_to_eight_bits(tmp_path):
    weights = make_weights()
    write_weights(tmp_path / "w", weights)
    again = read_weights(tmp_path / "w")
    assert again.shape == weights.shape
    for name in ("queries", "inner_down", "specials"):
        before, after = getattr(weights, name), getattr(again, name)
        assert np.abs(before - after).max() <= np.abs(before).max() / 100
    np.testing.assert_array_equal(again.start, weights.start)
    assert again.digest != make_weights(seed=1).digest


@pytest.mark.parametrize("damage", ["shorten", "shape", "missing"])
def test_damaged_weights_are_noticed(tmp_path, damage):
    write_weights(tmp_path / "w", make_weights())
    path = tmp_path / "w" / "weights.safetensors"
    if damage == "shorten":
        path.write_bytes(path.read_bytes()[:-100])
    elif damage == "missing":
        path.unlink()
    else:
        manifest = tmp_path / "w" / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"n_layers": 2', '"n_layers": 3'))
        make_old(tmp_path / "w")
    with pytest.raises(ArtifactError, match=r"weights\.safetensors .*build"):
        read_weights(tmp_path / "w")


def test_vectors_that_are_not_finite_are_no_poor_contexts(encoder):
    broken = np.array(encoder.vectors.vectors)
    broken[3] = np.nan
    vectors = WordVectors(WORDS, broken, check=False)
    other = LearnedEncoder(vectors, encoder.shape, encoder.function_words, encoder.weights)
    assert other.encode(number_words([["w1", "w2"]])).any()
    with pytest.raises(InputError, match="hold NaN or infinity"):
        other.encode(number_words([["w1", "w3"]]))


def test_it_is_a_kind_of_context():
    assert {"learned", "subspaces"} <= set(list_kinds())
    assert find_kind("learned") is LearnedEncoder


@pytest.fixture(scope="module")
def topic_encoder_folder(tmp_path_factory, topic_corpus):
    """An encoder with random weights over real vectors, as `grassmeans encoder` would write it."""
    from grassmeans.artifacts.writing import write_bytes, write_manifest
    from grassmeans.contexts import VECTORS_FOLDER, describe_encoder
    from grassmeans.corpus.vocabulary import FUNCTION_WORDS

    folder = tmp_path_factory.mktemp("encoder")
    vectors = SkipGram(dim=16, min_count=3, epochs=2, workers=1).fit(topic_corpus).vectors_
    vectors.save(folder / VECTORS_FOLDER)
    shape = NetworkShape(n_words=len(vectors), dim=16, n_layers=2, head_dim=8, passage=32)
    write_weights(folder / FOLDER, make_weights(shape))
    write_bytes(folder / FUNCTION_WORDS, b"the\na")
    opened = LearnedEncoder.open(folder, vectors, ContextShape(rank=1), frozenset())
    write_manifest(folder, "encoder", 1, describe_encoder(opened))
    return folder


def test_a_model_is_built_tagged_and_opened_again(topic_encoder_folder, topic_corpus, tmp_path):
    words = ["crane", "bank"]
    place = tmp_path / "model"
    model = build_model(topic_corpus.path, topic_encoder_folder, place, words, workers=1)
    assert model.settings.n_senses == "auto"
    assert model.settings.max_contexts == 1_000
    tagged = load(place).tag("the crane at the bank", idk_threshold=None)
    assert [word.key for word in tagged] == ["crane", "bank"]
    assert all(word.sense > 0 for word in tagged)
    by_two = build_model(
        topic_corpus.path, topic_encoder_folder, tmp_path / "two", words, workers=2
    )
    for word in words:
        np.testing.assert_array_equal(
            by_two.inventory.directions(word), model.inventory.directions(word)
        )
    other = build_model(topic_corpus.path, place, tmp_path / "other", ["seal"], workers=1)
    assert other.encoder.identity() == model.encoder.identity()


def test_workers_read_the_folder_instead_of_arrays(topic_encoder_folder):
    from grassmeans.artifacts.writing import read_manifest
    from grassmeans.contexts import read_encoder

    encoder = read_encoder(topic_encoder_folder, read_manifest(topic_encoder_folder))
    sent = pickle.dumps(encoder)
    assert len(sent) < 2_000
    again = pickle.loads(sent)
    assert again.identity() == encoder.identity()
    assert pickle.loads(sent) is again  # what it has computed is kept


def test_without_calibration_every_context_is_answered(
    topic_encoder_folder, topic_corpus, tmp_path
):
    place = tmp_path / "model"
    model = build_model(
        topic_corpus.path, topic_encoder_folder, place, ["crane"], calibrated=False, workers=1
    )
    assert model.idk_threshold is None
    assert model.tag("a crane birdba birdbe")[0].sense > 0


def test_a_device_changes_neither_senses_nor_labels(topic_encoder_folder, topic_corpus, tmp_path):
    pytest.importorskip("torch", reason="needs the extra encoder")
    from grassmeans.labelling import label_corpus

    words = ["crane", "absent", "bank", "seal", *topic_corpus.vocabulary.words[:14]]
    made = {}
    for device, workers in (("cpu", 1), ("torch-cpu", 1), ("torch-cpu", 2)):
        place = tmp_path / f"{device}-{workers}"
        model = build_model(
            topic_corpus.path, topic_encoder_folder, place, words, device=device, workers=workers
        )
        assert model.encoder.device == "cpu"
        output = tmp_path / f"labelled-{device}-{workers}"
        labelled = label_corpus(topic_corpus, place, output, device=device, workers=workers)
        made[device, workers] = model, labelled
    model, labelled = made["cpu", 1]
    for key in (("torch-cpu", 1), ("torch-cpu", 2)):
        other, others = made[key]
        assert other.words == model.words
        assert [s.word for s in other.inventory.skipped] == ["absent"]
        for word in model.words:
            found, expected = other.inventory.directions(word), model.inventory.directions(word)
            np.testing.assert_allclose(found, expected, atol=1e-3)
        np.testing.assert_array_equal(
            np.concatenate([shard.tokens for shard in others.shards]),
            np.concatenate([shard.tokens for shard in labelled.shards]),
        )


def test_an_only_sense_is_not_measured_for_labels(encoder, monkeypatch):
    from grassmeans.geometry.distances import SenseLines

    occurrences = number_words([["w3", "w5", "w8"], ["w3"], ["w5"]])
    words = np.array([0, 1, 0, 0, 1])
    lines = SenseLines.collect([np.eye(16)[:1], np.eye(16)[1:3]])
    expected = encoder.measure(occurrences, words, lines)
    asked = []
    original = LearnedEncoder.encode

    def encode(self, occurrences):
        asked.extend(occurrences.positions)
        return original(self, occurrences)

    monkeypatch.setattr(LearnedEncoder, "encode", encode)
    found = encoder.measure_for_labels(occurrences, words, lines)
    assert asked == [1, 4]
    np.testing.assert_allclose(found[[1, 4]], expected[[1, 4]], atol=1e-6)
    # A word of one sense is at 0 from it, unless it stands alone.
    np.testing.assert_array_equal(found[[0, 2]], [[0.0, np.nan]] * 2)
    assert np.isnan(found[3]).all()


def test_an_interrupted_induction_goes_on_from_its_parts(
    topic_encoder_folder, topic_corpus, tmp_path, monkeypatch
):
    pytest.importorskip("torch", reason="needs the extra encoder")
    from grassmeans.contexts import open_contexts
    from grassmeans.senses import induction, word_induction

    monkeypatch.setattr(induction, "BATCH_WORDS", 2)
    words = ["crane", "bank", "seal", "the"]
    encoder = open_contexts(topic_encoder_folder, "torch-cpu")
    induction.induce(topic_corpus, encoder, words[:2], parts=tmp_path)
    asked = []
    original = word_induction.encode_words

    def encode(words, *rest):
        asked.append(words)
        return original(words, *rest)

    monkeypatch.setattr(word_induction, "encode_words", encode)
    found = induction.induce(topic_corpus, encoder, words, parts=tmp_path)
    assert list(found.words) == words
    assert asked == [["seal", "the"]]


def level_by_hand(weights: LearnedWeights, seed: int = 2) -> LearnedWeights:
    """The same network with a levelling of random numbers, to 6 axes."""
    rng = np.random.default_rng(seed)
    n, d = weights.shape.n_words, weights.shape.dim
    sizes = [(n, d), (n,), (d,), (d, d), (d,), (d, d), (2 * d, 6)]
    parts = [rng.standard_normal(size).astype(np.float32) for size in sizes]
    return replace(weights, levelling=Levelling(*parts))


@pytest.mark.parametrize("bits", [4, 8])
def test_words_of_a_levelled_network_are_restored_where_they_are_read(tmp_path, bits):
    weights = level_by_hand(make_weights())
    write_weights(tmp_path / "w", weights, word_bits=bits)

    found = read_weights(tmp_path / "w").levelling

    expected = quantise_rows(weights.levelling.words, bits).restore()
    np.testing.assert_array_equal(np.asarray(found.words), expected)
    np.testing.assert_array_equal(found.words[np.array([7, 3])], expected[[7, 3]])
    np.testing.assert_allclose(found.place_words(), weights.levelling.place_words(), atol=0.2)


def test_words_keep_their_bits_unless_others_are_asked_for(tmp_path):
    write_weights(tmp_path / "four", level_by_hand(make_weights()), word_bits=4)
    four = read_weights(tmp_path / "four")

    write_weights(tmp_path / "again", four)
    write_weights(tmp_path / "eight", four, word_bits=8)

    assert read_weights(tmp_path / "again").levelling.words.bits == 4
    assert read_weights(tmp_path / "again").digest == four.digest
    assert read_weights(tmp_path / "eight").levelling.words.bits == 8
