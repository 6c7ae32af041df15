"""``/api/tag``: text with senses."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from grassmeans.explorer.endpoints.answers import Session, json_answer
from grassmeans.explorer.endpoints.description import bounded_by, failures
from grassmeans.explorer.endpoints.inputs import MAX_OFFSET, RequestBody
from grassmeans.explorer.endpoints.jobs import STARTS_JOB, AsJob, answer_with_job
from grassmeans.explorer.queries.tag import (
    MOST_WORDS,
    Decided,
    TaggedView,
    check_text,
    explain_word,
    is_long_text,
    tag_text,
)
from grassmeans.senses.decoding import MODEL_THRESHOLD


class TagRequest(RequestBody):
    """A text to tag."""

    text: str = Field(json_schema_extra=bounded_by("request.text_characters"))
    words: list[str] | None = Field(
        None, description="Tag only these.", json_schema_extra=bounded_by(MOST_WORDS)
    )
    idk_threshold: Annotated[float, Field(ge=0, le=1)] | Literal["model"] | None = Field(
        MODEL_THRESHOLD, description="A distance; the model's own; or null for never."
    )
    sharpness: Annotated[float, Field(ge=0, le=1000)] | None = Field(
        None, description="Of the probabilities; the model's own by default."
    )
    marks: bool = Field(
        True, description="Whether <b>word</b> asks for this word alone; else it is text."
    )
    deciding: bool = Field(
        False, description="Tell for every word which others decided; it takes much longer."
    )


class ExplainRequest(RequestBody):
    """A word of a tagged text, of which it is asked what decided."""

    text: str = Field(
        description="The characters of the word's context, as /api/tag gives it.",
        json_schema_extra=bounded_by("request.text_characters"),
    )
    start: int = Field(ge=0, le=MAX_OFFSET, description="Where the word begins in this text.")
    word: str = Field(min_length=1, description="Its key.")
    sense: int = Field(ge=1, le=MAX_OFFSET, description="For which it was decided: the nearest.")


def make_router(session: Session) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/api", tags=["texts"])
    limits = session.opened.limits

    @router.post(
        "/tag",
        response_model=TaggedView,
        responses=STARTS_JOB | failures(403, 415, 422, 429),
        summary="The senses of a text's words",
    )
    async def tag(request: Request, body: TagRequest, job: AsJob = False) -> Response:
        opened, options, seconds = session.opened, body.model_dump(), limits.work.text_seconds
        check_text(opened, body.text, body.words, body.sharpness)
        if job:
            return answer_with_job(
                session, lambda check: tag_text(opened, **options, check=check), seconds
            )
        is_long = body.deciding or is_long_text(body.text)
        found = await session.answer(request, tag_text, is_long=is_long, seconds=seconds, **options)
        return await run_in_threadpool(json_answer, found)

    @router.post(
        "/tag/deciding",
        response_model=Decided,
        responses=failures(403, 404, 415, 422, 429),
        summary="Which words decided for a sense",
    )
    async def explain(request: Request, body: ExplainRequest) -> Response:
        is_long = is_long_text(body.text)
        options = body.model_dump()
        return json_answer(await session.answer(request, explain_word, is_long=is_long, **options))

    return router
