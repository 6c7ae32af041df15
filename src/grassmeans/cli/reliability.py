"""`grassmeans reliability`: whether a model's confidence says what is so."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN
from grassmeans.terminal.output import print_result


def reliability(
    model: options.Model,
    corpus: Annotated[
        Path | None, READ, typer.Argument(help="Its corpus: pseudo-words of words held apart.")
    ] = None,
    task: Annotated[
        list[str] | None,
        READ,
        typer.Option(
            "--task", help="NAME=PATH, a labelled test set of `evaluate`; may be repeated."
        ),
    ] = None,
    confidence: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="From which confidence on to answer.")
    ] = 0.7,
    picture: Annotated[
        Path | None, WRITTEN, typer.Option("--picture", help="Draw it into this SVG file.")
    ] = None,
    device: options.Device = "cpu",
    workers: options.Workers = None,
    engine: options.Engine = None,
    overwrite: options.OverwriteFile = False,
    as_json: options.Json = False,
    as_markdown: options.Markdown = False,
) -> None:
    """Compare the confidence of answers with how many of them are right.

    On pseudo-words that the model was not calibrated with, and on labelled test sets: the share
    that is answered, how much of it is right, and the calibration error, the mean gap between
    confidence and right answers. The JSON has the bins of confidence.

    [dim]grassmeans reliability model corpus --task jsonl=mine.jsonl[/]
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.engines import use_engine
    from grassmeans.evaluation.loading import open_named_task
    from grassmeans.evaluation.reliability import report_reliability
    from grassmeans.models.model import load
    from grassmeans.outputs.places import check_output_file, output_file
    from grassmeans.pictures.reliability import draw_reliability

    if corpus is None and not task:
        raise InputError("there is nothing to answer: give a corpus, or a test set by --task")
    check_output_file(picture, overwrite=overwrite)
    tasks = [open_named_task(text) for text in task or ()]
    with use_engine(engine, workers):
        report = report_reliability(
            load(model, device=device),
            None if corpus is None else Corpus.open(corpus),
            tasks,
            at_least=confidence,
            workers=workers,
        )
    if picture is not None:
        with output_file(picture, overwrite=overwrite) as place:
            place.write_text(draw_reliability(report), encoding="utf-8")
    print_result(report.to_dict(), report.to_table(), as_json, as_markdown)
