"""Taught contexts, against the network's definition as plain loops; a student on disk."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from damage import edit_manifest, make_old
from grassmeans import Corpus, WordVectors, load
from grassmeans.artifacts.writing import read_manifest
from grassmeans.contexts import find_kind, list_kinds, open_contexts, read_encoder
from grassmeans.contexts.attention import encoder as attention_encoder
from grassmeans.contexts.attention.encoder import Passages
from grassmeans.contexts.attention.stored import TrainingRecord, round_matrix
from grassmeans.contexts.learned import LearnedEncoder
from grassmeans.contexts.taught import (
    LAYERS,
    OWN_SHARE,
    StudentShape,
    StudentWeights,
    TaughtEncoder,
    join_voices,
    read_student,
    write_student,
)
from grassmeans.corpus.occurrences import number_words
from grassmeans.errors import ArtifactError, InputError
from grassmeans.geometry.windows import FEW, ContextShape
from grassmeans.models.building import build_model
from grassmeans.models.compacting import CompactSettings, compact_model
from grassmeans.senses.calibration import CALIBRATION, Calibration
from grassmeans.vectors.quantising import quantise_rows

WORDS = [f"w{i}" for i in range(30)]
SHAPE = StudentShape(
    30, dim=64, n_layers=2, head_dim=32, inner_factor=2, passage=16, line_axes=6, deviation_axes=5
)


def make_encoder(seed: int = 0) -> TaughtEncoder:
    """A student of random weights, whose lines have 8 axes."""
    rng = np.random.default_rng(seed)

    def draw(*size: int) -> np.ndarray:
        return (rng.standard_normal(size) / np.sqrt(size[-1])).astype(np.float32)

    rounded = {name: round_matrix(draw(*size)) for name, size in SHAPE.matrix_shapes().items()}
    means, axes = draw(30, 5), draw(11, 8)
    weights = StudentWeights(SHAPE, words=draw(30, 64), means=means, axes=axes, **rounded)
    vectors = WordVectors(WORDS, draw(30, 8))
    return TaughtEncoder(vectors, ContextShape(rank=1), frozenset({"w0"}), weights)


@pytest.fixture(scope="module")
def encoder() -> TaughtEncoder:
    return make_encoder()


def normalise(x):
    return x / np.sqrt((x * x).mean() + 1e-6)


def turn(x, place):
    half = len(x) // 2
    angles = place * 1000.0 ** (-2 * np.arange(half) / len(x))
    a, b = x[:half], x[half:]
    return np.concatenate(
        [a * np.cos(angles) - b * np.sin(angles), b * np.cos(angles) + a * np.sin(angles)]
    )


def plain_line(encoder, words, place, hidden=-1):
    """The line of one place of a passage, from the formulas alone."""
    w, shape = encoder.weights, encoder.weights.shape
    looking, mixing, up, down = (
        w.matrix(name).astype(np.float64)
        for name in ("looking", "mixing", "inner_up", "inner_down")
    )
    rows = [WORDS.index(word) if word in WORDS else -1 for word in words]
    unknown = w.matrix("specials")[0]
    states = [normalise((w.words[r] if r >= 0 else unknown).astype(np.float64)) for r in rows]
    seen = [t for t in range(len(words)) if t != hidden]
    for layer in range(shape.n_layers):
        parts = [(looking[layer] @ normalise(x)).reshape(3, shape.n_heads, -1) for x in states]
        found = []
        for t, own in enumerate(parts):
            heads = []
            for head in range(shape.n_heads):
                query = turn(normalise(own[0, head]), t)
                keys = [turn(normalise(parts[s][1, head]), s) for s in seen]
                scores = np.array([query @ key for key in keys]) / np.sqrt(shape.head_dim)
                weights = np.exp(scores - scores.max())
                values = np.array([parts[s][2, head] for s in seen])
                heads.append(weights / weights.sum() @ values)
            found.append(np.concatenate(heads))
        states = [x + mixing[layer] @ f for x, f in zip(states, found, strict=True)]
        states = [x + down[layer] @ np.maximum(up[layer] @ normalise(x), 0.0) ** 2 for x in states]
    said = w.matrix("voices") @ normalise(states[place])
    first, second = said[: shape.line_axes], said[shape.line_axes :]
    if rows[place] >= 0:
        second = second + 0.5 * w.means[rows[place]]
    both = np.concatenate([first / np.linalg.norm(first), second / np.linalg.norm(second)])
    line = both @ w.axes
    return line / np.linalg.norm(line)


TEXT = ["w3", "w7", "other", "w3", "w9", "w1"]


def test_lines_are_those_of_the_definition(encoder) -> None:
    expected = np.array([plain_line(encoder, TEXT, place) for place in range(6)])
    lines = encoder.encode(number_words([TEXT]))
    assert lines.shape == (6, 1, 8)
    assert (lines[:, 0] * expected).sum(axis=1).min() > 0.999  # rows have 8 bits
    n_copies = FEW // 6 + 2  # enough for compiled kernels
    many = encoder.encode(number_words([TEXT] * n_copies))[:, 0]
    cosines = (many.reshape(n_copies, 6, 8) * expected).sum(axis=-1)
    assert cosines.min() > 0.999


@pytest.mark.parametrize("kernels", ["numpy", "cpu"])
def test_kernels_agree_where_words_are_hidden(encoder, kernels) -> None:
    ids = encoder.ids_of(TEXT)[None, :6].copy()
    passages = Passages(ids, np.array([0, 3]), np.array([2, 2, 4], np.int32), np.arange(3))
    hidden = np.array([-1, 0, 3], np.int32)
    found = encoder._predict(passages, hidden, kernels)
    expected = [plain_line(encoder, TEXT, p, h) for p, h in ((2, -1), (2, 0), (4, 3))]
    assert (found * np.array(expected)).sum(axis=1).min() > 0.999
    assert (found[0] @ found[1]) < 0.9999  # it is felt


def test_sentences_are_those_of_compiled_kernels_from_the_third_on(encoder) -> None:
    fresh = TaughtEncoder(encoder.vectors, encoder.shape, encoder.function_words, encoder.weights)
    answers = [fresh.encode(number_words([TEXT])) for _ in range(3)]
    assert list(fresh._packed) == ["cpu"]
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_allclose(answers[2], answers[1], atol=1e-5)


def test_a_place_sees_its_own_word(encoder) -> None:
    one, two = (encoder.encode(number_words([["w3", word, "w8"]])) for word in ("w5", "w6"))
    assert (one[1, 0] @ two[1, 0]) < 0.99


def test_voices_have_one_length_each_and_half_of_the_mean(encoder) -> None:
    weights = encoder.weights
    said = np.arange(1, 23, dtype=np.float32).reshape(2, 11)
    found = join_voices(weights, said, np.array([0, 4], np.int32))
    first = said[:, :6] / np.linalg.norm(said[:, :6], axis=1, keepdims=True)
    second = said[:, 6:].copy()
    second[1] += OWN_SHARE * weights.means[2]  # an unknown word has none
    second /= np.linalg.norm(second, axis=1, keepdims=True)
    np.testing.assert_allclose(found, np.concatenate([first, second], axis=1), rtol=1e-5)


def test_a_word_alone_says_nothing(encoder) -> None:
    lines = encoder.encode(number_words([["w3"], ["w4", "w5"]]))[:, 0]
    assert not lines[0].any()
    np.testing.assert_allclose(np.linalg.norm(lines[1:], axis=1), 1.0, rtol=1e-5)


def test_an_answer_does_not_depend_on_what_else_is_asked(encoder) -> None:
    text = [WORDS[i % 29] for i in range(0, 130, 3)]
    everything = number_words([text, text[:5]] * 3)
    whole = encoder.encode(everything)[:, 0]
    for rows in ([0], [20, 21], list(range(3, 130, 7)), list(range(40, 90))):
        found = encoder.encode(everything[np.array(rows)])[:, 0]
        assert (found * whole[rows]).sum(axis=1).min() > 0.999
    # The same kernels give the same numbers.
    some = np.arange(0, len(everything), 2)
    np.testing.assert_allclose(encoder.encode(everything[some])[:, 0], whole[some], atol=1e-5)


def test_every_place_is_in_the_middle_of_some_passage(encoder) -> None:
    occurrences = number_words([[WORDS[i % 29] for i in range(60)]])
    seen = {}
    for passages in encoder._cut(occurrences):
        assert passages.lengths.max() <= 16
        owners = np.repeat(np.arange(len(passages)), np.diff(passages.offsets))
        for row, owner, place in zip(passages.rows, owners, passages.places, strict=True):
            seen[int(row)] = int(place), int(passages.lengths[owner]) - 1 - int(place)
    assert sorted(seen) == list(range(60))
    for row, (before, after) in seen.items():  # own places are three quarters
        assert before >= min(2, row)
        assert after >= min(2, 59 - row)


def test_deciding_words_are_one_in_all(encoder) -> None:
    occurrences = number_words([["w3", "w7", "w9", "w1", "w4"]])[2:3]
    line = encoder.encode(occurrences)[:, 0]
    (weights,) = encoder.weigh_words(occurrences, line)
    assert {position for position, _ in weights} == {0, 1, 3, 4}
    assert sum(weight for _, weight in weights) == pytest.approx(1.0)
    words = ["w3", "w7", "w9", "w1", "w4"]
    lost = {h: 1 - (plain_line(encoder, words, 2, h) @ line[0]) ** 2 for h in (0, 1, 3, 4)}
    total = sum(lost.values())
    for position, weight in weights:
        assert weight == pytest.approx(lost[position] / total, abs=0.02)


def test_members_of_a_pseudo_word_are_read_alike(encoder) -> None:
    alike = encoder.writing_words_as({"w5": "w6", "w6": "w6"})
    one, two = (number_words([["w3", word, "w8"]]) for word in ("w5", "w6"))
    np.testing.assert_allclose(alike.encode(one), alike.encode(two), atol=1e-6)
    np.testing.assert_allclose(alike.encode(two), encoder.encode(two), atol=1e-6)
    assert not np.allclose(encoder.encode(one), encoder.encode(two))  # it is as it was
    sent = pickle.loads(pickle.dumps(alike))
    np.testing.assert_allclose(sent.encode(one), alike.encode(one), atol=1e-6)


def test_turned_axes_keep_what_lies_between_lines(encoder) -> None:
    rotation = np.linalg.qr(np.random.default_rng(2).standard_normal((8, 8)))[0]
    turned = encoder.turn(rotation)
    occurrences = number_words([TEXT])
    lines, others = (each.encode(occurrences)[:, 0] for each in (encoder, turned))
    np.testing.assert_allclose(others, lines @ rotation, atol=1e-4)
    np.testing.assert_allclose(others @ others.T, lines @ lines.T, atol=1e-4)
    words, placed = (np.asarray(e.vectors.vectors) for e in (encoder, turned))
    np.testing.assert_allclose(placed @ others.T, words @ lines.T, atol=1e-4)


def test_vectors_that_are_not_finite_are_no_poor_contexts(encoder) -> None:
    broken = encoder.weights.words.copy()
    broken[3] = np.nan
    weights = replace(encoder.weights, words=broken)
    other = TaughtEncoder(encoder.vectors, encoder.shape, frozenset(), weights)
    assert other.encode(number_words([["w1", "w2"]])).any()
    with pytest.raises(InputError, match="hold NaN or infinity"):
        other.encode(number_words([["w1", "w3"]]))


def test_it_is_a_kind_of_context() -> None:
    assert "taught" in list_kinds()
    assert find_kind("taught") is TaughtEncoder


def test_workers_read_the_folder_instead_of_arrays(taught_folder) -> None:
    encoder = read_encoder(taught_folder, read_manifest(taught_folder))
    sent = pickle.dumps(encoder)
    assert len(sent) < 5_000  # function words are the most of it
    again = pickle.loads(sent)
    assert again.identity() == encoder.identity()
    assert pickle.loads(sent) is again  # what it has computed is kept
    written = encoder.writing_words_as({"crane": "bank"})
    assert written.folder == encoder.folder
    read = pickle.loads(pickle.dumps(written))
    assert pickle.loads(sent) is again
    text = number_words([["the", "crane", "of"], ["the", "bank", "of"]])
    np.testing.assert_allclose(read.encode(text)[1], read.encode(text)[4], atol=1e-6)
    assert not np.array_equal(again.encode(text)[1], again.encode(text)[4])


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory, taught_folder, topic_corpus):
    """A model of taught contexts."""
    place = tmp_path_factory.mktemp("models") / "model"
    build_model(topic_corpus.path, taught_folder, place, ["crane", "bank"], workers=1)
    return place


def test_a_model_is_built_tagged_and_opened_again(
    model_folder, taught_folder, topic_corpus, tmp_path
) -> None:
    model = load(model_folder)
    assert model.encoder.kind == "taught"
    assert model.encoder.identity() == open_contexts(taught_folder).identity()
    assert (model.settings.n_senses, model.settings.max_contexts) == ("auto", 1_000)
    tagged = model.tag("the crane at the bank", idk_threshold=None)
    assert [word.key for word in tagged] == ["crane", "bank"]
    assert all(word.sense > 0 for word in tagged)
    by_two = build_model(
        topic_corpus.path, taught_folder, tmp_path / "two", ["crane", "bank"], workers=2
    )
    for word in ("crane", "bank"):
        np.testing.assert_array_equal(
            by_two.inventory.directions(word), model.inventory.directions(word)
        )


def test_a_model_needs_neither_teacher_nor_torch(model_folder) -> None:
    program = (
        "import sys; sys.modules.update(torch=None, transformers=None, tokenizers=None)\n"
        "from grassmeans import load\n"
        "tagged = load(sys.argv[1]).tag('the crane at the bank', idk_threshold=None)\n"
        "print([(word.key, word.sense > 0) for word in tagged])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(model_folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "[('crane', True), ('bank', True)]", done.stderr


@pytest.mark.parametrize("bits", [4, 8])
def test_a_compact_model_says_nearly_the_same(model_folder, tmp_path, bits) -> None:
    model = load(model_folder)
    small = compact_model(model, tmp_path / "small", settings=CompactSettings(bits=bits))
    assert small.encoder.kind == "taught"
    assert small.encoder.weights.words.bits == bits
    text = number_words([["the", "crane", "at", "the", "bank", "of", "a", "river"]])
    before, after = (each.encoder.encode(text)[:, 0] for each in (model, small))
    # On turned axes: only what lies between lines is comparable.
    limit = 0.15 if bits == 4 else 0.02
    assert np.abs(after @ after.T - before @ before.T).max() < limit
    (found,) = small.tag("the crane", words=["crane"], idk_threshold=None).words
    assert found.sense > 0


SMALL = StudentShape(
    5, dim=8, n_layers=2, head_dim=4, passage=16, inner_factor=2, line_axes=3, deviation_axes=4
)
TEACHER = {"source": "some/teacher", "layers": "7,8,9", "digest": "abc", "licence": None}


def make_weights(seed: int = 0) -> StudentWeights:
    rng = np.random.default_rng(seed)

    def draw(*size: int) -> np.ndarray:
        return rng.standard_normal(size).astype(np.float32)

    rounded = {name: round_matrix(draw(*size)) for name, size in SMALL.matrix_shapes().items()}
    return StudentWeights(
        SMALL,
        words=draw(5, 8),
        means=draw(5, 4),
        axes=draw(7, 6).astype(np.float16).astype(np.float32),
        training=TrainingRecord(5, 100),
        teacher=TEACHER,
        **rounded,
    )


def test_shapes_are_those_of_the_network() -> None:
    assert (SMALL.n_voices, SMALL.n_heads, SMALL.n_ids) == (7, 2, 7)
    assert SMALL.matrix_shapes() == {
        "looking": (2, 24, 8),
        "mixing": (2, 8, 8),
        "inner_up": (2, 16, 8),
        "inner_down": (2, 8, 16),
        "voices": (7, 8),
        "specials": (2, 8),
    }


def test_a_stack_of_matrices_is_rounded_by_rows() -> None:
    matrices = np.random.default_rng(1).standard_normal((2, 24, 8)).astype(np.float32)
    weights = replace(make_weights(), looking=round_matrix(matrices))
    found = weights.matrix("looking")
    assert found.shape == (2, 24, 8)
    steps = np.abs(matrices).max(axis=-1, keepdims=True) / 127.5
    assert (np.abs(found - matrices) <= 0.5 * steps + 1e-6).all()


@pytest.mark.parametrize("bits", [None, 4, 6, 8])
def test_what_is_read_is_what_was_written_rounded_once(tmp_path, bits) -> None:
    weights = make_weights()
    write_student(tmp_path / "one", weights, word_bits=bits)
    read = read_student(tmp_path / "one")
    assert (read.shape, read.training, read.teacher) == (SMALL, weights.training, TEACHER)
    for name in (*LAYERS, "voices", "specials"):
        np.testing.assert_array_equal(read.matrix(name), weights.matrix(name))
    np.testing.assert_array_equal(read.axes, weights.axes)
    for name in ("words", "means"):
        rounded = quantise_rows(getattr(weights, name), bits or 8)
        np.testing.assert_array_equal(np.asarray(getattr(read, name)), rounded.restore())
    write_student(tmp_path / "two", read)
    assert read_student(tmp_path / "two").digest == read.digest
    one, two = ((tmp_path / n / "weights.safetensors").read_bytes() for n in ("one", "two"))
    assert one == two


def test_words_are_rounded_again_where_other_bits_are_asked_for(tmp_path) -> None:
    write_student(tmp_path / "eight", make_weights())
    write_student(tmp_path / "four", read_student(tmp_path / "eight"), word_bits=4)
    assert read_manifest(tmp_path / "four")["word_bits"] == 4
    read = read_student(tmp_path / "four")
    assert (read.words.bits, read.means.bits, read.looking.bits) == (4, 4, 8)


def test_a_digest_tells_one_content_from_another() -> None:
    weights = make_weights()
    assert make_weights().digest == weights.digest
    rng = np.random.default_rng(9)
    changes = [
        {"words": weights.words + np.float32(0.1)},
        {"means": weights.means * 2},
        {"axes": weights.axes[:, ::-1].copy()},
        *({name: round_matrix(rng.random(SMALL.matrix_shapes()[name]))} for name in LAYERS),
        {"voices": round_matrix(rng.random((7, 8)))},
        {"specials": round_matrix(rng.random((2, 8)))},
    ]
    digests = {replace(weights, **change).digest for change in changes}
    assert len(digests | {weights.digest}) == len(changes) + 1


def test_weights_that_do_not_fit_are_refused() -> None:
    weights = make_weights()
    with pytest.raises(ArtifactError, match=r"means should have the shape \(5, 4\), got \(5, 3\)"):
        replace(weights, means=weights.means[:, :3])
    with pytest.raises(ArtifactError, match=r"axes should have the shape \(7, 6\), got \(6, 6\)"):
        replace(weights, axes=weights.axes[1:])
    with pytest.raises(ArtifactError, match=r"mixing should have the shape \(16, 8\)"):
        replace(weights, mixing=weights.looking)


@pytest.mark.parametrize(
    "damage", ["shorten", "missing", "an array", "a type", "not finite", "scales"]
)
def test_damaged_weights_are_noticed(tmp_path, damage) -> None:
    write_student(tmp_path / "w", make_weights())
    path = tmp_path / "w" / "weights.safetensors"
    if damage == "shorten":
        path.write_bytes(path.read_bytes()[:-100])
    elif damage == "missing":
        path.unlink()
    else:
        arrays = load_file(path)
        if damage == "an array":
            del arrays["voices.codes"]
        elif damage == "a type":
            arrays["axes"] = arrays["axes"].astype(np.float32)
        elif damage == "not finite":
            arrays["axes"][0, 0] = np.nan
        else:
            arrays["means.scales"][1] = np.inf
        save_file(arrays, path)
        make_old(tmp_path / "w")
    with pytest.raises(ArtifactError, match=r"weights\.safetensors .*build"):
        read_student(tmp_path / "w")


@pytest.mark.parametrize(
    "changes",
    [
        {"n_axes": "six"},
        {"word_bits": 5},
        {"teacher": "mpnet"},
        {"network": {"n_words": 5}},
        {"network": {"n_words": 5, "line_axes": 3, "deviation_axes": 4, "word_factor": 2}},
        {"network": {"n_words": 5, "line_axes": 3, "deviation_axes": 4, "dim": 10, "head_dim": 4}},
        {"training": {"tokens_seen": "many"}},
    ],
)
def test_a_manifest_of_something_else_is_noticed(tmp_path, changes) -> None:
    write_student(tmp_path / "w", make_weights())
    edit_manifest(tmp_path / "w", **changes)
    with pytest.raises(ArtifactError, match=r"w/manifest\.json"):
        read_student(tmp_path / "w")


def test_more_layers_than_there_are_weights_are_noticed(tmp_path) -> None:
    write_student(tmp_path / "w", make_weights())
    network = read_manifest(tmp_path / "w")["network"] | {"n_layers": 3}
    edit_manifest(tmp_path / "w", network=network)
    with pytest.raises(ArtifactError, match=r"weights\.safetensors .*looking"):
        read_student(tmp_path / "w")


def test_an_answer_is_given_where_it_is_rather_right(model_folder) -> None:
    model = load(model_folder)
    model.manifest = model.manifest | {CALIBRATION: Calibration(0.0, 1.0).to_dict()}
    assert model.idk_threshold.at_least == 0.5
    assert LearnedEncoder.answer_confidence == 0.7


def write_texts(folder) -> Corpus:
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(WORDS, size=n)) for n in (40, 7, 90, 25)]
    return Corpus.from_texts(texts, folder / "corpus")


@pytest.mark.parametrize("device", ["cpu", "torch-cpu"])
def test_lines_of_scattered_places_are_in_the_order_of_the_places(
    encoder, device, tmp_path, monkeypatch
) -> None:
    if device != "cpu":
        pytest.importorskip("torch", reason="needs the extra encoder")
    corpus = write_texts(tmp_path)
    positions = np.random.default_rng(0).permutation(corpus.n_tokens)[:101]
    expected = np.concatenate([encoder.encode_at(corpus, positions[i : i + 1]) for i in range(101)])
    monkeypatch.setattr(attention_encoder, "_LINES_AT_ONCE", 20)  # six parts
    other = make_encoder()
    other.use_device(device)
    found = other.encode_unordered(corpus, positions)
    assert found.shape == (101, 1, 8)
    np.testing.assert_allclose(found, expected, atol=5e-2)
    assert np.abs(found - expected).mean() < 5e-3
