"""Texts of one's own, of several kinds: good senses of three words with nothing trained."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import grassmeans
from grassmeans.cli.main import app

# For each word, sentences of two senses; written for this test.
SENTENCES = {
    "bank": (
        [
            "The bank raised its interest rates and lent money to small companies.",
            "She opened a savings account at the bank and deposited her wages.",
            "The central bank bought government bonds to support the currency.",
            "He owed the bank a mortgage of two hundred thousand dollars.",
            "The bank refused the loan because the customer's credit was poor.",
            "Investors lost their deposits when the bank failed in the financial crisis.",
        ],
        [
            "They sat on the grassy bank of the river and watched the boats.",
            "The flood washed away the muddy bank of the stream below the bridge.",
            "Willow trees grow along the left bank of the river near the lake.",
            "Fishermen cast their lines from the steep bank into the deep water.",
            "The canoe drifted to the opposite bank below the waterfall and the rapids.",
            "The village stands on the south bank of the river, upstream of the valley.",
        ],
    ),
    "plant": (
        [
            "The plant has yellow flowers, green leaves and long roots in moist soil.",
            "This species of plant grows in tropical forests and its seeds are edible.",
            "Water the plant twice a week and keep its leaves out of the sun.",
            "Insects carry pollen from the flowers of one plant to another.",
            "The plant bears small red fruit and its leaves fall in autumn.",
            "A climbing plant with white flowers covered the trees of the garden.",
        ],
        [
            "The nuclear power plant supplies electricity to the whole city.",
            "Workers at the car plant assembled engines for the automobile company.",
            "The company closed its manufacturing plant and dismissed the workers.",
            "The chemical plant produced steel and fuel for the industry.",
            "Engineers built a coal plant with two reactors and a turbine.",
            "The factory and the assembly plant of the company employ two thousand workers.",
        ],
    ),
    "seal": (
        [
            "A seal lay on the ice and dived into the sea when the bear came near.",
            "The seal swam after the fish and came up to breathe.",
            "Hunters killed the seal for its fur and its meat.",
            "A grey seal and her pup rested on the rocks of the beach.",
            "The seal barked, and its whiskers were wet from the water.",
            "Whales, a seal and some penguins were seen by the sailors near the coast.",
        ],
        [
            "The letter bore the seal of the king, pressed into red wax.",
            "The royal seal was fixed to the charter to prove that it was valid.",
            "The emblem of the city is on the seal of the mayor.",
            "She broke the wax seal and unfolded the document.",
            "The treaty was signed, and the great seal of the state was added.",
            "An inscription in Latin runs around the seal of the university.",
        ],
    ),
}
WORDS = tuple(SENTENCES)
TEXTS = [text for senses in SENTENCES.values() for sense in senses for text in sense]


def agreement(labels: np.ndarray) -> float:
    """How many of twelve answers, six a sense, are right, whatever number a sense has."""
    right = (labels == np.repeat([1, 2], 6)).mean()
    return float(max(right, 1 - right))


@pytest.fixture
def folder(tmp_path) -> Path:
    """Files of several kinds, one of them in an old encoding."""
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    (mixed / "a.txt").write_text("\n\n".join(TEXTS[:12]), encoding="utf-8")
    (mixed / "b.jsonl").write_text("\n".join(json.dumps({"text": t}) for t in TEXTS[12:24]))
    old = "Caf\u00e9 Am\u00e9lie, \u00e0 c\u00f4t\u00e9 du march\u00e9.\n\n"
    (mixed / "c.txt").write_bytes((old + "\n\n".join(TEXTS[24:])).encode("latin-1"))
    with (tmp_path / "posts.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerows([("id", "body"), *enumerate(TEXTS)])
    return tmp_path


@pytest.mark.parametrize("word", WORDS)
def test_a_list_of_strings(word) -> None:
    found = grassmeans.find_senses(TEXTS * 3, word.capitalize())
    assert len(found) == 2
    assert agreement(found.labels[:12]) >= 10 / 12
    assert all(sense.name and sense.examples for sense in found)


def test_a_folder_of_mixed_files_and_a_table(folder) -> None:
    found = grassmeans.find_senses(folder / "mixed", "bank", n_senses=2)
    assert agreement(found.labels) >= 10 / 12
    table = grassmeans.find_senses(folder / "posts.csv", "bank", column="body", n_senses=2)
    assert table.labels.tolist() == found.labels.tolist()


def test_one_command_from_files_to_senses(folder) -> None:
    words = [option for word in WORDS for option in ("--word", word.capitalize())]
    sources = [str(folder / "mixed"), "en", "-o", str(folder / "model")]
    runner = CliRunner()
    done = runner.invoke(app, ["induce", *sources, *words, "-k", "2", "--workers", "1"])
    assert done.exit_code == 0, done.output
    model = grassmeans.load(folder / "model")
    assert set(model.words) == set(WORDS)
    for word in WORDS:
        texts = [text for sense in SENTENCES[word] for text in sense]
        tagged = model.tag_many(texts, words=word, idk_threshold=None)
        assert agreement(np.array([text[0].sense for text in tagged])) >= 10 / 12
