"""``/api/headword``, ``/api/sketch``: what was typed, phrases, and collocates by relation."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from grassmeans_explorer.endpoints import answers, schema
from grassmeans_explorer.endpoints.answers import Session, answer_as, table_of_rows
from grassmeans_explorer.endpoints.concordance import Settings
from grassmeans_explorer.endpoints.words import Typed
from grassmeans_explorer.queries.asking import matched, phrases, sketched
from grassmeans_explorer.queries.asking.sketched import SketchWish
from grassmeans_explorer.queries.compare import CollocatesView
from grassmeans_explorer.sketches.differences import SketchDifference

SenseNumber = Annotated[int | None, Query(ge=1, le=schema.MAX_OFFSET)]


def make_phrase_router(session: Session) -> APIRouter:
    """The endpoints of what somebody typed: a word, or a phrase."""
    router = APIRouter(prefix="/api", tags=["phrases"])
    limits = session.opened.limits

    @router.get("/headword", **schema.gives(phrases.HeadwordView, "What somebody typed"))
    async def show_headword(request: Request, word: Typed) -> Response:
        return await session.tell(request, phrases.show_headword, word)

    @router.get(
        "/headword/senses",
        **schema.gives(phrases.PhraseSensesView, "The senses of a phrase, found in the corpus"),
    )
    async def show_senses(request: Request, word: Typed, n_senses: schema.Dial = None) -> Response:
        return await session.tell(request, phrases.show_senses, word, n_senses)

    @router.get(
        "/headword/collocates",
        **schema.gives(CollocatesView, "Words that stand near a phrase", table=True),
    )
    async def list_collocates(
        request: Request,
        word: Typed,
        settings: Settings,
        sense: SenseNumber = None,
        n_senses: schema.Dial = None,
        kind: schema.Format = "json",
    ) -> Response:
        schema.check_page(limits, settings.limit, kind, most=limits.request.collocates)
        found = await session.ask(
            request, phrases.find_near_phrase, word, settings, sense, n_senses
        )
        return answer_as(kind, found, answers.table_of_collocates, f"{word}-collocates")

    return router


def read_sketch(
    by_sense: Annotated[bool, Query(description="A group for every sense.")] = True,
    by_position: Annotated[
        bool, Query(description="By what stands left and right, even where grammar is known.")
    ] = False,
    fewest: Annotated[
        int, Query(ge=1, le=schema.MAX_OFFSET, description="Times in a relation, at least.")
    ] = 3,
    limit: Annotated[int, schema.bounded("request.collocates", "Of a relation.", ge=1)] = 12,
) -> SketchWish:
    """The sketch that the parameters of a request describe."""
    return SketchWish(by_sense, by_position, fewest, limit)


Sketch = Annotated[SketchWish, Depends(read_sketch)]


def make_router(session: Session) -> APIRouter:
    """The endpoints of word sketches."""
    router = APIRouter(prefix="/api", tags=["sketches"])
    limits = session.opened.limits

    @router.get(
        "/sketch", **schema.gives(sketched.SketchView, "Collocates by relation", table=True)
    )
    async def show_sketch(
        request: Request, word: Typed, wish: Sketch, kind: schema.Format = "json"
    ) -> Response:
        schema.check_page(limits, wish.limit, kind, most=limits.request.collocates)
        found = await session.ask(request, sketched.show_sketch, word, wish)
        return answer_as(kind, found, lambda x: table_of_rows(x.sketch.rows()), f"{word}-sketch")

    @router.get(
        "/sketch/difference",
        **schema.gives(SketchDifference, "What tells two senses or two words apart", table=True),
    )
    async def compare(
        request: Request,
        word: Typed,
        wish: Sketch,
        other: Annotated[str, schema.bounded("request.query_characters", "Another word.")] = "",
        sense: SenseNumber = None,
        other_sense: SenseNumber = None,
        kind: schema.Format = "json",
    ) -> Response:
        schema.check_page(limits, wish.limit, kind, most=limits.request.collocates)
        senses = None if sense is None or other_sense is None else (sense, other_sense)
        found = await session.ask(
            request, sketched.compare_sketches, word, wish, other=other, senses=senses
        )
        return answer_as(kind, found, lambda x: table_of_rows(x.rows()), f"{word}-difference")

    @router.get(
        "/sketch/lines",
        **schema.gives(sketched.RelatedLines, "The lines behind a collocate", table=True),
    )
    async def find_lines(
        request: Request,
        word: Typed,
        relation: Annotated[str, schema.named("Its name: object of.", min_length=1)],
        collocate: Annotated[
            str, schema.bounded("request.query_characters", "Its lemma.", min_length=1)
        ],
        pos: Annotated[str, schema.named("Its part of speech; any without it.")] = "",
        sense: SenseNumber = None,
        offset: schema.Offset = 0,
        limit: schema.RowLimit = 50,
        kind: schema.Format = "json",
    ) -> Response:
        schema.check_page(limits, limit, kind)
        found = await session.ask(
            request,
            sketched.find_related_lines,
            word,
            relation=relation,
            collocate=collocate,
            pos=pos,
            sense=sense,
            offset=offset,
            limit=limit,
        )
        return answer_as(
            kind, found, lambda x: table_of_rows(matched.list_rows(x.lines)), f"{word}-lines"
        )

    return router
