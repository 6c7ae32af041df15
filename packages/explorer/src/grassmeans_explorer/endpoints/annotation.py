"""``/api/annotation``: lines that several people judge, and what the one does who runs that.

Where the server is open to others, every request has the token of who asks in a header, never in
an address.
"""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Header, Path, Query, Request, Response
from pydantic import Field

from grassmeans_explorer.annotation.durel_reading import TABLES
from grassmeans_explorer.annotation.judgments import LONGEST_COMMENT
from grassmeans_explorer.annotation.tokens import LONGEST_TOKEN
from grassmeans_explorer.editing.saving import LONGEST_VERSION_NAME
from grassmeans_explorer.endpoints import schema
from grassmeans_explorer.endpoints.answers import Session, json_answer
from grassmeans_explorer.entries.open_entries import refit_with_entries
from grassmeans_explorer.queries import adjudicating, annotating, annotation_making

LONGEST_NAME = 200
LONGEST_IDENTIFIER = 1_000
MOST_ANNOTATORS = 1_000
_NAME = rf"^[A-Za-z0-9][A-Za-z0-9._-]{{0,{LONGEST_VERSION_NAME - 1}}}$"

Project = Annotated[str, Path(min_length=1, max_length=LONGEST_NAME)]
Annotator = Annotated[str, Query(min_length=1, max_length=LONGEST_NAME)]
Place = Annotated[
    int | None,
    Query(ge=0, le=schema.MAX_OFFSET, description="From 0; the first not judged without it."),
]
Token = Annotated[
    str,
    Header(
        alias="X-Annotation-Token",
        max_length=LONGEST_TOKEN,
        description="Where the server is open to others: the token of who asks.",
    ),
]
AnnotatorName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
ProjectName = Annotated[str, Field(pattern=_NAME, max_length=LONGEST_VERSION_NAME)]


class SaidOfItem(schema.RequestBody):
    """What is said of an item."""

    item: str = Field(min_length=1, max_length=LONGEST_IDENTIFIER)
    label: str = Field(min_length=1, max_length=LONGEST_NAME)
    comment: str = Field("", max_length=LONGEST_COMMENT)


class JudgmentRequest(SaidOfItem):
    """A judgment."""

    annotator: AnnotatorName


class MakingRequest(schema.RequestBody):
    """Lines of a word that are to be judged."""

    name: ProjectName
    word: str = Field(min_length=1, max_length=LONGEST_NAME)
    annotators: list[AnnotatorName] = Field(
        min_length=1,
        max_length=MOST_ANNOTATORS,
        json_schema_extra=schema.bounded_by("request.annotators"),
    )
    task: Literal["senses", "relatedness"] = "senses"
    size: int = Field(50, ge=1, json_schema_extra=schema.bounded_by("request.judged_lines"))
    n_pairs: int = Field(100, ge=1, json_schema_extra=schema.bounded_by("request.judged_pairs"))
    stratified: bool = Field(False, description="The same share of lines for every sense.")
    seed: int = Field(0, ge=0, le=2**32 - 1)


def _table(description: str) -> str:
    found: str = Field(
        "", description=description, json_schema_extra=schema.bounded_by("request.table_characters")
    )
    return found


class ImportRequest(schema.RequestBody):
    """Tables in the form of DURel: the text of each, with tabs and without quotes."""

    name: ProjectName
    annotators: list[AnnotatorName] = Field([], max_length=100)
    uses: str = Field(min_length=1, json_schema_extra=schema.bounded_by("request.table_characters"))
    instances: str = _table("The pairs that are to be judged.")
    judgments: str = _table("What annotators said of pairs.")
    labels: str = _table("What annotators said of single uses.")
    senses: str = _table("What the labels mean.")
    decisions: str = _table("What was adjudicated, as the export writes it.")


class RefitRequest(schema.RequestBody):
    """How the version is to be called; the next name that is free without one."""

    name: str | None = Field(None, max_length=LONGEST_VERSION_NAME)


_ASK = (403, 404, 409, 422)
_DO = (403, 404, 409, 415, 422)
_LONG = (*_DO, 429)


