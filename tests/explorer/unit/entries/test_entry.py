from __future__ import annotations

import pytest

from entry_material import BIRD, CRANE, LEXICON
from grassmeans.errors import InputError
from grassmeans_explorer.entries.entry import (
    CrossReference,
    DictionaryEntry,
    EntryExample,
    EntrySense,
    Label,
    Lexicon,
    walk_senses,
)


def nest(levels: int) -> tuple[EntrySense, ...]:
    return (EntrySense(senses=nest(levels - 1)),) if levels else ()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Label("colour", "red"), "the kind of a label must be one of register"),
        (lambda: CrossReference("like", "x"), "the kind of a reference must be one of see"),
        (lambda: CrossReference("see", ""), "needs the word"),
        (lambda: EntryExample("", "", "", decision="maybe"), "decision on an example"),
        (lambda: DictionaryEntry(""), "needs a word"),
        (lambda: DictionaryEntry("x", status="ready"), "the status of an entry must be one of"),
        (lambda: DictionaryEntry("x", senses=(EntrySense("y.1"),)), "'y.1' is no sense of 'x'"),
        (lambda: DictionaryEntry("x", senses=(EntrySense("x.0"),)), "'x.0' is no sense"),
        (lambda: DictionaryEntry("x", senses=(EntrySense(former="x"),)), "'x' is no sense"),
        (lambda: DictionaryEntry("x", senses=nest(9)), "9 levels deep: 8 are the most"),
        (lambda: Lexicon((CRANE, CRANE)), "'crane' twice"),
        (lambda: Lexicon((), language="English!"), "'English!' is no code"),
    ],
)
def test_what_is_no_entry_is_refused(make, told):
    with pytest.raises(InputError, match=told):
        make()


def test_a_reference_knows_its_word_and_sense():
    assert (CrossReference("see", "bank.2").word, CrossReference("see", "bank.2").sense) == (
        "bank",
        2,
    )
    assert CrossReference("see", "bank").sense is None
    assert CrossReference("see", "st.1\\").word == "st.1"


def test_readers_see_all_examples_but_those_never_to_be_shown():
    assert [example.text for example in BIRD.shown] == ["The crane flew north.", "A crane rested."]
    assert EntryExample("A  crane ", "is", " here").identity == "a crane is here"


def test_senses_are_walked_with_their_places():
    assert [path for path, _ in walk_senses(CRANE.senses)] == [(1,), (1, 1), (2,)]
    assert len(DictionaryEntry("x", senses=nest(8)).senses) == 1


def test_remarks_do_not_make_a_lexicon_another():
    assert Lexicon(LEXICON.entries, remarks=("look",)) == Lexicon(LEXICON.entries)
