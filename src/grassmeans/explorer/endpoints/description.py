"""What ``/openapi.json`` says of errors and tables: every status that an endpoint answers with.

422 is for what is not as described; 413 for more than this server gives at once. How much that is
stands in the description too: an input names its bound (`bounded_by`), and `state_maxima` puts the
number there that the server was started with.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from pydantic import BaseModel, Field
from starlette.routing import compile_path

from grassmeans.explorer.limits import Limits

Responses = dict[int | str, dict[str, Any]]


class Problem(BaseModel):  # type: ignore[misc]
    """What went wrong: a code for programs, a message for people."""

    code: str
    message: str
    did_you_mean: list[str] = Field(
        [], description="Words that are spelt alike, where a word is not known."
    )


class Failure(BaseModel):  # type: ignore[misc]
    """The body of every answer that is an error."""

    error: Problem


_MEANINGS = {
    400: "The host is not one of this server's, or the body cannot be read.",
    403: "The request comes from a page of another site.",
    404: "There is no such word, sense, job or position.",
    408: "The body did not arrive in time.",
    409: "It does not fit the present state: no corpus, senses that have changed, a taken name.",
    413: "More than this server gives at once; the message says how much that is.",
    415: "The body is not sent as application/json.",
    422: "The request is not as described here.",
    429: "Too much work is going on: try again after the seconds named.",
    500: "A defect of the explorer.",
    503: "Too many requests, work that took too long, or a model that is damaged.",
}
_WAIT = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer", "minimum": 1}}}


def failures(*statuses: int) -> Responses:
    """For ``responses`` of an endpoint: the errors that it answers with."""
    described: Responses = {}
    for status in statuses:
        described[status] = {"description": _MEANINGS[status], "model": Failure}
        if status in (429, 503):
            described[status]["headers"] = _WAIT
    return described


EVERYWHERE = failures(400, 408, 413, 500, 503)
"""For the application: what every endpoint may answer with."""

_TABLES = ("text/csv", "text/tab-separated-values", "application/x-ndjson")
OR_TABLE: Responses = {
    200: {"content": {media: {"schema": {"type": "string"}} for media in _TABLES}}
}
"""For ``responses`` of an endpoint that gives a table as well."""


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
        if compile_path(template)[0].match(path)
        for method in operations
    )
