"""A student learns both voices, only from words that it knows; on a device as by the kernels."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra encoder")

import torch

from grassmeans import WordVectors
from grassmeans.contexts import open_contexts
from grassmeans.contexts.attention.network import find_seen
from grassmeans.contexts.attention.stored import (
    BOUNDARY_ID,
    N_SPECIAL,
    UNKNOWN_ID,
    LearnedWeights,
    NetworkShape,
)
from grassmeans.contexts.learned import LearnedEncoder
from grassmeans.contexts.taught import StudentShape, TaughtEncoder
from grassmeans.contexts.teaching import student
from grassmeans.contexts.teaching.lessons import Lesson
from grassmeans.contexts.teaching.student import StudentNetwork, StudentTrainer, compare_voices
from grassmeans.corpus.occurrences import Occurrences, number_words
from grassmeans.geometry.distances import SenseLines
from grassmeans.geometry.windows import ContextShape

N_WORDS, PASSAGE, AXES = 30, 12, 4
SHAPE = StudentShape(
    N_WORDS, dim=16, n_layers=2, head_dim=8, passage=PASSAGE, line_axes=16, deviation_axes=AXES
)


@pytest.fixture(scope="module")
def base() -> LearnedEncoder:
    """A leave-one-out network of random weights."""
    shape = NetworkShape(N_WORDS, dim=16, n_layers=1, head_dim=8, passage=PASSAGE)
    rng = np.random.default_rng(0)
    arrays = {
        name: (0.5 * rng.standard_normal(size)).astype(np.float32)
        for name, size in shape.matrix_shapes().items()
    }
    vectors = rng.standard_normal((N_WORDS, 16)).astype(np.float32)
    words = WordVectors([f"w{i}" for i in range(N_WORDS)], vectors)
    found = LearnedEncoder(
        words, ContextShape(rank=1), frozenset(), LearnedWeights(shape, **arrays)
    )
    found.use_device("torch-cpu")
    return found


def make_trainer(base: LearnedEncoder, seed: int = 3) -> StudentTrainer:
    means = np.zeros((SHAPE.n_ids, AXES), np.float32)
    means[N_SPECIAL:, 0] = 0.25
    weights = np.ones(SHAPE.n_ids, np.float32)
    weights[:N_SPECIAL] = 0.0
    return StudentTrainer(StudentNetwork(SHAPE, seed), 7, base.network, means, weights)


def make_lesson(n: int, seed: int) -> Lesson:
    """Passages of one of two topics: the teacher's first number says which, by its sign."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(2, size=(n, 1))
    ids = (rng.integers(15, size=(n, PASSAGE)) + 15 * topics + N_SPECIAL).astype(np.int32)
    ids[:, 5] = BOUNDARY_ID
    ids[::2, 7] = UNKNOWN_ID
    codes = np.zeros((n, PASSAGE, AXES), np.int8)
    codes[..., 0] = np.where(topics, 125, -75)  # about a mean of 25
    codes[..., 1] = 60 * (ids % 2) - 30
    scales = np.where(ids >= N_SPECIAL, 0.01, 0.0).astype(np.float16)
    scopes = np.cumsum(ids == BOUNDARY_ID, axis=1, dtype=np.int16)
    return Lesson(ids, scopes, codes, scales)


def test_a_place_says_both_voices_and_sees_its_own_word() -> None:
    network = StudentNetwork(SHAPE, 1)
    ids = torch.randint(2, SHAPE.n_ids, (3, 9), generator=torch.Generator().manual_seed(0))
    seen = find_seen(ids, torch.zeros_like(ids), itself=True)
    with torch.no_grad():
        found = network(ids, seen)
        assert found.shape == (3, 9, 16 + AXES)
        other = ids.clone()
        other[0, 4] = N_SPECIAL + (ids[0, 4] + 1) % N_WORDS
        moved = (network(other, seen) - found).abs().amax(-1)
    assert (moved[0] > 1e-5).all()  # all places of the passage, its own above all
    assert moved[0].argmax() == 4
    assert moved[1:].max() == 0


def test_one_seed_gives_one_network() -> None:
    one, same, other = (StudentNetwork(SHAPE, seed).looking for seed in (3, 3, 4))
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_voices_are_compared_by_hand() -> None:
    # Two numbers a voice. Cosines 1 and 0 with lines; 0.6 and 1 with deviations.
    said = torch.tensor([[2.0, 0.0, 3.0, 4.0], [0.0, 1.0, 1.0, 0.0]])
    lines = torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    deviations = torch.tensor([[1.0, 0.0], [2.0, 0.0]])
    found = compare_voices(said, lines, deviations, torch.tensor([3.0, 1.0]))
    assert float(found.line) == pytest.approx((3 * 0 + 1 * 1) / 4)
    assert float(found.deviation) == pytest.approx((3 * 0.4 + 1 * 0) / 4)
    # Squares that are left: 4 + 16 and 1, of 1 and 4.
    assert float(found.variance) == pytest.approx((3 * 20 + 1 * 1) / (3 * 1 + 1 * 4))


