"""The same commands on Ray, where it is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="Ray is not installed: pip install 'grassmeans[ray]'")

from grassmeans import Corpus, build_model, use_engine
from synthetic import POLYSEMOUS


def test_ray_gives_what_one_process_gives(topic_corpus, topic_vectors, tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    for i in range(20):
        (texts / f"{i:02}.txt").write_text(topic_corpus.document_text(i))

    def run(engine: str) -> Any:
        folder = tmp_path / engine
        with use_engine(engine, 2):
            corpus = Corpus.from_files(texts, folder / "corpus", workers=1)
            model = build_model(
                topic_corpus.path, topic_vectors.folder, folder / "model", list(POLYSEMOUS),
                max_contexts=50, calibrated=False, workers=1,
            )  # fmt: skip
        senses = {word: model.inventory.directions(word).tolist() for word in model.words}
        return corpus.manifest["digest"], senses

    assert run("ray") == run("local")
