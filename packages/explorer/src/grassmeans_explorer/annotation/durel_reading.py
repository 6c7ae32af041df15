"""Tables of DURel and of word usage graphs -> an annotation, with all that was judged.

Tables lie as they are published: in the folder itself, in a folder for each word
(``crane/uses.csv``, also in ``data/crane``), in a folder for each kind (``uses/crane.csv``), or
called by both (``crane_uses.csv``). Tables and lines that cannot be used are counted and told, with
the first of each kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grassmeans.errors import InputError
from grassmeans.reading.documents import describe_skipped
from grassmeans_explorer.annotation.judgments import LONGEST_COMMENT, Judgment
from grassmeans_explorer.annotation.project import (
    ADJUDICATED,
    ADJUDICATOR,
    RELATEDNESS,
    SCALE,
    SENSES,
    AnnotationProject,
    Given,
    make_project,
)
from grassmeans_explorer.annotation.uses import Use, check_name, clean_text, find_sentence

TABLES = ("uses", "instances", "judgments", "labels", "senses", "decisions")
_OF_WORDS = TABLES[:3]
"""Those that others publish, and call by their words."""
_DEPTHS = ("*.{}", "*/*.{}", "*/*/*.{}")
_ENDINGS = ("csv", "tsv")
_OLD_NAMES = {"target": "lemma", "indexes_target": "indexes_target_token"}
"""Of columns, in early graphs."""
_RANGE = re.compile(r"\s*(\d{1,7})\s*:\s*(\d{1,7})\s*")

Row = Mapping[str, str]
Paths = Mapping[str, Sequence[Path]]
"""The tables of each kind."""


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


def import_project(
    folder: str | Path,
    output: str | Path,
    *,
    annotators: Sequence[str] = (),
    overwrite: bool = False,
) -> tuple[AnnotationProject, ImportReport]:
    """Make an annotation of tables: their uses, pairs or labels, judgments, and last words.

    Annotators are those of the judgments and of ``annotators``.
    """
    place, report = Path(folder), ImportReport()
    paths = _find_tables(place)
    uses = _read_uses(paths, report)
    if not uses:
        raise InputError(
            f"{place} has no uses: expected uses.csv in it, or in folders in it"
            + "".join(f"; {told}" for told in report.describe())
        )
    known = {use.identifier: use for use in uses}
    judged = _read_judgments(paths, known, report)
    pairs = [*(uses_of for _, (uses_of, _) in judged), *_read_pairs(paths, known, report)]
    named = [] if pairs else _read_labels(paths, known, report)
    if pairs and paths["labels"]:
        report.skip("table of labels, which is not read where there are pairs", "labels.csv")
    task, given = (SENSES, named) if named else (RELATEDNESS, judged)
    names = list(dict.fromkeys([*annotators, *(name for name, _ in given)]))
    if not names:
        raise InputError("the tables have no judgments: name the annotators")
    labels = _read_senses(paths) if task == SENSES else None
    if labels is not None:
        labels |= {one.label: one.label for _, (_, one) in given if one.label not in labels}
    judgments: dict[str, list[Given]] = {name: [] for name in names}
    for name, own in given:
        judgments[name].append(own)
    items = {frozenset(uses_of) for uses_of in pairs or ((name,) for name in known)}
    scale = SCALE if labels is None else labels
    judgments[ADJUDICATOR] = _read_last_words(paths, items, scale, report)
    project = make_project(
        output,
        uses,
        names,
        task=task,
        labels=labels,
        pairs=[(a, b) for a, b in pairs] if pairs else None,
        judgments=judgments,
        sources=[place],
        overwrite=overwrite,
    )
    return project, report


def _find_tables(place: Path) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {kind: [] for kind in TABLES}
    for depth in _DEPTHS:
        for path in sorted(p for ending in _ENDINGS for p in place.glob(depth.format(ending))):
            inside = path.relative_to(place)
            if path.is_file() and not any(part.startswith(".") for part in inside.parts):
                kind = _kind_of(inside)
                if kind is not None:
                    found[kind].append(path)
    return found


def _kind_of(path: Path) -> str | None:
    """Of a table, by its name or that of its folder."""
    if path.stem in TABLES:
        return path.stem
    by_word = path.parent.name, path.stem.rpartition("_")[2]
    return next((name for name in by_word if name in _OF_WORDS), None)


_Named = tuple[str, Given]
"""Annotator, and what they said."""


def _read_uses(paths: Paths, report: ImportReport) -> list[Use]:
    found: dict[str, Use] = {}
    for row, place in _read_tables(paths["uses"], ("identifier", "lemma", "context"), report):
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


def _read_judgments(paths: Paths, uses: Mapping[str, Use], report: ImportReport) -> list[_Named]:
    found: list[_Named] = []
    needed = ("identifier1", "identifier2", "annotator", "judgment")
    for row, place in _read_tables(paths["judgments"], needed, report):
        pair = _find_pair(row, uses)
        label = row["judgment"].strip().removesuffix(".0")
        if pair is None:
            report.skip("judgment of no two uses of a word", f"{place}: {row['identifier1']}")
        elif label not in SCALE:
            report.skip("judgment that is not 0 to 4", f"{place}: {row['judgment']}")
        else:
            found.append(_name_given(row, pair, label))
    return found


def _read_pairs(
    paths: Paths, uses: Mapping[str, Use], report: ImportReport
) -> list[tuple[str, ...]]:
    """Pairs that are to be judged."""
    found: list[tuple[str, ...]] = []
    for row, place in _read_tables(paths["instances"], ("identifier1", "identifier2"), report):
        pair = _find_pair(row, uses)
        if pair is None:
            report.skip("pair of no two uses of a word", f"{place}: {row['identifier1']}")
        else:
            found.append(pair)
    return found


def _find_pair(row: Row, uses: Mapping[str, Use]) -> tuple[str, str] | None:
    first, second = row["identifier1"].strip(), row["identifier2"].strip()
    if first not in uses or second not in uses or first == second:
        return None
    return (first, second) if uses[first].lemma == uses[second].lemma else None


def _read_labels(paths: Paths, uses: Mapping[str, Use], report: ImportReport) -> list[_Named]:
    found: list[_Named] = []
    needed = ("identifier", "label", "annotator")
    for row, place in _read_tables(paths["labels"], needed, report):
        name = row["identifier"].strip()
        if name not in uses or not row["label"].strip():
            report.skip("label of no use", f"{place}: {row['identifier']}")
        else:
            found.append(_name_given(row, (name,), row["label"].strip()))
    return found


def _name_given(row: Row, uses: tuple[str, ...], label: str) -> _Named:
    annotator = check_name(row["annotator"].strip() or "unknown", "an annotator's name")
    return annotator, (uses, Judgment("", label, _comment_of(row)))


def _comment_of(row: Row) -> str:
    return row.get("comment", "").strip()[:LONGEST_COMMENT]


def _read_last_words(
    paths: Paths, items: Collection[frozenset[str]], labels: Container[str], report: ImportReport
) -> list[Given]:
    """What was adjudicated; all other decisions follow from the judgments."""
    found: list[Given] = []
    for row, place in _read_tables(paths["decisions"], ("label", "how"), report):
        if row["how"].strip() != ADJUDICATED:
            continue
        ids = (row.get(name, "").strip() for name in ("identifier", "identifier1", "identifier2"))
        uses, label = tuple(filter(None, ids)), row["label"].strip()
        if frozenset(uses) not in items or label not in labels:
            report.skip("decision of no item, or with no label of them", place)
        else:
            found.append((uses, Judgment("", label, _comment_of(row))))
    return found


def _read_senses(paths: Paths) -> dict[str, str]:
    rows = _read_tables(paths["senses"], ("label",), ImportReport())
    named = ((row["label"].strip(), row.get("description", "").strip()) for row, _ in rows)
    return {label: text or label for label, text in named if label}


def _read_tables(
    paths: Sequence[Path], needed: Sequence[str], report: ImportReport
) -> Iterator[tuple[Row, str]]:
    """The rows of some tables, each with the place of its line."""
    for path in paths:
        yield from _read_table(path, needed, report)


def _read_table(
    path: Path, needed: Sequence[str], report: ImportReport
) -> Iterator[tuple[Row, str]]:
    try:
        content = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error}") from error
    if not content.strip():  # as tools write it that have nothing to say
        return
    # Not splitlines, which also cuts at separators that a text may hold.
    lines = content.replace("\r\n", "\n").split("\n")
    columns = _name_columns(lines[0])
    named = f"{path.parent.name}/{path.name}"
    if missing := [name for name in needed if name not in columns]:
        report.skip(f"table without the column {missing[0]!r}", named)
        return
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split("\t")
        if not line.strip():
            continue
        place = f"{named}, line {number}"
        if len(cells) != len(columns):
            report.skip(f"line without {len(columns)} columns", place)
            continue
        yield {k: clean_text(v) for k, v in zip(columns, cells, strict=True)}, place


def _name_columns(head: str) -> list[str]:
    names = [name.strip() for name in head.split("\t")]
    return [
        new if (new := _OLD_NAMES.get(name, name)) == name or new not in names else name
        for name in names
    ]
