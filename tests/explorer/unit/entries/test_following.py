"""The senses of an entry go where corrections bring them; every number here was found by hand."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from grassmeans import load
from grassmeans_explorer.editing.edited_words import Edit, EditedWord
from grassmeans_explorer.editing.saving import save_version
from grassmeans_explorer.entries.entry import (
    CrossReference,
    DictionaryEntry,
    EntrySense,
    Numbering,
    Renumbering,
)
from grassmeans_explorer.entries.following import (
    ModelNumbers,
    follow_entry,
    follow_number,
    forget_numbering,
    list_renumberings,
    root_of,
    settle_numbering,
)
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.corrections import Correction, correct_word

MERGE, SPLIT = Renumbering("merge", (1, 3)), Renumbering("split", (2,))
MERGE_THREE = Renumbering("merge", (1, 2, 4))
ADD, ADOPT = Renumbering("add"), Renumbering("adopt")


def test_corrections_that_keep_numbers_are_left_out():
    edits = [
        {"action": "rename", "senses": [1], "name": "x"},
        {"action": "merge", "senses": [3, 1]},
        {"action": "hide", "senses": [1]},
        {"action": "split", "senses": [2]},
        {"action": "assign", "senses": [1], "lines": [4]},
        {"action": "assign", "senses": [], "lines": [4]},
        {"action": "adopt", "senses": []},
    ]
    assert list_renumberings(edits) == (MERGE, SPLIT, ADD, ADOPT)


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        # Of four senses, the first and the third become one: the fourth moves up.
        (Numbering((), 4), Numbering((MERGE,), 3), [1, 2, 1, 3]),
        # A split keeps all numbers, its second part is new.
        (Numbering((), 4), Numbering((SPLIT,), 5), [1, 2, 3, 4]),
        (Numbering((), 4), Numbering((ADD,), 5), [1, 2, 3, 4]),
        (Numbering((), 4), Numbering((ADOPT,), 4), [None] * 4),
        (Numbering((), 4), Numbering((SPLIT, MERGE), 4), [1, 2, 1, 3]),
        # Back again: what came at the end is gone.
        (Numbering((SPLIT,), 4), Numbering((), 3), [1, 2, 3, None]),
        (Numbering((ADD,), 4), Numbering((), 3), [1, 2, 3, None]),
        (Numbering((MERGE,), 4), Numbering((), 5), [1, 2, 4, 5]),
        (Numbering((ADOPT,), 4), Numbering((), 2), [None] * 4),
        (Numbering((SPLIT, MERGE), 4), Numbering((), 4), [1, 2, 4, None]),
        # Back from one correction and on to another; what both have is passed by.
        (Numbering((SPLIT, MERGE), 4), Numbering((SPLIT, ADD), 6), [1, 2, 4, 5]),
        # Three become one, and part again.
        (Numbering((), 4), Numbering((MERGE_THREE,), 2), [1, 1, 2, 1]),
        (Numbering((MERGE_THREE,), 4), Numbering((), 6), [1, 3, 5, 6]),
        # A model that has fewer senses than the numbers say has lost them.
        (Numbering((), 4), Numbering((), 2), [1, 2, None, None]),
    ],
)
def test_numbers_are_followed(before, now, expected):
    assert [follow_number(n, before, now) for n in (1, 2, 3, 4)] == expected


def make_entry(*keys: str, numbering: Numbering) -> DictionaryEntry:
    senses = tuple(EntrySense(key, definition=f"text of {key}") for key in keys)
    return DictionaryEntry("crane", senses=senses, numbering=numbering)


@pytest.fixture
def folder(topic_model_folder, tmp_path):
    return shutil.copytree(topic_model_folder, tmp_path / "model")


def test_two_texts_of_a_merged_sense_are_kept_and_part_again(folder):
    model = load(folder)
    entry = make_entry("crane.1", "crane.2", numbering=Numbering((), 2))
    merged = EditedWord.start(model, "crane").apply(Edit("crane", "merge", (1, 2)), model.vectors)
    version = load(save_version(model, {"crane": merged}))
    assert root_of(version) == root_of(model) == model.digest
    found = follow_entry(entry, ModelNumbers.of_model(version))
    assert [sense.key for sense in found.entry.senses] == ["crane.1", "crane.1"]
    assert [s.definition for s in found.entry.senses] == ["text of crane.1", "text of crane.2"]
    assert found.entry.numbering == Numbering((Renumbering("merge", (1, 2)),), 1)
    assert found.remarks == ("crane.1 has more than one text: senses have become one",)
    back = follow_entry(found.entry, ModelNumbers.of_model(model))
    assert back.entry == entry
    assert back.remarks == ()


class FourSenses(ModelNumbers):
    """Of a model in which nothing has been merged yet."""

    def find(self, word: str) -> Numbering:
        return Numbering((), 4)

    def senses_of(self, word: str) -> None:
        return None


def test_three_texts_of_a_merged_sense_part_again(folder):
    merged = make_entry(
        "crane.1", "crane.1", "crane.2", "crane.1", numbering=Numbering((MERGE_THREE,), 2)
    )
    found = follow_entry(merged, FourSenses.of_model(load(folder)))
    assert [one.key for one in found.entry.senses] == ["crane.1", "crane.2", "crane.3", "crane.4"]


def test_corrections_that_are_not_saved_yet_count_as_well(folder):
    opened = OpenModel(load(folder))
    correct_word(opened, "crane", Correction("merge", [1, 2]))
    correct_word(opened, "crane", Correction("rename", [1], "both"))
    numbers = ModelNumbers.of_open(opened)
    assert numbers.find("crane") == Numbering((Renumbering("merge", (1, 2)),), 1)
    assert numbers.find("bank") == Numbering((), 2)
    assert numbers.find("nowhere") == Numbering((), 0)


def test_a_sense_that_is_gone_keeps_its_text_and_is_told(folder):
    numbers = ModelNumbers.of_model(load(folder))
    entry = make_entry("crane.2", "crane.3", numbering=Numbering((), 3))
    found = follow_entry(entry, numbers)
    kept = found.entry.senses[1]
    assert (kept.key, kept.former, kept.definition) == ("", "crane.3", "text of crane.3")
    assert found.remarks == (
        "crane.3 is no longer there: its text is kept",
        "crane.1 is not in the entry yet",
    )
    assert follow_entry(found.entry, numbers).entry == found.entry


def test_hidden_and_split_senses_are_told(folder):
    model = load(folder)
    hidden = EditedWord.start(model, "crane").apply(Edit("crane", "hide", (2,)), model.vectors)
    version = load(save_version(model, {"crane": hidden}))
    entry = make_entry("crane.1", "crane.2", numbering=Numbering((), 2))
    assert follow_entry(entry, ModelNumbers.of_model(version)).remarks == (
        "crane.2 is hidden in the model",
    )
    split = replace(
        ModelNumbers.of_model(model), saved={"crane": ({"action": "split", "senses": [2]},)}
    )
    assert "crane.2 was split: look at its text again" in follow_entry(entry, split).remarks
    unknown = DictionaryEntry("xyzzy")
    assert follow_entry(unknown, split).remarks == ("the model has no senses of 'xyzzy'",)


def test_references_follow_the_senses_of_their_words(folder):
    model = load(folder)
    references = (
        CrossReference("see", "bank.2", Numbering((), 2)),
        CrossReference("see", "bank.3", Numbering((), 3)),  # no longer there: to the entry
        CrossReference("see", "bank"),
        CrossReference("see", "heron.1", Numbering((), 2)),  # the model does not have the word
    )
    entry = DictionaryEntry("crane", references=references, senses=(EntrySense("crane.1"),))
    merged = EditedWord.start(model, "bank").apply(Edit("bank", "merge", (1, 2)), model.vectors)
    version = load(save_version(model, {"bank": merged}))
    found = follow_entry(settle_numbering(entry, ModelNumbers.of_model(model)),
                         ModelNumbers.of_model(version)).entry  # fmt: skip
    assert [one.key for one in found.references] == ["bank.1", "bank", "bank", "heron.1"]


def test_an_entry_that_does_not_say_for_which_numbers_it_is_is_for_those_of_now(folder):
    numbers = ModelNumbers.of_model(load(folder))
    inner = EntrySense("crane.1", references=(CrossReference("see", "bank.1"),))
    entry = DictionaryEntry("crane", senses=(EntrySense(senses=(inner,)),))
    settled = settle_numbering(entry, numbers)
    assert settled.numbering == Numbering((), 2)
    assert settled.senses[0].senses[0].references[0].numbering == Numbering((), 2)
    assert settle_numbering(replace(entry, numbering=Numbering((), 9)), numbers).numbering == (
        Numbering((), 9)
    )
    assert forget_numbering(settled) == entry
