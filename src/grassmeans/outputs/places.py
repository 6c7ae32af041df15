"""Where results go: built beside their place, and put there when they are whole.

What will be ``corpus`` is built in ``.corpus.building``::

    claim.json   whose work it is: kind, digest of inputs and options
    lock         held by the process that works there
    new/         the folder to be
    scratch/     what only the work needs: checkpoints, finished parts
    old/         the folder that is replaced, between the two renames
    trash/       no longer needed

Each step leaves something from which the next run goes on: ``new`` is made last, so that it always
belongs to the claim; ``old`` goes back while its place is empty; ``trash`` is never looked into.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from grassmeans.artifacts import writing
from grassmeans.artifacts.checking import TEMPORARY, read_json
from grassmeans.artifacts.temporaries import lock_file
from grassmeans.engines import share_place
from grassmeans.errors import ArtifactError, InputError, StorageError, UnknownWordError
from grassmeans.outputs.ownership import Paths, Rules, check_inputs, check_replaceable, is_empty

_CLAIM, _LOCK, _NEW, _SCRATCH = "claim.json", "lock", "new", "scratch"
_OLD, _TRASH = "old", "trash"
_WORK = (_NEW, _SCRATCH)
_PARTS = {_CLAIM, _LOCK, _NEW, _SCRATCH, _OLD, _TRASH}
_TEMPORARY_NAME = re.compile(re.escape(TEMPORARY) + r"([0-9]+)-[0-9a-f]+$")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/(?=[^/])")  # of s3://, when it became a path
# Windows moves no folder of which somebody has a file open.
_CANNOT_MOVE = {errno.EXDEV, errno.EBUSY} | ({errno.EACCES} if os.name == "nt" else set())


@dataclass(frozen=True, slots=True)
class Building:
    """A folder under construction."""

    # Write the result here, its manifest last. It moves to its place when the block ends: open what
    # is needed afterwards from there.
    folder: Path
    # For what an interrupted run goes on from and the result does not need; deleted in the end.
    scratch: Path
    # The finished folder that the block is to go on from; None where it begins with nothing.
    earlier: Path | None = None


@contextlib.contextmanager
def output_folder(
    path: str | Path,
    kind: str,
    identity: Any = None,
    *,
    inputs: Paths = (),
    fields: Collection[str] = (),
    overwrite: bool = False,
    grows: Mapping[str, Any] | None = None,
    keep_failed: bool = False,
) -> Iterator[Building]:
    """Build an artifact beside ``path``, and put it there when the block ends well.

    An earlier folder at ``path`` is replaced only then, only where ``overwrite`` is set, and only
    where it is an artifact of the same kind, as it was written and with nothing beside it. An
    interrupted block is gone on with when it is entered again with the same ``identity``: plain
    values that tell one work from another, inputs and options. Without it nothing is taken over.

    An output never takes the place of one of its ``inputs``, or of what holds it, and never comes
    into an artifact that is one. ``fields`` of the manifest tell it from others of its kind: a
    folder without them, or with others of `list_marks`, is never replaced. A finished folder whose
    manifest has the values of ``grows`` is replaced without ``overwrite`` too, and the block takes
    over what it holds. Work that ends with an error of the input is thrown away, unless it is to be
    gone on with (``keep_failed``).

    `InputError` where ``path`` cannot be written or may not be replaced, or another process works
    on it.
    """
    path = Path(path)
    place = _find_place(path)
    check_inputs(path, inputs)
    rules = Rules(kind, fields, overwrite, grows)
    work = writing.building_place(place)
    if not work.exists():
        check_replaceable(path, rules)  # before anything is touched
    with _hold(work, path):
        try:
            with writing.explain_write_errors(path):
                _settle(place, work)
                check_replaceable(path, rules)
                _begin(path, work, kind, identity, overwrite)
        except InputError:
            if not (work / _NEW).exists():
                _discard(work)
            raise
        try:
            earlier = None if overwrite or is_empty(path) else path
            with share_place(work / _SCRATCH):
                yield Building(work / _NEW, work / _SCRATCH, earlier)
        except BaseException as error:
            is_mistake = isinstance(error, InputError | UnknownWordError) and not keep_failed
            if is_mistake or not any(
                p.is_file() for name in _WORK for p in (work / name).rglob("*")
            ):
                _discard(work)  # nothing to go on with
            raise
        writing.read_manifest(work / _NEW, kind)
        check_replaceable(path, rules)  # something may have come there
        with writing.explain_write_errors(path):
            _publish(place, work)


def check_output(
    path: str | Path,
    kind: str,
    *,
    inputs: Paths = (),
    fields: Collection[str] = (),
    overwrite: bool = False,
    grows: Mapping[str, Any] | None = None,
) -> None:
    """Refuse early, before long work, what `output_folder` would refuse.

    A folder that may grow is perhaps only read: its files are not looked at yet.
    """
    path = Path(path)
    place = _find_place(path)
    check_inputs(path, inputs)
    work = writing.building_place(place)
    if work.exists():
        with _hold(work, path), writing.explain_write_errors(path):
            _tidy(place, work)
    check_replaceable(path, Rules(kind, fields, overwrite, grows), deep=overwrite)


@contextlib.contextmanager
def output_file(path: str | Path, *, inputs: Paths = (), overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary path beside ``path``; it takes its place when the block ends well.

    A file is replaced only where ``overwrite`` is set, and never where it is an input.
    """
    path = Path(path)
    check_output_file(path, inputs=inputs, overwrite=overwrite)
    remove_leftovers(path.parent.glob(f"{glob.escape(path.name)}{TEMPORARY}*"))
    with writing.atomic_path(path) as temporary:
        yield temporary
    writing.sync_to_disk(path.parent)


