from __future__ import annotations

import re

from entry_material import HOSTILE, LEXICON
from grassmeans_explorer.entries.entry import CrossReference
from grassmeans_explorer.entries.formats.identifiers import Targets, name_entry, name_sense


def test_names_are_made_of_safe_characters_and_differ():
    assert name_entry("crane") == "e-crane"
    assert name_sense("crane", (2, 1)) == "e-crane-2-1"
    assert name_entry("a-1") == "e-a_2d_1"  # not the first sense of "a"
    assert name_entry("_2d_") == "e-_5f_2d_5f_"
    names = [name_entry(word) for word in (*HOSTILE, "é", "e\u0301", "a-1", "a_1", "a 1")]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"e-[A-Za-z0-9_]+", name) for name in names)


def test_references_lead_to_what_is_there():
    targets = Targets(LEXICON)
    found = {key: targets.find(CrossReference("see", key)) for key in ("bank.1", "bank.2", "bank")}
    assert found == {"bank.1": "e-bank-1", "bank.2": "e-bank", "bank": "e-bank"}
    assert targets.find(CrossReference("see", "heron.1")) is None
    assert targets.find_sense(CrossReference("see", "bank")) is None
