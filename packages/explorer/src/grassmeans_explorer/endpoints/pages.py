"""``/``, ``/static``, ``/docs``, ``/healthz``: the application's files, and what there is."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Response
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles

from grassmeans.models.origin import name_corpus
from grassmeans.pictures.page import VIEWER, read_asset
from grassmeans.senses.calibration import ConfidenceRule
from grassmeans.version import __version__
from grassmeans_explorer.endpoints.answers import Session, json_answer
from grassmeans_explorer.open_model import OpenModel

STATIC = Path(str(files("grassmeans_explorer") / "static"))


@dataclass(frozen=True, slots=True)
class CorpusView:
    """The corpus that is open.

    Attributes
    ----------
    name : str
        Of its folder.
    relation : str
        ``own``: the model was induced on it. ``part``: it is a part of the model's text. ``other``:
        it is another one. ``unknown``: the model does not say what it was induced on.
    """

    name: str
    digest: str
    relation: str
    n_documents: int
    n_tokens: int


@dataclass(frozen=True, slots=True)
class Health:
    """What the server serves."""

    status: str
    model: str
    n_words: int
    language: str | None
    has_corpus: bool
    corpus: CorpusView | None
    idk_threshold: float | None
    calibrated: bool
    fields: tuple[str, ...]  # of the corpus's documents: a date, a source
    has_changes: bool  # whether there is a list of words that changed most
    has_annotation: bool  # whether there is a folder of annotations
    has_grammar: bool  # whether queries know tags, and sketches relations
    text_characters: int  # that a text to tag may have
    version: str


def make_health_router(session: Session) -> APIRouter:
    """The endpoint that tells whether the server is there, and what it serves."""
    router = APIRouter()

    @router.get("/healthz", response_model=Health, tags=["server"], summary="Is it there?")
    async def show_health() -> Response:
        return json_answer(_describe_health(session.opened))

    return router


def add_pages(app: FastAPI) -> None:
    """Add what people look at."""
    router = APIRouter()

    @router.get("/", include_in_schema=False)
    async def show_application() -> Response:
        return FileResponse(STATIC / "index.html", media_type="text/html; charset=utf-8")

    @router.get("/docs", include_in_schema=False)
    async def show_documentation() -> Response:
        return Response(_describe_api(app.openapi()), media_type="text/html; charset=utf-8")

    def add_script(name: str) -> None:
        """A script that pages of one file have as well."""

        @router.get(f"/static/{name}", include_in_schema=False)
        async def show_script() -> Response:
            return Response(read_asset(name), media_type="text/javascript; charset=utf-8")

    for name in VIEWER:
        add_script(name)
    app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")


def _describe_health(opened: OpenModel) -> Health:
    rule, corpus, view = opened.base.idk_threshold, opened.corpus, None
    if corpus is not None:
        known = name_corpus(corpus)
        sizes = corpus.n_documents, corpus.n_tokens
        view = CorpusView(known.name, known.digest, opened.relation, *sizes)
    return Health(
        status="ok",
        model=opened.name,
        n_words=len(opened.base.words),
        language=opened.base.language,
        has_corpus=corpus is not None,
        corpus=view,
        idk_threshold=rule.at_least if isinstance(rule, ConfidenceRule) else rule,
        calibrated=isinstance(rule, ConfidenceRule),
        fields=() if corpus is None else corpus.fields,
        has_changes=opened.changes is not None,
        has_annotation=opened.annotations is not None,
        has_grammar=opened.grammar is not None,
        text_characters=opened.limits.request.text_characters,
        version=__version__,
    )


def _describe_api(description: dict[str, Any]) -> str:
    """A plain page with every endpoint; the whole description is in ``/openapi.json``."""
    rows = []
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            inputs = ", ".join(p["name"] for p in operation.get("parameters", []))
            if "requestBody" in operation:
                schema = operation["requestBody"]["content"]["application/json"]["schema"]
                name = schema["$ref"].rpartition("/")[2]
                fields = description["components"]["schemas"][name]["properties"]
                inputs = ", ".join(filter(None, [inputs, "JSON: " + ", ".join(fields)]))
            cells = (f"{method.upper()} {path}", operation.get("summary", ""), inputs)
            rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    title = escape(description["info"]["title"])
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"></head>\n'
        f"<body><main><h1>{title}</h1>\n"
        '<p>The whole description, with all types: <a href="/openapi.json">/openapi.json</a>. '
        'The application: <a href="/">/</a>.</p>\n'
        "<table><thead><tr><th>endpoint</th><th>what it does</th><th>input</th></tr></thead>\n"
        f"<tbody>\n{chr(10).join(rows)}\n</tbody></table></main></body></html>\n"
    )
