from __future__ import annotations

import pytest

from grassmeans import Corpus
from grassmeans.recipes import scoring
from grassmeans.recipes.scoring import describe_scores, measure_answered, sample_held_out

NOTHING = dict.fromkeys(
    ("held_out_loss", "frequency_loss", "voices", "pseudowords", "held_out_text")
)


def test_held_out_documents_are_those_that_no_encoder_reads(topic_corpus, monkeypatch):
    expected = [topic_corpus.document_text(number) for number in (39, 79, 119, 159)]
    assert [document.text for document in sample_held_out(topic_corpus)] == expected
    monkeypatch.setattr(scoring, "MOST_HELD_OUT", 140)  # 4 documents of 70 words
    assert [document.text for document in sample_held_out(topic_corpus)] == expected[::2]


def test_few_documents_are_all_read(tmp_path):
    corpus = Corpus.from_texts([f"crane {i}" for i in range(39)], tmp_path / "c")
    assert sample_held_out(corpus) == []


def test_answers_are_counted(topic_model, topic_corpus, synthetic):
    documents = [topic_corpus.document(number) for number in (0, 1)]  # five cranes each
    assert measure_answered(topic_model, documents) == {"n_words": 10, "answered": 100.0}
    lone = Corpus.from_texts(["crane", "crane", f"{' '.join(synthetic.topic_words[0])} crane"])
    found = measure_answered(topic_model, [lone.document(number) for number in range(3)])
    assert found == {"n_words": 3, "answered": pytest.approx(100 / 3)}
    assert measure_answered(topic_model, []) is None


def test_scores_are_told():
    assert describe_scores(NOTHING) == ["pseudo-words: the text has too few words to make some"]
    scores = NOTHING | {
        "pseudowords": {"answered": 81.25, "accuracy": 92.0, "held_apart": True},
        "held_out_loss": 3.2,
        "frequency_loss": 7.0,
        "held_out_text": {"n_words": 1234, "answered": 87.6},
    }
    assert describe_scores(scores) == [
        "pseudo-words that the calibration has not seen: 81.2% answered, 92.0% of these right",
        "loss on held-out documents: 3.200 nats a word, of word frequencies 7.000",
        "documents that the encoder was not trained on: 87.6% of 1,234 words with senses answered",
    ]
    scores["pseudowords"] |= {"held_apart": False}
    assert describe_scores(scores)[0].startswith("pseudo-words of the calibration: 81.2% answered")
    scores["pseudowords"] |= {"answered": 0.0, "accuracy": None}
    assert describe_scores(scores)[0] == "pseudo-words of the calibration: 0.0% answered"
    taught = describe_scores(scores | {"voices": {"line": 0.1, "deviation": 0.25}})
    assert "lines on held-out documents 0.100, with the teacher 0.250" in taught[1]
