"""New annotations: of lines of a word, or of tables in the form of DURel."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans_explorer.annotation.durel_reading import TABLES, import_project
from grassmeans_explorer.annotation.making import draw_project
from grassmeans_explorer.annotation.project import SENSES
from grassmeans_explorer.limits import ConflictError, TooMuchError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.annotating import (
    ProjectSummary,
    refuse_read_only,
    require_shelf,
    summarise,
)
from grassmeans_explorer.queries.shelf import Shelf
from grassmeans_explorer.work import begin_long_work, checkpoint


@dataclass(frozen=True, slots=True)
class NewProject:
    """What is to be judged, and by whom."""

    name: str
    word: str
    annotators: Sequence[str]
    task: str = SENSES
    size: int = 50
    n_pairs: int = 100
    stratified: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ImportedProject:
    """An annotation made of tables."""

    project: ProjectSummary
    n_judgments: int
    passed_over: tuple[str, ...]
    """Lines that could not be used, by their kinds."""


def make_project(opened: OpenModel, wanted: NewProject, token: str = "") -> ProjectSummary:
    """Draw lines of a word and write an annotation of them."""
    shelf = _prepare(opened, token)
    bounds = opened.limits.request
    for given, most, what in (
        (wanted.size, bounds.judged_lines, "lines"),
        (wanted.n_pairs, bounds.judged_pairs, "pairs"),
        (len(wanted.annotators), bounds.annotators, "annotators"),
    ):
        if given > most:
            raise TooMuchError(f"{most:,} {what} are the most here, got {given:,}")
    corpus = opened.require_corpus("drawing lines")
    edited = opened.now.edits.get(opened.key_of(wanted.word))
    if wanted.task == SENSES and edited is not None and edited.edits:
        raise ConflictError(
            f"the senses of {wanted.word[:80]!r} have corrections that this model does not have: "
            "save them as a version, and open that one for lines with its senses"
        )
    begin_long_work()
    try:
        place = shelf.place_for(wanted.name)
        checkpoint(0.1)
        project = draw_project(
            Corpus.open(corpus.path),
            wanted.word,
            place,
            wanted.annotators,
            task=wanted.task,
            model=opened.base,
            size=wanted.size,
            n_pairs=wanted.n_pairs,
            stratified=wanted.stratified,
            random_state=wanted.seed,
        )
    except InputError as error:
        raise ConflictError(str(error)) from error
    shelf.hand_out(wanted.name)
    return summarise(shelf, project)


def import_tables(
    opened: OpenModel,
    name: str,
    tables: Mapping[str, str],
    annotators: Sequence[str] = (),
    token: str = "",
) -> ImportedProject:
    """Make an annotation of tables, by their names: `TABLES`."""
    shelf = _prepare(opened, token)
    most = opened.limits.request.table_characters
    for table, content in tables.items():
        if len(content) > most:
            raise TooMuchError(f"{table} has more than {most:,} characters: import it by command")
    begin_long_work()
    with tempfile.TemporaryDirectory() as folder:
        for table in TABLES:
            if tables.get(table):
                path = Path(folder) / f"{table}.csv"
                path.write_bytes(tables[table].encode("utf-8", "replace"))
        try:
            place = shelf.place_for(name)
            project, report = import_project(folder, place, annotators=annotators)
        except InputError as error:
            raise ConflictError(_leave_out(folder, str(error))) from error
    shelf.hand_out(name)
    n_judged = sum(len(project.judgments_of(who)) for who in project.annotators)
    passed_over = tuple(_leave_out(folder, told) for told in report.describe())
    return ImportedProject(summarise(shelf, project), n_judged, passed_over)


def _leave_out(folder: str, told: str) -> str:
    """What is told of tables, without the folder where they lay for a moment."""
    return told.replace(f"{folder}/", "").replace(folder, "it").replace(f"{Path(folder).name}/", "")


def _prepare(opened: OpenModel, token: str) -> Shelf:
    shelf = require_shelf(opened)
    shelf.check_maker(token)
    refuse_read_only(opened)
    return shelf
