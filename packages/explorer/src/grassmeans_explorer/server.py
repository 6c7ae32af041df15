"""The explorer's web server: a thin layer over the queries."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import APIRouter, FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from grassmeans.clustering.directions import induce_directions
from grassmeans.clustering.loop import FitOptions
from grassmeans.corpus.occurrences import number_words, write_tokens
from grassmeans.errors import GrassmeansError
from grassmeans.version import __version__
from grassmeans_explorer.endpoints import (
    annotation,
    asking,
    concordance,
    corrections,
    entries,
    jobs,
    pages,
    sketching,
    words,
)
from grassmeans_explorer.endpoints.answers import Session, add_error_handlers
from grassmeans_explorer.endpoints.guard import Guard
from grassmeans_explorer.endpoints.schema import EVERYWHERE, find_methods, state_maxima
from grassmeans_explorer.entries.open_entries import ENTRIES
from grassmeans_explorer.grammar.layer import GrammarLayer
from grassmeans_explorer.limits import ConnectionLimits, Limits
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.concordance import find_examples
from grassmeans_explorer.queries.documents import read_report
from grassmeans_explorer.queries.lookup import FORMS
from grassmeans_explorer.queries.shelf import Shelf
from grassmeans_explorer.queries.tag import tag_text
from grassmeans_explorer.queries.words import show_word
from grassmeans_explorer.work import WorkPool

_ROUTERS = (  # in the order of the description
    words.make_router,
    words.make_context_router,
    jobs.make_text_router,
    concordance.make_router,
    concordance.make_near_router,
    asking.make_router,
    asking.make_count_router,
    sketching.make_phrase_router,
    sketching.make_router,
    jobs.make_router,
    corrections.make_router,
    entries.make_router,
    entries.make_lexicon_router,
    words.make_change_router,
    annotation.make_router,
    annotation.make_running_router,
    annotation.make_making_router,
    pages.make_health_router,
)
_SERVED = (  # what needs the model alone, writes nothing, and is the same in every process
    words.make_router,
    partial(jobs.make_text_router, with_jobs=False),
    pages.make_health_router,
)
_DESCRIPTION = (
    "The senses of words: {}. Every error is JSON: "
    '{{"error": {{"code": ..., "message": ...}}}}; 429 and 503 come with Retry-After.'
)


def create_app(
    model_path: str | Path,
    corpus_path: str | Path | None = None,
    limits: Limits | None = None,
    *,
    hosts: Collection[str] = (),
    save_to: str | Path | None = None,
    changes_path: str | Path | None = None,
    annotations: Shelf | None = None,
    grammar_path: str | Path | None = None,
    entries_to: str | Path | None = None,
) -> FastAPI:
    """The application on a model (a folder, or a name) and a corpus: its own, or any other.

    ``hosts`` are names that the server may be called by, besides those of the loopback interface
    and the address that a connection has come in on; new versions of the model go to ``save_to``,
    by default beside it; ``changes_path`` is a report of `grassmeans change`, ``grammar_path`` a
    layer of grammar of the corpus; ``annotations`` are those that people judge in the pages, and
    dictionary entries are in ``entries_to``, by default beside the model.
    """
    opened = OpenModel.open(model_path, corpus_path, limits, save_to)
    if changes_path is not None:
        opened.changes = read_report(changes_path)
    if grammar_path is not None:
        opened.grammar = GrammarLayer.open(grammar_path, opened.require_corpus("a grammar"))

    opened.annotations = annotations
    ENTRIES.of(opened).folder = None if entries_to is None else Path(entries_to)

    def begin() -> None:
        # The first induction should not wait for the compiler.
        threading.Thread(target=warm_up, args=(opened,), daemon=True).start()

    described = "the model's, and those induced anew"
    app = _make_app(opened, "Grassmeans explorer", described, begin)
    pages.add_pages(app)
    return _add_routers(app, _ROUTERS, hosts)


def create_service(
    model_path: str | Path,
    limits: Limits | None = None,
    *,
    hosts: Collection[str] = (),
    warm: bool = False,
) -> FastAPI:
    """The application without pages and without anything that changes: for programs.

    It keeps nothing between requests that another process would have to know. ``warm`` loads and
    compiles all that its answers need, which takes some seconds.
    """
    opened = OpenModel.open(model_path, None, limits)
    opened.read_only = True
    if warm:
        warm_up_reading(opened)
    app = _make_app(opened, "Grassmeans", "the model's, and those in your text")
    return _add_routers(app, _SERVED, hosts)


def _make_app(
    opened: OpenModel, title: str, described: str, begin: Callable[[], None] = lambda: None
) -> FastAPI:
    """An application that has no endpoints yet; ``begin`` is called when it starts."""
    session = Session(opened, WorkPool(opened.limits.work))

    @asynccontextmanager
    async def live(_: FastAPI) -> AsyncIterator[None]:
        begin()
        with suppress(asyncio.CancelledError):  # a second Ctrl+C, which is a stop as well
            yield
        session.pool.shut_down()
        ENTRIES.of(opened).close()

    app = FastAPI(
        title=f"{title}: {opened.name}",
        version=__version__,
        description=_DESCRIPTION.format(described),
        lifespan=live,
        responses=EVERYWHERE,
        redirect_slashes=False,  # what is not described is not there
        # FastAPI's own pages load scripts from another host.
        docs_url=None,
        redoc_url=None,
    )
    app.state.session = session
    add_error_handlers(app)
    return app


def _add_routers(
    app: FastAPI, routers: Iterable[Callable[[Session], APIRouter]], hosts: Collection[str]
) -> FastAPI:
    """Add the endpoints, their bounds to the description, and the guard before all of them."""
    session: Session = app.state.session
    for make_router in routers:
        app.include_router(make_router(session))
    bounds = session.opened.limits
    state_maxima(app.openapi(), bounds)
    app.add_middleware(
        Guard, limits=bounds, methods_of=lambda path: find_methods(app.openapi(), path), hosts=hosts
    )
    return app


_CONTEXTS = 64
_WORDS = 20


def warm_up(opened: OpenModel) -> None:
    """Run the kernels once on a few contexts of arbitrary words."""
    opened.key_of("a")
    FORMS.of(opened).find("a", ())
    encoder = opened.base.encoder
    words = opened.base.vectors.words[:_WORDS]
    if len(words) == 0 or encoder.shape.rank > encoder.vectors.dim:
        return
    text = number_words([list(words)] * (2 if encoder.uses_all_cores else _CONTEXTS))
    text = text.written_in(lambda _: write_tokens(words))
    bases = encoder.encode(text[:: len(words)])
    induce_directions(bases, min(2, len(bases)), FitOptions(n_init=1), random_state=0)
    if opened.corpus is not None:
        encoder.rows_of(opened.corpus.vocabulary.words)
        opened.corpus.vocabulary.id_of("")


def warm_up_reading(opened: OpenModel) -> None:
    """Ask once what clients of a service ask: what that loads or compiles is there then."""
    FORMS.of(opened).find("a", ())
    words = opened.base.words[:_WORDS]
    with suppress(GrassmeansError):  # a model without words, or without contexts of a word
        tag_text(opened, f"{' '.join(words)}. " * _CONTEXTS)
        show_word(opened, words[0])
        find_examples(opened, words[0], 1)


class TimedConnection(H11Protocol):  # type: ignore[misc]
    """An HTTP connection on which nothing is waited for without a limit.

    Uvicorn waits without one for the first request, for the rest of a head whose first byte has
    come, and for a client that does not read. (How long a body may take is the guard's affair.)
    """

    limits = ConnectionLimits()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.at_once:
            transport.abort()
        else:
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop("head")
        self._stop("answer")
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; a whole head stops the clock, and half a one does not."""
        super().data_received(data)
        if self._is_answering():
            self._stop("head")

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it is there already."""
        super().on_response_complete()
        if not self._is_answering():
            self._wait_for_head()

    def pause_writing(self) -> None:
        """The client takes less than there is to send."""
        super().pause_writing()
        self._start("answer", self.limits.answer_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has taken it."""
        self._stop("answer")
        super().resume_writing()

    def shutdown(self) -> None:
        """The server stops: what is being answered has a moment left, and nothing holds it up."""
        super().shutdown()
        if self._is_answering():
            self.loop.call_later(self.limits.stop_seconds, self.transport.abort)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_head(self) -> None:
        self._stop("head")
        if not self.transport.is_closing():
            self._start("head", self.limits.head_seconds, self.transport.close)

    def _start(self, name: str, seconds: float, end: Callable[[], None]) -> None:
        self._stop(name)
        self._timers[name] = self.loop.call_later(seconds, end)

    def _stop(self, name: str) -> None:
        if name in self._timers:
            self._timers.pop(name).cancel()


def configure(app: Any, **more: Any) -> uvicorn.Config:
    """How Uvicorn serves an application here; ``more`` are further settings of its own."""
    hide_departures(logging.getLogger("uvicorn.error"))
    return uvicorn.Config(
        app,
        http=TimedConnection,
        ws="none",
        log_level="warning",
        server_header=False,
        access_log=False,
        timeout_keep_alive=15,
        proxy_headers=False,  # who is connected is not for a header to say
        **more,
    )


def hide_departures(logger: logging.Logger) -> None:
    """Say nothing of requests that end because the client went, or because the server stops."""
    departures = asyncio.CancelledError, ConnectionError
    logger.addFilter(
        lambda record: not (record.exc_info and isinstance(record.exc_info[1], departures))
    )
