"""Attention of places to the other words of their passages."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans.kernels.arguments import AttendingPlaces

KERNEL = "attend_places"


def attend(kernels, queries, features, passages, offsets, places, hidden=None, angles=None):
    if angles is None:
        angles = np.zeros((passages.shape[1], features.shape[-1] // 2), np.float32)
    if hidden is None:
        hidden = np.full(len(places), -1)
    where = AttendingPlaces(
        passages.astype(np.int32),
        np.asarray(offsets, np.int64),
        np.asarray(places, np.int32),
        np.asarray(hidden, np.int32),
        angles,
    )
    given = np.asarray(queries, np.float32), np.asarray(features, np.float16)
    return kernels.attend_places(*given, 0, where)


def test_two_words_by_hand(kernels) -> None:
    # Scores are q . k / sqrt(2); the word at the place itself, and the hidden one, are not seen.
    features = np.array([[[1, 0], [1, 2]], [[0, 0], [3, 4]], [[0, 5], [9, 9]]], float)
    features = features.reshape(3, 1, 2, 1, 2)
    queries = np.full((3, 1, 2), [np.sqrt(2) * np.log(3), 0.0])
    passages = np.array([[0, 1, 2], [0, -1, -1]])
    found = attend(kernels, queries, features, passages, [0, 2, 3], [2, 2, 0], [-1, 0, -1])
    # exp(log 3) : exp(0) = 3 : 1 of (1, 2) and (3, 4); the second alone; a passage of one word.
    assert found[:, 0].tolist() == pytest.approx(np.array([[1.5, 2.5], [3.0, 4.0], [0.0, 0.0]]))


@pytest.mark.parametrize("length", [2, 15, 16, 33])
def test_all_lengths_heads_and_places(kernels, length) -> None:
    rng = np.random.default_rng(length)
    n_heads, size, n_passages, n_places = 3, 8, 9, 5
    features = rng.standard_normal((40, 1, 2, n_heads, size)).astype(np.float16)
    passages = rng.integers(0, 40, (n_passages, length))
    passages[::2, length - 1 :] = -1  # one word less
    places = rng.integers(0, length - 1, n_passages * n_places)
    queries = rng.standard_normal((len(places), n_heads, size)).astype(np.float32)
    angles = rng.standard_normal((length, size // 2)).astype(np.float32)
    offsets = np.arange(0, len(places) + 1, n_places)
    found = attend(kernels, queries, features, passages, offsets, places, angles=angles)
    turns = np.exp(1j * angles)
    for n, place in enumerate(places):
        ids = passages[n // n_places]
        seen = [t for t in range(length) if t != place and ids[t] >= 0]
        for head in range(n_heads):
            keys, values = features[ids[seen], 0, :, head].astype(np.float64).swapaxes(0, 1)
            query = turn(queries[n, head], turns[place])
            scores = turn(keys, turns[seen]) @ query / np.sqrt(size)
            weights = np.exp(scores - scores.max()) if seen else np.zeros(0)
            expected = weights / max(weights.sum(), 1e-9) @ values
            np.testing.assert_allclose(found[n, head], expected, atol=1e-5)


def turn(vectors, turns):
    """The two halves as the parts of complex numbers, turned."""
    half = vectors.shape[-1] // 2
    found = (vectors[..., :half] + 1j * vectors[..., half:]) * turns
    return np.concatenate([found.real, found.imag], axis=-1)
