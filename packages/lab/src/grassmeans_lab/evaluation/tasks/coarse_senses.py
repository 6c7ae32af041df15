"""Test sets of words with a few coarse senses.

Makes-Sense-2016 (Mu et al. 2016): 50 words, targets marked by ``<b>``. CoarseWSD-20 (Loureiro et
al. 2021): twenty nouns with two to five senses each.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from grassmeans.errors import InputError
from grassmeans.evaluation.instances import (
    Instance,
    Key,
    Label,
    LabelledInstances,
    read_key,
    read_numbered_lines,
)
from grassmeans.evaluation.loading import InstanceFormat

SPLITS = ("test", "train")
_CLASS_FILES = ("classes_map.txt", "class_map.txt")
_MARKED = re.compile(r"(.*?)<b>(.*?)</b>(.*)", re.DOTALL)
_TAG = re.compile(r"</?b>")
_CONTEXT_ID = re.compile(r"(.+?)(?:\.[a-z])?\.(\d+)")


def split_marked_text(text: str) -> tuple[str, str, str] | None:
    """Split a text at its first ``<b> word </b>`` into left, word and right; None without one.

    White space inside the tags goes to the text around; further tags are removed.
    """
    match = _MARKED.fullmatch(text)
    if match is None or not match[2].strip():
        return None
    left, marked, right = match.groups()
    word = marked.strip()
    before, after = marked.split(word, 1)
    return left + before, word, after + _TAG.sub("", right)


def read_makes_sense(folder: str | Path) -> LabelledInstances:
    """Read the folder: ``contexts/WORD`` with ``id<TAB>text`` lines, and ``all.key``.

    The contexts call ``crane.v.1`` what the key calls ``crane.1``: the key's name is used. Linked
    phrases stay joined by ``_``. Instances of the key that the release has no context for (the word
    ``second``) are left out of the gold labels.

    `InputError` where a file is missing, a line is not what it should be (with its number), or a
    context is not in the key.
    """
    folder = Path(folder)
    contexts = folder / "contexts"
    if not contexts.is_dir():
        raise InputError(f"{folder} has no folder 'contexts': name the Makes-Sense-2016 folder")
    key = read_key(folder / "all.key")
    instances: list[Instance] = []
    seen: set[str] = set()
    for path in sorted(path for path in contexts.iterdir() if not path.name.startswith(".")):
        for number, line in read_numbered_lines(path):
            instance = _read_context(line, path.name, f"{path}, line {number}")
            if instance.id in seen:
                raise InputError(f"{path}, line {number}: the context {instance.id} comes twice")
            if instance.id not in key.labels.get(instance.target, {}):
                raise InputError(f"{path}, line {number}: all.key has no instance {instance.id}")
            seen.add(instance.id)
            instances.append(instance)
    gold = {
        word: {name: labels for name, labels in named.items() if name in seen}
        for word, named in key.labels.items()
    }
    return LabelledInstances(
        tuple(instances), Key({word: named for word, named in gold.items() if named})
    )


def _read_context(line: str, target: str, place: str) -> Instance:
    name, tab, text = line.partition("\t")
    parts = split_marked_text(text)
    match = _CONTEXT_ID.fullmatch(name.strip())
    if not tab or parts is None or match is None:
        raise InputError(
            f"{place}: expected 'word.n.1<TAB>text with <b> target </b>', found {line[:80]!r}"
        )
    left, word, right = parts
    return Instance(f"{match[1]}.{match[2]}", target, "", left, word, right)


def read_coarsewsd20(folder: str | Path, split: str = "test") -> LabelledInstances:
    """Read a folder with a folder a word: ``SPLIT.data.txt``, ``SPLIT.gold.txt``, and class names.

    The instances are called ``crane.test.1`` and so on, by their lines. Classes are named by
    ``classes_map.txt``, or by their numbers where a word has no such file.

    `InputError` where files are missing or do not fit together; with the line where one is wrong.
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
        of_word = [_read_sentence(path, split, *entry) for entry in read_numbered_lines(path)]
        classes = _read_classes(path.parent, split, len(of_word))
        instances += of_word
        labels[of_word[0].key_word] = {
            instance.id: (Label(name),) for instance, name in zip(of_word, classes, strict=True)
        }
    return LabelledInstances(tuple(instances), Key(labels))


def _read_sentence(path: Path, split: str, number: int, line: str) -> Instance:
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
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    if not isinstance(names, dict):
        raise InputError(f'{path}: expected an object such as {{"0": "crane_bird"}}')
    return {str(number): str(name) for number, name in names.items()}


MAKES_SENSE = InstanceFormat("makes-sense", read_makes_sense)
COARSEWSD20 = InstanceFormat("coarsewsd20", read_coarsewsd20)
