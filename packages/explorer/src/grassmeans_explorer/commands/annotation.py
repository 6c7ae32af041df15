"""`grassmeans annotation`: samples of lines that several people judge, and what comes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from grassmeans.terminal import options
from grassmeans.terminal.output import note, print_json, print_summary, wants_json
from grassmeans_explorer.commands.tables import print_rows

Project = Annotated[Path, options.READ, typer.Argument(help="The folder of an annotation.")]
Annotators = Annotated[
    list[str] | None,
    typer.Option("--annotator", "-a", help="The name of an annotator; repeat for more."),
]


def make(
    corpus: options.Corpus,
    word: Annotated[str, typer.Argument(metavar="WORD|PHRASE|CQL", help="Whose lines.")],
    output: options.Output,
    annotator: Annotators = None,
    task: Literal["senses", "relatedness"] = "senses",
    model: options.ReadPath | None = None,
    label: Annotated[
        list[str] | None, typer.Option(help="A label, in place of a model's senses; repeat.")
    ] = None,
    size: Annotated[int, typer.Option("--size", "-n", min=1, help="Lines.")] = 50,
    pairs: options.Count = 100,
    stratified: bool = False,
    seed: options.Seed = 0,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Draw lines for annotators: each sees all of them, in an order of their own, and no other.

    With the task senses every line gets one of the model's senses; with relatedness two lines get a
    number, from 1 (unrelated) to 4 (identical). An annotation that has judgments is never replaced.

    [dim]grassmeans annotation make corpus bank -o bank-lines --model en -a Ann -a Bo[/]

    Options
    -------
    output: Folder of the annotation.
    task: A sense for each line, or how related two lines are.
    model: Whose senses are the labels; also for --stratified.
    pairs: Of lines, with the task relatedness.
    stratified: The same share of lines for every sense of the model.
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans_explorer.annotation.making import draw_project

    project = draw_project(
        Corpus.open(corpus),
        word,
        output,
        annotator or (),
        task=task,
        model=model,
        labels=label,
        size=size,
        n_pairs=pairs,
        stratified=stratified,
        random_state=seed,
        overwrite=overwrite,
    )
    n_items, n_people = len(project.items), len(project.annotators)
    print_summary(
        {"annotation": str(output), "n_items": n_items, "annotators": list(project.annotators)},
        f"{n_items:,} items for {n_people} annotators",
        as_json,
        [f"grassmeans annotation export {output} -o tables"],
    )


def export(
    project: Project,
    output: Annotated[Path, options.WRITTEN_INTO, typer.Option("--output", "-o")],
    overwrite: options.OverwriteFile = False,
    as_json: options.Json = False,
) -> None:
    """Write an annotation as tables in the form of DURel: uses, pairs, judgments.

    [dim]grassmeans annotation export bank-lines -o tables[/]

    Options
    -------
    output: A folder, for files in it.
    """
    from grassmeans_explorer.annotation.durel import export_project
    from grassmeans_explorer.annotation.project import AnnotationProject

    written = export_project(AnnotationProject.open(project), output, overwrite=overwrite)
    names = [path.name for path in written]
    print_summary({"folder": str(output), "files": names}, f"{', '.join(names)} written", as_json)


def import_(
    folder: Annotated[Path, options.READ, typer.Argument(help="A folder with uses.csv.")],
    output: options.Output,
    annotator: Annotators = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Make an annotation of tables in the form of DURel, with the judgments that they have.

    The tables lie in the folder, or in a folder for each word in it. Lines that cannot be used are
    counted and told.

    [dim]grassmeans annotation import tables -o lines[/]

    Options
    -------
    output: Folder of the annotation.
    """
    from grassmeans_explorer.annotation.durel_reading import import_project

    project, report = import_project(
        folder, output, annotators=annotator or (), overwrite=overwrite
    )
    for line in report.describe():
        note(f"passed over: {line}")
    n_judged = sum(len(project.judgments_of(name)) for name in project.annotators)
    about = {"annotation": str(output), "n_items": len(project.items), "n_judgments": n_judged}
    print_summary(
        about | {"skipped": dict(report.skipped)},
        f"{len(project.items):,} items, {n_judged:,} judgments",
        as_json,
    )


def agreement(project: Project, as_json: options.Json = False) -> None:
    """Show how far annotators agree: alpha of all, kappa of each pair, alpha of each label.

    1 is agreement in everything, 0 that of chance. Items on which somebody cannot decide count
    without that judgment.
    """
    from grassmeans_explorer.annotation.measuring import measure_agreement
    from grassmeans_explorer.annotation.project import AnnotationProject

    found = measure_agreement(AnnotationProject.open(project))
    if wants_json(as_json):
        print_json(found.to_dict())
        return
    note(f"{found.n_shared:,} of {found.n_items:,} items have two judgments or more")
    ordinal = "" if found.alpha_ordinal is None else f", of ranks {found.alpha_ordinal:.3f}"
    alpha = "none" if found.alpha_nominal is None else f"{found.alpha_nominal:.3f}"
    note(f"Krippendorff's alpha: {alpha}{ordinal}")
    columns = ("first", "second", "n_items", "agreed", "kappa")
    print_rows(found.rows(), columns, as_json=False, as_csv=False)
    labels = [{"label": x.label, "count": x.count, "alpha": x.alpha} for x in found.labels]
    print_rows(labels, ("label", "count", "alpha"), as_json=False, as_csv=False)


def refit(
    project: Project,
    model: options.Model,
    corpus: options.Corpus,
    name: str | None = None,
    as_json: options.Json = False,
) -> None:
    """Give the lines that were decided to their senses, and save a new version of the model.

    An item is decided where more than half of those who could decide say the same, or where it was
    adjudicated. The model stays as it is; the version comes beside it.

    [dim]grassmeans annotation refit bank-lines model corpus[/]

    Options
    -------
    name: Of the version; the next that is free by default.
    """
    from grassmeans.models.model import load
    from grassmeans_explorer.annotation.project import AnnotationProject
    from grassmeans_explorer.annotation.refitting import refit_senses
    from grassmeans_explorer.entries.store import carry_entries

    found = refit_senses(AnnotationProject.open(project), model, corpus)
    for line in found.refused:
        note(f"not done: {line}")
    folder = found.save(name=name)
    carry_entries(found.model, load(folder))
    print_summary(
        {"model": str(folder), "n_lines": found.n_lines, "n_open": found.n_open},
        f"{found.n_lines:,} lines given to their senses, {found.n_open:,} items open: {folder}",
        as_json,
    )


def tokens(project: Project, annotator: Annotators = None, as_json: options.Json = False) -> None:
    """Make new tokens, for an explorer that is open to others; they are shown once.

    By default for everybody who has none yet; earlier ones of those who are named end. Who has the
    last word is called (adjudication).

    [dim]grassmeans annotation tokens bank-lines -a Ann[/]
    """
    from grassmeans_explorer.annotation.project import AnnotationProject
    from grassmeans_explorer.annotation.tokens import give_tokens

    made = give_tokens(AnnotationProject.open(project), annotator)
    if wants_json(as_json):
        print_json({"tokens": made})
        return
    if not made:
        note("everybody has a token already: name somebody with --annotator for a new one")
    for name, token in made.items():
        typer.echo(f"{name}\t{token}")


import_.__name__ = "import"
