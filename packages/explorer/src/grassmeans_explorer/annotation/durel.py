"""Annotations in the form of DURel and of word usage graphs: tables with tabs and no quotes.

``uses.csv`` has a use a line, ``judgments.csv`` what an annotator says of a pair of uses,
``instances.csv`` the pairs that are to be judged. A value that is not there is a space. Labels of
single uses, which these tables have no place for, are in two more: ``labels.csv`` and
``senses.csv``. Tabs and line breaks in a text become spaces, so that no character moves.

Files may lie in the folder itself or, as graphs are published, in a folder for each word. Lines
that cannot be used are counted and told, with the first of each kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grassmeans.errors import InputError
from grassmeans.outputs.places import output_file
from grassmeans.reading.documents import describe_skipped
from grassmeans_explorer.annotation.judgments import LONGEST_COMMENT, Judgment
from grassmeans_explorer.annotation.project import (
    RELATEDNESS,
    SCALE,
    SENSES,
    AnnotationProject,
    Item,
    make_project,
)
from grassmeans_explorer.annotation.uses import Use, check_name, clean_text, find_sentence

USE_COLUMNS = (
    *("lemma", "pos", "date", "grouping", "identifier", "description", "context"),
    *("indexes_target_token", "indexes_target_sentence"),
)
PAIR_COLUMNS = ("identifier1", "identifier2", "lemma")
JUDGMENT_COLUMNS = ("identifier1", "identifier2", "annotator", "judgment", "comment", "lemma")
LABEL_COLUMNS = ("identifier", "label", "annotator", "comment", "lemma", "description")
SENSE_COLUMNS = ("label", "description", "lemma")
_ENDINGS = (".csv", ".tsv")
_RANGE = re.compile(r"\s*(\d{1,7})\s*:\s*(\d{1,7})\s*")
_NOTHING = " "

Row = Mapping[str, str]


@dataclass(slots=True)
class ImportReport:
    """What was passed over."""

    skipped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def skip(self, reason: str, example: str) -> None:
        """Count a line that cannot be used."""
        self.skipped[reason] += 1
        self.examples.setdefault(reason, clean_text(example)[:120])

    def describe(self) -> list[str]:
        """Reasons with their counts and first examples."""
        return describe_skipped(self.skipped, self.examples)


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
    if project.task == RELATEDNESS:
        pairs = [[*item.uses, lemma_of[item.uses[0]]] for item in project.items.values()]
        tables["instances"] = PAIR_COLUMNS, pairs
        rows = [
            [*item.uses, name, one.label, one.comment, lemma_of[item.uses[0]]]
            for name, item, one in given
        ]
        tables["judgments"] = JUDGMENT_COLUMNS, rows
    else:
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
    written = []
    for name, (columns, cells) in tables.items():
        path = place / f"{name}.csv"
        with output_file(path, inputs=[project.path], overwrite=overwrite) as temporary:
            temporary.write_bytes(_write_table(columns, cells))
        written.append(path)
    return written


def _use_cells(use: Use) -> list[str]:
    target, sentence = (f"{start}:{end}" for start, end in (use.target, use.sentence))
    known = [use.lemma, use.pos, use.date, use.grouping, use.identifier, use.description]
    return [*known, use.context, target, sentence]


def _write_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    cells = [columns, *([clean_text(cell) or _NOTHING for cell in row] for row in rows)]
    return "".join("\t".join(row) + "\n" for row in cells).encode("utf-8", "replace")


def import_project(
    folder: str | Path,
    output: str | Path,
    *,
    annotators: Sequence[str] = (),
    overwrite: bool = False,
) -> tuple[AnnotationProject, ImportReport]:
    """Make an annotation of tables: their uses, pairs or labels, and judgments.

    Annotators are those of the judgments and of ``annotators``.
    """
    place, report = Path(folder), ImportReport()
    folders = [place, *sorted(path for path in place.glob("*") if path.is_dir())]
    uses = _read_uses(folders, report)
    if not uses:
        raise InputError(f"{place} has no uses: expected uses.csv in it, or in folders in it")
    known = {use.identifier: use for use in uses}
    pairs = _read_pairs(folders, known, report)
    named = _read_labels(folders, known, report)
    task = SENSES if named and not pairs else RELATEDNESS
    given = named if task == SENSES else pairs
    names = list(dict.fromkeys([*annotators, *(name for name, _, _ in given if name)]))
    if not names:
        raise InputError("the tables have no judgments: name the annotators")
    labels = _read_senses(folders) if task == SENSES else None
    if labels is not None:
        labels |= {one.label: one.label for _, _, one in given if one and one.label not in labels}
    project = make_project(
        output,
        uses,
        names,
        task=task,
        labels=labels,
        pairs=[(a, b) for _, (a, b), _ in pairs] if pairs else None,
        sources=[place],
        overwrite=overwrite,
    )
    ids = {frozenset(item.uses): item for item in project.items.values()}
    for name in names:
        own = [(uses_of, one) for who, uses_of, one in given if who == name and one is not None]
        project.add_judgments(name, [_name_item(ids, uses_of, one) for uses_of, one in own])
    return project, report


_Given = tuple[str, tuple[str, ...], Judgment | None]
"""Annotator, identifiers of the uses, and the judgment; "" and None for a pair alone."""


def _name_item(
    ids: Mapping[frozenset[str], Item], uses: tuple[str, ...], one: Judgment
) -> Judgment:
    return Judgment(ids[frozenset(uses)].identifier, one.label, one.comment, one.at)


def _read_uses(folders: Sequence[Path], report: ImportReport) -> list[Use]:
    found: dict[str, Use] = {}
    for row, place in _read_tables(folders, "uses", ("identifier", "lemma", "context"), report):
        use = _read_use(row)
        if use is None:
            report.skip("use whose target is not in its text", f"{place}: {row['identifier']}")
        elif use.identifier in found:
            report.skip("use that is there twice", f"{place}: {row['identifier']}")
        else:
            found[use.identifier] = use
    return list(found.values())


def _read_use(row: Row) -> Use | None:
    context = row["context"]
    target = _read_range(row.get("indexes_target_token", ""), context)
    if target is None or not row["identifier"].strip() or not row["lemma"].strip():
        return None
    sentence = _read_range(row.get("indexes_target_sentence", ""), context)
    return Use(
        identifier=row["identifier"].strip(),
        lemma=row["lemma"].strip(),
        context=context,
        target=target,
        sentence=sentence or find_sentence(context, *target),
        pos=row.get("pos", "").strip(),
        date=row.get("date", "").strip(),
        grouping=row.get("grouping", "").strip(),
        description=row.get("description", "").strip(),
    )


def _read_range(value: str, context: str) -> tuple[int, int] | None:
    match = _RANGE.fullmatch(value)
    if match is None:
        return None
    start, end = int(match[1]), int(match[2])
    return (start, end) if start < end <= len(context) else None


def _read_pairs(
    folders: Sequence[Path], uses: Mapping[str, Use], report: ImportReport
) -> list[_Given]:
    """Pairs that were judged, then those that only are to be."""
    found: list[_Given] = []
    needed = ("identifier1", "identifier2", "annotator", "judgment")
    for row, place in _read_tables(folders, "judgments", needed, report):
        pair = _find_pair(row, uses)
        label = row["judgment"].strip().removesuffix(".0")
        if pair is None:
            report.skip("judgment of no two uses of a word", f"{place}: {row['identifier1']}")
        elif label not in SCALE:
            report.skip("judgment that is not 0 to 4", f"{place}: {row['judgment']}")
        else:
            found.append(_add_comment(row, pair, label))
    for row, place in _read_tables(folders, "instances", ("identifier1", "identifier2"), report):
        pair = _find_pair(row, uses)
        if pair is None:
            report.skip("pair of no two uses of a word", f"{place}: {row['identifier1']}")
        else:
            found.append(("", pair, None))
    return found


def _find_pair(row: Row, uses: Mapping[str, Use]) -> tuple[str, str] | None:
    first, second = row["identifier1"].strip(), row["identifier2"].strip()
    if first not in uses or second not in uses or first == second:
        return None
    return (first, second) if uses[first].lemma == uses[second].lemma else None


def _read_labels(
    folders: Sequence[Path], uses: Mapping[str, Use], report: ImportReport
) -> list[_Given]:
    found: list[_Given] = []
    for row, place in _read_tables(folders, "labels", ("identifier", "label", "annotator"), report):
        name = row["identifier"].strip()
        if name not in uses or not row["label"].strip():
            report.skip("label of no use", f"{place}: {row['identifier']}")
        else:
            found.append(_add_comment(row, (name,), row["label"].strip()))
    return found


def _add_comment(row: Row, uses: tuple[str, ...], label: str) -> _Given:
    annotator = check_name(row["annotator"].strip() or "unknown", "an annotator's name")
    comment = row.get("comment", "").strip()[:LONGEST_COMMENT]
    return annotator, uses, Judgment("", label, comment)


def _read_senses(folders: Sequence[Path]) -> dict[str, str]:
    rows = _read_tables(folders, "senses", ("label",), ImportReport())
    named = ((row["label"].strip(), row.get("description", "").strip()) for row, _ in rows)
    return {label: text or label for label, text in named if label}


def _read_tables(
    folders: Sequence[Path], name: str, needed: Sequence[str], report: ImportReport
) -> Iterator[tuple[Row, str]]:
    """The rows of all tables of a name, each with the place of its line."""
    for folder in folders:
        for path in (folder / f"{name}{ending}" for ending in _ENDINGS):
            if path.is_file():
                yield from _read_table(path, needed, report)


def _read_table(
    path: Path, needed: Sequence[str], report: ImportReport
) -> Iterator[tuple[Row, str]]:
    try:
        content = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error}") from error
    # Not splitlines, which also cuts at separators that a text may hold.
    lines = content.replace("\r\n", "\n").split("\n")
    columns = [name.strip() for name in lines[0].split("\t")]
    if missing := [name for name in needed if name not in columns]:
        raise InputError(f"{path} has no column {missing[0]!r}: expected {', '.join(needed)}")
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split("\t")
        if not line.strip():
            continue
        place = f"{path.parent.name}/{path.name}, line {number}"
        if len(cells) != len(columns):
            report.skip(f"line without {len(columns)} columns", place)
            continue
        yield {k: clean_text(v) for k, v in zip(columns, cells, strict=True)}, place
