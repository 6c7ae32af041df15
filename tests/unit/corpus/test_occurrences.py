from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.artifacts.writing import write_bytes
from grassmeans.corpus.corpus import default_options
from grassmeans.corpus.occurrences import GivenText, MovedText, number_words
from grassmeans.errors import ArtifactError
from grassmeans.tagging.tagging import occurrences_in_passages
from grassmeans.tagging.widening import SentencedText
from grassmeans.text.tokenizer import Tokenizer

TEXTS = [
    "The crane stood in the reeds.\nA second crane flew!",
    "Über 40 Kräne; the “Crane” 𝔩ifts…",
]


def read(corpus: Corpus, first: int, end: int) -> tuple[str, list[str]]:
    ((_, found),) = corpus.occurrences(np.array([first]))
    assert found.text is not None
    text, spans = found.text.read(first, end)
    return text, [text[start:stop] for start, stop in spans]


def test_a_corpus_gives_the_text_of_its_tokens(tmp_path) -> None:
    corpus = Corpus.from_texts(TEXTS, tmp_path / "corpus")
    assert read(corpus, 3, 6) == ("in the reeds.", ["in", "the", "reeds"])
    assert read(corpus, 8, 10) == ("crane flew!", ["crane", "flew"])
    whole, words = read(corpus, 10, 15)
    assert whole == TEXTS[1]
    assert words == ["Über", "Kräne", "the", "Crane", "𝔩ifts"]


def test_text_goes_on_over_the_anchors(tmp_path) -> None:
    words = [f"wort{'ä' * (i % 7)}" for i in range(2000)]
    corpus = Corpus.from_texts([" ".join(words), "another text"], tmp_path / "corpus")
    assert len(corpus.shards[0].anchors) > 5
    for first, end in ((0, 2000), (255, 290), (1990, 2000), (500, 501)):
        text, found = read(corpus, first, end)
        assert text == " ".join(words[first:end])
        assert found == words[first:end]


def test_tokens_that_were_given_are_the_text(tmp_path) -> None:
    options = default_options("en")
    documents = [["New_York", "is", "large"], ["a", "b"]]
    corpus = Corpus.from_texts(documents, tmp_path / "corpus", options=options)
    assert read(corpus, 0, 3) == ("New_York is large", documents[0])


def test_text_that_is_cut_off_is_an_error(tmp_path) -> None:
    corpus = Corpus.from_texts(TEXTS, tmp_path / "corpus")
    shard = corpus.shards[0]
    place = shard.folder / "text.bin"
    write_bytes(place, b" " * len(shard.text))
    with pytest.raises(ArtifactError, match=r"text\.bin"):
        read(Corpus.open(tmp_path / "corpus"), 0, 4)


def test_passages_are_written_with_the_form_of_the_word() -> None:
    passages = [("Two ", " flew."), ("", "")]
    found = occurrences_in_passages("crane", passages, Tokenizer(), forms=["Cranes", ""])
    assert found.text is not None
    assert found.text.read(0, 3) == ("Two Cranes flew.", [(0, 3), (4, 10), (11, 15)])
    assert found.text.read(3, 4) == ("crane", [(0, 5)])
    assert [found.words[t] for t in found.tokens] == ["two", "crane", "flew", "crane"]


def test_stretches_of_a_text_are_read_from_it() -> None:
    spans = [(0, 1), (2, 3), (5, 6), (7, 8)]
    text = GivenText(lambda _: ("a b. c d", spans), np.array([0, 4]))
    assert text.read(0, 2) == ("a b.", [(0, 1), (2, 3)])
    moved = MovedText(text, np.array([2, 3, 0]))
    assert moved.read(0, 2) == ("c d", [(0, 1), (2, 3)])


def test_sentences_that_are_cut_out_keep_their_text() -> None:
    whole = number_words([["a", "b", "c", "d"]]).at(np.array([1, 3]))
    whole = whole.written_in(lambda _: ("a B. c D", [(0, 1), (2, 3), (5, 6), (7, 8)]))
    text = SentencedText(whole, np.array([0, 2, 4]), np.ones(4, np.bool_))
    rows = np.array([1])
    cut = text.cut((np.array([2]), np.array([4])), rows)
    assert cut.text is not None
    assert cut.text.read(0, 2).text == "c D"
    sentences = text.in_sentences()
    assert sentences.text is not None
    assert sentences.text.read(0, 2).text == "a B."
