"""A test set by its name: one of ours, or one that another distribution adds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import ClusteringScores
from grassmeans.evaluation.grouping import ClusteringTask, Scores
from grassmeans.evaluation.instances import Key, LabelledInstances, read_json_instances, read_key
from grassmeans.evaluation.pairs import PAIRS, InstancePairsTask, PairsTask
from grassmeans.evaluation.running import Task
from grassmeans.evaluation.sentences import SentencesTask
from grassmeans.plugins import TASKS, find_plugins, load_plugin

KEYS_ALONE = "semeval2010"
"""The task whose key files and scores are ours: these need no test set."""


@dataclass(frozen=True, slots=True)
class InstanceFormat:
    """The files of a test set whose instances are grouped by sense; called, it reads them."""

    name: str
    # The path of the data -> instances, and their labels where the same files have them.
    read: Callable[[Path], LabelledInstances]
    # Where a gold key may lie in the folder; empty where `read` gives the labels.
    gold_places: tuple[str, ...] = ()
    scoring: type[Scores] = ClusteringScores  # how answers are scored

    def __call__(self, data: str | Path, gold: str | Path | None = None) -> ClusteringTask:
        """Read the test set, and a gold key in place of its own where one is given."""
        place = Path(data)
        key = None if gold is None else read_key(gold)
        if gold is None and self.gold_places:
            key = self.read_gold(place)
        found = self.read(place)
        return ClusteringTask(self.name, found.instances, key or found.gold, self.scoring)

    def read_gold(self, folder: Path) -> Key:
        """The gold labels alone."""
        if not self.gold_places:
            return self.read(folder).gold
        places = [folder / place for place in self.gold_places]
        path = next((place for place in places if place.is_file()), None)
        if path is None:
            raise InputError(
                f"{folder} has no gold key: expected {' or '.join(self.gold_places)}; "
                "name it as gold=..."
            )
        return read_key(path)


_OURS: dict[str, Callable[..., Task[Any]]] = {
    "jsonl": InstanceFormat("jsonl", read_json_instances),
    "sentences": SentencesTask,
    PAIRS: PairsTask,
}


def open_task(
    name: str, data: str | Path, gold: str | Path | None = None, of: str | None = None
) -> Task[Any]:
    """Read a test set.

    `InputError` where the name is unknown or files are not what they should be.

    Parameters
    ----------
    name : str
        ``"jsonl"``, ``"sentences"``, ``"pairs"``, or one that an installed distribution adds.
    data : path
        Its folder or file.
    gold : path, optional
        Gold labels in place of those inside ``data``; only where instances are grouped or paired.
    of : str, optional
        With ``"pairs"``: the test set of that name, whose instances are paired. Without it,
        ``data`` is a file of pairs.
    """
    if of is not None:
        if name != PAIRS or of == PAIRS:
            raise InputError(f"of=... names the test set of {PAIRS}: leave it out for {name}")
        return InstancePairsTask(open_task(of, data, gold))
    reader = _find_reader(name)
    if not Path(data).exists():
        raise InputError(f"there is nothing at {data}: give the data of {name}")
    takes_gold = isinstance(reader, InstanceFormat) or reader is PairsTask
    return reader(data, gold) if takes_gold else reader(data)


def open_named_task(text: str) -> Task[Any]:
    """A test set with gold labels from ``NAME=PATH``."""
    name, equals, path = text.partition("=")
    if not (equals and path):
        raise InputError(f"--task must be NAME=PATH, such as jsonl=FILE; got {text!r}")
    task = open_task(name, path)
    if isinstance(task, ClusteringTask) and task.gold.n_instances == 0:
        raise InputError(f"{path} has no gold labels: nothing can be compared on it")
    return task


def load_gold(name: str, path: str | Path) -> tuple[Key, type[Scores]]:
    """Gold labels from a key file, JSON lines or a test set's folder, and how they are scored."""
    place = Path(path)
    if name == KEYS_ALONE and not place.is_dir():
        return read_labels(place), ClusteringScores
    reader = _find_reader(name)
    if not isinstance(reader, InstanceFormat):
        raise InputError(f"{name} has no keys: `grassmeans evaluate {name}` has its scores")
    return reader.read_gold(place) if place.is_dir() else read_labels(place), reader.scoring


def read_labels(path: str | Path) -> Key:
    """Labels from a key file, or from JSON lines where the name ends in ``.jsonl``."""
    place = Path(path)
    if place.suffix != ".jsonl":
        return read_key(place)
    labels = read_json_instances(place).gold
    if labels.n_instances == 0:
        raise InputError(f"{place}: no line has a label")
    return labels


def _find_reader(name: str) -> Callable[..., Task[Any]]:
    if name in _OURS:
        return _OURS[name]
    added = find_plugins(TASKS)
    if name not in added:
        raise InputError(
            f"unknown task {name!r}: expected one of {', '.join([*_OURS, *sorted(added)])}; "
            "other packages add more"
        )
    reader: Callable[..., Task[Any]] = load_plugin(TASKS, name)
    return reader
