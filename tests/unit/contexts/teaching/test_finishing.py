"""From a trained student to an encoder: nothing is lost but what is rounded."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra encoder")

import torch

from grassmeans import Corpus
from grassmeans.contexts import open_contexts
from grassmeans.contexts.attention.levelling import FEWEST_TO_LEVEL, find_axes
from grassmeans.contexts.attention.network import find_seen
from grassmeans.contexts.attention.reading import TrainingText, mix_corpora
from grassmeans.contexts.attention.stored import N_SPECIAL, TrainingRecord
from grassmeans.contexts.attention.training import EncoderSettings, TrainingPlan
from grassmeans.contexts.learned import LearnedEncoder
from grassmeans.contexts.teaching.finishing import (
    FIRST_SHARE,
    VOICE_SHARE,
    _plan_both,
    export_student,
    finish_student,
    prepare_student,
)
from grassmeans.contexts.teaching.student import StudentTrainer
from grassmeans.contexts.teaching.teacher import Listener, Teacher
from grassmeans.corpus.occurrences import number_words

SEEN = 123


def test_axes_are_the_main_ones_seen_from_the_origin() -> None:
    rng = np.random.default_rng(0)
    lines = rng.normal(size=(500, 4)) * [0.1, 0.5, 0.01, 0.02] + [-3.0, 0.0, 0.0, 0.0]
    axes = find_axes(lines.astype(np.float32), 2)
    assert (axes.shape, axes.dtype) == ((4, 2), np.float32)
    np.testing.assert_allclose(axes, np.eye(4)[:, :2], atol=0.02)  # each with the same end
    whole = find_axes(lines.astype(np.float32), 4)
    np.testing.assert_allclose(whole.T @ whole, np.eye(4), atol=1e-5)


@pytest.fixture(scope="module")
def base(base_folder) -> LearnedEncoder:
    found = open_contexts(base_folder)
    assert isinstance(found, LearnedEncoder)
    return found


@pytest.fixture(scope="module")
def text(topic_corpus, base) -> TrainingText:
    return mix_corpora([topic_corpus], None, 1, 5, words=base.vectors.words)


@pytest.fixture(scope="module")
def teacher(transformer_folder, lessons_folder) -> Teacher:
    return Teacher(str(transformer_folder), "2-3", cache=lessons_folder)


@pytest.fixture(scope="module")
def trainer(text, base, teacher, lessons_folder, taught_folder, brief) -> StudentTrainer:
    """A student whose weights all matter; the lessons are those of the trained one."""
    lessons = Listener(teacher, text, 32, lessons_folder, "cpu", 1)
    assert all(files.is_written(0) for files in lessons.files[0])
    found = prepare_student(text, base, lessons, brief, "cpu", False)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weights in found.network.parameters():
            weights.add_(0.1 * torch.randn(weights.shape, generator=generator))
    return found


def test_a_student_knows_the_words_of_its_base(trainer, base, teacher) -> None:
    shape = trainer.network.shape
    assert (shape.n_words, shape.dim, shape.n_layers) == (len(base.vectors), 64, 1)
    assert (shape.line_axes, shape.deviation_axes) == (base.weights.n_axes, teacher.n_axes)
    assert shape.deviation_axes == 32  # the transformer has no more
    means = trainer.means
    assert means.shape == (shape.n_ids, 32)
    assert not means[:N_SPECIAL].any()
    crane, the = (N_SPECIAL + base.vectors.words.index(word) for word in ("crane", "the"))
    assert (means[crane] != means[the]).any()


def test_an_exported_student_says_what_the_network_says(trainer, text, teacher) -> None:
    weights = export_student(trainer, TrainingRecord(1, 2), teacher)
    assert weights.training == TrainingRecord(1, 2)
    assert weights.teacher == teacher.describe()
    for name, parameter in trainer.network.named_parameters():
        if name != "vectors":
            given = parameter.detach().numpy()
            step = np.abs(given).max(axis=-1, keepdims=True) / 127.5
            assert (np.abs(weights.matrix(name) - given) <= 0.5 * step + 1e-6).all()
    vectors = trainer.network.vectors.detach().numpy()
    np.testing.assert_array_equal(weights.words, vectors[N_SPECIAL:])
    np.testing.assert_allclose(weights.specials.restore(), vectors[:N_SPECIAL], atol=0.01)
    np.testing.assert_array_equal(weights.means, trainer.means[N_SPECIAL:])
    shape = weights.shape
    lengths = np.diag(weights.axes)
    assert lengths.tolist() == pytest.approx(
        [1.0] * shape.line_axes + [VOICE_SHARE] * shape.deviation_axes
    )


def test_finished_lines_are_those_of_both_voices(trainer, text, base, teacher) -> None:
    encoder = finish_student(trainer, text, base, teacher, SEEN, random_state=0)
    assert encoder.weights.training == TrainingRecord(123, text.n_tokens)
    assert list(encoder.vectors.words) == list(base.vectors.words)
    assert encoder.function_words == text.function_words
    words = ["the", "crane", "birdba", "of", "birdbe", "bank"]
    lines = encoder.encode(number_words([words]))[:, 0]
    ids = encoder.ids_of(words)[:6]
    with torch.no_grad():
        given = torch.from_numpy(ids[None]).long()
        seen = find_seen(given, torch.zeros_like(given), itself=True)
        said = trainer.network(given, seen)[0].float().numpy()
    first, second = np.split(said, [base.weights.n_axes], axis=1)
    second = second + 0.5 * trainer.means[ids]
    both = np.concatenate(
        [v / np.linalg.norm(v, axis=1, keepdims=True) for v in (first, second)], axis=1
    )
    both[:, base.weights.n_axes :] *= VOICE_SHARE
    expected = both / np.linalg.norm(both, axis=1, keepdims=True)
    # All axes are kept here, so that what lies between lines is what lies between voices.
    assert encoder.weights.n_axes == both.shape[1]
    np.testing.assert_allclose(lines @ lines.T, expected @ expected.T, atol=0.02)
    again = finish_student(trainer, text, base, teacher, SEEN, random_state=0)
    assert again.identity() == encoder.identity()


def test_words_lie_where_contexts_do_that_speak_of_them(trainer, text, base, teacher) -> None:
    encoder = finish_student(trainer, text, base, teacher, SEEN, random_state=0)
    one, other = (encoder.vectors.words.index(word) for word in ("crane", "bank"))
    placed = np.asarray(encoder.vectors.vectors)
    np.testing.assert_allclose(np.linalg.norm(placed, axis=1), 1.0, rtol=1e-4)

    def cosine(rows: np.ndarray) -> float:
        return float(rows[one] @ rows[other] / np.linalg.norm(rows[one])) / np.linalg.norm(
            rows[other]
        )

    lines, means = np.asarray(base.vectors.vectors), trainer.means[N_SPECIAL:]
    share = VOICE_SHARE**2
    expected = (cosine(lines) + share * cosine(means)) / (1 + share)
    assert placed[one] @ placed[other] == pytest.approx(expected, abs=0.02)


def test_few_contexts_tell_nothing_of_axes(trainer, base, teacher, topic_corpus) -> None:
    small = Corpus.from_texts(["the crane of birdba", "a crane in birdbe"])
    text = mix_corpora([small], None, 1, 5, words=base.vectors.words)
    assert small.n_tokens < FEWEST_TO_LEVEL
    encoder = finish_student(trainer, text, base, teacher, SEEN, random_state=0)
    assert np.count_nonzero(encoder.weights.axes) == encoder.weights.shape.n_voices


def plan_training(corpus: Corpus, device: str = "cpu", **settings: float) -> TrainingPlan:
    chosen = EncoderSettings(batch_tokens=4096, **settings)
    return TrainingPlan([corpus], None, chosen, device, 1, False, 0.0)


def test_both_networks_together_take_the_minutes_that_are_given(topic_corpus) -> None:
    plan = plan_training(topic_corpus, minutes=9)
    alone, own = _plan_both(plan, FIRST_SHARE)
    assert (alone.settings.minutes, own.minutes) == (3.0, 6.0)
    assert alone.corpora is plan.corpora
    assert _plan_both(plan, 0.0)[1].minutes == 9  # the other one is there already


def test_each_network_takes_the_epochs_that_are_given(topic_corpus) -> None:
    alone, own = _plan_both(plan_training(topic_corpus, epochs=4), 0.5)
    assert (alone.settings.epochs, own.epochs) == (4, 4)


def test_steps_of_a_student_are_larger_on_a_gpu(topic_corpus) -> None:
    for device, expected in (("cpu", 4096), ("cuda", 8192)):
        alone, own = _plan_both(plan_training(topic_corpus, device, epochs=1), 0.5)
        assert (alone.settings.batch_tokens, own.batch_tokens) == (4096, expected)
