"""Work in fixed blocks on a few threads.

The blocks do not depend on the number of threads and every block writes only its own part of the
result, so neither does the result. Kernels release the interpreter lock; plain threads around them
need no threading layer (which not every platform has in a version that may be entered from two
threads) and spare the user the long compilation of parallel loops.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numba

_CHUNKS_PER_THREAD = 4


@lru_cache(maxsize=4)
def _thread_pool(n_threads: int, process: int) -> ThreadPoolExecutor:
    # The process is part of the key because threads do not survive a fork.
    return ThreadPoolExecutor(n_threads, thread_name_prefix="grassmeans")


def run_in_blocks(work: Callable[[int, int], None], n_items: int, block: int) -> None:
    """Call ``work(start, stop)`` for consecutive ranges that are whole blocks of items.

    Several blocks may come in one call: ``work`` must treat each of them on its own. The number of
    threads is Numba's (``numba.set_num_threads``, ``NUMBA_NUM_THREADS``).
    """
    n_blocks = -(-n_items // block)
    n_threads = min(numba.get_num_threads(), n_blocks)
    if n_threads <= 1:
        if n_items:
            work(0, n_items)
        return
    per_chunk = -(-n_blocks // (n_threads * _CHUNKS_PER_THREAD)) * block
    starts = range(0, n_items, per_chunk)
    pool = _thread_pool(n_threads, os.getpid())
    running = [pool.submit(work, start, min(start + per_chunk, n_items)) for start in starts]
    for future in running:
        future.result()
