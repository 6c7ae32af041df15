"""Every bound of the explorer in one place."""

from __future__ import annotations

from dataclasses import dataclass, field

from grassmeans.errors import GrassmeansError

_MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """How much one request may ask for.

    Parameters
    ----------
    body_bytes : int
        Of a request's body, checked before it is read as JSON.
    body_seconds : float
        In which a body must have arrived.
    text_characters : int
        Of a text that is to be tagged.
    page : int
        Lines or words in one answer.
    table_rows : int
        Rows of a table to download.
    map_points : int
        Contexts on a map.
    query_characters : int
        Of a search.
    document_characters : int
        Shown on each side of an occurrence.
    """

    body_bytes: int = 256 * 1024
    body_seconds: float = 10.0
    text_characters: int = 20_000
    page: int = 200
    table_rows: int = 5_000
    map_points: int = 2_000
    query_characters: int = 200
    document_characters: int = 5_000


@dataclass(frozen=True, slots=True)
class WorkLimits:
    """How much is done at once, and for how long.

    Parameters
    ----------
    at_once : int
        Inductions (or measurements of a word's occurrences) that run at the same time.
    waiting : int
        Further ones that may wait for their turn; more are refused.
    seconds : float
        For one of them. A kernel that runs cannot be interrupted: the clock is looked at between
        the steps, of which each takes a second or so for 20,000 contexts.
    requests_at_once : int
        Requests of any kind; more are refused at once.
    contexts : int
        The most contexts of an induction.
    senses : int
        The most senses of an induction, and of a word that is edited.
    measured_lines : int
        Occurrences of one word whose sense is told; of more, an even sample.
    jobs : int
        Jobs that are remembered, running or finished.
    job_seconds : float
        For which a finished job is remembered.
    """

    at_once: int = 2
    waiting: int = 6
    seconds: float = 30.0
    requests_at_once: int = 128
    contexts: int = 20_000
    senses: int = 8
    measured_lines: int = 200_000
    jobs: int = 32
    job_seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class MemoryLimits:
    """How much is remembered between requests.

    Parameters
    ----------
    sample_bytes : int
        Contexts and subspaces of the words looked at last.
    distance_bytes : int
        Distances of their occurrences.
    inductions : int
        Results of the dial.
    words : int
        Words as they are shown.
    edited_words : int
        Words with corrections that are not saved yet.
    edits_of_word : int
        Corrections of one of them.
    """

    sample_bytes: int = 192 * _MEGABYTE
    distance_bytes: int = 64 * _MEGABYTE
    inductions: int = 64
    words: int = 256
    edited_words: int = 1_000
    edits_of_word: int = 100


@dataclass(frozen=True, slots=True)
class Limits:
    """All bounds of the explorer."""

    request: RequestLimits = field(default_factory=RequestLimits)
    work: WorkLimits = field(default_factory=WorkLimits)
    memory: MemoryLimits = field(default_factory=MemoryLimits)


class WordNotFoundError(GrassmeansError):
    """The model does not have the word.

    Attributes
    ----------
    suggestions : tuple of str
        Words of the model that are spelt alike.
    """

    def __init__(self, message: str, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.suggestions = suggestions


class NothingThereError(GrassmeansError):
    """There is no such sense, job or page."""


class NoCorpusError(GrassmeansError):
    """The question needs the corpus, and the explorer was started without one."""

    def __init__(self, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the corpus, and there is no corpus: start with --corpus CORPUS"
        )


class ConflictError(GrassmeansError):
    """The request is well formed, but does not fit the present state."""


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
