"""A model with edited words -> a new version of it in a folder of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.artifacts.writing import write_array
from grassmeans.contexts import VECTORS_FOLDER
from grassmeans.editing.edited_words import copy_files, fill_like
from grassmeans.errors import ArtifactError, InputError
from grassmeans.models.model import LEXEMES_FOLDER, SenseModel
from grassmeans.models.places import KIND, is_installed
from grassmeans.models.versions import EDITED, append_version
from grassmeans.outputs.places import output_folder, remove_dead_work
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_explorer.editing.edited_words import (
    HIDDEN_DIRECTIONS,
    EditedWord,
    apply_edits,
    edit_to_dict,
    read_hidden_directions,
)

_VERSION = re.compile(r"-v[0-9]+$")
LONGEST_VERSION_NAME = 64
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{LONGEST_VERSION_NAME - 1}}}")


def save_version(
    model: SenseModel,
    edits: Mapping[str, EditedWord],
    folder: str | Path | None = None,
    name: str | None = None,
) -> Path:
    """Save a model with edited words as a new folder; the old one is not touched.

    It comes beside the model by default, or into the working directory for a model of the package;
    its name is ``<model>-v2``, ``-v3``, ..., the next that is free. The field ``edited`` of its
    manifest says what was edited and from which model (name, time and digest).

    `InputError` where nothing was edited, or the name is taken or cannot be the name of a folder.
    """
    if not any(edited.edits for edited in edits.values()):
        raise InputError("nothing has been edited yet: there is no new version to save")
    place = Path(folder) if folder is not None else place_beside(model)
    remove_dead_work(place)  # names are new ones, so that nobody would come by again
    stem = _VERSION.sub("", name_model(model))
    free = (new for n in count(2) if not (place / (new := f"{stem}-v{n}")).exists())
    chosen = next(free) if name is None else name
    if name is not None and not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} cannot be the name of a version: letters, digits, '.', '-' and '_', "
            f"{LONGEST_VERSION_NAME} at most, the first one a letter or a digit"
        )
    target = place / chosen
    if target.exists():
        raise InputError(f"{chosen} exists already: choose another name")
    with output_folder(target, KIND, inputs=[model.folder]) as building:
        renumbered = {
            word: edited
            for word, edited in edits.items()
            if edited.origins != tuple((i,) for i in range(1, len(edited.original.senses) + 1))
        }
        lexemes = model.stored_lexemes if renumbered else None
        copy_rest(
            model, building.folder, None if lexemes is None else edit_lexemes(lexemes, renumbered)
        )
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
    earlier = model.manifest.get("edited", {})
    about = {
        "from": model.folder.name if model.folder else "",
        "from_created": model.manifest.get("created", ""),
        "from_digest": model.digest,
        "edits": [edit_to_dict(edit) for edited in edits.values() for edit in edited.edits],
        "earlier": [*earlier.get("earlier", []), *earlier.get("edits", [])],
    }
    same = all(map(_keeps_numbers, edits.values()))
    append_version(model, folder, EDITED, {"edits": about["edits"]}, keeps_numbers=same)
    fill_version(model, folder, apply_edits(model, edits).inventory, about, hidden)


def fill_version(
    model: SenseModel,
    folder: Path,
    inventory: SenseInventory,
    about: Mapping[str, Any],
    hidden: Mapping[tuple[str, int], Floats],
) -> None:
    """Write what a version has of its own, the manifest with its field ``edited`` last."""
    if hidden:
        write_array(folder / HIDDEN_DIRECTIONS, np.stack(list(hidden.values())))
    edited = dict(about) | {"hidden": [list(key) for key in hidden]}
    fill_like(model, folder, model.encoder, inventory, {"edited": edited})


def _keeps_numbers(edited: EditedWord) -> bool:
    """Whether each sense that a word had is still the one of its number, and nothing else."""
    n_before = len(edited.original.senses)
    actions = {edit.action for edit in edited.edits}
    return n_before == 0 or (
        not actions & {"merge", "split", "adopt"} and len(edited.entry.senses) == n_before
    )


def copy_rest(model: SenseModel, folder: Path, lexemes: WordVectors | None) -> None:
    """Vectors, lexemes and texts of the model as they are; other lexemes where they are given."""
    if model.folder is None:
        return
    more = () if lexemes is None else (LEXEMES_FOLDER,)
    copy_files(model.folder, folder, [HIDDEN_DIRECTIONS, *more])
    if not (folder / VECTORS_FOLDER).exists():
        raise ArtifactError(f"{model.folder} has no vectors any more: was it moved?")
    if lexemes is not None and model.stored_lexemes is not None:
        about = model.stored_lexemes.manifest.get("lexemes", {})
        lexemes.save(folder / LEXEMES_FOLDER, extra={"lexemes": dict(about)})


def edit_lexemes(lexemes: WordVectors, edits: Mapping[str, EditedWord]) -> WordVectors:
    """Vectors of senses for the senses there are now.

    A merged sense has the mean of its origins' vectors, weighted by their shares. Senses that the
    vectors were not trained for, parts of a split one or adopted ones, have none; then the plain
    word stands for them, with the mean of all senses that it had.
    """
    numbers = {
        f"{word}.{number}": word
        for word, edited in edits.items()
        for number in range(1, len(edited.original.senses) + 1)
    }
    keys: list[str] = []
    rows: list[Floats] = []
    done: set[str] = set()
    for row, key in enumerate(lexemes.words):
        word = numbers.get(key)
        if word is None:
            keys.append(key)
            rows.append(lexemes.vectors[row])
        elif word not in done:
            done.add(word)
            wanted = {f"{word}.{n}": senses for n, senses in enumerate(edits[word].origins, 1)}
            if not all(wanted.values()) and word not in lexemes:
                wanted[word] = tuple(range(1, len(edits[word].original.senses) + 1))
            for name, origins in wanted.items():
                vector = _mean_of_origins(lexemes, edits[word].original, origins)
                if vector is not None:
                    keys.append(name)
                    rows.append(vector)
    return WordVectors(keys, np.stack(rows), check=False)


def _mean_of_origins(
    lexemes: WordVectors, original: WordSenses, origins: tuple[int, ...]
) -> Floats | None:
    known = [n for n in origins if f"{original.word}.{n}" in lexemes]
    if not known:
        return None
    weights = np.array([original.senses[n - 1].share for n in known])
    weights = weights if weights.sum() > 0.0 else np.ones(len(known))
    vectors = np.stack([lexemes[f"{original.word}.{n}"] for n in known])
    mean: Floats = (weights / weights.sum() @ vectors).astype(np.float32)
    return mean


def name_model(model: SenseModel) -> str:
    """The name of a model's folder."""
    return model.folder.resolve().name if model.folder else "model"


def place_beside(model: SenseModel) -> Path:
    """Where versions of a model go: beside it, or into the working directory."""
    if model.folder is None:
        return Path.cwd()
    folder = model.folder.resolve()
    return Path.cwd() if is_installed(folder) else folder.parent
