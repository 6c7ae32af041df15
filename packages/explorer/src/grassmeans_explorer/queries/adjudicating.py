"""What the one sees who runs an annotation: how far it is, agreement, differences, and the end."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans_explorer.annotation.durel import export_project
from grassmeans_explorer.annotation.judgments import Judgment
from grassmeans_explorer.annotation.measuring import (
    LabelAgreement,
    PairAgreement,
    measure_agreement,
)
from grassmeans_explorer.annotation.project import (
    ADJUDICATOR,
    OPEN,
    WAYS,
    AnnotationProject,
    Decision,
)
from grassmeans_explorer.annotation.refitting import refit_senses, tell_why_not
from grassmeans_explorer.limits import ConflictError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.annotating import (
    LabelView,
    OwnJudgment,
    Said,
    UseView,
    list_labels,
    refuse_read_only,
    require_shelf,
    show_uses,
)
from grassmeans_explorer.queries.corrections import SavedVersion, describe_version
from grassmeans_explorer.work import begin_long_work, checkpoint


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """How many items somebody has judged."""

    name: str
    n_judged: int


@dataclass(frozen=True, slots=True)
class DecisionCount:
    """How many items are decided in a way: one of `WAYS`."""

    how: str
    count: int


@dataclass(frozen=True, slots=True)
class ProjectProgress:
    """How far an annotation is, and how far people agree; see `Agreement`."""

    name: str
    task: str
    words: tuple[str, ...]
    n_items: int
    labels: tuple[LabelView, ...]
    annotators: tuple[AnnotatorProgress, ...]
    decisions: tuple[DecisionCount, ...]
    n_shared: int
    alpha_nominal: float | None
    alpha_ordinal: float | None
    pairs: tuple[PairAgreement, ...]
    by_label: tuple[LabelAgreement, ...]
    can_refit: bool
    cannot_refit: str
    """Why not."""


@dataclass(frozen=True, slots=True)
class NamedJudgment:
    """What one annotator said."""

    annotator: str
    label: str
    comment: str


@dataclass(frozen=True, slots=True)
class Difference:
    """An item on which people differ."""

    item: str
    uses: tuple[UseView, ...]
    judgments: tuple[NamedJudgment, ...]
    label: str
    """What it is in the end; empty where it is open."""
    how: str
    adjudication: OwnJudgment | None


@dataclass(frozen=True, slots=True)
class Differences:
    """Items on which people differ, in the order of the annotation."""

    total: int
    n_left: int
    """Those that nobody has adjudicated."""
    next_left: int | None
    """The place of the first of these from the offset on, else of the first of all."""
    labels: tuple[LabelView, ...]
    items: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class RefitResult:
    """A version whose senses have the lines that people gave them."""

    version: SavedVersion
    n_lines: int
    n_open: int
    refused: tuple[str, ...]


def show_progress(opened: OpenModel, name: str, token: str = "") -> ProjectProgress:
    """How far an annotation is."""
    project = _open_as_adjudicator(opened, name, token)
    found = measure_agreement(project)
    counted = Counter(decision.how for decision in project.decide())
    why_not = _why_no_refit(opened, project)
    return ProjectProgress(
        name=project.path.resolve().name,
        task=project.task,
        words=tuple(project.manifest["lemmas"]),
        n_items=found.n_items,
        labels=list_labels(project),
        annotators=tuple(AnnotatorProgress(who, n) for who, n in found.n_judged.items()),
        decisions=tuple(DecisionCount(how, counted[how]) for how in WAYS),
        n_shared=found.n_shared,
        alpha_nominal=found.alpha_nominal,
        alpha_ordinal=found.alpha_ordinal,
        pairs=found.pairs,
        by_label=found.labels,
        can_refit=not why_not,
        cannot_refit=why_not,
    )


def list_differences(
    opened: OpenModel,
    name: str,
    *,
    unfinished: bool = False,
    offset: int = 0,
    limit: int = 50,
    token: str = "",
) -> Differences:
    """Items on which people differ, or cannot decide.

    Only those that everybody has judged, so that nobody's judgment is known before it is made;
    with ``unfinished`` the others too.
    """
    project = _open_as_adjudicator(opened, name, token)
    given = project.judgments_by_item()
    last = project.judgments_of(ADJUDICATOR)
    decisions = {decision.item: decision for decision in project.decide()}
    n_needed = 1 if unfinished else len(project.annotators)
    found = [
        item
        for item, own in given.items()
        if item in last or (len(own) >= n_needed and _is_disputed(own, decisions[item]))
    ]
    left = [place for place, item in enumerate(found) if item not in last]
    after = [place for place in left if place >= offset]
    return Differences(
        total=len(found),
        n_left=len(left),
        next_left=next(iter(after or left), None),
        labels=list_labels(project),
        items=tuple(
            _describe(project, decisions[item], given[item], last.get(item))
            for item in found[offset : offset + limit]
        ),
    )


def _is_disputed(own: Mapping[str, Judgment], decision: Decision) -> bool:
    return len({one.label for one in own.values()}) > 1 or decision.how == OPEN


def _describe(
    project: AnnotationProject,
    decision: Decision,
    own: Mapping[str, Judgment],
    last: Judgment | None,
) -> Difference:
    return Difference(
        item=decision.item,
        uses=show_uses(project, project.items[decision.item]),
        judgments=tuple(NamedJudgment(who, one.label, one.comment) for who, one in own.items()),
        label=decision.label,
        how=decision.how,
        adjudication=None if last is None else OwnJudgment(last.label, last.comment, last.at),
    )


def adjudicate_item(opened: OpenModel, name: str, said: Said, token: str = "") -> Difference:
    """Write what an item is in the end; as it is then."""
    project = _open_as_adjudicator(opened, name, token)
    refuse_read_only(opened)
    try:
        project.adjudicate(said.item, said.label, said.comment)
    except InputError as error:
        raise ConflictError(str(error)) from error
    decision = next(one for one in project.decide() if one.item == said.item)
    given, last = project.judgments_by_item(), project.judgments_of(ADJUDICATOR)
    return _describe(project, decision, given[said.item], last[said.item])


def refit_from_lines(
    opened: OpenModel, name: str, version: str | None = None, token: str = ""
) -> RefitResult:
    """Give decided lines to their senses, and save that as a new version of the model."""
    project = _open_as_adjudicator(opened, name, token)
    if why_not := _why_no_refit(opened, project):
        raise ConflictError(why_not)
    begin_long_work()
    with opened.saving:
        checkpoint(0.0)
        try:
            found = refit_senses(project, opened.base, _open_corpus(opened))
            checkpoint(0.8)
            folder = found.save(opened.save_to, version)
        except InputError as error:
            raise ConflictError(str(error)) from error
    told = describe_version(opened, folder, found.edits)
    return RefitResult(told, found.n_lines, found.n_open, found.refused)


def _why_no_refit(opened: OpenModel, project: AnnotationProject) -> str:
    """Why lines cannot be given to senses; empty where they can."""
    if opened.read_only:
        return "the explorer was started with --read-only: nothing can be saved"
    if opened.corpus is None:
        return "giving lines to senses needs the corpus: start with --corpus CORPUS"
    return tell_why_not(project, opened.base, _open_corpus(opened))


def _open_corpus(opened: OpenModel) -> Corpus:
    """The corpus as it is on the disk, without what the model makes of its forms."""
    return Corpus.open(opened.require_corpus("giving lines to senses").path)


def export_tables(opened: OpenModel, name: str, token: str = "") -> bytes:
    """The tables of an annotation in the form of DURel, packed in one file (ZIP)."""
    project = _open_as_adjudicator(opened, name, token)
    content = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        written = export_project(project, Path(folder) / "tables")
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in written:
                packed.write(path, path.name)
    return content.getvalue()


def _open_as_adjudicator(opened: OpenModel, name: str, token: str) -> AnnotationProject:
    shelf = require_shelf(opened)
    project = shelf.find(name)
    shelf.check_adjudicator(project, token)
    return project
