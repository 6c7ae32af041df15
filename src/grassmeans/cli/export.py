"""`grassmeans export`: a (labelled) corpus for other tools."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN
from grassmeans.terminal.output import note


def export(
    corpus: Annotated[Path, READ, typer.Argument(help="A corpus folder, labelled or not.")],
    output: Annotated[
        Path | None, WRITTEN, options.output("File; standard output by default.")
    ] = None,
    format: Annotated[
        str, typer.Option("--format", "-f", help="text, vertical, jsonl, conllu or parquet.")
    ] = "text",
    overwrite: options.OverwriteFile = False,
) -> None:
    """Write a labelled corpus as text for other tools.

    text: keys (crane.2) separated by spaces, one document a line. vertical: form, key, word and
    sense, one word a line. jsonl: one document a line, with the spans of its labelled words.
    conllu: the key as Sense= in the last column. parquet: one row a labelled word. In a corpus
    without labels the words are their own keys.
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.labelling.export import export_corpus

    source = Corpus.open(corpus)
    if output is None:
        export_corpus(source, sys.stdout.buffer, format)
        sys.stdout.buffer.flush()
        return
    n_documents = export_corpus(source, output, format, overwrite=overwrite)
    note(f"wrote {n_documents:,} documents to {output}")
