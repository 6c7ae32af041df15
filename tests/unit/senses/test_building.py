

def test_contexts_of_a_model_bring_its_rule_for_answers(tmp_path, topic_corpus, topic_vectors):
    first = build_model(topic_corpus.path, topic_vectors.folder, tmp_path / "a", ["crane"])
    manifest = {"answer_curve": {"intercept": 1.5, "log_margin": 0.5}}
    known = replace_manifest(first, manifest)
    known.save(tmp_path / "known")
    second = build_model(topic_corpus.path, tmp_path / "known", tmp_path / "b", ["crane"])
    assert second.manifest["answer_curve"] == manifest["answer_curve"]
    third = build_model(
        topic_corpus.path, tmp_path / "known", tmp_path / "c", ["crane"], calibrated=False
    )
    assert third.calibration is None


def replace_manifest(model, changes):
    """The same model with other fields."""
    return SenseModel(model.encoder, model.inventory, model.tokenizer, model.manifest | changes)
