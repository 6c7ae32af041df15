"""A test set: which occurrences of a word go into which part of it, and how it lies on disk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.writing import write_bytes, write_manifest
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import ConcordanceLine
from grassmeans.errors import InputError
from grassmeans.evaluation.instances import Instance, Key, Label, write_key
from grassmeans.outputs.places import output_folder
from grassmeans.senses.samples import word_seeds

KIND = "dataset"
FORMAT_VERSION = 1
Positions = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How occurrences are drawn; the draw of a word does not depend on the other words.

    Parameters
    ----------
    max_per_sense : int, optional
        At most so many occurrences a sense, drawn at random.
    balance : bool
        As many occurrences of every sense of a word: as its rarest sense has.
    test_share : float, optional
        Put this share of every sense into a part for tests and the rest into one for training;
        without it there is one part.
    random_state : int
        Of the draws.
    """

    max_per_sense: int | None = None
    balance: bool = False
    test_share: float | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.max_per_sense is not None and self.max_per_sense < 1:
            raise InputError(f"max_per_sense must be 1 or more, got {self.max_per_sense}")
        if self.test_share is not None and not 0 < self.test_share < 1:
            raise InputError(f"test_share must lie between 0 and 1, got {self.test_share}")
        if self.test_share is not None and self.max_per_sense == 1:
            raise InputError("a sense of one instance cannot be split: let max_per_sense be 2+")

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts."""
        return ("instances",) if self.test_share is None else ("train", "test")


def sample_senses(
    word: str, senses: Mapping[str, Positions], sampling: Sampling
) -> dict[str, dict[str, Positions]]:
    """Draw the occurrences of a word's senses.

    Parameters
    ----------
    senses : mapping
        Label -> positions of its occurrences, in order.

    Returns
    -------
    dict
        Part -> label -> positions, in order. With a split, every sense of two occurrences or more
        has at least one in either part.
    """
    rng = np.random.default_rng(word_seeds(word, sampling.random_state))
    limit = max((len(positions) for positions in senses.values()), default=0)
    if sampling.max_per_sense is not None:
        limit = min(limit, sampling.max_per_sense)
    if sampling.balance:
        limit = min([limit, *(len(positions) for positions in senses.values())])
    chosen: dict[str, dict[str, Positions]] = {part: {} for part in sampling.parts}
    for label, positions in senses.items():
        drawn = rng.permutation(positions)[:limit]
        for part, some in _split(drawn, sampling).items():
            chosen[part][label] = np.sort(some)
    return chosen


def _split(drawn: Positions, sampling: Sampling) -> dict[str, Positions]:
    if sampling.test_share is None:
        return {sampling.parts[0]: drawn}
    n_test = round(sampling.test_share * len(drawn))
    if len(drawn) > 1:
        n_test = min(max(n_test, 1), len(drawn) - 1)
    return {"train": drawn[n_test:], "test": drawn[:n_test]}


@dataclass(frozen=True, slots=True)
class LabelledInstance:
    """An instance with its sense, and where it stands in the corpus."""

    instance: Instance
    label: str
    position: int
    document: str


@dataclass(frozen=True, slots=True)
class DatasetSummary:
    """What was written."""

    folder: Path
    senses: dict[str, dict[str, int]]  # word -> label -> number of instances, all parts together
    # Name of a file of JSON lines (a key of the same name lies beside it) -> its instances.
    parts: dict[str, int]
    # Words that were asked for and left out, and why.
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def n_words(self) -> int:
        """Number of words."""
        return len(self.senses)

    @property
    def n_senses(self) -> int:
        """Number of senses of all words."""
        return sum(len(labels) for labels in self.senses.values())

    @property
    def n_instances(self) -> int:
        """Number of instances."""
        return sum(self.parts.values())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "dataset": str(self.folder),
            "n_words": self.n_words,
            "n_senses": self.n_senses,
            "n_instances": self.n_instances,
            "parts": self.parts,
            "words": self.senses,
            "skipped": self.skipped,
        }


def make_label(name: str) -> str:
    """A label that key files can hold: they are cut at spaces, ``/`` and ``!!`` mean something."""
    label = "_".join(name.split()).replace("%", "%25").replace("/", "%2F")
    return f"%21{label[1:]}" if label.startswith("!") else label


def text_around(corpus: Corpus, position: int, context_chars: int) -> ConcordanceLine:
    """The text of an occurrence, so many characters a side; words cut at the ends are left out."""
    line = corpus.line_at(position, context_chars)
    left, right = line.left, line.right
    if len(left) >= context_chars and " " in left:
        left = left.partition(" ")[2]
    if len(right) >= context_chars and " " in right:
        right = right.rpartition(" ")[0]
    return ConcordanceLine(left, line.word, right, position, line.document_id, line.document_title)


def make_instance(line: ConcordanceLine, target: str, number: int, label: str) -> LabelledInstance:
    """An instance of a concordance line; its id is the target and the number."""
    name = "_".join(target.split())
    instance = Instance(
        id=f"{name}.{number}",
        target=target,
        pos="",
        left=line.left,
        word=line.word,
        right=line.right,
    )
    document = line.document_title or line.document_id
    return LabelledInstance(instance, label, line.position, document)


def order_occurrences(senses: Mapping[str, Positions]) -> list[tuple[int, str]]:
    """Position and label of all occurrences of a word, in the order of the corpus."""
    return sorted(
        (int(position), label) for label, positions in senses.items() for position in positions
    )


def write_dataset(
    folder: Path,
    parts: Mapping[str, Sequence[LabelledInstance]],
    facts: dict[str, Any],
    *,
    inputs: Iterable[str | Path | None] = (),
    overwrite: bool = False,
    skipped: Mapping[str, str] | None = None,
) -> DatasetSummary:
    """Write the parts as ``PART.jsonl`` and ``PART.key``, and the manifest.

    Parameters
    ----------
    parts : mapping
        Name -> instances. Ids are unique over all parts.
    facts : dict
        Plain values that tell how it was made, for the manifest.
    inputs : iterable of paths
        What it was made from; the output never takes its place.
    """
    senses: dict[str, dict[str, int]] = {}
    for item in chain.from_iterable(parts.values()):
        counts = senses.setdefault(item.instance.key_word, {})
        counts[item.label] = counts.get(item.label, 0) + 1
    ordered = {
        word: dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
        for word, counts in senses.items()
    }
    sizes = {f"{name}.jsonl": len(instances) for name, instances in parts.items()}
    summary = DatasetSummary(folder, ordered, sizes, dict(skipped or {}))
    counted = {"n_instances": summary.n_instances, "words": ordered, "skipped": summary.skipped}
    with output_folder(folder, KIND, inputs=inputs, overwrite=overwrite) as building:
        for name, instances in parts.items():
            _write_part(building.folder / name, instances)
        write_manifest(building.folder, KIND, FORMAT_VERSION, facts | counted)
    return summary


def _write_part(path: Path, instances: Sequence[LabelledInstance]) -> None:
    lines = [json.dumps(_to_dict(item), ensure_ascii=False) + "\n" for item in instances]
    write_bytes(path.with_name(f"{path.name}.jsonl"), "".join(lines).encode())
    labels: dict[str, dict[str, tuple[Label, ...]]] = {}
    for item in instances:
        labels.setdefault(item.instance.key_word, {})[item.instance.id] = (Label(item.label),)
    write_key(Key(labels), path.with_name(f"{path.name}.key"))


def _to_dict(item: LabelledInstance) -> dict[str, Any]:
    instance = item.instance
    return {
        "id": instance.id,
        "target": instance.target,
        "left": instance.left,
        "word": instance.word,
        "right": instance.right,
        "label": item.label,
        "document": item.document,
        "position": item.position,
    }
