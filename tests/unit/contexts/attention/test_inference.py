"""Encoding with PyTorch, against the same encoder with NumPy."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grassmeans import WordVectors
from grassmeans.contexts.attention.encoder import Passages
from grassmeans.contexts.attention.stored import LearnedWeights, NetworkShape
from grassmeans.contexts.learned import LearnedEncoder
from grassmeans.corpus.occurrences import number_words
from grassmeans.engines.parallel import map_here
from grassmeans.errors import InputError, MissingExtraError
from grassmeans.geometry.distances import SenseLines
from grassmeans.geometry.windows import ContextShape

torch = pytest.importorskip("torch", reason="needs PyTorch (the extra gpu)")

WORDS = [f"w{i}" for i in range(30)]
# Keys and values are kept in half precision: what lies between two numbers may become either.
TOLERANCE = 1e-3
DEVICES = [
    pytest.param("torch-cpu", TOLERANCE),
    pytest.param(
        "cuda",
        1e-2,
        marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU"),
    ),
]


def make_encoder(**changes) -> LearnedEncoder:
    shape = NetworkShape(
        **{"n_words": 30, "dim": 32, "n_layers": 2, "head_dim": 16, "passage": 16} | changes
    )
    rng = np.random.default_rng(0)
    arrays = {
        name: (rng.standard_normal(size) * (2 / np.sqrt(size[-1]))).astype(np.float32)
        for name, size in shape.matrix_shapes().items()
    }
    vectors = rng.standard_normal((30, shape.dim)).astype(np.float32)
    return LearnedEncoder(
        WordVectors(WORDS, vectors),
        ContextShape(rank=1),
        frozenset(),
        LearnedWeights(shape, **arrays),
    )


def on_device(encoder: LearnedEncoder, device: str) -> LearnedEncoder:
    other = LearnedEncoder(encoder.vectors, encoder.shape, encoder.function_words, encoder.weights)
    other.use_device(device)
    return other


ENCODERS = {
    change: make_encoder(**changes)
    for change, changes in {
        "as trained": {},
        "words of one length": {"normalise_words": True},
        "heads of any length": {"normalise_heads": False},
    }.items()
}
TEXTS = st.lists(
    st.lists(st.sampled_from([*WORDS, "unknown"]), min_size=1, max_size=50), min_size=1, max_size=6
)


@settings(max_examples=40, deadline=None)
@given(texts=TEXTS, change=st.sampled_from(sorted(ENCODERS)), data=st.data())
def test_lines_are_those_of_numpy(texts, change, data) -> None:
    encoder = ENCODERS[change]
    everything = number_words(texts)
    chosen = data.draw(st.sets(st.sampled_from(range(len(everything))), min_size=1))
    occurrences = everything[np.array(sorted(chosen))]
    found = on_device(encoder, "torch-cpu").encode(occurrences)
    np.testing.assert_allclose(found, encoder.encode(occurrences), atol=TOLERANCE)


@pytest.mark.parametrize(("device", "tolerance"), DEVICES)
def test_many_passages_of_all_lengths(device, tolerance, monkeypatch) -> None:
    from grassmeans.contexts.attention import inference

    # Passes of few passages, so that there are many of them.
    monkeypatch.setattr(inference, "_TOKENS_A_PASS", 64)
    encoder = make_encoder()
    rng = np.random.default_rng(3)
    texts = [list(rng.choice(WORDS, rng.integers(1, 40))) for _ in range(60)]
    everything = number_words(texts)
    occurrences = everything[np.flatnonzero(rng.random(len(everything)) < 0.4)]
    found = on_device(encoder, device).encode(occurrences)
    np.testing.assert_allclose(found, encoder.encode(occurrences), atol=tolerance)


@pytest.mark.parametrize(("device", "tolerance"), DEVICES)
def test_distances_are_those_of_numpy(device, tolerance) -> None:
    encoder = make_encoder()
    rng = np.random.default_rng(4)
    occurrences = number_words([list(rng.choice(WORDS, 30)), ["w3"], ["w4", "w5"]])
    words = rng.integers(0, 3, len(occurrences))
    directions = [rng.standard_normal((n, 32)) for n in (1, 4, 2)]
    lines = SenseLines.collect(d / np.linalg.norm(d, axis=1, keepdims=True) for d in directions)
    found = on_device(encoder, device).measure(occurrences, words, lines)
    expected = encoder.measure(occurrences, words, lines)
    assert np.isnan(expected[30]).all()  # a word alone
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_allclose(found, expected, atol=tolerance)


def test_threads_that_ask_at_once_get_what_they_would_get_alone() -> None:
    encoder = make_encoder()
    rng = np.random.default_rng(5)
    texts = [number_words([list(rng.choice(WORDS, 40)) for _ in range(20)]) for _ in range(6)]
    expected = [encoder.encode(text) for text in texts]
    device = on_device(encoder, "torch-cpu")
    found = map_here(device.encode, ((text,) for text in texts), 3)
    for lines, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(lines, wanted, atol=TOLERANCE)


@pytest.mark.parametrize("size", [0.1, 40.0])
def test_squares_of_inner_numbers_stay_in_half_precision(size) -> None:
    from grassmeans.contexts.attention.inference import send_layers

    weights = make_encoder().weights
    weights = replace(weights, inner_up=weights.inner_up * np.float32(size))
    matrices = (weights.queries, weights.mixing, weights.inner_up, weights.inner_down)
    layers = send_layers(matrices, torch.device("cpu"), torch.float16)
    assert len(layers) == weights.shape.n_layers
    layer = layers[0]
    # The largest numbers that come out: of rows with a mean square of 1, those along a row.
    up = weights.inner_up[0]
    rows = up / np.sqrt(np.square(up).mean(axis=1, keepdims=True))
    inner = (rows @ layer.inner_up.numpy().astype(np.float32).T).clip(0)
    assert np.square(inner).max() < np.finfo(np.float16).max
    found = np.square(inner) @ layer.inner_down.numpy().astype(np.float32).T
    expected = np.square((rows @ up.T).clip(0)) @ weights.inner_down[0].T
    np.testing.assert_allclose(found, expected, rtol=1e-2, atol=1e-3 * np.abs(expected).max())


def test_a_pass_has_passages_of_like_length(monkeypatch) -> None:
    from grassmeans.contexts.attention import inference

    monkeypatch.setattr(inference, "_TOKENS_A_PASS", 96)
    ids = np.full((4, 40), -1, np.int32)
    for row, length in enumerate((40, 3, 16, 30)):
        ids[row, :length] = np.arange(length)
    whole = Passages(
        ids, np.array([0, 1, 3, 4, 6]), np.array([9, 0, 2, 7, 5, 6], np.int32), np.arange(6)
    )
    parts = list(inference.split_passages(whole))
    # 3 and 16 words are filled up to 16, 30 to 32, 40 to 48: two of 48 are 96 tokens.
    assert [part.ids.shape for part in parts] == [(3, 32), (1, 48)]
    assert [part.lengths.tolist() for part in parts] == [[16, 3, 30], [40]]
    assert [part.rows.tolist() for part in parts] == [[3, 1, 2, 4, 5], [0]]
    assert [part.places.tolist() for part in parts] == [[7, 0, 2, 5, 6], [9]]
    assert [part.offsets.tolist() for part in parts] == [[0, 1, 3, 5], [0, 1]]


def test_without_torch_the_extra_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"device='cuda' needs .*grassmeans\[gpu\]"):
        make_encoder().use_device("cuda")


def test_a_device_that_is_not_there_is_told_in_one_line(monkeypatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    encoder = make_encoder()
    with pytest.raises(InputError, match="no GPU here that PyTorch can use"):
        encoder.use_device("cuda")
    with pytest.raises(InputError, match="device must be one of cpu, cuda, got 'tpu'"):
        encoder.use_device("tpu")
    assert encoder.device == "cpu"


@pytest.mark.parametrize("normalise_heads", [True, False])
def test_all_places_at_once_are_those_one_by_one(normalise_heads) -> None:
    device = on_device(make_encoder(normalise_heads=normalise_heads), "torch-cpu")
    texts = [[WORDS[(7 * i + k * k) % 30] for k in range(16)] for i in range(3)]
    occurrences = number_words(texts)
    ids = device.ids_of(occurrences.words)[occurrences.tokens].reshape(3, 16)
    whole = torch.zeros(ids.shape, dtype=torch.int16)
    found = device.network.encode_all(torch.from_numpy(ids), whole).numpy()
    np.testing.assert_allclose(found, device.encode(occurrences)[:, 0], atol=1e-5)


def test_places_of_a_scope_are_those_of_a_passage_that_ends_with_it() -> None:
    device = on_device(make_encoder(), "torch-cpu")
    whole = [[WORDS[(7 * i + k * k) % 30] for k in range(16)] for i in range(2)]
    parts = [words[a:b] for words in whole for a, b in ((0, 5), (5, 6), (6, 16))]
    given = number_words(whole)
    ids = device.ids_of(given.words)[given.tokens].reshape(2, 16)
    scopes = torch.tensor([[3] * 5 + [1] + [2] * 10] * 2, dtype=torch.int16)
    found = device.network.encode_all(torch.from_numpy(ids), scopes).numpy()
    expected = device.encode(number_words(parts))[:, 0]
    # Turned by its place in the passage, whose differences alone count.
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert not found[5].any()  # the only word of its scope
