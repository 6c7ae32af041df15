"""DMLex 1.0: the objects of its JSON, by what its specification says of each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from entry_material import EMPTY, HOSTILE, LEXICON, make_hostile
from grassmeans_explorer.entries.formats.dmlex import describe, write

SCHEMA = Path(__file__).parents[6] / "shared" / "schemas" / "dmlex_no-crosslingual.schema.json"
# The properties of each object type that we write; no others are allowed.
PROPERTIES = {
    "resource": {
        "title", "langCode", "entries", "labelTags", "labelTypeTags", "relations", "relationTypes",
    },
    "entry": {"id", "headword", "partsOfSpeech", "labels", "senses"},
    "sense": {"id", "indicator", "labels", "definitions", "examples"},
    "example": {"text", "sourceElaboration", "headwordMarkers"},
}  # fmt: skip
ALL = [LEXICON, EMPTY, *map(make_hostile, HOSTILE)]


def test_an_entry_and_its_senses():
    found = describe(LEXICON)
    assert found["langCode"] == "en"
    crane, bank = found["entries"]
    assert crane["id"] == "e-crane"
    assert (crane["headword"], crane["partsOfSpeech"]) == ("crane", ["noun"])
    assert [sense["id"] for sense in crane["senses"]] == ["e-crane-1", "e-crane-1-1", "e-crane-2"]
    assert crane["senses"][0] == {
        "id": "e-crane-1",
        "indicator": "nest, wings",
        "labels": ["zoology", "neutral"],
        "definitions": [{"text": "a large bird with a long neck"}],
        "examples": [
            {
                "text": "The crane flew north.",
                "sourceElaboration": "A book",
                "headwordMarkers": [{"startIndex": 4, "endIndex": 9}],
            },
            {
                "text": "A crane rested.",
                "headwordMarkers": [{"startIndex": 2, "endIndex": 7}],
            },
        ],
    }
    assert crane["senses"][2]["labels"] == ["verb"]
    assert bank == {
        "id": "e-bank",
        "headword": "bank",
        "senses": [
            {"id": "e-bank-1", "indicator": "river"},
            {"id": "e-bank-2", "indicator": "gone"},
        ],
    }
    assert {"tag": "zoology", "typeTag": "domain"} in found["labelTags"]
    assert {"tag": "verb", "typeTag": "partOfSpeech"} in found["labelTags"]


def test_relations_lead_from_and_to_what_is_there():
    found = describe(LEXICON)
    pairs = [(r["type"], *(member["ref"] for member in r["members"])) for r in found["relations"]]
    assert pairs == [
        ("subsensing", "e-crane-1", "e-crane-1-1"),
        ("see", "e-crane", "e-bank"),
        ("synonym", "e-crane-1", "e-bank-1"),
        ("broader", "e-crane-1-1", "e-crane-1"),
    ]  # and none to the heron, which is not there
    assert [one["type"] for one in found["relationTypes"]] == [
        "subsensing", "see", "synonym", "broader",
    ]  # fmt: skip


@pytest.mark.parametrize("lexicon", ALL)
def test_no_text_is_empty_no_label_twice_and_no_property_of_our_own(lexicon):
    found = json.loads(write(lexicon))
    assert set(found) <= PROPERTIES["resource"]
    for entry in found["entries"]:
        assert set(entry) <= PROPERTIES["entry"]
        for sense in entry.get("senses", []):
            assert set(sense) <= PROPERTIES["sense"]
            assert len(set(sense.get("labels", []))) == len(sense.get("labels", []))
            for example in sense.get("examples", []):
                assert set(example) <= PROPERTIES["example"]
                assert example["text"]
                (marker,) = example["headwordMarkers"]
                assert example["text"][marker["startIndex"] : marker["endIndex"]]
    assert [entry["headword"] for entry in found["entries"]] == [e.word for e in lexicon.entries]


@pytest.mark.shared
@pytest.mark.parametrize("lexicon", ALL)
def test_the_published_schema_holds(lexicon):
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    if not SCHEMA.is_file():
        pytest.skip("needs the schema of DMLex beside the checkout")
    jsonschema.validate(json.loads(write(lexicon)), json.loads(SCHEMA.read_text("utf-8")))
