"""Pages of one file: text, figures, tables and the planes viewer, with nothing to fetch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from grassmeans.pictures.planes import PlanesScene

VIEWER = ("drawing.js", "planes.js")
"""The scripts of the planes viewer, in their order."""


def read_asset(name: str) -> str:
    """The text of a style sheet or script of this package."""
    return (files("grassmeans.pictures") / "assets" / name).read_text(encoding="utf-8")


def html_page(title: str, body: str, *, language: str = "en", interactive: bool = False) -> str:
    """A whole HTML document of an escaped body; interactive with the viewer of context planes."""
    scripts = [read_asset(name) for name in VIEWER] if interactive else []
    script = "".join(f"<script>\n{text}\n</script>\n" for text in scripts)
    return (
        f'<!doctype html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{read_asset('page.css')}\n</style>\n"
        f"{script}</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def planes_figure(scene: PlanesScene, identifier: str) -> str:
    """A figure with the interactive planes of a word; needs a page that is ``interactive``.

    The identifier of its place in the page is letters, digits, ``-`` and ``_``.
    """
    # "</script" and "<!--" mean something to the HTML parser wherever they stand in a string.
    data = json.dumps(scene.to_dict(), ensure_ascii=False).replace("<", "\\u003c")
    name = escape(identifier)
    return (
        f'<figure class="planes" id="{name}"></figure>\n<script>'
        f"drawPlanes(document.getElementById({json.dumps(identifier)}), {data});</script>\n"
    )


def html_table(columns: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """A table; all text is escaped."""
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>\n" for row in rows
    )
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return (
        f'<div class="table"><table>{title}<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}</tbody></table></div>\n"
    )
