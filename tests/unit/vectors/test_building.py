from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans.artifacts import read_json, read_manifest
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.vectors import skipgram, training
from grassmeans.vectors.building import train_vectors
from grassmeans.vectors.skipgram import SkipGram
from grassmeans.vectors.word_vectors import WordVectors
from synthetic import SyntheticCorpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory, synthetic: SyntheticCorpus) -> Corpus:
    return Corpus.from_texts(synthetic.documents[:24], tmp_path_factory.mktemp("building") / "c")


def small_trainer(**changes: int) -> SkipGram:
    return SkipGram(**({"dim": 6, "min_count": 1, "epochs": 2, "workers": 1} | changes))


def test_the_folder_holds_what_the_trainer_learnt(corpus: Corpus, tmp_path: Path) -> None:
    folder = tmp_path / "v"
    trained = train_vectors(corpus, folder, small_trainer(), keep_output=True, extra={"x": 1})
    direct = small_trainer().fit(corpus)
    assert trained.words == direct.vectors_.words
    assert np.array_equal(trained.vectors, direct.vectors_.vectors)
    assert trained.output is not None
    assert np.array_equal(trained.output, direct.output_)
    manifest = read_manifest(folder, "vectors")
    assert manifest["x"] == 1
    assert manifest["training"]["dim"] == 6
    assert manifest["corpus"]["n_tokens"] == corpus.n_tokens
    assert manifest["words_per_second"] > 0
    files = {path.name for path in folder.iterdir()}
    assert files == {"manifest.json", "words.txt", "counts.npy", "vectors.npy", "output.npy"}


def test_a_finished_folder_is_replaced_only_when_told(corpus: Corpus, tmp_path: Path) -> None:
    train_vectors(corpus, tmp_path / "v", small_trainer())
    with pytest.raises(InputError, match="exists already"):
        train_vectors(corpus, tmp_path / "v", small_trainer())
    trained = train_vectors(corpus, tmp_path / "v", small_trainer(dim=3), overwrite=True)
    assert trained.dim == 3
    assert trained.output is None


def test_starting_vectors_are_used(corpus: Corpus, tmp_path: Path) -> None:
    start = WordVectors(["crane"], [[9.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    # With almost no learning rate everything stays where it started.
    trainer = small_trainer().set_params(learning_rate=1e-9)
    trained = train_vectors(corpus, tmp_path / "v", trainer, start=start)
    assert trained["crane"].tolist() == pytest.approx([9.0, 0, 0, 0, 0, 0], abs=1e-4)


def test_an_interrupted_training_goes_on_and_others_are_refused(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "CHUNK_TOKENS", 200)
    whole = train_vectors(corpus, tmp_path / "whole", small_trainer())
    calls = 0
    original = training.Trainer._train

    def interrupted(self: training.Trainer, chunk: object) -> None:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise KeyboardInterrupt
        original(self, chunk)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(skipgram.Trainer, "_train", interrupted)
        with pytest.raises(KeyboardInterrupt):
            train_vectors(corpus, tmp_path / "v", small_trainer())
    assert read_json(tmp_path / "v" / "checkpoint" / "checkpoint.json")["next_chunk"] == 4
    with pytest.raises(InputError, match="holds an unfinished training"):
        train_vectors(corpus, tmp_path / "v", small_trainer(), extra={"decoding": "soft"})
    start = WordVectors(["crane"], np.zeros((1, 6)))
    with pytest.raises(InputError, match="holds an unfinished training"):
        train_vectors(corpus, tmp_path / "v", small_trainer(), start=start)
    resumed = train_vectors(corpus, tmp_path / "v", small_trainer())
    assert np.array_equal(resumed.vectors, whole.vectors)
