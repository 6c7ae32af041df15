from __future__ import annotations

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.text.tokenizer import Tokenizer
from grassmeans_lab.wordnet.glosses import open_glosses
from wordnet_files import Entry, write_wordnet

ENTRIES = {
    "bird": Entry("n", 5, ("crane",), "wader of the marsh"),
    "lift": Entry("v", 6, ("crane",), "hoist steel"),
}
# Every word shares the first dimension; birds, machines and necks have one each of their own.
WORDS = {
    "crane": [9, 1, 1, 0],
    "marsh": [9, 2, 0, 0],
    "wader": [9, 2, 0, 0],
    "reed": [9, 2, 0, 0],
    "steel": [9, 0, 2, 0],
    "hoist": [9, 0, 2, 0],
    "cable": [9, 0, 2, 0],
    "throat": [9, 0, 0, 2],
}
TOLD = ("reed", "cable", "throat")


def make_model(language: str | None) -> SenseModel:
    vectors = WordVectors(list(WORDS), np.array(list(WORDS.values()), np.float32))
    senses = tuple(Sense(n, 0.3, 0.1, (word,), (), ()) for n, word in enumerate(TOLD, 1))
    entry = WordSenses("crane", 9, 9, np.eye(4, dtype=np.float32)[:3], senses)
    encoder = SubspaceEncoder(vectors, ContextShape(2, 1), frozenset())
    manifest = {"language": language}
    return SenseModel(encoder, SenseInventory([entry]), Tokenizer(), manifest)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    write_wordnet(tmp_path / "corpora" / "wordnet", ENTRIES)
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))


@pytest.mark.parametrize("language", ["en", "en-GB", None])
def test_senses_have_the_glosses_of_their_synsets(installed, language):
    model = make_model(language)
    find = open_glosses(model)
    assert find is not None
    assert find(model.inventory["crane"]) == [
        ("wader of the marsh", "noun"),
        ("hoist steel", "verb"),
        None,
    ]


def test_other_languages_have_none(installed):
    assert open_glosses(make_model("de")) is None


def test_without_wordnet_there_is_none(tmp_path, monkeypatch):
    from grassmeans_lab.wordnet import database

    monkeypatch.setattr(database, "usual_places", lambda: [tmp_path / "nothing"])
    assert open_glosses(make_model("en")) is None
