from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grassmeans import Corpus


@pytest.fixture
def store() -> Iterator[Any]:
    """An empty object store in memory."""
    fsspec = pytest.importorskip("fsspec", reason="needs the extra storage")
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    yield memory
    memory.store.clear()


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus.from_texts(
        ["the crane lifted a beam", "a crane by the river", "a third one"], tmp_path / "corpus"
    )
