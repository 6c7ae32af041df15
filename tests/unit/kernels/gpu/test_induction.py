"""The steps of K-Grassmeans for many words at once, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_devices
from grassmeans.clustering import loop
from grassmeans.kernels import get_block_kernels

AXES = np.eye(4, dtype=np.float32)


@pytest.fixture(scope="module", params=[gpu_devices.PLAIN, gpu_devices.GPU])
def blocks(request):
    with gpu_devices.use_device(request.param) as device:
        yield get_block_kernels(device)


def advance(blocks, contexts, starts, signed=False, limit=10):
    """What the words' first restarts come to: directions and objective of each."""
    bases = [AXES[own][:, None] for own in contexts]
    held = blocks.hold_contexts(bases, signed)
    sizes = [len(own) for own in contexts]
    begun = [np.ascontiguousarray(AXES[own][None]) for own in starts]
    reached = loop.advance(held, sizes, begun, [limit] * len(sizes), 1e-5, [1])
    return [(np.abs(word.directions[0]), float(word.history[-1, 0])) for word in reached]


@pytest.mark.parametrize("signed", [False, True])
def test_a_group_without_contexts_goes_to_the_one_that_fits_worst(blocks, signed):
    # Nothing lies along the fourth axis: its direction goes to the context along the second.
    ((directions, objective),) = advance(blocks, [[0, 0, 1]], [[0, 3]], signed)
    np.testing.assert_allclose(directions, AXES[[0, 1]], atol=1e-6)
    assert objective == pytest.approx(0.0, abs=1e-6)


def test_several_groups_without_contexts_go_to_different_ones(blocks):
    # Contexts between two axes; the farther from the first one, the worse they fit.
    rows = np.array([[1, 0, 0, 0], [0.6, 0.8, 0, 0], [0, 0, 1, 0]], np.float32)
    held = blocks.hold_contexts([rows[:, None]])
    starts = np.stack([AXES[0], AXES[3], -AXES[3]])[None]
    (word,) = loop.advance(held, [3], [starts], [1], 0.0, [1])
    np.testing.assert_allclose(np.abs(word.directions[0, 1:]), rows[[2, 1]], atol=1e-6)


def test_contexts_of_zeros_are_no_place_to_go_to(blocks):
    rows = np.stack([AXES[0], 0 * AXES[0], AXES[1], 0 * AXES[0]])
    held = blocks.hold_contexts([rows[:, None]])
    (word,) = loop.advance(held, [4], [AXES[[0, 3]][None]], [10], 1e-5, [1])
    np.testing.assert_allclose(np.abs(word.directions[0]), AXES[[0, 1]], atol=1e-6)
    assert word.history[-1, 0] == pytest.approx(2.0, abs=1e-6)


def test_what_fills_up_a_smaller_word_is_no_context_and_no_group(blocks):
    # The second word has fewer contexts and fewer senses; its first group has no context.
    slanted = np.array([0.8, 0.6, 0, 0], np.float32)
    bases = [AXES[[0, 0, 1, 2, 2], None], np.stack([AXES[0], slanted])[:, None]]
    starts = [AXES[[0, 1, 3]][None], AXES[[3, 0]][None]]
    held = blocks.hold_contexts(bases)
    large, small = loop.advance(held, [5, 2], starts, [10, 10], 1e-5, [1])
    np.testing.assert_allclose(np.abs(large.directions[0]), AXES[[0, 1, 2]], atol=1e-6)
    np.testing.assert_allclose(np.abs(small.directions[0]), [slanted, AXES[0]], atol=1e-6)
    assert (large.history[-1, 0], small.history[-1, 0]) == pytest.approx((0.0, 0.0), abs=1e-6)


def test_iterations_are_limited_by_the_word(blocks):
    # Groups are assigned once more after the last step: none at all leaves the starts.
    ((directions, objective),) = advance(blocks, [[0, 0, 1]], [[0, 3]], limit=0)
    np.testing.assert_allclose(directions, AXES[[0, 3]], atol=1e-6)
    assert objective == pytest.approx(1.0)
