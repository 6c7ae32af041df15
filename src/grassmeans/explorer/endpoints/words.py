"""``/api/words``, ``/api/lookup``, ``/api/sense-map``: words, their senses and pictures."""

# mypy: disallow-untyped-decorators=False
from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from grassmeans.explorer.endpoints import tables
from grassmeans.explorer.endpoints.answers import (
    Format,
    Session,
    answer_as,
    json_answer,
    stream_table,
)
from grassmeans.explorer.endpoints.description import OR_TABLE, bounded_by, failures
from grassmeans.explorer.endpoints.inputs import (
    MAX_OFFSET,
    Dial,
    Limit,
    Offset,
    RowLimit,
    Word,
    WordRoute,
    check_page,
)
from grassmeans.explorer.queries import (
    concordance,
    geometry,
    lines,
    lookup,
    measuring,
    sense_map,
    words,
)

_NUMBERS = "^[0-9]{1,9}(,[0-9]{1,9}){0,63}$"
_MOST_CHARACTERS = 4_000
Typed = Annotated[
    str,
    Query(
        min_length=1,
        description="As somebody types it.",
        json_schema_extra=bounded_by("request.query_characters"),
    ),
]


def make_router(session: Session) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/api", tags=["words"], route_class=WordRoute)
    limits = session.opened.limits

    @router.get(
        "/words",
        response_model=words.WordList,
        responses=OR_TABLE | failures(422),
        summary="Find words of the model",
    )
    async def list_words(
        q: Annotated[
            str,
            Query(
                description="The beginning, or a part, of a word.",
                json_schema_extra=bounded_by("request.query_characters"),
            ),
        ] = "",
        limit: RowLimit = 20,
        offset: Offset = 0,
        kind: Format = "json",
        whole: Annotated[
            bool, Query(description="As a table: all of them, whatever limit and offset say.")
        ] = False,
    ) -> Response:
        check_page(limits, limit, kind)
        if whole and kind != "json":
            every = await session.ask(words.iterate_words, q)
            return stream_table(tables.WORD_COLUMNS, tables.rows_of_words(every), "words", kind)
        found = await session.ask(words.list_words, q, limit, offset)
        return answer_as(kind, found, tables.table_of_words, "words")

    @router.get(
        "/words/{word}",
        response_model=words.WordView,
        responses=OR_TABLE | failures(404, 422),
        summary="The senses of a word",
    )
    async def show_word(word: Word, kind: Format = "json") -> Response:
        view = await session.ask(words.show_word, word)
        return answer_as(kind, view, tables.table_of_senses, view.word)

    @router.get(
        "/words/{word}/senses/{number}/examples",
        response_model=concordance.Examples,
        responses=failures(404, 422, 429),
        summary="Lines that show a sense, best first",
    )
    async def find_examples(
        request: Request,
        word: Word,
        number: Annotated[int, Path(ge=1, le=MAX_OFFSET)],
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> Response:
        check_page(limits, limit)
        wanted = concordance.LineFilter(sense=number)
        is_long = await session.ask(concordance.needs_work, word, wanted)
        page = {"offset": offset, "limit": limit}
        return json_answer(
            await session.answer(
                request, concordance.find_examples, word, number, is_long=is_long, **page
            )
        )

    @router.get(
        "/words/{word}/counts",
        response_model=measuring.CorpusCounts,
        responses=failures(404, 409, 422, 429),
        summary="A word and its senses in the corpus that is open",
    )
    async def count_in_corpus(request: Request, word: Word) -> Response:
        return json_answer(await session.answer(request, measuring.count_in_corpus, word))

    _add_pictures(router, session)
    _add_lookup(router, session)
    _add_sense_map(router, session)
    return router


def _add_pictures(router: APIRouter, session: Session) -> None:
    limits = session.opened.limits

    @router.get(
        "/words/{word}/planes",
        response_model=dict[str, Any],
        responses=failures(404, 409, 422, 429),
        summary="Context planes in three dimensions",
    )
    async def show_planes(
        request: Request,
        word: Word,
        senses: Annotated[
            str | None, Query(pattern=_NUMBERS, description="Numbers of senses, with commas: 1,2.")
        ] = None,
        n_senses: Dial = None,
    ) -> Response:
        numbers = None if senses is None else [int(number) for number in senses.split(",")]
        values = word, numbers, n_senses
        return json_answer(await session.answer(request, geometry.show_planes, *values))

    @router.get(
        "/words/{word}/map",
        response_model=geometry.ContextMap,
        responses=failures(404, 409, 422, 429),
        summary="A map of contexts",
    )
    async def draw_map(
        request: Request,
        word: Word,
        limit: Annotated[
            int, Query(ge=1, json_schema_extra=bounded_by("request.map_points"))
        ] = 400,
        n_senses: Dial = None,
    ) -> Response:
        check_page(limits, limit, most=limits.request.map_points)
        return json_answer(await session.answer(request, geometry.draw_map, word, limit, n_senses))


def _add_lookup(router: APIRouter, session: Session) -> None:
    limits = session.opened.limits

    @router.get(
        "/lookup",
        response_model=lookup.FoundWord,
        responses=failures(422, 429),
        summary="Where a word leads, and what is near it",
    )
    async def look_up(
        request: Request,
        word: Typed,
        exact: Annotated[bool, Query(description="Lead to no other word.")] = False,
    ) -> Response:
        is_long = await session.ask(lookup.needs_work, word, exact=exact)
        found = await session.answer(request, lookup.look_up, word, exact=exact, is_long=is_long)
        return json_answer(found)

    @router.get(
        "/lookup/lines",
        response_model=lines.PlainLines,
        responses=failures(404, 422, 429),
        summary="Lines of any word of the corpus, or in the model's examples",
    )
    async def read_lines(
        request: Request, word: Typed, offset: Offset = 0, limit: Limit = 20
    ) -> Response:
        check_page(limits, limit)
        is_long = session.opened.corpus is None
        values = word, offset, limit
        found = await session.answer(request, lines.read_plain_lines, *values, is_long=is_long)
        return json_answer(found)


def _add_sense_map(router: APIRouter, session: Session) -> None:
    @router.get(
        "/sense-map",
        response_model=sense_map.SenseMap,
        responses=failures(404, 422, 429),
        summary="The senses of many words in one picture",
    )
    async def map_senses(
        request: Request,
        words: Annotated[
            str,
            Query(
                min_length=1,
                max_length=_MOST_CHARACTERS,
                description="Words of the model, with commas: bank,river,loan.",
            ),
        ],
        neighbours: Annotated[
            int,
            Query(
                ge=0,
                description="So many words near their senses as well.",
                json_schema_extra=bounded_by("request.map_words"),
            ),
        ] = 0,
    ) -> Response:
        chosen = words.split(","), neighbours
        return json_answer(await session.answer(request, sense_map.map_senses, *chosen))
