"""CoarseWSD-20 (Loureiro et al. 2021): twenty nouns with two to five coarse senses each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from grassmeans.errors import InputError
from grassmeans.evaluation.key_files import Key, Label
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.evaluation.text_files import read_numbered_lines

SPLITS = ("test", "train")
_CLASS_FILES = ("classes_map.txt", "class_map.txt")


@dataclass(frozen=True, slots=True)
class CoarseWsd:
    """The instances of one split, and their senses."""

    instances: tuple[Instance, ...]
    gold: Key


def read_coarsewsd20(folder: str | Path, split: str = "test") -> CoarseWsd:
    """Read a folder with a folder a word: ``SPLIT.data.txt``, ``SPLIT.gold.txt``, and class names.

    The instances are called ``crane.test.1`` and so on, by their lines. Classes are named by
    ``classes_map.txt``, or by their numbers where a word has no such file.

    Raises
    ------
    InputError
        Where files are missing or do not fit together; with the line where one is wrong.
    """
    folder = Path(folder)
    if split not in SPLITS:
        raise InputError(f"split must be one of {', '.join(SPLITS)}, got {split!r}")
    paths = sorted(folder.glob(f"*/{split}.data.txt"))
    if not paths:
        raise InputError(
            f"{folder} has no folders with {split}.data.txt: name the CoarseWSD-20 folder"
        )
    instances: list[Instance] = []
    labels: dict[str, dict[str, tuple[Label, ...]]] = {}
    for path in paths:
        of_word = [_make_instance(path, split, *entry) for entry in read_numbered_lines(path)]
        classes = _read_classes(path.parent, split, len(of_word))
        instances += of_word
        labels[of_word[0].key_word] = {
            instance.id: (Label(name),) for instance, name in zip(of_word, classes, strict=True)
        }
    return CoarseWsd(tuple(instances), Key(labels))


def _make_instance(path: Path, split: str, number: int, line: str) -> Instance:
    index_text, _, sentence = line.partition("\t")
    tokens = sentence.split()
    if not index_text.strip().isdigit() or int(index_text) >= len(tokens):
        raise InputError(
            f"{path}, line {number}: expected 'index<TAB>sentence' with the number of a token, "
            f"counted from 0, found {line[:80]!r}"
        )
    index, word = int(index_text), path.parent.name
    return Instance(
        id=f"{word}.{split}.{number}",
        target=word,
        pos="",
        left=" ".join(tokens[:index]) + " " * (index > 0),
        word=tokens[index],
        right=" " * (index + 1 < len(tokens)) + " ".join(tokens[index + 1 :]),
    )


def _read_classes(folder: Path, split: str, n_instances: int) -> list[str]:
    path = folder / f"{split}.gold.txt"
    classes = [line.strip() for _, line in read_numbered_lines(path)]
    if len(classes) != n_instances:
        raise InputError(
            f"{path} has {len(classes)} labels for the {n_instances} sentences of "
            f"{split}.data.txt: one a line is expected"
        )
    names = _read_class_names(folder)
    return [names.get(number, number) for number in classes]


def _read_class_names(folder: Path) -> dict[str, str]:
    path = next((folder / name for name in _CLASS_FILES if (folder / name).is_file()), None)
    if path is None:
        return {}
    try:
        names = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    if not isinstance(names, dict):
        raise InputError(f'{path}: expected an object such as {{"0": "crane_bird"}}')
    return {str(number): str(name) for number, name in names.items()}
