"""Words of a model with the corrections made to them, and the model with them in it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import explain_write_errors, write_array
from grassmeans.checked import MANIFEST, open_array
from grassmeans.encoders import VECTORS_FOLDER
from grassmeans.errors import ArtifactError, InputError
from grassmeans.outputs import output_folder
from grassmeans.senses.editing import (
    ACTIONS,
    blank_hidden,
    hide_sense,
    merge_senses,
    rename_sense,
    split_sense,
    unhide_sense,
)
from grassmeans.senses.entries import WordSenses, entry_to_dict
from grassmeans.senses.inventory import CompactInventory, SenseInventory
from grassmeans.senses.model import (
    INVENTORY_FOLDER,
    LEXEMES_FOLDER,
    SenseModel,
)
from grassmeans.senses.model_places import KIND, models_folder
from grassmeans.senses.samples import WordSample
from grassmeans.senses.versions import EDITED, append_version
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
    """A word with the corrections made to it."""

    original: WordSenses  # as the model has it, with the directions of hidden senses
    entry: WordSenses  # as it is now, with the directions of hidden senses
    # For each sense now, the numbers of the original senses that it comes from.
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

        `InputError` where the action is unknown or does not fit the word.
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

    def name_of(self, word: str, sense: int) -> str:
        """What a sense is called now."""
        if word not in self._entries:
            return self._base.name_of(word, sense)
        return next((s.name for s in self._entries[word].senses if s.number == sense), "")

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

    def save(self, path: str | Path) -> None:
        """Write the inventory into a folder, as an ordinary one."""
        SenseInventory._from_compact(self.to_compact()).save(path)


def apply_edits(model: SenseModel, edits: Mapping[str, EditedWord]) -> SenseModel:
    """The model with edited words, ready to tag; vectors and other words are shared with it."""
    entries = {word: blank_hidden(edited.entry) for word, edited in edits.items()}
    return model.with_inventory(EditedInventory(model.inventory, entries))


def read_hidden_directions(model: SenseModel) -> dict[tuple[str, int], NDArray[np.float32]]:
    """The directions of senses that were hidden in an earlier version, by word and number."""
    listed = model.manifest.get("edited", {}).get("hidden", [])
    if not listed or model.folder is None:
        return {}
    rows = open_array(
        model.folder / HIDDEN_DIRECTIONS,
        np.float32,
        (len(listed), model.vectors.dim),
        mapped=False,
    )
    return {(word, number): row for (word, number), row in zip(listed, rows, strict=True)}


def describe_edits(edits: Mapping[str, EditedWord]) -> list[dict[str, Any]]:
    """All corrections as plain values, word by word."""
    return [asdict(edit) for edited in edits.values() for edit in edited.edits]


_VERSION = re.compile(r"-v[0-9]+$")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_HEAD = ("kind", "format_version", "grassmeans", "created", "n_words", "n_skipped")


def save_version(
    model: SenseModel,
    edits: Mapping[str, EditedWord],
    folder: str | Path | None = None,
    name: str | None = None,
) -> Path:
    """Save a model with edited words as a new folder; the old one is not touched.

    Parameters
    ----------
    folder : path, optional
        Where to put it. By default beside the model; for a model that comes with the package, the
        working directory.
    name : str, optional
        Of the new folder; by default ``<model>-v2``, ``-v3``, ..., the next that is free.

    Returns
    -------
    Path
        The new folder; `grassmeans.load` opens it. The field ``edited`` of its manifest says what
        was edited and from which model.

    `InputError` where nothing was edited, or the name is taken or cannot be the name of a folder.
    """
    if not any(edited.edits for edited in edits.values()):
        raise InputError("nothing has been edited yet: there is no new version to save")
    place = Path(folder) if folder is not None else _place_beside(model)
    chosen = _next_name(model, place) if name is None else _check_name(name)
    target = place / chosen
    if target.exists():
        raise InputError(f"{chosen} exists already: choose another name")
    with output_folder(target, KIND, inputs=[model.folder]) as building:
        _copy_rest(model, building.folder, edits)
        _write_version(model, building.folder, edits)
    return target


def _write_version(model: SenseModel, folder: Path, edits: Mapping[str, EditedWord]) -> None:
    """The edited inventory, what was hidden, and the manifest."""
    kept = read_hidden_directions(model)
    hidden = {key: row for key, row in kept.items() if key[0] not in edits}
    for word, edited in edits.items():
        for sense in edited.entry.senses:
            if sense.hidden:
                hidden[word, sense.number] = edited.entry.directions[sense.number - 1]
    if hidden:
        write_array(folder / HIDDEN_DIRECTIONS, np.stack(list(hidden.values())))
    earlier = model.manifest.get("edited", {})
    about = {
        "from": model.folder.name if model.folder else "",
        "from_created": model.manifest.get("created", ""),
        "edits": describe_edits(edits),
        "earlier": [*earlier.get("earlier", []), *earlier.get("edits", [])],
        "hidden": [list(key) for key in hidden],
    }
    same = all(_keeps_numbers(edited) for edited in edits.values())
    append_version(model, folder, EDITED, {"edits": about["edits"]}, keeps_numbers=same)
    facts = {key: value for key, value in model.manifest.items() if key not in _HEAD}
    inventory = apply_edits(model, edits).inventory
    about_version = facts | {"edited": about}
    SenseModel(
        model.encoder,
        inventory,
        model.tokenizer,
        about_version,
        folder,
        lemma_table=model.lemma_table,
    ).fill(folder)


def _keeps_numbers(edited: EditedWord) -> bool:
    """Whether each sense that a word had is still the one of its number, and nothing else."""
    n_before = len(edited.original.senses)
    actions = {edit.action for edit in edited.edits}
    return not actions & {"merge", "split"} and len(edited.entry.senses) == n_before


def _copy_rest(model: SenseModel, folder: Path, edits: Mapping[str, EditedWord]) -> None:
    """Vectors, lexemes and texts of the model as they are; lexemes of renumbered senses anew."""
    if model.folder is None:
        return
    left_out = {MANIFEST, INVENTORY_FOLDER, HIDDEN_DIRECTIONS}
    renumbered = {
        word: edited
        for word, edited in edits.items()
        if edited.origins != tuple((i,) for i in range(1, len(edited.original.senses) + 1))
    }
    lexemes = model.lexemes if renumbered else None
    if lexemes is not None:
        left_out.add(LEXEMES_FOLDER)
    own = str(model.folder)
    with explain_write_errors(folder):
        shutil.copytree(
            model.folder,
            folder,
            ignore=lambda where, _: left_out if where == own else set(),
            dirs_exist_ok=True,
        )
    if not (folder / VECTORS_FOLDER).exists():
        raise ArtifactError(f"{model.folder} has no vectors any more: was it moved?")
    if lexemes is not None:
        changed = edit_lexemes(lexemes, renumbered)
        about = lexemes.manifest.get("lexemes", {})
        changed.save(folder / LEXEMES_FOLDER, extra={"lexemes": dict(about)})


def edit_lexemes(lexemes: WordVectors, edits: Mapping[str, EditedWord]) -> WordVectors:
    """Vectors of senses for the senses there are now.

    A merged sense has the mean of its origins' vectors, weighted by their shares; both parts of a
    split sense have its vector.
    """
    numbers = {
        f"{word}.{number}": word
        for word, edited in edits.items()
        for number in range(1, len(edited.original.senses) + 1)
    }
    keys: list[str] = []
    rows: list[NDArray[np.float32]] = []
    done: set[str] = set()
    for row, key in enumerate(lexemes.words):
        word = numbers.get(key)
        if word is None:
            keys.append(key)
            rows.append(lexemes.vectors[row])
        elif word not in done:
            done.add(word)
            for number, origins in enumerate(edits[word].origins, 1):
                vector = _mean_of_origins(lexemes, edits[word].original, origins)
                if vector is not None:
                    keys.append(f"{word}.{number}")
                    rows.append(vector)
    return WordVectors(keys, np.stack(rows), check=False)


def _mean_of_origins(
    lexemes: WordVectors, original: WordSenses, origins: tuple[int, ...]
) -> NDArray[np.float32] | None:
    known = [n for n in origins if f"{original.word}.{n}" in lexemes]
    if not known:
        return None
    weights = np.array([original.senses[n - 1].share for n in known])
    weights = weights if weights.sum() > 0.0 else np.ones(len(known))
    vectors = np.stack([lexemes[f"{original.word}.{n}"] for n in known])
    mean: NDArray[np.float32] = (weights / weights.sum() @ vectors).astype(np.float32)
    return mean


def _place_beside(model: SenseModel) -> Path:
    if model.folder is None:
        return Path.cwd()
    folder = model.folder.resolve()
    return Path.cwd() if models_folder().resolve() in folder.parents else folder.parent


def _next_name(model: SenseModel, place: Path) -> str:
    own = model.folder.resolve().name if model.folder else "model"
    stem = _VERSION.sub("", own)
    number = 2
    while (place / f"{stem}-v{number}").exists():
        number += 1
    return f"{stem}-v{number}"


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} cannot be the name of a version: letters, digits, '.', '-' and '_', "
            "64 at most, the first one a letter or a digit"
        )
    return name
