"""Bounded work: the queue, the time limit, cancellation, and the cache."""

from __future__ import annotations

import threading

import pytest

from grassmeans_explorer.limits import (
    BoundedCache,
    BusyError,
    CancelledError,
    NothingThereError,
    OutOfTimeError,
    WorkLimits,
)
from grassmeans_explorer.work import (
    Checkpoint,
    LongWorkError,
    WorkPool,
    begin_long_work,
    checkpoint,
    run_quickly,
    run_within,
)


def wait_for(event: threading.Event):
    def work() -> str:
        assert event.wait(20)
        checkpoint(0.5)
        return "done"

    return work


def test_more_work_than_the_queue_holds_is_refused():
    pool = WorkPool(WorkLimits(at_once=1, waiting=1))
    event = threading.Event()
    futures = [pool.submit(wait_for(event))[1] for _ in range(2)]
    with pytest.raises(BusyError) as refused:
        pool.submit(wait_for(event))
    assert refused.value.retry_after > 0
    event.set()
    assert [future.result(20) for future in futures] == ["done", "done"]
    assert pool.submit(wait_for(event))[1].result(20) == "done"


def test_cancelled_jobs_end_at_the_next_checkpoint():
    pool = WorkPool(WorkLimits(at_once=1))
    event = threading.Event()
    running, waiting = (pool.start_job(wait_for(event)) for _ in range(2))
    running.cancel()
    waiting.cancel()
    event.set()
    with pytest.raises(CancelledError):
        running.future.result(20)
    assert [running.state, waiting.state] == ["cancelled", "cancelled"]


def test_work_without_time_left_ends(monkeypatch):
    now = iter([0.0, 0.5, 2.0])
    monkeypatch.setattr("grassmeans_explorer.work.time.monotonic", lambda: next(now))
    bounds = Checkpoint(seconds=1.0)
    bounds(0.0)
    bounds(0.5)
    assert bounds.progress == 0.5
    with pytest.raises(OutOfTimeError, match="1 seconds"):
        bounds(0.9)


def test_whoever_calls_a_query_waits_for_it_and_a_quick_one_ends_where_it_is_long():
    def query(progress: float) -> str:
        checkpoint(progress)
        begin_long_work()
        return "done"

    assert query(0.5) == "done"
    bounds = Checkpoint()
    assert run_within(bounds, query, 0.5) == "done"
    assert bounds.progress == 0.5
    with pytest.raises(LongWorkError):
        run_quickly(query, 0.5)
    assert query(0.5) == "done"


def test_jobs_are_forgotten():
    pool = WorkPool(WorkLimits(jobs=2))
    jobs = [pool.start_job(lambda: 1) for _ in range(2)]
    for job in jobs:
        job.future.result(20)
    while any(job.finished_at is None for job in jobs):
        pass
    third = pool.start_job(lambda: 3)
    with pytest.raises(NothingThereError):
        pool.find_job(jobs[0].identifier)
    assert pool.find_job(third.identifier) is third
    assert pool.find_job(jobs[1].identifier).state == "done"


def test_cache_keeps_what_was_used_last_within_its_size():
    cache: BoundedCache[str] = BoundedCache(entries=10, size=6, size_of=len)
    for key in ("ab", "cd", "ef"):
        cache.put(key, key)
    assert cache.get("ab") == "ab"
    cache.put("gh", "gh")
    assert "cd" not in cache
    assert "ab" in cache
    assert cache.size == 6
    cache.put("long", "1234567")
    assert "long" not in cache
    assert cache.get_or_make("ab", lambda: "other") == "ab"
    assert (len(cache), cache.size) == (3, 6)


def test_cache_keeps_so_many_entries():
    cache: BoundedCache[int] = BoundedCache(entries=3)
    for key in range(100):
        cache.put(key, key)
    assert len(cache) == 3
    assert 99 in cache
