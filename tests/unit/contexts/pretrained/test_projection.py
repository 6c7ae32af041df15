from __future__ import annotations

import numpy as np
import pytest

from grassmeans.contexts.pretrained.projection import WHITENING, Projection, fit_projection
from grassmeans.errors import ArtifactError

# Four directions in six dimensions, the first of which varies most; a mean far from zero.
RNG = np.random.default_rng(0)
POINTS = (RNG.standard_normal((200, 6)) * [5, 3, 1, 0.1, 0.1, 0.1] + 10).astype(np.float32)


def test_axes_are_those_of_the_largest_variance() -> None:
    found = fit_projection(POINTS, 2)
    np.testing.assert_allclose(found.mean, POINTS.mean(axis=0), rtol=1e-5)
    # Standard deviations of 5 and 3: the second axis is longer by a power of their ratio.
    stretched = np.eye(6)[:2] * [[1], [(5 / 3) ** WHITENING]]
    np.testing.assert_allclose(np.abs(found.axes), stretched, atol=0.15)
    np.testing.assert_allclose(found.axes[0] @ found.axes[1], 0.0, atol=1e-6)


def test_lines_have_unit_length_and_zeros_stay() -> None:
    found = fit_projection(POINTS, 3)
    lines = found.project(np.concatenate([POINTS[:5], np.zeros((1, 6), np.float32)]))
    np.testing.assert_allclose(np.linalg.norm(lines[:5], axis=1), 1.0, atol=1e-3)
    assert not lines[5].any()
    assert np.array_equal(lines, lines.astype(np.float16).astype(np.float32))


def test_few_contexts_keep_all_dimensions() -> None:
    found = fit_projection(POINTS[:20], 2)
    assert np.array_equal(found.axes, np.eye(6, dtype=np.float32))


def test_turned_axes_turn_the_lines() -> None:
    found = fit_projection(POINTS, 3)
    turn = np.linalg.qr(RNG.standard_normal((3, 3)))[0]
    turned = found.turn(turn).project(POINTS[:4])
    np.testing.assert_allclose(turned, found.project(POINTS[:4]) @ turn, atol=2e-3)


def test_storing(tmp_path) -> None:
    found = fit_projection(POINTS, 3)
    found.save(tmp_path)
    again = Projection.open(tmp_path)
    assert again.digest == found.digest
    np.save(tmp_path / "projection.npy", np.full((3, 6), np.nan, np.float32))
    with pytest.raises(ArtifactError, match="no mean and axes"):
        Projection.open(tmp_path)
