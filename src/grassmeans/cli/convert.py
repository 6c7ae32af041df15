"""`grassmeans convert`: word vectors from one format into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grassmeans.cli.output import note
from grassmeans.errors import InputError


def convert(
    source: Annotated[Path, typer.Argument(help="A vectors folder, or a vector file.")],
    target: Annotated[Path, typer.Argument(help="The new file, or folder.")],
    to: Annotated[
        str, typer.Option("--to", help="word2vec-text, word2vec-binary, glove or folder.")
    ] = "word2vec-text",
) -> None:
    """Write word vectors in another format: word2vec (text or binary), GloVe, or our folder.

    gensim reads both word2vec formats with `KeyedVectors.load_word2vec_format`.
    """
    from grassmeans.vectors import formats
    from grassmeans.vectors.word_vectors import WordVectors

    writers = {
        "word2vec-text": formats.write_word2vec_text,
        "word2vec-binary": formats.write_word2vec_binary,
        "glove": formats.write_glove,
        "folder": lambda vectors, path: vectors.save(path),
    }
    if to not in writers:
        raise InputError(f"--to must be one of {', '.join(writers)}, got {to!r}")
    if target.exists():
        raise InputError(f"{target} exists already: choose another name")
    vectors = WordVectors.load(source)
    writers[to](vectors, target)
    note(f"wrote {len(vectors):,} vectors to {target}")
