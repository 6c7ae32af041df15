"""Vectors of words, against the library's own hidden states taken one text at a time."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from grassmeans.contexts.pretrained.network import (
    ModelHead,
    PieceBatch,
    Pieces,
    WordsInText,
    choose_layers,
)
from grassmeans.contexts.pretrained.running import TorchNetwork
from grassmeans.errors import InputError, MissingExtraError
from tiny_transformer import LENGTH

TEXTS = [
    WordsInText("the crane of steel", ((4, 9), (13, 18))),
    WordsInText("Ein Kränchen, im “Fluß”!", ((4, 12), (18, 22))),
    WordsInText("bank", ((0, 4),)),
]


@pytest.fixture(scope="module")
def network(transformer_folder) -> TorchNetwork:
    return TorchNetwork(ModelHead(str(transformer_folder), "2-3"), batch_size=2)


def reference(folder, text: WordsInText, layers: tuple[int, ...]) -> np.ndarray:
    """All layers of the whole network, and pieces found by their offsets."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    given = AutoTokenizer.from_pretrained(folder)(
        text.text, return_offsets_mapping=True, return_tensors="pt"
    )
    offsets = given.pop("offset_mapping")[0].tolist()
    with torch.inference_mode():
        states = AutoModel.from_pretrained(folder).eval()(**given, output_hidden_states=True)
    rows = []
    for start, end in text.spans:
        mine = [i for i, (a, b) in enumerate(offsets) if a < end and b > start and b > a]
        rows.append(np.mean([states.hidden_states[n][0, mine].mean(0) for n in layers], axis=0))
    return np.array(rows)


def test_vectors_are_means_over_pieces_and_layers(network, transformer_folder) -> None:
    expected = np.concatenate([reference(transformer_folder, t, (2, 3)) for t in TEXTS])
    counted: list[int] = []
    found = network.embed(TEXTS, counted.append)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert sum(counted) == 5


def test_layers_above_are_not_loaded(network) -> None:
    assert len(network._network.encoder.layer) == 3
    assert network.layers == (2, 3)
    assert network.dim == 32


def test_pieces_of_words_are_found_exactly(network) -> None:
    pieces = network.pieces
    # One piece a letter where a word is not known; accents are dropped, letters stay in place.
    (cut,) = pieces.cut(["crane Kra\u0308ne 𝔩x steel"])
    tokens = cut.tokens
    assert [tokens[i] for i in pieces.locate(cut, (0, 5))] == ["crane"]
    assert [tokens[i] for i in pieces.locate(cut, (6, 12))] == ["k", "##r", "##a", "##n", "##e"]
    assert [tokens[i] for i in pieces.locate(cut, (16, 21))] == ["steel"]
    assert not len(pieces.locate(cut, (5, 6)))


def test_words_beyond_the_limit_are_zero(network) -> None:
    text = "abcd " * 20 + "crane"
    found = network.embed([WordsInText(text, ((0, 4), (len(text) - 5, len(text))))])
    assert found[0].any()
    assert not found[1].any()
    assert len(network.pieces.cut([text])[0].ids) == LENGTH


def test_batches_halve_until_they_fit(network, monkeypatch) -> None:
    run, sizes = TorchNetwork.run, []

    def run_few(self, batch: PieceBatch):
        sizes.append(len(batch.ids))
        if len(batch.ids) > 2:
            raise MemoryError
        return run(self, batch)

    expected = network.embed(TEXTS)
    monkeypatch.setattr(TorchNetwork, "run", run_few)
    monkeypatch.setattr(network, "batch_size", 3)
    with pytest.warns(UserWarning, match="too little memory for 3 passages.*going on with 1"):
        found = network.embed(TEXTS)
    assert sizes == [3, 1, 1, 1]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_single_passage_that_does_not_fit_is_an_error(network, monkeypatch) -> None:
    def fail(self, batch):
        raise MemoryError

    monkeypatch.setattr(TorchNetwork, "run", fail)
    with pytest.raises(InputError, match="a single passage"):
        network.embed(TEXTS[2:])


