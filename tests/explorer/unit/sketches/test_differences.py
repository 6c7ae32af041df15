"""What tells two sketches apart."""

from __future__ import annotations

import pytest

from grassmeans.errors import InputError
from grassmeans_explorer.sketches.differences import compare_senses, compare_words
from grassmeans_explorer.sketches.sketching import (
    SketchCollocate,
    SketchGroup,
    SketchRelation,
    WordSketch,
)


def make_group(sense, collocates, word="crane") -> SketchGroup:
    found = tuple(SketchCollocate(name, "X", n, n, dice) for name, (n, dice) in collocates.items())
    return SketchGroup(word, sense, "", 9, (SketchRelation("object of", 9, found),))


BIRD = {"see": (5, 10.0), "feed": (4, 9.0)}
MACHINE = {"see": (3, 8.5), "build": (6, 11.0)}


def test_differences_of_two_senses_are_ordered_by_size():
    sketch = WordSketch("crane", 18, 18, (make_group(1, BIRD), make_group(2, MACHINE)))
    found = compare_senses(sketch, 1, 2)
    assert (found.first, found.second) == ("crane.1", "crane.2")
    assert [(row.word, row.difference) for row in found.compared] == [
        ("build", -11.0),
        ("feed", 9.0),
        ("see", 1.5),
    ]
    build = found.compared[0]
    assert (build.first, build.second, build.first_log_dice) == (0, 6, None)
    assert found.rows()[0]["relation"] == "object of"
    for pair in ((1, 3), (1, 1)):
        with pytest.raises(InputError):
            compare_senses(sketch, *pair)


def test_differences_of_two_words():
    first = WordSketch("crane", 9, 9, (make_group(None, BIRD),))
    second = WordSketch("heron", 9, 9, (make_group(None, MACHINE, "heron"),))
    found = compare_words(first, second)
    assert (found.first, found.second, len(found.compared)) == ("crane", "heron", 3)
    with pytest.raises(InputError, match="as wholes"):
        compare_words(first, WordSketch("x", 9, 9, (make_group(1, BIRD), make_group(2, BIRD))))
