from __future__ import annotations

import pytest

from grassmeans.reading.documents import RawDocument
from grassmeans.tagging.marked_text import ReadText, blank_markup, read_text, remove_marks
from grassmeans.text.tokenizer import Tokenizer, WhitespaceTokenizer

KNOWN = {"crane", "bank"}


def read(text: str | RawDocument, **options) -> ReadText:
    return read_text(text, KNOWN, Tokenizer(), **options)


@pytest.mark.parametrize(
    ("text", "plain", "marked"),
    [
        ("a <b> big crane </b> and <B>x</B>", "a big crane and x", ["big crane", "x"]),
        ("<b>one <b>two</b> three</b>", "<b>one two three</b>", ["two"]),  # the inner one is closed
        ("open <b>crane", "open <b>crane", []),
        ("</b>closed", "</b>closed", []),
        ("<b></b>nothing", "nothing", [""]),
    ],
)
def test_marks_are_taken_out_where_they_are_whole(text, plain, marked):
    found, spans = remove_marks(text)
    assert found == plain
    assert [found[start:end] for start, end in spans] == marked


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('<p class="crane">a&amp;b</p>', "a b"),
        ("5 < 6 & 7 > 3; &c;", "5 < 6 & 7 > 3; &c;"),  # neither tags nor references
        ("<!-- crane -->", "<!-- crane -->"),
        (f"<a {'x' * 500}>", f"<a {'x' * 500}>"),  # longer than a tag may be
        ("&#x1F986; &#39;", ""),
    ],
)
def test_markup_becomes_spaces_and_nothing_moves(text, kept):
    blank = blank_markup(text)
    assert len(blank) == len(text)
    assert blank.split() == kept.split()


def test_known_words_are_the_targets():
    found = read("The crane. A heron! The bank")
    assert found.keys == ["the", "crane", "a", "heron", "the", "bank"]
    assert (found.targets, found.entries) == ([1, 5], ["crane", "bank"])
    assert [found.text[start:end] for start, end in found.spans] == [
        "The",
        "crane",
        "A",
        "heron",
        "The",
        "bank",
    ]
    assert found.sentences == [0, 2, 4]


def test_where_words_are_marked_only_those_are_and_unknown_ones_are_told():
    found = read("crane <b>bank</b> <b>heron</b> <b></b>")
    assert (found.targets, found.entries) == ([1], ["bank"])
    assert found.unknown == ("heron",)
    assert read("crane <b>bank</b>", marks=False).targets == [0, 1]


def test_words_that_are_not_wanted_are_no_targets():
    assert read("crane bank", wanted={"bank"}).targets == [1]
    assert read("crane <b>bank</b>", wanted={"crane"}).targets == []


def test_without_targets_nothing_is_measured():
    found = read("A heron. A stork")
    assert (found.spans, found.targets, found.sentences) == ([], [], [0])
    assert found.keys == ["a", "heron", "a", "stork"]


def test_tokens_that_come_split_have_keys_and_sentences_of_their_own():
    given = RawDocument(
        "1", "", "Two Cranes <b>", "tokens", keys=("Two", "Crane", "<b>"), sentences=(0, 4)
    )
    found = read(given)
    assert found.keys == ["two", "crane", "<b>"]
    assert (found.targets, found.sentences) == ([1], [0, 1])
    assert read(RawDocument("1", "", "a . crane", "tokens")).sentences == [0]


def test_wikitext_is_cleaned_and_tokens_between_spaces_are_left_alone():
    assert read(RawDocument("1", "", "a [[Crane (bird)|crane]]", "wikitext")).text == "a crane"
    found = read_text("crane <unk> &amp;", KNOWN, WhitespaceTokenizer())
    assert found.keys == ["crane", "<unk>", "&amp;"]
