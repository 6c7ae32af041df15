"""An annotation: uses of words, what is to be said of them, and what people have said.

A folder with a manifest, ``uses.jsonl`` and ``items.jsonl``, which never change, and a folder
``judgments`` with a file for each annotator. Annotators see the items in an order of their own and
nothing of each other. Where the folder has judgments, no command replaces it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.artifacts.checking import MANIFEST, parse_json, read_text
from grassmeans.artifacts.schema import check_values, each, one_of, record, row, text, whole
from grassmeans.artifacts.writing import encode_json, read_manifest, write_bytes, write_manifest
from grassmeans.errors import InputError, check_choice
from grassmeans.models.model import SenseModel
from grassmeans.outputs.ownership import Paths
from grassmeans.outputs.places import output_folder
from grassmeans.senses.samples import word_seeds
from grassmeans_explorer.annotation.judgments import LONGEST_COMMENT, Judgment, JudgmentFile
from grassmeans_explorer.annotation.uses import (
    Use,
    check_name,
    check_uses,
    find_lemmas,
    use_from_dict,
    use_to_dict,
)

KIND, FORMAT_VERSION = "annotation", 1
USES, ITEMS, JUDGMENTS = "uses.jsonl", "items.jsonl", "judgments"
SENSES, RELATEDNESS = "senses", "relatedness"
TASKS = (SENSES, RELATEDNESS)
UNDECIDED = "0"
"""The label of who cannot decide; it counts in no agreement."""
NEW = "new"
"""The label of a sense that is none of those there are."""
SCALE = {
    "4": "identical",
    "3": "closely related",
    "2": "distantly related",
    "1": "unrelated",
    UNDECIDED: "cannot decide",
}
ADJUDICATOR = "(adjudication)"
"""In place of an annotator: who has the last word. No annotator can be called so."""
WAYS = ("adjudicated", "agreed", "majority", "open", "missing")
"""How an item is decided, or not."""
ADJUDICATED, AGREED, MAJORITY, OPEN, MISSING = WAYS
MOST_PAIRS = 10_000
Given = tuple[tuple[str, ...], Judgment]
"""The uses of an item, by their identifiers in any order, and what somebody said of it."""
_RULES = {
    "task": one_of(*TASKS),
    "labels": each(row(text, text)),
    "annotators": each(text),
    "random_state": whole(),
    "lemmas": each(text),
}
_ITEM_RULES = {"identifier": text, "uses": each(text)}


@dataclass(frozen=True, slots=True)
class Item:
    """What is judged at once: a use, or two."""

    identifier: str
    uses: tuple[str, ...]
    """Their identifiers."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What an item is in the end."""

    item: str
    label: str
    """Empty where people do not agree and nobody has decided."""
    how: str
    """One of `WAYS`: ``missing`` is without any judgment."""


