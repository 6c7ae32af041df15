"""Connections that end: the other side may be slow, silent or gone."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from grassmeans.explorer.limits import ConnectionLimits


class TimedConnection(H11Protocol):  # type: ignore[misc]
    """An HTTP connection on which nothing is waited for without a limit.

    Uvicorn waits without one for the first request, for the rest of a head whose first byte has
    come, and for a client that does not read. (How long a body may take is the guard's affair.)
    """

    limits = ConnectionLimits()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._head_timer: asyncio.TimerHandle | None = None
        self._answer_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.at_once:
            transport.abort()
        else:
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_head_timer()
        self._stop_answer_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; a whole head stops the clock, and half a one does not."""
        super().data_received(data)
        if self._is_answering():
            self._stop_head_timer()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it is there already."""
        super().on_response_complete()
        if not self._is_answering():
            self._wait_for_head()

    def pause_writing(self) -> None:
        """The client takes less than there is to send."""
        super().pause_writing()
        self._stop_answer_timer()
        self._answer_timer = self.loop.call_later(self.limits.answer_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has taken it."""
        self._stop_answer_timer()
        super().resume_writing()

    def shutdown(self) -> None:
        """The server stops: what is being answered has a moment left, and nothing holds it up."""
        super().shutdown()
        if self._is_answering():
            self.loop.call_later(self.limits.stop_seconds, self.transport.abort)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_head(self) -> None:
        self._stop_head_timer()
        if not self.transport.is_closing():
            self._head_timer = self.loop.call_later(self.limits.head_seconds, self.transport.close)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _stop_answer_timer(self) -> None:
        if self._answer_timer is not None:
            self._answer_timer.cancel()
            self._answer_timer = None


def hide_departures(logger: logging.Logger) -> None:
    """Say nothing of requests that end because the client went, or because the server stops."""
    logger.addFilter(lambda record: not _is_departure(record.exc_info))


def _is_departure(found: Any) -> bool:
    return bool(found) and isinstance(found[1], asyncio.CancelledError | ConnectionError)
