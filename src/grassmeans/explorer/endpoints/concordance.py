"""``/api/concordance``, its frequencies, ``/api/document``: lines of a word with senses."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request, Response

from grassmeans.explorer.endpoints import tables
from grassmeans.explorer.endpoints.answers import Format, Session, answer_as, json_answer
from grassmeans.explorer.endpoints.description import OR_TABLE, bounded_by, failures
from grassmeans.explorer.endpoints.inputs import (
    MAX_OFFSET,
    MOST_CHARACTERS,
    Forms,
    Offset,
    RowLimit,
    SampleSize,
    Seed,
    check_page,
    split_forms,
)
from grassmeans.explorer.queries import concordance, documents
from grassmeans.explorer.queries.concordance import LineFilter
from grassmeans.explorer.queries.lines import LINE_WIDTH
from grassmeans.explorer.queries.occurrences import LineSample
from grassmeans.explorer.queries.searching import (
    LONGEST_REACH,
    POSITION,
    REACH,
    SORT_PATTERN,
    Search,
)

By = Annotated[
    str,
    Query(
        max_length=MOST_CHARACTERS,
        description="With group: a field, or a time: source, date:decade.",
    ),
]


def read_filter(
    sense: Annotated[int | None, Query(ge=0, le=MAX_OFFSET)] = None,
    idk_only: bool = False,
    min_confidence: Annotated[float, Query(ge=0, le=1)] = 0.0,
    q: Annotated[
        str,
        Query(
            description='What stands near, all of it: river|stream swim* "west bank".',
            json_schema_extra=bounded_by("request.query_characters"),
        ),
    ] = "",
    match: Annotated[
        Literal["words", "regex"],
        Query(description="Whether the terms of q are regular expressions, of whole words."),
    ] = "words",
    reach: Annotated[
        int, Query(ge=1, le=LONGEST_REACH, description="Within how many words.")
    ] = REACH,
    side: Literal["both", "left", "right"] = "both",
    sort: Annotated[
        str,
        Query(
            pattern=SORT_PATTERN,
            description="position, confidence, unsure, sense, document, left1 to left3, right1 to "
            "right3, or field:NAME.",
        ),
    ] = POSITION,
    senses: Annotated[
        int | None,
        Query(
            ge=1, description="Senses induced anew.", json_schema_extra=bounded_by("work.senses")
        ),
    ] = None,
    by: By = "",
    group: Annotated[str, Query(description="Of the documents, by the field.")] = "",
    sample: SampleSize = None,
    seed: Seed = 0,
    forms: Forms = "",
) -> LineFilter:
    """The filter that the parameters of a request describe."""
    return LineFilter(
        sense=sense,
        idk_only=idk_only,
        min_confidence=min_confidence,
        search=Search(q, match == "regex", reach, side),
        sort=sort,
        n_senses=senses,
        by=by,
        group=group,
        sample=LineSample(sample, seed, split_forms(forms)),
    )


Wanted = Annotated[LineFilter, Depends(read_filter)]
Word = Annotated[str, Query(min_length=1)]


def make_router(session: Session) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/api", tags=["lines"])
    limits = session.opened.limits

    @router.get(
        "/concordance",
        response_model=concordance.Lines,
        responses=OR_TABLE | failures(404, 409, 422, 429),
        summary="Lines of a word with senses",
    )
    async def find_lines(
        request: Request,
        word: Word,
        wanted: Wanted,
        offset: Offset = 0,
        limit: RowLimit = 50,
        width: Annotated[
            int,
            Query(
                ge=10,
                description="Characters on a side.",
                json_schema_extra=bounded_by("request.line_characters"),
            ),
        ] = LINE_WIDTH,
        kind: Format = "json",
    ) -> Response:
        check_page(limits, limit, kind)
        is_long = await session.ask(concordance.needs_work, word, wanted)
        page = {"offset": offset, "limit": limit, "width": width}
        found = await session.answer(
            request, concordance.find_lines, word, wanted, is_long=is_long, **page
        )
        return answer_as(kind, found, tables.table_of_lines, f"{word}-concordance")

    @router.get(
        "/concordance/frequency",
        response_model=documents.Frequencies,
        responses=OR_TABLE | failures(404, 409, 422, 429),
        summary="Lines of a word counted by groups of documents",
    )
    async def count_lines(
        request: Request,
        word: Word,
        wanted: Wanted,
        per: Annotated[
            str,
            Query(
                min_length=1,
                max_length=MOST_CHARACTERS,
                description="What is counted by: document, a field, or a time: date:decade.",
            ),
        ] = documents.BY_DOCUMENT,
        kind: Format = "json",
    ) -> Response:
        found = await session.answer(request, documents.count_lines, word, wanted, per)
        return answer_as(kind, found, tables.table_of_frequencies, f"{word}-frequency")

    @router.get(
        "/document",
        response_model=documents.DocumentView,
        responses=failures(404, 409, 422),
        summary="The text around a position",
    )
    async def read_document(position: Offset) -> Response:
        return json_answer(await session.ask(documents.show_document, position))

    return router
