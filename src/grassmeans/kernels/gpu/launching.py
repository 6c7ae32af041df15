"""How arrays come to a device and back, and CUDA sources, compiled when they are first needed.

NVRTC compiles them, which every PyTorch with CUDA brings along: neither a CUDA toolkit nor a C
compiler has to be installed. A program is compiled for its constants (the sizes that must be
known beforehand) and stays loaded. Types of arguments are read from the sources themselves.
"""

from __future__ import annotations

import ctypes
import re
import site
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from grassmeans.arrays import Floats
from grassmeans.errors import InputError

SOURCES = Path(__file__).parent / "sources"

_SIGNATURE = re.compile(r'extern "C" __global__ void (?:__launch_bounds__\(.*?\) )?(\w+)\((.*?)\)')
_INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)
_TYPES = {
    "int": ctypes.c_int,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "unsigned long long": ctypes.c_ulonglong,
}
_MAX_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_PLAIN_SHARED = 48 * 1024
_STAGE_BYTES = 1 << 26


class _Readable:
    """An array that says it may be written: PyTorch warns of any other, and nothing writes here."""

    def __init__(self, array: NDArray[np.generic]) -> None:
        self._array = array  # its memory must stay
        about = dict(array.__array_interface__)
        about["data"] = (about["data"][0], False)
        self.__array_interface__ = about


def to_tensor(array: NDArray[np.generic], device: torch.device, dtype: Any = None) -> Tensor:
    """An array of any kind, a read-only memory map too, on a device; it is read only."""
    plain = np.ascontiguousarray(array, dtype)
    if not plain.flags.writeable:
        plain = np.asarray(_Readable(plain))
    return torch.from_numpy(plain).to(device)


def send_table(vectors: Floats, device: torch.device) -> Tensor:
    """(n_words, dim) on the device; rows filled up with zeros to whole groups of four."""
    rows = to_tensor(vectors, device, np.float32)
    missing = -rows.shape[1] % 4
    return torch.nn.functional.pad(rows, (0, missing)) if missing else rows


