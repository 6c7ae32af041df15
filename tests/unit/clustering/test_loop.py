"""When a restart goes on, and what is left of it: with steps whose objectives are written down."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from grassmeans.clustering.loop import (
    Assigned,
    FitOptions,
    Grouping,
    HeldAlone,
    StepsAlone,
    advance,
)
from grassmeans.errors import InputError
from grassmeans.kernels.blocks import Advanced


class WrittenSteps(StepsAlone):
    """A direction (restart, step) has the objective that stands there; one context."""

    objectives: ClassVar[np.ndarray]

    def assign(self, directions):
        restarts, steps = directions[:, 0].astype(int).T
        gains = 1.0 - self.objectives[restarts, steps][None]
        return Assigned(np.zeros(gains.shape, np.int32), gains, np.empty(0))

    def improve(self, found, directions, n_products):
        return directions + np.array([0, n_products], np.float32)

    def find_usable(self):
        return np.arange(1)

    def take_lines(self, contexts):
        return np.ones((len(contexts), 2), np.float32)


def run(objectives, tol: float, limit: int = 9) -> Advanced:
    WrittenSteps.objectives = np.array(objectives)
    starts = np.array([[[restart, 0]] for restart in range(len(objectives))], np.float32)
    held = HeldAlone(np.ones((1, 2), np.float32), WrittenSteps)
    (reached,) = advance(held, [1], [starts], [limit], tol, (1,))
    return reached


def test_a_step_that_does_not_lower_the_objective_is_taken_back_and_ends_its_restart() -> None:
    reached = run([[0.875, 0.5, 0.625, 0.0], [0.75, 0.5, 0.25, 0.25]], 0.0)
    assert reached.directions[:, 0].tolist() == [[0, 1], [1, 2]]
    assert reached.n_iter.tolist() == [2, 3]
    assert reached.history.tolist() == [[0.875, 0.75], [0.5, 0.5], [0.5, 0.25], [0.5, 0.25]]


def test_a_restart_goes_on_while_it_moves_by_the_tolerance() -> None:
    assert run([[1.0, 0.75, 0.5, 0.375, 0.0]], 0.25).n_iter.tolist() == [3]
    assert run([[1.0, 0.75, 0.5, 0.375, 0.0]], 0.26).n_iter.tolist() == [1]
    stopped = run([[1.0, 0.75, 0.5, 0.375, 0.0]], 0.0, limit=2)
    assert (stopped.n_iter.tolist(), stopped.directions[0, 0].tolist()) == ([2], [0, 2])
    assert run([[1.0, 0.5]], 0.0, limit=0).directions[0, 0].tolist() == [0, 0]


def test_the_best_restart_and_its_path() -> None:
    best = run([[0.875, 0.5, 0.625], [0.75, 0.25, 0.25]], 0.0).find_best()
    assert best.directions.tolist() == [[[1, 1]]]
    assert best.path.tolist() == [0.75, 0.25]
    # What goes on from there begins at the same objective up to rounding, and may end above it.
    after = Advanced(best.directions, np.array([[0.26], [0.255], [0.125]]), np.array([2]))
    joined = best.go_on(after)
    assert joined.path.tolist() == [0.75, 0.25, 0.125]
    assert joined.n_iter.tolist() == [4]


def test_of_restarts_that_differ_by_less_than_is_told_the_first_is_the_best() -> None:
    reached = run([[0.875, 0.625, 0.625], [0.75, 0.5, 0.5], [0.75, 0.25, 0.25]], 0.0)
    assert reached.history[-1].tolist() == [0.625, 0.5, 0.25]
    assert [reached.find_best(alike).path[-1] for alike in (0.2, 0.25, 0.4)] == [0.25, 0.5, 0.625]


def test_more_senses_than_contexts_are_no_grouping() -> None:
    bases = np.ones((2, 1, 1), np.float32)
    with pytest.raises(InputError, match=r"n_senses=3 .* n_samples=2"):
        Grouping(bases, 3, FitOptions())
    assert Grouping(bases, 3, directions=np.ones((3, 1), np.float32)).n_senses == 3
