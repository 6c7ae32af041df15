"""Two versions of one model, corrected apart from each other -> a version with both.

Words that only one of the two has corrected come from it. A word that both have corrected, and not
alike, is in conflict: nobody but a person knows whose senses are meant.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grassmeans.editing.edited_words import EditedInventory
from grassmeans.errors import InputError
from grassmeans.models.model import SenseModel
from grassmeans.models.places import KIND
from grassmeans.models.versions import MERGED, Version, list_edits, read_versions, write_versions
from grassmeans.outputs.places import output_folder
from grassmeans.senses.entries import entry_to_dict
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_explorer.editing.edited_words import read_hidden_directions
from grassmeans_explorer.editing.saving import copy_rest, fill_version, name_model

FIRST, SECOND = "first", "second"


@dataclass(frozen=True, slots=True)
class Branches:
    """How two versions have gone apart."""

    shared: tuple[Version, ...]  # the log that both have: the last one is the common ancestor
    ancestor: str  # its digest
    first: tuple[Version, ...]  # what came after it
    second: tuple[Version, ...]
    words_of_second: tuple[str, ...]  # those that the second alone has corrected
    conflicts: tuple[str, ...]  # words that both have corrected, and not alike


def compare_versions(first: SenseModel, second: SenseModel) -> Branches:
    """What two versions of a model have each corrected since their common ancestor.

    `InputError` where they have none, or where one of them has all of the other.
    """
    logs = read_versions(first), read_versions(second)
    n = 0
    while n < min(map(len, logs)) and logs[0][n] == logs[1][n]:
        n += 1
    rest = tuple(logs[0][n:]), tuple(logs[1][n:])
    names = [name_model(first), name_model(second)]
    if n and not (rest[0] and rest[1]):
        longer = names[0] if rest[0] else names[1]
        raise InputError(f"{longer} has all corrections of the other: there is nothing to merge")
    if not n or rest[0][0].get("digest_before") != rest[1][0].get("digest_before"):
        raise InputError(
            f"{names[0]} and {names[1]} are no versions of one model: merge versions that were "
            "saved from the same one"
        )
    for name, branch in zip(names, rest, strict=True):
        if not all("edits" in version for version in branch):
            raise InputError(
                f"{name} has grown since the two went apart, and only corrections can be merged: "
                "merge first, then `grassmeans update`"
            )
    touched = [dict.fromkeys(edit["word"] for edit in list_edits(branch)) for branch in rest]
    both = [word for word in touched[1] if word in touched[0]]
    return Branches(
        tuple(logs[0][:n]),
        rest[0][0]["digest_before"],
        rest[0],
        rest[1],
        tuple(word for word in touched[1] if word not in touched[0]),
        tuple(word for word in both if not _is_alike(first, second, word)),
    )


def merge_versions(
    first: SenseModel,
    second: SenseModel,
    output: str | Path,
    *,
    prefer: str | None = None,
    overwrite: bool = False,
) -> Branches:
    """Write a version that has the corrections of two; these stay as they are.

    ``prefer`` ("first", "second") says whose senses words in conflict get; `InputError` names them
    without it.
    """
    found = compare_versions(first, second)
    if found.conflicts and prefer is None:
        raise InputError(
            f"{name_model(first)} and {name_model(second)} have corrected the same words, and not "
            f"alike: {', '.join(found.conflicts)}; choose whose are taken (prefer first or second)"
        )
    taken = (*found.words_of_second, *(found.conflicts if prefer == SECOND else ()))
    entries = {word: second.inventory[word] for word in taken if word in second.inventory}
    kept, theirs = read_hidden_directions(first), read_hidden_directions(second)
    hidden = {key: row for key, row in kept.items() if key[0] not in taken}
    hidden |= {key: row for key, row in theirs.items() if key[0] in taken}
    edits = [edit for edit in list_edits(found.first) if edit["word"] not in taken]
    edits += [edit for edit in list_edits(found.second) if edit["word"] in taken]
    inputs = [first.folder, second.folder]
    with output_folder(
        output, KIND, inputs=inputs, fields=["edited"], overwrite=overwrite
    ) as building:
        copy_rest(first, building.folder, _merge_lexemes(first, second, taken))
        merger = {
            "kind": MERGED,
            "digest_before": found.ancestor,
            "keeps_numbers": all(
                version.get("keeps_numbers", False) for version in (*found.first, *found.second)
            ),
            "merged": [name_model(first), name_model(second)],
            "edits": edits,
        }
        write_versions(building.folder, [*found.shared, merger])
        inventory = EditedInventory(first.inventory, entries)
        about = {
            "from": f"{name_model(first)} and {name_model(second)}",
            "from_digest": found.ancestor,
            "merged": [{"name": name_model(v), "digest": v.digest} for v in (first, second)],
            "edits": edits,
            "earlier": list_edits(found.shared),
        }
        fill_version(first, building.folder, inventory, about, hidden)
    return found


def _is_alike(first: SenseModel, second: SenseModel, word: str) -> bool:
    """Whether a word is the same in both."""
    if (word in first.inventory) != (word in second.inventory):
        return False
    one, other = first.inventory[word], second.inventory[word]
    return entry_to_dict(one) == entry_to_dict(other) and np.array_equal(
        one.directions, other.directions
    )


def _merge_lexemes(
    first: SenseModel, second: SenseModel, words: Collection[str]
) -> WordVectors | None:
    """The lexemes of the first with those of some words from the second; None for all as they are.

    A word has lexemes for its senses, or one as a whole: see `edit_lexemes`.
    """
    own, other = first.lexemes, second.lexemes
    if not words or own is None or other is None:
        return None
    counts = [model.inventory.sense_counts for model in (first, second)]
    most = {word: max(known.get(word, 0) for known in counts) for word in words}
    keys = {*words, *(f"{word}.{n}" for word in words for n in range(1, most[word] + 1))}
    rows = [(key, own.vectors[i]) for i, key in enumerate(own.words) if key not in keys]
    rows += [(key, other.vectors[i]) for i, key in enumerate(other.words) if key in keys]
    return WordVectors([key for key, _ in rows], np.stack([row for _, row in rows]), check=False)
