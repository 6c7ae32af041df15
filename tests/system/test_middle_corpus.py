"""README's way on five million words: senses are not one, and its sentences are right."""

from __future__ import annotations

import lzma
from itertools import islice
from pathlib import Path

import pytest

import grassmeans
from grassmeans import Corpus
from grassmeans.models.building import build_model

ENWIKI = Path(__file__).parents[3] / "shared" / "data" / "enwiki.jsonl.xz"
N_ARTICLES = 1_700

SENTENCES = [
    ("java", "The code of the web server is written in Java, a programming language."),
    ("java", "They sailed from Sumatra to Java, the most crowded island."),
    ("bank", "She asked the bank for a loan."),
    ("bank", "We sat on the bank of the river."),
    ("apple", "She peeled the apple and baked a pie with sugar and cinnamon."),
    ("apple", "Apple sold a new computer with its own operating system."),
    ("capital", "Paris is the capital of France."),
    ("capital", "The firm needs capital for investment."),
]


@pytest.mark.shared
@pytest.mark.skipif(not ENWIKI.exists(), reason="needs the shared English Wikipedia")
def test_senses_of_a_corpus_with_the_contexts_of_the_package(tmp_path):
    part = tmp_path / "part.jsonl"
    with lzma.open(ENWIKI, "rb") as articles, part.open("wb") as out:
        out.writelines(islice(articles, N_ARTICLES))
    Corpus.from_files([part], tmp_path / "corpus")
    words = sorted({word for word, _ in SENTENCES})
    model = build_model(tmp_path / "corpus", "en", tmp_path / "model", words)
    assert all(model.inventory[word].n_senses >= 2 for word in words)
    answers = {}
    for word, text in SENTENCES:
        (found,) = model.tag(text, words=[word])
        answers.setdefault(word, []).append(found.sense)
    assert all(0 not in senses and len(set(senses)) == 2 for senses in answers.values()), answers


def test_the_same_sentences_with_the_model_of_the_package():
    model = grassmeans.load("en")
    answers = {}
    for word, text in SENTENCES:
        (found,) = model.tag(text, words=[word], idk_threshold=None)
        answers.setdefault(word, set()).add(found.sense)
    assert all(len(senses) == 2 for senses in answers.values()), answers
