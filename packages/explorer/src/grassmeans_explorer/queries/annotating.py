"""What an annotator sees: the annotations there are, an item at a time, and the own judgments.

Nothing here tells what somebody else has judged. A judgment is on the disk before the next item is
given.
"""

from __future__ import annotations

from dataclasses import dataclass

from grassmeans.errors import InputError
from grassmeans_explorer.annotation.project import AnnotationProject, Item
from grassmeans_explorer.annotation.uses import Use
from grassmeans_explorer.limits import ConflictError, NothingThereError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.shelf import Shelf


@dataclass(frozen=True, slots=True)
class ProjectSummary:
    """An annotation in the list of all.

    Attributes
    ----------
    annotators : tuple of str
        Empty where tokens are needed: who has one knows the name.
    """

    name: str
    task: str
    words: tuple[str, ...]
    n_items: int
    annotators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProjectList:
    """All annotations.

    Attributes
    ----------
    needs_tokens : bool
        Whether annotators and who adjudicates are asked for a token.
    can_make : bool
        Whether new ones can be made: there is a corpus, and a folder for them.
    damaged : tuple of str
        The names of folders that cannot be read.
    """

    projects: tuple[ProjectSummary, ...]
    needs_tokens: bool
    can_make: bool
    damaged: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelView:
    """What can be said of an item."""

    label: str
    name: str


@dataclass(frozen=True, slots=True)
class UseView:
    """A word in its text."""

    before: str
    """What stands before the sentence."""
    left: str
    """The sentence up to the word."""
    word: str
    right: str
    after: str
    date: str
    grouping: str
    description: str


@dataclass(frozen=True, slots=True)
class OwnJudgment:
    """What somebody said."""

    label: str
    comment: str
    at: str


@dataclass(frozen=True, slots=True)
class AnnotatorItem:
    """An item as its annotator sees it; ``item`` is None where all are judged."""

    project: str
    task: str
    words: tuple[str, ...]
    annotator: str
    n_items: int
    n_judged: int
    labels: tuple[LabelView, ...]
    place: int
    """From 0, in the order of this annotator."""
    item: str | None
    uses: tuple[UseView, ...]
    judgment: OwnJudgment | None


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of an item."""

    item: str
    label: str
    comment: str = ""


def require_shelf(opened: OpenModel) -> Shelf:
    """The annotations, or `ConflictError` that says how to have some."""
    if opened.annotations is None:
        raise ConflictError(
            "there is no folder of annotations: start with --annotation FOLDER to have one"
        )
    return opened.annotations


def list_projects(opened: OpenModel) -> ProjectList:
    """All annotations of the folder."""
    shelf = require_shelf(opened)
    found, damaged = shelf.list_projects()
    can_make = opened.corpus is not None and not shelf.is_one_project and not opened.read_only
    names = tuple(summarise(shelf, project) for project in found)
    return ProjectList(names, shelf.needs_tokens, can_make, tuple(damaged))


def summarise(shelf: Shelf, project: AnnotationProject) -> ProjectSummary:
    """An annotation as the list has it."""
    return ProjectSummary(
        project.path.resolve().name,
        project.task,
        tuple(project.manifest["lemmas"]),
        len(project.items),
        () if shelf.needs_tokens else project.annotators,
    )


def show_item(
    opened: OpenModel, name: str, annotator: str, place: int | None = None, token: str = ""
) -> AnnotatorItem:
    """The item at a place of the annotator's order; the first that is not judged by default."""
    shelf = require_shelf(opened)
    project = shelf.find(name)
    shelf.check_annotator(project, annotator, token)
    order = project.order_for(annotator)
    if place is not None and place >= len(order):
        raise NothingThereError(f"there are {len(order):,} items, and no place {place + 1:,}")
    return _view(project, annotator, order, place, start=0)


def judge_item(
    opened: OpenModel, name: str, annotator: str, said: Said, token: str = ""
) -> AnnotatorItem:
    """Write a judgment; the next item that is not judged, after this one and then from the first.

    `ConflictError` where there is no such item or label.
    """
    shelf = require_shelf(opened)
    project = shelf.find(name)
    shelf.check_annotator(project, annotator, token)
    refuse_read_only(opened)
    try:
        project.judge(annotator, said.item, said.label, said.comment)
    except InputError as error:
        raise ConflictError(str(error)) from error
    order = project.order_for(annotator)
    start = next(i for i, item in enumerate(order) if item.identifier == said.item)
    return _view(project, annotator, order, None, start)


def refuse_read_only(opened: OpenModel) -> None:
    """`ConflictError` where nothing may be written."""
    if opened.read_only:
        raise ConflictError("the explorer was started with --read-only: nothing can be judged")


def _view(
    project: AnnotationProject, annotator: str, order: list[Item], place: int | None, start: int
) -> AnnotatorItem:
    done = project.judgments_of(annotator)
    if place is None:
        turns = ((start + i) % len(order) for i in range(len(order)))
        place = next((i for i in turns if order[i].identifier not in done), None)
    item = None if place is None else order[place]
    own = None if item is None else done.get(item.identifier)
    return AnnotatorItem(
        project=project.path.resolve().name,
        task=project.task,
        words=tuple(project.manifest["lemmas"]),
        annotator=annotator,
        n_items=len(order),
        n_judged=len(done),
        labels=list_labels(project),
        place=len(order) if place is None else place,
        item=None if item is None else item.identifier,
        uses=() if item is None else show_uses(project, item),
        judgment=None if own is None else OwnJudgment(own.label, own.comment, own.at),
    )


def list_labels(project: AnnotationProject) -> tuple[LabelView, ...]:
    """What can be said, in the order of the project."""
    return tuple(LabelView(label, name) for label, name in project.labels.items())


def show_uses(project: AnnotationProject, item: Item) -> tuple[UseView, ...]:
    """The texts of an item."""
    return tuple(_show_use(project.uses[name]) for name in item.uses)


def _show_use(use: Use) -> UseView:
    # A sentence may begin after its word where a table of somebody else says so.
    start, end = min(use.sentence[0], use.target[0]), max(use.sentence[1], use.target[1])
    text = use.context
    return UseView(
        before=text[:start],
        left=text[start : use.target[0]],
        word=use.word,
        right=text[use.target[1] : end],
        after=text[end:],
        date=use.date,
        grouping=use.grouping,
        description=use.description,
    )
