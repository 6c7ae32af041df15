from __future__ import annotations

import unicodedata

import pytest

from grassmeans.text.alignment import normalize_with_positions


def test_text_that_is_normal_already_keeps_its_positions() -> None:
    found = normalize_with_positions("the façade")
    assert found.text == "the façade"
    assert [found.original_position(i) for i in (0, 4, 10)] == [0, 4, 10]


@pytest.mark.parametrize(
    "original",
    [
        "cafe\u0301 crane",  # one character less
        "so\u00adft hy\u00adphen crane",
        "\ufeffthe crane",
        "a\u0301\u0302 \x00\x00 crane",
        "\u1112\u1161\u11ab crane",  # three jamo make one syllable
    ],
)
def test_a_word_after_changes_is_found_in_the_original(original) -> None:
    found = normalize_with_positions(original)
    position = found.original_position(found.text.index("crane"))
    assert original[position:] == "crane"


def test_a_changed_word_begins_where_it_began() -> None:
    original = unicodedata.normalize("NFD", "un été, l'été")
    found = normalize_with_positions(original)
    assert found.text == "un été, l'été"
    starts = [found.original_position(i) for i in (3, 10)]
    assert [original[i : i + 2] for i in starts] == ["e\u0301", "e\u0301"]


def test_long_runs_keep_what_follows_in_place() -> None:
    original = "e\u0301" * 500 + " crane"
    found = normalize_with_positions(original)
    assert found.original_position(found.text.index("crane")) == 1001
