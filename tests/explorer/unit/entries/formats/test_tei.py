"""TEI Lex-0: its elements and attributes, as the guidelines of its version 0.9.5 have them."""

from __future__ import annotations

import shutil
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from entry_material import BIRD, CRANE, EMPTY, HOSTILE, LEXICON, make_hostile
from grassmeans.errors import InputError
from grassmeans_explorer.entries.entry import LABEL_KINDS, REFERENCE_KINDS, Label, Numbering
from grassmeans_explorer.entries.formats.tei import NAMESPACE, read, write

HERE = Path("lexicon.tei.xml")
TEI = {"t": NAMESPACE}
ID = "{http://www.w3.org/XML/1998/namespace}id"
SCHEMA = Path(__file__).parents[6] / "shared" / "schemas" / "lex-0.rng"
# Closed lists of the guidelines.
USAGES = {
    "temporal", "geographic", "socioCultural", "domain", "frequency", "attitude", "normativity",
    "meaningType", "textType", "hint",
}  # fmt: skip
RELATIONS = {"synonymy", "hyponymy", "hypernymy", "meronymy", "antonymy", "related"}


def test_the_head_has_what_the_guidelines_require():
    root = ET.fromstring(write(LEXICON))
    assert (root.tag, root.get("type")) == (f"{{{NAMESPACE}}}TEI", "lex-0")
    assert root.findtext(".//t:titleStmt/t:title", None, TEI) == "Birds & <machines>"
    assert root.find(".//t:publicationStmt/t:availability", TEI) is not None
    language = root.find(".//t:profileDesc/t:langUsage/t:language", TEI)
    assert language is not None
    assert language.get("ident") == "en"


def test_entries_and_senses_are_as_the_guidelines_have_them():
    root = ET.fromstring(write(LEXICON))
    entry = root.find(".//t:entry", TEI)
    assert entry is not None
    assert entry.attrib == {
        ID: "e-crane",
        ID.replace("}id", "}lang"): "en",
        "type": "mainEntry",
    }
    assert entry.findtext("t:form[@type='lemma']/t:orth", None, TEI) == "crane"
    gram = entry.find("t:gramGrp/t:gram[@type='pos']", TEI)
    assert gram is not None
    assert (gram.text, gram.get("norm")) == ("noun", "NOUN")
    sense = entry.find("t:sense", TEI)
    assert sense is not None
    assert (sense.get(ID), sense.get("n")) == ("e-crane-1", "crane.1")
    assert sense.findtext("t:def", None, TEI) == BIRD.definition
    quotes = ["".join(q.itertext()) for q in sense.iterfind("t:cit[@type='example']/t:quote", TEI)]
    assert quotes == ["The crane flew north.", "A crane rested."]  # and none that is never shown
    assert sense.findtext("t:cit/t:quote/t:hi", None, TEI) == "crane"
    assert sense.findtext("t:cit/t:bibl", None, TEI) == "A book"
    synonym = sense.find("t:xr[@type='synonymy']/t:ref", TEI)
    assert synonym is not None
    assert synonym.attrib == {"type": "sense", "target": "#e-bank-1", "n": "bank.1"}
    assert sense.find("t:sense/t:def", TEI) is not None
    ids = [element.get(ID) for element in root.iter() if element.get(ID)]
    assert len(set(ids)) == len(ids)
    targets = {ref.get("target") for ref in root.iterfind(".//t:ref[@target]", TEI)}
    assert targets <= {f"#{name}" for name in ids}


def test_labels_and_references_are_of_the_closed_lists():
    senses = (replace(BIRD, labels=tuple(Label(kind, "x") for kind in LABEL_KINDS)),)
    written = write(replace(LEXICON, entries=(replace(CRANE, senses=senses),)))
    root = ET.fromstring(written)
    used = {usage.get("type") for usage in root.iterfind(".//t:sense/t:usg", TEI)}
    assert len(used) == len(LABEL_KINDS)
    assert used <= USAGES
    from grassmeans_explorer.entries.formats.tei import _REFERENCES

    assert set(_REFERENCES) == set(REFERENCE_KINDS)
    assert set(_REFERENCES.values()) == RELATIONS


def as_read(lexicon):
    """What TEI has no place for is gone."""
    entries = tuple(
        replace(
            entry,
            numbering=Numbering(),
            senses=tuple(replace(s, examples=s.shown, proposed=()) for s in entry.senses),
        )
        for entry in lexicon.entries
    )
    return replace(lexicon, entries=entries, model="", root="")


@pytest.mark.parametrize("lexicon", [LEXICON, EMPTY, *map(make_hostile, HOSTILE)])
def test_what_was_written_comes_back(lexicon):
    assert read(write(lexicon), HERE) == as_read(lexicon)


def test_what_xml_cannot_hold_is_replaced():
    (entry,) = read(write(make_hostile("a\x00b")), HERE).entries
    assert entry.word == "a\ufffdb"


def test_a_file_of_another_hand_is_read_as_far_as_it_goes():
    text = f"""<TEI xmlns="{NAMESPACE}"><text><body>
      <entry><form><orth>x</orth></form><etym>old</etym>
      <sense><usg type="textType">poem</usg><xr type="odd"><ref>y</ref></xr>
      <cit type="example"><quote>An <hi>x</hi>.</quote></cit><cit type="translation"/></sense>
      </entry></body></text></TEI>"""
    lexicon = read(text, HERE)
    assert (lexicon.language, lexicon.title) == ("und", "Lexicon")
    (sense,) = lexicon.entries[0].senses
    assert sense.labels == (Label("other", "poem"),)
    assert (sense.references[0].kind, sense.references[0].key) == ("see", "y")
    assert [example.text for example in sense.examples] == ["An x."]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<html/>", "is no TEI: its root is 'html'"),
        ("<TEI><text><body><entry/></body></text></TEI>", "lexicon.tei.xml: an entry needs a word"),
        (write(LEXICON).replace('n="crane.1"', 'n="heron.1"', 1), "is no sense of 'crane'"),
        (write(LEXICON).replace(">review<", ">ready<"), "status of an entry"),
        (
            "<TEI><text><body><entry><form><orth>x</orth></form>"
            f"{'<sense>' * 5000}{'</sense>' * 5000}</entry></body></text></TEI>",
            "8 levels are the most",
        ),
    ],
)
def test_what_is_no_lexicon_is_refused(text, told):
    with pytest.raises(InputError, match=told):
        read(text, HERE)


@pytest.mark.shared
def test_the_published_schema_holds(tmp_path):
    jing = shutil.which("jing")
    if not SCHEMA.is_file() or jing is None:
        pytest.skip("needs TEI Lex-0's RELAX NG beside the checkout, and jing")
    places = []
    for number, lexicon in enumerate([LEXICON, EMPTY, *map(make_hostile, HOSTILE)]):
        places.append(tmp_path / f"{number}.xml")
        places[-1].write_text(write(lexicon), encoding="utf-8", newline="")
    found = subprocess.run([jing, SCHEMA, *places], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "")
