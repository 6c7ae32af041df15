"""What tells two sketches apart."""

from __future__ import annotations

from math import log2

import pytest

from crane_model import save_crane_model
from grassmeans import Corpus
from grassmeans.errors import InputError
from grassmeans_explorer.sketches.differences import compare_groups, compare_senses, compare_words
from grassmeans_explorer.sketches.sketching import SketchCollocate, SketchGroup, SketchRelation


def make_group(sense, collocates, word="crane", name="") -> SketchGroup:
    found = tuple(SketchCollocate(name, "X", n, n, dice) for name, (n, dice) in collocates.items())
    return SketchGroup(word, sense, name, 9, (SketchRelation("object of", 9, found),))


BIRD = {"see": (5, 10.0), "feed": (4, 9.0), "lose": (2, 7.0)}
MACHINE = {"see": (3, 8.5), "build": (6, 11.0), "lose": (2, 6.0)}


def test_differences_are_ordered_by_size():
    found = compare_groups(make_group(1, BIRD), make_group(2, MACHINE))
    assert (found.first, found.second) == ("crane.1", "crane.2")
    assert [(row.word, row.difference) for row in found.compared] == [
        ("build", -11.0),
        ("feed", 9.0),
        ("see", 1.5),
    ]
    build = found.compared[0]
    assert (build.first, build.second, build.first_log_dice) == (0, 6, None)
    assert found.rows()[0]["relation"] == "object of"
    named = compare_groups(make_group(1, BIRD, name="bird"), make_group(2, MACHINE))
    assert [row["of"] for row in named.rows()] == ["crane.2", "crane.1 bird", "crane.1 bird"]
    few = compare_groups(make_group(1, BIRD), make_group(2, MACHINE), fewest=1, limit=1)
    assert [row.word for row in few.compared] == ["build", "feed"]


TEXTS = ["nest crane wing"] * 3 + ["steel crane beam"] * 3 + ["wing crane steel"]


def test_two_senses_are_counted_in_full_before_they_are_compared(tmp_path):
    corpus = Corpus.from_texts(TEXTS)
    wanted = {"model": save_crane_model(tmp_path / "model"), "fewest": 1}
    found = compare_senses(corpus, "Crane", 1, 2, **wanted)
    rows = {(row.relation, row.word): (row.first, row.second) for row in found.compared}
    assert rows["left", "nest"] == (3, 0)
    assert rows["right", "beam"] == (0, 3)
    limited = compare_senses(corpus, "crane", 1, 2, limit=1, **wanted)
    for row in limited.compared:  # a short list tells the same counts
        assert (row.first, row.second) == rows[row.relation, row.word]
    for pair in ((1, 3), (1, 1)):
        with pytest.raises(InputError):
            compare_senses(corpus, "crane", *pair, **wanted)


def test_two_words_share_what_is_near_both():
    texts = ["old crane", "old crane", "old bank", "new bank", "new bank", "old heron"]
    found = compare_words(Corpus.from_texts(texts), "crane", "bank", fewest=1)
    rows = {row.word: row for row in found.compared if row.relation == "left"}
    assert (rows["old"].first, rows["old"].second) == (2, 1)
    assert rows["old"].first_log_dice == pytest.approx(14 + log2(2 * 2 / (2 + 4)), abs=1e-3)
    assert rows["old"].second_log_dice == pytest.approx(14 + log2(2 * 1 / (3 + 4)), abs=1e-3)
    assert (rows["new"].first, rows["new"].first_log_dice) == (0, None)
