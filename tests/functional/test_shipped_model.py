"""The English model that comes with the package."""

from __future__ import annotations

import json

import numpy as np
import pytest

import grassmeans
from grassmeans.lexemes.lexeme_vectors import open_lexemes
from grassmeans.senses.model_places import list_models, models_folder

LIMIT = 25_000_000


@pytest.fixture(scope="module")
def english():
    return grassmeans.load("en")


def test_it_is_small_and_has_a_card():
    assert list_models() == ["en"]
    folder = models_folder() / "en"
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) <= LIMIT
    card = (folder / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "CC BY-SA" in card
    for heading in ("## Source and licence", "## Parameters", "## Scores", "## Limits"):
        assert heading in card


def test_every_word_has_several_described_senses(english):
    counts = english.inventory.sense_counts
    assert len(counts) > 10_000
    assert min(counts.values()) >= 2
    for word in list(counts)[::1000]:
        entry = english.senses(word)
        assert sum(sense.share for sense in entry.senses) == pytest.approx(1, abs=0.01)
        assert entry.count >= 200
        names = [sense.name for sense in entry.senses]
        assert len(set(names)) == len(names)
        assert all(sense.examples and sense.characteristic_words for sense in entry.senses)


def test_directions_are_unit_lines(english):
    directions = english.inventory.directions("crane")
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1, atol=1e-5)


def _sense_of(model, word, text):
    (found,) = model.tag(text, words=[word], idk_threshold=None)
    assert found.sense > 0, "too few known words around it"
    return model.senses(word).senses[found.sense - 1]


@pytest.mark.parametrize(
    ("word", "text", "marker"),
    [
        (
            "bank",
            "The river flooded, and water rose over its <b>bank</b> in the east.",
            "river",
        ),
        ("bank", "The West <b>bank</b>, where Israeli and Palestinian troops met in Gaza.", "gaza"),
        (
            "java",
            "Code of a web server, written in the language <b>java</b>.",
            "programming",
        ),
        (
            "java",
            "The island of <b>java</b>, south of Sumatra in Dutch Indonesia.",
            "island",
        ),
        ("mercury", "The planet <b>mercury</b> orbits the sun faster than earth.", "planet"),
    ],
)
def test_sentences_get_the_sense_they_show(english, word, text, marker):
    assert marker in _sense_of(english, word, text).characteristic_words


def test_poor_contexts_are_not_known(english):
    assert english.tag("A <b>crane</b>.")[0].sense == 0


def test_lexemes_can_be_compared_with_words(english):
    lexemes = open_lexemes(english)
    assert lexemes is not None
    assert lexemes.vectors.dim == english.vectors.dim
    first, second = (f"java.{k}" for k in (1, 2))
    island = lexemes.vectors.similarity(second, "sumatra")
    assert island > lexemes.vectors.similarity(first, "sumatra")


def test_the_command_line_takes_its_name(capsys):
    from typer.testing import CliRunner

    from grassmeans.cli.main import app

    result = CliRunner().invoke(app, ["show", "en", "crane", "--json"])
    assert json.loads(result.output)["word"] == "crane"