def make_router(session: Session) -> APIRouter:
    """The endpoints of annotators."""
    router = APIRouter(prefix="/api/annotation", tags=["annotation"], route_class=schema.WordRoute)

    @router.get("/projects", **schema.gives(annotating.ProjectList, "All annotations", 409))
    async def show_projects(request: Request) -> Response:
        return await session.tell(request, annotating.list_projects)

    @router.get(
        "/projects/{project}/item",
        **schema.gives(annotating.AnnotatorItem, "An item, as one annotator sees it", *_ASK),
    )
    async def show_item(
        request: Request, project: Project, annotator: Annotator, place: Place = None,
        token: Token = "",
    ) -> Response:  # fmt: skip
        return await session.tell(
            request, annotating.show_item, project, annotator, place, token=token
        )

    @router.post(
        "/projects/{project}/judgments",
        **schema.gives(annotating.AnnotatorItem, "Judge an item; the next one", *_DO),
    )
    async def judge(
        request: Request, project: Project, body: JudgmentRequest, token: Token = ""
    ) -> Response:
        said = annotating.Said(body.item, body.label, body.comment)
        return await session.tell(
            request, annotating.judge_item, project, body.annotator, said, token=token
        )

    return router


def make_running_router(session: Session) -> APIRouter:
    """The endpoints of the one who runs an annotation."""
    router = APIRouter(prefix="/api/annotation", tags=["annotation"], route_class=schema.WordRoute)

    @router.get(
        "/projects/{project}/progress",
        **schema.gives(adjudicating.ProjectProgress, "Who has judged, and agreement", *_ASK),
    )
    async def show_progress(request: Request, project: Project, token: Token = "") -> Response:
        return await session.tell(request, adjudicating.show_progress, project, token=token)

    @router.get(
        "/projects/{project}/differences",
        **schema.gives(adjudicating.Differences, "Items on which people differ", *_ASK),
    )
    async def show_differences(
        request: Request,
        project: Project,
        unfinished: Annotated[
            bool, Query(description="Also items that not everybody has judged.")
        ] = False,
        offset: schema.Offset = 0,
        limit: schema.Limit = 50,
        token: Token = "",
    ) -> Response:
        schema.check_page(session.opened.limits, limit)
        page = {"unfinished": unfinished, "offset": offset, "limit": limit, "token": token}
        return await session.tell(request, adjudicating.list_differences, project, **page)

    @router.post(
        "/projects/{project}/adjudications",
        **schema.gives(adjudicating.Difference, "Say what an item is in the end", *_DO),
    )
    async def adjudicate(
        request: Request, project: Project, body: SaidOfItem, token: Token = ""
    ) -> Response:
        said = annotating.Said(body.item, body.label, body.comment)
        return await session.tell(request, adjudicating.adjudicate_item, project, said, token=token)

    @router.post(
        "/projects/{project}/refit",
        **schema.gives(adjudicating.RefitResult, "Give decided lines to their senses", *_LONG),
    )
    async def refit(
        request: Request, project: Project, body: RefitRequest, token: Token = ""
    ) -> Response:
        return await session.tell(request, refit_with_entries, project, body.name, token=token)

    packed = schema.failures(*_ASK)
    packed[200] = {
        "description": "Tables in the form of DURel, packed in one file.",
        "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
    }

    @router.get(
        "/projects/{project}/export", summary="All tables", responses=packed,
        response_class=Response,
    )  # fmt: skip
    async def export(request: Request, project: Project, token: Token = "") -> Response:
        content = await session.ask(request, adjudicating.export_tables, project, token=token)
        named = {"Content-Disposition": 'attachment; filename="tables.zip"'}
        return Response(content, 200, named, "application/zip")

    return router


def make_making_router(session: Session) -> APIRouter:
    """The endpoints that make annotations."""
    router = APIRouter(prefix="/api/annotation", tags=["annotation"])
    statuses = 403, 409, 415, 422, 429

    @router.post(
        "/projects",
        **schema.gives(annotating.ProjectSummary, "Draw lines that are to be judged", *statuses),
    )
    async def make(request: Request, body: MakingRequest, token: Token = "") -> Response:
        wanted = annotation_making.NewProject(**body.model_dump())
        made = await session.ask(request, annotation_making.make_project, wanted, token=token)
        return json_answer(made)

    @router.post(
        "/imports",
        **schema.gives(
            annotation_making.ImportedProject, "Make an annotation of tables", *statuses
        ),
    )
    async def import_(request: Request, body: ImportRequest, token: Token = "") -> Response:
        tables = {name: getattr(body, name) for name in TABLES}
        return await session.tell(
            request, annotation_making.import_tables, body.name, tables, body.annotators,
            token=token,
        )  # fmt: skip

    return router
