"""The notebook and the pages about other tools run as they stand."""

from __future__ import annotations

import json
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crane_model import save_crane_model
from grassmeans import WordVectors

DOCS = Path(__file__).parents[2] / "docs"
PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the documentation is not here")


def run_page(name: str) -> dict[str, object]:
    """Run a page's Python in one namespace."""
    names: dict[str, object] = {}
    blocks = PYTHON.findall((DOCS / "how-to" / name).read_text(encoding="utf-8"))
    assert blocks
    for block in blocks:
        exec(compile(block, name, "exec"), names)
    return names


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """A folder with what the pages use: a model and lexeme vectors."""
    save_crane_model(tmp_path / "en")
    keys = ["crane.1", "crane.2", "harbour"]
    WordVectors(keys, np.eye(3) + 0.1).save(tmp_path / "lexemes", extra={"lexemes": {}})
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def hook() -> Any:
    """What makes pages of notebooks, which is no part of the package."""
    spec = spec_from_file_location("notebooks", DOCS / "hooks" / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_notebook_runs_and_prints_what_it_has_stored(hook) -> None:
    notebook = json.loads((DOCS / "notebooks" / "first-senses.ipynb").read_text(encoding="utf-8"))
    stored = [hook.read_output(cell) for cell in notebook["cells"]]
    printed = hook.run_notebook(notebook)
    again = "python docs/hooks/notebooks.py docs/notebooks/first-senses.ipynb"
    assert [_shape(text) for text in printed] == [_shape(text) for text in stored], again
    for text in ("".join(printed), "".join(stored)):
        assert re.search(r"^1: \d+%", text, re.MULTILINE)
        found = re.findall(r"^(crane|bank)\.(\d) ", text, re.MULTILINE)
        assert [word for word, _ in found] == ["crane", "crane", "crane", "bank", "bank"]
        first, second, unknown, river, money = (int(sense) for _, sense in found)
        assert {first, second} == {1, 2}
        assert unknown == 0
        assert river != money


def _shape(text: str) -> list[str]:
    """What is the same on all machines: the lines, less numbers and the words that they order."""
    return [re.sub(r"\W.*", "", line) for line in text.splitlines()]


def test_notebooks_become_markdown(hook) -> None:
    stream = {"output_type": "stream", "name": "stdout", "text": ["one\n", "two\n"]}
    shown = {"output_type": "execute_result", "data": {"text/plain": ["3"], "text/html": ["<b>3"]}}
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "Text."]},
        {"cell_type": "code", "source": ["print(x)"], "outputs": [stream]},
        {"cell_type": "code", "source": ["x"], "outputs": [shown]},
        {"cell_type": "code", "source": ["y = 1"], "outputs": []},
    ]
    assert hook.render_notebook({"cells": cells}) == (
        "# Title\nText.\n\n"
        "```python\nprint(x)\n```\n\n"
        '```text title="Output"\none\ntwo\n```\n\n'
        '```python\nx\n```\n\n```text title="Output"\n3\n```\n\n'
        "```python\ny = 1\n```\n"
    )


def test_spacy_page(place, capsys) -> None:
    pytest.importorskip("spacy", reason="spaCy is an extra: grassmeans[spacy]")
    import grassmeans.integrations.spacy  # noqa: F401 (an installed package has an entry point)

    names = run_page("spacy.md")
    assert [token.text for token in names["doc"]._.senses if token.text == "crane"] == ["crane"]
    assert "crane crane." in capsys.readouterr().out


def test_scikit_learn_page(place) -> None:
    names = run_page("scikit-learn.md")
    vocabulary = names["pipeline"][1].vocabulary_
    assert {"nest", "quay"} <= {word.partition("_")[0] for word in vocabulary}


def test_pipelines_page(place, capsys) -> None:
    run_page("pipelines.md")
    assert re.search(r"^1 \['crane\.\d'.*\n2 \[.*'crane\.\d'", capsys.readouterr().out)


def test_gensim_page(place) -> None:
    models = pytest.importorskip("gensim.models", reason="gensim is an extra: grassmeans[gensim]")
    vectors = models.KeyedVectors(3)
    vectors.add_vectors(["crane.1"], np.ones((1, 3), np.float32))
    vectors.save_word2vec_format("lexemes.bin", binary=True)
    names = run_page("gensim.md")
    assert names["lexemes"].senses("crane") == [1, 2]
    assert any(key.startswith("crane.") for key in names["vectors"].index_to_key)
