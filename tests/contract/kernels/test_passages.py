"""Products with 8-bit matrices, and the encoder over passages that is made of them."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.kernels.arguments import EncoderLayers
from grassmeans.vectors.quantising import quantise_rows

KERNEL = "encode_passages"
DIM, SIZE, LENGTH = 64, 32, 40
ROUNDING = 0.03
"""Relative error that rows of 8 bits make of three layers; in single precision it is far less."""


def code_matrices(matrices):
    """Codes and scales of matrices (n, n_out, n_in), and what they stand for."""
    n, n_out, n_in = matrices.shape
    rounded = quantise_rows(matrices.reshape(-1, n_in))
    numbers = rounded.restore().reshape(matrices.shape)
    return (rounded.codes.reshape(matrices.shape), rounded.scales.reshape(n, n_out)), numbers


def make_network(seed=0, n_layers=3, dim=DIM):
    """Codes of four kinds of matrices, and what they stand for."""
    rng = np.random.default_rng(seed)
    shapes = [(3 * dim, dim), (dim, dim), (4 * dim, dim), (dim, 4 * dim)]
    drawn = (rng.standard_normal((n_layers, *shape)) / np.sqrt(shape[1]) for shape in shapes)
    return zip(*(code_matrices(each.astype(np.float32)) for each in drawn), strict=True)


def make_angles(length=LENGTH, size=SIZE):
    turns = 1000.0 ** -(np.arange(0, size, 2) / size)
    return np.outer(np.arange(length), turns).astype(np.float32)


def normalise(x):
    return x / np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + 1e-6)


def turn(x, angles):
    """Pairs of numbers as complex ones: turning is a product."""
    half = x.shape[-1] // 2
    turned = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * angles)
    return np.concatenate([turned.real, turned.imag], axis=-1)


def encode_dense(states, angles, matrices, unseen=-1):
    """One passage in double precision, word by word as the definition says."""
    x = states.astype(float)
    for attention, mixing, up, down in zip(*matrices, strict=True):
        parts = (normalise(x) @ attention.T).reshape(len(x), 3, -1, SIZE)
        found = np.zeros((len(x), DIM))
        for head in range(DIM // SIZE):
            queries, keys, values = parts[:, 0, head], parts[:, 1, head], parts[:, 2, head]
            keys = turn(normalise(keys), angles[: len(x)])
            for t in range(len(x)):
                query = turn(normalise(queries[t]), angles[t])
                seen = [s for s in range(len(x)) if s in (t,) or s != unseen]
                weights = np.exp(keys[seen] @ query / np.sqrt(SIZE))
                mean = weights @ values[seen] / weights.sum()
                found[t, head * SIZE : (head + 1) * SIZE] = mean
        x = x + found @ mixing.T
        x = x + np.square(np.maximum(normalise(x) @ up.T, 0.0)) @ down.T
    return x


def encode(kernels, codes, states, lengths, hidden=None):
    layers = EncoderLayers(*(kernels.pack_matrices(*each) for each in codes))
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    hidden = np.full(len(lengths), -1, np.int32) if hidden is None else np.array(hidden, np.int32)
    return kernels.encode_passages(states, offsets, hidden, make_angles(), layers)


def draw_states(n, seed=1):
    return np.random.default_rng(seed).standard_normal((n, DIM)).astype(np.float32)


def relative_error(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


@pytest.mark.parametrize("length", [1, 2, 13, LENGTH])
@pytest.mark.parametrize("unseen", [-1, 0])
def test_a_passage_is_encoded_as_the_definition_says(kernels, length, unseen) -> None:
    codes, matrices = make_network()
    states = draw_states(length)
    found = encode(kernels, codes, states, [length], [unseen])
    expected = encode_dense(states, make_angles(), matrices, unseen)
    assert found.dtype == np.float32
    assert relative_error(found, expected) < ROUNDING


def test_passages_do_not_see_each_other(kernels) -> None:
    codes, _ = make_network()
    lengths = [5, 0, LENGTH, 1, 24, 7, 33]
    states = draw_states(sum(lengths))
    hidden = [2, -1, 3, 0, -1, -1, 32]
    together = encode(kernels, codes, states, lengths, hidden)
    ends = np.cumsum(lengths)
    alone = [
        encode(kernels, codes, states[end - length : end], [length], [unseen])
        for end, length, unseen in zip(ends, lengths, hidden, strict=True)
    ]
    # Sums of other lengths differ in their last digits, and a number in 8 bits may be the next one.
    pairs = zip(together, np.concatenate(alone), strict=True)
    cosines = [a @ b / (np.linalg.norm(a) * np.linalg.norm(b)) for a, b in pairs]
    assert min(cosines) > 0.995


def test_others_do_not_see_a_hidden_place(kernels) -> None:
    codes, _ = make_network()
    states = draw_states(9)
    changed = states.copy()
    changed[4] = draw_states(1, seed=2)
    before, after = (encode(kernels, codes, x, [9], [4]) for x in (states, changed))
    others = np.arange(9) != 4
    np.testing.assert_array_equal(before[others], after[others])
    assert np.abs(before[4] - after[4]).max() > 0.1
    seen = encode(kernels, codes, changed, [9])
    assert np.abs(seen[others] - after[others]).max() > 0.01


def test_there_may_be_nothing_to_encode(kernels) -> None:
    codes, _ = make_network()
    assert encode(kernels, codes, draw_states(0), []).shape == (0, DIM)
    assert encode(kernels, codes, draw_states(0), [0, 0]).shape == (0, DIM)


def test_what_comes_in_is_left_as_it_is(kernels) -> None:
    codes, _ = make_network()
    states = draw_states(6)
    states.flags.writeable = False
    encode(kernels, codes, states, [6])
    np.testing.assert_array_equal(states, draw_states(6))


def test_a_word_that_is_no_number_is_seen_in_its_passage_alone(kernels) -> None:
    codes, _ = make_network()
    states = draw_states(12)
    states[3, 7] = np.nan
    found = encode(kernels, codes, states, [6, 6])
    assert np.isnan(found[:6]).any(axis=1).all()
    assert np.isfinite(found[6:]).all()


@pytest.mark.parametrize(
    ("n", "lengths", "hidden", "message"),
    [
        (5, [4], [-1], "passages end at 4, but there are states of 5 words"),
        (41, [41], [-1], "a passage has 41 words, the network reads 40 at most"),
        (4, [4], [4], "one place to hide that is in it, or -1"),
        (4, [2, 2], [-1], "one place to hide that is in it, or -1"),
    ],
)
def test_passages_that_do_not_fit_are_refused(kernels, n, lengths, hidden, message) -> None:
    codes, _ = make_network(n_layers=1)
    with pytest.raises(InputError, match=message):
        encode(kernels, codes, draw_states(n), lengths, hidden)


def test_a_product_by_hand(kernels) -> None:
    # (255 - 127.5) 2 = 255, (0 - 127.5) 2 = -255, (128 - 127.5) 4 = 2 ...
    matrices = kernels.pack_matrices(
        np.array([[[255, 0, 128], [127, 128, 255]]], np.uint8), np.array([[2, 4]], np.float32)
    )
    sums = np.array([[1, 10], [2, 20]], np.float32)
    kernels.add_products(np.array([[127, 0, 0], [0, -127, 127]], np.float32), matrices, 0, sums)
    assert sums.tolist() == [
        [1 + 127 * 255, 10 - 127 * 2],
        [2 + 127 * 255 + 127, 20 - 127 * 2 + 127 * 510],
    ]


@pytest.mark.parametrize(
    ("n", "n_out", "n_in"), [(0, 8, 4), (1, 1, 1), (50, 70, 37), (130, 33, 256)]
)
def test_products_of_all_sizes(kernels, n, n_out, n_in) -> None:
    rng = np.random.default_rng(n)
    drawn = rng.standard_normal((2, n_out, n_in)).astype(np.float32)
    codes, (_, numbers) = code_matrices(drawn)
    rows = rng.standard_normal((n, n_in)).astype(np.float32)
    sums = np.full((n, n_out), 3.0, np.float32)
    kernels.add_products(rows, kernels.pack_matrices(*codes), 1, sums)
    # No number of a row moves by more than half a step, a 127th of the largest.
    steps = np.abs(rows).max(axis=1, initial=0.0) / 127
    bound = steps[:, None] / 2 * np.abs(numbers).sum(axis=1) + 1e-4
    assert (np.abs(sums - 3.0 - rows @ numbers.T) <= bound).all()


def test_how_products_are_computed_is_told(kernels) -> None:
    assert "products by" in kernels.describe_products()
