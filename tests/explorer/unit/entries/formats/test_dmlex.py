"""DMLex 1.0: the objects of its JSON, by what its specification says of each."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from entry_material import EMPTY, HOSTILE, LEXICON, make_hostile
from grassmeans.errors import InputError
from grassmeans_explorer.entries.entry import (
    KEEP,
    CrossReference,
    EntryExample,
    EntrySense,
    Label,
    Numbering,
)
from grassmeans_explorer.entries.formats.dmlex import describe, read, write

SCHEMA = Path(__file__).parents[6] / "shared" / "schemas" / "dmlex_no-crosslingual.schema.json"
PATH = Path("lexicon.dmlex.json")
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
    assert [sense["id"] for sense in crane["senses"]] == [
        "e-crane-1.s1",
        "e-crane-1-1",
        "e-crane-2.s2",
    ]
    assert crane["senses"][0] == {
        "id": "e-crane-1.s1",
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
            {"id": "e-bank-1.s1", "indicator": "river"},
            {"id": "e-bank-2", "indicator": "gone"},
        ],
    }
    assert {"tag": "zoology", "typeTag": "domain"} in found["labelTags"]
    assert {"tag": "verb", "typeTag": "partOfSpeech"} in found["labelTags"]


def test_relations_lead_from_and_to_what_is_there():
    found = describe(LEXICON)
    pairs = [(r["type"], *(member["ref"] for member in r["members"])) for r in found["relations"]]
    assert pairs == [
        ("subsensing", "e-crane-1.s1", "e-crane-1-1"),
        ("see", "e-crane", "e-bank"),
        ("synonym", "e-crane-1.s1", "e-bank-1.s1"),
        ("broader", "e-crane-1-1", "e-crane-1.s1"),
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


def shown(example: EntryExample) -> EntryExample:
    return replace(example, decision=KEEP)


def carried(sense: EntrySense, kept: set[str]) -> EntrySense:
    """What DMLex has of a sense, where these keys are in the file."""
    return replace(
        sense,
        former="",
        notes=(),
        collocates=(),
        proposed=(),
        examples=tuple(map(shown, sense.shown)),
        references=tuple(one for one in sense.references if one.key in kept),
        senses=tuple(carried(inner, kept) for inner in sense.senses),
    )


def test_what_it_holds_comes_back():
    kept = {"crane", "crane.1", "crane.2", "bank", "bank.1"}
    entries = tuple(
        replace(
            entry,
            status="draft",
            notes=(),
            numbering=Numbering(),
            senses=tuple(carried(sense, kept) for sense in entry.senses),
        )
        for entry in LEXICON.entries
    )
    assert read(write(LEXICON), PATH) == replace(LEXICON, entries=entries, model="", root="")


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_comes_back(text):
    (entry,) = read(write(make_hostile(text)), PATH).entries
    (inner,) = entry.senses[0].senses
    assert (entry.word, inner.key, inner.definition) == (text, f"{text}.1", text)
    assert inner.examples == (EntryExample(text, text, text, text),)


def test_a_file_of_another_program_is_read_as_far_as_we_have_a_place():
    values = {
        "langCode": "en",
        "uri": "http://example.com",
        "entries": [
            {"headword": "bank", "homographNumber": 1, "partsOfSpeech": ["n", "v"], "senses": [
                {"id": "a", "indicator": "river", "definitions": [{"text": "x"}, {"text": "y"}],
                 "labels": ["dated"], "examples": [{"text": "Two Banks of it."}]},
                {"id": "b"},
            ]},
            {"headword": "bank", "homographNumber": 2, "partsOfSpeech": ["v"], "senses": [{}]},
        ],
        "labelTags": [{"tag": "dated", "typeTag": "temporal"}],
        "relations": [{"type": "syn", "members": [{"role": "a", "ref": "a"}, {"ref": "b"}]}],
    }  # fmt: skip
    (entry,) = read(json.dumps(values), PATH).entries
    first, second, third = entry.senses
    assert (entry.word, entry.part_of_speech, third.part_of_speech) == ("bank", "n", "v")
    assert (first.name, first.definition) == ("river", "x; y")
    assert first.labels == (Label("other", "dated"),)
    assert first.examples == (EntryExample("Two ", "Banks", " of it."),)
    assert first.references == (CrossReference("see", "bank"),)
    assert second == EntrySense()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "no usable JSON"),
        ("[]", "expected a lexicographic resource"),
        ('{"entries": {}}', "expected a list of objects as entries"),
        ('{"entries": [{"headword": 1}]}', "expected a text as headword"),
        ('{"entries": [{"headword": ""}]}', "an entry needs a word"),
        (json.dumps({"entries": [{"headword": "x", "labels": [1]}]}), "a list of texts as labels"),
        (json.dumps(describe(EMPTY) | {"langCode": "!"}), "no code of a language"),
    ],
)
def test_what_is_wrong_is_told(content, told):
    with pytest.raises(InputError, match=told):
        read(content, PATH)


def test_senses_inside_of_each_other_or_too_deep_are_refused():
    def chain(pairs, n):
        senses = [{"id": str(i)} for i in range(n)]
        relations = [
            {
                "type": "subsensing",
                "members": [{"role": "super", "ref": a}, {"role": "sub", "ref": b}],
            }
            for a, b in pairs
        ]
        entry = {"headword": "x", "senses": senses}
        return json.dumps({"entries": [entry], "relations": relations})

    with pytest.raises(InputError, match="inside of each other"):
        read(chain([("0", "1"), ("1", "0")], 3), PATH)
    deep = chain([(str(i), str(i + 1)) for i in range(5000)], 5001)
    with pytest.raises(InputError, match="8 levels are the most"):
        read(deep, PATH)
    twice = {"entries": [{"headword": "x", "senses": [{"id": "a"}, {"id": "a"}]}]}
    with pytest.raises(InputError, match="two senses of 'x' have the same id"):
        read(json.dumps(twice), PATH)
    marked = {"text": "x", "headwordMarkers": [{"startIndex": 0, "endIndex": 9}]}
    wrong = {"entries": [{"headword": "x", "senses": [{"examples": [marked]}]}]}
    with pytest.raises(InputError, match="is not in it"):
        read(json.dumps(wrong), PATH)
