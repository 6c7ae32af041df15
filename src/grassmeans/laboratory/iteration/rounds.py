"""What a round of iterative decoding has changed, and when to stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.labelling.decoding import read_probabilities
from grassmeans.labelling.keys import IDK_SENSE, decode_key
from grassmeans.labelling.stored import open_distances
from grassmeans.labelling.targets import read_targets
from grassmeans.laboratory.iteration.agreement import match_table, mean_entropy
from grassmeans.senses.decoding import DEFAULT_SHARPNESS

ENOUGH_AGREEMENT = 0.98
_ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True)
class RoundReport:
    """The labels after a round; round 0 is the ordinary labelling with word vectors.

    Attributes
    ----------
    number : int
    n_occurrences : int
        Labelled ones.
    idk_share : float
        Share of them labelled "I don't know".
    mean_entropy : float
        Of the soft labels, in [0, 1]: 0 for certainty.
    agreement : float or None
        Share of occurrences with the label of the round before, senses matched one to one word by
        word; None for round 0.
    """

    number: int
    n_occurrences: int
    idk_share: float
    mean_entropy: float
    agreement: float | None


def report_round(
    number: int,
    labelled: Corpus,
    previous: Corpus | None = None,
    *,
    sharpness: float = DEFAULT_SHARPNESS,
) -> RoundReport:
    """Describe the labels of a round, against those of the round before where there is one."""
    counts = labelled.manifest["labelled"]
    n_occurrences = int(counts["n_occurrences"])
    return RoundReport(
        number=number,
        n_occurrences=n_occurrences,
        idk_share=int(counts["n_idk"]) / max(n_occurrences, 1),
        mean_entropy=measure_entropy(labelled, sharpness),
        agreement=None if previous is None else measure_agreement(previous, labelled),
    )


def reason_to_stop(reports: Sequence[RoundReport]) -> str | None:
    """Why another round is not worth it, or None where it may be.

    Rounds end when at least 98% of the labels are those of the round before, or when the mean
    entropy of the soft labels no longer falls: then a round has made the labels no more certain.

    The share of "I don't know" is reported, but ends nothing. It counts distances above a fixed
    threshold, and training vectors further moves distances by itself: on 7 million words the share
    rose as well when the vectors were trained further on the text without labels. The entropy
    depends only on how the distances to a word's senses differ from each other.
    """
    if len(reports) < 2:
        return None
    last, before = reports[-1], reports[-2]
    if last.agreement is not None and last.agreement >= ENOUGH_AGREEMENT:
        return f"{last.agreement:.1%} of the labels are those of the round before"
    if last.mean_entropy >= before.mean_entropy:
        return (
            "the mean entropy of the soft labels no longer falls "
            f"({before.mean_entropy:.4f} before, {last.mean_entropy:.4f} now)"
        )
    return None


def measure_entropy(labelled: Corpus, sharpness: float = DEFAULT_SHARPNESS) -> float:
    """Mean entropy of the soft labels of all occurrences, each in units of its word's largest."""
    targets = read_targets(labelled)
    total, n_rows = 0.0, 0
    for shard in labelled.shards:
        stored = open_distances(shard.folder, len(shard.tokens), targets.max_senses)
        for start in range(0, len(stored.positions), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            words, probabilities = read_probabilities(shard, stored, part, targets, sharpness)
            n_senses = targets.n_senses[words]
            for k in np.unique(n_senses):
                rows = n_senses == k
                total += mean_entropy(probabilities[rows, :k]) * int(rows.sum())
            n_rows += len(words)
    return total / n_rows if n_rows else 0.0


def measure_agreement(previous: Corpus, current: Corpus) -> float:
    """Share of the occurrences that two labellings of one corpus label alike, senses matched."""
    if not np.array_equal(previous.shard_starts, current.shard_starts):
        raise InputError(
            f"{previous.path.name} and {current.path.name} are not labellings of the same corpus"
        )
    targets = read_targets(current)
    size = targets.max_senses + 1
    tables = np.zeros((len(targets.words), size, size), np.int64)
    old_senses, new_senses = _senses_of_tokens(previous), _senses_of_tokens(current)
    for before, after in zip(previous.shards, current.shards, strict=True):
        words = targets.word_of_token[after.tokens]
        places = np.flatnonzero(words >= 0)
        old = old_senses[before.tokens[places]]
        new = new_senses[after.tokens[places]]
        flat = np.ravel_multi_index((words[places], old, new), tables.shape)
        tables += np.bincount(flat, minlength=tables.size).reshape(tables.shape)
    n_agreeing = sum(match_table(table).n_agreeing for table in tables if table.any())
    return n_agreeing / max(int(tables.sum()), 1)


def nearest_labels(labelled: Corpus, positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """The nearest sense at positions of a labelled corpus, from 1, with no "I don't know".

    Only an occurrence with too few known words around it is 0.
    """
    max_senses = read_targets(labelled).max_senses
    labels = np.empty(len(positions), np.int64)
    for part, shard, local in labelled.split_positions(positions):
        stored = open_distances(shard.folder, len(shard.tokens), max_senses)
        rows = np.searchsorted(stored.positions, local)
        found = rows < len(stored.positions)
        found[found] = stored.positions[rows[found]] == local[found]
        if not found.all():
            position = positions[part][np.argmin(found)]
            raise InputError(f"the word at position {position} has no senses")
        distances = np.asarray(stored.distances[rows], np.float64)
        known = ~np.isnan(distances[:, 0])
        filled = np.where(np.isnan(distances), np.inf, distances)
        labels[part] = np.where(known, filled.argmin(axis=1) + 1, IDK_SENSE)
    return labels


def _senses_of_tokens(labelled: Corpus) -> NDArray[np.int64]:
    """(n_types,) the sense that each key names; 0 for plain words, which nobody asks for."""
    keys = labelled.vocabulary.words
    return np.fromiter((decode_key(key)[1] or IDK_SENSE for key in keys), np.int64, len(keys))
