from __future__ import annotations

import shutil
from types import SimpleNamespace

import pytest

from grassmeans import Corpus
from grassmeans.contexts.attention.training import EncoderSettings
from grassmeans.errors import InputError
from grassmeans.recipes import planning
from grassmeans.recipes.planning import Plan


@pytest.fixture
def plan(topic_corpus):
    return Plan([topic_corpus], [topic_corpus], EncoderSettings())


def test_words_that_are_sought_are_content_words(plan, synthetic):
    with pytest.warns(match="11,200 words, and a model of fewer than 50,000 is poor"):
        assert plan.count_sought(200) == 4  # the words of two topics, five times in 40 documents
    with pytest.raises(InputError, match=r"no content word occurs 201 times in the 11,200 words"):
        plan.count_sought(201)


def test_few_frequent_words_are_remarked_on(tmp_path):
    text = "heron stork the " * 60
    corpus = Corpus.from_texts([text + "one", text + "two"], tmp_path / "c")
    with pytest.warns(match="fewer than 12 words occur 40 times") as told:
        Plan([corpus], [corpus], EncoderSettings()).count_sought(50)
    assert len(told) == 2  # and the text is short


def test_another_language_is_remarked_on(tmp_path):
    text = "el perro ladra en la noche y la luna brilla sobre los campos de trigo " * 9
    corpus = Corpus.from_texts([text], tmp_path / "c")
    with pytest.warns(match=r"function words .*name it \(language=\.\.\.\)"):
        Plan([corpus], [corpus], EncoderSettings()).count_sought(5)


def test_room_is_that_of_labels_and_matrices(plan, topic_corpus, tmp_path):
    rows = 2 * topic_corpus.vocabulary.size_at(5)
    needed = 40 * 11_200 + 3 * (2 * rows * 300 * 4)
    told = plan.describe_room(tmp_path / "not" / "there", lexemes=True)
    assert told == f"steps on disk: about {needed / 1e6:.0f} MB; memory: about 500 MB"
    assert plan.describe_room(tmp_path, lexemes=False).startswith("steps on disk: about 0 MB;")


def test_corpora_that_are_joined_take_room_as_well(topic_corpus, doubtful_corpus, tmp_path):
    plan = Plan([topic_corpus], [topic_corpus, doubtful_corpus], EncoderSettings())
    n_tokens = topic_corpus.n_tokens + doubtful_corpus.n_tokens
    told = plan.describe_room(tmp_path, lexemes=False)
    assert told.startswith(f"steps on disk: about {16 * n_tokens / 1e6:.0f} MB;")


def test_a_disk_without_room_is_refused(plan, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda place: SimpleNamespace(free=1_000_000))
    with pytest.raises(InputError, match=r"need about \d+ MB, and .* has 1 MB free.*lexemes=False"):
        plan.describe_room(tmp_path, lexemes=True)


def test_long_work_is_worth_a_probe(plan, monkeypatch):
    assert not plan.is_long
    monkeypatch.setattr(planning, "WORTH_PROBING", 11_200)
    assert plan.is_long


def test_time_is_told_by_a_probe(topic_corpus, monkeypatch, recwarn):
    pytest.importorskip("torch", reason="needs the extra encoder")
    monkeypatch.setattr(planning, "PROBE_MINUTES", 0.01)
    brief = EncoderSettings(dim=64, layers=1, passage=32, epochs=2, batch_tokens=512)
    plan = Plan([topic_corpus], [topic_corpus], brief)
    told = plan.describe_time(300, "cpu", 1, {"max_contexts": 50})
    assert told.startswith("time: about 1 min to train the encoder, ")
    assert told.endswith("min to find the senses of 300 words (by a probe of some seconds)")
    assert not len(recwarn)


def test_time_grows_with_passes_and_words(topic_corpus, monkeypatch):
    def train(corpora, folder, settings, **given):
        assert settings.epochs is None

    monkeypatch.setattr(planning, "train_encoder", train)
    monkeypatch.setattr(planning, "read_manifest", lambda folder: {"tokens_per_second": 10})
    monkeypatch.setattr(planning, "fit_model", lambda *given, **options: None)
    plan = Plan([topic_corpus], [topic_corpus], EncoderSettings(epochs=6))
    told = plan.describe_time(300, "cpu", 1, {})  # 6 x 11,200 / 10 = 6,720 s
    assert told.startswith("time: about 1 h 52 min to train the encoder, 1 min to find")
