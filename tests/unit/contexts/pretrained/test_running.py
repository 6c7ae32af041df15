from __future__ import annotations

import sys

import numpy as np
import pytest

from grassmeans.contexts.pretrained.network import ModelHead, WordsInText
from grassmeans.contexts.pretrained.running import open_network
from grassmeans.errors import MissingExtraError

TEXTS = [WordsInText("the crane of steel", ((4, 9), (13, 18))), WordsInText("bank", ((0, 4),))]


def test_eight_bits_give_nearly_the_same(transformer_folder, tmp_path) -> None:
    pytest.importorskip("onnx", reason="the extra onnx is not installed")
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    head = ModelHead(str(transformer_folder), "2-3")
    expected = open_network(head, "cpu").embed(TEXTS)
    found = open_network(head, "onnx", cache=tmp_path).embed(TEXTS)
    lengths = np.linalg.norm(found, axis=1) * np.linalg.norm(expected, axis=1)
    assert ((found * expected).sum(axis=1) / lengths).min() > 0.99
    (stored,) = tmp_path.iterdir()
    before = stored.stat().st_mtime_ns
    np.testing.assert_array_equal(open_network(head, "onnx", cache=tmp_path).embed(TEXTS), found)
    assert stored.stat().st_mtime_ns == before


def test_the_extra_is_named(transformer_folder, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"grassmeans\[onnx\]"):
        open_network(ModelHead(str(transformer_folder)), "onnx")
