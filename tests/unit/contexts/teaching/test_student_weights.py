"""A student on disk: rounded once, and damage is noticed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from damage import edit_manifest, make_old
from grassmeans.artifacts.writing import read_manifest
from grassmeans.contexts.attention.stored import TrainingRecord
from grassmeans.contexts.teaching.student_weights import (
    LAYERS,
    StudentShape,
    StudentWeights,
    read_student,
    round_matrix,
    write_student,
)
from grassmeans.errors import ArtifactError
from grassmeans.vectors.quantising import quantise_rows

SHAPE = StudentShape(
    5, dim=8, n_layers=2, head_dim=4, passage=16, inner_factor=2, line_axes=3, deviation_axes=4
)
TEACHER = {"source": "some/teacher", "layers": "7,8,9", "digest": "abc", "licence": None}


def make_weights(seed: int = 0) -> StudentWeights:
    rng = np.random.default_rng(seed)

    def draw(*size: int) -> np.ndarray:
        return rng.standard_normal(size).astype(np.float32)

    rounded = {name: round_matrix(draw(*size)) for name, size in SHAPE.matrix_shapes().items()}
    return StudentWeights(
        SHAPE,
        words=draw(5, 8),
        means=draw(5, 4),
        axes=draw(7, 6).astype(np.float16).astype(np.float32),
        training=TrainingRecord(5, 100),
        teacher=TEACHER,
        **rounded,
    )


def test_shapes_are_those_of_the_network() -> None:
    assert (SHAPE.n_voices, SHAPE.n_heads, SHAPE.n_ids) == (7, 2, 7)
    assert SHAPE.matrix_shapes() == {
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
    assert (read.shape, read.training, read.teacher) == (SHAPE, weights.training, TEACHER)
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
        *({name: round_matrix(rng.random(SHAPE.matrix_shapes()[name]))} for name in LAYERS),
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
