from __future__ import annotations

import json

import pytest

from grassmeans import load
from grassmeans.errors import InputError
from grassmeans.recipes import About, Source
from grassmeans.recipes.about import count_bytes, describe_model


def test_a_source_is_read_from_a_line():
    assert Source.parse("Wikipedia; CC BY-SA; 62,000,000") == Source(
        "Wikipedia", "CC BY-SA", 62_000_000
    )
    assert Source.parse("Letters") == Source("Letters", "not told", None)


@pytest.mark.parametrize("told", ["", ";CC0", "A;B;many", "A;B;1;2"])
def test_what_is_no_source_is_refused(told):
    with pytest.raises(InputError, match="NAME;LICENCE;WORDS"):
        Source.parse(told)


def test_a_file_tells_about_a_model(tmp_path):
    told = {
        "version": "1.2",
        "licence": "CC BY 4.0",
        "sources": ["A;CC0;5", {"name": "B", "licence": "MIT", "words": 7}],
        "limits": ["No slang."],
    }
    (tmp_path / "about.json").write_text(json.dumps(told))
    found = About.read(tmp_path / "about.json")
    sources = (Source("A", "CC0", 5), Source("B", "MIT", 7))
    assert found == About(None, "CC BY 4.0", sources, limits=("No slang.",), version="1.2")
    assert found.describe("model") == {
        "name": "model",
        "version": "1.2",
        "licence": "CC BY 4.0",
        "sources": [{"name": "A", "licence": "CC0", "words": 5}, told["sources"][1]],
    }


def test_yaml_tells_the_same(tmp_path):
    pytest.importorskip("yaml")
    (tmp_path / "about.yaml").write_text("name: es\nsources:\n  - {name: A, words: 5}\n")
    assert About.read(tmp_path / "about.yaml") == About("es", sources=(Source("A", words=5),))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("{", "Expecting"),
        ("[]", "named values"),
        ('{"licence": 3}', "'licence' is a text"),
        ('{"sources": [{"licence": "MIT"}]}', "'name' is there"),
        ('{"license": "MIT"}', "unknown fields: license"),
    ],
)
def test_a_file_that_tells_something_else_is_refused(tmp_path, content, found):
    (tmp_path / "about.json").write_text(content)
    with pytest.raises(InputError, match=rf"about\.json does not tell about a model.*{found}"):
        About.read(tmp_path / "about.json")


def test_the_card_has_sources_scores_and_limits(made):
    card = (made / "MODEL_CARD.md").read_text()
    model = load(made)
    n_senses = sum(model.inventory.sense_counts.values())
    assert card.startswith("# Model `topics`\n\nFor grassmeans 0.2.0 and later.\n\n")
    assert f"Senses of {len(model.words):,} words ({n_senses:,} senses)" in card
    assert "\n- made up: 28,000 words, CC0\n" in card
    assert "Licence of the model: CC BY 4.0." in card
    assert "400 documents, 28,000 words" in card
    assert "\n- min count: 60\n" in card
    assert "- max contexts: 1000\n" in card  # as it was, not as it was asked for
    assert "% answered, " in card
    assert "\n- No birds.\n" in card
    assert "Words that occur fewer than 60 times" in card


def test_tables_of_test_sets_come_into_the_card(made):
    model = load(made)
    card = describe_model(model, About(words="Hear, hear."), model.manifest, {"t": "| a |"}, 2**20)
    assert "\n\nt:\n\n| a |\n\n## What" in card
    assert "\n\nHear, hear.\n\n" in card
    assert "1.0 MB" in card
    assert "not told" in card


def test_bytes_are_those_of_all_files(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(b"123")
    (tmp_path / "c").write_bytes(b"45")
    assert count_bytes(tmp_path) == 5
