"""The explorer on a small model, in a real browser without a window."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn

from grassmeans_explorer.drafts import keep_drafts
from grassmeans_explorer.queries.shelf import Shelf
from grassmeans_explorer.server import create_app

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 20_000
"""Milliseconds; a busy machine may need them."""
VISITS: dict[str, ExitStack] = {}
"""The open pages of each address: they are closed before the server that answers them stops."""


@contextmanager
def serve(
    model: Path,
    corpus: Path | None = None,
    changes: Path | None = None,
    grammar: Path | None = None,
    *,
    keeps_drafts: bool = False,
    annotations: Shelf | None = None,
) -> Iterator[str]:
    """The explorer on a free port, in a thread; its address."""
    app = create_app(
        model, corpus, changes_path=changes, grammar_path=grammar, annotations=annotations
    )
    opened = app.state.session.opened
    if keeps_drafts:
        keep_drafts(opened)
    config = uvicorn.Config(app, port=0, log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + PATIENCE / 1000
    while not server.started and thread.is_alive() and time.monotonic() < end:
        time.sleep(0.02)
    assert server.started, "the explorer did not start"
    address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    with VISITS.setdefault(address, ExitStack()):
        yield address
    del VISITS[address]
    server.should_exit = True
    thread.join(timeout=10)
    if keeps_drafts:
        opened.draft.close()


@pytest.fixture(scope="session", name="serve")
def give_serve() -> Callable[..., Any]:
    """What serves other models, for tests with models of their own."""
    return serve


@pytest.fixture(scope="session")
def explorer(topic_model_folder, topic_corpus) -> Iterator[str]:
    """With the corpus."""
    with serve(topic_model_folder, topic_corpus.path) as address:
        yield address


@pytest.fixture(scope="session")
def explorer_without_corpus(topic_model_folder) -> Iterator[str]:
    with serve(topic_model_folder) as address:
        yield address


@pytest.fixture
def own_explorer(topic_model_folder, topic_corpus, tmp_path) -> Iterator[tuple[str, Path]]:
    """One whose model may be corrected: its address and the model's folder."""
    model = shutil.copytree(topic_model_folder, tmp_path / "model")
    with serve(model, topic_corpus.path) as address:
        yield address, model


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs the Python package playwright"
    )
    playwright.expect.set_options(timeout=PATIENCE)
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"needs a browser: none of {', '.join(BROWSERS)} is on the path")
    arguments = ["--disable-dev-shm-usage", "--disable-gpu"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")  # chromium refuses to run as root with it
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=found, args=arguments)
        yield running
        running.close()


@dataclass
class Watch:
    """What a page said and asked for."""

    host: str
    errors: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def see(self, request: Any) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.netloc != self.host:
            self.foreign.append(request.url)


@pytest.fixture
def open_page(browser, explorer, pytestconfig) -> Iterator[Callable[..., Any]]:
    """Opens a view; afterwards no page may have complained or asked another host."""
    watches: list[Watch] = []
    script_lines = pytestconfig.pluginmanager.get_plugin("script lines")
    with ExitStack() as stack:

        def open_view(
            route: str = "#/", address: str = explorer, *, failures: bool = False, **options: Any
        ) -> Any:
            visit = ExitStack()
            stack.enter_context(visit)
            VISITS[address].callback(visit.close)  # whichever ends first; closing twice is nothing
            context = browser.new_context(**options)
            visit.callback(context.close)
            page = context.new_page()
            visit.callback(script_lines.watch(page))
            page.set_default_timeout(PATIENCE)
            watch = Watch(urlsplit(address).netloc)
            page.on("request", watch.see)
            if not failures:
                page.on("console", watch.hear)
            page.on("pageerror", lambda error: watch.errors.append(str(error)))
            watches.append(watch)
            page.goto(address + route)
            return page

        yield open_view
    for watch in watches:
        assert watch.errors == []
        assert watch.foreign == []


AXE = "{rules: {'label-content-name-mismatch': {enabled: true}}}"
AXE_COLOURS = "{runOnly: ['color-contrast']}"


@pytest.fixture(scope="session")
def find_barriers() -> Callable[..., list[tuple[str, str]]]:
    """What axe-core finds wanting in a page as it is: the rule and the element."""
    package = pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python")
    script = (files(package) / "axe.min.js").read_text(encoding="utf-8")

    def find(page: Any, *, only_colours: bool = False) -> list[tuple[str, str]]:
        if not page.evaluate("'axe' in window"):
            page.evaluate(script)
        result = page.evaluate(f"axe.run(document, {AXE_COLOURS if only_colours else AXE})")
        rules = result["violations"]
        return [(rule["id"], node["html"][:120]) for rule in rules for node in rule["nodes"]]

    return find
