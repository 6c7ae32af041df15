"""The pictures of the explorer in ``docs/figures``, made anew from its pages.

    python docs/hooks/screenshots.py --corpus corpus           # all of them
    python docs/hooks/screenshots.py geometry map              # some that need no corpus

The model is the English one, the corpus any of some million words (those that are stored show four
million of an encyclopaedia); without a corpus those pictures are left as they are that show one.
Needs Debian's chromium, or another one that Playwright can start, and Pillow, which makes the
pictures small.
"""

from __future__ import annotations

import argparse
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FIGURES = Path(__file__).resolve().parents[1] / "figures"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTH = 1000
COLOURS = 256
MOST_BYTES = 250_000
PATIENCE = 300_000
"""Milliseconds: a network reads some thousand lines first."""
TEXT = (
    "The band recorded the album with guitar, drums, piano and bass. Anglers on the lake caught "
    "trout, perch, pike and bass."
)


@dataclass(frozen=True, slots=True)
class Picture:
    """A view, what shows that it is there, and how high the picture is."""

    route: str
    sign: str
    height: int
    needs_corpus: bool = True


PICTURES = {
    "start": Picture("#/", ".chips li", 680, needs_corpus=False),
    "word": Picture("#/word/bank", ".card", 760, needs_corpus=False),
    "dial": Picture("#/word/bank?k=5", ".tree .block", 760),
    "concordance": Picture("#/concordance/bank", ".kwic tbody tr", 760),
    "collocates": Picture("#/collocates/bank?sense=2", ".collocates tbody tr", 760),
    "compare": Picture(
        "#/compare/bank?sense=1&other=bank&other_sense=2", ".compared-words li", 1300
    ),
    "text": Picture("#/text?text=" + TEXT.replace(" ", "+"), ".tagged", 960, needs_corpus=False),
    "geometry": Picture("#/geometry/charge", ".map-name", 1000, needs_corpus=False),
    "map": Picture(
        "#/map?words=charge&neighbours=20", ".map-name", 1240, needs_corpus=False
    ),
}  # fmt: skip


@contextmanager
def serve(model: str, corpus: Path | None) -> Iterator[str]:
    """The explorer on a free port, in a thread; its address."""
    import uvicorn

    from grassmeans_explorer.server import create_app

    server = uvicorn.Server(uvicorn.Config(create_app(model, corpus), port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.05)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    server.should_exit = True
    thread.join(timeout=10)


def take_picture(page: Any, address: str, picture: Picture, path: Path) -> None:
    """Open a view, wait until it is drawn, and keep what is seen of it."""
    from PIL import Image

    page.set_viewport_size({"width": WIDTH, "height": picture.height})
    page.goto("about:blank")  # a view of the same word would stay as it is
    page.goto(address + picture.route)
    page.locator(picture.sign).first.wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)  # names find their places after the dots
    whole = path.with_suffix(".whole.png")
    page.screenshot(path=whole)
    # Few colours, and no dots between them: the pages are flat. K-means after the usual cut keeps
    # the paper as it is and the colours of senses that have few dots.
    with Image.open(whole) as image:
        flat = image.convert("RGB").quantize(COLOURS, kmeans=COLOURS, dither=Image.Dither.NONE)
        flat.save(path, optimize=True)
    whole.unlink()
    if path.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{path} has more than {MOST_BYTES:,} bytes: make it smaller")


def main() -> None:
    """Make the pictures that are asked for, or all that can be made."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    parser.add_argument("--model", default="en")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--output", type=Path, default=FIGURES)
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in PICTURES]
    if unknown:
        parser.error(f"there is no picture {unknown[0]}: there are {', '.join(PICTURES)}")
    from playwright.sync_api import sync_playwright

    arguments = ["--disable-gpu", "--disable-dev-shm-usage"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")  # chromium refuses to run as root with it
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    with serve(asked.model, asked.corpus) as address, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, args=arguments)
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        for name in asked.names or PICTURES:
            if PICTURES[name].needs_corpus and asked.corpus is None:
                print(f"{name}: needs --corpus, left as it is")
                continue
            path = asked.output / f"explorer-{name}.png"
            take_picture(page, address, PICTURES[name], path)
            print(f"{path}: {path.stat().st_size:,} bytes", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
