"""Annotations in the form of DURel and of word usage graphs: tables with tabs and no quotes.

``uses.csv`` has a use a line, ``judgments.csv`` what an annotator says of a pair of uses,
``instances.csv`` the pairs that are to be judged. A value that is not there is a space. Tabs and
line breaks in a text become spaces, so that no character moves.

Three tables are our own, for what those have no place for: labels of single uses are in
``labels.csv``, what they mean in ``senses.csv``, and what each item is in the end, and how that was
found, in ``decisions.csv``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grassmeans.outputs.places import check_output_file, output_file
from grassmeans_explorer.annotation.project import ADJUDICATOR, RELATEDNESS, AnnotationProject
from grassmeans_explorer.annotation.uses import Use, clean_text

USE_COLUMNS = (
    *("lemma", "pos", "date", "grouping", "identifier", "description", "context"),
    *("indexes_target_token", "indexes_target_sentence"),
)
PAIR_COLUMNS = ("identifier1", "identifier2", "lemma")
JUDGMENT_COLUMNS = ("identifier1", "identifier2", "annotator", "judgment", "comment", "lemma")
LABEL_COLUMNS = ("identifier", "label", "annotator", "comment", "lemma", "description")
SENSE_COLUMNS = ("label", "description", "lemma")
DECISION_COLUMNS = ("label", "how", "comment", "lemma", "description")
"""Behind the identifiers of the uses: of one, or of two."""
_NOTHING = " "


def export_project(
    project: AnnotationProject, folder: str | Path, *, overwrite: bool = False
) -> list[Path]:
    """Write the tables of an annotation into a folder, which is made; returns the files.

    Every annotator's last judgment of an item is written. `InputError` where a file is there
    already, unless ``overwrite`` is set.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    lemma_of = {use.identifier: use.lemma for use in project.uses.values()}
    tables: dict[str, tuple[Sequence[str], list[list[str]]]] = {
        "uses": (USE_COLUMNS, [_use_cells(use) for use in project.uses.values()])
    }
    given = [
        (name, project.items[item], one)
        for name in project.annotators
        for item, one in project.judgments_of(name).items()
    ]
    identifiers: tuple[str, ...] = PAIR_COLUMNS[:2]
    if project.task == RELATEDNESS:
        pairs = [[*item.uses, lemma_of[item.uses[0]]] for item in project.items.values()]
        tables["instances"] = PAIR_COLUMNS, pairs
        rows = [
            [*item.uses, name, one.label, one.comment, lemma_of[item.uses[0]]]
            for name, item, one in given
        ]
        tables["judgments"] = JUDGMENT_COLUMNS, rows
    else:
        identifiers = LABEL_COLUMNS[:1]
        lemma = ", ".join(project.manifest["lemmas"])
        senses = [[label, text, lemma] for label, text in project.labels.items()]
        tables["senses"] = SENSE_COLUMNS, senses
        rows = [
            [
                *(item.uses[0], one.label, name, one.comment, lemma_of[item.uses[0]]),
                project.labels.get(one.label, ""),
            ]
            for name, item, one in given
        ]
        tables["labels"] = LABEL_COLUMNS, rows
    tables["decisions"] = (*identifiers, *DECISION_COLUMNS), _decision_rows(project)
    paths = {name: place / f"{name}.csv" for name in tables}
    for path in paths.values():  # none is written where one may not be
        check_output_file(path, inputs=[project.path], overwrite=overwrite)
    for name, (columns, cells) in tables.items():
        with output_file(paths[name], inputs=[project.path], overwrite=overwrite) as temporary:
            temporary.write_bytes(_write_table(columns, cells))
    return list(paths.values())


def _decision_rows(project: AnnotationProject) -> list[list[str]]:
    last = project.judgments_of(ADJUDICATOR)
    rows = []
    for decision in project.decide():
        uses = project.items[decision.item].uses
        comment = last[decision.item].comment if decision.item in last else ""
        meaning = project.labels.get(decision.label, "")
        lemma = project.uses[uses[0]].lemma
        rows.append([*uses, decision.label, decision.how, comment, lemma, meaning])
    return rows


def _use_cells(use: Use) -> list[str]:
    target, sentence = (f"{start}:{end}" for start, end in (use.target, use.sentence))
    known = [use.lemma, use.pos, use.date, use.grouping, use.identifier, use.description]
    return [*known, use.context, target, sentence]


def _write_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    cells = [columns, *([clean_text(cell) or _NOTHING for cell in row] for row in rows)]
    return "".join("\t".join(row) + "\n" for row in cells).encode("utf-8", "replace")
