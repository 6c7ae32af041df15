"""What goes with the weights of a network, and what it says of itself."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.artifacts.checking import MANIFEST
from grassmeans.contexts.attention.stored import (
    LearnedWeights,
    NetworkShape,
    TrainingRecord,
    read_weights,
    write_weights,
)
from grassmeans.contexts.learned import LearnedEncoder
from grassmeans.errors import ArtifactError
from grassmeans.geometry.windows import ContextShape


@pytest.mark.parametrize(
    ("record", "lack"),
    [
        (TrainingRecord(36_864, 3_500_000), "has seen 36,864 tokens of a corpus of 3,500,000"),
        (TrainingRecord(899, 1_000), "has seen 899 tokens of a corpus of 1,000"),
        (TrainingRecord(900, 1_000), ""),
        (TrainingRecord(30_000_000, 10**9), ""),  # enough, however large the corpus
        (TrainingRecord(29_999_999, 10**9), "has seen 29,999,999 tokens"),
        (TrainingRecord(1_000, 1_000, 6.4, 7.0), "a loss of 6.40 in place of 7.00 nats a word"),
        (TrainingRecord(1_000, 1_000, 6.2, 7.0), ""),  # 6.3 is a tenth less
        (TrainingRecord(1_000, 1_000, 7.5, None), ""),
    ],
)
def test_which_training_was_too_little(record, lack) -> None:
    said = record.describe_lack()
    assert lack in said
    assert bool(said) == bool(lack)
    if said:
        assert "train it longer (epochs=..., minutes=...)" in said


@pytest.fixture
def weights() -> LearnedWeights:
    shape = NetworkShape(3, dim=8, n_layers=1, head_dim=4, passage=16)
    rng = np.random.default_rng(0)
    sizes = shape.matrix_shapes().items()
    return LearnedWeights(
        shape=shape,
        training=TrainingRecord(5, 100, 6.5, None),
        **{name: rng.standard_normal(size).astype(np.float32) for name, size in sizes},
    )


def test_the_training_goes_wherever_the_weights_go(weights, tmp_path) -> None:
    write_weights(tmp_path / "encoder", weights)
    read = read_weights(tmp_path / "encoder")
    assert read.training == weights.training
    vectors = WordVectors(["a", "b", "c"], np.eye(3, 8, dtype=np.float32))
    encoder = LearnedEncoder(vectors, ContextShape(rank=1), frozenset(), read)
    assert "5 tokens of a corpus of 100" in encoder.remark
    encoder.save(tmp_path / "model")
    assert read_weights(tmp_path / "model" / "encoder").training == weights.training


def test_weights_that_do_not_know_their_training_say_nothing(weights, tmp_path) -> None:
    write_weights(tmp_path, weights)
    path = tmp_path / MANIFEST
    told = json.loads(path.read_text())
    del told["training"]
    told.pop("manifest_digest", None)
    path.write_text(json.dumps(told))
    read = read_weights(tmp_path)
    vectors = WordVectors(["a", "b", "c"], np.eye(3, 8, dtype=np.float32))
    assert LearnedEncoder(vectors, ContextShape(rank=1), frozenset(), read).remark == ""
    path.write_text(json.dumps(told | {"training": {"tokens_seen": "many"}}))
    with pytest.raises(ArtifactError, match=re.escape(str(path))):
        read_weights(tmp_path)
