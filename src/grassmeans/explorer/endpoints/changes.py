"""``/api/words/{word}/change``, ``/api/changes``: senses over groups of documents."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from grassmeans.explorer.endpoints.answers import Session, json_answer
from grassmeans.explorer.endpoints.description import failures
from grassmeans.explorer.endpoints.inputs import (
    MOST_CHARACTERS,
    Limit,
    Offset,
    Word,
    WordRoute,
    check_page,
)
from grassmeans.explorer.queries import changes


def make_router(session: Session) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/api", tags=["change"], route_class=WordRoute)
    limits = session.opened.limits

    @router.get(
        "/words/{word}/change",
        response_model=changes.ChangeView,
        responses=failures(404, 409, 422, 429),
        summary="Shares of a word's senses over groups of documents",
    )
    async def show_change(
        request: Request,
        word: Word,
        by: Annotated[
            str,
            Query(
                min_length=1,
                max_length=MOST_CHARACTERS,
                description="A field, or a time: source, date:decade.",
            ),
        ],
    ) -> Response:
        return json_answer(await session.answer(request, changes.show_change, word, by))

    @router.get(
        "/changes",
        response_model=changes.ChangedWords,
        responses=failures(409, 422),
        summary="The words that changed most, from a report",
    )
    async def list_changes(limit: Limit = 50, offset: Offset = 0) -> Response:
        check_page(limits, limit)
        return json_answer(await session.ask(changes.list_changes, offset, limit))

    return router