def copy_back(tensor: Tensor, array: NDArray[Any]) -> None:
    """Write a tensor into an array of its shape and type.

    A GPU reaches memory that stays in its place several times as fast as other memory: parts go
    there first, and all cores bring one part to the array while the next one comes.
    """
    target = torch.from_numpy(array)
    if tensor.device.type == "cpu" or tensor.numel() == 0:
        target.copy_(tensor)
        return
    rows = min(len(tensor), max(1, _STAGE_BYTES // tensor[0].nbytes))
    shape = (rows, *tensor.shape[1:])
    stages = [torch.empty(shape, dtype=tensor.dtype, pin_memory=True) for _ in range(2)]
    arrived = [torch.cuda.Event() for _ in stages]
    starts = range(0, len(tensor), rows)
    for number in range(len(starts) + 1):
        if number < len(starts):
            part = tensor[starts[number] : starts[number] + rows]
            stages[number % 2][: len(part)].copy_(part, non_blocking=True)
            arrived[number % 2].record()
        if number > 0:
            before = number - 1
            arrived[before % 2].synchronize()
            place = target[starts[before] : starts[before] + rows]
            place.copy_(stages[before % 2][: len(place)])


class Launch(NamedTuple):
    """How a kernel is started: blocks, threads of a block, bytes of shared memory."""

    blocks: int
    threads: int
    shared: int = 0


Function = Callable[[Launch, list[Any]], None]
"""A kernel that is ready to be started, with arguments of ctypes' types."""

Compiler = Callable[[str, Mapping[str, int]], Callable[[str], Function]]
"""A source and its constants -> a kernel's name -> the kernel."""


class Program:
    """The kernels of one source on one kind of device."""

    def __init__(self, source: str, find: Callable[[str], Function]) -> None:
        flat = re.sub(r"\s+", " ", source)
        self._types = {name: _read_types(given) for name, given in _SIGNATURE.findall(flat)}
        self._find = cache(find)

    def launch(self, name: str, launch: Launch, *arguments: Any) -> None:
        """Start a kernel; tensors and None stand for pointers."""
        if launch.blocks == 0:
            return
        types = self._types[name]
        given = [_convert(kind, x) for kind, x in zip(types, arguments, strict=True)]
        self._find(name)(launch, given)


def _read_types(parameters: str) -> list[Any]:
    given = [parameter.strip() for parameter in parameters.split(",")]
    return [ctypes.c_void_p if "*" in x else _TYPES[x.rsplit(" ", 1)[0]] for x in given]


def _convert(kind: Any, value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        if not value.is_contiguous():
            raise ValueError("kernels take contiguous tensors only")
        value = value.data_ptr()
    return kind(value)


def _read_source(name: str) -> str:
    """A source with those that it includes."""
    text = (SOURCES / name).read_text(encoding="utf-8")
    return _INCLUDE.sub(lambda found: _read_source(found[1]), text)


@cache
def _compile(kind: str, name: str, constants: tuple[tuple[str, int], ...]) -> Program:
    source = _read_source(f"{name}.cu")
    return Program(source, COMPILERS[kind](source, dict(constants)))


def load_program(device: torch.device, name: str, **constants: int) -> Program:
    """The kernels of a source for a device; compiled once for each set of constants."""
    return _compile(device.type, name, tuple(sorted(constants.items())))


def can_launch(device: torch.device) -> bool:
    """Whether kernels can be compiled for a kind of device."""
    return device.type in COMPILERS


def _compile_for_cuda(source: str, constants: Mapping[str, int]) -> Callable[[str], Function]:
    """By NVRTC, for the GPU at hand; loaded by the driver."""
    major, minor = torch.cuda.get_device_capability()
    options = [f"-arch=sm_{major}{minor}", "--std=c++17", "--extra-device-vectorization"]
    options += [f"-D{name}={value}" for name, value in constants.items()]
    image = _run_nvrtc(source, options)
    torch.cuda.current_stream()  # the driver's context is PyTorch's
    driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    module = ctypes.c_void_p()
    _check_driver(driver.cuModuleLoadData(ctypes.byref(module), image))

    def find(name: str) -> Function:
        function = ctypes.c_void_p()
        _check_driver(driver.cuModuleGetFunction(ctypes.byref(function), module, name.encode()))

        def start(launch: Launch, arguments: list[Any]) -> None:
            if launch.shared > _PLAIN_SHARED:
                _check_driver(driver.cuFuncSetAttribute(function, _MAX_SHARED, launch.shared))
            pointers = [ctypes.cast(ctypes.byref(x), ctypes.c_void_p) for x in arguments]
            packed = (ctypes.c_void_p * len(pointers))(*pointers)
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            sizes = (launch.blocks, 1, 1, launch.threads, 1, 1, launch.shared)
            _check_driver(driver.cuLaunchKernel(function, *sizes, stream, packed, None))

        return start

    return find


COMPILERS: dict[str, Compiler] = {"cuda": _compile_for_cuda}
"""Kind of device -> what compiles for it; tests add one for the CPU."""


def _check_driver(status: int) -> None:
    if status:
        raise RuntimeError(f"the CUDA driver says: error {status}")


def _run_nvrtc(source: str, options: list[str]) -> bytes:
    """Machine code for a source."""
    nvrtc = _load_nvrtc()
    program = ctypes.c_void_p()
    created = nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), source.encode(), b"k.cu", 0, None, None
    )
    if created:
        raise RuntimeError(f"NVRTC says: error {created}")
    given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    status = nvrtc.nvrtcCompileProgram(program, len(options), given)
    size = ctypes.c_size_t()
    if status:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise RuntimeError(f"NVRTC says: {log.value.decode(errors='replace')}")
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    image = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, image)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return image.raw


@cache
def _load_nvrtc() -> Any:
    """The library, as it comes with PyTorch or stands on the system."""
    major = str(torch.version.cuda).split(".", maxsplit=1)[0]
    if sys.platform == "win32":
        names = [f"nvrtc64_{major}0_0.dll"]
        found = [str(path) for path in (Path(torch.__file__).parent / "lib").glob("nvrtc64_*.dll")]
    else:
        names = [f"libnvrtc.so.{major}", "libnvrtc.so"]
        folders = [*site.getsitepackages(), *sys.path]
        found = [
            str(path)
            for folder in folders
            for path in Path(folder or ".").glob(f"nvidia/*/lib/libnvrtc.so.{major}*")
        ]
    for name in [*names, *found, f"/usr/local/cuda/lib64/libnvrtc.so.{major}"]:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise InputError(
        "the CUDA compiler library NVRTC, which PyTorch with CUDA brings along, was not found: "
        "install PyTorch from a wheel with CUDA"
    )
