"""Corrections that are not saved yet, kept on the disk: a stop, a crash or a kill loses none.

A draft is a file of lines, each JSON: first which model it belongs to, then every step in the order
it was made - a correction, ``undo``, ``redo``, ``reset``, or that a version was ``saved``. A line
is on the disk before its step is answered, and at the next start the steps are made again. What a
correction found in a corpus (a split, an adopted division, given lines) stands beside it as its
``outcome``: the same senses come back, at once, whether the corpus is open or not.

The name of the file has the digest of the model, so that a draft is never taken for that of a model
which has changed: it stays where it is, and is told. A line without an end is that of a step which
was never answered; it is cut off. A file that cannot be used is set aside (``.damaged``), one whose
corrections are saved or discarded is kept (``.old``, and ``.old-2`` and so on where that holds
corrections which no version has). Nothing is deleted that holds such a correction.
"""

from __future__ import annotations

import base64
import contextlib
import os
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grassmeans.artifacts import writing
from grassmeans.artifacts.schema import check_values, one_of, text, whole
from grassmeans.artifacts.writing import explain_write_errors
from grassmeans.errors import ArtifactError, InputError
from grassmeans.models.model import SenseModel
from grassmeans.models.places import is_installed
from grassmeans.senses.entries import WordSenses, entry_from_dict, entry_to_dict
from grassmeans.version import __version__
from grassmeans_explorer.editing.edited_words import (
    Edit,
    EditedWord,
    Evidence,
    edit_from_dict,
    edit_to_dict,
)
from grassmeans_explorer.journals import Journal, Step, read_lines

if TYPE_CHECKING:
    from grassmeans_explorer.open_model import OpenModel

RESET, UNDO, REDO, SAVED = "reset", "undo", "redo", "saved"
TAKE_BACK = {UNDO: EditedWord.undo, REDO: EditedWord.redo, RESET: EditedWord.reset}
"""Steps that are no corrections themselves."""
DRAFT = ".draft.jsonl"
_KIND, _FORMAT = "draft", 1
_DIGITS = 12  # of the digest, in a file's name
_HEAD_RULES = {"kind": one_of(_KIND), "format_version": one_of(_FORMAT), "digest": text}
_SAVED_RULES = {"version": text, "n_steps": whole()}


@dataclass(frozen=True, slots=True)
class DraftPlace:
    """Where the drafts of a model are: beside it, or in a folder for those of many models."""

    folder: Path
    stem: str  # how their names begin
    digest: str  # of the model

    @classmethod
    def find(cls, model: SenseModel, folder: Path | None = None) -> DraftPlace:
        """In the folder that was chosen, or beside the model; in the user's own for the package's.

        `InputError` for a model that is in no folder.
        """
        if model.folder is None:
            raise InputError("the model is in no folder: drafts of it have no place")
        place = model.folder.resolve()
        if folder is None and is_installed(place):
            folder = user_folder()
        if folder is None:
            return cls(place.parent, f".{place.name}", model.digest)
        return cls(Path(folder), place.name, model.digest)

    @property
    def path(self) -> Path:
        """The draft of the model as it is."""
        return self.folder / f"{self.stem}-{self.digest[:_DIGITS]}{DRAFT}"

    def find_others(self) -> list[tuple[Path, int]]:
        """Drafts of a model of this name that was another: their files, and their corrections."""
        found = []
        shape = "[0-9a-f]" * _DIGITS
        with contextlib.suppress(OSError):
            for path in sorted(self.folder.glob(f"{self.stem}-{shape}{DRAFT}")):
                if path != self.path:
                    with contextlib.suppress(ArtifactError, OSError):
                        steps = read_draft(path)[1]
                        found.append((path, count_corrections(steps)))
        return [(path, n) for path, n in found if n]


def user_folder() -> Path:
    """Where a user's drafts of the package's models are."""
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "grassmeans" / "drafts"


def read_draft(path: Path, digest: str | None = None) -> tuple[int, list[Step]]:
    """How many bytes of a draft are whole lines, and its steps.

    `ArtifactError` for no draft, or for one that does not name the digest of the model.
    """
    n_whole, lines = read_lines(path)
    if not lines:
        return 0, []
    check_values(
        path, lines[0], _HEAD_RULES if digest is None else _HEAD_RULES | {"digest": one_of(digest)}
    )
    steps: list[Step] = lines[1:]
    for step in steps:
        check_values(path, step, {"action": text})
        is_saved = step["action"] == SAVED
        check_values(path, step, _SAVED_RULES if is_saved else {"word": text})
    return n_whole, steps


def count_corrections(steps: list[Step]) -> int:
    """How many corrections are in force after these steps; those of a saved version are none."""
    if is_settled(steps):
        return 0
    done: dict[str, list[int]] = {}  # of a word: corrections in force, corrections that were made
    for step in steps:
        if step["action"] == SAVED:
            continue
        now, made = done.get(step["word"], [0, 0])
        if step["action"] == UNDO:
            now = max(now - 1, 0)
        elif step["action"] == REDO:
            now = min(now + 1, made)
        elif step["action"] == RESET:
            now = 0
        else:
            now = made = now + 1
        done[step["word"]] = [now, made]
    return sum(now for now, _ in done.values())


def _holds_corrections(path: Path) -> bool:
    """Whether a file may hold corrections that no version has."""
    try:
        return count_corrections(read_draft(path)[1]) > 0
    except FileNotFoundError:
        return False
    except ArtifactError:
        return True


