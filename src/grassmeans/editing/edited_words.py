"""A model with other entries for some of its words, and how it is written."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.artifacts.checking import MANIFEST
from grassmeans.artifacts.writing import explain_write_errors
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.geometry.distances import SenseLines
from grassmeans.lazy import lead_to
from grassmeans.models.model import INVENTORY_FOLDER, SenseModel
from grassmeans.senses.compact_inventory import CompactInventory
from grassmeans.senses.entries import WordSenses, entry_to_dict
from grassmeans.senses.inventory import SenseInventory

_HEAD = ("kind", "format_version", "grassmeans", "created", "n_words", "n_skipped")


class EditedInventory(SenseInventory):
    """An inventory some of whose entries are replaced; the rest stays where it is.

    Directions of hidden senses are zeros. Words that the base does not have are added at its end.
    """

    def __init__(self, base: SenseInventory, entries: Mapping[str, WordSenses]) -> None:
        self._base = base
        self._entries = dict(entries)
        self.words = (*base.words, *(word for word in entries if word not in base))
        self.skipped = base.skipped
        self._shares = {}

    def __contains__(self, word: object) -> bool:
        return word in self._entries or word in self._base

    def __getitem__(self, word: str) -> WordSenses:
        return self._entries[word] if word in self._entries else self._base[word]

    @property
    def dim(self) -> int:
        """The dimension of the directions."""
        return self._base.dim

    def directions(self, word: str) -> Floats:
        """(n_senses, dim) directions of a word, zeros where a sense is hidden."""
        if word in self._entries:
            return self._entries[word].directions
        return self._base.directions(word)

    def lines_of(self, words: Iterable[str]) -> SenseLines:
        """The directions of some words, one after the other."""
        chosen = list(words)
        if self._entries.keys().isdisjoint(chosen):
            return self._base.lines_of(chosen)
        return SenseLines.collect(self.directions(word) for word in chosen)

    def names_of(self, word: str) -> Mapping[int, str]:
        """What the senses of a word are called now, by their numbers."""
        if word not in self._entries:
            return self._base.names_of(word)
        return {sense.number: sense.name for sense in self._entries[word].senses}

    def function_senses_of(self, word: str) -> frozenset[int]:
        """The numbers of the senses that are a use as a function word now."""
        if word not in self._entries:
            return self._base.function_senses_of(word)
        return frozenset(s.number for s in self._entries[word].senses if s.function)

    def usual_distance(self, word: str) -> float:
        """The mean distance of a word's contexts to its only sense as it is now, or NaN."""
        if word not in self._entries:
            return self._base.usual_distance(word)
        senses = self._entries[word].senses
        return senses[0].mean_distance if len(senses) == 1 else math.nan

    @property
    def sense_counts(self) -> Mapping[str, int]:
        """How many senses each word has, hidden ones included."""
        own = {word: entry.n_senses for word, entry in self._entries.items()}
        return MappingProxyType({**self._base.sense_counts, **own})

    def to_compact(self) -> CompactInventory:
        """The parts that the compact form stores."""
        stored = self._base.to_compact()
        numbers = {word: i for i, word in enumerate(stored.words)}
        directions = [self.directions(word) for word in self.words]
        lines = [
            json.dumps(entry_to_dict(self._entries[word]), ensure_ascii=False).encode()
            if word in self._entries
            else stored.lines[numbers[word]].rstrip(b"\n")
            for word in self.words
        ]
        return CompactInventory(
            words=list(self.words),
            sense_counts=np.array([len(rows) for rows in directions], np.int64),
            directions=np.concatenate(directions) if directions else stored.directions[:0],
            lines=lines,
            skipped=self.skipped,
        )

    def save(self, path: str | Path) -> None:
        """Write the inventory into a folder, as an ordinary one."""
        SenseInventory.from_compact(self.to_compact()).save(path)


def fill_like(
    model: SenseModel,
    folder: Path,
    encoder: ContextEncoder,
    inventory: SenseInventory,
    facts: Mapping[str, Any],
) -> None:
    """Write a model that has the facts of another one's manifest, and some more; it comes last."""
    known = {key: value for key, value in model.manifest.items() if key not in _HEAD} | dict(facts)
    table = model.lemma_table
    SenseModel(encoder, inventory, model.tokenizer, known, folder, lemma_table=table).fill(folder)


def copy_files(source: Path, folder: Path, left_out: Iterable[str]) -> None:
    """All of a model but its manifest, its inventory and some others, which are written anew."""
    names = {MANIFEST, INVENTORY_FOLDER, *left_out}
    with explain_write_errors(folder):
        shutil.copytree(
            source,
            folder,
            ignore=lambda where, _: names if Path(where) == source else set(),
            dirs_exist_ok=True,
        )


__getattr__ = lead_to(
    __name__, "grassmeans_explorer.editing.edited_words", "Edit", "EditedWord", "apply_edits"
)
