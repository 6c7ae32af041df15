"""Every bound of the explorer in one place, the errors of what goes beyond, and bounded caches."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from grassmeans.errors import GrassmeansError

if TYPE_CHECKING:
    from grassmeans_explorer.open_model import OpenModel

_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """How much one request may ask for."""

    body_bytes: int = _MEGABYTE  # of a request's body, checked before it is read as JSON
    body_seconds: float = 10.0  # in which a body must have arrived
    text_characters: int = 200_000  # of a text that is to be tagged
    page: int = 200  # lines or words in one answer
    table_rows: int = 5_000  # rows of a table to download
    map_points: int = 2_000  # contexts on a map
    map_words: int = 60  # words on a map of senses, and as many neighbours
    map_senses: int = 300  # their senses
    query_characters: int = 200  # of a search
    cql_characters: int = 2_000  # of a query
    chosen_lines: int = 500  # that are given to a sense at once
    document_characters: int = 5_000  # shown on each side of an occurrence
    line_characters: int = 400  # of a line of the concordance, on each side
    collocates: int = 500  # words near a sense in one answer
    judged_lines: int = 1_000  # of a new annotation
    judged_pairs: int = 5_000  # of lines, in one
    annotators: int = 100  # of a new annotation
    table_characters: int = 4_000_000  # of one table that is brought along
    import_bytes: int = 16 * _MEGABYTE  # of all of them, in the body of one request


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How long the server waits for the other end of a connection, and how many there are."""

    head_seconds: float = 10.0  # for the head of a request, from the end of the one before
    # for a client that does not take its answer: until there is room in the buffer again
    answer_seconds: float = 60.0
    stop_seconds: float = 1.0  # for an answer that is not finished when the server stops
    at_once: int = 512  # more are closed at once


@dataclass(frozen=True, slots=True)
class WorkLimits:
    """How much is done at once, and for how long."""

    # inductions (or measurements of a word's occurrences) that run at the same time
    at_once: int = 2
    waiting: int = 6  # further ones that may wait for their turn; more are refused
    # for one of them. A kernel that runs cannot be interrupted: the clock is looked at between
    # the steps, of which each takes a second or so for 20,000 contexts
    seconds: float = 30.0
    text_seconds: float = 300.0  # for a text that is tagged; with what decided it may be short
    requests_at_once: int = 128  # requests of any kind; more are refused at once
    contexts: int = 20_000  # the most contexts of an induction
    senses: int = 8  # the most senses of an induction, and of a word that is edited
    # occurrences of one word whose sense is told; of more, a random sample
    measured_lines: int = 200_000
    # the same where a network reads each of them, a few hundred a second, and nobody asked for more
    encoded_lines: int = 2_000
    # occurrences that are searched, sorted or counted with; of more, a random sample
    searched_lines: int = 500_000
    query_seconds: float = 20.0  # for a query, which is then given up
    query_matches: int = 100_000  # of a query; the first ones
    pattern_seconds: float = 5.0  # for a regular expression to be tried on words
    jobs: int = 32  # jobs that are remembered, running or finished
    job_seconds: float = 600.0  # for which a finished job is remembered


@dataclass(frozen=True, slots=True)
class MemoryLimits:
    """How much is remembered between requests."""

    sample_bytes: int = 192 * _MEGABYTE  # contexts and subspaces of the words looked at last
    distance_bytes: int = 64 * _MEGABYTE  # distances of their occurrences
    line_bytes: int = 128 * _MEGABYTE  # their occurrences as a network has read them
    search_bytes: int = 16 * _MEGABYTE  # which of them searches have found
    query_bytes: int = 32 * _MEGABYTE  # places that queries and phrases have found
    inductions: int = 64  # results of the dial
    words: int = 256  # words as they are shown
    edited_words: int = 1_000  # words with corrections that are not saved yet
    edits_of_word: int = 100  # corrections of one of them


@dataclass(frozen=True, slots=True)
class Limits:
    """All bounds of the explorer."""

    request: RequestLimits = field(default_factory=RequestLimits)
    work: WorkLimits = field(default_factory=WorkLimits)
    memory: MemoryLimits = field(default_factory=MemoryLimits)


class WordNotFoundError(GrassmeansError):
    """The model does not have the word; the suggestions are spelt alike."""

    def __init__(self, message: str, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.suggestions = suggestions


class NothingThereError(GrassmeansError):
    """There is no such sense, job or page."""


class NotAllowedError(GrassmeansError):
    """Somebody else may do that, who has the token for it."""


class NoCorpusError(GrassmeansError):
    """The question needs the corpus, and the explorer was started without one."""

    def __init__(self, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the corpus, and there is no corpus: start with --corpus CORPUS"
        )


class ConflictError(GrassmeansError):
    """The request is well formed, but does not fit the present state."""


class MisreadError(ConflictError):
    """A query that cannot be read; ``column``, from 1, is the place of the mistake."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.column = column


class StaleError(ConflictError):
    """A correction was made for senses that somebody has changed meanwhile."""

    def __init__(self, word: str) -> None:
        super().__init__(f"the senses of {word!r} were changed meanwhile: look at them again")


class TooMuchError(GrassmeansError):
    """More was asked for than the limits allow."""


class BusyError(GrassmeansError):
    """Too much is going on already; try again in a while."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class OutOfTimeError(GrassmeansError):
    """A piece of work took longer than the limit."""


class CancelledError(GrassmeansError):
    """Somebody cancelled the work."""


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
