"""`grassmeans similar`: nearest words or lexemes by their vectors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from grassmeans.terminal import options
from grassmeans.terminal.options import READ
from grassmeans.terminal.output import print_json, terminal, wants_json

if TYPE_CHECKING:
    from grassmeans.vectors.word_vectors import WordVectors


def similar(
    vectors: Annotated[
        Path,
        READ,
        typer.Argument(help="A vectors folder, a model (or its name), or a vector file."),
    ],
    word: Annotated[str, typer.Argument(help="The word, or a lexeme such as crane.2.")],
    n: Annotated[int, typer.Option("-n", min=1, help="How many.")] = 10,
    as_json: options.Json = False,
) -> None:
    """Show the words whose vectors are nearest to a word's.

    With lexeme vectors, or a model that has some: crane.2 shows the lexemes nearest to that sense,
    crane those of every sense of the word, and of crane.0, its "I don't know" occurrences.
    """
    opened = _open_vectors(vectors)
    as_lines = wants_json(as_json)
    for key in _keys_to_show(opened, word):
        neighbours = opened.most_similar(key, n)
        if as_lines:
            asked = {} if key == word else {"lexeme": key}
            for neighbour in neighbours:
                found = {"word": neighbour.word, "similarity": round(neighbour.similarity, 4)}
                print_json(asked | found)
            continue
        table = Table(title=f"nearest to {escape(key)}")
        table.add_column("word")
        table.add_column("cosine", justify="right")
        for neighbour in neighbours:
            table.add_row(escape(neighbour.word), f"{neighbour.similarity:.3f}")
        terminal().print(table)


def _open_vectors(path: Path) -> WordVectors:
    """The vectors of a folder, a file or a model; a model's lexemes where it has them."""
    from grassmeans.artifacts.writing import read_manifest
    from grassmeans.contexts import VECTORS_FOLDER
    from grassmeans.models.model import LEXEMES_FOLDER, load
    from grassmeans.models.places import resolve_name
    from grassmeans.vectors.word_vectors import WordVectors

    place = resolve_name(path)
    if not (place / VECTORS_FOLDER).is_dir():
        return WordVectors.load(place)
    read_manifest(place)  # which part is missing, if one is
    if not (place / LEXEMES_FOLDER).is_dir():
        return WordVectors.load(place / VECTORS_FOLDER)
    from grassmeans.lexemes.lexeme_vectors import open_lexemes

    lexemes = open_lexemes(load(place))
    assert lexemes is not None
    return lexemes.vectors


def _keys_to_show(opened: WordVectors, word: str) -> list[str]:
    """The word itself where it has a vector, else all its lexemes; an error names what there is."""
    from grassmeans.lexemes.lexeme_vectors import LexemeVectors
    from grassmeans.senses.keys import decode_key

    if word in opened:
        return [word]
    lexemes = LexemeVectors(opened)
    if keys := lexemes.keys(word):
        return keys
    base, sense = decode_key(word)
    if base in lexemes:
        lexemes.vector(base, sense)  # raises, and names the senses that there are
    return [word]  # most_similar raises, and suggests words that are written alike