def remove_leftovers(found: Iterable[Path]) -> None:
    """Of some files, delete those that a process which ended was writing."""
    if os.name != "posix":
        return  # to ask after a process there is to interrupt it
    for path in found:
        named = _TEMPORARY_NAME.search(path.name)
        try:
            if named:
                os.kill(int(named[1]), 0)
        except (OverflowError, ProcessLookupError):
            path.unlink(missing_ok=True)
        except OSError:  # a process of someone else's
            continue


def remove_dead_work(folder: Path) -> None:
    """Delete what killed runs left in a folder and no other can go on from."""
    for work in folder.glob(writing.building_place(Path("*")).name):
        place = writing.building_target(work)
        # Another run may be at work there, or the folder is someone else's.
        if (work / _LOCK).is_file():
            with contextlib.suppress(InputError, OSError), _hold(work, place):
                _settle(place, work)
                if _read_claim(work).get("digest") is None or not (work / _NEW).exists():
                    _discard(work)


def check_output_file(
    path: str | Path | None, *, inputs: Paths = (), overwrite: bool = False
) -> None:
    """Refuse early what `output_file` would refuse; nothing where no file is to be written."""
    if path is None:
        return
    path = Path(path)
    refuse_address(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file to write")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{path} is not an ordinary file: choose another name")
    check_inputs(path, inputs)
    if path.exists() and not overwrite:
        raise InputError(f"{path} exists already: choose another, or pass overwrite=True")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent} to write {path.name} into")


def refuse_address(path: Path) -> None:
    """Refuse an address, which would become a folder of that name here."""
    if _ADDRESS.match(str(path)):
        raise InputError(
            f"{path} is an address: write into a folder of this machine, then use `grassmeans copy`"
        )


def _find_place(path: Path) -> Path:
    """The absolute path of an output folder, where a folder can be put."""
    refuse_address(path)
    if path.is_symlink():
        raise InputError(f"{path} is a symbolic link: name the folder itself")
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file: choose a folder that does not exist yet")
    place = Path(os.path.realpath(path))  # which a link to itself does not end
    if place == Path.cwd() or place in Path.cwd().parents:
        raise InputError(f"{path} is the folder you are in, or holds it: name a new folder")
    if os.path.ismount(place):
        raise InputError(f"{path} is where a disk is mounted: name a new folder in it")
    return place


@contextlib.contextmanager
def _hold(work: Path, path: Path) -> Iterator[None]:
    """Be the only one who works there; the system frees the lock when a process ends."""
    if work.is_symlink() or (work.exists() and not work.is_dir()):
        raise InputError(f"{work} is in the way: move it to another place")
    for name in os.listdir(work) if work.exists() else ():
        if name not in _PARTS and not name.startswith(_CLAIM + TEMPORARY):
            raise InputError(f"{work} is in the way (it holds {name}): move it to another place")
    with writing.explain_write_errors(path):
        lock = hold_file(
            work / _LOCK,
            lambda holder: (
                f"another run (process {holder}) is writing {path}: wait for it, or choose another"
            ),
        )
    with lock:
        yield


