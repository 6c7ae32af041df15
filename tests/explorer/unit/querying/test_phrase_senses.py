"""Phrases have senses by what stands around all of their words."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.errors import InputError
from grassmeans.models.model import load
from grassmeans_explorer.querying.headwords import understand
from grassmeans_explorer.querying.phrase_senses import (
    choose_phrase_lines,
    find_phrase_senses,
    measure_margins,
)


@pytest.fixture(scope="module")
def corpus(synthetic) -> Corpus:
    """In which every crane is a "harbour crane", a bird in some documents, in others a machine."""
    return Corpus.from_texts(
        [text.replace("crane", "harbour crane") for text in synthetic.documents]
    )


def test_the_senses_of_a_phrase_are_the_topics_it_stands_in(corpus, synthetic, topic_model_folder):
    model = load(topic_model_folder)
    phrase = understand(corpus, "Harbour crane")
    found = find_phrase_senses(corpus, phrase, model, n_senses=2)
    documents = corpus.documents_of(found.positions).tolist()
    pairs = {
        (s, synthetic.topics[d]) for s, d in zip(found.senses.tolist(), documents, strict=True)
    }
    assert len(pairs) == 2
    assert {sense for sense, _ in pairs} == {1, 2}
    assert sum(row["n_lines"] for row in found.rows()) == phrase.count
    # The phrase's own words tell nothing of its senses.
    for sense in found.entry.senses:
        assert not {"harbour", "crane"} & set(sense.characteristic_words)


def test_a_sample_of_many_lines_is_the_same_each_time(corpus, topic_model_folder):
    phrase = understand(corpus, "harbour crane")
    first, second = (
        find_phrase_senses(corpus, phrase, topic_model_folder, n_senses=2, max_contexts=40)
        for _ in range(2)
    )
    assert len(first.positions) == 40
    assert first.positions.tolist() == second.positions.tolist()
    assert first.senses.tolist() == second.senses.tolist()


def test_a_word_is_no_phrase_and_a_rare_phrase_has_no_senses(corpus, topic_model_folder):
    with pytest.raises(InputError, match="is a word"):
        find_phrase_senses(corpus, understand(corpus, "crane"), topic_model_folder)
    rare = Corpus.from_texts(["one ice cream alone"])
    with pytest.raises(InputError):
        find_phrase_senses(rare, understand(rare, "ice cream"), topic_model_folder)


def test_a_sense_is_shown_by_its_surest_lines_of_different_documents(corpus, topic_model_folder):
    phrase = understand(corpus, "harbour crane")
    found = find_phrase_senses(corpus, phrase, topic_model_folder, n_senses=2)
    lines = choose_phrase_lines(corpus, found, 1, phrase.length, limit=3)
    assert [line.word for line in lines] == ["harbour crane"] * 3
    assert len({line.document for line in lines}) == 3
    own = found.positions[found.senses == 1]
    surest = found.margins[found.senses == 1].argsort(kind="stable")[:60]
    assert {line.document for line in lines} <= {
        corpus.line_at(int(own[i])).document_id for i in surest
    }
    assert (found.margins < 0).all()


def test_margins_are_distances_to_the_nearest_less_those_to_the_next():
    distances = np.array([[0.2, 0.5, 0.9], [0.7, 0.3, 0.4], [np.nan] * 3], np.float32)
    assert measure_margins(distances).round(4).tolist() == [-0.3, -0.1, 0.0]
    assert measure_margins(distances[:2, :1]).round(4).tolist() == [-0.8, -0.3]  # to nothing: 1
