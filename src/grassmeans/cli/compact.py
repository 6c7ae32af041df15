"""`grassmeans compact`: a model in a small folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN
from grassmeans.terminal.output import print_summary


def compact(
    model: options.Model,
    output: Annotated[Path, WRITTEN, options.output("Folder of the small model.")],
    lexemes: Annotated[
        Path | None,
        READ,
        typer.Option(help="Lexeme vectors, trained with --freeze-words, to go into it."),
    ] = None,
    vocabulary: Annotated[
        int | None, typer.Option(min=1, help="Keep only the most frequent words' vectors.")
    ] = None,
    dimensions: Annotated[
        int | None,
        typer.Option(
            min=1, help="Project everything to so many; with learned contexts, the lexemes alone."
        ),
    ] = None,
    bits: Annotated[int, typer.Option(help="Bits of a number: 4, 6 or 8.")] = 4,
    direction_bits: Annotated[
        int, typer.Option(help="Bits of a number of a sense's direction: 4, 6 or 8.")
    ] = 6,
    examples: Annotated[int, typer.Option(min=0, help="Example lines a sense, at most.")] = 6,
    example_width: Annotated[
        int, typer.Option(min=0, help="Characters of an example a side.")
    ] = 60,
    drop_single: Annotated[
        bool, typer.Option("--drop-single", help="Leave out words with one sense.")
    ] = False,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Write a model in a compact form, about a tenth as large, which every command opens.

    Numbers get 4 (or 8) bits with one scale a row, entries are compressed. Where dimensions are to
    be fewer too, reduce the vectors before the induction (`grassmeans convert --to compact`): the
    senses then fit them exactly. A model of learned contexts keeps its dimensions and words.

    [dim]grassmeans compact model -o small --lexemes lexemes[/]
    """
    from grassmeans.models.compacting import CompactSettings, compact_model

    settings = CompactSettings(
        vocabulary, dimensions, bits, direction_bits, examples, example_width, drop_single
    )
    small = compact_model(model, output, lexemes=lexemes, settings=settings, overwrite=overwrite)
    n_bytes = sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
    n_senses = sum(small.inventory.sense_counts.values())
    print_summary(
        {"model": str(output), "n_words": len(small.words), "n_senses": n_senses, "bytes": n_bytes},
        f"[bold]{len(small.words):,}[/] words with senses, {len(small.vectors):,} vectors of "
        f"{small.vectors.dim} dimensions: {n_bytes / 1e6:.1f} MB\n"
        f"next: [bold]grassmeans show {output} {small.words[0]}[/]",
        as_json,
    )
