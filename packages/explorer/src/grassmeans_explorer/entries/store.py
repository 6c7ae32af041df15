"""Where a person's entries are: every change is on the disk before it is answered.

The entries of a model and of all its versions are in one journal, beside the model or in a folder
that was chosen; its name has the digest of the model's first version. Every line is a change: an
entry as it is from then on (``put``), ``undo`` or ``redo``. Of two writers of one entry the second
is told so, and what it wrote is kept in the journal (``conflict``).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grassmeans.artifacts.schema import check_values, one_of, text, whole
from grassmeans.artifacts.writing import write_bytes
from grassmeans.errors import ArtifactError, GrassmeansError, InputError
from grassmeans.models.model import SenseModel
from grassmeans.version import __version__
from grassmeans_explorer.drafts import DraftPlace
from grassmeans_explorer.editing.saving import name_model
from grassmeans_explorer.entries.entry import DictionaryEntry
from grassmeans_explorer.entries.following import ModelNumbers, root_of, settle_numbering
from grassmeans_explorer.entries.plain import entry_from_values, entry_to_values
from grassmeans_explorer.journals import Journal, Step, read_lines
from grassmeans_explorer.limits import ConflictError

ENTRIES = ".entries.jsonl"
PUT, UNDO, REDO, CONFLICT = "put", "undo", "redo", "conflict"
_KIND, _FORMAT = "entries", 1
_DIGITS = 12  # of the digest, in a file's name
_HEAD_RULES = {"kind": one_of(_KIND), "format_version": one_of(_FORMAT), "root": text}
_STEP_RULES = {"action": one_of(PUT, UNDO, REDO, CONFLICT), "word": text}


class EntryConflictError(ConflictError):
    """Somebody else has changed the entry meanwhile; what was written is kept."""

    def __init__(self, word: str, revision: int) -> None:
        super().__init__(
            f"the entry of {word[:80]!r} was changed meanwhile: look at it again; what you wrote "
            "is kept beside it"
        )
        self.revision = revision  # which the entry has now
        self.details = {"revision": revision, "texts": []}


@dataclass(frozen=True, slots=True)
class WrittenEntry:
    """An entry with its changes, which can be taken back one by one."""

    states: tuple[DictionaryEntry, ...] = ()
    """As it was after each change."""
    place: int = 0
    """How many of these changes are in force."""
    revision: int = 0
    """Of the change, undo or redo that was the last; 0 where nothing was written yet."""
    conflicts: tuple[DictionaryEntry, ...] = ()
    """What came too late, the first one first."""

    @property
    def entry(self) -> DictionaryEntry | None:
        """The entry of this moment; None where there is none yet."""
        return self.states[self.place - 1] if self.place else None

    def take(self, step: Step, revision: int, path: Path) -> WrittenEntry:
        """The entry after a step of the journal; `InputError` where it does not fit."""
        action = step["action"]
        if action == CONFLICT:
            late = entry_from_values(step.get("entry"), path)
            return replace(self, conflicts=(*self.conflicts, late))
        if action == PUT:
            states = (*self.states[: self.place], entry_from_values(step.get("entry"), path))
            return replace(self, states=states, place=len(states), revision=revision)
        place = self.place + (1 if action == REDO else -1)
        if not 0 <= place <= len(self.states):
            done = "undone" if action == REDO else "made"
            raise InputError(f"no change of the entry of {step['word'][:80]!r} was {done}")
        return replace(self, place=place, revision=revision)


def find_journal(model: SenseModel, folder: str | Path | None = None) -> Path:
    """The file of a model's entries: that of its versions where there is one, or a new one."""
    root = root_of(model)
    place = DraftPlace.find(model, None if folder is None else Path(folder))
    ending = f"-{root[:_DIGITS]}{ENTRIES}"
    if place.folder.is_dir():
        there = sorted(p for p in place.folder.iterdir() if p.name.endswith(ending))
        if there:
            return there[0]
    return place.folder / f"{place.stem}{ending}"


def read_journal(path: Path, root: str | None = None) -> tuple[int, dict[str, WrittenEntry]]:
    """How many bytes of a journal are whole lines, and the entries by their words.

    `ArtifactError` or `InputError` for no journal, or for one of another model.
    """
    n_whole, lines = read_lines(path)
    if not lines:
        return 0, {}
    check_values(
        path, lines[0], _HEAD_RULES if root is None else _HEAD_RULES | {"root": one_of(root)}
    )
    found: dict[str, WrittenEntry] = {}
    for revision, step in enumerate(lines[1:], 1):
        check_values(path, step, _STEP_RULES, {"revision": whole()})
        word = step["word"]
        found[word] = found.get(word, WrittenEntry()).take(step, revision, path)
    return n_whole, found


def read_entries(model: SenseModel, folder: str | Path | None = None) -> list[DictionaryEntry]:
    """The entries of a model as they were written; none where there is no journal yet.

    Nothing is held: another process may write them meanwhile.
    """
    try:
        written = read_journal(find_journal(model, folder), root_of(model))[1]
    except FileNotFoundError:
        return []
    return [one.entry for one in written.values() if one.entry is not None]


