"""`grassmeans iterate`: label, train lexemes, induce and label again, round by round."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grassmeans.terminal import options
from grassmeans.terminal.options import WRITTEN
from grassmeans.terminal.output import print_json, terminal, wants_json

if TYPE_CHECKING:
    from grassmeans_lab.iteration.reports import RoundReport

_HEADER = f"{'round':>5}  {'occurrences':>13}  {'IDK':>7}  {'entropy':>7}  {'agreement':>9}"


def iterate(
    corpus: options.Corpus,
    model: options.Model,
    output: Annotated[Path, WRITTEN, typer.Option("--output", "-o", help="Folder of all rounds.")],
    rounds: Annotated[int, typer.Option(min=1, help="At most so many.")] = 3,
    decoding: Annotated[
        str, typer.Option(help="What a round passes on: hard labels, or soft probabilities.")
    ] = "hard",
    idk: options.Idk = None,
    sharpness: Annotated[
        float, typer.Option(min=0.0, help="Soft: of the probabilities exp(-sharpness d).")
    ] = 10.0,
    epochs: Annotated[int, typer.Option(min=1, help="Of each training of lexemes.")] = 5,
    min_count: Annotated[int, typer.Option(min=1, help="Rarer lexemes get no vector.")] = 5,
    start_from_vectors: Annotated[
        bool,
        typer.Option(
            "--start-from-vectors/--from-scratch",
            help="Lexemes start at the vectors of the round before, or at random.",
        ),
    ] = True,
    device: options.Device = "cpu",
    workers: options.Workers = None,
    engine: options.Engine = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Label in rounds: context words get senses too, then all words are labelled again.

    Labels the corpus, trains lexeme vectors on the labels, builds contexts from the vectors of the
    senses that context words have, induces the senses again and labels again. Ends when 98% of the
    labels stay, when the labels get no more certain, or after --rounds.

    Every round has a folder with its labels, inventory and lexeme vectors; rounds.json and
    exit-chart.svg show them all. The output folder appears after the last round; started again
    after an interruption, it goes on from where it was.

    [dim]grassmeans iterate corpus model -o rounds[/]

    [dim]grassmeans iterate corpus model -o soft-rounds --decoding soft[/]
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.engines import use_engine
    from grassmeans.senses.decoding import MODEL_THRESHOLD
    from grassmeans_lab.iteration.iterating import IterationSettings
    from grassmeans_lab.iteration.iterating import iterate as go_through_rounds

    settings = IterationSettings(
        rounds=rounds,
        decoding=decoding,
        idk_threshold=MODEL_THRESHOLD if idk is None else idk,
        sharpness=sharpness,
        epochs=epochs,
        min_count=min_count,
        start_from_vectors=start_from_vectors,
    )
    in_json = wants_json(as_json)
    if not in_json:
        terminal().print(_HEADER, style="bold")

    def show(report: RoundReport, reason: str | None) -> None:
        if in_json:
            print_json(_as_dict(report, reason, output / f"round-{report.number}"))
            sys.stdout.flush()  # the next round may take hours
        else:
            terminal().print(_as_row(report))

    with use_engine(engine, workers):
        finished = go_through_rounds(
            Corpus.open(corpus),
            model,
            output,
            settings,
            device=device,
            workers=workers,
            overwrite=overwrite,
            announce=show,
        )
    if not in_json:
        terminal().print(f"stopped: {finished[-1].reason}\nlabels: {finished[-1].labelled.path}")


def _as_dict(report: RoundReport, reason: str | None, folder: Path) -> dict[str, Any]:
    from dataclasses import asdict

    fields = asdict(report) | {"stopped": reason, "labelled": str(folder / "labelled")}
    if report.number > 0:
        fields["lexemes"] = str(folder / "lexemes")
    return fields


def _as_row(report: RoundReport) -> str:
    agreement = "" if report.agreement is None else f"{report.agreement:.1%}"
    return (
        f"{report.number:>5}  {report.n_occurrences:>13,}  {report.idk_share:>7.1%}  "
        f"{report.mean_entropy:>7.4f}  {agreement:>9}"
    )
