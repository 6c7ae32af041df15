"""The grammar of a spaCy pipeline on the tokens of a corpus."""

from __future__ import annotations

import pytest

from grassmeans import Corpus
from grassmeans.errors import InputError
from grassmeans_explorer.grammar.making import make_layer
from grassmeans_explorer.grammar.pipeline import PipelineGrammar, align_tokens, load_pipeline

spacy = pytest.importorskip("spacy")

WORDS = ["The", "U.S.", "crane", ",", "white", ",", "flew", ".", "It", "sang", "."]
HEADS = [2, 2, 6, 2, 3, 2, 6, 6, 9, 9, 9]
DEPS = [
    "det",
    "compound",
    "nsubj",
    "punct",
    "amod",
    "punct",
    "ROOT",
    "punct",
    "nsubj",
    "ROOT",
    "punct",
]
TEXT = "The U.S. crane, white, flew. It sang."


def read(text: str):
    """A pipeline that knows one text."""
    assert text == TEXT
    spaces = [True, True, False, True, False, True, False, True, True, False, False]
    return spacy.tokens.Doc(
        spacy.blank("en").vocab,
        words=WORDS,
        spaces=spaces,
        heads=HEADS,
        deps=DEPS,
        lemmas=[word.lower() for word in WORDS],
        pos=["NOUN"] * 11,
        tags=["NN"] * 11,
        sent_starts=[i in (0, 8) for i in range(11)],
    )


def test_tokens_take_the_grammar_of_the_token_they_begin_in():
    corpus = Corpus.from_texts([TEXT])
    starts = [start for start, _ in corpus.tokenizer.spans(TEXT)]
    found = align_tokens(read(TEXT), starts)
    # the u s crane white flew it sang
    assert found.lemma == ["the", "u.s.", "", "crane", "white", "flew", "it", "sang"]
    assert found.relation == ["det", "compound", "", "nsubj", "amod", "", "nsubj", ""]
    # "white" leans on a comma, which is no token here, and so on what that leans on.
    assert found.head == [3, 2, -1, 2, -1, 0, 1, 0]
    assert found.sentences == [0, 6]


def test_a_pipeline_makes_a_layer(tmp_path):
    corpus = Corpus.from_texts([TEXT], tmp_path / "corpus")
    layer = make_layer(corpus, tmp_path / "grammar", PipelineGrammar(read, "by hand"))
    assert layer.manifest["source"] == "spaCy by hand"
    assert layer.sentence_starts(0).tolist() == [0, 6]
    assert layer.shard(0).head.tolist() == [3, 2, -1, 2, -1, 0, 1, 0]


def test_a_pipeline_without_a_parser_gives_no_relations(tmp_path):
    corpus = Corpus.from_texts([TEXT], tmp_path / "corpus")
    layer = make_layer(corpus, tmp_path / "grammar", PipelineGrammar(spacy.blank("en")))
    assert layer.values_of("lemma")[1] == "the"
    assert layer.shard(0).head.tolist() == [0, 0, -1, 0, 0, 0, 0, 0]


def test_a_pipeline_that_is_not_there_is_told():
    with pytest.raises(InputError, match="spacy download no_such_pipeline"):
        load_pipeline("no_such_pipeline")
