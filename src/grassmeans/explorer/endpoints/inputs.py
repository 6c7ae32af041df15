"""What requests say: bodies, the parameters that several endpoints take, and words in addresses.

In ``/api/words/and%2For`` the slash is a letter of the word. Servers undo ``%2F`` before anybody
looks at the path, so that the router would see a step more. The guard puts a mark in its place
(`keep_slashes`), and routes of words put the slash back (`WordRoute`).
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import Path, Query
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, model_validator
from starlette.routing import Match

from grassmeans.explorer.endpoints.description import bounded_by
from grassmeans.explorer.limits import Limits, TooMuchError

MAX_OFFSET = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly."""

MOST_CHARACTERS = 200
"""Of the name of a field or of a group."""

_MOST_FORMS = 8
_MOST_SEED = 2**32 - 1

Word = Annotated[str, Path(min_length=1, description="A word of the model.")]
Dial = Annotated[
    int | None,
    Query(
        alias="k",
        ge=1,
        description="Senses induced anew, so many; the model's without it.",
        json_schema_extra=bounded_by("work.senses"),
    ),
]
Limit = Annotated[int, Query(ge=1, json_schema_extra=bounded_by("request.page"))]
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
        description="Other forms of the word, looked at with its senses: banks|banked.",
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


class RequestBody(BaseModel):  # type: ignore[misc]
    """The JSON of a request; a field that is not known, or of another type, is a mistake."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")  # type: ignore[untyped-decorator]
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
    raw = scope.get("raw_path") or b""
    written = raw.decode("latin-1")
    if not _SLASH.search(written):
        return scope
    return {**scope, "path": unquote(_SLASH.sub(_MARK, written))}


class WordRoute(APIRoute):  # type: ignore[misc]
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
