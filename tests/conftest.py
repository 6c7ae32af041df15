"""Fixtures that every test may use."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

# Tests are imported by path (--import-mode=importlib), which does not make this folder importable.
sys.path.insert(0, str(Path(__file__).parent))

from synthetic import SyntheticCorpus, make_topic_text


@pytest.fixture(scope="session")
def synthetic() -> SyntheticCorpus:
    """A corpus of 160 short documents about eight topics, with gold labels."""
    return make_topic_text()


@pytest.fixture(scope="session")
def synthetic_text_file(
    tmp_path_factory: pytest.TempPathFactory, synthetic: SyntheticCorpus
) -> Path:
    """The same corpus as a text file in which a blank line starts a new document."""
    path = tmp_path_factory.mktemp("synthetic") / "topics.txt"
    path.write_text("\n\n".join(synthetic.documents) + "\n", encoding="utf-8")
    return path
