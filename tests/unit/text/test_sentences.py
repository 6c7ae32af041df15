from __future__ import annotations

import time

import pytest

from grassmeans.text.sentences import find_sentences, is_complete


def cut(text: str) -> list[str]:
    starts = find_sentences(text)
    return [text[a:b].rstrip() for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["She opened an account.", "We sat by the river!", "Did we?", "Well…", "And so on..."],
        ["Dr. J. R. Smith paid 3.5 dollars.", "He left www.example.org at once."],
        ['"Really?" he asked.', "(He left.)", "Then it was 5 p.m.", "The U.S. Army came."],
        ["It is large, e.g. Joe vs. Ann, see No. 5 etc.", "So it was I.", "Yes."],
        ["¿Qué?", "¡No!", "El Sr. López vino.", "«Ya.»", "Fue así."],
        ["Das ist z.B. Karl.", "„Ja.“", "Er ging."],
        ["यह है।", "वह है।"],
        ["Он ушёл в 1990 г. домой.", "Да."],
        ["1. One thing.", "2. Another."],
    ],
)
def test_sentences_with_spaces_between(sentences: list[str]) -> None:
    assert cut(" ".join(sentences)) == sentences


def test_stops_without_spaces() -> None:
    assert cut("今天很好。我们去「银行！」了？是的") == [
        "今天很好。",
        "我们去「银行！」了？",
        "是的",
    ]


def test_lines_and_paragraphs() -> None:
    text = "A title\n\nbroken at\na width. Next\nLine two\r\n\r\nthird"
    assert cut(text) == ["A title", "broken at\na width.", "Next", "Line two", "third"]


@pytest.mark.parametrize("text", ["", "  ", "word", " x. ", "...", "a.b"])
def test_one_sentence(text: str) -> None:
    assert find_sentences(text) == [0]


@pytest.mark.parametrize("part", [". ", "\n", "(\n", '."', " ", ". ((((", "\n      "])
def test_time_is_linear(part: str) -> None:
    began = time.process_time()
    find_sentences(part * 20_000)
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize(
    ("sentence", "whole"),
    [
        ("We sat by the river.", True),
        ("«¿Qué?»", True),
        ("1914 was the year (so they say)!", True),
        ("今天很好。", True),
        ("He called it “a war”", True),
        ("we sat by the river.", False),
        ("We sat by the river", False),
        ("We sat (by the river.", False),
        ("", False),
    ],
)
def test_whole_sentences(sentence: str, whole: bool) -> None:
    assert is_complete(sentence) is whole


def test_a_whole_line_may_begin_with_a_small_letter() -> None:
    assert is_complete("we sat by the river.", is_line=True)
    assert not is_complete("we sat by the river", is_line=True)
