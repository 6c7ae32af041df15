"""A student's training as a whole: from what a teacher says to an encoder in its folder."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.artifacts.checking import MANIFEST
from grassmeans.artifacts.writing import read_manifest
from grassmeans.contexts import read_encoder
from grassmeans.contexts.attention.course import Course, CourseLength
from grassmeans.contexts.attention.inference import DeviceNetwork
from grassmeans.contexts.attention.levelling import FEWEST_TO_LEVEL, find_axes, sample_texts
from grassmeans.contexts.attention.network import choose_dtype
from grassmeans.contexts.attention.reading import MixedReader, TrainingText
from grassmeans.contexts.attention.stored import N_SPECIAL, TrainingRecord, round_matrix
from grassmeans.contexts.attention.training import (
    CHECKPOINT,
    FORMAT_VERSION,
    KIND,
    EncoderSettings,
    TrainingPlan,
    shape_network,
    train_alone,
    write_encoder,
)
from grassmeans.contexts.learned import LearnedEncoder
from grassmeans.contexts.taught import StudentShape, StudentWeights, TaughtEncoder
from grassmeans.contexts.teaching.lessons import measure_means
from grassmeans.contexts.teaching.starting import PACE, give_weights
from grassmeans.contexts.teaching.student import StudentNetwork, StudentTrainer
from grassmeans.contexts.teaching.teacher import Listener, Teacher, weigh_words
from grassmeans.errors import InputError
from grassmeans.geometry.windows import ContextShape
from grassmeans.outputs.places import Building
from grassmeans.vectors.similarity import unit_rows
from grassmeans.vectors.word_vectors import WordVectors

VOICE_SHARE = 0.8  # length of what does stand in a place beside 1 of what could
FIRST_SHARE = 1 / 3  # of the minutes of a training: of the network that a student learns from
FIRST_SHARE_GOING_ON = 0.4  # the same for a student that knows much already
MOST_AXES = 256  # of the lines of both voices together
_CHECKPOINT, _BASE, _LESSONS = "student.safetensors", "base", "lessons"


def teach(
    plan: TrainingPlan,
    teacher: Teacher,
    base: str | Path | None,
    start: TaughtEncoder | None,
    building: Building,
    tell: Callable[[str], None] | None,
) -> None:
    """Train a student into a folder, and what it learns from before that."""
    settings, show, scratch = plan.settings, plan.show_progress, building.scratch
    first = scratch / _BASE if base is None else Path(base)
    known = None if base is None else _read_base(first, settings.passage)
    text = plan.mix(None if known is None else known.vectors.words)
    folder = scratch / _LESSONS if teacher.cache is None else Path(teacher.cache)
    lessons = Listener(teacher, text, settings.passage, folder, plan.device, plan.workers, show)
    lessons.prepare(tell)
    share = FIRST_SHARE if start is None else FIRST_SHARE_GOING_ON
    first_plan, own = _plan_both(plan, 0.0 if base is not None else share)
    if base is None and not (first / MANIFEST).exists():
        first.mkdir(exist_ok=True)
        # A GPU has room for both; on a CPU they would only wait for each other.
        beside = lessons.listen_beside() if plan.device == "cuda" else contextlib.nullcontext()
        with beside:
            train_alone(first_plan, first, scratch / CHECKPOINT)
    found = known or _read_base(first, settings.passage)
    reader = MixedReader(lessons.listen(), text.shares)
    length = CourseLength.plan(own, reader.n_passages, None)
    trainer = prepare_student(text, found, lessons, settings, plan.device, length.is_long)
    fields = plan.describe() | {"teacher": teacher.describe()}
    seen_before = 0
    if start is not None:
        give_weights(start, text.words, trainer.network)
        trainer.pace = PACE
        if start.weights.training is not None:
            seen_before = start.weights.training.tokens_seen
        fields["start"] = {"digest": start.identity(), "tokens_seen": seen_before}
    report = Course(trainer, reader, length).run(scratch / _CHECKPOINT, show)
    seen = seen_before + report["tokens_seen"]
    encoder = finish_student(trainer, text, found, teacher, seen, settings.random_state)
    held_out = reader.held_out()
    report["voices"] = None
    if len(held_out):
        report["voices"] = trainer.measure_voices(held_out, length.batch_passages)
    write_encoder(building.folder, encoder, fields | report)


def _plan_both(plan: TrainingPlan, share: float) -> tuple[TrainingPlan, EncoderSettings]:
    """The plan of the leave-one-out network, and the settings of the student.

    Where the clock ends a training, the steps of both together take the time that is given, of
    which the first one has a ``share``; what
    waits for a compiler, or for the teacher, is not counted. On a GPU a student's
    steps have twice the tokens: it needs no choice between all words, and waits for launches.
    """
    alone, own = plan, plan.settings
    if own.minutes is not None and share:
        first = share * own.minutes
        alone = replace(plan, settings=replace(own, minutes=first), started=None)
        own = replace(own, minutes=own.minutes - first)
    if plan.device == "cuda" and own.batch_tokens is not None:
        own = replace(own, batch_tokens=2 * own.batch_tokens)
    return alone, own


def _read_base(folder: Path, passage: int) -> LearnedEncoder:
    """The encoder whose lines a student learns; refuses what cannot be one."""
    found = read_encoder(folder, read_manifest(folder, KIND, FORMAT_VERSION))
    if not isinstance(found, LearnedEncoder):
        raise InputError(f"{folder} is no encoder that was trained without a teacher: give another")
    if (longest := found.weights.shape.passage) < passage:
        raise InputError(
            f"{folder} reads {longest} tokens at once, fewer than {passage}: take "
            f"passage={longest}, or another encoder to start from"
        )
    return found


def prepare_student(
    text: TrainingText,
    base: LearnedEncoder,
    lessons: Listener,
    settings: EncoderSettings,
    device: str,
    compiled: bool,
) -> StudentTrainer:
    """A student that has learned nothing yet, beside its two teachers."""
    voices = {"line_axes": base.weights.n_axes, "deviation_axes": lessons.teacher.n_axes}
    shape = shape_network(StudentShape, len(text.words), settings, **voices)
    network = StudentNetwork(shape, settings.random_state, device, choose_dtype(device))
    means = measure_means(lessons.files, shape.n_ids, device)
    base.use_device("cuda" if device == "cuda" else "torch-cpu")
    sent = base.network
    assert isinstance(sent, DeviceNetwork)
    seed = settings.random_state
    return StudentTrainer(network, seed, sent, means, weigh_words(text), compiled)


def export_student(
    trainer: StudentTrainer, record: TrainingRecord, teacher: Teacher
) -> StudentWeights:
    """A trained student as plain arrays; its voices are not joined yet."""
    network = trainer.network
    arrays = network.export()
    vectors = arrays.pop("vectors")
    shape: StudentShape = network.shape
    lengths = [1.0] * shape.line_axes + [VOICE_SHARE] * shape.deviation_axes
    rounded = {name: round_matrix(matrix) for name, matrix in arrays.items()}
    return StudentWeights(
        shape,
        words=vectors[N_SPECIAL:],
        specials=round_matrix(vectors[:N_SPECIAL]),
        means=trainer.means[N_SPECIAL:],
        axes=np.diag(np.array(lengths, np.float32)),
        training=record,
        teacher=teacher.describe(),
        **rounded,
    )


def finish_student(
    trainer: StudentTrainer,
    text: TrainingText,
    base: LearnedEncoder,
    teacher: Teacher,
    tokens_seen: int,
    random_state: int,
) -> TaughtEncoder:
    """An encoder of a trained student: its voices joined, and words among its lines."""
    record = TrainingRecord(tokens_seen, text.n_tokens)
    weights = export_student(trainer, record, teacher)
    both = (base.vectors.vectors, weights.means)
    words = np.concatenate([unit_rows(np.asarray(rows)) for rows in both], axis=1)
    whole = _place(text, words, weights)
    whole.use_device(base.device)
    samples = sample_texts(text.corpora, text.shares, whole, random_state)
    lines = np.concatenate([whole.encode_at(*sample)[:, 0] for sample in samples])
    lines = lines[lines.any(axis=1)]
    if len(lines) < FEWEST_TO_LEVEL:
        return whole
    axes = weights.axes @ find_axes(lines, min(MOST_AXES, lines.shape[1]))
    return _place(text, words, replace(weights, axes=axes))


def _place(text: TrainingText, words: Floats, weights: StudentWeights) -> TaughtEncoder:
    """The encoder whose words (n_words, n_voices) lie where contexts do that speak of them."""
    placed = unit_rows((words @ weights.axes).astype(np.float32))
    vectors = WordVectors(list(text.words), placed, text.counts)
    return TaughtEncoder(vectors, ContextShape(rank=1), text.function_words, weights)
