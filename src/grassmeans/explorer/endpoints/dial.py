"""``/api/induce`` and ``/api/jobs``: senses induced anew while the user waits."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field

from grassmeans.explorer.endpoints.answers import (
    RequestBody,
    Session,
    describe_failure,
    json_answer,
)
from grassmeans.explorer.endpoints.description import Problem, failures
from grassmeans.explorer.queries.induction import (
    DEFAULT_CONTEXTS,
    InducedView,
    check_dial,
    induce_senses,
    view_induced,
)
from grassmeans.explorer.work import CANCELLED, DONE, FAILED, Checkpoint, Job


class InduceRequest(RequestBody):
    """What to induce."""

    word: str = Field(min_length=1)
    n_senses: Annotated[int, Field(ge=1)] | Literal["auto"] = 5
    max_contexts: int = Field(DEFAULT_CONTEXTS, ge=1)


class JobStarted(BaseModel):  # type: ignore[misc]
    """The identifier of a job."""

    job: str


class JobState(BaseModel):  # type: ignore[misc]
    """How far a job is; ``result`` when it is done, ``error`` when it failed."""

    state: Literal["running", "done", "failed", "cancelled"]
    progress: float = Field(ge=0, le=1)
    result: InducedView | None = None
    error: Problem | None = None


def make_router(session: Session) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/api", tags=["dial"])

    @router.post(
        "/induce",
        response_model=InducedView,
        responses={202: {"model": JobStarted}} | failures(403, 404, 409, 415, 422, 429),
        summary="Induce the senses of a word anew",
    )
    async def induce(
        request: Request,
        body: InduceRequest,
        job: Annotated[bool, Query(description="Answer at once with a job's identifier.")] = False,
    ) -> Response:
        session.opened.require_corpus("inducing senses anew")
        check_dial(session.opened, body.n_senses, body.max_contexts)

        def work(checkpoint: Checkpoint) -> InducedView:
            found = induce_senses(
                session.opened, body.word, body.n_senses, body.max_contexts, checkpoint
            )
            return view_induced(session.opened, found)

        if job:
            started = session.pool.start_job(work)
            return json_answer({"job": started.identifier}, 202)
        return json_answer(await session.work(request, work))

    @router.get(
        "/jobs/{identifier}",
        response_model=JobState,
        responses=failures(404, 422),
        summary="How far a job is",
    )
    async def look_at_job(identifier: Annotated[str, Path(max_length=64)]) -> Response:
        return json_answer(_describe(session.pool.find_job(identifier)))

    @router.delete(
        "/jobs/{identifier}",
        response_model=JobState,
        responses=failures(403, 404, 422),
        summary="Cancel a job",
    )
    async def cancel_job(identifier: Annotated[str, Path(max_length=64)]) -> Response:
        found = session.pool.find_job(identifier)
        found.cancel()
        described = _describe(found)
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
