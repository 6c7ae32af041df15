from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grassmeans.cli.main import app
from grassmeans.errors import InputError
from grassmeans_lab.wordnet import database
from wordnet_files import Entry, write_wordnet

ENTRIES = {
    "bird": Entry("n", 5, ("crane",), "birdba and birdbe"),
    "machine": Entry("n", 6, ("crane",), "machineba and machinebe"),
}


@pytest.fixture
def wordnet(tmp_path: Path) -> Path:
    return write_wordnet(tmp_path / "corpora" / "wordnet", ENTRIES)


def link(*arguments: object):
    return CliRunner().invoke(app, ["wordnet", *map(str, arguments)])


def test_senses_have_their_synsets(topic_model_folder: Path, wordnet: Path) -> None:
    entry = json.loads(link(topic_model_folder, "crane", "--database", wordnet).stdout)
    for sense in entry["senses"]:
        topic = sense["characteristic_words"][0][:4]
        assert sense["wordnet"]["definition"].startswith(topic)
        assert 0.3 <= sense["wordnet"]["cosine"] <= 1
    assert {sense["wordnet"]["definition"][:4] for sense in entry["senses"]} == {"bird", "mach"}


def test_wordnet_is_looked_for_where_nltk_keeps_it(
    topic_model_folder: Path, wordnet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLTK_DATA", str(wordnet.parents[1]))
    entry = json.loads(link(topic_model_folder, "crane", "--database", "auto").stdout)
    assert entry["senses"][0]["wordnet"]["synset"].startswith("n")


def test_a_word_without_synsets_says_so(topic_model_folder: Path, wordnet: Path) -> None:
    done = link(topic_model_folder, "bank", "--database", wordnet)
    assert done.exit_code == 0
    assert "WordNet has no synset of 'bank'" in done.stderr
    assert {sense["wordnet"] for sense in json.loads(done.stdout)["senses"]} == {None}


def test_no_wordnet_or_a_folder_that_is_none(
    topic_model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    done = link(topic_model_folder, "crane", "--database", empty)
    assert isinstance(done.exception, InputError)
    assert "is not a WordNet database: it has no data.adj; get WordNet 3.0" in str(done.exception)
    monkeypatch.setattr(database, "usual_places", lambda: [])
    done = link(topic_model_folder, "crane", "--database", "auto")
    assert "WordNet was not found in the usual places of NLTK: get" in str(done.exception)
