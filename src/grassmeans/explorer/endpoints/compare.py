"""``/api/words/{word}/collocates``, ``/api/compare``: what stands near words and senses."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from grassmeans.collocations.collocates import DEFAULT_SPAN, FEWEST, LARGEST_SPAN
from grassmeans.explorer.endpoints import tables
from grassmeans.explorer.endpoints.answers import Format, Session, answer_as
from grassmeans.explorer.endpoints.description import OR_TABLE, bounded_by, failures
from grassmeans.explorer.endpoints.inputs import (
    MAX_OFFSET,
    Dial,
    Forms,
    SampleSize,
    Seed,
    WordRoute,
    check_page,
    split_forms,
)
from grassmeans.explorer.queries.compare import (
    CollocatesView,
    Lexeme,
    NearSettings,
    SideBySide,
    compare_lexemes,
    find_collocates,
    is_quick,
)
from grassmeans.explorer.queries.induce import DEFAULT_CONTEXTS, check_dial
from grassmeans.explorer.queries.occurrences import LineSample

_N_COMPARED = 25
Span = Annotated[int, Query(ge=1, le=LARGEST_SPAN)]
Sense = Annotated[int | None, Query(ge=1, le=MAX_OFFSET, description="All of them without it.")]


def read_settings(
    before: Span = DEFAULT_SPAN,
    after: Span = DEFAULT_SPAN,
    order: Annotated[
        Literal["log_dice", "log_likelihood"], Query(description="The score that they go by.")
    ] = "log_dice",
    fewest: Annotated[
        int, Query(ge=1, le=MAX_OFFSET, description="Times near, at least.")
    ] = FEWEST,
    limit: Annotated[
        int, Query(ge=1, json_schema_extra=bounded_by("request.collocates"))
    ] = _N_COMPARED,
    function_words: bool = False,
    sample: SampleSize = None,
    seed: Seed = 0,
) -> NearSettings:
    """What counts as near, as the parameters of a request tell it."""
    return NearSettings(
        before, after, order, fewest, limit, function_words, LineSample(sample, seed)
    )


Settings = Annotated[NearSettings, Depends(read_settings)]


def make_router(session: Session) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/api", tags=["collocates"], route_class=WordRoute)
    limits = session.opened.limits

    @router.get(
        "/words/{word}/collocates",
        response_model=CollocatesView,
        responses=OR_TABLE | failures(404, 409, 422, 429),
        summary="Words that stand near a word or a sense",
    )
    async def list_collocates(
        request: Request,
        word: Annotated[str, Path(min_length=1, description="A word.")],
        settings: Settings,
        sense: Sense = None,
        n_senses: Dial = None,
        forms: Forms = "",
        kind: Format = "json",
    ) -> Response:
        check_page(limits, settings.limit, kind, most=limits.request.collocates)
        if n_senses is not None:
            check_dial(session.opened, n_senses, DEFAULT_CONTEXTS)
        lexeme = Lexeme(word, sense, n_senses)
        settings = replace(settings, sample=replace(settings.sample, forms=split_forms(forms)))
        found = await session.answer(request, find_collocates, lexeme, settings)
        return answer_as(kind, found, tables.table_of_collocates, f"{word}-collocates")

    @router.get(
        "/compare",
        response_model=SideBySide,
        responses=OR_TABLE | failures(404, 409, 422, 429),
        summary="Two words or senses side by side",
    )
    async def compare(
        request: Request,
        settings: Settings,
        first: Annotated[str, Query(min_length=1, description="A word of the model.")],
        second: Annotated[str, Query(min_length=1, description="A word of the model.")],
        first_sense: Sense = None,
        second_sense: Sense = None,
        kind: Format = "json",
    ) -> Response:
        check_page(limits, settings.limit, kind, most=limits.request.collocates)
        pair = Lexeme(first, first_sense), Lexeme(second, second_sense)
        is_long = not await session.ask(is_quick, pair, settings)
        found = await session.answer(request, compare_lexemes, *pair, settings, is_long=is_long)
        return answer_as(kind, found, tables.table_of_comparison, f"{first}-{second}")

    return router