def hold_file(path: Path, explain: Callable[[str], str]) -> IO[str]:
    """The file of a lock, which is this process's alone until it is closed or the process ends.

    `InputError` where another has it, with what ``explain`` says of its number.
    """
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock = path.open("a+", encoding="utf-8")
        except FileNotFoundError:  # the one who held it has just ended
            continue
        if lock_file(lock.fileno()) is False:
            with lock:
                lock.seek(0)
                raise InputError(explain(lock.read() or "unknown"))
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(lock.fileno()), path.stat()):
                lock.truncate(0)
                lock.write(str(os.getpid()))
                lock.flush()
                return lock
        lock.close()


def _settle(place: Path, work: Path) -> None:
    """Finish what a killed run left half done between two renames."""
    if (work / _OLD).exists():
        if is_empty(place):
            _move(work / _OLD, place)
        elif writing.find_manifest(place) is not None:
            _throw_away(work, _OLD)
    _throw_away(work)
    for left in work.glob(f"{_CLAIM}{TEMPORARY}*"):
        left.unlink()
    if not (work / _NEW).exists():
        shutil.rmtree(work / _SCRATCH, ignore_errors=True)


def _move(folder: Path, place: Path) -> None:
    """Rename a folder to a place where nothing is, or an empty folder."""
    if os.name != "posix" and place.is_dir():
        place.rmdir()  # other systems do not replace it
    os.rename(folder, place)


def _tidy(place: Path, work: Path) -> None:
    """The same, and leave nothing of work that has come to its end."""
    _settle(place, work)
    if not (work / _NEW).exists():
        _discard(work)


def _throw_away(work: Path, name: str | None = None) -> None:
    """Delete a part by way of ``trash``: half of one must not look like a whole one."""
    shutil.rmtree(work / _TRASH, ignore_errors=True)
    if name is not None and (work / name).exists():
        os.rename(work / name, work / _TRASH)
        shutil.rmtree(work / _TRASH, ignore_errors=True)


def _begin(path: Path, work: Path, kind: str, identity: Any, overwrite: bool) -> None:
    """Go on with unfinished work that is the same, or begin anew."""
    claim = {"kind": kind, "digest": None if identity is None else writing.digest_of(identity)}
    if (work / _NEW).exists():
        found = _read_claim(work)
        if found == claim and identity is not None:
            _sweep(work)
            for inner in [*work.rglob(writing.building_place(Path("*")).name)]:
                _tidy(writing.building_target(inner), inner)
            return
        if found.get("digest") is not None and not overwrite:
            raise InputError(
                f"an unfinished {found['kind']} of other inputs or options is there for {path}: "
                "start that command again, pass overwrite=True to begin anew, or choose another"
            )
    _throw_away(work, _NEW)
    shutil.rmtree(work / _SCRATCH, ignore_errors=True)
    writing.write_json(work / _CLAIM, claim)
    (work / _SCRATCH).mkdir()
    (work / _NEW).mkdir()  # last: what it holds belongs to the claim


def _sweep(folder: Path) -> None:
    """Delete files that nobody writes any more."""
    for left in folder.rglob(f"*{TEMPORARY}*"):
        left.unlink(missing_ok=True)


def _read_claim(work: Path) -> dict[str, Any]:
    try:
        claim = read_json(work / _CLAIM)
    except ArtifactError:
        return {}
    return claim if isinstance(claim, dict) else {}


def _publish(place: Path, work: Path) -> None:
    """Put the new folder into its place; the old one goes last."""
    _sweep(work / _NEW)  # whatever a killed worker was writing: another one has done it since
    for path in (*(work / _NEW).rglob("*"), work / _NEW):
        writing.sync_to_disk(path)
    try:
        if not is_empty(place):
            os.rename(place, work / _OLD)
        _move(work / _NEW, place)
    except BaseException as error:
        _settle(place, work)
        if isinstance(error, OSError) and error.errno in _CANNOT_MOVE:
            raise StorageError(
                error.errno,
                f"{place} cannot be moved ({error.strerror}): move it away yourself and start the "
                "same command again; what was built is kept",
            ) from error
        raise
    writing.sync_to_disk(place.parent)
    _settle(place, work)
    _discard(work)


def _discard(work: Path) -> None:
    """Remove everything; the lock goes last but the folder, so that no other run comes between."""
    _throw_away(work, _NEW)
    shutil.rmtree(work / _SCRATCH, ignore_errors=True)
    (work / _CLAIM).unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # another run may have come in meanwhile
        (work / _LOCK).unlink(missing_ok=True)
        work.rmdir()
