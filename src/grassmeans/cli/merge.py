"""`grassmeans merge`: two versions of a model as one."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN
from grassmeans.terminal.output import print_summary


class Preferred(StrEnum):
    """Whose senses words in conflict get."""

    first = "first"
    second = "second"


def merge(
    first: Annotated[Path, READ, typer.Argument(help="A version that the explorer saved.")],
    second: Annotated[Path, READ, typer.Argument(help="Another version of the same model.")],
    output: Annotated[Path, WRITTEN, options.output("Folder of the new version.")],
    prefer: Annotated[
        Preferred | None,
        typer.Option(help="Whose senses are taken where both have corrected a word."),
    ] = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Merge the corrections of two versions of a model, which were made apart from each other.

    Where both have corrected the same word, and not alike, nothing is written and the words are
    named, unless [bold]--prefer[/] says whose senses are taken.

    [dim]grassmeans merge model-v2 model-v3 -o model-v4[/]
    """
    from grassmeans.editing.version_merge import merge_versions
    from grassmeans.models.model import load

    found = merge_versions(
        load(first),
        load(second),
        output,
        prefer=None if prefer is None else prefer.value,
        overwrite=overwrite,
    )
    taken = {"from_second": list(found.words_of_second), "conflicts": list(found.conflicts)}
    resolved = f", {len(found.conflicts):,} conflicts ({prefer} preferred)" if prefer else ""
    print_summary(
        {"model": str(output), "prefer": prefer} | taken,
        f"[bold]{len(found.words_of_second):,}[/] words of {second.name} with {first.name}"
        f"{resolved}\nnext: [bold]grassmeans explore {output}[/]",
        as_json,
    )
