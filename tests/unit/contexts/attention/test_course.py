"""The time of a training: what it is spent on, and when it is over."""

from __future__ import annotations

import json
import math
import time

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra encoder")

from safetensors import safe_open
from safetensors.torch import save_file

from grassmeans import Corpus
from grassmeans.artifacts.writing import read_manifest
from grassmeans.contexts.attention import course as course_module
from grassmeans.contexts.attention.course import N_MEASURES, Course, CourseLength, frequency_loss
from grassmeans.contexts.attention.network import LeaveOneOutNetwork
from grassmeans.contexts.attention.optimising import Trainer
from grassmeans.contexts.attention.reading import PassageReader, mix_corpora
from grassmeans.contexts.attention.stored import NetworkShape
from grassmeans.contexts.attention.training import EncoderSettings, train_encoder

BATCH = 20


@pytest.fixture(scope="module")
def corpus(synthetic) -> Corpus:
    """Much of it is held out: every fortieth document is a hundred times as long."""
    long = " ".join(synthetic.documents[:100])
    return Corpus.from_texts(
        [long if i % 40 == 39 else text for i, text in enumerate(synthetic.documents)]
    )


@pytest.fixture
def make_course(corpus):
    def make(**ending) -> Course:
        n_words = corpus.vocabulary.size_at(5)
        network = LeaveOneOutNetwork(NetworkShape(n_words, 64, 1, 64, passage=32), 0)
        text = mix_corpora([corpus], None, n_words, 5)
        reader = PassageReader(corpus.shards, text.numbers[0], 32)
        return Course(Trainer(network, 0), reader, CourseLength(BATCH, **ending), text.counts)

    return make


def test_the_loss_of_frequencies_by_hand() -> None:
    # Ids 2 and 3 are words, of 6 and 2 occurrences; 0 and 1 are none.
    passages = np.array([[2, 3, 1], [2, 0, 1]], np.int32)
    expected = (2 * math.log(8 / 6) + math.log(8 / 2)) / 3
    assert frequency_loss(passages, np.array([6, 2])) == pytest.approx(expected, abs=1e-4)
    assert frequency_loss(np.array([[0, 1]], np.int32), np.array([6, 2])) is None


def test_a_tenth_of_the_work_is_measuring(make_course, tmp_path, monkeypatch) -> None:
    measured: list[int] = []
    measure = Trainer.measure

    def count(self, passages, at_once):
        measured.append(len(passages))
        return measure(self, passages, at_once)

    monkeypatch.setattr(Trainer, "measure", count)
    report = make_course(n_steps=30).run(tmp_path / "checkpoint", False)
    # Three steps of twenty passages between two measurements.
    assert measured == [6] * N_MEASURES
    assert report["tokens_seen"] == 30 * BATCH * 32
    assert report["held_out_loss"] == report["curve"][-1]["held_out_loss"] > 0
    # Of eight topics of 40 words each and eight function words, little is known by frequency.
    assert 4.0 < report["frequency_loss"] < math.log(332)


def test_time_before_the_first_step_counts(make_course, tmp_path) -> None:
    started = time.perf_counter() - 3_600
    report = make_course(seconds=3_600, started=started).run(tmp_path / "checkpoint", False)
    assert report["tokens_seen"] == BATCH * 32  # one step there is in any case
    assert report["seconds"] >= 3_600
    assert len(report["curve"]) == 1


def test_minutes_are_those_of_all_visits(corpus, tmp_path, monkeypatch) -> None:
    steps: list[int] = []
    step = Trainer.step

    def fail_once(self, ids, number, progress):
        steps.append(number)
        if number == 3 and steps.count(3) == 1:
            raise RuntimeError("killed")
        return step(self, ids, number, progress)

    monkeypatch.setattr(course_module, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(Trainer, "step", fail_once)
    settings = EncoderSettings(dim=64, layers=1, passage=32, minutes=60, batch_tokens=640)
    with pytest.raises(RuntimeError, match="killed"):
        train_encoder(corpus, tmp_path / "encoder", settings, device="cpu", workers=1)
    (checkpoint,) = tmp_path.rglob("checkpoint.safetensors")
    with safe_open(checkpoint, framework="pt") as stored:
        log = json.loads(stored.metadata()["log"])
        tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
    assert 0 < log["seconds"] < 600
    save_file(tensors, checkpoint, {"log": json.dumps(log | {"seconds": 3_600.0})})
    train_encoder(corpus, tmp_path / "encoder", settings, device="cpu", workers=1)
    assert steps == [0, 1, 2, 3]  # the hour was over: what there is was written
    manifest = read_manifest(tmp_path / "encoder")
    assert manifest["tokens_seen"] == 3 * 640
    assert manifest["held_out_loss"] > 0
