"""CUDA kernels on the CPU, for tests: their sources, compiled by the host's C++ compiler.

A block's threads take turns on one thread of the system, and change places where they wait for each
other; blocks follow one another. What a kernel computes is the same, however long it takes.
"""

from __future__ import annotations

import ctypes
import hashlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

COMPILER = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")

_HEADER = r"""
#include <csetjmp>
#include <ucontext.h>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>
struct float4 { float x, y, z, w; };
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
struct Place { int x; };
static Place threadIdx, blockIdx, blockDim, gridDim;
struct Barrier { int size = 0, arrived = 0, round = 0; };
struct Warp { Barrier meet; unsigned long long slots[32]; };
struct Fiber { ucontext_t begin; jmp_buf here; std::vector<char> stack; bool begun, done; };
static std::vector<Warp> warps;
static Barrier block_barrier;
static std::vector<std::unique_ptr<Fiber>> fibers;
static ucontext_t unused;
static jmp_buf scheduler;
static std::function<void()> kernel;
static void wait_at(Barrier &barrier) {
    const int round = barrier.round;
    if (++barrier.arrived == barrier.size) {
        barrier.arrived = 0;
        barrier.round++;
        return;
    }
    const int mine = threadIdx.x;
    while (barrier.round == round)
        if (!_setjmp(fibers[mine]->here)) _longjmp(scheduler, 1);
}
static void __syncthreads() { wait_at(block_barrier); }
static void run_thread() {
    const int mine = threadIdx.x;
    kernel();
    fibers[mine]->done = true;
    _longjmp(scheduler, 1);
}
// Contexts are changed by jumps: others would ask the system about signals each time.
static void go_on(int thread) {
    Fiber &fiber = *fibers[thread];
    threadIdx.x = thread;
    if (_setjmp(scheduler)) return;
    if (fiber.begun) _longjmp(fiber.here, 1);
    fiber.begun = true;
    swapcontext(&unused, &fiber.begin);
}
static void run_block(int block, int threads) {
    blockIdx.x = block;
    block_barrier = {threads};
    warps.assign((threads + 31) / 32, Warp());
    for (auto &warp : warps) warp.meet = {32};
    while ((int)fibers.size() < threads) {
        fibers.push_back(std::make_unique<Fiber>());
        fibers.back()->stack.resize(1 << 16);
    }
    for (int thread = 0; thread < threads; thread++) {
        Fiber &fiber = *fibers[thread];
        fiber.begun = fiber.done = false;
        getcontext(&fiber.begin);
        fiber.begin.uc_stack.ss_sp = fiber.stack.data();
        fiber.begin.uc_stack.ss_size = fiber.stack.size();
        makecontext(&fiber.begin, run_thread, 0);
    }
    static int n_done, thread;
    for (n_done = 0; n_done < threads;)
        for (n_done = thread = 0; thread < threads; thread++) {
            n_done += fibers[thread]->done;
            if (!fibers[thread]->done) go_on(thread);
        }
}
template <typename T> static T exchange(T value, int from) {
    Warp &warp = warps[threadIdx.x / 32];
    std::memcpy(&warp.slots[threadIdx.x % 32], &value, sizeof(T));
    wait_at(warp.meet);
    T found;
    std::memcpy(&found, &warp.slots[from], sizeof(T));
    wait_at(warp.meet);
    return found;
}
template <typename T> static T __shfl_xor_sync(unsigned, T value, int step) {
    return exchange(value, (threadIdx.x % 32) ^ step);
}
template <typename T> static T __shfl_sync(unsigned, T value, int lane) {
    return exchange(value, lane & 31);
}
static unsigned __ballot_sync(unsigned, bool said) {
    Warp &warp = warps[threadIdx.x / 32];
    warp.slots[threadIdx.x % 32] = said;
    wait_at(warp.meet);
    unsigned found = 0;
    for (int lane = 0; lane < 32; lane++) found |= (unsigned)warp.slots[lane] << lane;
    wait_at(warp.meet);
    return found;
}
template <typename T> static T atomicAdd(T *place, T value) {
    const T before = *place;
    *place += value;
    return before;
}
template <typename T> static T __ldcg(const T *place) { return *place; }
#define __expf std::exp
static int __ffs(unsigned x) { return __builtin_ffs((int)x); }
static float __int_as_float(int x) { float y; std::memcpy(&y, &x, 4); return y; }
#define __global__
#define __device__ static
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)
"""

_LAUNCHER = """
extern "C" void launch_{name}(int blocks, int threads, {parameters}) {{
    gridDim.x = blocks;
    blockDim.x = threads;
    kernel = [=] {{ {name}({arguments}); }};
    for (int block = 0; block < blocks; block++) run_block(block, threads);
}}
"""


def compile_for_host(source: str, constants: Mapping[str, int]) -> Callable[[str], Any]:
    """As `grassmeans.kernels.gpu.launching.COMPILERS` wants it."""
    flat = re.sub(r"\s+", " ", source)
    found = re.findall(
        r'extern "C" __global__ void (?:__launch_bounds__\(.*?\) )?(\w+)\((.*?)\)', flat
    )
    kernels = dict(found)
    parts = [_HEADER, *(f"#define {name} {value}" for name, value in constants.items()), source]
    for name, parameters in kernels.items():
        arguments = ", ".join(re.findall(r"(\w+)(?:,|$)", parameters))
        parts.append(_LAUNCHER.format(name=name, parameters=parameters, arguments=arguments))
    text = "\n".join(parts)
    folder = Path(tempfile.gettempdir()) / "grassmeans-cuda-on-host"
    folder.mkdir(exist_ok=True)
    library = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.so"
    if not library.exists():
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            built, written = Path(temporary) / "built.so", Path(temporary) / "source.cpp"
            written.write_text(text, encoding="utf-8")
            options = ["-std=c++20", "-O1", "-w", "-U_FORTIFY_SOURCE", "-shared", "-fPIC"]
            subprocess.run([str(COMPILER), *options, "-o", str(built), str(written)], check=True)
            built.replace(library)
    loaded = ctypes.CDLL(str(library))

    def find(name: str) -> Callable[[Any, list[Any]], None]:
        function = getattr(loaded, f"launch_{name}")
        function.restype = None

        def start(launch: Any, arguments: list[Any]) -> None:
            function(ctypes.c_int(launch.blocks), ctypes.c_int(launch.threads), *arguments)

        return start

    return find
