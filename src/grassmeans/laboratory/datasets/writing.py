"""A test set on disk: JSON lines and a key for every part, and a manifest that tells how."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from grassmeans.artifacts import write_bytes, write_manifest
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import ConcordanceLine
from grassmeans.evaluation.key_files import Key, Label, write_key
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.laboratory.datasets.sampling import Positions
from grassmeans.outputs import output_folder

KIND = "dataset"
FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class LabelledInstance:
    """An instance with its sense, and where it stands in the corpus."""

    instance: Instance
    label: str
    position: int
    document: str


@dataclass(frozen=True, slots=True)
class DatasetSummary:
    """What was written.

    Attributes
    ----------
    folder : Path
    senses : dict
        Word -> label -> number of instances, all parts together.
    parts : dict
        Name of a file of JSON lines -> number of its instances. A key of the same name lies
        beside it.
    skipped : dict
        Words that were asked for and left out, and why.
    """

    folder: Path
    senses: dict[str, dict[str, int]]
    parts: dict[str, int]
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
