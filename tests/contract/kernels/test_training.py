"""Skip-gram with negative sampling, with one vector a word and with several."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans.kernels.arguments import Matrices, Stretch
from grassmeans_lab.kernels import SenseRule

KERNEL = "hold_matrices"


def test_the_sampling_gives_back_the_distribution(kernels) -> None:
    weights = np.array([5.0, 1.0, 3.0, 1.0])
    sampling = kernels.prepare_sampling(np.ones(4, np.float32), weights, 5, 3)
    assert (sampling.window, sampling.negative) == (5, 3)
    probability = sampling.threshold / 4.0
    for i, other in enumerate(sampling.alias):
        probability[other] += (1 - sampling.threshold[i]) / 4
    np.testing.assert_allclose(probability, weights / 10, atol=1e-6)


def plain_step(tokens, inputs, outputs, negatives, rate):
    """One centre word and its window by the textbook, with the same negatives for all pairs."""
    new_inputs, new_outputs = inputs.copy(), outputs.copy()
    for centre in range(len(tokens)):
        x_rows = [tokens[i] for i in range(len(tokens)) if i != centre]
        y_rows = [tokens[centre], *negatives]
        x, y = new_inputs[x_rows].copy(), new_outputs[y_rows].copy()
        labels = np.zeros((len(x_rows), len(y_rows)))
        labels[:, 0] = 1
        errors = (labels - 1 / (1 + np.exp(-x @ y.T))) * rate
        for i, row in enumerate(x_rows):
            new_inputs[row] += errors[i] @ y
        for j, row in enumerate(y_rows):
            new_outputs[row] += errors[:, j] @ x
    return new_inputs, new_outputs


@pytest.mark.parametrize("n_negative", [1, 5, 7])
def test_skipgram_agrees_with_the_textbook(kernels, n_negative: int) -> None:
    # All negatives are word 4, which is never a centre: the draws no longer matter; window 1 on
    # two tokens leaves nothing else to chance.
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(5, 9)).astype(np.float32)
    outputs = rng.normal(size=(5, 9)).astype(np.float32)
    expected = plain_step([0, 1], inputs, outputs, [4] * n_negative, 0.1)
    weights = np.array([0, 0, 0, 0, 1.0])
    free = np.zeros(5, np.bool_)
    sampling = kernels.prepare_sampling(np.ones(5, np.float32), weights, 1, n_negative)
    held = kernels.hold_matrices(Matrices(inputs, outputs, free, free), sampling)
    text = np.array([0, 1], np.int32), np.array([0, 2], np.int64)
    held.train(Stretch(*text, 0.0, 0.1, 0.1, np.uint64(1)))
    held.read_back()
    np.testing.assert_allclose(inputs, expected[0], atol=3e-3)  # the sigmoid is tabulated
    np.testing.assert_allclose(outputs, expected[1], atol=3e-3)


def train_senses(
    kernels,
    tokens: list[int],
    offsets: list[int],
    n_words: int,
    window: int = 1,
    choosing: bool = True,
) -> dict:
    """One epoch with two senses a word, global vectors as unit vectors."""
    arrays = {
        "global_vectors": np.eye(n_words, dtype=np.float32),
        "senses": np.zeros((2 * n_words, n_words), np.float32),
        "centres": np.zeros((2 * n_words, n_words), np.float32),
        "sizes": np.zeros(2 * n_words, np.int64),
        "first_row": np.arange(0, 2 * n_words + 1, 2),
        "n_open": np.zeros(n_words, np.int32),
    }
    n_centres = kernels.train_multisense(
        np.array(tokens, np.int32),
        np.array(offsets, np.int64),
        *arrays.values(),
        np.zeros(n_words, np.float32),
        SenseRule(np.float32(np.inf), np.float32(0.0), np.float32(0.0)),
        choosing,
        kernels.prepare_sampling(np.ones(n_words, np.float32), np.ones(n_words), window, 1),
        1e-9,
        1e-9,
        np.uint64(5),
    )
    return arrays | {"n_centres": n_centres}


def test_contexts_stay_inside_documents_and_pass_over_unknown_words(kernels) -> None:
    # Word 0 stands between 1 and 2 (an unknown word in between), then alone, then before 3.
    result = train_senses(kernels, [1, -1, 0, 9, 2, 0, 0, 3], [0, 5, 6, 8], 4)
    assert result["n_centres"] == 5
    np.testing.assert_allclose(result["centres"][0], [0, 0.5, 0.5, 0], atol=1e-6)
    np.testing.assert_allclose(result["centres"][1], [0, 0, 0, 1], atol=1e-6)
    assert result["sizes"].tolist() == [1, 1, 1, 0, 1, 0, 1, 0]
    assert result["n_open"].tolist() == [2, 1, 1, 1]


def test_same_seed_gives_the_same_matrices(kernels) -> None:
    tokens = np.random.default_rng(0).integers(0, 6, 400).tolist()
    first, second = (train_senses(kernels, tokens, [0, 150, 400], 6, window=3) for _ in range(2))
    for name, value in first.items():
        np.testing.assert_array_equal(value, second[name])


def test_without_choosing_only_first_senses_are_trained(kernels) -> None:
    result = train_senses(kernels, [0, 1, 2, 0, 1], [0, 5], 3, choosing=False)
    assert result["senses"][::2].any(axis=1).all()
    assert not result["senses"][1::2].any()
    assert not result["centres"].any()
    assert not result["n_open"].any()
