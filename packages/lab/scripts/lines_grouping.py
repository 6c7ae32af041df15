"""Which geometry suits lines of a network: the same lines, grouped in several ways.

    python packages/lab/scripts/lines_grouping.py --corpus CORPUS --encoder ENCODER \
        --makes-sense FOLDER --semeval FOLDER --cache FOLDER

The contexts of every test word are sampled and encoded once; all methods group these very lines,
with five restarts, from the starts of each seed. Test instances go to the nearest sense: by the
angle between lines for the paper's K-Grassmeans, between vectors where lines have ends, and by the
angle to a sense's subspace where a sense has more than one direction (a line and its spread).
Beside fixed numbers: twelve groups, of which the nearest are merged while their cosine is at least
a limit. ``--encode-only`` fills the cache, where a GPU is (``--device cuda``), and ends.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import AgglomerativeClustering

from grassmeans import Corpus
from grassmeans.artifacts.writing import digest_of, write_array
from grassmeans.clustering.kgrassmeans import KGrassmeans
from grassmeans.clustering.settings import AUTO, DEFAULT_MAX_SENSES, InductionSettings
from grassmeans.contexts import open_contexts
from grassmeans.contexts.attention.encoder import NetworkEncoder
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import ClusteringScores
from grassmeans.evaluation.grouping import ClusteringTask
from grassmeans.evaluation.instances import known_form
from grassmeans.evaluation.loading import open_task
from grassmeans.evaluation.running import evaluate
from grassmeans.evaluation.systems import Senses, System
from grassmeans.geometry.distances import usable_contexts
from grassmeans.geometry.rules import GroupingRules
from grassmeans.outputs.places import output_file
from grassmeans.progress import progress_bar
from grassmeans.senses.samples import encode_words, word_seeds
from grassmeans_lab.rivals.cosine_senses import find_centres

Floats = NDArray[np.float32]
TASKS = {"makes_sense": "makes-sense", "semeval": "semeval2010"}


@dataclass(frozen=True, slots=True)
class Number:
    """How many senses: a fixed number, or groups that are merged while their cosine is so high."""

    n_groups: int
    merge_cosine: float | None = None

    def __str__(self) -> str:
        merged = "" if self.merge_cosine is None else f", merged at {self.merge_cosine}"
        return f"{self.n_groups}{merged}"


Group = Callable[[Floats, Number, np.random.Generator], Floats]
"""Lines (n, dim), the number of senses, starts -> (n_senses, rank, dim) orthonormal directions."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """A way to group lines.

    Attributes
    ----------
    have_ends : bool
        Whether a line and its opposite are two different things.
    merges : bool
        Whether it can merge groups.
    """

    name: str
    group: Group
    have_ends: bool
    merges: bool


class KeptLines:
    """Lines of test instances: the same occurrences are encoded once."""

    def __init__(self, encoder: NetworkEncoder) -> None:
        self._encoder = encoder
        self._kept: dict[Any, Floats] = {}

    def encode(self, word: str, occurrences: Occurrences) -> Floats:
        """(n, dim) unit lines; zeros where a context says nothing."""
        key = word, occurrences.tokens.tobytes(), occurrences.positions.tobytes()
        if key not in self._kept:
            self._kept[key] = self._encoder.encode(occurrences)[:, 0]
        return self._kept[key]


class LineSenses(Senses):
    """Directions of words, to which lines are compared."""

    def __init__(self, directions: Mapping[str, Floats], lines: KeptLines, have_ends: bool) -> None:
        self.words = tuple(directions)
        self._directions = directions
        self._lines = lines
        self._have_ends = have_ends

    def n_senses(self, word: str) -> int:
        """The number of directions."""
        return len(self._directions[word])

    def distances(self, word: str, occurrences: Occurrences) -> Floats:
        """(n, n_senses) by the angle of vectors, or of lines; NaN where a context says nothing."""
        lines = self._lines.encode(word, occurrences)
        found = measure(lines, self._directions[word], self._have_ends)
        return np.where(lines.any(axis=1)[:, None], found, np.float32(np.nan))


def measure(lines: Floats, directions: Floats, have_ends: bool) -> Floats:
    """(n, n_senses) how far lines (n, dim) are from the directions (n_senses, rank, dim)."""
    cosines = np.einsum("nd,krd->nkr", lines, directions)
    if have_ends:
        return np.asarray((1.0 - cosines[..., 0]) / 2.0)
    return np.asarray(np.sqrt(np.maximum(1.0 - np.square(cosines).sum(axis=2), 0.0)))


class LineSystem(System):
    """Senses of lines, as a system that answers test sets."""

    def __init__(self, name: str, senses: LineSenses, corpus: Corpus) -> None:
        self.name = name
        self.tokenizer = corpus.tokenizer
        self._senses = senses

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Its name."""
        return {"method": self.name}

    @property
    def digests(self) -> Mapping[str, str]:
        """None: nothing of it is stored."""
        return {}

    def find_senses(self, targets: Iterable[str]) -> LineSenses:
        """Those that were grouped."""
        return self._senses