def test_memory_errors_of_pytorch_become_pythons(network, monkeypatch) -> None:
    torch = pytest.importorskip("torch")

    def fail(batch):
        raise torch.cuda.OutOfMemoryError

    monkeypatch.setattr(network, "run_here", fail)
    with pytest.raises(MemoryError):
        network.run(network.pieces.batch(network.pieces.cut(["bank"]), [((0, 4),)]))


def test_the_digest_is_of_the_files(transformer_folder, tmp_path) -> None:
    copied = shutil.copytree(transformer_folder, tmp_path / "copy")
    assert ModelHead(str(copied)).digest == ModelHead(str(transformer_folder)).digest
    config = json.loads((copied / "config.json").read_text())
    (copied / "config.json").write_text(json.dumps(config | {"hidden_act": "relu"}))
    assert ModelHead(str(copied)).digest != ModelHead(str(transformer_folder)).digest


def test_what_is_no_model_is_refused(transformer_folder, tmp_path) -> None:
    (tmp_path / "empty").mkdir()
    broken = shutil.copytree(transformer_folder, tmp_path / "broken")
    (broken / "config.json").write_text("{")
    bare = shutil.copytree(transformer_folder, tmp_path / "bare")
    (bare / "model.safetensors").unlink()
    for place, reason in (
        (tmp_path / "nothing", "there is no transformer at"),
        (tmp_path / "empty", "it has no config.json"),
        (broken, "config.json is truncated or damaged"),
        (bare, "cannot be opened"),
    ):
        with pytest.raises(InputError, match=reason) as caught:
            TorchNetwork(ModelHead(str(place)))
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="the layers 1 to 4"):
        TorchNetwork(ModelHead(str(transformer_folder), "4-5"))


def test_a_tokenizer_that_does_not_tell_characters_is_refused() -> None:
    class SlowTokenizer:
        is_fast = False

    with pytest.raises(InputError, match=r"SlowTokenizer.*fast tokenizer"):
        Pieces(SlowTokenizer(), 10)


def test_an_absent_extra_is_named(monkeypatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError, match=r"grassmeans\[transformers\]"):
        _ = ModelHead("x").library


@pytest.mark.parametrize(
    ("asked", "n_layers", "expected"),
    [
        (None, 12, (7, 8, 9)),
        (None, 6, (4,)),
        (None, 24, (14, 15, 16, 17, 18)),
        (None, 1, (1,)),
        ("7-9", 12, (7, 8, 9)),
        ("8", 12, (8,)),
        ("4, 1-2,2", 4, (1, 2, 4)),
    ],
)
def test_layers(asked, n_layers, expected) -> None:
    assert choose_layers(asked, n_layers) == expected


@pytest.mark.parametrize("asked", ["", "a", "9-7", "0", "5", "3-5", "-1"])
def test_layers_that_do_not_exist_are_refused(asked) -> None:
    with pytest.raises(InputError, match="layers"):
        choose_layers(asked, 4)


def fake_hub(monkeypatch: pytest.MonkeyPatch, cached: str | None) -> list[tuple[str, float]]:
    """A hub that knows one model; returns whom it was asked for."""
    huggingface_hub = pytest.importorskip("huggingface_hub", reason="needs the extra transformers")

    asked: list[tuple[str, float]] = []

    class Api:
        def model_info(self, name: str, timeout: float) -> None:
            asked.append((name, timeout))
            if name != "someone/known":
                raise OSError("Name or service not known. Check your connection.")

    monkeypatch.setattr(huggingface_hub, "HfApi", Api)
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda name, file: cached)
    return asked


def test_a_model_that_is_nowhere_is_asked_for_once(monkeypatch) -> None:
    asked = fake_hub(monkeypatch, cached=None)
    with pytest.raises(InputError) as failure:
        ModelHead("someone/nowhere").config  # noqa: B018
    assert str(failure.value) == (
        "there is no transformer someone/nowhere: it is no folder, not in this machine's cache, "
        "and the hub does not give it (Name or service not known)"
    )
    assert asked == [("someone/nowhere", 10.0)]


def test_what_was_fetched_before_is_read_without_the_hub(monkeypatch) -> None:
    asked = fake_hub(monkeypatch, cached="/cache/config.json")
    assert ModelHead("someone/known").options == {"local_files_only": True}
    assert not asked
    fake_hub(monkeypatch, cached=None)
    assert ModelHead("someone/known").options == {"local_files_only": False}