def test_what_a_teacher_leaves_out_does_not_count() -> None:
    said = torch.tensor([[1.0, 0.0, 5.0, 5.0], [0.0, 1.0, 1.0, 1.0], [1.0, 1.0, 9.0, 9.0]])
    lines = torch.tensor([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    deviations = torch.tensor([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
    found = compare_voices(said, lines, deviations, torch.tensor([1.0, 1.0, 0.0]))
    assert [float(loss) for loss in found] == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    nothing = compare_voices(said, lines, deviations, torch.zeros(3))
    assert [float(loss) for loss in nothing] == [0.0, 0.0, 0.0]


def test_losses_are_those_of_lines_and_deviations_from_means(base) -> None:
    trainer, lesson = make_trainer(base), make_lesson(3, 0)
    ids, scopes = torch.from_numpy(lesson.ids).long(), torch.from_numpy(lesson.scopes)
    with torch.no_grad():
        said = trainer.network(ids, find_seen(ids, scopes, itself=True)).numpy()
    lines = base.network.encode_all(ids, scopes).numpy().reshape(3, PASSAGE, 16)
    deviations = lesson.codes * lesson.scales.astype(np.float32)[..., None]
    deviations[..., 0] -= 0.25
    known = lesson.ids >= N_SPECIAL

    def cosine(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
        return (one * other).sum(-1) / lengths

    found = trainer.measure_voices(lesson, 8)
    first, second = said[..., :16], said[..., 16:]
    assert found["line"] == pytest.approx(1 - cosine(first, lines)[known].mean(), abs=1e-5)
    expected = 1 - cosine(second[known], deviations[known]).mean()
    assert found["deviation"] == pytest.approx(expected, abs=1e-5)
    left = np.square(second - deviations)[known].sum() / np.square(deviations)[known].sum()
    assert found["variance"] == pytest.approx(left, abs=1e-5)
    assert trainer.measure(lesson, 8) == pytest.approx(sum(found.values()))
    assert found == pytest.approx(trainer.measure_voices(lesson, 1), abs=0.05)


def test_unknown_words_and_boundaries_teach_nothing(base) -> None:
    lesson = make_lesson(4, 0)
    codes, scales = lesson.codes.copy(), lesson.scales.copy()
    codes[lesson.ids < N_SPECIAL] = 99
    scales[lesson.ids < N_SPECIAL] = 5.0
    changed = Lesson(lesson.ids, lesson.scopes, codes, scales)
    trainer = make_trainer(base)
    assert trainer.measure_voices(changed, 4) == trainer.measure_voices(lesson, 4)
    scales = lesson.scales.copy()
    scales[0, :3] = 0.0  # words of which nothing was said
    silent = Lesson(lesson.ids, lesson.scopes, lesson.codes, scales)
    assert trainer.measure_voices(silent, 4) != trainer.measure_voices(lesson, 4)


def test_what_was_read_apart_is_learned_apart(base) -> None:
    lesson = make_lesson(4, 0)
    lesson.scopes[:, 8:] = 7
    ids, scales = lesson.ids.copy(), lesson.scales.copy()
    ids[:, :8] = np.where(ids[:, :8] >= N_SPECIAL, ids[:, 7::-1], ids[:, :8])
    ids[:, :8] = np.maximum(ids[:, :8], N_SPECIAL)  # another text in front
    scales[:, :8] = 0.0
    silent = Lesson(lesson.ids, lesson.scopes, lesson.codes, scales)
    other = Lesson(ids, lesson.scopes, lesson.codes, scales)
    trainer = make_trainer(base)
    found, same = (trainer.measure_voices(part, 4) for part in (silent, other))
    assert found == pytest.approx(same, abs=1e-6)
    joined = Lesson(ids, np.zeros_like(lesson.scopes), lesson.codes, scales)
    assert trainer.measure_voices(joined, 4) != pytest.approx(found, abs=1e-3)


def test_both_voices_are_learned(base) -> None:
    trainer, held_out = make_trainer(base), make_lesson(40, 99)
    before = trainer.measure_voices(held_out, 16)
    assert before["line"] == pytest.approx(1.0, abs=0.3)
    losses = [
        float(trainer.step(make_lesson(32, number), number, number / 120)) for number in range(120)
    ]
    after = trainer.measure_voices(held_out, 16)
    assert np.mean(losses[-5:]) < 0.6 * losses[0]
    assert after["deviation"] < 0.15
    assert after["variance"] < 0.25
    assert after["line"] < 0.6 * before["line"]


def test_some_words_are_read_as_unknown_and_taught_all_the_same(base, monkeypatch) -> None:
    lesson = make_lesson(32, 0)
    lesson.ids[lesson.ids == UNKNOWN_ID] = N_SPECIAL
    known = np.unique(lesson.ids[lesson.ids >= N_SPECIAL])

    def find_gradients() -> np.ndarray:
        trainer = make_trainer(base)
        trainer._find_loss(lesson, 0).backward()
        return trainer.network.vectors.grad.abs().sum(dim=1).numpy()

    found = find_gradients()
    assert found[UNKNOWN_ID] > 0
    assert (found[known] > 0).all()
    monkeypatch.setattr(student, "UNKNOWN_SHARE", 1.0)
    found = find_gradients()
    assert not found[N_SPECIAL:].any()
    assert found[UNKNOWN_ID] > 0
    assert found[BOUNDARY_ID] == 0  # nobody sees it
    monkeypatch.setattr(student, "UNKNOWN_SHARE", 0.0)
    assert find_gradients()[UNKNOWN_ID] == 0


def test_a_step_depends_on_the_state_alone(base) -> None:
    one, other = (make_trainer(base, seed) for seed in (0, 1))
    one.step(make_lesson(4, 0), 0, 0.1)
    other.load(one.state())
    for trainer in (one, other):
        trainer.step(make_lesson(4, 1), 1, 0.2)
    assert one.state().keys() == other.state().keys()
    for name, value in one.state().items():
        assert torch.equal(value, other.state()[name]), name


def test_where_nothing_can_be_compiled_the_network_itself_is_trained(base, monkeypatch) -> None:
    def compile_nothing(network, dynamic):
        def fail(*inputs):
            raise RuntimeError("no compiler")

        return fail

    monkeypatch.setattr(torch, "compile", compile_nothing)
    expected = float(make_trainer(base).step(make_lesson(4, 0), 0, 0.5))
    plain = make_trainer(base)
    means, weights = plain.means, np.ones(SHAPE.n_ids, np.float32)
    weights[:N_SPECIAL] = 0.0
    trainer = StudentTrainer(StudentNetwork(SHAPE, 3), 7, base.network, means, weights, True)
    trainer.prepare(4)
    assert float(trainer.step(make_lesson(4, 0), 0, 0.5)) == expected


DEVICES = [
    "torch-cpu",
    pytest.param(
        "cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
    ),
]


def open_taught(folder, device: str = "cpu") -> TaughtEncoder:
    found = open_contexts(folder, device)
    assert isinstance(found, TaughtEncoder)
    return found


@pytest.fixture(scope="module")
def occurrences(synthetic) -> Occurrences:
    """Passages of all lengths, of known and unknown words, some of them alone."""
    rng = np.random.default_rng(0)
    words = [word for topic in synthetic.topic_words for word in topic[:10]]
    words += ["the", "of", "crane", "unheard"]
    texts = [rng.choice(words, rng.integers(1, 70)).tolist() for _ in range(40)]
    everything = number_words([*texts, ["crane"]])
    return everything[np.flatnonzero(rng.random(len(everything)) < 0.5)]


@pytest.mark.parametrize("device", DEVICES)
def test_lines_are_those_of_the_kernels(taught_folder, occurrences, device, monkeypatch) -> None:
    from grassmeans.contexts.attention import inference

    monkeypatch.setattr(inference, "_TOKENS_A_PASS", 256)  # many passes
    expected = open_taught(taught_folder).encode(occurrences)[:, 0]
    found = open_taught(taught_folder, device).encode(occurrences)[:, 0]
    said = expected.any(axis=1)
    assert (~said).any()  # words that stand alone
    np.testing.assert_array_equal(found.any(axis=1), said)
    np.testing.assert_allclose(np.linalg.norm(found[said], axis=1), 1.0, atol=1e-3)
    assert (found * expected).sum(axis=1)[said].min() > 0.999


def test_few_occurrences_are_those_of_many(taught_folder, occurrences) -> None:
    few = occurrences[np.arange(20)]  # which plain NumPy encodes
    encoder, on_torch = open_taught(taught_folder), open_taught(taught_folder, "torch-cpu")
    plain = encoder.encode(few)[:, 0]
    said = plain.any(axis=1)
    # Both round alike, so that an answer does not change with the company it is in.
    assert (plain * encoder.encode(occurrences)[:20, 0]).sum(axis=1)[said].min() > 0.9999
    assert (plain * on_torch.encode(few)[:, 0]).sum(axis=1)[said].min() > 0.999


@pytest.mark.parametrize("device", DEVICES)
def test_distances_are_those_of_the_kernels(taught_folder, occurrences, device) -> None:
    encoder = open_taught(taught_folder)
    rng = np.random.default_rng(4)
    words = rng.integers(0, 3, len(occurrences))
    drawn = [rng.standard_normal((n, encoder.weights.n_axes)) for n in (1, 4, 2)]
    lines = SenseLines.collect(d / np.linalg.norm(d, axis=1, keepdims=True) for d in drawn)
    expected = encoder.measure(occurrences, words, lines)
    found = open_taught(taught_folder, device).measure(occurrences, words, lines)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_allclose(found, expected, atol=2e-2)


def test_words_that_are_read_as_others_are_so_on_a_device(taught_folder) -> None:
    encoder = open_taught(taught_folder, "torch-cpu").writing_words_as({"crane": "bank"})
    assert encoder.device == "torch-cpu"
    lines = encoder.encode(number_words([["the", "crane", "of"], ["the", "bank", "of"]]))
    np.testing.assert_array_equal(lines[1], lines[4])
