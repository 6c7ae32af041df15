"""Inflections from a vocabulary: pairs that are meant alike and differ in their endings."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans.vectors.word_forms import WordForms
from grassmeans.vectors.word_vectors import WordVectors

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
