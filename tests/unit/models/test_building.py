"""Corpus and contexts -> model folder."""

from __future__ import annotations

import filecmp
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from grassmeans import find_senses
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.errors import InputError
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.building import build_model
from grassmeans.models.compacting import compact_model
from grassmeans.models.model import SenseModel, load
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.samples import sample_word

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


def test_without_a_number_each_word_has_its_own(tmp_path, topic_corpus, topic_vectors):
    built = build_model(
        topic_corpus.path, topic_vectors.folder, tmp_path / "built", ["crane"], workers=1
    )
    assert built.settings.n_senses == "auto"


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


def test_forms_of_a_word_have_one_entry(
    forms_model, forms_corpus, topic_model, synthetic, tmp_path
):
    entry, alone = forms_model["cranes"], topic_model["crane"]
    assert forms_model.words == ("crane", "bank")
    assert "Cranes" in forms_model
    # The contexts are those of the corpus in which all of them are "crane", but for the plural, a
    # word without a vector, in some of them.
    assert (entry.count, entry.n_contexts) == (alone.count, alone.n_contexts)
    np.testing.assert_allclose(entry.directions, alone.directions, atol=2e-3)
    n_plural = forms_corpus.count_of("cranes")
    assert n_plural > 0
    assert dict(entry.forms) == {"crane": alone.count - n_plural, "cranes": n_plural}
    assert (alone.forms, forms_model["bank"].forms) == ((), ())
    # What is known of the forms is of words with senses alone.
    assert forms_model.lemma_table == {"cranes": "crane"}
    assert forms_model.manifest["lemmas"] == {"source": "given", "n_forms": 1}
    assert "lemmas" not in topic_model.manifest
    compact_model(forms_model, tmp_path / "compact")
    small = load(tmp_path / "compact")
    assert small["cranes"].forms == entry.forms
    assert small.lemma_table == {"cranes": "crane"}
    text = " ".join([*synthetic.topic_words[0][:5], "cranes", *synthetic.topic_words[0][5:9]])
    assert [word.key for word in small.tag(text, words="crane")] == ["crane"]


def test_all_frequent_words_are_sought_in_their_forms(forms_corpus, topic_vectors):
    count = forms_corpus.count_of("crane") + forms_corpus.count_of("cranes")
    fit = partial(SenseModel.fit, forms_corpus, contexts=topic_vectors, n_senses=2)
    model = fit(min_count=count, lemmas={"cranes": "crane"}, calibrated=False)
    assert "crane" in model.words
    assert "cranes" not in model.words


def test_forms_are_found_in_texts(synthetic, topic_vectors):
    texts = [text.replace("crane", "geese") for text in synthetic.documents[:80]]
    texts += synthetic.documents[80:]
    how = {"contexts": topic_vectors, "n_senses": 2}
    found = find_senses(texts, "crane", lemmas={"geese": "crane"}, **how)
    alone = find_senses(synthetic.documents, "crane", **how)
    assert len(found.occurrences) == len(alone.occurrences)
    assert {occurrence.word.lower() for occurrence in found.occurrences} == {"crane", "geese"}


def test_forms_of_a_word_tell_nothing_of_its_senses(forms_model, forms_corpus):
    pooled = forms_model.pool_forms(forms_corpus)
    sample = sample_word("crane", pooled, forms_model.encoder, forms_model.settings)
    assert sample.function_words - forms_model.encoder.function_words == {"crane", "cranes"}
    entry = forms_model["crane"]
    nearest = entry.senses[0].nearest_words[0]
    # A compact model looks nearest words up.
    bare = tuple(replace(sense, nearest_words=()) for sense in entry.senses)
    other = replace(entry, senses=bare, forms=(("crane", 1), (nearest, 1)))
    found = forms_model.with_inventory(SenseInventory([other]))["crane"].senses[0].nearest_words
    assert nearest not in found
    assert found[0] == entry.senses[0].nearest_words[1]


def test_what_has_senses_of_its_own_is_no_form(topic_model, topic_corpus):
    assert topic_model.pool_forms(topic_corpus) is topic_corpus
    known = topic_model.with_lemmas({"bank": "crane", "nowhere": "crane"})
    assert known.pool_forms(topic_corpus) is topic_corpus
