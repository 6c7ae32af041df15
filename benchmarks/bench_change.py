"""Ranking all words of a corpus by change: seconds, memory, and false alarms.

    python benchmarks/bench_change.py CORPUS MODEL --folder FOLDER

Labelling real text takes hours on a CPU, and what is timed here comes after it. So the labels are
made up: the occurrences of a word in a document mostly have one sense, drawn by the shares of the
model's inventory, and nothing changes between two groups of documents chosen by chance. In a
hundredth of the words that have several senses, the first two change places in the second group:
these are to be found, and no others.
"""

from __future__ import annotations

import argparse
import resource
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans import Corpus, load
from grassmeans.change.comparing import ChangeSettings, compare_groups
from grassmeans.change.grouping import GroupedCorpus, GroupedDocuments
from grassmeans.corpus.shard import Shard
from grassmeans.labelling.decoding import Decoding
from grassmeans.labelling.labeller import label_by_measure
from grassmeans.labelling.measuring import find_targets
from measurement import write_result

FAITHFUL = 0.8
EVERY = 100


@dataclass(frozen=True)
class MadeUp:
    """Distances that are 0 to a sense drawn for each word and document, and 1 to all others."""

    word_of_token: NDArray[np.int32]
    ladders: NDArray[np.float64]  # (n_words, most senses) sums of the shares
    groups: NDArray[np.int32]
    changing: NDArray[np.bool_]
    shards_here: int = 0

    def find_distances(self, shard: Shard) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """Positions of the targets in a shard, and their distances."""
        words = self.word_of_token[np.asarray(shard.tokens)]
        positions = np.flatnonzero(words >= 0)
        words = words[positions].astype(np.int64)
        own = np.searchsorted(np.asarray(shard.document_offsets), positions, side="right") - 1
        documents = own + shard.first_document
        rng = np.random.default_rng(shard.first_position)
        drawn = _mix(words * 1_000_003 + documents * 7919)
        alone = rng.random(len(words))
        chance = np.where(rng.random(len(words)) < FAITHFUL, drawn, alone)
        senses = (chance[:, None] >= self.ladders[words]).sum(axis=1)
        swapped = self.changing[words] & (self.groups[documents] == 1) & (senses < 2)
        senses = np.where(swapped, 1 - senses, senses)
        distances = np.ones((len(words), self.ladders.shape[1]), np.float16)
        distances[np.arange(len(words)), senses] = 0.0
        distances[np.isinf(self.ladders[words])] = np.nan
        distances[np.arange(len(words)), senses] = 0.0
        return positions.astype(np.int32), distances


def _mix(keys: NDArray[np.int64]) -> NDArray[np.float64]:
    """A number in [0, 1) for each key, the same each time (splitmix64)."""
    x = keys.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(11)) / float(1 << 53)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus")
    parser.add_argument("model")
    parser.add_argument("--folder", type=Path, required=True, help="for the labelled corpus")
    parser.add_argument("--examined", type=int, default=0)
    options = parser.parse_args()
    corpus, model = Corpus.open(options.corpus), load(options.model)
    targets = find_targets(corpus, model)
    ladders = np.full((len(targets.words), targets.max_senses), np.inf)
    for i, word in enumerate(targets.words):
        shares = [max(sense.share, 1e-3) for sense in model.inventory[word].senses]
        ladders[i, : len(shares) - 1] = np.cumsum(shares)[:-1] / sum(shares)
        ladders[i, len(shares) - 1] = 1.0
    groups = np.random.default_rng(0).integers(2, size=corpus.n_documents).astype(np.int32)
    several = np.flatnonzero(targets.n_senses > 1)
    changing = np.zeros(len(targets.words), np.bool_)
    changing[several[::EVERY]] = True
    place = options.folder / "labelled"
    if not place.exists():
        measure = MadeUp(targets.word_of_token, ladders, groups, changing)
        facts = {"model": Path(options.model).name, "model_digest": model.digest}
        label_by_measure(
            corpus, place, targets, measure, Decoding(idk_threshold=None), facts, workers=2
        )
    labelled = Corpus.open(place)
    documents = GroupedDocuments(("first", "second"), (GroupedCorpus(labelled, groups),), "chance")
    started, spent = time.perf_counter(), time.process_time()
    settings = ChangeSettings(examined=options.examined)
    found = compare_groups(model, documents, settings=settings)
    seconds, processor = time.perf_counter() - started, time.process_time() - spent
    names = {targets.words[i] for i in np.flatnonzero(changing).tolist()}
    marked = {word.word for word in found.words if word.pairs[0].is_change}
    tested = {word.word for word in found.words if not np.isnan(word.pairs[0].p_value)}
    values = np.array([w.pairs[0].p_value for w in found.words if w.word in tested - names])
    write_result(
        "change",
        {
            "n_tokens": corpus.n_tokens,
            "n_occurrences": labelled.manifest["labelled"]["n_occurrences"],
            "n_words": len(found.words),
            "n_tested": found.n_tested,
            "seconds": round(seconds, 1),
            "processor_seconds": round(processor, 1),
            "peak_gigabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2),
            "n_changing": len(names & tested),
            "n_found": len(marked & names),
            "n_false_alarms": len(marked - names),
            "share_of_p_below_5_percent": round(float((values <= 0.05).mean()), 4),
        },
    )


if __name__ == "__main__":
    main()
