"""What ``/openapi.json`` says: parameters that several endpoints take, bodies, answers, errors.

422 is for what is not as described; 413 for more than this server gives at once. How much that is
stands in the description too: an input names its bound (`bounded_by`), and `state_maxima` puts the
number there that the server was started with.

In ``/api/words/and%2For`` the slash is a letter of the word. Servers undo ``%2F`` before anybody
looks at the path, so that the router would see a step more. The guard puts a mark in its place
(`keep_slashes`), and routes of words put the slash back (`WordRoute`).
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from functools import lru_cache
from operator import attrgetter
from typing import Annotated, Any, Literal
from urllib.parse import unquote

from fastapi import Path, Query
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.routing import Match, compile_path

from grassmeans_explorer.limits import Limits, TooMuchError

Responses = dict[int | str, dict[str, Any]]


class TextConflict(BaseModel):
    """A field that two have written: what came too late, and what is there."""

    path: list[int]
    field: str
    yours: Any = None
    theirs: Any = None


class ConflictDetails(BaseModel):
    """What an entry is now, where a change was made for another revision."""

    revision: int
    texts: list[TextConflict]


class Problem(BaseModel):
    """What went wrong: a code for programs, a message for people."""

    code: str
    message: str
    did_you_mean: list[str] = Field(
        [], description="Words that are spelt alike, where a word is not known."
    )
    column: int | None = Field(None, description="The place of a mistake in a query, from 1.")
    conflict: ConflictDetails | None = Field(
        None, description="Of an entry that was changed meanwhile: both texts."
    )


class Failure(BaseModel):
    """The body of every answer that is an error."""

    error: Problem


_MEANINGS = {
    400: "The host is not one of this server's, or the body cannot be read.",
    403: "The request comes from a page of another site, or without the token that it needs.",
    404: "There is no such word, sense, job or position.",
    408: "The body did not arrive in time.",
    409: "It does not fit the present state: no corpus, senses that have changed, a taken name, "
    "a query that cannot be read.",
    413: "More than this server gives at once; the message says how much that is.",
    415: "The body is not sent as application/json.",
    422: "The request is not as described here.",
    429: "Too much work is going on: try again after the seconds named.",
    500: "A defect of the explorer.",
    503: "Too many requests, work that took too long, or a model that is damaged.",
}
_WAIT = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer", "minimum": 1}}}
_TABLES = ("text/csv", "text/tab-separated-values", "application/x-ndjson")


def failures(*statuses: int) -> Responses:
    """The errors with these statuses, as ``responses`` has them."""
    described: Responses = {}
    for status in statuses:
        described[status] = {"description": _MEANINGS[status], "model": Failure}
        if status in (429, 503):
            described[status]["headers"] = _WAIT
    return described


EVERYWHERE = failures(400, 408, 413, 500, 503)
"""For the application: what every endpoint may answer with."""
_CORPUS = (404, 409, 422, 429)


def gives(model: Any, summary: str, *statuses: int, table: bool = False) -> dict[str, Any]:
    """What an endpoint answers with: a model, a table as well, and the errors that it has.

    By default these are the errors of one that asks the corpus of a word.
    """
    responses = failures(*(statuses or _CORPUS))
    if table:
        content = {media: {"schema": {"type": "string"}} for media in _TABLES}
        responses[200] = {"content": content}
    return {"response_model": model, "summary": summary, "responses": responses}


_BOUND, _BOUND_AS_JSON = "x-bound", "x-bound-as-json"
_KEYWORDS = {"integer": "maximum", "number": "maximum", "string": "maxLength", "array": "maxItems"}


def bounded_by(bound: str | int, as_json: str = "") -> dict[str, Any]:
    """For ``json_schema_extra`` of an input that a query bounds, not its type.

    The bound is a field of `Limits` (``request.page``), or a number; ``as_json`` where the answer
    is no table.
    """
    return {_BOUND: bound} | ({_BOUND_AS_JSON: as_json} if as_json else {})


def state_maxima(description: Any, limits: Limits) -> None:
    """Write the numbers of all bounds into a description, wherever an input names one."""
    inner = description.values() if isinstance(description, dict) else description
    for part in list(inner):
        if isinstance(part, dict | list):
            state_maxima(part, limits)
    if not isinstance(description, dict) or _BOUND not in description:
        return
    bound = description.pop(_BOUND)
    most = attrgetter(bound)(limits) if isinstance(bound, str) else bound
    for kind in (description, *description.get("anyOf", ())):
        if kind.get("type") in _KEYWORDS and "const" not in kind:
            kind[_KEYWORDS[kind["type"]]] = most
    if as_json := description.pop(_BOUND_AS_JSON, ""):
        description["description"] = f"As JSON {attrgetter(as_json)(limits):,} at most."


def find_methods(description: dict[str, Any], path: str) -> list[str]:
    """The methods that a path has by the description; empty for a path that is not in it."""
    return sorted(
        method.upper()
        for template, operations in description["paths"].items()
        if _pattern_of(template).match(path)
        for method in operations
    )


@lru_cache(1000)
def _pattern_of(template: str) -> re.Pattern[str]:
    """What the paths of a template match; of all of them for every request that sends something."""
    pattern: re.Pattern[str] = compile_path(template)[0]
    return pattern


def named(description: str, **options: Any) -> Any:
    """A parameter that names a field or a group of documents."""
    return Query(description=description, max_length=MOST_CHARACTERS, **options)


def bounded(bound: str, description: str | None = None, **options: Any) -> Any:
    """A parameter that a query bounds."""
    return Query(description=description, json_schema_extra=bounded_by(bound), **options)


MAX_OFFSET = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly."""
MOST_CHARACTERS = 200
"""Of the name of a field or of a group."""
_MOST_FORMS = 8
_MOST_SEED = 2**32 - 1

