"""Lines that a model keeps: a crane in its own examples and in those of other words."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.corpus import default_options
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import ExampleLine, Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.concordance import LineFilter, find_examples, find_lines
from grassmeans_explorer.queries.lines import _sides_of, stored_lines_of
from grassmeans_explorer.queries.pictures.context_map import draw_map
from grassmeans_explorer.queries.pictures.planes import show_planes
from grassmeans_explorer.work import LongWorkError, run_quickly


def line(left: str, word: str, right: str) -> ExampleLine:
    return ExampleLine(left, word, right, "d", 0.1)


@pytest.fixture
def opened() -> OpenModel:
    """Sense 1 of crane lies on the first axis (nest, wing), sense 2 on the second (steel, load)."""
    rows = np.array([(1, 0), (2, 0.1), (0, 1), (0.1, 3), (1, 1)], np.float32)
    vectors = WordVectors(["nest", "wing", "steel", "load", "both"], rows)
    encoder = SubspaceEncoder(vectors, ContextShape(2, 1), frozenset({"the"}))
    own = (line("wing nest ", "crane", " nest wing"), line("load steel ", "crane", " load load"))
    senses = [Sense(k, 0.5, 0.1, (), (), (own[k - 1],), f"name {k}") for k in (1, 2)]
    elsewhere = (
        line("the steel ", "nest", " steel load Crane load steel"),
        line("crane wing ", "nest", " craned cranes"),
        # The first one again, cut elsewhere: one whole side of the crane is the same.
        line("steel ", "nest", " steel load Crane load steel"),
    )
    other = WordSenses(
        "nest", 9, 9, np.eye(2, dtype=np.float32)[:1], (Sense(1, 1.0, 0.1, (), (), elsewhere),)
    )
    entry = WordSenses("crane", 40, 40, np.eye(2, dtype=np.float32), tuple(senses))
    tokenizer = default_options().tokenizer
    inventory = SenseInventory([entry, other])
    return OpenModel(SenseModel(encoder, inventory, tokenizer, {"idk_threshold": None}))


def test_entries_that_mention_a_text_are_found(opened):
    inventory = opened.base.inventory
    words = inventory.words
    assert list(inventory.find_mentions(["crane"], words)) == ["crane", "nest"]
    assert list(inventory.find_mentions(["crane"], ["nest"])) == ["nest"]
    assert list(inventory.find_mentions(["Crane", "xx"], words)) == ["nest"]
    assert list(inventory.find_mentions(['"'], words)) == []


def test_own_examples_come_first_and_lines_of_other_words_follow(opened):
    with pytest.raises(LongWorkError):
        run_quickly(stored_lines_of, opened, "crane")
    found = stored_lines_of(opened, "Crane")
    assert run_quickly(stored_lines_of, opened, "crane") == found
    assert [(x.left, x.word, x.right, x.sense) for x in found] == [
        ("wing nest ", "crane", " nest wing", 1),
        ("load steel ", "crane", " load load", 2),
        ("the steel nest steel load ", "Crane", " load steel", 2),
        ("", "crane", " wing nest craned cranes", 1),
    ]
    assert found[2].distances[1] < found[2].distances[0]
    assert stored_lines_of(opened, "nest")[-1].word == "nest"


def test_concordance_examples_and_pictures_are_made_of_them(opened):
    assert find_lines(opened, "crane", LineFilter()).total == 4
    assert find_examples(opened, "crane", 1).total == 2
    assert [point.sense for point in draw_map(opened, "crane", 10).points] == [1, 2, 2, 1]
    assert [plane["sense"] for plane in show_planes(opened, "crane")["planes"]] == [1, 1, 2, 2]


def test_a_short_line_is_known_again_by_all_of_it():
    once = _sides_of(line("The ", "crane", " sat."))
    assert once
    assert once == _sides_of(line("the ", "Crane", " sat."))
    assert once.isdisjoint(_sides_of(line("The ", "crane", " flew.")))
    assert once.isdisjoint(_sides_of(line("The crane sat. The ", "crane", " sat.")))
