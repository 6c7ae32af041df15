"""``/api/words/{word}/change``, ``/api/changes``: senses over groups of documents."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from grassmeans.explorer.endpoints.addresses import WordRoute
from grassmeans.explorer.endpoints.answers import (
    MAX_OFFSET,
    MOST_CHARACTERS,
    Session,
    check_page,
    json_answer,
)
from grassmeans.explorer.endpoints.description import failures
from grassmeans.explorer.endpoints.words import Limit
from grassmeans.explorer.queries import change


def make_router(session: Session) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/api", tags=["change"], route_class=WordRoute)
    limits = session.opened.limits

    @router.get(
        "/words/{word}/change",
        response_model=change.ChangeView,
        responses=failures(404, 409, 422, 429),
        summary="Shares of a word's senses over groups of documents",
    )
    async def show_change(
        request: Request,
        word: Annotated[str, Path(min_length=1, description="A word of the model.")],
        by: Annotated[
            str,
            Query(
                min_length=1,
                max_length=MOST_CHARACTERS,
                description="A field, or a time: source, date:decade.",
            ),
        ],
    ) -> Response:
        return json_answer(await session.answer(request, change.show_change, word, by))

    @router.get(
        "/changes",
        response_model=change.ChangedWords,
        responses=failures(409, 422),
        summary="The words that changed most, from a report",
    )
    async def list_changes(
        limit: Limit = 50,
        offset: Annotated[int, Query(ge=0, le=MAX_OFFSET)] = 0,
    ) -> Response:
        check_page(limits, limit)
        return json_answer(await session.ask(change.list_changes, offset, limit))

    return router
