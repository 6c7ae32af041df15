"""The explorer's pictures in docs/figures, taken in a browser without a window.

    python packages/lab/scripts/explorer_pictures.py docs/figures --only text --only map
    python packages/lab/scripts/explorer_pictures.py docs/figures --only word \
        --model MODEL --corpus CORPUS

Needs the extras of development, and Debian's chromium or another browser that Playwright starts.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from grassmeans.explorer.server import create_app

SIZE = {"width": 1000, "height": 760}
COLOURS = 256
PATIENCE = 120_000
TEXT = (
    "The river flooded the fields, and water rose over the east bank of the stream near the old "
    "bridge and the village. In the city the central bank raised interest rates, issued new "
    "currency and lent money to the treasury."
)
PICTURES = {
    "word": ("#/word/bank", ".card .examples li"),
    "dial": ("#/word/bank?k=5", ".tree .block"),
    "concordance": ("#/concordance/bank?sort=left1&q=river%7Crhine&sample=5000", ".kwic tbody tr"),
    "collocates": ("#/collocates/bank?sense=3", ".collocates tbody tr"),
    "compare": ("#/compare/bank?sense=1&other=bank&other_sense=3", ".compared"),
    "text": ("#/text?" + urlencode({"text": TEXT}), ".tagged"),
    "geometry": ("#/geometry/bank", ".map-name"),
    "map": ("#/map?words=bank,river,bass,seal&neighbours=20", ".map-name"),
}
TALL = {"map": 1000, "geometry": 900, "compare": 1300, "text": 960}


@contextmanager
def serve(model: str, corpus: Path | None) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(create_app(model, corpus), port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    server.should_exit = True
    thread.join()


def point_at(page: Page, name: str) -> None:
    """What a person would point at."""
    if name == "text":
        page.locator(".tagged", has_text="bank").first.hover()
        page.locator(".tag-details").wait_for()
    if name == "geometry":
        page.locator('.map .dot[data-sense="3"]').nth(5).hover(force=True)


def shrink(image: Image.Image) -> Image.Image:
    """The picture with a palette: the colours of areas exactly, those of small marks nearly."""
    counts = sorted(image.getcolors(image.width * image.height) or (), reverse=True)
    exact = [colour for _, colour in counts[: COLOURS // 2]]
    marks = image.quantize(COLOURS - len(exact), Image.Quantize.MAXCOVERAGE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*(part for colour in exact for part in colour), *marks])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


def take(page: Page, address: str, name: str, folder: Path) -> None:
    route, sign = PICTURES[name]
    page.set_viewport_size(SIZE | {"height": TALL.get(name, SIZE["height"])})
    page.goto(address + route)
    page.locator(sign).first.wait_for()
    page.wait_for_load_state("networkidle")
    point_at(page, name)
    page.wait_for_timeout(500)  # what appears slowly
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    shrink(image).save(folder / f"explorer-{name}.png", optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="en")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--only", choices=PICTURES, action="append", help="by default all")
    options = parser.parse_args()
    launch: dict[str, Any] = {"executable_path": shutil.which("chromium")}
    launch["args"] = ["--no-sandbox"] if os.geteuid() == 0 else []
    with serve(options.model, options.corpus) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch)
        page = browser.new_page(reduced_motion="reduce")
        page.set_default_timeout(PATIENCE)
        for name in options.only or PICTURES:
            take(page, address, name, options.folder)
        browser.close()


if __name__ == "__main__":
    main()
