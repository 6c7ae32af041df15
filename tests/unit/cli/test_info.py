from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from crane_model import save_crane_model
from grassmeans import WordVectors
from grassmeans.cli.info import _readable
from grassmeans.cli.main import app
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.errors import InputError
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import Sense, SkippedWord, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.text.tokenizer import Tokenizer

WORDS = [f"word{i}" for i in range(3000)]


def tell(*arguments: object) -> str:
    return CliRunner().invoke(app, ["info", *map(str, arguments)], catch_exceptions=False).output


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of 3,000 words with two senses each, and one word that has none."""
    senses = tuple(Sense(i, 0.5, 0.4, (), (), (), "") for i in (1, 2))
    entries = [WordSenses(word, 9, 9, np.eye(2, dtype=np.float32), senses) for word in WORDS]
    inventory = SenseInventory(entries, [SkippedWord("rare", "occurs too seldom")])
    vectors = WordVectors(WORDS, np.ones((len(WORDS), 2), np.float32))
    encoder = SubspaceEncoder(vectors, ContextShape(3, 2), frozenset())
    folder = tmp_path_factory.mktemp("info") / "model"
    SenseModel(encoder, inventory, Tokenizer(), {"language": "en"}).save(folder)
    return folder


def test_long_lists_are_cut_wherever_they_are() -> None:
    assert _readable(1234) == "1,234"
    assert _readable(["a", "b"]) == "a, b"
    assert _readable(list(range(30))).endswith("18, 19, ... (30 in all)")
    told = _readable({"tokenizer": {"phrases": ["port ellery"] * 5000}, "language": "en"})
    assert '"n": 5000' in told
    assert told.endswith('language: "en"')
    assert len(told) < 500


def test_a_model_is_summed_up(large: Path) -> None:
    told = tell(large, "--json")
    found = json.loads(told)
    assert (found["n_words"], found["n_senses"], found["n_skipped"]) == (3000, 6000, 1)
    assert "words" not in found
    assert len(told) < 2000


def test_words_are_listed_when_asked_for(large: Path) -> None:
    found = json.loads(tell(large, "--words"))
    assert found["words"] == WORDS
    assert found["skipped"] == [{"word": "rare", "reason": "occurs too seldom"}]


def test_lists_of_a_manifest_are_cut_in_json_too(tmp_path: Path) -> None:
    save_crane_model(tmp_path / "model")
    path = tmp_path / "model" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest.pop("manifest_digest")
    path.write_text(json.dumps(manifest | {"sources": [f"{i}.txt" for i in range(500)]}))
    found = json.loads(tell(tmp_path / "model"))
    assert found["sources"] == {"first": [f"{i}.txt" for i in range(20)], "n": 500}
    with pytest.raises(InputError, match="holds a vectors, but --words"):
        tell(tmp_path / "model" / "vectors", "--words")
