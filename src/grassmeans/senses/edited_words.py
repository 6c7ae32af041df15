"""Words of a model with the corrections made to them, and the model with them in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import open_array
from grassmeans.errors import ArtifactError, InputError
from grassmeans.senses.compact import CompactInventory
from grassmeans.senses.editing import (
    ACTIONS,
    WordSample,
    blank_hidden,
    hide_sense,
    merge_senses,
    rename_sense,
    split_sense,
    unhide_sense,
)
from grassmeans.senses.entries import WordSenses, entry_to_dict
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.model import SenseModel
from grassmeans.vectors.word_vectors import WordVectors

HIDDEN_DIRECTIONS = "hidden_directions.npy"
"""Beside the manifest: the directions of hidden senses, in the order of ``edited.hidden``."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One correction, as the manifest of an edited model records it."""

    word: str
    action: str
    senses: tuple[int, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class EditedWord:
    """A word with the corrections made to it.

    Attributes
    ----------
    original : WordSenses
        As the model has it, with the directions of hidden senses.
    entry : WordSenses
        As it is now, with the directions of hidden senses.
    origins : tuple of tuples of int
        For each sense now, the numbers of the original senses that it comes from.
    edits : tuple of Edit
    """

    original: WordSenses
    entry: WordSenses
    origins: tuple[tuple[int, ...], ...]
    edits: tuple[Edit, ...] = ()

    @classmethod
    def start(cls, model: SenseModel, word: str) -> EditedWord:
        """A word of a model, not edited yet."""
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

    def apply(
        self, edit: Edit, vectors: WordVectors, sample: WordSample | None = None
    ) -> EditedWord:
        """The word after one more correction.

        Raises
        ------
        InputError
            Where the action is unknown or does not fit the word.
        """
        wanted = 2 if edit.action == "merge" else 1
        if edit.action not in ACTIONS:
            raise InputError(f"action must be one of {', '.join(ACTIONS)}, got {edit.action!r}")
        if len(edit.senses) != wanted:
            raise InputError(
                f"{edit.action} needs the number of {wanted} sense{'s'[: wanted - 1]}, "
                f"got {list(edit.senses)}"
            )
        number = edit.senses[0]
        origins = list(self.origins)
        if edit.action == "merge":
            entry = merge_senses(self.entry, edit.senses, vectors, sample)
            first, second = sorted(edit.senses)
            joined = {*origins[first - 1], *origins[second - 1]}
            origins[first - 1] = tuple(sorted(joined))
            del origins[second - 1]
        elif edit.action == "split":
            entry = split_sense(self.entry, number, vectors, sample)
            origins.append(origins[number - 1])
        elif edit.action == "rename":
            entry = rename_sense(self.entry, number, edit.name)
        elif edit.action == "hide":
            entry = hide_sense(self.entry, number)
        else:
            entry = unhide_sense(self.entry, number)
        return EditedWord(self.original, entry, tuple(origins), (*self.edits, edit))


class EditedInventory(SenseInventory):
    """An inventory some of whose entries are replaced; the rest stays where it is.

    Parameters
    ----------
    base : SenseInventory
    entries : mapping of str to WordSenses
        In the form of `blank_hidden`. Words that the base does not have are added at its end.
    """

    def __init__(self, base: SenseInventory, entries: Mapping[str, WordSenses]) -> None:
        self._base = base
        self._entries = dict(entries)
        self.words = (*base.words, *(word for word in entries if word not in base))
        self.skipped = base.skipped

    def __contains__(self, word: object) -> bool:
        return word in self._entries or word in self._base

    def __getitem__(self, word: str) -> WordSenses:
        return self._entries[word] if word in self._entries else self._base[word]

    def directions(self, word: str) -> NDArray[np.float32]:
        """(n_senses, dim) directions of a word, zeros where a sense is hidden."""
        if word in self._entries:
            return self._entries[word].directions
        return self._base.directions(word)

    @property
    def sense_counts(self) -> Mapping[str, int]:
        """How many senses each word has, hidden ones included."""
        own = {word: entry.n_senses for word, entry in self._entries.items()}
        return MappingProxyType({**self._base.sense_counts, **own})

    def to_compact(self, words: Iterable[str] | None = None) -> CompactInventory:
        """The parts that the compact form stores, of all words or of some of them, in order."""
        chosen = self.words if words is None else tuple(words)
        stored = self._base.to_compact()
        numbers = {word: i for i, word in enumerate(stored.words)}
        directions = [self.directions(word) for word in chosen]
        lines = [
            json.dumps(entry_to_dict(self._entries[word]), ensure_ascii=False).encode()
            if word in self._entries
            else stored.lines[numbers[word]].rstrip(b"\n")
            for word in chosen
        ]
        return CompactInventory(
            words=list(chosen),
            sense_counts=np.array([len(rows) for rows in directions], np.int64),
            directions=np.concatenate(directions) if directions else stored.directions[:0],
            lines=lines,
            skipped=self.skipped,
        )

    def save(self, folder: Path) -> None:
        """Write the inventory into a folder, as an ordinary one."""
        SenseInventory._from_compact(self.to_compact()).save(folder)


def apply_edits(model: SenseModel, edits: Mapping[str, EditedWord]) -> SenseModel:
    """The model with edited words, ready to tag; vectors and other words are shared with it."""
    entries = {word: blank_hidden(edited.entry) for word, edited in edits.items()}
    inventory = EditedInventory(model.inventory, entries)
    return SenseModel(model.vectors, inventory, model.rules, model.manifest, model.folder)


def read_hidden_directions(model: SenseModel) -> dict[tuple[str, int], NDArray[np.float32]]:
    """The directions of senses that were hidden in an earlier version, by word and number."""
    listed = model.manifest.get("edited", {}).get("hidden", [])
    if not listed or model.folder is None:
        return {}
    rows = open_array(model.folder / HIDDEN_DIRECTIONS, mapped=False)
    if len(rows) != len(listed):
        raise ArtifactError(f"{model.folder / HIDDEN_DIRECTIONS} does not fit its manifest")
    return {(word, number): row for (word, number), row in zip(listed, rows, strict=True)}


def describe_edits(edits: Mapping[str, EditedWord]) -> list[dict[str, Any]]:
    """All corrections as plain values, word by word."""
    return [asdict(edit) for edited in edits.values() for edit in edited.edits]