Format = Annotated[Literal["json", "csv", "tsv", "jsonl"], Query(alias="format")]
"""An answer, or its table to download."""
Word = Annotated[str, Path(min_length=1, description="A word of the model.")]
Dial = Annotated[
    int | None,
    bounded(
        "work.senses", "Senses induced anew, so many; the model's without it.", alias="k", ge=1
    ),
]
Limit = Annotated[int, bounded("request.page", ge=1)]
RowLimit = Annotated[
    int, Query(ge=1, json_schema_extra=bounded_by("request.table_rows", "request.page"))
]
Offset = Annotated[int, Query(ge=0, le=MAX_OFFSET)]
SampleSize = Annotated[
    int | None,
    Query(ge=1, le=MAX_OFFSET, description="Look at a random sample of so many occurrences."),
]
Seed = Annotated[int, Query(ge=0, le=_MOST_SEED, description="Of the random sample.")]
Forms = Annotated[
    str,
    Query(
        pattern=f"^[^\\s|]*([\\s|]+[^\\s|]+){{0,{_MOST_FORMS - 1}}}[\\s|]*$",
        max_length=MOST_CHARACTERS,
        description="Other forms of the word, looked at with its senses: banks|banked, bank*.",
    ),
]


def split_forms(forms: str) -> tuple[str, ...]:
    """Other forms of a word, as a request names them."""
    return tuple(forms.replace("|", " ").split())


def check_page(limits: Limits, limit: int, kind: str = "json", *, most: int | None = None) -> None:
    """Refuse a page that is too large; tables to download may be longer than pages."""
    if most is None:
        most = limits.request.page if kind == "json" else limits.request.table_rows
    if limit > most:
        raise TooMuchError(f"limit is at most {most:,} here, got {limit:,}: ask for several pages")


class RequestBody(BaseModel):
    """The JSON of a request; a field that is not known, or of another type, is a mistake."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _take_whole_numbers(cls, values: Any) -> Any:
        """In JSON 5.0 is the whole number 5; the strict mode alone would refuse it."""
        if not isinstance(values, dict):
            return values
        return {
            name: [_take_whole(item) for item in value]
            if isinstance(value, list)
            else _take_whole(value)
            for name, value in values.items()
        }


def _take_whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


_MARK = "\ufdd0"  # one of the code points that Unicode keeps free for such use
_SLASH = re.compile("%2f", re.IGNORECASE)


def keep_slashes(scope: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The scope of a request whose path has a mark for every slash that was written ``%2F``."""
    written = (scope.get("raw_path") or b"").decode("latin-1")
    if not _SLASH.search(written):
        return scope
    return {**scope, "path": unquote(_SLASH.sub(_MARK, written))}


class WordRoute(APIRoute):
    """A route whose words may have slashes."""

    def matches(self, scope: dict[str, Any]) -> tuple[Match, dict[str, Any]]:
        """As any route, with the slashes put back."""
        match, found = super().matches(scope)
        params = found.get("path_params", {})
        found["path_params"] = {
            name: value.replace(_MARK, "/") if isinstance(value, str) else value
            for name, value in params.items()
        }
        return match, found
