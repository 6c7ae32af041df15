"""``/api/corrections``: change senses, and save the result as a new version of the model."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from grassmeans_explorer.editing.saving import LONGEST_VERSION_NAME
from grassmeans_explorer.endpoints import schema
from grassmeans_explorer.endpoints.answers import Session
from grassmeans_explorer.entries.open_entries import save_with_entries
from grassmeans_explorer.queries import corrections
from grassmeans_explorer.queries.induce import DEFAULT_CONTEXTS, check_dial
from grassmeans_explorer.queries.words import WordView

MOST_LINES = 5_000
MOST_NODES = 64
MOST_MERGED = 64
LONGEST_PASSAGE = 20_000
"""Beyond the bounds of any server: what is more is no request at all."""


class Node(schema.RequestBody):
    """A sense on one level of the dial's tree."""

    level: int = Field(ge=1, le=MOST_NODES)
    number: int = Field(ge=1, le=MOST_NODES)


class GivenPassage(schema.RequestBody):
    """A word of a text that is in no corpus, and what stands around it."""

    left: str = Field(max_length=LONGEST_PASSAGE)
    word: str = Field(min_length=1, max_length=1000, description="As it is written there.")
    right: str = Field(max_length=LONGEST_PASSAGE)


class CorrectionRequest(schema.RequestBody):
    """One correction.

    ``undo`` takes the last one of the word back, ``redo`` makes it again, ``reset`` takes all back.
    """

    word: str = Field(min_length=1)
    action: Literal[
        "merge", "split", "rename", "hide", "unhide", "adopt", "assign", "undo", "redo", "reset"
    ]
    senses: list[Annotated[int, Field(ge=1, le=schema.MAX_OFFSET)]] = Field(
        [],
        max_length=MOST_MERGED,
        description="What it is about: two or more to merge, else one.",
    )
    name: str | None = Field(None, max_length=1000)
    lines: list[Annotated[int, Field(ge=0, le=schema.MAX_OFFSET)]] = Field(
        [],
        max_length=MOST_LINES,
        description="For assign: positions of the word, for the sense; without a sense, a new one.",
        json_schema_extra=schema.bounded_by("request.chosen_lines"),
    )
    passages: list[GivenPassage] = Field(
        [],
        max_length=MOST_LINES,
        description="For assign, in place of lines: places of a text, as /api/tag tells them.",
        json_schema_extra=schema.bounded_by("request.chosen_lines"),
    )
    n_senses: Annotated[int, Field(ge=1)] | Literal["auto"] | None = Field(
        None,
        description="For adopt: the division that the dial finds becomes the word's senses.",
        json_schema_extra=schema.bounded_by("work.senses"),
    )
    nodes: list[Node] = Field(
        [],
        max_length=MOST_NODES,
        description="For adopt: nodes of the dial's tree, one above each sense of its last level.",
    )
    max_contexts: int = Field(
        DEFAULT_CONTEXTS,
        ge=1,
        description="For adopt: as for the dial.",
        json_schema_extra=schema.bounded_by("work.contexts"),
    )
    revision: int = Field(
        ge=0,
        le=schema.MAX_OFFSET,
        description="Of the word as it was shown; 409 where it has changed.",
    )


class Saving(schema.RequestBody):
    """How the new version is to be called; ``<model>-v2``, ``-v3``, ... without a name."""

    name: str | None = Field(None, max_length=LONGEST_VERSION_NAME)


class Discarding(schema.RequestBody):
    """How many corrections there are, as they were shown: no other ones are discarded."""

    n_corrections: int = Field(ge=0, le=schema.MAX_OFFSET)


def make_router(session: Session) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/api/corrections", tags=["corrections"])

    @router.get(
        "", response_model=corrections.PendingEdits, summary="The corrections of this session"
    )
    async def show_corrections(request: Request) -> Response:
        return await session.tell(request, corrections.list_corrections)

    @router.post(
        "", **schema.gives(WordView, "Correct the senses of a word", 403, 404, 409, 415, 422, 429)
    )
    async def correct(request: Request, body: CorrectionRequest) -> Response:
        check_dial(session.opened, body.n_senses or 1, body.max_contexts)
        wanted = corrections.Correction(
            body.action,
            body.senses,
            body.name or "" if body.action == "rename" else "",
            body.lines,
            [(place.left, place.word, place.right) for place in body.passages],
            body.n_senses,
            tuple((node.level, node.number) for node in body.nodes),
            body.max_contexts,
        )
        made = body.word, wanted, body.revision
        return await session.tell(request, corrections.correct_word, *made)

    @router.post(
        "/save",
        **schema.gives(
            corrections.SavedVersion, "Save a new version of the model", 403, 409, 415, 422, 429
        ),
    )
    async def save(request: Request, body: Saving) -> Response:
        return await session.tell(request, save_with_entries, body.name)

    @router.post(
        "/discard",
        **schema.gives(corrections.PendingEdits, "Take all corrections back", 403, 409, 415, 422),
    )
    async def discard(request: Request, body: Discarding) -> Response:
        return await session.tell(request, corrections.discard_corrections, body.n_corrections)

    return router