def main() -> None:
    arguments = _parse_arguments()
    corpus = Corpus.open(arguments.corpus)
    encoder = open_contexts(arguments.encoder)
    if not isinstance(encoder, NetworkEncoder):
        raise InputError(f"{arguments.encoder} is no encoder")
    tasks = {name: open_task(name, getattr(arguments, option)) for option, name in TASKS.items()}
    targets = dict.fromkeys(target for task in tasks.values() for target in task.targets)
    forms = [form for target in targets if (form := known_form(corpus.vocabulary, target))]
    encoder.use_device(arguments.device)
    lines = encode_test_words(forms, corpus, encoder, arguments.max_contexts, arguments.cache)
    if arguments.encode_only:
        return
    rows = []
    kept = KeptLines(encoder)
    numbers = [Number(number) for number in arguments.senses]
    numbers += [Number(DEFAULT_MAX_SENSES, cosine) for cosine in arguments.merge]
    for number in numbers:
        for grouping in GROUPINGS:
            if number.merge_cosine is not None and not grouping.merges:
                continue
            for seed in arguments.seeds:
                senses = LineSenses(
                    group_words(grouping, lines, number, seed), kept, grouping.have_ends
                )
                system = LineSystem(grouping.name, senses, corpus)
                for task in tasks.values():
                    row = {"senses": str(number), "seed": seed} | score(task, system)
                    rows.append(row)
                    print(json.dumps(row), flush=True)
    print(format_table(rows))
    if arguments.output:
        with output_file(arguments.output, overwrite=True) as place:
            place.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def group_words(
    grouping: Grouping, lines: Mapping[str, Floats], number: Number, seed: int
) -> dict[str, Floats]:
    """The directions of each word; words with fewer lines than groups have none."""
    return {
        word: grouping.group(own, number, np.random.default_rng(word_seeds(word, seed).spawn(2)[1]))
        for word, own in lines.items()
        if len(own) >= number.n_groups
    }


def group_lines(
    lines: Floats, number: Number, rng: np.random.Generator, *, signed: bool = False
) -> Floats:
    """K-Grassmeans of lines, or of lines with ends; merged by the house's rule."""
    method = KGrassmeans(n_senses=number.n_groups, signed=signed, random_state=rng)
    if number.merge_cosine is not None:
        rules = GroupingRules(number.n_groups, number.merge_cosine)
        method.set_params(n_senses=AUTO, rules=rules)
    found: Floats = method.fit(lines[:, None]).directions_
    return found[:, None]


def group_vectors(lines: Floats, number: Number, rng: np.random.Generator) -> Floats:
    """Spherical k-means as our rivals use it; it merges nothing."""
    return find_centres(lines, number.n_groups, n_init=5, rng=rng)[:, None]


def group_subspaces(
    lines: Floats, number: Number, rng: np.random.Generator, *, rank: int
) -> Floats:
    """A sense is a subspace: the main axes of its lines, to which each line is compared."""
    best, least = np.empty(0, np.float32), np.inf
    for _ in range(5):
        found = group_vectors(lines, number, rng)
        for _ in range(_MOST_ROUNDS):
            distances = measure(lines, found, have_ends=False)
            labels = distances.argmin(axis=1)
            groups = [lines[labels == k] for k in range(number.n_groups)]
            if min(map(len, groups)) < rank:
                break
            found = np.stack([np.linalg.svd(own, full_matrices=False)[2][:rank] for own in groups])
        left = float(np.square(measure(lines, found, have_ends=False).min(axis=1)).sum())
        if left < least:
            best, least = found, left
    return best


