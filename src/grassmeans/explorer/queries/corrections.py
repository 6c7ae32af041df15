"""Corrections of senses: made one by one, and saved as a new version of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grassmeans.errors import InputError
from grassmeans.explorer.limits import ConflictError, NoCorpusError, StaleError
from grassmeans.explorer.open_model import Corrected, OpenModel
from grassmeans.explorer.queries.induction import DEFAULT_CONTEXTS, sample_word
from grassmeans.explorer.queries.words import WordView, require_word, show_word
from grassmeans.explorer.work import Checkpoint
from grassmeans.senses.edited_words import Edit, EditedWord, save_version
from grassmeans.senses.editing import visible_senses

RESET = "reset"


@dataclass(frozen=True, slots=True)
class PendingEdits:
    """The corrections that are not saved yet."""

    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class SavedVersion:
    """The name of the folder that was written, and how many words were edited."""

    saved_to: str
    n_words: int


def correct_word(
    opened: OpenModel,
    word: str,
    action: str,
    senses: Sequence[int] = (),
    name: str = "",
    revision: int | None = None,
    checkpoint: Checkpoint | None = None,
) -> WordView:
    """Make one correction, or take all of a word back with ``reset``; the word as it is then.

    Where there is a corpus, merged and split senses are described from its contexts.

    Parameters
    ----------
    revision : int, optional
        That of the senses which the correction is made for, as `show_word` tells it; by default
        those of the moment.

    `ConflictError` where the correction does not fit the word; `StaleError` where it was changed
    since that revision. Of several made for the same revision, one is taken.
    """
    key = require_word(opened, word)
    now = opened.now
    if revision is None:
        revision = now.revision(key)
    elif revision != now.revision(key):
        raise StaleError(key)
    if action == RESET:
        opened.change_word(key, None, revision)
        return show_word(opened, key)
    _check_room(opened, now, key, action)
    check = checkpoint or Checkpoint()
    sample = None
    if action in ("merge", "split") and opened.corpus is not None:
        if opened.corpus.vocabulary.id_of(key) >= 0:
            sample = sample_word(opened, key, DEFAULT_CONTEXTS, check)
    elif action == "split":
        raise NoCorpusError("splitting a sense")
    edit = Edit(key, action, tuple(senses), " ".join(name.split()))
    edited = now.edits.get(key) or EditedWord.start(opened.base, key)
    try:
        changed = edited.apply(edit, opened.base.vectors, sample)
    except InputError as error:
        raise ConflictError(str(error)) from error
    check(1.0)
    opened.change_word(key, changed, revision)
    return show_word(opened, key)


def list_corrections(opened: OpenModel) -> PendingEdits:
    """The corrections made so far and not saved."""
    return PendingEdits(tuple(edit for word in opened.now.edits.values() for edit in word.edits))


def save_corrections(
    opened: OpenModel, name: str | None = None, checkpoint: Checkpoint | None = None
) -> SavedVersion:
    """Save all corrections as a new version beside the model; they stay in the session too."""
    check = checkpoint or Checkpoint()
    with opened.saving:
        check(0.0)  # whoever asked may have gone while it waited
        edits = opened.now.edits
        try:
            folder = save_version(opened.base, edits, opened.save_to, name)
        except InputError as error:
            raise ConflictError(str(error)) from error
    return SavedVersion(folder.name, len(edits))


def _check_room(opened: OpenModel, now: Corrected, key: str, action: str) -> None:
    limits = opened.limits
    edited = now.edits.get(key)
    if edited is None and len(now.edits) >= limits.memory.edited_words:
        raise ConflictError(
            f"{limits.memory.edited_words:,} words are edited already: save this version, and open "
            "it for more"
        )
    if edited is not None and len(edited.edits) >= limits.memory.edits_of_word:
        raise ConflictError(
            f"{key!r} has {limits.memory.edits_of_word} corrections already: save this version, or "
            "reset the word"
        )
    if action == "split":
        entry = edited.entry if edited is not None else now.model.inventory[key]
        if len(visible_senses(entry)) >= limits.work.senses or (
            len(entry.senses) >= 2 * limits.work.senses
        ):
            raise ConflictError(
                f"{key!r} has {len(entry.senses)} senses, {limits.work.senses} are the most: "
                "merge two first"
            )
