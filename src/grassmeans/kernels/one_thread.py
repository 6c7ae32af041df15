"""One thread for the libraries that multiply matrices."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _find_libraries() -> ThreadpoolController:
    """To look for them takes as long as to group 200 rays."""
    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[Any]:
    """Multiply with one thread inside of this.

    Small products gain nothing by more, and lose much on a busy machine, where threads wait for
    each other; and with several the order of sums, and so the last digits, is left to chance.
    """
    limit: AbstractContextManager[Any] = _find_libraries().limit(limits=1)
    return limit
