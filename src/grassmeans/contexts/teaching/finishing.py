"""From what a teacher said to a student, and from a trained student to an encoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from grassmeans.arrays import Floats
from grassmeans.contexts.attention.inference import DeviceNetwork
from grassmeans.contexts.attention.levelling import FEWEST_TO_LEVEL, sample_texts
from grassmeans.contexts.attention.mixing import TrainingText
from grassmeans.contexts.attention.stored import N_SPECIAL, TrainingRecord
from grassmeans.contexts.attention.training import HEAD_DIM, EncoderSettings
from grassmeans.contexts.learned import LearnedEncoder
from grassmeans.contexts.taught import TaughtEncoder
from grassmeans.contexts.teaching.student import StudentNetwork, StudentTrainer
from grassmeans.contexts.teaching.student_weights import StudentShape, StudentWeights, round_matrix
from grassmeans.contexts.teaching.teacher import Listener, Teacher, measure_means, weigh_words
from grassmeans.geometry.windows import ContextShape
from grassmeans.vectors.similarity import unit_rows
from grassmeans.vectors.word_vectors import WordVectors

VOICE_SHARE = 0.8
"""Length of what does stand in a place beside 1 of what could."""

MOST_AXES = 256
"""Of the lines of both voices together."""


def prepare_student(
    text: TrainingText,
    base: LearnedEncoder,
    lessons: Listener,
    settings: EncoderSettings,
    device: str,
    compiled: bool,
) -> StudentTrainer:
    """A student that has learned nothing yet, beside its two teachers."""
    assert settings.dim is not None
    assert settings.layers is not None
    shape = StudentShape(
        len(text.words),
        settings.dim,
        settings.layers,
        HEAD_DIM,
        passage=settings.passage,
        line_axes=base.weights.n_axes,
        deviation_axes=lessons.teacher.n_axes,
    )
    on_gpu = device == "cuda"
    dtype = torch.bfloat16 if on_gpu else torch.float32
    network = StudentNetwork(shape, settings.random_state, dtype).to(device)
    means = measure_means(lessons.files, shape.n_ids, device)
    base.use_device("cuda" if on_gpu else "torch-cpu")
    sent = base.network
    assert isinstance(sent, DeviceNetwork)
    seed = settings.random_state
    return StudentTrainer(network, seed, sent, means, weigh_words(text), compiled)


def export_student(
    trainer: StudentTrainer, record: TrainingRecord, teacher: Teacher
) -> StudentWeights:
    """A trained student as plain arrays; its voices are not joined yet."""
    network = trainer.network
    arrays = {
        name: weights.detach().to("cpu", torch.float32).numpy().copy()
        for name, weights in network.named_parameters()
    }
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
    report: Mapping[str, Any],
    random_state: int,
) -> TaughtEncoder:
    """An encoder of a trained student: its voices joined, and words among its lines."""
    record = TrainingRecord(report["tokens_seen"], text.n_tokens)
    weights = export_student(trainer, record, teacher)
    words = np.concatenate(
        [unit_rows(np.asarray(base.vectors.vectors)), unit_rows(np.asarray(weights.means))], axis=1
    )
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


def find_axes(lines: Floats, n_axes: int) -> Floats:
    """(dim, n_axes) the main axes of unit lines (n, dim), seen from the origin."""
    rows = lines.astype(np.float64)
    _, vectors = np.linalg.eigh(rows.T @ rows)
    axes = vectors[:, ::-1][:, :n_axes]
    signed = axes * np.where(axes.sum(axis=0) < 0, -1.0, 1.0)  # one of two ends, always the same
    return np.ascontiguousarray(signed, np.float32)
