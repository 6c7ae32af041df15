"""Vectors, senses and labels with `device`: on a GPU, or what it does on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import gpu_devices
from grassmeans import Corpus
from grassmeans.cli.main import app
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts import subspaces
from grassmeans.models.building import build_model


@pytest.fixture(scope="module", params=gpu_devices.TRAINING)
def device(request):
    with gpu_devices.use_device(request.param) as name:
        yield name


@pytest.fixture(autouse=True)
def few_are_worth_sending(monkeypatch):
    monkeypatch.setattr(subspaces, "_WORTH_SENDING", 33)


@pytest.mark.parametrize("n_senses", [2, "auto"])
def test_a_model_is_the_same_on_a_gpu(
    device, n_senses, tmp_path, topic_corpus, topic_vectors
) -> None:
    settings = {
        "words": ["crane", "bank", "nowhere"],
        "settings": InductionSettings(n_senses=n_senses),
        "calibrated": False,
        "window": 6,
    }
    sources = topic_corpus.path, topic_vectors.folder
    expected = build_model(*sources, tmp_path / "cpu", **settings, workers=1).inventory
    found = build_model(*sources, tmp_path / "gpu", **settings, workers=1, device=device).inventory
    assert found.words == expected.words == ("crane", "bank")
    assert [skipped.word for skipped in found.skipped] == ["nowhere"]
    for word in found.words:
        np.testing.assert_allclose(found.directions(word), expected.directions(word), atol=1e-3)
        one, other = (
            [sense.share for sense in inventory[word].senses] for inventory in (found, expected)
        )
        assert one == pytest.approx(other, abs=0.02)


def test_labels_are_the_same_on_a_gpu(device, tmp_path, topic_corpus, topic_model_folder) -> None:
    labelled = []
    for name in ("cpu", device):
        arguments = ["label", topic_corpus.path, topic_model_folder, "-o", tmp_path / name, "-j1"]
        done = CliRunner().invoke(app, [*map(str, arguments), "--device", name])
        assert done.exit_code == 0, done.output
        labelled.append(Corpus.open(tmp_path / name))
    one, other = (np.concatenate([s.tokens for s in corpus.shards]) for corpus in labelled)
    assert (one == other).mean() > 0.999


def test_without_a_gpu_a_command_says_so_in_one_line(monkeypatch, topic_corpus, tmp_path) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch (the extra gpu)")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    arguments = ["vectors", str(topic_corpus.path), "-o", str(tmp_path / "v"), "--device", "cuda"]
    done = CliRunner().invoke(app, arguments)
    assert "there is no GPU here that PyTorch can use" in str(done.exception)
    assert not (tmp_path / "v").exists()