def group_tree(lines: Floats, number: Number, rng: np.random.Generator) -> Floats:
    """Ward's tree, cut where there are so many groups; their means are the directions."""
    tree = AgglomerativeClustering(number.n_groups, linkage="ward")
    labels = tree.fit_predict(lines)
    means = np.stack([lines[labels == k].mean(axis=0) for k in range(number.n_groups)])
    return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), np.float32)[:, None]


_MOST_ROUNDS = 20
GROUPINGS = (
    Grouping("K-Grassmeans", group_lines, have_ends=False, merges=True),
    Grouping(
        "K-Grassmeans, signed", partial(group_lines, signed=True), have_ends=True, merges=True
    ),
    Grouping("spherical k-means", group_vectors, have_ends=True, merges=False),
    Grouping("rank 2", partial(group_subspaces, rank=2), have_ends=False, merges=False),
    Grouping("rank 3", partial(group_subspaces, rank=3), have_ends=False, merges=False),
    Grouping("Ward's tree", group_tree, have_ends=True, merges=False),
)


def encode_test_words(
    words: Sequence[str], corpus: Corpus, encoder: NetworkEncoder, most: int, cache: Path
) -> dict[str, Floats]:
    """(n, dim) lines of a sample of each word's occurrences, kept in the cache folder."""
    about = [corpus.manifest["digest"], encoder.identity(), most]
    folder = cache / digest_of(about)
    folder.mkdir(parents=True, exist_ok=True)
    settings = InductionSettings(n_senses=5, max_contexts=most)
    lines = {}
    with progress_bar("encoding", len(words), unit="words") as advance:
        for word in words:
            path = folder / f"{word}.npy"
            if not path.exists():
                (encoded,) = encode_words([word], corpus, encoder, settings)
                found = encoded.bases[usable_contexts(encoded.bases)][:, 0]
                write_array(path, found.astype(np.float16))
            halves = np.load(path).astype(np.float32)
            lines[word] = halves / np.linalg.norm(halves, axis=1, keepdims=True)
            advance(1)
    return lines


def score(task: ClusteringTask, system: LineSystem) -> dict[str, Any]:
    """V, F, their geometric mean and the number of clusters of a test set."""
    scores = evaluate(task, system).scores
    assert isinstance(scores, ClusteringScores)
    every = scores.groups["all"]
    return {
        "method": system.name,
        "task": task.name,
        "v_measure": round(every.v_measure, 2),
        "f_score": round(every.f_score, 2),
        "root": round((every.v_measure * every.f_score) ** 0.5, 2),
        "clusters": round(every.n_clusters, 2),
    }


def format_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """A table in Markdown: means over the seeds, and how far the roots of the seeds lie apart."""
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    lines = [f"| K | | {' | '.join(tasks)} |", "|---" * (len(tasks) + 2) + "|"]
    for number, method in dict.fromkeys((row["senses"], row["method"]) for row in rows):
        cells = []
        for task in tasks:
            own = [
                row
                for row in rows
                if (row["senses"], row["method"], row["task"]) == (number, method, task)
            ]
            v, f, clusters, root = (
                float(np.mean([row[name] for row in own]))
                for name in ("v_measure", "f_score", "clusters", "root")
            )
            apart = max(row["root"] for row in own) - min(row["root"] for row in own)
            cells.append(f"{v:.1f} / {f:.1f} / {clusters:.2f}: {root:.1f} ({apart:.1f})")
        lines.append(f"| {number} | {method} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("corpus", "encoder", "makes-sense", "semeval"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True, help="folder for encoded lines")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--encode-only", action="store_true", help="fill the cache, and end")
    parser.add_argument("--senses", type=int, nargs="+", default=[2, 3, 5, 12])
    parser.add_argument("--merge", type=float, nargs="*", default=[0.46, 0.5], help="cosines")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--max-contexts", type=int, default=600)
    parser.add_argument("-o", "--output", type=Path, help="write all rows as JSON")
    return parser.parse_args()


if __name__ == "__main__":
    main()
