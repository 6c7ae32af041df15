"""From queries to HTTP answers. Everything is JSON, except tables asked for as CSV.

Queries run outside the event loop: quick ones in any thread, long ones within the bounds.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from itertools import chain
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import quote

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from grassmeans.errors import ArtifactError, GrassmeansError, InputError, StorageError
from grassmeans.explorer import limits
from grassmeans.explorer.endpoints.description import find_methods
from grassmeans.explorer.endpoints.tables import Table, write_rows, write_table
from grassmeans.explorer.limits import CancelledError
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.work import Checkpoint, WorkPool

Result = TypeVar("Result")

_LOG = logging.getLogger("grassmeans.explorer")
_SECONDS_AFTER_TIMEOUT = 5
_DEFECT = "a defect of the explorer; the terminal it was started in says more"

# The most special class first.
_STATUS: tuple[tuple[type[Exception], int, str], ...] = (
    (limits.WordNotFoundError, 404, "unknown_word"),
    (limits.NothingThereError, 404, "not_found"),
    (limits.NoCorpusError, 409, "no_corpus"),
    (limits.StaleError, 409, "stale"),
    (limits.ConflictError, 409, "conflict"),
    (limits.CancelledError, 409, "cancelled"),
    (limits.TooMuchError, 413, "too_much"),
    (limits.BusyError, 429, "busy"),
    (limits.OutOfTimeError, 503, "out_of_time"),
    (StorageError, 409, "cannot_write"),
    (ArtifactError, 503, "damaged"),
    (InputError, 422, "invalid"),
    (GrassmeansError, 400, "bad_request"),
)
_HTTP_CODES = {404: "not_found", 405: "method_not_allowed", 400: "bad_request"}


def json_answer(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A dataclass or plain values as JSON; lone surrogates and NaN cannot break it."""
    plain = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    content = json.dumps(plain, allow_nan=False, separators=(",", ":"))
    return Response(content, status, dict(headers or {}), "application/json")


Format = Annotated[Literal["json", "csv", "tsv", "jsonl"], Query(alias="format")]
"""An answer, or its table to download."""

_MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "jsonl": "application/x-ndjson",
}


def table_answer(table: Table, name: str, kind: str) -> Response:
    """A table to download; CSV has a byte order mark, so that spreadsheets read it as UTF-8."""
    content = (_MARKS.get(kind, "") + write_table(table, kind)).encode("utf-8", "replace")
    return Response(content, 200, _name_file(name, kind), _MEDIA[kind])


def answer_as(kind: str, found: Result, tabulate: Callable[[Result], Table], name: str) -> Response:
    """What was found, as JSON or as a table to download."""
    return json_answer(found) if kind == "json" else table_answer(tabulate(found), name, kind)


def stream_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], name: str, kind: str
) -> Response:
    """A table of any length to download, of which only some rows are held at a time."""
    pieces = chain([_MARKS.get(kind, "")], write_rows(columns, rows, kind))
    content = (piece.encode("utf-8", "replace") for piece in pieces)
    return StreamingResponse(content, 200, _name_file(name, kind), _MEDIA[kind])


_MARKS = {"csv": "\ufeff"}


def _name_file(name: str, kind: str) -> dict[str, str]:
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:64] or "table"
    full = quote(f"{name[:64]}.{kind}", safe="", errors="replace")
    return {
        "Content-Disposition": f"attachment; filename=\"{plain}.{kind}\"; filename*=UTF-8''{full}"
    }


def error_answer(
    status: int, code: str, message: str, *, retry_after: int | None = None
) -> Response:
    """An error as everything here answers it: a code for programs, a message for people."""
    return _answer_error(status, {"code": code, "message": message}, retry_after)


