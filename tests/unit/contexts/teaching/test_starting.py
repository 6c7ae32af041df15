"""A training that goes on from an encoder: what is known is kept, and what cannot be is refused."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra encoder")


from grassmeans.contexts import open_contexts
from grassmeans.contexts.attention.stored import N_SPECIAL
from grassmeans.contexts.attention.training import EncoderSettings, train_encoder
from grassmeans.contexts.taught import LAYERS, StudentShape, TaughtEncoder
from grassmeans.contexts.teaching import finishing
from grassmeans.contexts.teaching.finishing import prepare_student
from grassmeans.contexts.teaching.starting import PACE, give_weights, read_start, take_sizes
from grassmeans.contexts.teaching.student import StudentNetwork
from grassmeans.contexts.teaching.teacher import Teacher
from grassmeans.errors import InputError


@pytest.fixture(scope="module")
def start(taught_folder) -> TaughtEncoder:
    return read_start(taught_folder)


def test_its_words_and_layers_are_taken_and_new_words_stay_new(start) -> None:
    words = [start.vectors.words[1], "unheard-of", start.vectors.words[0]]
    old = start.weights.shape
    shape = StudentShape(
        3, old.dim, old.n_layers, old.head_dim, passage=16, line_axes=4, deviation_axes=6
    )
    network = StudentNetwork(shape, seed=3)
    before = network.export()
    give_weights(start, words, network)
    after = network.export()
    for name in LAYERS:
        np.testing.assert_array_equal(after[name], start.weights.matrix(name))
        assert (after[name] != before[name]).any()
    np.testing.assert_array_equal(after["vectors"][:N_SPECIAL], start.weights.specials.restore())
    known = np.asarray(start.weights.words[np.array([1, 0])])
    np.testing.assert_array_equal(after["vectors"][N_SPECIAL:][[0, 2]], known)
    np.testing.assert_array_equal(after["vectors"][N_SPECIAL + 1], before["vectors"][3])
    np.testing.assert_array_equal(after["voices"], before["voices"])  # of other axes


def test_its_sizes_are_taken_and_others_refused(start) -> None:
    shape = start.weights.shape
    found = take_sizes(start, EncoderSettings(epochs=2))
    assert (found.dim, found.layers, found.epochs) == (shape.dim, shape.n_layers, 2)
    with pytest.raises(InputError, match=rf"has layers={shape.n_layers}, got 7: leave layers out"):
        take_sizes(start, EncoderSettings(layers=7))
    with pytest.raises(InputError, match=rf"has dim={shape.dim}, got 640"):
        take_sizes(start, EncoderSettings(dim=640))


def test_what_had_no_teacher_is_nothing_to_go_on_from(base_folder, topic_corpus, tmp_path) -> None:
    with pytest.raises(InputError, match="no encoder that was trained with a teacher"):
        read_start(base_folder)
    with pytest.raises(InputError, match=r"\(start=\.\.\.\) is for one with a teacher"):
        train_encoder(topic_corpus, tmp_path / "new", start=base_folder)
    assert not (tmp_path / "new").exists()


def test_a_training_goes_on_and_tells_so(
    start,
    taught_folder,
    topic_corpus,
    base_folder,
    transformer_folder,
    lessons_folder,
    tmp_path,
    monkeypatch,
) -> None:
    trainers = []

    def prepare(*given):
        trainers.append(prepare_student(*given))
        return trainers[-1]

    monkeypatch.setattr(finishing, "prepare_student", prepare)
    teacher = Teacher(str(transformer_folder), "2-3", cache=lessons_folder)
    given = {"teacher": teacher, "base": base_folder, "device": "cpu", "workers": 1}
    settings = EncoderSettings(passage=32, epochs=0.001, batch_tokens=64)
    shutil.copytree(taught_folder, tmp_path / "old")
    for name in ("new", "fresh"):
        begun = {"start": tmp_path / "old"} if name == "new" else {}
        size = EncoderSettings(dim=64, layers=1, passage=32, epochs=0.001, batch_tokens=64)
        train_encoder(topic_corpus, tmp_path / name, settings if begun else size, **given, **begun)
    found, fresh = (open_contexts(tmp_path / name) for name in ("new", "fresh"))
    assert isinstance(found, TaughtEncoder)
    assert isinstance(fresh, TaughtEncoder)

    def distance(encoder: TaughtEncoder) -> float:
        pairs = [(w.weights.matrix("mixing") for w in (encoder, start))]
        return max(float(np.abs(one - other).max()) for one, other in pairs)

    assert [trainer.pace for trainer in trainers] == [PACE, 1.0]
    assert distance(found) < 0.1 < distance(fresh)  # one step changed little
    manifest = json.loads((tmp_path / "new" / "manifest.json").read_text())
    seen = start.weights.training.tokens_seen
    assert manifest["start"] == {"digest": start.identity(), "tokens_seen": seen}
    assert found.weights.training.tokens_seen == seen + manifest["tokens_seen"]
    assert "start" not in json.loads((tmp_path / "fresh" / "manifest.json").read_text())
