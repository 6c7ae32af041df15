"""`grassmeans reproduce`: the paper's figures and tables on a corpus of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN_INTO
from grassmeans.terminal.output import note


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Experiments; all of them by default. --list names them."),
    ] = None,
    corpus: Annotated[
        Path | None, READ, typer.Option(help="Corpus, from `grassmeans ingest`.")
    ] = None,
    vectors: Annotated[
        Path | None, READ, typer.Option(help="Its vectors, from `grassmeans vectors`.")
    ] = None,
    output: Annotated[
        Path | None, WRITTEN_INTO, typer.Option("--output", "-o", help="Folder of the report.")
    ] = None,
    makes_sense: Annotated[
        Path | None, READ, typer.Option(help="Make-Sense-2016, its folder.")
    ] = None,
    semeval2010: Annotated[
        Path | None, READ, typer.Option("--semeval2010", help="SemEval-2010 task 14, its folder.")
    ] = None,
    scws: Annotated[Path | None, READ, typer.Option(help="SCWS, its ratings.txt.")] = None,
    lineup: Annotated[
        Path | None,
        READ,
        typer.Option(help="A police lineup, from `grassmeans build-dataset lineup`."),
    ] = None,
    wordnet: Annotated[
        Path | None, READ, typer.Option(help="WordNet's folder of dict files.")
    ] = None,
    model: Annotated[
        Path | None,
        READ,
        typer.Option(help="A model with senses of many words, where there is one."),
    ] = None,
    lexemes: Annotated[
        Path | None, READ, typer.Option(help="Lexeme vectors of that model.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random state.")] = 0,
    device: options.Device = "cpu",
    workers: options.Workers = None,
    engine: options.Engine = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small sizes: minutes instead of hours.")
    ] = False,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Replace files that others wrote or changed, too."),
    ] = False,
    list_names: Annotated[
        bool, typer.Option("--list", help="Name the experiments and what they show; do nothing.")
    ] = False,
) -> None:
    """Redo the experiments of the paper on a corpus, and write an HTML report.

    One self-contained page (report.html) with figures, the paper's value beside the one of this
    corpus, parameters and run time; figures/ has them as SVG and PNG, data/ the numbers as CSV.
    What is finished is kept: the same command goes on where it was stopped. Experiments whose
    words, test sets or packages are missing are skipped, and the report says why.

    [dim]grassmeans reproduce low-rank columbia --corpus corpus --vectors vectors -o report[/]

    [dim]grassmeans reproduce all --corpus corpus --vectors vectors -o report --quick[/]
    """
    from grassmeans_lab.experiments.running import (
        EXPERIMENTS,
        REPORT,
        choose_experiments,
        run_experiments,
    )

    if list_names:
        for experiment in EXPERIMENTS:
            typer.echo(f"{experiment.name:14} {experiment.title} ({experiment.paper})")
        return
    chosen = choose_experiments(names or [], quick=quick)
    if corpus is None or vectors is None or output is None:
        missing = {"--corpus": corpus, "--vectors": vectors, "--output": output}
        lacking = [name for name, value in missing.items() if value is None]
        raise typer.BadParameter(f"reproduce needs {', '.join(lacking)}")
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.engines import use_engine
    from grassmeans.vectors.word_vectors import WordVectors
    from grassmeans_lab.experiments.experiment import ExperimentSetup, TestSets

    setup = ExperimentSetup(
        corpus=Corpus.open(corpus),
        vectors=WordVectors.load(vectors),
        folder=output,
        test_sets=TestSets(makes_sense, semeval2010, scws, lineup, wordnet),
        model=model,
        lexemes=lexemes,
        random_state=seed,
        device=device,
        workers=workers,
    )
    with use_engine(engine, workers):
        outcomes = run_experiments(chosen, setup, output, overwrite=overwrite, announce=note)
    skipped = sum(outcome.findings is None for outcome in outcomes)
    note(f"{output / REPORT}: {len(outcomes) - skipped} experiments, {skipped} skipped")
