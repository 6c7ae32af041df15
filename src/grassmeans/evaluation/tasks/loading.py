"""A test set by its name: its instances and their gold senses, whatever files it comes in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grassmeans.artifacts import digest_of
from grassmeans.errors import InputError
from grassmeans.evaluation.key_files import Key, read_key
from grassmeans.evaluation.tasks.coarsewsd20 import read_coarsewsd20
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.evaluation.tasks.jsonlines import read_json_instances
from grassmeans.evaluation.tasks.makes_sense import read_makes_sense
from grassmeans.evaluation.tasks.semeval2010 import read_semeval2010
from grassmeans.evaluation.tasks.semeval2013 import read_semeval2013

CLUSTERING_TASKS = ("semeval2010", "semeval2013", "makes-sense", "coarsewsd20", "jsonl")
"""Tasks whose instances are grouped by sense."""

_GRADED = ("semeval2013",)
_GOLD_PLACES = {
    "semeval2010": ("gold.key", "all.key", "evaluation/unsup_eval/keys/all.key"),
    "semeval2013": ("keys/gold/all.key", "gold.key", "all.key"),
}


@dataclass(frozen=True, slots=True)
class ClusteringTask:
    """Instances to be grouped by sense, and their gold senses.

    Attributes
    ----------
    graded : bool
        Whether gold labels have weights, and fuzzy scores are the task's.
    gold : Key
        May be empty for files of one's own.
    """

    name: str
    instances: tuple[Instance, ...]
    gold: Key
    graded: bool = False

    @property
    def digest(self) -> str:
        """A short digest of instances and gold labels: the same test set has the same."""
        texts = [[i.id, i.key_word, i.left, i.word, i.right] for i in self.instances]
        labels = [
            [word, name, [[label.name, label.weight] for label in given]]
            for word, instances in self.gold.labels.items()
            for name, given in instances.items()
        ]
        return digest_of([texts, labels])


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

    Raises
    ------
    InputError
        Where the name is unknown or files are not what they should be.
    """
    check_task_name(name)
    folder = Path(data)
    if not folder.exists():
        raise InputError(f"there is nothing at {folder}: give the data of {name}")
    instances, found = _read(name, folder, gold is None)
    key = read_key(gold) if gold is not None else found
    return ClusteringTask(name, tuple(instances), key, graded=name in _GRADED)


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
    if name not in CLUSTERING_TASKS:
        known = ", ".join([*CLUSTERING_TASKS, *also])
        raise InputError(f"unknown task {name!r}: expected one of {known}")


def is_graded(name: str) -> bool:
    """Whether a task's gold labels have weights, and fuzzy scores are its own."""
    return name in _GRADED


def _read(name: str, folder: Path, with_gold: bool) -> tuple[Sequence[Instance], Key]:
    if name == "makes-sense":
        makes_sense = read_makes_sense(folder)
        return makes_sense.instances, makes_sense.gold
    if name == "coarsewsd20":
        coarse = read_coarsewsd20(folder)
        return coarse.instances, coarse.gold
    if name == "jsonl":
        labelled = read_json_instances(folder)
        return labelled.instances, labelled.gold
    reader = read_semeval2010 if name == "semeval2010" else read_semeval2013
    gold = _read_gold(name, folder) if with_gold else Key({})
    return reader(folder), gold


def _read_gold(name: str, folder: Path) -> Key:
    places = [folder / place for place in _GOLD_PLACES[name]]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise InputError(
            f"{folder} has no gold key: expected {' or '.join(_GOLD_PLACES[name])}; "
            "name it with --gold"
        )
    return read_key(path)
