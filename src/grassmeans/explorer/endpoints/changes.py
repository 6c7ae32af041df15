"""``/api/corrections``: change senses, and save the result as a new version of the model."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from grassmeans.explorer.endpoints.answers import (
    MAX_OFFSET,
    RequestBody,
    Session,
    json_answer,
)
from grassmeans.explorer.endpoints.description import failures
from grassmeans.explorer.queries.corrections import (
    PendingEdits,
    SavedVersion,
    correct_word,
    list_corrections,
    save_corrections,
)
from grassmeans.explorer.queries.words import WordView


class Correction(RequestBody):
    """One correction; ``reset`` takes all corrections of the word back."""

    word: str = Field(min_length=1)
    action: Literal["merge", "split", "rename", "hide", "unhide", "reset"]
    senses: list[Annotated[int, Field(ge=1, le=MAX_OFFSET)]] = Field([], max_length=2)
    name: str | None = Field(None, max_length=1000)
    revision: int = Field(
        ge=0, le=MAX_OFFSET, description="Of the word as it was shown; 409 where it has changed."
    )


class Saving(RequestBody):
    """How the new version is to be called; ``<model>-v2``, ``-v3``, ... without a name."""

    name: str | None = Field(None, max_length=1000)


def make_router(session: Session) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/api/corrections", tags=["corrections"])

    @router.get("", response_model=PendingEdits, summary="Corrections that are not saved yet")
    async def show_corrections() -> Response:
        return json_answer(await session.ask(list_corrections))

    @router.post(
        "",
        response_model=WordView,
        responses=failures(403, 404, 409, 415, 422, 429),
        summary="Correct the senses of a word",
    )
    async def correct(request: Request, body: Correction) -> Response:
        is_long = body.action in ("merge", "split")
        name = "" if is_long else body.name or ""
        values = body.word, body.action, body.senses, name, body.revision
        return json_answer(await session.answer(request, correct_word, *values, is_long=is_long))

    @router.post(
        "/save",
        response_model=SavedVersion,
        responses=failures(403, 409, 415, 422, 429),
        summary="Save a new version of the model",
    )
    async def save(request: Request, body: Saving) -> Response:
        return json_answer(await session.answer(request, save_corrections, body.name))

    return router
