from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from grassmeans import kernels
from grassmeans.errors import InputError, MissingExtraError
from grassmeans.kernels import DEVICES, get_block_kernels, get_kernels
from grassmeans.kernels.interface import Kernels
from grassmeans_lab import kernels as rival_kernels

HOUSES = [(kernels, Kernels), (rival_kernels, rival_kernels.RivalKernels)]
NAMES = [
    pytest.param(house, interface, name, id=f"{interface.__name__}-{name}")
    for house, interface in HOUSES
    for name in dir(interface)
    if not name.startswith("_")
]


def test_cpu_is_the_default_device():
    assert get_kernels() is get_kernels("cpu")


def test_an_unknown_device_names_those_that_exist():
    with pytest.raises(InputError, match=r"'cpu'.*got 'tpu'"):
        get_kernels("tpu")


@pytest.mark.parametrize("device", [name for name in DEVICES if name != "cuda"])
@pytest.mark.parametrize(("house", "interface", "name"), NAMES)
def test_every_function_takes_what_the_interface_says(device, house, interface, name):
    if device == "torch-cpu":  # the functions of a GPU
        pytest.importorskip("torch", reason="needs PyTorch (the extra gpu)")
    kernel = getattr(house.get_kernels(device), name)
    found = inspect.signature(getattr(kernel, "py_func", kernel)).parameters
    _, *promised = inspect.signature(getattr(interface, name)).parameters.values()
    assert list(found) == [parameter.name for parameter in promised]
    assert [found[p.name].default for p in promised] == [p.default for p in promised]


def test_without_pytorch_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"device='cuda' needs .*grassmeans\[gpu\]"):
        get_kernels("cuda")


def test_without_a_gpu_one_line_says_so(monkeypatch):
    torch = pytest.importorskip("torch", reason="needs PyTorch (the extra gpu)")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="no GPU here that PyTorch can use: take device='cpu'"):
        get_kernels("cuda")


def test_only_a_gpu_groups_many_words_at_once():
    assert get_block_kernels("cpu") is None
    assert get_block_kernels("numpy") is None


def test_a_name_that_is_no_kernel():
    with pytest.raises(AttributeError, match="no kernel named 'run_in_blocks'"):
        _ = get_kernels().run_in_blocks
    with pytest.raises(AttributeError, match="no kernel named 'code_signals'"):
        _ = get_kernels().code_signals


def test_what_a_device_lacks_is_the_cpus():
    assert get_kernels("numpy").prepare_sampling is get_kernels("cpu").prepare_sampling
    assert get_kernels("numpy").multiply_bases is not get_kernels("cpu").multiply_bases


def test_the_compiler_is_loaded_when_a_compiled_kernel_is_asked_for():
    code = (
        "import sys\n"
        "from grassmeans.kernels import get_kernels\n"
        "import grassmeans.geometry.windows, grassmeans.labelling.measuring\n"
        "import grassmeans.vectors.training\n"
        "get_kernels('cpu')\n"
        "get_kernels('numpy').multiply_bases\n"
        "before = 'numba' in sys.modules\n"
        "get_kernels('cpu').multiply_bases\n"
        "print(before, 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False True\n"