class EntryStore(Journal):
    """The entries of a model, held by this process; safe to use from several threads."""

    def __init__(self, model: SenseModel, folder: str | Path | None = None) -> None:
        path, root = find_journal(model, folder), root_of(model)
        head = {"kind": _KIND, "format_version": _FORMAT, "grassmeans": __version__}
        super().__init__(
            path,
            head | {"model": name_model(model), "root": root},
            path.name.replace(ENTRIES, ".entries.lock"),
            "another process ({process}) writes entries of this model: stop it first",
        )
        self._writing = threading.Lock()
        self._written = self._take_up(root)
        self._n_steps = len(read_lines(path)[1]) - 1

    def _take_up(self, root: str) -> dict[str, WrittenEntry]:
        """What is there; a file that cannot be used is set aside."""
        try:
            size, written = read_journal(self.path, root)
        except FileNotFoundError:
            size, written = 0, {}
        except (ArtifactError, InputError) as error:
            self.set_aside(str(error))
            return {}
        self._begin(size)
        return written

    def __enter__(self) -> EntryStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def words(self) -> tuple[str, ...]:
        """The words that have an entry."""
        return tuple(word for word, one in self._written.items() if one.entry is not None)

    @property
    def written(self) -> Mapping[str, WrittenEntry]:
        """What was written, word by word: of this moment."""
        return dict(self._written)

    def find(self, word: str) -> WrittenEntry:
        """What was written of a word, with what can be undone; nothing at revision 0."""
        return self._written.get(word, WrittenEntry())

    def put(self, entry: DictionaryEntry, revision: int, numbers: ModelNumbers) -> WrittenEntry:
        """Put an entry in the place of what was written for ``revision``.

        ``numbers`` are the model's of this moment, for an entry that does not say for which
        numbers its keys are. `EntryConflictError` where it was changed since that revision: then
        what was written is kept as a conflict.
        """
        entry = settle_numbering(entry, numbers)
        step = {"action": PUT, "word": entry.word, "entry": entry_to_values(entry)}
        with self._writing:
            if self.find(entry.word).revision == revision:
                return self._make(step)
            self._make(step | {"action": CONFLICT, "revision": revision})
        raise EntryConflictError(entry.word, self.find(entry.word).revision)

    def undo(self, word: str, revision: int) -> WrittenEntry:
        """The entry without its last change, which `redo` makes again."""
        return self._take_back(UNDO, word, revision)

    def redo(self, word: str, revision: int) -> WrittenEntry:
        """The entry with the change that was undone last."""
        return self._take_back(REDO, word, revision)

    def _take_back(self, action: str, word: str, revision: int) -> WrittenEntry:
        with self._writing:
            now = self.find(word).revision
            if now != revision:
                raise ConflictError(
                    f"the entry of {word[:80]!r} was changed meanwhile: look at it again"
                )
            return self._make({"action": action, "word": word})

    def _make(self, step: dict[str, Any]) -> WrittenEntry:
        """Check a step, write it to the disk, and then let it be so."""
        changed = self.find(step["word"]).take(step, self._n_steps + 1, self.path)
        self.append(step)
        self._n_steps += 1
        self._written[step["word"]] = changed
        return changed

    def close(self) -> None:
        """Let others have it; a journal without a step is not kept."""
        if self._file is None:
            return
        if not self._n_steps:
            self._end()
            self.path.unlink(missing_ok=True)
        self._let_go()


def store_entries(
    store: EntryStore, entries: Iterable[DictionaryEntry], numbers: ModelNumbers
) -> int:
    """Put entries that were read from elsewhere in the place of those there; how many are other.

    What was there can be had again by `EntryStore.undo`.
    """
    n_changed = 0
    for entry in entries:
        there = store.find(entry.word)
        if there.entry != settle_numbering(entry, numbers):
            store.put(entry, there.revision, numbers)
            n_changed += 1
    return n_changed


def carry_entries(
    model: SenseModel, version: SenseModel, folder: str | Path | None = None
) -> Path | None:
    """Give a version that was saved elsewhere the entries of its model; None where it has them.

    Those of the model stay where they are. Nothing is done where there are none, or where both find
    the same file: beside each other, or in a folder that was chosen.
    """
    source, target = find_journal(model, folder), find_journal(version, folder)
    if source == target or target.exists() or not source.exists():
        return None
    size, _ = read_journal(source, root_of(version))
    write_bytes(target, source.read_bytes()[:size])
    return target


def find_other_journals(model: SenseModel, folder: str | Path | None = None) -> list[Path]:
    """Journals in the same place that are of other models than this one and its versions."""
    own = find_journal(model, folder)
    found = []
    for path in sorted(own.parent.glob(f"*{ENTRIES}")) if own.parent.is_dir() else []:
        if path != own:
            try:
                if read_journal(path)[1]:
                    found.append(path)
            except (GrassmeansError, OSError):
                continue
    return found