def is_settled(steps: list[Step]) -> bool:
    """Whether a version has all that was done."""
    n_steps = sum(step["action"] != SAVED for step in steps)
    return n_steps > 0 and any(
        step["action"] == SAVED and step["n_steps"] == n_steps for step in steps
    )


def describe_step(action: str, changed: EditedWord) -> Step:
    """A step as the draft has it, from the word after it."""
    if action in TAKE_BACK:
        return {"word": changed.original.word, "action": action}
    edit, entry = changed.edits[-1], changed.entry
    if not edit.corpus and edit.action != "assign":
        return edit_to_dict(edit)
    rows = np.ascontiguousarray(entry.directions, np.dtype("<f4"))
    directions = base64.b64encode(rows.tobytes()).decode("ascii")
    return edit_to_dict(edit) | {"outcome": entry_to_dict(entry) | {"directions": directions}}


def make_step(edited: EditedWord, step: Step, model: SenseModel, path: Path) -> EditedWord:
    """The word after a step of a draft; `ArtifactError` or `InputError` where it does not fit."""
    if step["action"] in TAKE_BACK:
        return TAKE_BACK[step["action"]](edited)
    edit: Edit = edit_from_dict(step, path)
    if "outcome" in step:
        return edited.take(edit, _read_outcome(step["outcome"], model, path))
    has_ends = model.encoder.lines_have_ends
    return edited.apply(edit, model.vectors, Evidence(lines_have_ends=has_ends))


def _read_outcome(values: Any, model: SenseModel, path: Path) -> WordSenses:
    check_values(path, values, {"directions": text})
    try:
        content = base64.b64decode(values["directions"], validate=True)
        rows = np.frombuffer(content, np.dtype("<f4")).reshape(-1, model.vectors.dim)
    except ValueError as error:
        raise ArtifactError(f"{path} has directions that cannot be read: {error}") from error
    if not np.isfinite(rows).all():
        raise ArtifactError(f"{path} has directions that are no numbers")
    return entry_from_dict(values, rows.astype(np.float32), path)


class Draft(Journal):
    """The draft of an open model: held by one process, a line for each step."""

    def __init__(self, place: DraftPlace, name: str) -> None:
        about = {"kind": _KIND, "format_version": _FORMAT, "grassmeans": __version__}
        super().__init__(
            place.path,
            about | {"model": name, "digest": place.digest},
            place.path.name.replace(DRAFT, ".draft.lock"),
            "another explorer (process {process}) has the draft of this model",
        )
        self._digest = place.digest

    def read(self) -> list[Step]:
        """The steps of the draft that is there; what cannot be used is set aside."""
        try:
            size, steps = read_draft(self.path, self._digest)
        except FileNotFoundError:
            size, steps = 0, []
        except ArtifactError as error:
            self.set_aside(str(error))
            return []
        if is_settled(steps):
            self._retire()
            size, steps = 0, []
        self._begin(size)
        return steps

    def begin_anew(self) -> None:
        """Keep what there is as ``.old``, and begin with nothing."""
        with writing.atomic_path(self.path) as fresh:
            fresh.write_bytes(self._head)
            self._retire()
        self._begin(len(self._head))

    def _retire(self) -> None:
        """Keep the file as ``.old``, in the place of an earlier one that is in a version."""
        self._end()
        with explain_write_errors(self.path):
            os.replace(self.path, self._find_old())

    def _find_old(self) -> Path:
        endings = (".old" if number == 1 else f".old-{number}" for number in count(1))
        places = (self.path.with_name(self.path.name + ending) for ending in endings)
        return next(place for place in places if not _holds_corrections(place))

    def close(self) -> None:
        """Let others have it; a draft without a step, or whose steps are all saved, is settled."""
        if self._file is None:
            return
        steps = read_draft(self.path)[1]
        if is_settled(steps):
            self._retire()
        elif not steps:
            self._end()
            self.path.unlink(missing_ok=True)
        self._let_go()


def keep_drafts(opened: OpenModel, folder: Path | None = None) -> list[str]:
    """Take the draft of a model up, and write every correction to it from now on.

    Returns remarks for people. Where the place (by default that of `DraftPlace.find`) cannot be
    written, or another explorer has the draft, one says so, and ``opened.not_kept`` is why
    corrections are not kept.
    """
    try:
        place = DraftPlace.find(opened.base, folder)
        others = place.find_others()
        draft = Draft(place, opened.name)
        steps = draft.read()
    except (InputError, OSError) as error:
        opened.not_kept = str(error)
        if isinstance(error, OSError):
            opened.not_kept = f"{place.path} cannot be written or read ({error.strerror})"
        return [f"corrections are not kept when the explorer stops: {opened.not_kept}"]
    try:
        opened.replay(steps, draft.path)
    except (ArtifactError, InputError) as error:
        opened.forget_all()
        draft.set_aside(f"{draft.path}: {error}")
    opened.draft = draft
    told = [
        f"{_count(n)} of this model as it was before it changed: they are kept in {path}"
        for path, n in others
    ]
    if opened.n_found:
        told.append(f"{_count(opened.n_found)} from an earlier visit: taken from {draft.path}")
    return draft.remarks + told


def _count(n: int) -> str:
    return f"{n:,} correction{'s' if n != 1 else ''}"
