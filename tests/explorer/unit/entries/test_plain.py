from __future__ import annotations

import json
from pathlib import Path

import pytest

from entry_material import BANK, CRANE
from grassmeans.errors import ArtifactError, GrassmeansError, InputError
from grassmeans_explorer.entries.plain import entry_from_values, entry_to_values

HERE = Path("entries.jsonl")


def test_what_is_empty_is_left_out():
    assert entry_to_values(BANK) == {
        "word": "bank",
        "status": "draft",
        "senses": [{"key": "bank.1", "name": "river"}, {"former": "bank.3", "name": "gone"}],
    }
    values = entry_to_values(CRANE)
    assert values["numbering"] == {
        "steps": [{"action": "split", "senses": [1]}],
        "n_senses": 2,
    }
    assert values["senses"][0]["examples"][1] == {
        "left": "No ", "word": "crane", "right": "!", "decision": "never",
    }  # fmt: skip


@pytest.mark.parametrize("entry", [CRANE, BANK], ids=lambda entry: entry.word)
def test_entries_come_back(entry):
    assert entry_from_values(json.loads(json.dumps(entry_to_values(entry))), HERE) == entry


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([], "named values"),
        ({}, "'word' is there"),
        ({"word": 3}, "'word' is a text, not 3"),
        ({"word": "x", "status": "ready"}, "'status' is one of draft, review, done"),
        ({"word": "x", "senses": [{"senses": [{"key": 1}]}]}, "'key' is a text"),
        ({"word": "x", "senses": [{"examples": [{"left": ""}]}]}, "'word' is there"),
        ({"word": "x", "labels": [{"kind": "odd", "text": ""}]}, "'kind' is one of register"),
        ({"word": "x", "numbering": {"steps": [{"action": "turn"}]}}, "'action' is one of merge"),
    ],
)
def test_other_values_are_refused(values, told):
    with pytest.raises(ArtifactError, match=r"entries\.jsonl") as error:
        entry_from_values(values, HERE)
    assert told in str(error.value)


def test_what_the_fields_cannot_be_is_refused_with_the_file():
    with pytest.raises(InputError, match=r"^entries.jsonl: 'y.1' is no sense of 'x'"):
        entry_from_values({"word": "x", "senses": [{"key": "y.1"}]}, HERE)
    deep: dict = {"word": "x", "senses": []}
    inner = deep
    for _ in range(30):
        inner["senses"] = [{"senses": []}]
        inner = inner["senses"][0]
    with pytest.raises(GrassmeansError):
        entry_from_values(deep, HERE)
