"""``/api/tag``, ``/api/induce``, ``/api/jobs``: long work, waited for or started as a job."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from grassmeans.senses.decoding import MODEL_THRESHOLD
from grassmeans_explorer.endpoints import schema
from grassmeans_explorer.endpoints.answers import Session, describe_failure, json_answer
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries import induce as inducing
from grassmeans_explorer.queries import tag as tagging
from grassmeans_explorer.queries.induce import InducedView
from grassmeans_explorer.queries.tag import TaggedView
from grassmeans_explorer.work import CANCELLED, DONE, FAILED, Job

AsJob = Annotated[bool, Query(description="Answer at once with a job's identifier.")]
Identifier = Annotated[str, Path(max_length=64)]


class TagRequest(schema.RequestBody):
    """A text to tag."""

    text: str = Field(json_schema_extra=schema.bounded_by("request.text_characters"))
    words: list[str] | None = Field(
        None, description="Tag only these.", json_schema_extra=schema.bounded_by(tagging.MOST_WORDS)
    )
    idk_threshold: Annotated[float, Field(ge=0, le=1)] | Literal["model"] | None = Field(
        MODEL_THRESHOLD, description="A distance; the model's own; or null for never."
    )
    sharpness: Annotated[float, Field(ge=0, le=1000)] | None = Field(
        None, description="Of the probabilities; the model's own by default."
    )
    lines: bool | None = Field(
        False,
        description="Whether each line is read by itself; null: where lines are short texts.",
    )
    marks: bool = Field(
        True, description="Whether <b>word</b> asks for this word alone; else it is text."
    )
    deciding: bool = Field(
        False, description="Tell for every word which others decided; it takes much longer."
    )


class ExplainRequest(schema.RequestBody):
    """A word of a tagged text, of which it is asked what decided."""

    text: str = Field(
        description="The characters of the word's context, as /api/tag gives it.",
        json_schema_extra=schema.bounded_by("request.text_characters"),
    )
    start: int = Field(
        ge=0, le=schema.MAX_OFFSET, description="Where the word begins in this text."
    )
    word: str = Field(min_length=1, description="Its key.")
    sense: int = Field(
        ge=1, le=schema.MAX_OFFSET, description="For which it was decided: the nearest."
    )


class InduceRequest(schema.RequestBody):
    """What to induce."""

    word: str = Field(min_length=1)
    n_senses: Annotated[int, Field(ge=1)] | Literal["auto"] = Field(
        5, json_schema_extra=schema.bounded_by("work.senses")
    )
    max_contexts: int = Field(
        inducing.DEFAULT_CONTEXTS, ge=1, json_schema_extra=schema.bounded_by("work.contexts")
    )


class JobStarted(BaseModel):
    """The identifier of a job."""

    job: str


class JobState(BaseModel):
    """How far a job is; ``result`` when it is done, ``error`` when it failed."""

    state: Literal["running", "done", "failed", "cancelled"]
    progress: float = Field(ge=0, le=1)
    result: InducedView | TaggedView | None = None
    error: schema.Problem | None = None


def _gives_or_starts(model: Any, summary: str, *statuses: int) -> dict[str, Any]:
    """What an endpoint answers with that takes `AsJob`."""
    given = schema.gives(model, summary, *statuses)
    given["responses"][202] = {"model": JobStarted, "description": "It was started as a job."}
    return given


def _start_job(
    session: Session, query: Callable[..., Any], seconds: float | None = None, **options: Any
) -> Response:
    job = session.pool.start_job(partial(query, session.opened, **options), seconds)
    return json_answer({"job": job.identifier}, 202)


def _tag_as_json(opened: OpenModel, text: str, **options: Any) -> Response:
    """A tagged text as an answer, in the thread that has tagged it: a long one is large."""
    return json_answer(tagging.tag_text(opened, text, **options))


def make_text_router(session: Session, *, with_jobs: bool = True) -> APIRouter:
    """The endpoints of texts; without jobs a client waits for every answer."""
    router = APIRouter(prefix="/api", tags=["texts"])
    summary, statuses = "The senses of a text's words", (403, 415, 422, 429)

    def read_options(body: TagRequest) -> dict[str, Any]:
        tagging.check_text(session.opened, body.text, body.words, body.sharpness)
        return {**body.model_dump(), "seconds": session.opened.limits.work.text_seconds}

    async def tag(request: Request, body: TagRequest) -> Response:
        answer: Response = await session.ask(request, _tag_as_json, **read_options(body))
        return answer

    async def tag_or_start(request: Request, body: TagRequest, job: AsJob = False) -> Response:
        if job:
            return _start_job(session, tagging.tag_text, **read_options(body))
        return await tag(request, body)

    if with_jobs:
        router.post("/tag", **_gives_or_starts(TaggedView, summary, *statuses))(tag_or_start)
    else:
        router.post("/tag", **schema.gives(TaggedView, summary, *statuses))(tag)

    @router.post(
        "/tag/deciding",
        **schema.gives(tagging.Decided, "Which words decided for a sense", 403, 404, 415, 422, 429),
    )
    async def explain(request: Request, body: ExplainRequest) -> Response:
        return await session.tell(request, tagging.explain_word, **body.model_dump())

    return router


def make_router(session: Session) -> APIRouter:
    """The endpoints of senses induced anew, and of jobs."""
    router = APIRouter(prefix="/api")

    @router.post(
        "/induce",
        **_gives_or_starts(
            InducedView, "Induce the senses of a word anew", 403, 404, 409, 415, 422, 429
        ),
        tags=["dial"],
    )
    async def induce(request: Request, body: InduceRequest, job: AsJob = False) -> Response:
        session.opened.require_corpus("inducing senses anew")
        inducing.check_dial(session.opened, body.n_senses, body.max_contexts)
        if job:
            return _start_job(session, inducing.show_induced, **body.model_dump())
        return await session.tell(request, inducing.show_induced, **body.model_dump())

    @router.get(
        "/jobs/{identifier}", **schema.gives(JobState, "How far a job is", 404, 422), tags=["jobs"]
    )
    async def look_at_job(identifier: Identifier) -> Response:
        found = session.pool.find_job(identifier)
        # The result may be megabytes: others do not wait until it is written.
        return await run_in_threadpool(lambda: json_answer(_describe(found)))

    @router.delete(
        "/jobs/{identifier}", **schema.gives(JobState, "Cancel a job", 403, 404, 422), tags=["jobs"]
    )
    async def cancel_job(identifier: Identifier) -> Response:
        found = session.pool.find_job(identifier)
        found.cancel()
        described = await run_in_threadpool(_describe, found)
        if described["state"] not in (DONE, FAILED):
            described["state"] = CANCELLED
        return json_answer(described)

    return router


def _describe(job: Job) -> dict[str, Any]:
    state = job.state
    return {
        "state": state,
        "progress": round(job.checkpoint.progress, 3),
        "result": job.future.result() if state == DONE else None,
        "error": describe_failure(job.future.exception()) if state == FAILED else None,
    }
