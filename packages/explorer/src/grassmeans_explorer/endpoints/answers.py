"""From queries to HTTP answers: JSON, and tables to download as CSV, tab-separated or JSON lines.

Queries run outside the event loop: in any thread, and where they are long within the bounds. In CSV
and tab-separated tables no cell of text, and no name of a column, is a formula of a spreadsheet:
see `grassmeans.results.protect_cell`.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial
from itertools import chain, islice
from operator import attrgetter
from typing import Any, TypeVar
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from grassmeans.errors import ArtifactError, GrassmeansError, InputError, StorageError
from grassmeans.results import protect_cell
from grassmeans_explorer import limits
from grassmeans_explorer.endpoints.schema import find_methods
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.compare import CollocatesView, ComparedSide, SideBySide
from grassmeans_explorer.queries.concordance import Lines
from grassmeans_explorer.queries.documents import Frequencies
from grassmeans_explorer.queries.words import WordSummary, WordView
from grassmeans_explorer.work import LongWorkError, WorkPool, run_quickly

Result = TypeVar("Result")
Table = tuple[Sequence[str], Iterable[Sequence[object]]]
"""The names of columns, and rows of plain values."""

_LOG = logging.getLogger("grassmeans_explorer")
_SECONDS_AFTER_TIMEOUT = 5
_LOOK_EVERY = 0.25
ROWS_AT_ONCE = 500
_DEFECT = "a defect of the explorer; the terminal it was started in says more"

# The most special class first.
_STATUS: tuple[tuple[type[Exception], int, str], ...] = (
    (limits.WordNotFoundError, 404, "unknown_word"),
    (limits.NothingThereError, 404, "not_found"),
    (limits.NotAllowedError, 403, "not_allowed"),
    (limits.NoCorpusError, 409, "no_corpus"),
    (limits.MisreadError, 409, "bad_query"),
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
    return Response(_JSON.encode(value), status, dict(headers or {}), "application/json")


def _name_fields(value: Any) -> dict[str, Any]:
    """The fields of a dataclass, which may be of dataclasses: a quarter of the time of `asdict`."""
    kind: Any = type(value)  # which is hashable, though type checkers doubt it
    return {name: getattr(value, name) for name in _fields_of(kind)}


@cache
def _fields_of(kind: type) -> tuple[str, ...]:
    if not is_dataclass(kind):
        raise TypeError(f"{kind.__name__} is not plain: it has no JSON")
    return tuple(field.name for field in fields(kind))


_JSON = json.JSONEncoder(allow_nan=False, separators=(",", ":"), default=_name_fields)


_MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "jsonl": "application/x-ndjson",
}


def answer_as(kind: str, found: Result, tabulate: Callable[[Result], Table], name: str) -> Response:
    """What was found, as JSON or as a table to download."""
    if kind == "json":
        return json_answer(found)
    content = b"".join(_write_file(tabulate(found), kind))
    return Response(content, 200, _name_file(name, kind), _MEDIA[kind])


def stream_table(table: Table, name: str, kind: str) -> Response:
    """A table of any length to download, of which only some rows are held at a time."""
    content = _write_file(table, kind)
    return StreamingResponse(content, 200, _name_file(name, kind), _MEDIA[kind])


def _write_file(table: Table, kind: str) -> Iterator[bytes]:
    """A table piece by piece; CSV has a byte order mark, so that spreadsheets read it as UTF-8."""
    pieces = chain(["\ufeff" if kind == "csv" else ""], write_table(table, kind))
    return (piece.encode("utf-8", "replace") for piece in pieces)


def _name_file(name: str, kind: str) -> dict[str, str]:
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:64] or "table"
    full = quote(f"{name[:64]}.{kind}", safe="", errors="replace")
    return {
        "Content-Disposition": f"attachment; filename=\"{plain}.{kind}\"; filename*=UTF-8''{full}"
    }


def write_table(table: Table, kind: str = "csv") -> Iterator[str]:
    """The text of a table piece by piece: its head, then `ROWS_AT_ONCE` rows at a time."""
    columns, rows = table
    rest = iter(rows)
    if kind != "jsonl":
        yield _write_rows([columns], kind)
    while some := list(islice(rest, ROWS_AT_ONCE)):
        if kind == "jsonl":
            records = (dict(zip(columns, row, strict=True)) for row in some)
            yield "".join(f"{json.dumps(record)}\n" for record in records)
        else:
            yield _write_rows(some, kind)


def _write_rows(rows: Iterable[Sequence[object]], kind: str) -> str:
    protected = ([protect_cell(cell) for cell in row] for row in rows)
    if kind == "csv":
        file = io.StringIO()
        csv.writer(file, lineterminator="\r\n").writerows(protected)
        return file.getvalue()
    flat = (["" if cell is None else str(cell) for cell in row] for row in protected)
    lines = ("\t".join(" ".join(x.splitlines()).replace("\t", " ") for x in row) for row in flat)
    return "".join(f"{line}\n" for line in lines)


def table_of_words(found: Iterable[WordSummary]) -> Table:
    """Words with their counts and numbers of senses."""
    return ("word", "count", "senses"), map(attrgetter("word", "count", "n_senses"), found)


def table_of_rows(rows: Sequence[Mapping[str, object]]) -> Table:
    """Rows that name their columns; not all of them have all."""
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    return columns, ([row.get(name) for name in columns] for row in rows)


def table_of_senses(view: WordView) -> Table:
    """The senses of a word, one a row."""
    columns = ("word", "sense", "name", "share", "crispness", "mean_distance", "hidden")
    more = ("characteristic_words", "nearest_words", "example")
    numbers = attrgetter("number", "name", "share", "crispness", "mean_distance")
    rows = []
    for sense in view.senses:
        words = ", ".join(sense.characteristic_words), ", ".join(sense.nearest_words)
        example = "".join(f"{x.left}{x.word}{x.right}" for x in sense.examples[:1])
        rows.append((view.word, *numbers(sense), int(sense.hidden), *words, example))
    return (*columns, *more), rows


def table_of_lines(found: Lines) -> Table:
    """Concordance lines, with a column for each field of their documents."""
    own = attrgetter("position", "document", "left", "word", "right", "sense")
    columns = ("position", "document", "left", "word", "right", "sense", "sense_name", "confidence")
    names = tuple(dict.fromkeys(name for line in found.lines for name in line.fields))
    rows = (
        (
            *(*own(x), found.names.get(x.sense, ""), x.confidence),
            *(x.fields.get(name, "") for name in names),
        )
        for x in found.lines
    )
    # A field may be called as a column is.
    return (*columns, *(f"document_{name}" if name in columns else name for name in names)), rows


def table_of_frequencies(found: Frequencies) -> Table:
    """Groups of documents with their lines."""
    rows = map(attrgetter("group", "count", "n_words", "per_million"), found.groups)
    return (found.by, "lines", "words", "per_million"), rows


def table_of_collocates(found: CollocatesView) -> Table:
    """Words near a word or a sense."""
    columns = ("word", "count", "total", "expected", "log_dice", "log_likelihood")
    numbers = attrgetter(*columns)
    if found.sense is None:
        return ("collocate", *columns[1:]), map(numbers, found.collocates)
    rows = ((*numbers(one), found.sense, found.name) for one in found.collocates)
    return ("collocate", *columns[1:], "sense", "sense_name"), rows


def table_of_comparison(found: SideBySide) -> Table:
    """Neighbours and collocates of two words or senses, and which of them they are near."""
    columns = ("word", "first", "second", "first_log_dice", "second_log_dice", "log_likelihood")
    rows: list[tuple[object, ...]] = []
    sides = {name: _name_side(getattr(found, name)) for name in ("first", "second")}
    for kind, lists in ("neighbour", found.neighbours), ("collocate", found.collocates):
        for near in ("shared", "first", "second") if lists else ():
            for row in getattr(lists, near):
                cells = (getattr(row, name, None) for name in columns)
                rows.append((kind, near, sides.get(near, ""), *cells))
    return ("kind", "near", "near_name", *columns), rows


def _name_side(side: ComparedSide) -> str:
    """A word, or a sense of it by its number and name."""
    return side.word if side.sense is None else f"{side.word}.{side.sense} {side.name}".rstrip()


def error_answer(
    status: int, code: str, message: str, *, retry_after: int | None = None, **more: Any
) -> Response:
    """An error as everything here answers it: a code for programs, a message for people."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return json_answer({"error": {"code": code, "message": message, **more}}, status, headers)


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
    if isinstance(error, limits.MisreadError):
        described["column"] = error.column
    if isinstance(error, limits.ConflictError) and error.details:
        described["conflict"] = dict(error.details)
    return described


