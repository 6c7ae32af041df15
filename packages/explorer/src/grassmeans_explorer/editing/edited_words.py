"""Words of a model with the corrections made to them, and the model with them in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.artifacts.checking import open_array
from grassmeans.artifacts.schema import check_values, each, one_of, text, whole
from grassmeans.editing.edited_words import EditedInventory
from grassmeans.errors import ArtifactError, InputError
from grassmeans.models.model import SenseModel
from grassmeans.senses.decoding import IdkRule, decode_hard
from grassmeans.senses.entries import MOST_SENSES, CountedIn, WordSenses
from grassmeans.senses.samples import WordSample
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_explorer.editing.given_lines import GivenLines, Passage, describe_by_passages
from grassmeans_explorer.editing.sense_edits import (
    Reassigned,
    add_sense_of,
    blank_hidden,
    check_numbers,
    count_taken,
    describe_anew,
    hide_sense,
    merge_senses,
    reassign_lines,
    rename_sense,
    split_sense,
    unhide_sense,
)

HIDDEN_DIRECTIONS = "hidden_directions.npy"
"""Beside the manifest: the directions of hidden senses, in the order of ``edited.hidden``."""
ACTIONS = ("merge", "split", "rename", "hide", "unhide", "adopt", "assign")


@dataclass(frozen=True, slots=True)
class Edit:
    """One correction, as the manifest of an edited model records it."""

    word: str
    """As the model spells it."""
    action: str
    """"merge", "split", "rename", "hide", "unhide", "adopt" or "assign"."""
    senses: tuple[int, ...] = ()
    """What it is about: the senses to merge, the one that gets lines (none for a new one)."""
    name: str = ""
    """A new one."""
    n_senses: int = 0
    """Senses that were adopted."""
    lines: tuple[int, ...] = ()
    """Positions in the corpus of the lines that were assigned."""
    n_taken: int = 0
    """How many of the lines have the sense now."""
    n_moved: int = 0
    """How many others of the contexts looked at have another sense than before."""
    passages: tuple[Passage, ...] = ()
    """Of a text that is not in the corpus, assigned like lines."""
    corpus: str = ""
    """Digest of the corpus whose contexts were looked at; empty without one."""


_ALWAYS = ("word", "action", "senses", "name")
_WHOLE = whole(0, 2**53)
_EDIT_RULES = {"word": text, "action": one_of(*ACTIONS)}
_EDIT_OPTIONS = {
    **dict.fromkeys(("name", "corpus"), text),
    **dict.fromkeys(("n_senses", "n_taken", "n_moved"), _WHOLE),
    "senses": each(whole(1, MOST_SENSES)),
    "lines": each(_WHOLE),
    "passages": each(each(text)),
}


def edit_to_dict(edit: Edit) -> dict[str, Any]:
    """A correction as plain values; what it does not have is left out."""
    return {name: value for name, value in asdict(edit).items() if value or name in _ALWAYS}


def edit_from_dict(values: Any, path: Path) -> Edit:
    """The opposite of `edit_to_dict`, of a file."""
    check_values(path, values, _EDIT_RULES, _EDIT_OPTIONS)
    known: dict[str, Any] = {f.name: values[f.name] for f in fields(Edit) if f.name in values}
    for name in ("senses", "lines"):
        known[name] = tuple(known.get(name, ()))
    known["passages"] = tuple(map(tuple, known.get("passages", ())))
    if any(len(passage) != len(("left", "word", "right")) for passage in known["passages"]):
        raise ArtifactError(f"{path}: a passage needs what stands left, the word, and the rest")
    return Edit(**known)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a correction is made from."""

    sample: WordSample | None = None  # contexts in which the word is counted anew
    counted_in: CountedIn | None = None  # their corpus, where it is not the model's
    found: WordSenses | None = None  # senses to adopt, counted in that corpus
    lines: GivenLines | None = None  # contexts of lines to assign
    rule: IdkRule = None  # when the model says "I don't know"
    lines_have_ends: bool = False  # as `ContextEncoder.lines_have_ends`


