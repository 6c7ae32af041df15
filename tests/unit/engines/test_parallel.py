from __future__ import annotations

import os
import threading
from contextvars import ContextVar

import pytest

from grassmeans.engines.parallel import effective_workers, map_here, map_tasks
from grassmeans.errors import InputError


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
    with pytest.raises(InputError, match="a whole number from 1 to 1,000; got 0"):
        effective_workers(0)
    assert effective_workers(3) == 3
    assert effective_workers(None) >= 1


def test_threads_of_this_process_give_results_in_order() -> None:
    results = list(map_here(square, ((i,) for i in range(20)), 3))
    assert results == [(i * i, os.getpid()) for i in range(20)]


def test_threads_work_at_the_same_time_in_the_context_of_the_caller() -> None:
    both = threading.Barrier(2, timeout=10)
    name: ContextVar[str] = ContextVar("name", default="none")
    name.set("given")

    def meet(number: int) -> tuple[int, str]:
        both.wait()
        return number, name.get()

    assert list(map_here(meet, [(1,), (2,)], 2)) == [(1, "given"), (2, "given")]


def test_an_error_of_a_thread_ends_the_others_that_wait() -> None:
    begun = []

    def fail(number: int) -> None:
        begun.append(number)
        raise InputError(f"number {number}")

    with pytest.raises(InputError, match="number 0"):
        list(map_here(fail, ((i,) for i in range(100)), 2))
    assert len(begun) < 10
