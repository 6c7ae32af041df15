"""Notebooks as pages of the site, with the outputs that are stored in them.

A hook of MkDocs: a notebook becomes Markdown, so that it looks as other pages do and loads nothing
from other hosts. Run as a script, it computes the outputs of the notebooks that it is given.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

try:
    from mkdocs.structure.files import File, Files
except ImportError:  # outputs need no MkDocs
    File = Files = object


class NotebookFile(File):
    """A notebook, which is a page and not a file beside pages."""

    def is_documentation_page(self) -> bool:
        """It has a page."""
        return True


def on_files(files: Files, config: Any) -> Files:
    """Notebooks are pages."""
    for file in list(files):
        if file.src_uri.endswith(".ipynb"):
            files.remove(file)
            place = (config.docs_dir, config.site_dir, config.use_directory_urls)
            files.append(NotebookFile(file.src_uri, *place))
    return files


def on_page_read_source(page: Any, config: Any) -> str | None:
    """The Markdown of a notebook; other pages are read as they are."""
    path = Path(page.file.abs_src_path)
    if path.suffix != ".ipynb":
        return None
    return render_notebook(json.loads(path.read_text(encoding="utf-8")))


def render_notebook(notebook: dict[str, Any]) -> str:
    """A notebook as Markdown: its cells, and after each what it printed."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(_fence(source, "python"))
        if output := read_output(cell):
            parts.append(_fence(output, 'text title="Output"'))
    return "\n\n".join(parts) + "\n"


def read_output(cell: dict[str, Any]) -> str:
    """What a cell has printed, and what it is worth, as text."""
    outputs = cell.get("outputs", ())
    plain = (output.get("text") or output["data"]["text/plain"] for output in outputs)
    return "".join(line for lines in plain for line in lines)


def _fence(text: str, kind: str) -> str:
    return f"```{kind}\n{text.rstrip()}\n```"


def run_notebook(notebook: dict[str, Any]) -> list[str]:
    """What each cell prints, with all in one namespace; nothing for those without code."""
    names: dict[str, object] = {"__name__": "__main__"}
    printed = []
    for number, cell in enumerate(notebook["cells"]):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
        printed.append(output.getvalue())
    return printed


def store_outputs(path: Path) -> None:
    """Run a notebook and write what it printed into it."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell, text in zip(notebook["cells"], run_notebook(notebook), strict=True):
        if cell["cell_type"] == "code":
            stream = {"name": "stdout", "output_type": "stream"}
            cell["outputs"] = [{**stream, "text": text.splitlines(keepends=True)}] if text else []
    shown = json.dumps(notebook, indent=1, ensure_ascii=False)
    path.write_text(f"{shown}\n", encoding="utf-8")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        store_outputs(Path(argument))
