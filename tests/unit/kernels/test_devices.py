from __future__ import annotations

import sys

import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from grassmeans.errors import InputError, MissingExtraError
from grassmeans.kernels.devices import (
    check_device,
    explain_memory_errors,
    is_first_rank,
    load_torch,
    one_blas_thread,
)


@pytest.mark.parametrize("device", ["tpu", "CPU", None, 0])
def test_a_device_that_does_not_exist_is_refused(device):
    with pytest.raises(InputError, match=f"must be one of cpu, cuda, got {device!r}"):
        check_device(device)


def test_some_kinds_of_work_know_fewer_devices():
    check_device("cpu", known=("cpu",))
    with pytest.raises(InputError, match="got 'cuda'"):
        check_device("cuda", known=("cpu",))


def test_the_cpu_needs_no_torch_and_others_name_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    check_device("cpu")
    with pytest.raises(MissingExtraError, match=r"device='cuda'.*grassmeans\[gpu\]"):
        check_device("cuda")
    with pytest.raises(MissingExtraError, match=r"training an encoder.*grassmeans\[encoder\]"):
        load_torch("training an encoder", "encoder")


def test_a_gpu_that_is_not_there_is_refused(monkeypatch):
    torch = pytest.importorskip("torch", reason="needs PyTorch (the extra gpu)")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    check_device("torch-cpu")
    with pytest.raises(InputError, match="take device='cpu', or install a PyTorch with CUDA"):
        check_device("cuda")


@pytest.mark.parametrize(("rank", "first"), [(None, True), ("0", True), ("1", False)])
def test_the_first_of_several_processes(monkeypatch, rank, first):
    monkeypatch.delenv("RANK", raising=False)
    if rank is not None:
        monkeypatch.setenv("RANK", rank)
    assert is_first_rank() is first


def test_only_errors_of_memory_become_those_of_python():
    with pytest.raises(MemoryError), explain_memory_errors():
        raise RuntimeError("[enforce fail] can't allocate memory: you tried 10 bytes")
    with pytest.raises(RuntimeError, match="shapes"), explain_memory_errors():
        raise RuntimeError("shapes differ")


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