def _find_status(error: GrassmeansError) -> tuple[int, str]:
    return next((status, code) for kind, status, code in _STATUS if isinstance(error, kind))


def add_error_handlers(app: FastAPI) -> None:
    """Let every error of the application be answered as JSON, without traces."""

    async def on_failure(_: Request, error: GrassmeansError) -> Response:
        is_late = isinstance(error, limits.OutOfTimeError)
        retry_after = _SECONDS_AFTER_TIMEOUT if is_late else getattr(error, "retry_after", None)
        described = describe_failure(error)
        return error_answer(_find_status(error)[0], retry_after=retry_after, **described)

    async def on_invalid(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = [str(part) for part in first["loc"] if part not in ("body", "query", "path")]
        return error_answer(422, "invalid", f"{'.'.join(where) or 'the body'}: {first['msg']}")

    async def on_http(request: Request, error: HTTPException) -> Response:
        code = _HTTP_CODES.get(error.status_code, "error")
        message = f"{error.detail}: see /openapi.json for what there is"
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


@dataclass(frozen=True, slots=True)
class Session:
    """What all endpoints share."""

    opened: OpenModel
    pool: WorkPool

    async def tell(self, request: Request, query: Callable[..., Any], *args: Any, **kw: Any) -> Any:
        """What a query gives, as JSON."""
        return json_answer(await self.ask(request, query, *args, **kw))

    async def ask(
        self,
        request: Request,
        query: Callable[..., Result],
        *args: Any,
        seconds: float | None = None,
        **options: Any,
    ) -> Result:
        """Run a query in any thread; where it turns out to be long, within the bounds.

        It then has so many seconds, or the usual ones, and is cancelled where the client goes away.
        """
        question = partial(query, self.opened, *args, **options)
        with suppress(LongWorkError):
            quick: Result = await run_in_threadpool(run_quickly, question)
            return quick
        bounds, future = self.pool.submit(question, seconds)
        waiting = asyncio.wrap_future(future)
        # Hear of an error after the client has gone too; else the event loop tells the terminal.
        waiting.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        try:
            while True:
                done, _ = await asyncio.wait([waiting], timeout=_LOOK_EVERY)
                if done:
                    return waiting.result()
                if await request.is_disconnected():
                    raise limits.CancelledError("the client went away")
        except BaseException:
            bounds.cancel()
            future.cancel()
            raise
