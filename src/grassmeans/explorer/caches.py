"""Results that are kept for a while."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Generic, TypeVar

from grassmeans.explorer.limits import MemoryLimits

if TYPE_CHECKING:
    from grassmeans.explorer.open_model import OpenModel

Value = TypeVar("Value")

_MANY = 1 << 16  # entries of caches that are bounded by their size


class BoundedCache(Generic[Value]):
    """Keeps the results used last, up to a number of entries and a sum of sizes.

    Safe to use from several threads. Two that miss the same key at once both make the value; nobody
    waits for anybody. A value that alone is larger than the bound is not kept; without ``size_of``
    each has size 1.
    """

    def __init__(
        self, entries: int, size: int | None = None, size_of: Callable[[Value], int] | None = None
    ) -> None:
        self._most = entries
        self._bound = entries if size is None else size
        self._size_of: Callable[[Value], int] = size_of or (lambda value: 1)
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    @property
    def size(self) -> int:
        """The sum of the sizes of what is kept."""
        return self._size

    def get(self, key: Hashable) -> Value | None:
        """The value of a key, or None; it counts as used."""
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a value; the ones not used for longest go where there is no room."""
        size = self._size_of(value)
        with self._lock:
            if key in self._values:
                self._size -= self._values.pop(key)[1]
            if size > self._bound:
                return
            self._values[key] = (value, size)
            self._size += size
            while self._size > self._bound or len(self._values) > self._most:
                _, (_, gone) = self._values.popitem(last=False)
                self._size -= gone

    def get_or_make(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key, made where it is not there; an error is not remembered."""
        found = self.get(key)
        if found is not None:
            return found
        value = make()
        self.put(key, value)
        return value


class Kept(Generic[Value]):
    """What a query keeps of every open model, made where it is first asked for.

    It stands in the query's module: ``_NAMES = Kept(lambda opened: BoundedCache(4096))``.
    """

    def __init__(self, make: Callable[[OpenModel], Value]) -> None:
        self._make = make

    def of(self, opened: OpenModel) -> Value:
        """That of one model, for as long as it is open."""
        if self not in opened.kept:
            opened.kept.setdefault(self, self._make(opened))
        value: Value = opened.kept[self]
        return value


def bound_bytes(
    most: Callable[[MemoryLimits], int], size_of: Callable[[Value], int]
) -> Kept[BoundedCache[Value]]:
    """A cache for every open model that is bounded by the bytes which its values take."""
    return Kept(lambda opened: BoundedCache(_MANY, most(opened.limits.memory), size_of))
