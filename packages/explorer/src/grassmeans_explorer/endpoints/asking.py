"""``/api/query``, ``/api/ngrams``, ``/api/keywords``, ``/api/groups``, ``/api/sample``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request, Response

from grassmeans_explorer.endpoints import answers, schema
from grassmeans_explorer.endpoints.answers import Session, answer_as, table_of_rows
from grassmeans_explorer.endpoints.concordance import Wanted, Word
from grassmeans_explorer.queries import concordance, documents, searching
from grassmeans_explorer.queries.asking import counted, matched
from grassmeans_explorer.queries.asking.counted import KeywordWish
from grassmeans_explorer.queries.asking.matched import MatchWish
from grassmeans_explorer.queries.asking.sampled import sample_filtered
from grassmeans_explorer.queries.lines import LINE_WIDTH
from grassmeans_explorer.querying.keywords import SURE, Keywords
from grassmeans_explorer.querying.ngrams import LONGEST

Width = Annotated[int, schema.bounded("request.line_characters", "Characters on a side.", ge=10)]
Stratified = Annotated[bool, Query(description="The same share of the sample for every sense.")]
Count = Annotated[int, Query(ge=1, le=schema.MAX_OFFSET)]
_MOST_SURE = 1e9


def read_wish(
    q: Annotated[
        str,
        schema.bounded(
            "request.cql_characters",
            'A query in CQL: [lemma="crane"] []{0,3} "river"; or what somebody typed.',
            min_length=1,
        ),
    ],
    typed: Annotated[bool, Query(description="q is a word or a phrase as it is typed.")] = False,
    sense: Annotated[
        int | None,
        Query(ge=0, le=schema.MAX_OFFSET, description="Of a phrase's own senses; 0: don't know."),
    ] = None,
    n_senses: schema.Dial = None,
    by: Annotated[str, schema.named("With group: a field, or a time: source, date:decade.")] = "",
    group: Annotated[str, Query(description="Of the documents, by the field.")] = "",
    sort: Annotated[
        str,
        Query(
            pattern=matched.SORT_PATTERN,
            description="position, sense, document, left1 to left3, right1 to right3, field:NAME.",
        ),
    ] = searching.POSITION,
    sample: Annotated[
        int | None,
        Query(ge=1, le=schema.MAX_OFFSET, description="So many of these lines, at random."),
    ] = None,
    seed: schema.Seed = 0,
    stratified: Stratified = False,
) -> MatchWish:
    """The lines that the parameters of a request describe."""
    return MatchWish(q, typed, n_senses, sense, by, group, sort, sample, seed, stratified)


Wish = Annotated[MatchWish, Depends(read_wish)]


def make_router(session: Session) -> APIRouter:
    """The endpoints of lines that were asked for by a query, or drawn."""
    router = APIRouter(prefix="/api", tags=["queries"])
    limits = session.opened.limits

    @router.get(
        "/query", **schema.gives(matched.MatchedLines, "Lines of a query or a phrase", table=True)
    )
    async def find_matched(
        request: Request,
        wish: Wish,
        offset: schema.Offset = 0,
        limit: schema.RowLimit = 50,
        width: Width = LINE_WIDTH,
        kind: schema.Format = "json",
    ) -> Response:
        schema.check_page(limits, limit, kind)
        page = {"offset": offset, "limit": limit, "width": width}
        found = await session.ask(request, matched.find_matched, wish, **page)
        return answer_as(kind, found, lambda x: table_of_rows(matched.list_rows(x.lines)), "query")

    @router.get(
        "/query/frequency",
        **schema.gives(
            documents.Frequencies, "Lines of a query counted by groups of documents", table=True
        ),
    )
    async def count_matched(
        request: Request,
        wish: Wish,
        per: Annotated[
            str, schema.named("document, a field, or a time: date:decade.", min_length=1)
        ] = documents.BY_DOCUMENT,
        kind: schema.Format = "json",
    ) -> Response:
        found = await session.ask(request, matched.count_matched, wish, per)
        return answer_as(kind, found, answers.table_of_frequencies, "query-frequency")

    @router.get(
        "/sample",
        **schema.gives(
            concordance.Lines, "A sample of the lines that the filters leave", table=True
        ),
    )
    async def draw_lines(
        request: Request,
        word: Word,
        wanted: Wanted,
        size: schema.RowLimit = 50,
        draw: Annotated[schema.Seed, Query(description="Another number draws others.")] = 0,
        stratified: Stratified = False,
        width: Width = LINE_WIDTH,
        kind: schema.Format = "json",
    ) -> Response:
        schema.check_page(limits, size, kind)
        options = {"stratified": stratified, "draw": draw, "width": width}
        found = await session.ask(request, sample_filtered, word, wanted, size, **options)
        return answer_as(kind, found, answers.table_of_lines, f"{word}-sample")

    return router


def read_keywords(
    by: Annotated[str, schema.named("A field, or a time: source, date:decade.", min_length=1)],
    group: Annotated[str, schema.named("Whose keywords they are.", min_length=1)],
    against: Annotated[str, schema.named("Another group; all others without it.")] = "",
    score: Annotated[
        Literal["log_likelihood", "log_ratio"], Query(description="What they are ordered by.")
    ] = "log_likelihood",
    negative: Annotated[bool, Query(description="What the group has less often.")] = False,
    min_count: Count = 3,
    least: Annotated[
        float, Query(ge=0, le=_MOST_SURE, description="The smallest log-likelihood.")
    ] = SURE,
    function_words: bool = False,
) -> KeywordWish:
    """The keywords that the parameters of a request describe."""
    return KeywordWish(by, group, against, score, negative, min_count, least, function_words)


def make_count_router(session: Session) -> APIRouter:
    """The endpoints of tables of the corpus's words."""
    router = APIRouter(prefix="/api", tags=["queries"])
    limits = session.opened.limits

    @router.get("/ngrams", **schema.gives(counted.NgramsView, "Words in a row", table=True))
    async def list_ngrams(
        request: Request,
        n: Annotated[int, Query(ge=1, le=LONGEST, description="So many words.")] = 2,
        containing: Annotated[
            str, schema.bounded("request.query_characters", "Only those with this word.")
        ] = "",
        min_count: Count = 2,
        function_words: Annotated[
            bool, Query(description="Whether they may begin or end with one.")
        ] = True,
        offset: schema.Offset = 0,
        limit: schema.RowLimit = 50,
        kind: schema.Format = "json",
    ) -> Response:
        schema.check_page(limits, limit, kind)
        found = await session.ask(
            request,
            counted.list_ngrams,
            n,
            containing=containing,
            min_count=min_count,
            function_words=function_words,
            offset=offset,
            limit=limit,
        )
        return answer_as(
            kind, found, lambda x: table_of_rows([asdict(row) for row in x.ngrams]), f"{n}-grams"
        )

    @router.get(
        "/keywords",
        **schema.gives(Keywords, "Words that some documents have more often", table=True),
    )
    async def list_keywords(
        request: Request,
        wish: Annotated[KeywordWish, Depends(read_keywords)],
        offset: schema.Offset = 0,
        limit: schema.RowLimit = 50,
        kind: schema.Format = "json",
    ) -> Response:
        schema.check_page(limits, limit, kind)
        page = {"offset": offset, "limit": limit}
        found = await session.ask(request, counted.list_keywords, wish, **page)
        return answer_as(kind, found, lambda x: table_of_rows(x.rows()), "keywords")

    @router.get("/groups", **schema.gives(counted.DocumentGroups, "Groups of documents"))
    async def list_groups(
        request: Request,
        by: Annotated[str, schema.named("A field, or a time: source, date:decade.", min_length=1)],
    ) -> Response:
        return await session.tell(request, counted.list_groups, by)

    return router
