"""`grassmeans similar`: nearest words by their vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from grassmeans.cli.output import JsonFlag, print_json, terminal, wants_json


def similar(
    vectors: Annotated[Path, typer.Argument(help="A vectors folder, a model, or a vector file.")],
    word: Annotated[str, typer.Argument(help="The word.")],
    n: Annotated[int, typer.Option("-n", min=1, help="How many.")] = 10,
    as_json: JsonFlag = False,
) -> None:
    """Show the words whose vectors are nearest to a word's."""
    from grassmeans.senses.model import VECTORS_FOLDER
    from grassmeans.vectors.word_vectors import WordVectors

    inside_model = vectors / VECTORS_FOLDER
    opened = WordVectors.load(inside_model if inside_model.is_dir() else vectors)
    neighbours = opened.most_similar(word, n)
    if wants_json(as_json):
        for neighbour in neighbours:
            print_json({"word": neighbour.word, "similarity": round(neighbour.similarity, 4)})
        return
    table = Table(title=f"nearest to {word}")
    table.add_column("word")
    table.add_column("cosine", justify="right")
    for neighbour in neighbours:
        table.add_row(neighbour.word, f"{neighbour.similarity:.3f}")
    terminal().print(table)
