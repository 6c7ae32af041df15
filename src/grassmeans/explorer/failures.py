"""What can go wrong in the explorer, each with what to do; the server gives each its status."""

from __future__ import annotations

from grassmeans.errors import GrassmeansError


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
