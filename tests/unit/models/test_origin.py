"""Whether a corpus is the model's, by their digests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grassmeans import Corpus, load
from grassmeans.editing.growing import update_model
from grassmeans.models.model import SenseModel
from grassmeans.models.origin import (
    OTHER,
    OWN,
    PART,
    UNKNOWN,
    is_counted_in,
    name_corpus,
    relate_corpus,
)


@pytest.fixture(scope="module")
def other_corpus(tmp_path_factory, synthetic) -> Corpus:
    place = tmp_path_factory.mktemp("slice") / "slice"
    return Corpus.from_texts(synthetic.documents[:150], place)


def test_own_corpus_is_told_from_another(topic_model, topic_corpus, other_corpus):
    assert relate_corpus(topic_model, topic_corpus) == OWN
    assert relate_corpus(topic_model, other_corpus) == OTHER
    assert name_corpus(other_corpus).name == "slice"


def test_the_same_texts_are_the_same_corpus(topic_model, synthetic, tmp_path):
    again = Corpus.from_texts(synthetic.documents, tmp_path / "elsewhere")
    assert relate_corpus(topic_model, again) == OWN


def test_model_without_a_record_does_not_know(topic_model, topic_corpus):
    bare = SenseModel(topic_model.encoder, topic_model.inventory, topic_model.tokenizer)
    assert relate_corpus(bare, topic_corpus) == UNKNOWN


def test_texts_of_a_grown_model_are_parts(
    topic_model_folder, topic_corpus, other_corpus, synthetic, tmp_path
):
    update_model(topic_model_folder, other_corpus.path, tmp_path / "grown", workers=1)
    grown = load(tmp_path / "grown")
    third = Corpus.from_texts(synthetic.documents[:20], tmp_path / "third")
    found = [relate_corpus(grown, corpus) for corpus in (topic_corpus, other_corpus, third)]
    assert found == [PART, PART, OTHER]


def test_words_say_where_they_were_counted(topic_model, topic_corpus, other_corpus):
    entry = topic_model.senses("crane")
    assert is_counted_in(entry, topic_corpus, OWN)
    assert not is_counted_in(entry, other_corpus, OTHER)
    elsewhere = replace(entry, counted_in=name_corpus(other_corpus))
    assert is_counted_in(elsewhere, other_corpus, OTHER)
    assert not is_counted_in(elsewhere, topic_corpus, OWN)
    assert entry.counts_told == "200 of 200 occurrences"
    assert elsewhere.counts_told.endswith("in slice, which is not the model's corpus")
