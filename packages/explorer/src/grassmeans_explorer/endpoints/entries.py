"""``/api/entries``: the dictionary entries of a person, read, changed, downloaded and imported."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from grassmeans_explorer.endpoints import schema
from grassmeans_explorer.endpoints.answers import Session
from grassmeans_explorer.entries import editing, exchange, showing
from grassmeans_explorer.entries.entry import DEEPEST, CrossReference, EntryExample, Label
from grassmeans_explorer.entries.formats import FORMATS

MOST_CHANGES = 500
MOST_ITEMS = 200
LONGEST_TEXT = 20_000
LONGEST_ITEM = 2_000
LONGEST_KEY = 200

Text = Annotated[str, Field(max_length=LONGEST_ITEM)]
LongText = Annotated[str, Field(max_length=LONGEST_TEXT)]
Key = Annotated[str, Field(max_length=LONGEST_KEY)]
Place = Annotated[int, Field(ge=1, le=editing.MOST_SENSES)]
Revision = Annotated[
    int, Field(ge=0, le=schema.MAX_OFFSET, description="As it was shown; 409 where it has changed.")
]
Path = Annotated[list[Place], Field(max_length=DEEPEST)]


class LabelBody(schema.RequestBody):
    """A word on how a sense is used."""

    kind: Literal["register", "domain", "region", "time", "attitude", "frequency", "other"]
    text: Text


class ReferenceBody(schema.RequestBody):
    """A way to another entry, or to a sense of it."""

    kind: Literal["see", "synonym", "antonym", "broader", "narrower", "part"]
    key: Annotated[str, Field(min_length=1, max_length=LONGEST_KEY)]


class ExampleBody(schema.RequestBody):
    """A sentence with its word; of an imported one it may be unknown which word that is."""

    left: LongText
    word: Text
    right: LongText
    document: Text = ""
    decision: Literal["keep", "never", "proposed"] = "keep"


class ChangeBody(schema.RequestBody):
    """One thing that is done; ``set`` takes the value of its field: text, items, labels, ..."""

    action: Literal["set", "accept", "add", "remove", "move"]
    path: Path = Field([], description="Of the sense: [2, 1] is the first sense of the second.")
    key: Key = Field("", description="Of the sense as it was shown; to add, of the model's.")
    field: Literal[
        "", "name", "definition", "part_of_speech", "labels", "collocates", "examples",
        "references", "notes", "status",
    ] = ""  # fmt: skip
    text: LongText = ""
    items: list[Text] = Field([], max_length=MOST_ITEMS)
    labels: list[LabelBody] = Field([], max_length=MOST_ITEMS)
    references: list[ReferenceBody] = Field([], max_length=MOST_ITEMS)
    examples: list[ExampleBody] = Field([], max_length=MOST_ITEMS)
    to: Path = Field([], description="Where a sense goes, once it has left its place.")

    def read(self) -> editing.EntryChange:
        """The change, with the value that its field has."""
        given: dict[str, Any] = {
            "labels": tuple(Label(one.kind, one.text) for one in self.labels),
            "references": tuple(CrossReference(one.kind, one.key) for one in self.references),
            "examples": tuple(EntryExample(**one.model_dump()) for one in self.examples),
            "collocates": tuple(self.items),
            "notes": tuple(self.items),
        }
        value = given.get(self.field, self.text)
        place = tuple(self.path)
        return editing.EntryChange(self.action, place, self.key, self.field, value, tuple(self.to))


class ChangesBody(schema.RequestBody):
    """Changes of an entry that are made together."""

    revision: Revision
    changes: list[ChangeBody] = Field(min_length=1, max_length=MOST_CHANGES)


class StepBody(schema.RequestBody):
    """For which revision a change is undone, or made again."""

    revision: Revision


class LineBody(schema.RequestBody):
    """A line for the entry of a sense; with a position its whole sentence is taken."""

    sense: int = Field(ge=1, le=schema.MAX_OFFSET)
    decision: Literal["keep", "never"]
    position: Annotated[int, Field(ge=0, le=schema.MAX_OFFSET)] | None = None
    left: Text = ""
    word: Annotated[str, Field(min_length=1, max_length=LONGEST_KEY)]
    right: Text = ""
    document: Text = ""


class FileBody(schema.RequestBody):
    """A file of entries."""

    format: Literal["json", "csv", "tei", "lexonomy", "dmlex", "ontolex"]
    content: str = Field(json_schema_extra=schema.bounded_by("request.lexicon_characters"))


class ImportBody(FileBody):
    """A file of entries whose summary somebody has seen."""

    latest: int = Field(ge=0, le=schema.MAX_OFFSET, description="As the summary tells it.")


_CHANGES = (403, 404, 409, 415, 422, 429)
_MEDIA = {
    "tei": "application/xml",
    "ontolex": "text/turtle; charset=utf-8",
    "lexonomy": "application/xml",
    "dmlex": "application/json",
    "csv": "text/csv; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "json": "application/json",
}
FormatName = Literal["tei", "ontolex", "lexonomy", "dmlex", "csv", "html", "json"]


def make_router(session: Session) -> APIRouter:
    """The endpoints of the entry of a word."""
    router = APIRouter(
        prefix="/api/entries/words/{word}", tags=["entries"], route_class=schema.WordRoute
    )

    @router.get("", **schema.gives(showing.EntryView, "The entry of a word", 404, 409, 422, 429))
    async def read_entry(request: Request, word: schema.Word) -> Response:
        return await session.tell(request, showing.show_entry, word)

    @router.get(
        "/proposal",
        **schema.gives(showing.EntryProposal, "Proposals for what is empty", 404, 409, 422, 429),
    )
    async def propose(request: Request, word: schema.Word) -> Response:
        return await session.tell(request, showing.propose, word)

    @router.post("/change", **schema.gives(showing.EntryView, "Change an entry", *_CHANGES))
    async def change(request: Request, word: schema.Word, body: ChangesBody) -> Response:
        made = [one.read() for one in body.changes]
        return await session.tell(request, editing.change_entry, word, made, body.revision)

    @router.post("/undo", **schema.gives(showing.EntryView, "Undo the last change", *_CHANGES))
    async def undo(request: Request, word: schema.Word, body: StepBody) -> Response:
        return await session.tell(request, editing.take_back, word, "undo", body.revision)

    @router.post("/redo", **schema.gives(showing.EntryView, "Make it again", *_CHANGES))
    async def redo(request: Request, word: schema.Word, body: StepBody) -> Response:
        return await session.tell(request, editing.take_back, word, "redo", body.revision)

    @router.post(
        "/examples",
        **schema.gives(editing.DecidedLine, "Keep a line as an example, or never", *_CHANGES),
    )
    async def decide(request: Request, word: schema.Word, body: LineBody) -> Response:
        example = EntryExample(body.left, body.word, body.right, body.document)
        wanted = editing.LineDecision(body.sense, body.decision, example, body.position)
        return await session.tell(request, editing.decide_line, word, wanted)

    return router


def make_lexicon_router(session: Session) -> APIRouter:
    """The endpoints of all entries together."""
    router = APIRouter(prefix="/api/entries", tags=["entries"])
    limits = session.opened.limits

    @router.get(
        "", **schema.gives(showing.EntryList, "The entries that are written", 409, 422, 429)
    )
    async def list_entries(
        request: Request, offset: schema.Offset = 0, limit: schema.Limit = 50
    ) -> Response:
        schema.check_page(limits, limit)
        return await session.tell(request, showing.list_entries, offset, limit)

    content: dict[str, Any] = {media.partition(";")[0]: {"schema": {}} for media in _MEDIA.values()}
    downloaded: schema.Responses = {200: {"content": content, "description": "The file."}}

    @router.get(
        "/download",
        response_class=Response,
        responses=downloaded | schema.failures(404, 409, 422, 429),
        summary="Entries as a file",
    )
    async def download(
        request: Request,
        kind: Annotated[FormatName, Query(alias="format")],
        word: Annotated[str, Query(description="All that are written without it.")] = "",
    ) -> Response:
        found = await session.ask(request, exchange.write_entries, kind, word)
        return Response(found, 200, _name_file(word or "lexicon", kind), _MEDIA[kind])

    @router.post(
        "/import/summary",
        **schema.gives(exchange.ImportSummary, "What a file would change", *_CHANGES),
    )
    async def summarise(request: Request, body: FileBody) -> Response:
        given = body.content, body.format
        return await session.tell(request, exchange.summarise_import, *given)

    @router.post(
        "/import", **schema.gives(exchange.ImportSummary, "Import the entries of a file", *_CHANGES)
    )
    async def import_file(request: Request, body: ImportBody) -> Response:
        given = body.content, body.format, body.latest
        return await session.tell(request, exchange.import_entries, *given)

    return router


def _name_file(name: str, kind: str) -> dict[str, str]:
    ending = FORMATS[kind].endings[0]
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:64]
    full = quote(f"{name[:64]}{ending}", safe="", errors="replace")
    return {
        "Content-Disposition": f"attachment; filename=\"{plain}{ending}\"; filename*=UTF-8''{full}"
    }
