"""A test set by its name: its instances and their gold senses, whatever files it comes in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from grassmeans.errors import InputError
from grassmeans.evaluation.dwug import ChangeTask
from grassmeans.evaluation.grouping import ClusteringTask
from grassmeans.evaluation.key_files import Key, read_key
from grassmeans.evaluation.running import Task
from grassmeans.evaluation.sentences import SentencesTask
from grassmeans.evaluation.similarity import ScwsTask, WordPairsTask
from grassmeans.evaluation.tasks.coarse_senses import read_coarsewsd20, read_makes_sense
from grassmeans.evaluation.tasks.instances import Instance, read_json_instances
from grassmeans.evaluation.tasks.semeval2010 import read_semeval2010
from grassmeans.evaluation.tasks.semeval2013 import read_semeval2013
from grassmeans.plugins import TASKS, find_plugins, load_plugin

CLUSTERING_TASKS = ("semeval2010", "semeval2013", "makes-sense", "coarsewsd20", "jsonl")
"""Tasks whose instances are grouped by sense."""

OTHER_TASKS = ("sentences", "scws", "wordsim", "dwug")
"""Tasks with scores of their own."""

_GRADED = ("semeval2013",)
_GOLD_PLACES = {
    "semeval2010": ("gold.key", "all.key", "evaluation/unsup_eval/keys/all.key"),
    "semeval2013": ("keys/gold/all.key", "gold.key", "all.key"),
}


def load_task(name: str, data: str | Path, gold: str | Path | None = None) -> ClusteringTask:
    """Read a test set.

    Parameters
    ----------
    name : str
        One of `CLUSTERING_TASKS`.
    data : path
        The folder of the release; for ``"jsonl"`` a file.
    gold : path, optional
        A gold key in place of the one inside ``data``.

    `InputError` where the name is unknown or files are not what they should be.
    """
    check_task_name(name)
    folder = check_place(name, data)
    instances, found = _read(name, folder, gold is None)
    key = read_key(gold) if gold is not None else found
    return ClusteringTask(name, tuple(instances), key, graded=name in _GRADED)


def open_task(name: str, data: str | Path, gold: str | Path | None = None) -> Task[Any]:
    """Any test set: one of `load_task`, of `OTHER_TASKS`, or of another distribution."""
    added = find_plugins(TASKS)
    check_task_name(name, [*OTHER_TASKS, *added])
    if name in CLUSTERING_TASKS:
        return load_task(name, data, gold)
    check_place(name, data)
    if name in added:
        task: Task[Any] = load_plugin(TASKS, name)(data)
        return task
    makers: dict[str, Callable[[str | Path], Task[Any]]] = {
        "sentences": SentencesTask,
        "scws": ScwsTask,
        "wordsim": WordPairsTask,
        "dwug": ChangeTask,
    }
    return makers[name](data)


def open_named_task(text: str) -> Task[Any]:
    """A test set with gold labels from ``NAME=PATH``."""
    name, equals, path = text.partition("=")
    if not (equals and path):
        raise InputError(f"--task must be NAME=PATH, such as makes-sense=FOLDER; got {text!r}")
    task = open_task(name, path)
    if isinstance(task, ClusteringTask) and task.gold.n_instances == 0:
        raise InputError(f"{path} has no gold labels: nothing can be compared on it")
    return task


def load_gold(name: str, path: str | Path) -> Key:
    """The gold labels of a test set, from a key file, a file of JSON lines or its folder."""
    check_task_name(name)
    place = Path(path)
    if place.is_dir():
        if name in _GOLD_PLACES:
            return _read_gold(name, place)
        return load_task(name, place).gold
    return read_labels(place)


def read_labels(path: str | Path) -> Key:
    """Labels from a key file, or from JSON lines where the name ends in ``.jsonl``."""
    place = Path(path)
    if place.suffix != ".jsonl":
        return read_key(place)
    labels = read_json_instances(place).gold
    if labels.n_instances == 0:
        raise InputError(f"{place}: no line has a label")
    return labels


def check_task_name(name: str, also: Sequence[str] = ()) -> None:
    """Raise `InputError` for a task that does not exist, and name those that do."""
    known = [*CLUSTERING_TASKS, *also]
    if name not in known:
        raise InputError(f"unknown task {name!r}: expected one of {', '.join(known)}")


def check_place(name: str, data: str | Path) -> Path:
    """Raise `InputError` where there is no data."""
    place = Path(data)
    if not place.exists():
        raise InputError(f"there is nothing at {place}: give the data of {name}")
    return place


def is_graded(name: str) -> bool:
    """Whether a task's gold labels have weights, and fuzzy scores are its own."""
    return name in _GRADED


def _read(name: str, folder: Path, with_gold: bool) -> tuple[Sequence[Instance], Key]:
    whole = {
        "makes-sense": read_makes_sense,
        "coarsewsd20": read_coarsewsd20,
        "jsonl": read_json_instances,
    }
    if name in whole:
        found = whole[name](folder)
        return found.instances, found.gold
    reader = read_semeval2010 if name == "semeval2010" else read_semeval2013
    gold = _read_gold(name, folder) if with_gold else Key({})
    return reader(folder), gold


def _read_gold(name: str, folder: Path) -> Key:
    places = [folder / place for place in _GOLD_PLACES[name]]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise InputError(
            f"{folder} has no gold key: expected {' or '.join(_GOLD_PLACES[name])}; "
            "name it as gold=..."
        )
    return read_key(path)
