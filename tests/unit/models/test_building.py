"""Corpus and contexts -> model folder."""

from __future__ import annotations

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
