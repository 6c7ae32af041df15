"""The subspaces of contexts on a GPU, or with what it does on the CPU, against the CPU's own."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gpu_devices
from grassmeans import WordVectors
from grassmeans.contexts import subspaces
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.occurrences import number_words
from grassmeans.errors import InputError
from grassmeans.geometry.distances import SenseLines
from grassmeans.geometry.windows import ContextShape

WORDS = [f"w{i}" for i in range(50)]


@pytest.fixture(scope="module", params=gpu_devices.DEVICES)
def device(request):
    with gpu_devices.use_device(request.param) as name:
        yield name


@pytest.fixture(autouse=True)
def few_are_worth_sending(monkeypatch):
    monkeypatch.setattr(subspaces, "_WORTH_SENDING", 33)


def make_encoder(**changes) -> SubspaceEncoder:
    rng = np.random.default_rng(0)
    vectors = WordVectors(WORDS, rng.standard_normal((50, 10)).astype(np.float32))
    return SubspaceEncoder(vectors, ContextShape(window=6, rank=3, **changes), frozenset({"w7"}))


def draw_occurrences():
    rng = np.random.default_rng(1)
    texts = [list(rng.choice([*WORDS, "unknown"], n)) for n in (60, 2, 1, 40)]
    return number_words(texts)


@pytest.mark.parametrize("weighting", ["flat", "singular"])
def test_bases_and_distances_are_those_of_the_cpu(device, weighting) -> None:
    encoder, other = make_encoder(weighting=weighting), make_encoder(weighting=weighting)
    other.use_device(device)
    occurrences = draw_occurrences()
    np.testing.assert_allclose(
        np.einsum("nrd,nre->nde", *[other.encode(occurrences)] * 2),
        np.einsum("nrd,nre->nde", *[encoder.encode(occurrences)] * 2),
        atol=1e-4,
    )
    rng = np.random.default_rng(2)
    directions = [rng.standard_normal((n, 10)) for n in (1, 4, 2)]
    lines = SenseLines.collect(d / np.linalg.norm(d, axis=1, keepdims=True) for d in directions)
    words = rng.integers(0, 3, len(occurrences))
    expected = encoder.measure(occurrences, words, lines)
    for _ in range(2):  # the second time with senses that are on the device already
        found = other.measure(occurrences, words, lines)
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
        np.testing.assert_allclose(found, expected, atol=1e-4)
    single = other.hearing_single_words().measure(occurrences, words, lines)
    alone = encoder.hearing_single_words().measure(occurrences, words, lines)
    np.testing.assert_allclose(single, alone, atol=1e-4)


def test_few_contexts_stay_on_the_cpu(device, monkeypatch) -> None:
    encoder = make_encoder()
    encoder.use_device(device)
    asked = []

    def note(name):
        asked.append(name)
        return kernels(name)

    kernels = subspaces.get_kernels
    monkeypatch.setattr(subspaces, "get_kernels", note)
    lines = SenseLines.collect([np.eye(10, dtype=np.float32)[:2]])
    for n in (33, 34):
        occurrences = draw_occurrences()[np.arange(n)]
        encoder.measure(occurrences, np.zeros(n, np.int64), lines)
    assert asked[0] == device
    monkeypatch.setattr(subspaces, "_WORTH_SENDING", 35)
    asked.clear()
    encoder.measure(draw_occurrences()[np.arange(34)], np.zeros(34, np.int64), lines)
    assert set(asked) == {"cpu"}


def test_workers_get_an_encoder_for_the_cpu(device) -> None:
    encoder = make_encoder()
    encoder.use_device(device)
    assert pickle.loads(pickle.dumps(encoder)).device == "cpu"


def test_an_unknown_device_is_refused() -> None:
    with pytest.raises(InputError, match="device must be one of cpu, cuda, got 'tpu'"):
        make_encoder().use_device("tpu")
