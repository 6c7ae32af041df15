"""How compiled kernels are called: with arrays of one type, in fixed blocks on a few threads.

The blocks do not depend on the number of threads and every block writes only its own part of the
result, so neither does the result. Kernels release the interpreter lock; plain threads around them
need no threading layer (which not every platform has in a version that may be entered from two
threads) and spare the user the long compilation of parallel loops.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from itertools import zip_longest
from queue import Empty, SimpleQueue
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

FUSED: dict[str, Any] = {"cache": True, "error_model": "numpy", "fastmath": {"contract", "nsz"}}
"""Options of loops along vectors. Sums stay in their order: code that may reorder them ("reassoc")
gives other last bits when it is loaded from the cache than when it was just compiled. These loops
are as fast without."""

_CHUNKS_PER_THREAD = 4
_LEAST_BLOCKS_PER_THREAD = 2


@lru_cache(maxsize=4)
def _thread_pool(n_threads: int, process: int) -> ThreadPoolExecutor:
    # The process is part of the key because threads do not survive a fork.
    return ThreadPoolExecutor(n_threads, thread_name_prefix="grassmeans")


def run_in_blocks(work: Callable[..., None], n_items: int, block: int, *arguments: Any) -> None:
    """Call ``work(start, stop, *arguments)`` for ranges that are whole blocks of items.

    Several blocks may come in one call: ``work`` must treat each of them on its own. The number of
    threads is Numba's (``numba.set_num_threads``, ``NUMBA_NUM_THREADS``).
    """
    n_blocks = -(-n_items // block)
    n_threads = min(numba.get_num_threads(), n_blocks // _LEAST_BLOCKS_PER_THREAD)
    if n_threads <= 1:
        if n_items:
            work(0, n_items, *arguments)
        return
    per_chunk = -(-n_blocks // (n_threads * _CHUNKS_PER_THREAD)) * block
    starts: SimpleQueue[int] = SimpleQueue()
    for start in range(0, n_items, per_chunk):
        starts.put(start)

    def take_chunks() -> None:
        while True:
            try:
                start = starts.get_nowait()
            except Empty:
                return
            work(start, min(start + per_chunk, n_items), *arguments)

    # This thread takes its share too: waking a thread costs more than a small chunk.
    pool = _thread_pool(n_threads - 1, os.getpid())
    helpers = [pool.submit(take_chunks) for _ in range(n_threads - 1)]
    try:
        take_chunks()
    finally:
        wait(helpers)
    for helper in helpers:
        helper.result()


def as_read_only(array: NDArray[Any], dtype: Any = None) -> NDArray[Any]:
    """A view that Numba types the same whether the array is a read-only map or in memory.

    A kernel is compiled once for every combination of types that it meets.
    """
    view = np.ascontiguousarray(array, dtype).view(np.ndarray)
    view.flags.writeable = False
    return view


def hold_arrays(record: Any, *dtypes: Any) -> Any:
    """A named tuple with its first fields as read-only arrays; None leaves a field as it is."""
    pairs = zip_longest(record, dtypes)
    return type(record)(*(x if dtype is None else as_read_only(x, dtype) for x, dtype in pairs))
