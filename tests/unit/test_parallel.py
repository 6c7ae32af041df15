from __future__ import annotations

import os

import pytest

from grassmeans.errors import InputError
from grassmeans.parallel import effective_workers, map_tasks


def square(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


def test_results_come_in_the_order_of_the_tasks() -> None:
    for workers in (1, 2):
        results = list(map_tasks(square, ((i,) for i in range(20)), workers))
        assert [value for value, _ in results] == [i * i for i in range(20)]


def test_one_worker_stays_in_this_process() -> None:
    assert {pid for _, pid in map_tasks(square, [(1,), (2,)], 1)} == {os.getpid()}


def test_two_workers_are_other_processes() -> None:
    assert os.getpid() not in {pid for _, pid in map_tasks(square, [(1,), (2,)], 2)}


def test_tasks_are_drawn_lazily() -> None:
    drawn = []

    def tasks():
        for number in range(10):
            drawn.append(number)
            yield (number,)

    first = next(iter(map_tasks(square, tasks(), 1)))
    assert first[0] == 0
    assert drawn == [0]


def test_workers_must_be_positive() -> None:
    with pytest.raises(InputError, match="1 or more, got 0"):
        effective_workers(0)
    assert effective_workers(3) == 3
    assert effective_workers(None) >= 1