NOTHING = Evidence()


@dataclass(frozen=True, slots=True)
class EditedWord:
    """A word with the corrections made to it, which can be taken back one by one."""

    original: WordSenses
    """As the model has it, with the directions of hidden senses."""
    entry: WordSenses
    """As it is now, with the directions of hidden senses."""
    origins: tuple[tuple[int, ...], ...]
    """For each sense now, the numbers of the original senses that it is, or is a merger of; none
    where it is a part of some, or new."""
    edits: tuple[Edit, ...] = ()
    """The corrections, the first one first."""
    before: EditedWord | None = None
    """The word without the last correction."""
    undone: tuple[EditedWord, ...] = ()
    """What was taken back, the last first."""

    @classmethod
    def start(cls, model: SenseModel, word: str) -> EditedWord:
        """A word, not edited yet; one that the model does not have has no senses."""
        if word not in model.inventory:
            nothing = WordSenses(word, 0, 0, np.empty((0, model.vectors.dim), np.float32), ())
            return cls(nothing, nothing, ())
        stored = model.inventory[word]
        if len(stored.senses) != stored.n_senses:
            raise InputError(f"the senses of {word!r} are not described: induce the model again")
        entry = model.senses(word)
        kept = read_hidden_directions(model)
        directions = np.array(entry.directions, np.float32)
        for sense in entry.senses:
            if sense.hidden and (word, sense.number) in kept:
                directions[sense.number - 1] = kept[word, sense.number]
        entry = replace(entry, directions=directions)
        return cls(entry, entry, tuple((sense.number,) for sense in entry.senses))

    def apply(self, edit: Edit, vectors: WordVectors, evidence: Evidence = NOTHING) -> EditedWord:
        """The word after one more correction; `InputError` where it does not fit the word."""
        _check_edit(edit)
        number = edit.senses[0] if edit.senses else 0
        if edit.action == "merge":
            has_ends = evidence.lines_have_ends
            entry = merge_senses(self.entry, edit.senses, vectors, evidence.sample, has_ends)
        elif edit.action == "split":
            entry = split_sense(self.entry, number, vectors, evidence.sample)
        elif edit.action == "rename":
            entry = rename_sense(self.entry, number, edit.name)
        elif edit.action == "hide":
            entry = hide_sense(self.entry, number)
        elif edit.action == "unhide":
            entry = unhide_sense(self.entry, number)
        elif edit.action == "adopt":
            if evidence.found is None:
                raise InputError("there are no senses to adopt: find some in a corpus first")
            entry, edit = evidence.found, replace(edit, n_senses=evidence.found.n_senses)
        else:
            entry, edit = _assign(self.entry, edit, vectors, evidence)
        if evidence.sample is not None or evidence.found is not None:
            entry = replace(entry, counted_in=evidence.counted_in)
        return self.take(edit, entry)

    def take(self, edit: Edit, outcome: WordSenses) -> EditedWord:
        """The word after a correction whose outcome is known."""
        _check_edit(edit)
        check_numbers(self.entry, edit.senses)
        origins = list(self.origins)
        if edit.action == "merge":
            rows = sorted(number - 1 for number in edit.senses)
            parts = [origins[row] for row in rows]
            origins[rows[0]] = tuple(sorted({*chain(*parts)})) if all(parts) else ()
            origins = [own for row, own in enumerate(origins) if row not in rows[1:]]
        elif edit.action == "split":
            origins[edit.senses[0] - 1] = ()
        elif edit.action == "adopt":
            origins = []
        origins += [()] * (outcome.n_senses - len(origins))
        if len(origins) != outcome.n_senses or outcome.word != self.entry.word:
            raise InputError(f"{edit.action} of {self.entry.word!r} does not give these senses")
        return EditedWord(self.original, outcome, tuple(origins), (*self.edits, edit), self)

    def undo(self) -> EditedWord:
        """The word without its last correction, which `redo` makes again."""
        if self.before is None:
            raise InputError(f"there is no correction of {self.original.word!r} to undo")
        return replace(self.before, undone=(self, *self.undone))

    def reset(self) -> EditedWord:
        """The word as the model has it; `redo` makes the corrections again one by one."""
        word = self
        while word.before is not None:
            word = word.undo()
        return word

    def redo(self) -> EditedWord:
        """The word with the correction that was undone last."""
        if not self.undone:
            raise InputError(f"no correction of {self.original.word!r} was undone")
        return replace(self.undone[0], undone=self.undone[1:])


