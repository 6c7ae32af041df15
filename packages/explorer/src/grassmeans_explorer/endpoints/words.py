"""``/api/words``, ``/api/lookup``, ``/api/showcase``, ``/api/sense-map``: words and senses."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from grassmeans_explorer.endpoints import answers, schema
from grassmeans_explorer.endpoints.answers import Session, answer_as
from grassmeans_explorer.queries import (
    concordance,
    documents,
    lines,
    lookup,
    occurrences,
    showcase,
    words,
)
from grassmeans_explorer.queries.pictures import context_map, planes, sense_map

_NUMBERS = "^[0-9]{1,9}(,[0-9]{1,9}){0,63}$"
_MOST_CHARACTERS = 4_000
Typed = Annotated[
    str, schema.bounded("request.query_characters", "As somebody types it.", min_length=1)
]


def make_router(session: Session) -> APIRouter:
    """Those that the model alone can answer."""
    router = APIRouter(prefix="/api", tags=["words"], route_class=schema.WordRoute)
    limits = session.opened.limits

    @router.get(
        "/words", **schema.gives(words.WordList, "Find words of the model", 422, table=True)
    )
    async def list_words(
        request: Request,
        q: Annotated[
            str, schema.bounded("request.query_characters", "The beginning, or a part, of a word.")
        ] = "",
        limit: schema.RowLimit = 20,
        offset: schema.Offset = 0,
        kind: schema.Format = "json",
        whole: Annotated[
            bool, Query(description="As a table: all of them, whatever limit and offset say.")
        ] = False,
    ) -> Response:
        schema.check_page(limits, limit, kind)
        if whole and kind != "json":
            every = await session.ask(request, words.iterate_words, q)
            return answers.stream_table(answers.table_of_words(every), "words", kind)
        found = await session.ask(request, words.list_words, q, limit, offset)
        return answer_as(kind, found, lambda _: answers.table_of_words(found.words), "words")

    @router.get(
        "/words/{word}",
        **schema.gives(words.WordView, "The senses of a word", 404, 422, table=True),
    )
    async def show_word(
        request: Request, word: schema.Word, kind: schema.Format = "json"
    ) -> Response:
        view = await session.ask(request, words.show_word, word)
        return answer_as(kind, view, answers.table_of_senses, view.word)

    @router.get(
        "/words/{word}/senses/{number}/examples",
        **schema.gives(concordance.Examples, "Lines that show a sense, best first", 404, 422, 429),
    )
    async def find_examples(
        request: Request,
        word: schema.Word,
        number: Annotated[int, Path(ge=1, le=schema.MAX_OFFSET)],
        limit: schema.Limit = 20,
        offset: schema.Offset = 0,
    ) -> Response:
        schema.check_page(limits, limit)
        page = {"offset": offset, "limit": limit}
        return await session.tell(request, concordance.find_examples, word, number, **page)

    @router.get(
        "/lookup",
        **schema.gives(lookup.FoundWord, "Where a word leads, and what is near it", 422, 429),
    )
    async def look_up(
        request: Request,
        word: Typed,
        exact: Annotated[bool, Query(description="Lead to no other word.")] = False,
    ) -> Response:
        return await session.tell(request, lookup.look_up, word, exact=exact)

    @router.get(
        "/lookup/lines",
        **schema.gives(
            lines.PlainLines,
            "Lines of any word of the corpus, or in the model's examples",
            *(404, 422, 429),
        ),
    )
    async def read_lines(
        request: Request, word: Typed, offset: schema.Offset = 0, limit: schema.Limit = 20
    ) -> Response:
        schema.check_page(limits, limit)
        return await session.tell(request, lines.read_plain_lines, word, offset, limit)

    @router.get(
        "/sense-map",
        **schema.gives(sense_map.SenseMap, "The senses of many words in a picture", 404, 422, 429),
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
            schema.bounded("request.map_words", "So many words near their senses as well.", ge=0),
        ] = 0,
    ) -> Response:
        return await session.tell(request, sense_map.map_senses, words.split(","), neighbours)

    return router


def make_context_router(session: Session) -> APIRouter:
    """Words to begin with; of a word's contexts, how many there are, and pictures of them."""
    router = APIRouter(prefix="/api", tags=["words"], route_class=schema.WordRoute)
    limits = session.opened.limits

    @router.get("/showcase", **schema.gives(showcase.Showcase, "Words to begin with", 429))
    async def choose_showcase(request: Request) -> Response:
        return await session.tell(request, showcase.choose_showcase)

    @router.get(
        "/words/{word}/counts",
        **schema.gives(
            occurrences.CorpusCounts, "A word and its senses in the corpus that is open"
        ),
    )
    async def count_in_corpus(request: Request, word: schema.Word) -> Response:
        return await session.tell(request, occurrences.count_in_corpus, word)

    @router.get(
        "/words/{word}/planes", **schema.gives(dict[str, Any], "Context planes in three dimensions")
    )
    async def show_planes(
        request: Request,
        word: schema.Word,
        senses: Annotated[
            str | None, Query(pattern=_NUMBERS, description="Numbers of senses, with commas: 1,2.")
        ] = None,
        n_senses: schema.Dial = None,
    ) -> Response:
        numbers = None if senses is None else [int(number) for number in senses.split(",")]
        return await session.tell(request, planes.show_planes, word, numbers, n_senses)

    @router.get("/words/{word}/map", **schema.gives(context_map.ContextMap, "A map of contexts"))
    async def draw_map(
        request: Request,
        word: schema.Word,
        limit: Annotated[int, schema.bounded("request.map_points", ge=1)] = 400,
        n_senses: schema.Dial = None,
    ) -> Response:
        schema.check_page(limits, limit, most=limits.request.map_points)
        return await session.tell(request, context_map.draw_map, word, limit, n_senses)

    return router


def make_change_router(session: Session) -> APIRouter:
    """Those of senses over groups of documents."""
    router = APIRouter(prefix="/api", tags=["change"], route_class=schema.WordRoute)

    @router.get(
        "/words/{word}/change",
        **schema.gives(documents.ChangeView, "Shares of a word's senses over groups of documents"),
    )
    async def show_change(
        request: Request,
        word: schema.Word,
        by: Annotated[str, schema.named("A field, or a time: source, date:decade.", min_length=1)],
    ) -> Response:
        return await session.tell(request, documents.show_change, word, by)

    @router.get(
        "/changes",
        **schema.gives(
            documents.ChangedWords, "The words that changed most, from a report", 409, 422
        ),
    )
    async def list_changes(
        request: Request, limit: schema.Limit = 50, offset: schema.Offset = 0
    ) -> Response:
        schema.check_page(session.opened.limits, limit)
        return await session.tell(request, documents.list_changes, offset, limit)

    return router
