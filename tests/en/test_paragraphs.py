from __future__ import annotations

import pytest
from english_texts.paragraphs import (
    drop_addresses,
    is_sentence_like,
    mend_encoding,
    set_dashes,
    share_of_function_words,
    strip_markup,
    tidy,
)


def test_characters_are_spelled_in_one_way():
    assert tidy(" a\u00a0b\tc\u00ad\u200bd \n e\u0301 ") == "a b cd é"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("donâ€™t", "don’t"),
        ("cafÃ©", "café"),
        ("café", "café"),
        ("SÃO and 日", "SÃO and 日"),  # not what UTF-8 would give: as it was
    ],
)
def test_utf_8_that_was_read_as_windows_1252_is_mended(text, meant):
    assert mend_encoding(text) == meant


def test_markup_is_stripped_with_what_it_leaves_in_brackets():
    text = "A &lt;b&gt;city (, also a <i>town</i> here) of formula_12 people ( ; ) [[here]] [3] ."
    assert strip_markup(text) == "A city (also a town here) of people here."


def test_two_hyphens_are_a_dash():
    assert set_dashes("He said--well -- nothing.--") == "He said — well — nothing. —"
    assert set_dashes("--a well-known dash") == "— a well-known dash"


def test_addresses_are_dropped():
    text = "See https://a.org/b?c or www.d.com, write to <e.f@g.org> now."
    assert drop_addresses(text).split() == ["See", "or", "write", "to", "now."]


def test_the_share_of_function_words():
    assert share_of_function_words('"The dog," he said.') == 0.5
    assert share_of_function_words("") == 0.0


@pytest.mark.parametrize(
    ("text", "is_prose"),
    [
        ("The dog is in the garden, and it likes the cat.", True),
        ("The dog is in the garden.", False),  # a heading has as many words
        ("The dog is in the garden, and it likes the cat", False),  # does not end
        ("Name | the age | the place | and so on of this table.", False),
        ("Ann Arbor, Bad Ems, Bath, Bonn, Cork, Dallas, Ely, Graz, Kiel.", False),
        ("In 1990: 12, 14, 17, 19, 23, 25, 27, 31, 33, 35, 37.", False),
    ],
)
def test_prose_is_told_from_headings_tables_and_lists(text, is_prose):
    assert is_sentence_like(text) is is_prose
