"""Limits of threads."""

from __future__ import annotations

from threadpoolctl import ThreadpoolController, threadpool_limits

from grassmeans.kernels.one_thread import one_blas_thread


def count_threads() -> set[int]:
    libraries = ThreadpoolController().info()
    return {found["num_threads"] for found in libraries if found["user_api"] == "blas"}


def test_one_thread_inside_and_what_was_before_outside() -> None:
    with threadpool_limits(2, "blas"):
        with one_blas_thread():
            assert count_threads() == {1}
            with one_blas_thread():
                assert count_threads() == {1}
            assert count_threads() == {1}
        assert count_threads() == {2}
