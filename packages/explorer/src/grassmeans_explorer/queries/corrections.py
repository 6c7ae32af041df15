"""Corrections of senses: made and taken back one by one, and saved as a new version of the model.

A correction that counts contexts counts all of a word in the corpus that is open. Where this is not
the model's, the word says so from then on; corrections that need no contexts (a merger, a name)
leave the model's counts as they are.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.models.model import load
from grassmeans.models.origin import OWN, is_counted_in, name_corpus
from grassmeans.models.versions import find_left_out
from grassmeans.senses.samples import EncodedWord, WordSample, complete_sample
from grassmeans_explorer.drafts import TAKE_BACK, describe_step
from grassmeans_explorer.editing.edited_words import Edit, EditedWord, Evidence
from grassmeans_explorer.editing.given_lines import GivenLines, Passage, encode_passages
from grassmeans_explorer.editing.saving import save_version
from grassmeans_explorer.editing.sense_edits import visible_senses
from grassmeans_explorer.limits import ConflictError, NoCorpusError, StaleError, TooMuchError
from grassmeans_explorer.open_model import Corrected, OpenModel
from grassmeans_explorer.queries.induce import DEFAULT_CONTEXTS, adopt_nodes, induce_senses
from grassmeans_explorer.queries.occurrences import encode_lines, ids_of_forms, sample_for_counts
from grassmeans_explorer.queries.words import WordView, require_word, show_word
from grassmeans_explorer.work import begin_long_work, checkpoint

LOOKS_AT_CONTEXTS = ("merge", "split", "adopt", "assign")
"""Corrections that may take a while."""

_NEED_CORPUS = {
    "split": "splitting a sense",
    "adopt": "dividing a word anew",
    "assign": "giving lines to a sense",
}


@dataclass(frozen=True, slots=True)
class PendingEdits:
    """The corrections that are in force, in a version that was saved or not.

    Attributes
    ----------
    n_found : int
        How many were found in a draft of an earlier visit; 0 once they are saved or discarded.
    kept : bool
        Whether they are still there after the explorer was stopped.
    not_kept : str
        Why they are not.
    """

    edits: tuple[Edit, ...]
    n_found: int = 0
    kept: bool = False
    not_kept: str = ""


@dataclass(frozen=True, slots=True)
class SavedVersion:
    """A version that was written.

    Attributes
    ----------
    saved_to : str
        The name of its folder.
    n_words : int
        How many words were edited.
    made_from : str
        The name of the model that was opened.
    lacks_corrections_of : tuple of str
        Other versions of it in the same folder that have corrections which this one does not have.
    tag_command, explore_command : str
        For a shell, in whatever folder: tag a line with the version, and go on correcting it.
    merge_command : str
        The same for a version that has the corrections of the first of these others too; empty
        where there is none.
    """

    saved_to: str
    n_words: int
    made_from: str
    lacks_corrections_of: tuple[str, ...]
    tag_command: str
    explore_command: str
    merge_command: str


@dataclass(frozen=True, slots=True)
class Correction:
    """What is to be corrected."""

    action: str  # one of `grassmeans_explorer.editing.edited_words.ACTIONS`, undo, redo or reset
    senses: Sequence[int] = ()
    name: str = ""  # for rename
    lines: Sequence[int] = ()  # for assign: positions of the word in the corpus
    passages: Sequence[Passage] = ()  # for assign, in place of lines: texts that are in no corpus
    n_senses: int | str | None = None  # for adopt: as the dial was set, a number or "auto"
    # For adopt: these nodes of the dial's tree, (level, number), in place of its last level.
    nodes: Sequence[tuple[int, int]] = ()
    max_contexts: int = DEFAULT_CONTEXTS


def correct_word(
    opened: OpenModel, word: str, wanted: Correction, revision: int | None = None
) -> WordView:
    """Make one correction, or take the last one or all of them back; the word as it is then.

    The revision is that of the senses which the correction is made for, as `show_word` tells it; by
    default those of the moment. `ConflictError` where the correction does not fit the word;
    `StaleError` where it was changed since that revision. Of several made for the same revision,
    one is taken.
    """
    most = opened.limits.request.chosen_lines
    n_lines = max(len(wanted.lines), len(wanted.passages))
    if n_lines > most:
        raise TooMuchError(f"{most} lines are the most at once, got {n_lines:,}")
    if wanted.lines and wanted.passages:
        raise ConflictError("lines of the corpus and passages are given to a sense one by one")
    if wanted.action in LOOKS_AT_CONTEXTS:
        begin_long_work()
    now = opened.now
    key = opened.key_of(word)
    if wanted.action != "adopt" and key not in now.edits:
        key = require_word(opened, word)
    if revision is None:
        revision = now.revision(key)
    elif revision != now.revision(key):
        raise StaleError(key)
    try:
        edited = now.edits.get(key) or EditedWord.start(opened.base, key)
        if wanted.action in TAKE_BACK:
            changed = TAKE_BACK[wanted.action](edited)
        else:
            _check_room(opened, now, edited, wanted)
            corpus = opened.corpus if wanted.action in LOOKS_AT_CONTEXTS else None
            edit = Edit(
                key,
                wanted.action,
                tuple(wanted.senses),
                " ".join(wanted.name.split()),
                lines=tuple(sorted(set(wanted.lines))) if wanted.action == "assign" else (),
                passages=tuple(wanted.passages) if wanted.action == "assign" else (),
                corpus="" if corpus is None else name_corpus(corpus).digest,
            )
            changed = edited.apply(edit, opened.base.vectors, _gather(opened, edited, wanted))
    except InputError as error:
        raise ConflictError(str(error)) from error
    checkpoint(1.0)
    opened.change_word(key, changed, revision, describe_step(wanted.action, changed))
    return show_word(opened, key)


def _gather(opened: OpenModel, edited: EditedWord, wanted: Correction) -> Evidence:
    """What the correction is made from: nothing of a corpus that the word is not counted in."""
    key = edited.entry.word
    nothing = Evidence(lines_have_ends=opened.base.encoder.lines_have_ends)
    corpus = opened.corpus
    passages = None
    if wanted.action == "assign" and wanted.passages:
        passages = encode_passages(opened.base, key, wanted.passages)
        if corpus is None or not opened.is_in_corpus(key):
            return replace(nothing, lines=passages, rule=opened.base.idk_threshold)
    if corpus is None and wanted.action in _NEED_CORPUS:
        raise NoCorpusError(_NEED_CORPUS[wanted.action])
    if corpus is None or wanted.action not in LOOKS_AT_CONTEXTS:
        return nothing
    counted_in = None if opened.relation == OWN else name_corpus(corpus)
    if wanted.action == "adopt":
        if wanted.n_senses is None:
            raise InputError("adopt needs n_senses, the number of senses that the dial was set to")
        found = induce_senses(opened, key, wanted.n_senses, wanted.max_contexts)
        entry = found.entry
        if wanted.nodes:
            entry = adopt_nodes(opened, found, wanted.nodes, wanted.max_contexts)
        return Evidence(counted_in=counted_in, found=entry)
    if wanted.action == "merge" and not (
        is_counted_in(edited.entry, corpus, opened.relation) and opened.is_in_corpus(key)
    ):
        return nothing
    sample = sample_for_counts(opened, key)
    lines: GivenLines | None = passages
    if wanted.action == "assign" and lines is None:
        lines = _read_lines(opened, corpus, key, wanted.lines)
    checkpoint(0.8)
    rule = opened.base.idk_threshold
    return replace(nothing, sample=sample, counted_in=counted_in, lines=lines, rule=rule)


def _read_lines(
    opened: OpenModel, corpus: Corpus, key: str, positions: Sequence[int]
) -> WordSample:
    """The contexts of lines, without those that say nothing."""
    if not positions:
        raise InputError("no line is chosen: choose one or more")
    chosen = np.unique(np.array(positions, np.int64))
    ids_of_forms(opened, key)  # says where it does not occur
    if not np.isin(chosen, corpus.positions(key)).all():
        raise InputError(f"{key!r} does not stand at all of these positions: choose lines of it")
    encoded = EncodedWord(chosen, encode_lines(opened, key, chosen))
    return complete_sample(key, encoded, corpus, opened.base.encoder)


def list_corrections(opened: OpenModel) -> PendingEdits:
    """The corrections made so far, word by word."""
    edits = tuple(edit for word in opened.now.edits.values() for edit in word.edits)
    kept = opened.draft is not None
    return PendingEdits(edits, opened.n_found, kept, "" if kept else opened.not_kept)


def discard_corrections(opened: OpenModel, n_corrections: int) -> PendingEdits:
    """Take all corrections back; `ConflictError` where they are not so many."""
    opened.discard(n_corrections)
    return list_corrections(opened)


def save_corrections(opened: OpenModel, name: str | None = None) -> SavedVersion:
    """Save all corrections as a new version beside the model; they stay in the session too."""
    begin_long_work()
    if opened.read_only:
        raise ConflictError("the explorer was started with --read-only: nothing can be saved")
    with opened.saving:
        checkpoint(0.0)  # whoever asked may have gone while it waited
        now = opened.now
        edits = {word: edited for word, edited in now.edits.items() if edited.edits}
        try:
            folder = save_version(opened.base, edits, opened.save_to, name)
        except InputError as error:
            raise ConflictError(str(error)) from error
        opened.note_saved(now, edits, folder.name)
    return describe_version(opened, folder, edits)


def describe_version(
    opened: OpenModel, folder: Path, edits: Mapping[str, EditedWord]
) -> SavedVersion:
    """What is told of a version that was saved."""
    place = folder.resolve()
    quoted = shlex.quote(str(place))
    line = shlex.quote(_line_to_try(next(iter(edits.values()))))
    corpus = merge = ""
    if opened.corpus is not None:
        corpus = f" --corpus {shlex.quote(str(Path(opened.corpus.path).resolve()))}"
    left_out = find_left_out(load(folder), folder.parent)
    if left_out:
        places = str(place.with_name(left_out[0])), str(place)
        target = shlex.quote(str(place.with_name(f"{place.name}-merged")))
        merge = f"grassmeans merge {shlex.join(places)} -o {target}"
    return SavedVersion(
        folder.name,
        len(edits),
        opened.name,
        tuple(left_out),
        f"printf '%s\\n' {line} | grassmeans tag {quoted}",
        f"grassmeans explore {quoted}{corpus}",
        merge,
    )


def _line_to_try(edited: EditedWord) -> str:
    """A line with an edited word, on which the version can be tried."""
    for sense in visible_senses(edited.entry):
        for example in sense.examples:
            text = f"{example.left}<b>{example.word}</b>{example.right}"
            return " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return edited.entry.word


def _check_room(opened: OpenModel, now: Corrected, edited: EditedWord, wanted: Correction) -> None:
    memory, most = opened.limits.memory, opened.limits.work.senses
    entry = edited.entry
    n_edited = sum(1 for word in now.edits.values() if word.edits)
    if not edited.edits and n_edited >= memory.edited_words:
        raise ConflictError(
            f"{memory.edited_words:,} words are edited already: save this version, and open it for "
            "more"
        )
    if len(edited.edits) >= memory.edits_of_word:
        raise ConflictError(
            f"{entry.word!r} has {memory.edits_of_word} corrections already: save this version, or "
            "reset the word"
        )
    is_full = len(visible_senses(entry)) >= most or len(entry.senses) >= 2 * most
    makes_one = wanted.action == "split" or (wanted.action == "assign" and not wanted.senses)
    if makes_one and is_full:
        raise ConflictError(
            f"{entry.word!r} has {len(entry.senses)} senses, {most} are the most: merge two first"
        )
