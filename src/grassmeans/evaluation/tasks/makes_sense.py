"""Makes-Sense-2016 (Mu et al. 2016): 50 words with coarse senses, targets marked by ``<b>``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from grassmeans.errors import InputError
from grassmeans.evaluation.key_files import Key, read_key
from grassmeans.evaluation.tasks.instances import Instance, split_marked_text
from grassmeans.evaluation.text_files import read_numbered_lines

_CONTEXT_ID = re.compile(r"(.+?)(?:\.[a-z])?\.(\d+)")


@dataclass(frozen=True, slots=True)
class MakesSense:
    """The test set.

    Attributes
    ----------
    instances : tuple of Instance
    gold : Key
        For the instances that have a context, and only these.
    n_without_context : int
        Instances of the key that the release has no context for (the word ``second``).
    """

    instances: tuple[Instance, ...]
    gold: Key
    n_without_context: int


def read_makes_sense(folder: str | Path) -> MakesSense:
    """Read the folder: ``contexts/WORD`` with ``id<TAB>text`` lines, and ``all.key``.

    The contexts call ``crane.v.1`` what the key calls ``crane.1``: the key's name is used. Linked
    phrases stay joined by ``_``.

    Raises
    ------
    InputError
        Where a file is missing, a line is not what it should be (with its number), or a context
        is not in the key.
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
            instance = _make_instance(line, path.name, f"{path}, line {number}")
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
    gold_key = Key({word: named for word, named in gold.items() if named})
    return MakesSense(tuple(instances), gold_key, key.n_instances - gold_key.n_instances)


def _make_instance(line: str, target: str, place: str) -> Instance:
    name, tab, text = line.partition("\t")
    parts = split_marked_text(text)
    match = _CONTEXT_ID.fullmatch(name.strip())
    if not tab or parts is None or match is None:
        raise InputError(
            f"{place}: expected 'word.n.1<TAB>text with <b> target </b>', found {line[:80]!r}"
        )
    left, word, right = parts
    return Instance(f"{match[1]}.{match[2]}", target, "", left, word, right)