def _check_edit(edit: Edit) -> None:
    """Refuse an edit that is none."""
    if edit.action not in ACTIONS:
        raise InputError(f"action must be one of {', '.join(ACTIONS)}, got {edit.action!r}")
    if edit.action == "merge" and len(edit.senses) > 1:
        return
    wanted = {"merge": (2,), "adopt": (0,), "assign": (0, 1)}.get(edit.action, (1,))
    if len(edit.senses) not in wanted:
        most = wanted[-1]
        raise InputError(
            f"{edit.action} needs the number of {most} sense{'s' if most != 1 else ''}, "
            f"got {list(edit.senses)}"
        )


def _assign(
    entry: WordSenses, edit: Edit, vectors: WordVectors, evidence: Evidence
) -> tuple[WordSenses, Edit]:
    """Lines given to a sense, or to a new one, and the word described with its new directions."""
    lines, sample = evidence.lines, evidence.sample
    if lines is None or (sample is None and edit.lines):
        raise InputError("lines can be given to a sense where there is a corpus: open it as well")
    found = _give(entry, edit, lines, evidence.rule)
    edit = replace(edit, n_taken=found.n_taken)
    if sample is None:
        return describe_by_passages(found.entry, found.touched, edit.passages, vectors), edit
    before = decode_hard(sample.measure(blank_hidden(entry).directions), evidence.rule)
    after = decode_hard(sample.measure(blank_hidden(found.entry).directions), evidence.rule)
    moved = (before != after) & ~np.isin(sample.contexts.positions, edit.lines)
    described = describe_anew(found.entry, found.touched, sample, vectors, keep_names=True)
    bare = [n for n in found.touched if not described.senses[n - 1].examples]
    if edit.passages and bare:  # nothing of the corpus is nearest to it
        described = describe_by_passages(described, bare, edit.passages, vectors)
    return described, replace(edit, n_moved=int(moved.sum()))


def _give(entry: WordSenses, edit: Edit, lines: GivenLines, rule: IdkRule) -> Reassigned:
    """Turn the senses. A place of a person's text has to be nearest to the sense, not sure."""

    def turn(by_rule: IdkRule) -> Reassigned:
        if edit.senses:
            return reassign_lines(entry, edit.senses[0], lines, by_rule)
        return add_sense_of(entry, lines, by_rule)

    try:
        return turn(rule)
    except InputError:
        if not edit.passages:
            raise
    found = turn(None)
    return replace(found, n_taken=count_taken(found.entry, found.touched[0], lines, rule))


def apply_edits(model: SenseModel, edits: Mapping[str, EditedWord]) -> SenseModel:
    """The model with edited words, ready to tag; vectors and other words are shared with it."""
    entries = {
        word: blank_hidden(edited.entry) for word, edited in edits.items() if edited.entry.senses
    }
    return model.with_inventory(EditedInventory(model.inventory, entries))


def read_hidden_directions(model: SenseModel) -> dict[tuple[str, int], Floats]:
    """The directions of senses that were hidden in an earlier version, by word and number."""
    listed = model.manifest.get("edited", {}).get("hidden", [])
    if not listed or model.folder is None:
        return {}
    rows = open_array(
        model.folder / HIDDEN_DIRECTIONS, np.float32, (len(listed), model.vectors.dim), mapped=False
    )
    return {(word, number): row for (word, number), row in zip(listed, rows, strict=True)}
