"""Words that are spelt alike."""

from __future__ import annotations

import difflib

import numpy as np
import pytest

from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_explorer.queries.spelling import SpellingIndex, WordForms, count_edits, fold_word


@pytest.mark.parametrize(
    ("first", "second", "edits"),
    [
        ("crane", "crane", 0),
        ("crnae", "crane", 1),  # a swap
        ("crne", "crane", 1),
        ("craane", "crane", 1),
        ("crone", "crane", 1),
        ("recieve", "received", 2),
        ("", "ab", 2),
        ("kitten", "sitting", 3),
    ],
)
def test_edits_are_counted(first, second, edits):
    assert count_edits(first, second, 3) == count_edits(second, first, 3) == edits
    if edits:
        assert count_edits(first, second, edits - 1) == edits  # one more than was looked for


def test_what_people_leave_out_is_folded_away():
    assert fold_word("Café") == fold_word("CAFE") == "cafe"
    assert fold_word("ice-cream") == fold_word("ice_cream") == fold_word("Ice cream") == "icecream"
    assert fold_word("Straße") == "strasse"


@pytest.fixture
def index() -> SpellingIndex:
    words = ["bank", "band", "café", "cafe", "crane", "create", "rane", "ice_cream", "журавль"]
    return SpellingIndex(words, [1000, 10, 5, 50, 100, 5000, 100, 7, 9])


def test_few_edits_come_first_then_frequent_words(index):
    assert index.find("banl") == ["bank", "band"]
    assert index.find("crnae") == ["crane", "create", "rane"]  # 1, 2, and 2 with another beginning
    assert index.find("xrane") == ["crane", "rane"]  # changed or left out: 1, and both begin anew
    assert index.find("bank") == ["band"]
    assert index.find("журавел")[0] == "журавль"
    assert index.find("bank", 0) == []


def test_nothing_is_spelt_like_noise(index):
    assert index.find("qqqqqqq") == index.find("") == index.find("b") == index.find("x" * 99) == []
    assert SpellingIndex([]).find("crane") == []
    assert index.find("\ud800\ud800") == []


def test_marks_alone_lead_to_the_frequent_word(index):
    assert index.same_but_for_marks("CAFÉ") == "cafe"
    assert index.same_but_for_marks("Ice cream") == "ice_cream"
    assert index.same_but_for_marks("cran") is None


def test_no_word_within_an_edit_is_missed(index):
    """The bags of letters only save time: the same as looking at all words."""
    for word in ("crane", "creat", "bnak", "fecac"):
        near = {other for other in index.words if count_edits(word, fold_word(other), 1) <= 1}
        assert near - {word} <= set(index.find(word, 9)), difflib.get_close_matches(word, near)


STEMS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnr"]  # 100, of three letters
SAME, OTHER = "ka", "po"
"""An ending that keeps the meaning, and one that makes another word."""


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    """Twelve stems with both endings among words of their own meaning."""
    rng = np.random.default_rng(0)
    words, rows = [], []
    for i, stem in enumerate(STEMS):
        vector = rng.normal(size=20)
        words.append(stem)
        rows.append(vector)
        if i < 12:
            words += [stem + SAME, SAME + stem, stem + OTHER]
            rows += [vector + 0.1 * rng.normal(size=20) for _ in range(2)]
            rows.append(rng.normal(size=20))
    return WordVectors(words, np.array(rows, np.float32))


def test_endings_whose_pairs_mean_the_same_are_inflections(vectors):
    forms = WordForms(vectors)
    assert set(forms.endings) == {"", SAME}
    assert forms.endings[""] == {SAME: 1.0}
    assert set(forms.beginnings) == {"", SAME[::-1]}  # turned round, as beginnings are looked at


def test_a_form_leads_to_the_shortest_known_word(vectors):
    forms = WordForms(vectors)
    (found,) = forms.find("gal" + SAME, {"gal", "gam"})  # it has no vector
    assert (found.word, found.share, found.similarity) == ("gal", 1.0, None)
    (found,) = forms.find(STEMS[0] + SAME, {STEMS[0]})
    assert found.similarity == pytest.approx(
        vectors.similarity(STEMS[0], STEMS[0] + SAME), abs=1e-6
    )
    assert [form.word for form in forms.find(SAME + STEMS[0], vectors.words)] == [STEMS[0]]
    assert [form.word for form in forms.find("gal", {"gal" + SAME})] == ["gal" + SAME]


def test_what_is_no_form_leads_nowhere(vectors):
    forms = WordForms(vectors)
    assert forms.find("gal" + OTHER, {"gal"}) == []
    assert forms.find("al" + SAME, {"al"}) == []  # a stem has three letters
    assert forms.find("", {""}) == []
    # The ending is right, but the vectors say that it is another word.
    changed = vectors.vectors.copy()
    changed[vectors.id_of(STEMS[0] + SAME)] *= -1
    forms.vectors = WordVectors(vectors.words, changed)
    known = {STEMS[0], STEMS[0] + SAME + SAME}
    assert forms.find_base(STEMS[0] + SAME, known) is None
    assert forms.find_base(STEMS[1] + SAME, {STEMS[1]}) == STEMS[1]
    assert forms.find_base("gal" + SAME, {"gal"}) == "gal"
    assert forms.find_base("gal" + OTHER, {"gal"}) is None


def test_small_vocabularies_teach_nothing():
    for words in ([], ["one"], ["walk", "walks"]):
        forms = WordForms(WordVectors(words, np.ones((len(words), 2), np.float32)))
        assert forms.endings == forms.beginnings == {}
        assert forms.find("walks", {"walk"}) == []
