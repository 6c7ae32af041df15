"""``/api/induce``, ``/api/jobs``: senses induced anew, and long work that is looked at."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from grassmeans.explorer.endpoints.answers import Session, describe_failure, json_answer
from grassmeans.explorer.endpoints.description import Problem, Responses, bounded_by, failures
from grassmeans.explorer.endpoints.inputs import RequestBody
from grassmeans.explorer.queries.induce import (
    DEFAULT_CONTEXTS,
    InducedView,
    check_dial,
    induce_senses,
    view_induced,
)
from grassmeans.explorer.queries.tag import TaggedView
from grassmeans.explorer.work import CANCELLED, DONE, FAILED, Checkpoint, Job

AsJob = Annotated[bool, Query(description="Answer at once with a job's identifier.")]


class InduceRequest(RequestBody):
    """What to induce."""

    word: str = Field(min_length=1)
    n_senses: Annotated[int, Field(ge=1)] | Literal["auto"] = Field(
        5, json_schema_extra=bounded_by("work.senses")
    )
    max_contexts: int = Field(DEFAULT_CONTEXTS, ge=1, json_schema_extra=bounded_by("work.contexts"))


class JobStarted(BaseModel):  # type: ignore[misc]
    """The identifier of a job."""

    job: str


class JobState(BaseModel):  # type: ignore[misc]
    """How far a job is; ``result`` when it is done, ``error`` when it failed."""

    state: Literal["running", "done", "failed", "cancelled"]
    progress: float = Field(ge=0, le=1)
    result: InducedView | TaggedView | None = None
    error: Problem | None = None


STARTS_JOB: Responses = {202: {"model": JobStarted, "description": "It was started as a job."}}
"""For ``responses`` of an endpoint that takes `AsJob`."""


def answer_with_job(
    session: Session, work: Callable[[Checkpoint], Any], seconds: float | None = None
) -> Response:
    """Start work as a job, and say by which name it is looked at."""
    return json_answer({"job": session.pool.start_job(work, seconds).identifier}, 202)


def make_router(session: Session) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/api")

    @router.post(
        "/induce",
        response_model=InducedView,
        responses=STARTS_JOB | failures(403, 404, 409, 415, 422, 429),
        summary="Induce the senses of a word anew",
        tags=["dial"],
    )
    async def induce(request: Request, body: InduceRequest, job: AsJob = False) -> Response:
        session.opened.require_corpus("inducing senses anew")
        check_dial(session.opened, body.n_senses, body.max_contexts)

        def work(checkpoint: Checkpoint) -> InducedView:
            found = induce_senses(
                session.opened, body.word, body.n_senses, body.max_contexts, checkpoint
            )
            return view_induced(session.opened, found)

        if job:
            return answer_with_job(session, work)
        return json_answer(await session.work(request, work))

    @router.get(
        "/jobs/{identifier}",
        response_model=JobState,
        responses=failures(404, 422),
        summary="How far a job is",
        tags=["jobs"],
    )
    async def look_at_job(identifier: Annotated[str, Path(max_length=64)]) -> Response:
        found = session.pool.find_job(identifier)
        # The result may be megabytes: others do not wait until it is written.
        return await run_in_threadpool(lambda: json_answer(_describe(found)))

    @router.delete(
        "/jobs/{identifier}",
        response_model=JobState,
        responses=failures(403, 404, 422),
        summary="Cancel a job",
        tags=["jobs"],
    )
    async def cancel_job(identifier: Annotated[str, Path(max_length=64)]) -> Response:
        found = session.pool.find_job(identifier)
        found.cancel()
        described = await run_in_threadpool(_describe, found)
        if described["state"] not in (DONE, FAILED):
            described["state"] = CANCELLED
        return json_answer(described)

    return router


def _describe(job: Job) -> dict[str, Any]:
    state = job.state
    described: dict[str, Any] = {"state": state, "progress": round(job.checkpoint.progress, 3)}
    described |= {"result": None, "error": None}
    if state == DONE:
        described["result"] = asdict(job.future.result())
    elif state == FAILED:
        described["error"] = describe_failure(job.future.exception())
    return described
