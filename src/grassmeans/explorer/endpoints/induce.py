"""``/api/induce``: senses induced anew while the user waits."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from grassmeans.explorer.endpoints.answers import Session, json_answer
from grassmeans.explorer.endpoints.description import bounded_by, failures
from grassmeans.explorer.endpoints.inputs import RequestBody
from grassmeans.explorer.endpoints.jobs import STARTS_JOB, AsJob, answer_with_job
from grassmeans.explorer.queries.induce import (
    DEFAULT_CONTEXTS,
    InducedView,
    check_dial,
    induce_senses,
    view_induced,
)
from grassmeans.explorer.work import Checkpoint


class InduceRequest(RequestBody):
    """What to induce."""

    word: str = Field(min_length=1)
    n_senses: Annotated[int, Field(ge=1)] | Literal["auto"] = Field(
        5, json_schema_extra=bounded_by("work.senses")
    )
    max_contexts: int = Field(DEFAULT_CONTEXTS, ge=1, json_schema_extra=bounded_by("work.contexts"))


def make_router(session: Session) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/api", tags=["dial"])

    @router.post(
        "/induce",
        response_model=InducedView,
        responses=STARTS_JOB | failures(403, 404, 409, 415, 422, 429),
        summary="Induce the senses of a word anew",
    )
    async def induce(
        request: Request,
        body: InduceRequest,
        job: AsJob = False,
    ) -> Response:
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

    return router
