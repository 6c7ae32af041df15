"""`grassmeans convert`: word vectors from one format into another."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN
from grassmeans.terminal.output import note


def convert(
    source: Annotated[Path, READ, typer.Argument(help="A vectors folder, or a vector file.")],
    target: Annotated[Path, WRITTEN, typer.Argument(help="The new file, or folder.")],
    to: Annotated[
        str, typer.Option("--to", help="word2vec-text, word2vec-binary, glove, folder or compact.")
    ] = "word2vec-text",
    vocabulary: Annotated[
        int | None, typer.Option(min=1, help="compact: only the most frequent words.")
    ] = None,
    dimensions: Annotated[
        int | None, typer.Option(min=1, help="compact: project to so many dimensions.")
    ] = None,
    bits: Annotated[int, typer.Option(help="compact: bits of a number, 4, 6 or 8.")] = 4,
    overwrite: options.Overwrite = False,
) -> None:
    """Write word vectors in another format: word2vec (text or binary), GloVe, or our folder.

    gensim reads both word2vec formats with `KeyedVectors.load_word2vec_format`. A compact folder
    has fewer words and dimensions where that is asked for, and numbers of 4 (or 8) bits; every
    command takes it.

    [dim]grassmeans convert vectors small --to compact --vocabulary 80000 --dimensions 200[/]
    """
    from grassmeans.outputs.places import check_output, check_output_file
    from grassmeans.vectors import exchange
    from grassmeans.vectors.reducing import reduce_vectors
    from grassmeans.vectors.storage import KIND
    from grassmeans.vectors.word_vectors import WordVectors

    writers: dict[str, Callable[..., None]] = {
        "word2vec-text": exchange.write_word2vec_text,
        "word2vec-binary": exchange.write_word2vec_binary,
        "glove": exchange.write_glove,
        "folder": WordVectors.save,
        "compact": partial(WordVectors.save, bits=bits),
    }
    if to not in writers:
        raise InputError(f"--to must be one of {', '.join(writers)}, got {to!r}")
    if to != "compact" and (vocabulary is not None or dimensions is not None):
        raise InputError("--vocabulary and --dimensions are for --to compact")
    if to in ("folder", "compact"):
        check_output(target, KIND, overwrite=overwrite)
    else:
        check_output_file(target, overwrite=overwrite)
    vectors = WordVectors.load(source)
    if to == "compact":
        vectors = reduce_vectors(vectors, vocabulary=vocabulary, dimensions=dimensions, bits=bits)
    writers[to](vectors, target, overwrite=overwrite)
    note(f"wrote {len(vectors):,} vectors to {target}")
