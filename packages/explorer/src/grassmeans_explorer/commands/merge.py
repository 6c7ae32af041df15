"""`grassmeans merge`: two versions of a model, corrected apart from each other, as one."""

from __future__ import annotations

from typing import Literal

from grassmeans.terminal import options
from grassmeans.terminal.output import print_summary


def merge(
    first: options.ReadPath,
    second: options.ReadPath,
    output: options.Output,
    prefer: Literal["first", "second"] | None = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Merge the corrections of two versions of a model, which were made apart from each other.

    Where both have corrected the same word, and not alike, nothing is written and the words are
    named, unless [bold]--prefer[/] says whose senses are taken.

    [dim]grassmeans merge model-v2 model-v3 -o model-v4[/]

    Options
    -------
    first: A version that the explorer saved.
    second: Another version of the same model.
    output: Folder of the new version.
    prefer: Whose senses are taken where both have corrected a word.
    """
    from grassmeans.models.model import load
    from grassmeans_explorer.editing.version_merge import merge_versions
    from grassmeans_explorer.entries.store import carry_entries

    versions = load(first), load(second)
    found = merge_versions(*versions, output, prefer=prefer, overwrite=overwrite)
    for version in versions:  # those of the first where both have some
        carry_entries(version, load(output))
    taken = {"from_second": list(found.words_of_second), "conflicts": list(found.conflicts)}
    resolved = f", {len(found.conflicts):,} conflicts ({prefer} preferred)" if prefer else ""
    print_summary(
        {"model": str(output), "prefer": prefer} | taken,
        f"{len(found.words_of_second):,} words of {second.name} with {first.name}{resolved}",
        as_json,
        [f"grassmeans explore {output}"],
    )
