"""What a round of iterative decoding has changed: agreement, certainty, when to stop, a chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from grassmeans.clustering.merging import pair_all
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.labelling.decoding import read_probabilities
from grassmeans.senses.decoding import DEFAULT_SHARPNESS
from grassmeans_lab.iteration.labelled_words import LabelledWords

ENOUGH_AGREEMENT = 0.98
_ROWS_AT_ONCE = 1 << 16

_SIZE = 420
_MARGIN = 50
_SPARE = 0.05  # of information, around the points
_COLOUR = "#0a6"


@dataclass(frozen=True, slots=True)
class RoundReport:
    """The labels after a round; round 0 is the ordinary labelling with word vectors."""

    number: int
    n_occurrences: int  # labelled ones
    idk_share: float  # share of them labelled "I don't know"
    mean_entropy: float  # of the soft labels, in [0, 1]: 0 for certainty
    # Share of occurrences with the label of the round before, senses matched one to one word by
    # word; None for round 0.
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
    source = LabelledWords.of(labelled)
    targets = source.targets
    total, n_rows = 0.0, 0
    for shard in source.shards:
        stored = source.open_distances(shard)
        for start in range(0, len(stored), _ROWS_AT_ONCE):
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
    old, new = (LabelledWords.of(labelled) for labelled in (previous, current))
    size = new.targets.max_senses + 1
    tables = np.zeros((len(new.targets.words), size, size), np.int64)
    for before, after in zip(old.shards, new.shards, strict=True):
        words = new.targets.word_of_token[after.tokens]
        places = np.flatnonzero(words >= 0)
        labels = old.sense_of_token[before.tokens[places]], new.sense_of_token[after.tokens[places]]
        flat = np.ravel_multi_index((words[places], *labels), tables.shape)
        tables += np.bincount(flat, minlength=tables.size).reshape(tables.shape)
    n_agreeing = sum(match_table(table).n_agreeing for table in tables if table.any())
    return n_agreeing / max(int(tables.sum()), 1)


@dataclass(frozen=True, slots=True)
class SenseMatching:
    """The best one-to-one matching of two labellings of one word.

    Attributes
    ----------
    renumbering : (n_senses + 1,) int64
        For each number of the second labelling the number that the first one uses for it; 0, "I
        don't know", stays 0. Senses without a partner get the numbers that are left.
    n_agreeing, n_occurrences : int
        Occurrences with the same label after renumbering, and all of them.
    """

    renumbering: NDArray[np.int64]
    n_agreeing: int
    n_occurrences: int

    @property
    def agreement(self) -> float:
        """Share of the occurrences with the same label; 1 where there are none."""
        return self.n_agreeing / self.n_occurrences if self.n_occurrences else 1.0


def match_senses(
    previous: NDArray[np.integer], current: NDArray[np.integer], n_senses: int
) -> SenseMatching:
    """Match the senses of two labellings so that most occurrences agree (Hungarian assignment).

    Parameters
    ----------
    previous, current : (n,) integers
        0 for "I don't know", 1 to ``n_senses`` for senses.
    n_senses : int
        The largest number in either.
    """
    if previous.shape != current.shape:
        raise InputError(
            f"both labellings must be of the same occurrences, got {previous.shape} and "
            f"{current.shape}"
        )
    for labels in (previous, current):
        if labels.size and (labels.min() < 0 or labels.max() > n_senses):
            raise InputError(
                f"labels must lie between 0 and {n_senses}, found {labels.min()} to {labels.max()}"
            )
    size = n_senses + 1
    pairs = np.bincount(previous.astype(np.int64) * size + current, minlength=size * size)
    return match_table(pairs.reshape(size, size))


def match_table(table: NDArray[np.integer]) -> SenseMatching:
    """As `match_senses`, from counts.

    Parameters
    ----------
    table : (n_senses + 1, n_senses + 1)
        How many occurrences have each label in the first (row) and second (column) labelling; 0 is
        "I don't know", which is never matched with a sense.
    """
    old, new = pair_all(table[1:, 1:])
    renumbering = np.zeros(len(table), np.int64)
    renumbering[new + 1] = old + 1
    n_agreeing = int(table[0, 0] + table[1:, 1:][old, new].sum())
    return SenseMatching(renumbering, n_agreeing, int(table.sum()))


def mean_entropy(probabilities: NDArray[np.floating]) -> float:
    """Mean entropy of soft labels in [0, 1]: 0 for certainty, 1 for senses equally likely.

    Parameters
    ----------
    probabilities : (n, n_senses)
        Rows sum to 1; entropies are taken to the base ``n_senses``.
    """
    n, n_senses = probabilities.shape
    if n == 0 or n_senses == 1:
        return 0.0
    return float(entr(probabilities).sum(axis=1).mean() / np.log(n_senses))


def draw_exit_chart(reports: Sequence[RoundReport]) -> str:
    """An EXIT-like chart as SVG: what the labels tell before (x) and after (y) each round.

    Information is 1 less the mean entropy of the soft labels. The steps go up between the rounds'
    points and the diagonal; where they meet, further rounds tell nothing new.
    """
    if not reports:
        raise InputError("a chart needs the report of at least one round")
    known = [1.0 - report.mean_entropy for report in reports]
    low = max(0.0, min(known) - _SPARE)
    high = min(1.0, max(known) + _SPARE)
    scale = (_SIZE - 2 * _MARGIN) / (high - low)

    def place(x: float, y: float) -> str:
        return f"{_MARGIN + (x - low) * scale:.1f},{_SIZE - _MARGIN - (y - low) * scale:.1f}"

    steps: list[str] = []
    for before, after in pairwise(known):
        steps += [place(before, before), place(before, after), place(after, after)]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_SIZE}" height="{_SIZE}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        _line([place(low, low), place(high, high)], "#999"),
        _line([place(low, high), place(low, low), place(high, low)], "black"),
        _line(steps, _COLOUR, 2),
    ]
    for report, (before, after) in zip(reports[1:], pairwise(known), strict=True):
        x, y = place(before, after).split(",")
        lines.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{_COLOUR}"/>')
        lines.append(f'<text x="{float(x) + 6:.1f}" y="{float(y) - 6:.1f}">{report.number}</text>')
    return "\n".join([*lines, *_name_axes(low, high), "</svg>"]) + "\n"


def _line(points: Sequence[str], colour: str, width: int = 1) -> str:
    return (
        f'<polyline points="{" ".join(points)}" stroke="{colour}" stroke-width="{width}" '
        'fill="none"/>'
    )


def _name_axes(low: float, high: float) -> list[str]:
    bottom, left, middle = _SIZE - _MARGIN, _MARGIN, _SIZE / 2
    lines = []
    for value, at in ((low, 0), (high, _SIZE - 2 * _MARGIN)):
        anchors = (
            f'x="{left + at}" y="{bottom + 16}" text-anchor="middle"',
            f'x="{left - 6}" y="{bottom - at}" text-anchor="end"',
        )
        lines += [f"<text {anchor}>{value:.2f}</text>" for anchor in anchors]
    return [
        *lines,
        f'<text x="{middle}" y="{_SIZE - 12}" text-anchor="middle">'
        "information of the labels before the round</text>",
        f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">'
        "after the round</text>",
    ]