class AnnotationProject:
    """An annotation on disk; open one with `open`, make one with `make_project`."""

    def __init__(self, path: Path, manifest: Mapping[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self.task: str = manifest["task"]
        self.labels: dict[str, str] = dict(manifest["labels"])
        self.annotators: tuple[str, ...] = tuple(manifest["annotators"])

    @classmethod
    def open(cls, path: str | Path) -> AnnotationProject:
        """Open the folder of an annotation."""
        folder = Path(path)
        manifest = read_manifest(folder, KIND, FORMAT_VERSION)
        check_values(folder / MANIFEST, manifest, _RULES, {"inputs": record()})
        return cls(folder, manifest)

    def __repr__(self) -> str:
        return f"AnnotationProject({str(self.path)!r}: {len(self.items):,} items of {self.task})"

    @cached_property
    def uses(self) -> dict[str, Use]:
        """The uses by their identifiers."""
        path = self.path / USES
        found = (use_from_dict(values, path) for values in _read_lines(path))
        return {use.identifier: use for use in found}

    @cached_property
    def items(self) -> dict[str, Item]:
        """What is judged, by its identifiers."""
        path = self.path / ITEMS
        found = {}
        for values in _read_lines(path):
            check_values(path, values, _ITEM_RULES)
            item = Item(values["identifier"], tuple(values["uses"]))
            found[item.identifier] = item
        return found

    def order_for(self, annotator: str) -> list[Item]:
        """The items in the order of one annotator, the same each time."""
        self._check_annotator(annotator)
        seeds = word_seeds(annotator, self.manifest["random_state"])
        items = list(self.items.values())
        return [items[i] for i in np.random.default_rng(seeds).permutation(len(items)).tolist()]

    def next_item(self, annotator: str) -> Item | None:
        """The first item that an annotator has not judged yet; None at the end."""
        done = self.judgments_of(annotator)
        left = (item for item in self.order_for(annotator) if item.identifier not in done)
        return next(left, None)

    def judge(self, annotator: str, item: str, label: str, comment: str = "") -> None:
        """Write what an annotator says of an item; the last judgment of an item counts."""
        self._check_annotator(annotator)
        self._append(annotator, Judgment(item, label, comment))

    def adjudicate(self, item: str, label: str, comment: str = "") -> None:
        """Write what an item is in the end, whatever annotators say."""
        self._append(ADJUDICATOR, Judgment(item, label, comment))

    def judgments_of(self, annotator: str) -> dict[str, Judgment]:
        """What an annotator says of each item now."""
        found = JudgmentFile(self.path / JUDGMENTS, annotator).read()
        return {one.item: one for one in found if one.item in self.items}

    def judgments_by_item(self) -> dict[str, dict[str, Judgment]]:
        """What each annotator says of each item, for who adjudicates; not for annotators."""
        given = {name: self.judgments_of(name) for name in self.annotators}
        return {
            item: {name: own[item] for name, own in given.items() if item in own}
            for item in self.items
        }

    def decide(self) -> tuple[Decision, ...]:
        """What each item is: by adjudication, else by more than half of those who decided."""
        last = self.judgments_of(ADJUDICATOR)
        return tuple(
            _decide(
                item,
                last[item].label if item in last else None,
                [one.label for one in given.values()],
            )
            for item, given in self.judgments_by_item().items()
        )

    def _append(self, annotator: str, judgment: Judgment) -> None:
        _check_judgment(judgment, self.items, self.labels, self.path.name)
        JudgmentFile(self.path / JUDGMENTS, annotator).append([judgment])

    def _check_annotator(self, annotator: str) -> None:
        if annotator not in self.annotators:
            known = ", ".join(self.annotators)
            raise InputError(f"{annotator[:80]!r} is no annotator of {self.path.name}: {known}")


def _check_judgment(
    one: Judgment, items: Container[str], labels: Iterable[str], project: str
) -> None:
    if one.item not in items:
        raise InputError(f"there is no item {one.item[:80]!r} in {project}")
    if one.label not in labels:
        known = ", ".join(labels)
        raise InputError(f"{one.label[:80]!r} is no label here: they are {known}")
    if len(one.comment) > LONGEST_COMMENT:
        raise InputError(f"a comment has at most {LONGEST_COMMENT:,} characters")


def _decide(item: str, last: str | None, labels: Sequence[str]) -> Decision:
    if last is not None:
        return Decision(item, last, ADJUDICATED)
    if not labels:
        return Decision(item, "", MISSING)
    decided = [label for label in labels if label != UNDECIDED]
    best = max(sorted(set(decided)), key=decided.count, default="")
    if not decided or 2 * decided.count(best) <= len(decided):
        return Decision(item, "", OPEN)
    return Decision(item, best, AGREED if len(set(labels)) == 1 else MAJORITY)


def _read_lines(path: Path) -> list[Any]:
    return [parse_json(line, path) for line in read_text(path).split("\n") if line]


def list_senses(model: SenseModel, word: str) -> dict[str, str]:
    """The labels of a word's senses in a model: numbers and names, a new sense, cannot decide."""
    entry = model.senses(word)
    named = {sense.number: sense.name for sense in entry.senses if not sense.hidden}
    numbers = named or dict.fromkeys(range(1, entry.n_senses + 1), "")
    labels = {str(number): name or f"sense {number}" for number, name in numbers.items()}
    return labels | {NEW: "another sense", UNDECIDED: "cannot decide"}


def make_project(
    output: str | Path,
    uses: Sequence[Use],
    annotators: Iterable[str],
    *,
    task: str = SENSES,
    labels: Mapping[str, str] | None = None,
    pairs: Iterable[tuple[str, str]] | None = None,
    n_pairs: int = 100,
    random_state: int = 0,
    judgments: Mapping[str, Sequence[Given]] | None = None,
    inputs: Mapping[str, str] | None = None,
    sources: Paths = (),
    overwrite: bool = False,
) -> AnnotationProject:
    """Write a new annotation; with ``overwrite``, in place of one without judgments.

    Parameters
    ----------
    annotators : iterable of str
        Their names, at least one.
    task : {"senses", "relatedness"}
        A label for each use; or how much two uses have to do with each other, 1 to 4.
    labels : mapping of str to str, optional
        Of the task "senses": label -> what it means (`list_senses`).
    pairs : iterable of (identifier, identifier), optional
        Of the task "relatedness"; ``n_pairs`` drawn at random by default.
    judgments : mapping, optional
        What was judged elsewhere: annotator, or `ADJUDICATOR` -> what each of them said. It is
        there when the annotation is, or neither is.
    inputs : mapping, optional
        What the manifest tells of where the uses come from.
    sources : iterable of paths
        What is read meanwhile, and never replaced.
    """
    check_choice("task", task, TASKS)
    names = [check_name(name, "an annotator's name") for name in annotators]
    if not names or len(set(names)) < len(names) or ADJUDICATOR in names:
        raise InputError("an annotation needs annotators, each of another name")
    if not uses:
        raise InputError("an annotation needs uses: there are none")
    check_uses(uses)
    if task == RELATEDNESS:
        chosen = draw_pairs(uses, n_pairs, random_state) if pairs is None else list(pairs)
        items, labels = _make_pairs(uses, chosen), SCALE
    else:
        items = [Item(use.identifier, (use.identifier,)) for use in uses]
    if not labels or not items:
        raise InputError("an annotation needs labels, and uses that can be judged")
    about = {
        "task": task,
        "labels": [[check_name(label, "a label"), told] for label, told in labels.items()],
        "annotators": names,
        "random_state": random_state,
        "lemmas": list(find_lemmas(uses)),
        "inputs": dict(inputs or {}),
    }
    given = _name_judgments(judgments or {}, items, labels, Path(output).name)
    with output_folder(output, KIND, inputs=sources, overwrite=overwrite) as building:
        _write_lines(building.folder / USES, [use_to_dict(use) for use in uses])
        _write_lines(building.folder / ITEMS, [asdict(item) for item in items])
        write_manifest(building.folder, KIND, FORMAT_VERSION, about)
        # After the manifest, which lists what an overwriting command may replace.
        for who, own in given.items():
            JudgmentFile(building.folder / JUDGMENTS, who).append(own)
    return AnnotationProject.open(output)


def _name_judgments(
    judgments: Mapping[str, Sequence[Given]],
    items: Sequence[Item],
    labels: Iterable[str],
    project: str,
) -> dict[str, list[Judgment]]:
    """Judgments with the identifiers of their items."""
    known = {frozenset(item.uses): item.identifier for item in items}
    own = set(known.values())
    found: dict[str, list[Judgment]] = {}
    for who, given in judgments.items():
        for uses, one in given:
            named = replace(one, item=known.get(frozenset(uses), " ".join(uses)))
            _check_judgment(named, own, labels, project)
            found.setdefault(who, []).append(named)
    return found


def _write_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    write_bytes(path, b"".join(encode_json(values) + b"\n" for values in rows))


def draw_pairs(uses: Sequence[Use], n_pairs: int, random_state: int = 0) -> list[tuple[str, str]]:
    """Pairs of uses of the same lemma, drawn at random: each once, all where they are few."""
    found: list[tuple[str, str]] = []
    for lemma in find_lemmas(uses):
        own = [use.identifier for use in uses if use.lemma == lemma]
        if len(own) ** 2 > 100 * MOST_PAIRS:
            own = own[: int((100 * MOST_PAIRS) ** 0.5)]
        found += combinations(own, 2)
    order = np.random.default_rng(random_state).permutation(len(found))
    return [found[i] for i in np.sort(order[: min(n_pairs, MOST_PAIRS)]).tolist()]


def _make_pairs(uses: Sequence[Use], pairs: Sequence[tuple[str, str]]) -> list[Item]:
    known = {use.identifier: use.lemma for use in uses}
    items: dict[frozenset[str], Item] = {}
    for first, second in pairs:
        for name in (first, second):
            if name not in known:
                raise InputError(f"a pair has the use {name[:80]!r}, which is not there")
        if first == second or known[first] != known[second]:
            raise InputError(f"{first[:80]!r} and {second[:80]!r} are no two uses of one word")
        key = frozenset((first, second))
        items.setdefault(key, Item(f"{first}|{second}", (first, second)))
    return list(items.values())
