from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.errors import InputError
from grassmeans_lab.datasets.lineup import build_lineup
from grassmeans_lab.evaluation.tasks.lineup.task import read_lineup
from wordnet_files import Entry, write_wordnet

NOUNS = "wader marsh feather beak lift load harbour hook name author wool cloth river loom novel"
ENTRIES = {word: Entry("n", 9, (word,), "-") for word in NOUNS.split()} | {
    "bird": Entry("n", 5, ("bird",), "feather and beak", (("~", "crane.bird"),)),
    "device": Entry("n", 6, ("device",), "-"),
    "crane.name": Entry("n", 18, ("Crane",), "name author novel", (), 9),
    "crane.bird": Entry(
        "n", 5, ("crane", "wader"), 'in a marsh; "by the river"', (("@", "bird"),), 1
    ),
    "crane.machine": Entry("n", 6, ("crane",), "lift load at a harbour hook", (), 2),
    "crane.part": Entry("n", 20, ("crane",), "hook of a loom and cloth"),  # shares "hook"
    "crane.derived": Entry("n", 10, ("crane",), "wool cloth loom novel of cranes"),
    "crane.verb": Entry("v", 29, ("crane",), "wool cloth loom novel", (("+", "crane.bird"),), 5),
    "crane.unseen": Entry("v", 30, ("crane",), "wool cloth loom novel"),
    "loom.2": Entry("n", 5, ("loom",), "feather beak marsh wader", (), 1),
    "loom.3": Entry("n", 6, ("loom",), "lift load harbour hook", (), 1),
}
KNOWN = [*NOUNS.split(), "bird", "crane"]


@pytest.fixture
def wordnet(tmp_path: Path) -> Path:
    return write_wordnet(tmp_path / "wordnet", ENTRIES)


def test_distinct_senses_of_given_words(
    tmp_path: Path, wordnet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In so few definitions every word is frequent.
    monkeypatch.setattr("grassmeans_lab.wordnet.related_words._GENERAL", 1.0)
    output = tmp_path / "lineup.jsonl"
    summary = build_lineup(output, wordnet, words=["crane", "River"], n_related=4)
    assert (summary.n_words, summary.n_senses) == (1, 2)
    assert summary.words_without_senses == ("river",)
    machine, bird = read_lineup(output).senses
    assert (machine.name, set(machine.words)) == ("crane.1", {"lift", "load", "harbour", "hook"})
    # Synonym, definition, hypernym, example.
    assert (bird.name, bird.words) == ("crane.2", ("wader", "marsh", "bird", "river"))
    assert bird.source.startswith("wordnet:n")


def test_more_words_come_from_hypernyms(
    tmp_path: Path, wordnet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grassmeans_lab.wordnet.related_words._GENERAL", 1.0)
    vectors = WordVectors(
        [word for word in KNOWN if word != "river"], np.eye(17, dtype=np.float32)[:16]
    )
    output = tmp_path / "lineup.jsonl"
    build_lineup(output, wordnet, vectors=vectors, words=["crane"], n_related=4)
    bird = read_lineup(output).senses[1]
    assert bird.words[:3] == ("wader", "marsh", "bird")
    assert bird.words[3] in {"feather", "beak"}


def test_random_choice_is_the_same_again(
    tmp_path: Path, wordnet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grassmeans_lab.wordnet.related_words._GENERAL", 1.0)
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    summary = build_lineup(first, wordnet, n_words=2, n_related=4)
    assert summary.n_words == 2
    assert read_lineup(first).words == ("crane", "loom")  # the only ones seen in two senses
    build_lineup(second, wordnet, n_words=2, n_related=4)
    assert first.read_bytes() == second.read_bytes()
    known = WordVectors([word for word in KNOWN if word != "loom"], np.ones((16, 2), np.float32))
    with pytest.raises(InputError, match="only 1 words have 2 clearly distinct senses, 2 were"):
        build_lineup(tmp_path / "x", wordnet, vectors=known, n_words=2, n_related=4)


def test_a_file_that_is_there_is_replaced_only_when_told(
    tmp_path: Path, wordnet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grassmeans_lab.wordnet.related_words._GENERAL", 1.0)
    output = tmp_path / "thesis.md"
    output.write_text("mine")
    with pytest.raises(InputError, match="exists already"):
        build_lineup(output, wordnet, words=["crane"], n_related=4)
    assert output.read_text() == "mine"
    with pytest.raises(InputError, match="an input"):
        build_lineup(wordnet / "index.noun", wordnet, words=["crane"], overwrite=True)
    build_lineup(output, wordnet, words=["crane"], n_related=4, overwrite=True)
    assert read_lineup(output).words == ("crane",)


def test_general_words_define_nothing(
    tmp_path: Path, wordnet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # "hook" stands in three of the definitions, the other words of the machine in two.
    n_synsets = len(ENTRIES)
    monkeypatch.setattr("grassmeans_lab.wordnet.related_words._GENERAL", 2.5 / n_synsets)
    output = tmp_path / "lineup.jsonl"
    build_lineup(output, wordnet, words=["crane"], n_related=3)
    machine = next(sense for sense in read_lineup(output).senses if "lift" in sense.words)
    assert set(machine.words) == {"lift", "load", "harbour"}


def test_bad_requests(tmp_path: Path, wordnet: Path) -> None:
    with pytest.raises(InputError, match="must be 1 or more, got 0 and 8"):
        build_lineup(tmp_path / "x.jsonl", wordnet, n_words=0)
    with pytest.raises(InputError, match="none of the words has 2 clearly distinct senses"):
        build_lineup(tmp_path / "x.jsonl", wordnet, words=["river"])
    assert not (tmp_path / "x.jsonl").exists()
