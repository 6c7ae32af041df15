"""`grassmeans compare`: methods of sense induction, side by side on the same corpus."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN, WRITTEN_INTO
from grassmeans.terminal.output import draw_table, note, print_json, wants_json

if TYPE_CHECKING:
    from grassmeans.evaluation.systems import System
    from grassmeans_lab.comparing.comparing import ComparisonRow


def compare(
    corpus: Annotated[Path, READ, typer.Option("--corpus", help="A corpus folder.")],
    vectors: Annotated[Path, READ, typer.Option("--vectors", help="Word vectors of that corpus.")],
    task: Annotated[
        list[str],
        READ,
        typer.Option("--task", help="NAME=PATH, a test set of `evaluate`; may be repeated."),
    ],
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods",
            help="Names with commas between: one, per-instance, random, kmeans, kmeans-idf, "
            "grassmeans, grassmeans-singular, reisinger-mooney, huang, mssg, np-mssg, "
            "li-jurafsky, atoms, chen, autoextend, skipgram; "
            "with parameters: mssg:n_multi=6000.",
        ),
    ] = None,
    senses: Annotated[
        list[int] | None,
        typer.Option("--senses", "-k", min=1, help="Senses a word; may be repeated (2 and 5)."),
    ] = None,
    model: Annotated[
        list[str] | None,
        READ,
        typer.Option(
            "--model",
            help="MODEL or MODEL:LEXEMES, finished; or an encoder or transformer:NAME, whose "
            "contexts are grouped. May be repeated.",
        ),
    ] = None,
    max_contexts: options.MaxContexts = 10_000,
    induce: Annotated[
        str, typer.Option(help="on-corpus: senses of the corpus; on-test: of the test instances.")
    ] = "on-corpus",
    keep: Annotated[
        Path | None,
        WRITTEN_INTO,
        typer.Option("--keep", help="A folder for finished rows: they are not redone."),
    ] = None,
    output: Annotated[
        Path | None,
        WRITTEN,
        typer.Option("-o", "--output", help="Write the result to a file."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of all methods.")] = 0,
    device: options.Device = "cpu",
    workers: options.Workers = None,
    engine: options.Engine = None,
    overwrite: options.OverwriteFile = False,
    as_json: options.Json = False,
    as_markdown: options.Markdown = False,
) -> None:
    """Compare methods of sense induction on test sets.

    Every method learns once from the same corpus and vectors, for the words of all test sets, and
    answers each of them by the rules of `grassmeans evaluate`. Methods that take any number of
    senses are run for each `--senses`; the others have their own. With `--keep`, a run that was
    stopped goes on, and one with more methods or test sets computes only what is new. A row that
    fails says why; the others go on, and the exit code is 1. On a GPU go K-Grassmeans and models;
    other methods stay on the CPU.

    [dim]grassmeans compare --corpus corpus --vectors vectors --task makes-sense=makes-sense-2016
    --methods kmeans,grassmeans --senses 2 --keep rows[/]
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.engines import use_engine
    from grassmeans.evaluation.loading import open_named_task
    from grassmeans.outputs.places import check_output_file
    from grassmeans.vectors.word_vectors import WordVectors
    from grassmeans_lab.comparing.comparing import Comparison, ComparisonSettings
    from grassmeans_lab.comparing.systems import open_model_system

    check_output_file(output, overwrite=overwrite)
    opened = Corpus.open(corpus)
    systems = _make_systems(methods, senses, model)
    systems += [
        open_model_system(text, device, corpus=opened, random_state=seed, workers=workers)
        for text in model or ()
    ]
    if not systems:
        raise InputError("there is nothing to compare: name --methods or a --model")
    comparison = Comparison(
        opened,
        WordVectors.load(vectors),
        [open_named_task(text) for text in task],
        ComparisonSettings(max_contexts=max_contexts, induce=induce, random_state=seed),
        device=device,
        workers=workers,
        keep=keep,
    )
    streams = wants_json(as_json) and not as_markdown and output is None
    rows = []
    with use_engine(engine, workers):
        for row in comparison.compare(systems):
            rows.append(row)
            if streams:
                print_json(row.to_dict())
                sys.stdout.flush()
            if row.error is not None:
                note(f"{row.title}: {row.task} failed: {row.error}")
            elif not streams:
                note(f"{row.title}: {row.task} is done")
    if not streams:
        _show_rows(rows, output, overwrite, as_markdown)
    if any(row.error is not None for row in rows):
        raise typer.Exit(1)


def _make_systems(
    methods: str | None, senses: list[int] | None, models: list[str] | None
) -> list[System]:
    from grassmeans_lab.comparing.systems import (
        DEFAULT_METHODS,
        DEFAULT_SENSES,
        make_systems,
    )

    if methods is not None:
        names = [name.strip() for name in methods.split(",") if name.strip()]
    else:
        # Who names a model only wants to see that model.
        names = [] if models else list(DEFAULT_METHODS)
    return list(make_systems(names, senses or DEFAULT_SENSES))


def _show_rows(
    rows: list[ComparisonRow], output: Path | None, overwrite: bool, as_markdown: bool
) -> None:
    from grassmeans.outputs.places import output_file
    from grassmeans_lab.comparing.tables import tabulate_comparison, to_markdown

    tables = tabulate_comparison(rows)
    if output is not None:
        if as_markdown or output.suffix == ".md":
            text = to_markdown(tables)
        else:
            text = json.dumps({"rows": [row.to_dict() for row in rows]}, indent=2) + "\n"
        with output_file(output, overwrite=overwrite) as place:
            place.write_bytes(text.encode())
    elif as_markdown:
        sys.stdout.write(to_markdown(tables))
    else:
        for name, table in tables.items():
            draw_table(table, name)
