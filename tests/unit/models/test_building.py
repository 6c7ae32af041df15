"""Corpus and contexts -> model folder."""

from __future__ import annotations

import filecmp

import pytest

from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.errors import InputError
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.building import build_model
from grassmeans.models.model import SenseModel

CURVE = {"answer_curve": {"intercept": 1.5, "log_margin": 0.5}}


def test_contexts_of_a_model_bring_its_rule_for_answers(tmp_path, topic_corpus, topic_vectors):
    corpus = topic_corpus.path
    first = build_model(corpus, topic_vectors.folder, tmp_path / "first", ["crane"], workers=1)
    fields = first.manifest | CURVE
    SenseModel(first.encoder, first.inventory, first.tokenizer, fields).save(tmp_path / "known")
    second = build_model(corpus, tmp_path / "known", tmp_path / "second", ["crane"], workers=1)
    assert second.manifest["answer_curve"] == CURVE["answer_curve"]
    plain = build_model(
        corpus, tmp_path / "known", tmp_path / "plain", ["crane"], calibrated=False, workers=1
    )
    assert plain.calibration is None


def same_files(first, second) -> bool:
    names = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    others = sorted(path.relative_to(second) for path in second.rglob("*") if path.is_file())
    compared = [name for name in names if name.name != "manifest.json"]  # it has the time
    return names == others and not filecmp.cmpfiles(first, second, compared, shallow=False)[1]


def test_fit_writes_the_folder_that_build_model_writes(tmp_path, topic_corpus, topic_vectors):
    words = ["crane", "bank"]
    built = build_model(
        topic_corpus.path, topic_vectors.folder, tmp_path / "built", words, n_senses=2, workers=1
    )
    fitted = SenseModel.fit(
        topic_corpus, words, contexts=topic_vectors, output=tmp_path / "fitted", n_senses=2
    )
    assert fitted.folder == tmp_path / "fitted"
    assert same_files(tmp_path / "built", tmp_path / "fitted")
    assert fitted.digest == built.digest
    assert fitted.calibration == built.calibration
    in_memory = SenseModel.fit(topic_corpus, words, contexts=topic_vectors, n_senses=2)
    assert (in_memory.folder, in_memory.digest) == (None, built.digest)
    with pytest.raises(InputError, match="fitted"):
        SenseModel.fit(topic_corpus, words, contexts=topic_vectors, output=tmp_path / "fitted")


def test_contexts_of_every_kind_come_into_the_folder(tmp_path, topic_corpus, topic_vectors):
    encoder = SubspaceEncoder(topic_vectors, ContextShape(), topic_corpus.function_words)
    given = {"vectors": topic_vectors, "folder": topic_vectors.folder, "encoder": encoder}
    digests = set()
    for name, contexts in given.items():
        options = {"contexts": contexts, "n_senses": 2, "calibrated": False}
        model = SenseModel.fit(topic_corpus, "crane", output=tmp_path / name, **options)
        digests.add(model.digest)
        assert model.vectors.folder == tmp_path / name / "vectors"
    again = SenseModel.fit(
        topic_corpus, "crane", output=tmp_path / "again", contexts=model, n_senses=2
    )
    assert digests == {again.digest}


def test_what_is_not_calibrated_has_no_rule(topic_corpus, topic_vectors):
    first = SenseModel.fit(topic_corpus, "crane", contexts=topic_vectors)
    known = SenseModel(first.encoder, first.inventory, first.tokenizer, CURVE)
    assert SenseModel.fit(topic_corpus, "crane", contexts=known).calibration is not None
    without = SenseModel.fit(topic_corpus, "crane", contexts=known, calibrated=False)
    assert without.calibration is None
