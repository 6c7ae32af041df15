"""``/api/concordance``, ``/api/document``, ``/api/words/{word}/collocates``, ``/api/compare``.

Lines of a word with senses, and what stands near words and senses.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from grassmeans.collocations.collocates import DEFAULT_SPAN, FEWEST, LARGEST_SPAN
from grassmeans_explorer.endpoints import answers, schema
from grassmeans_explorer.endpoints.answers import Session, answer_as
from grassmeans_explorer.queries import compare as comparing
from grassmeans_explorer.queries import concordance, documents, searching
from grassmeans_explorer.queries.compare import Lexeme, NearSettings
from grassmeans_explorer.queries.concordance import LineFilter
from grassmeans_explorer.queries.induce import DEFAULT_CONTEXTS, check_dial
from grassmeans_explorer.queries.lines import LINE_WIDTH
from grassmeans_explorer.queries.occurrences import LineSample

_N_COMPARED = 25


def read_filter(
    sense: Annotated[int | None, Query(ge=0, le=schema.MAX_OFFSET)] = None,
    idk_only: bool = False,
    min_confidence: Annotated[float, Query(ge=0, le=1)] = 0.0,
    q: Annotated[
        str,
        schema.bounded(
            "request.query_characters",
            'What stands near, all of it: river|stream swim* "west bank".',
        ),
    ] = "",
    match: Annotated[
        Literal["words", "regex"],
        Query(description="Whether the terms of q are regular expressions, of whole words."),
    ] = "words",
    reach: Annotated[
        int, Query(ge=1, le=searching.LONGEST_REACH, description="Within how many words.")
    ] = searching.REACH,
    side: Literal["both", "left", "right"] = "both",
    sort: Annotated[
        str,
        Query(
            pattern=searching.SORT_PATTERN,
            description="position, confidence, unsure, sense, document, left1 to left3, right1 to "
            "right3, or field:NAME.",
        ),
    ] = searching.POSITION,
    senses: Annotated[
        int | None, schema.bounded("work.senses", "Senses induced anew.", ge=1)
    ] = None,
    by: Annotated[str, schema.named("With group: a field, or a time: source, date:decade.")] = "",
    group: Annotated[str, Query(description="Of the documents, by the field.")] = "",
    sample: schema.SampleSize = None,
    seed: schema.Seed = 0,
    forms: schema.Forms = "",
) -> LineFilter:
    """The filter that the parameters of a request describe."""
    return LineFilter(
        sense=sense,
        idk_only=idk_only,
        min_confidence=min_confidence,
        search=searching.Search(q, match == "regex", reach, side),
        sort=sort,
        n_senses=senses,
        by=by,
        group=group,
        sample=LineSample(sample, seed, schema.split_forms(forms)),
    )


Wanted = Annotated[LineFilter, Depends(read_filter)]
Word = Annotated[str, Query(min_length=1)]


def make_router(session: Session) -> APIRouter:
    """The endpoints of lines."""
    router = APIRouter(prefix="/api", tags=["lines"])
    limits = session.opened.limits

    @router.get(
        "/concordance", **schema.gives(concordance.Lines, "Lines of a word with senses", table=True)
    )
    async def find_lines(
        request: Request,
        word: Word,
        wanted: Wanted,
        offset: schema.Offset = 0,
        limit: schema.RowLimit = 50,
        width: Annotated[
            int, schema.bounded("request.line_characters", "Characters on a side.", ge=10)
        ] = LINE_WIDTH,
        kind: schema.Format = "json",
    ) -> Response:
        schema.check_page(limits, limit, kind)
        page = {"offset": offset, "limit": limit, "width": width}
        found = await session.ask(request, concordance.find_lines, word, wanted, **page)
        return answer_as(kind, found, answers.table_of_lines, f"{word}-concordance")

    @router.get(
        "/concordance/frequency",
        **schema.gives(
            documents.Frequencies, "Lines of a word counted by groups of documents", table=True
        ),
    )
    async def count_lines(
        request: Request,
        word: Word,
        wanted: Wanted,
        per: Annotated[
            str,
            schema.named(
                "What is counted by: document, a field, or a time: date:decade.", min_length=1
            ),
        ] = documents.BY_DOCUMENT,
        kind: schema.Format = "json",
    ) -> Response:
        found = await session.ask(request, documents.count_lines, word, wanted, per)
        return answer_as(kind, found, answers.table_of_frequencies, f"{word}-frequency")

    @router.get(
        "/document",
        **schema.gives(documents.DocumentView, "The text around a position", 404, 409, 422),
    )
    async def read_document(request: Request, position: schema.Offset) -> Response:
        return await session.tell(request, documents.show_document, position)

    return router


Span = Annotated[int, Query(ge=1, le=LARGEST_SPAN)]
Sense = Annotated[
    int | None, Query(ge=1, le=schema.MAX_OFFSET, description="All of them without it.")
]
OneWord = Annotated[str, Query(min_length=1, description="A word of the model.")]


def read_settings(
    before: Span = DEFAULT_SPAN,
    after: Span = DEFAULT_SPAN,
    order: Annotated[
        Literal["log_dice", "log_likelihood"], Query(description="The score that they go by.")
    ] = "log_dice",
    fewest: Annotated[
        int, Query(ge=1, le=schema.MAX_OFFSET, description="Times near, at least.")
    ] = FEWEST,
    limit: Annotated[int, schema.bounded("request.collocates", ge=1)] = _N_COMPARED,
    function_words: bool = False,
    sample: schema.SampleSize = None,
    seed: schema.Seed = 0,
) -> NearSettings:
    """What counts as near, as the parameters of a request tell it."""
    near = LineSample(sample, seed)
    return NearSettings(before, after, order, fewest, limit, function_words, near)


Settings = Annotated[NearSettings, Depends(read_settings)]


def make_near_router(session: Session) -> APIRouter:
    """The endpoints of what stands near."""
    router = APIRouter(prefix="/api", tags=["collocates"], route_class=schema.WordRoute)
    limits = session.opened.limits

    @router.get(
        "/words/{word}/collocates",
        **schema.gives(
            comparing.CollocatesView, "Words that stand near a word or a sense", table=True
        ),
    )
    async def list_collocates(
        request: Request,
        word: Annotated[str, Path(min_length=1, description="A word.")],
        settings: Settings,
        sense: Sense = None,
        n_senses: schema.Dial = None,
        forms: schema.Forms = "",
        kind: schema.Format = "json",
    ) -> Response:
        schema.check_page(limits, settings.limit, kind, most=limits.request.collocates)
        if n_senses is not None:
            check_dial(session.opened, n_senses, DEFAULT_CONTEXTS)
        lexeme = Lexeme(word, sense, n_senses)
        settings = replace(
            settings, sample=replace(settings.sample, forms=schema.split_forms(forms))
        )
        found = await session.ask(request, comparing.find_collocates, lexeme, settings)
        return answer_as(kind, found, answers.table_of_collocates, f"{word}-collocates")

    @router.get(
        "/compare",
        **schema.gives(comparing.SideBySide, "Two words or senses side by side", table=True),
    )
    async def compare(
        request: Request,
        settings: Settings,
        first: OneWord,
        second: OneWord,
        first_sense: Sense = None,
        second_sense: Sense = None,
        kind: schema.Format = "json",
    ) -> Response:
        schema.check_page(limits, settings.limit, kind, most=limits.request.collocates)
        pair = Lexeme(first, first_sense), Lexeme(second, second_sense)
        found = await session.ask(request, comparing.compare_lexemes, *pair, settings)
        return answer_as(kind, found, answers.table_of_comparison, f"{first}-{second}")

    return router
