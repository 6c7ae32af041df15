"""``/api/lookup``: what somebody typed, and where it leads."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from grassmeans.explorer.endpoints.answers import Session, json_answer
from grassmeans.explorer.endpoints.description import bounded_by, failures
from grassmeans.explorer.endpoints.inputs import Limit, Offset, check_page
from grassmeans.explorer.queries import lines, lookup

Typed = Annotated[
    str,
    Query(
        min_length=1,
        description="As somebody types it.",
        json_schema_extra=bounded_by("request.query_characters"),
    ),
]


def make_router(session: Session) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/api/lookup", tags=["words"])
    limits = session.opened.limits

    @router.get(
        "",
        response_model=lookup.FoundWord,
        responses=failures(422, 429),
        summary="Where a word leads, and what is near it",
    )
    async def look_up(
        request: Request,
        word: Typed,
        exact: Annotated[bool, Query(description="Lead to no other word.")] = False,
    ) -> Response:
        is_long = await session.ask(lookup.needs_work, word, exact=exact)
        found = await session.answer(request, lookup.look_up, word, exact=exact, is_long=is_long)
        return json_answer(found)

    @router.get(
        "/lines",
        response_model=lines.PlainLines,
        responses=failures(404, 422, 429),
        summary="Lines of any word of the corpus, or in the model's examples",
    )
    async def read_lines(
        request: Request,
        word: Typed,
        offset: Offset = 0,
        limit: Limit = 20,
    ) -> Response:
        check_page(limits, limit)
        is_long = session.opened.corpus is None
        values = word, offset, limit
        found = await session.answer(request, lines.read_plain_lines, *values, is_long=is_long)
        return json_answer(found)

    return router
