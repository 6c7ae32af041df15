"""``/api/sense-map``: the senses of many words in one picture."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from grassmeans.explorer.endpoints.answers import Session, json_answer
from grassmeans.explorer.endpoints.description import bounded_by, failures
from grassmeans.explorer.queries import sense_map

_MOST_CHARACTERS = 4_000


def make_router(session: Session) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/api", tags=["words"])

    @router.get(
        "/sense-map",
        response_model=sense_map.SenseMap,
        responses=failures(404, 422, 429),
        summary="The senses of many words in one picture",
    )
    async def map_senses(
        request: Request,
        words: Annotated[
            str,
            Query(
                min_length=1,
                max_length=_MOST_CHARACTERS,
                description="Words of the model, with commas: bank,river,loan.",
            ),
        ],
        neighbours: Annotated[
            int,
            Query(
                ge=0,
                description="So many words near their senses as well.",
                json_schema_extra=bounded_by("request.map_words"),
            ),
        ] = 0,
    ) -> Response:
        chosen = words.split(","), neighbours
        return json_answer(await session.answer(request, sense_map.map_senses, *chosen))

    return router