def describe_failure(error: BaseException | None) -> dict[str, Any]:
    """Code and message of an error, as they stand in an answer; nothing of what went on inside."""
    if not isinstance(error, GrassmeansError):
        return {"code": "defect", "message": _DEFECT}
    message = str(error)
    if isinstance(error, OSError) and error.strerror:
        message = str(error.strerror)
    described: dict[str, Any] = {"code": _find_status(error)[1], "message": message}
    if isinstance(error, limits.WordNotFoundError):
        described["did_you_mean"] = list(error.suggestions)
    return described


def explain_failure(error: GrassmeansError) -> Response:
    """The answer for one of our own errors."""
    is_late = isinstance(error, limits.OutOfTimeError)
    retry_after = _SECONDS_AFTER_TIMEOUT if is_late else getattr(error, "retry_after", None)
    return _answer_error(_find_status(error)[0], describe_failure(error), retry_after)


def _answer_error(status: int, described: dict[str, Any], retry_after: int | None) -> Response:
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return json_answer({"error": described}, status, headers)


def _find_status(error: GrassmeansError) -> tuple[int, str]:
    return next((status, code) for kind, status, code in _STATUS if isinstance(error, kind))


def add_error_handlers(app: FastAPI) -> None:
    """Let every error of the application be answered as JSON, without traces."""

    async def on_failure(_: Request, error: Exception) -> Response:
        assert isinstance(error, GrassmeansError)
        return explain_failure(error)

    async def on_invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return error_answer(422, "invalid", _describe_invalid(error))

    async def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = _HTTP_CODES.get(error.status_code, "error")
        message = f"{error.detail}: see /docs for what there is"
        answer = error_answer(error.status_code, code, message)
        answer.headers.update(error.headers or {})
        methods = find_methods(app.openapi(), request.url.path)
        if error.status_code == 405 and methods:
            # The router names those of one function, and a path may have several.
            answer.headers["Allow"] = ", ".join(methods)
        return answer

    async def on_defect(request: Request, error: Exception) -> Response:
        _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return error_answer(500, "defect", _DEFECT)

    app.add_exception_handler(GrassmeansError, on_failure)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(Exception, on_defect)


def _describe_invalid(error: RequestValidationError) -> str:
    """The first thing that is wrong, by the name of the field."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    return f"{place or 'the body'}: {first['msg']}"


_LOOK_EVERY = 0.25


@dataclass(frozen=True, slots=True)
class Session:
    """What all endpoints share."""

    opened: OpenModel
    pool: WorkPool

    async def ask(self, query: Callable[..., Result], *args: Any, **options: Any) -> Result:
        """Run a quick query."""
        answer: Result = await run_in_threadpool(query, self.opened, *args, **options)
        return answer

    async def answer(
        self,
        request: Request,
        query: Callable[..., Result],
        *args: Any,
        is_long: bool = True,
        seconds: float | None = None,
        **options: Any,
    ) -> Result:
        """Run a query that takes a checkpoint: as work within the bounds where it is long."""
        if not is_long:
            return await self.ask(query, *args, **options)

        def work(checkpoint: Checkpoint) -> Result:
            return query(self.opened, *args, check=checkpoint, **options)

        return await self.work(request, work, seconds)

    async def work(
        self, request: Request, work: Callable[[Checkpoint], Result], seconds: float | None = None
    ) -> Result:
        """Run long work and wait for it; it is cancelled where the client goes away."""
        checkpoint, future = self.pool.submit(work, seconds)
        waiting = asyncio.wrap_future(future)
        waiting.add_done_callback(_look_at)
        try:
            while True:
                done, _ = await asyncio.wait([waiting], timeout=_LOOK_EVERY)
                if done:
                    return waiting.result()
                if await request.is_disconnected():
                    raise CancelledError("the client went away")
        except BaseException:
            checkpoint.cancel()
            future.cancel()
            raise


def _look_at(ended: asyncio.Future[Any]) -> None:
    """Hear of an error after the client has gone too; else the event loop tells the terminal."""
    if not ended.cancelled():
        ended.exception()
