"""Distances of running text on a GPU, and its kernels on the CPU, against the CPU's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpu_devices
from grassmeans.kernels import get_kernels
from grassmeans.kernels.arguments import RunningText, SenseTable, Windows

WINDOW, RANK, DIM = 6, 3, 10  # one shape: kernels are compiled for each


@pytest.fixture(scope="module", params=gpu_devices.DEVICES)
def device(request):
    with gpu_devices.use_device(request.param) as name:
        yield name


def draw_text(seed: int, n_words: int = 40, n_tokens: int = 120):
    """Windows of a text whose words repeat, and some of them depend on each other."""
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((n_words, DIM)).astype(np.float32)
    vectors[1] = 2 * vectors[0]
    vectors[3] = vectors[2] + 1e-5 * vectors[4]
    tokens = rng.integers(-1, n_words if rng.random() < 0.7 else 5, n_tokens).astype(np.int32)
    rows = np.where(rng.random(n_words + 1) < 0.2, -1, np.arange(n_words + 1)).astype(np.int32)
    rows[-1] = -1
    positions = np.flatnonzero(rng.random(n_tokens) < 0.5)
    offsets = np.array([0, 30, 33, n_tokens])
    words = rng.integers(0, 3, len(positions)).astype(np.int32)
    windows = get_kernels().find_windows(
        RunningText(tokens, offsets, rows), positions, words, WINDOW
    )
    directions = rng.standard_normal((7, DIM)).astype(np.float32)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return vectors, windows, directions, np.array([0, 2, 3, 7])


def measure(device: str, vectors, windows: Windows, directions, offsets, singular: bool, fewest):
    kernels = get_kernels(device)
    table = SenseTable(vectors, directions, offsets, RANK, WINDOW, singular, fewest)
    everything = slice(0, len(windows.words))
    return kernels.measure_windows(windows, everything, kernels.prepare_senses(table))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), singular=st.booleans(), fewest=st.sampled_from([RANK, 1]))
def test_distances_are_those_of_the_cpu(device, seed, singular, fewest) -> None:
    text = draw_text(seed)
    expected = measure("cpu", *text, singular, fewest)
    found = measure(device, *text, singular, fewest)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    # Of squares: near 0 the root makes much of little. Words that almost depend on each other cost
    # digits in double precision, too.
    np.testing.assert_allclose(np.square(found), np.square(expected), atol=1e-4)
    assert np.nanmedian(np.abs(found - expected), axis=None) < 1e-6


def test_a_part_of_the_occurrences(device) -> None:
    vectors, windows, directions, offsets = draw_text(5)
    kernels = get_kernels(device)
    table = SenseTable(vectors, directions, offsets, RANK, WINDOW, False, RANK)
    table = kernels.prepare_senses(table)
    whole = kernels.measure_windows(windows, slice(0, len(windows.words)), table)
    part = kernels.measure_windows(windows, slice(10, 30), table)
    np.testing.assert_allclose(part, whole[10:30], atol=1e-5)
    nothing = kernels.measure_windows(windows, slice(0, 0), table)
    assert nothing.shape == (0, 4)


def test_vectors_that_are_not_finite_give_nan(device) -> None:
    vectors, windows, directions, offsets = draw_text(6)
    vectors[:] = np.nan
    assert np.isnan(measure(device, vectors, windows, directions, offsets, False, RANK)).all()
