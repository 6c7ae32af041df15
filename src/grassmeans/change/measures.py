"""How far two groups of uses of a word are apart, whether that is more than chance; and examples.

Three measures, all in [0, 1] or nearly so, 0 for no change:

- Jensen-Shannon distance of the distributions over senses;
- average pairwise distance (APD): 1 less the mean cosine of a context of one group with one of the
  other;
- distance of prototypes (PRT): 1 less the cosine of the two groups' mean contexts.

Contexts are compared by what they say about the word. A learned line, or a subspace, also says what
a text is about and how it is written, which differs between any two groups of texts whatever the
word means there. So a context stands for the mean of the words that would fit into it and are like
the word itself: of all words, those that it asks for most, where being like the word counts half as
much as fitting in.

In the test of chance documents are exchanged between the groups, never single occurrences: those of
one document mostly have the same sense, so that exchanging them would call chance a change. Each
word's documents are divided anew into groups of as many documents as there were; the statistic is
the mutual information of group and sense. A word for which many divisions differ as much is given
up early (Besag and Clifford's rule), so that nearly all of the time goes to the words that do
change. The p-values of all tests are corrected by Benjamini and Hochberg's procedure: of the
changes that are reported at 5%, 5% are expected to be none; where nothing changed at all, the
chance of a single false alarm is 5%.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, islice

import numpy as np
from scipy.special import entr

from grassmeans.arrays import Booleans, Doubles, Floats, Indices, Integers
from grassmeans.change.grouping import GroupedDocuments
from grassmeans.change.uses import Uses, find_positions, sample_by_group
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.geometry.distances import usable_contexts
from grassmeans.kernels import get_kernels
from grassmeans.kernels.arguments import SenseCounts
from grassmeans.models.model import SenseModel
from grassmeans.senses.keys import decode_key
from grassmeans.vectors.similarity import unit_rows

N_FITTING = 20
"""Words that stand for a context; of a small vocabulary a twentieth."""

LIKENESS = 0.5
"""What a cosine with the word counts beside a cosine with the context."""

CONTEXTS = 200
"""Of a word and group that are compared."""

N_EXAMPLES = 3
N_PERMUTATIONS = 20_000
STOP_AFTER = 20
_WIDTH = 80
_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Example:
    """A use of a word in a group."""

    group: str
    """Its name."""
    sense: int
    """From 1."""
    left: str
    """The text before the word."""
    word: str
    """As it stands there."""
    right: str
    """The text after it."""
    document: str
    """Its id or title."""


def jensen_shannon(first: Doubles, second: Doubles) -> Doubles:
    """(...,) distances of distributions (..., n_senses): the root of the divergence in bits.

    Counts may be given in place of shares. NaN where one side has no occurrence, and nowhere else:
    SciPy's takes the root of what rounding makes negative.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = [x / x.sum(axis=-1, keepdims=True) for x in (first, second)]
    mean = (shares[0] + shares[1]) / 2
    bits = [entr(x).sum(axis=-1) / np.log(2) for x in (mean, *shares)]
    divergence = bits[0] - (bits[1] + bits[2]) / 2
    # Equal distributions may differ by rounding, whose root would not be small.
    found: Doubles = np.sqrt(np.where(divergence < 1e-12, divergence * 0.0, divergence))
    return np.minimum(found, 1.0)


def average_pairwise_distance(first: Floats, second: Floats) -> float:
    """1 less the mean cosine of (n, dim) with (m, dim) unit rows; NaN where a side has none.

    The mean over all pairs is the product of the means: no pair is looked at.
    """
    if not len(first) or not len(second):
        return math.nan
    return 1.0 - float(_mean(first) @ _mean(second))


def prototype_distance(first: Floats, second: Floats) -> float:
    """1 less the cosine of the mean rows of (n, dim) and (m, dim); NaN where a side has none."""
    if not len(first) or not len(second):
        return math.nan
    means = _mean(first), _mean(second)
    lengths = float(np.linalg.norm(means[0]) * np.linalg.norm(means[1]))
    return 1.0 - float(means[0] @ means[1]) / lengths if lengths > 0.0 else math.nan


def _mean(rows: Floats) -> Doubles:
    found: Doubles = rows.mean(axis=0, dtype=np.float64)
    return found


def describe_contexts(word: str, bases: Floats, encoder: ContextEncoder) -> Floats:
    """What contexts say about a word: the mean of the words that fit into each and are like it.

    ``bases`` (n, rank, dim) give unit rows (n, dim), zeros where a context says nothing. A word
    that has no vector stands where its contexts point to.
    """
    vectors = unit_rows(np.asarray(encoder.vectors.vectors, np.float32))
    row = int(encoder.vectors.ids_of([word])[0])
    known = vectors[row] if row >= 0 else _find_place(bases, encoder.lines_have_ends)
    bonus = LIKENESS * (vectors @ known)
    n_others = len(vectors) - (row >= 0)
    n_fitting = min(N_FITTING, max(n_others // N_FITTING, 1), n_others)
    found = np.zeros((len(bases), vectors.shape[1]), np.float32)
    if n_fitting < 1:
        return found
    for start in range(0, len(bases), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        scores = _fit_words(bases[part], vectors, encoder.lines_have_ends) + bonus
        if row >= 0:
            scores[:, row] = -np.inf
        best = np.argpartition(-scores, n_fitting - 1, axis=1)[:, :n_fitting]
        found[part] = unit_rows(vectors[best].mean(axis=1))
    found[~bases.any(axis=(1, 2))] = 0.0
    return found


def _find_place(bases: Floats, signed: bool) -> Floats:
    """(dim,) where contexts meet: their mean line, or the main axis of their subspaces."""
    if signed:
        place: Floats = unit_rows(bases[:, 0].mean(axis=0, keepdims=True))[0]
        return place
    rows = bases.reshape(-1, bases.shape[2]).astype(np.float64)
    axis: Floats = np.linalg.eigh(rows.T @ rows)[1][:, -1].astype(np.float32)
    return axis if axis @ bases.sum(axis=(0, 1)) >= 0.0 else -axis


def _fit_words(bases: Floats, vectors: Floats, signed: bool) -> Floats:
    """(n, n_words) how much of each word lies inside each context: a cosine."""
    if signed:
        inside: Floats = bases[:, 0] @ vectors.T
        return inside
    squares = np.zeros((len(bases), len(vectors)), np.float32)
    for axis in range(bases.shape[1]):
        squares += np.square(bases[:, axis] @ vectors.T)
    return np.sqrt(squares, out=squares)


def examine_word(
    model: SenseModel, documents: GroupedDocuments, word: str, random_state: int = 0
) -> tuple[list[tuple[float, float]], list[Example]]:
    """APD and PRT of a word for each pair of groups, and uses of each sense in each group.

    Distances are NaN where a group has no context; the uses nearest to a sense come first.
    """
    directions = model.inventory.directions(word)
    sampled_bases, sampled_groups = [], []
    found: list[tuple[int, int, float, Example]] = []
    for part in documents.parts:
        positions = find_positions(model.pool_forms(part.corpus), word)
        groups = part.groups[part.corpus.documents_of(positions)]
        kept = sample_by_group(groups, CONTEXTS, word, random_state)
        positions, groups = positions[kept], groups[kept]
        bases = model.encoder.encode_at(_WordView(part.corpus), positions)
        sampled_bases.append(bases)
        sampled_groups.append(groups)
        near = model.measure_bases(bases, directions)
        senses = model.decide(word, near).senses - 1
        for group, sense in np.ndindex(len(documents.names), len(directions)):
            own = np.flatnonzero((groups == group) & (senses == sense))
            for i in own[np.argsort(near[own, sense], kind="stable")][:N_EXAMPLES].tolist():
                line = part.corpus.line_at(int(positions[i]), _WIDTH)
                about = line.document_title or line.document_id
                name = documents.names[group]
                example = Example(name, sense + 1, line.left, line.word, line.right, about)
                found.append((group, sense, float(near[i, sense]), example))
    found.sort(key=lambda item: item[:3])
    alike = groupby(found, key=lambda item: item[:2])
    examples = [item[3] for _, own in alike for item in islice(own, N_EXAMPLES)]
    distances = _compare_groups(
        model, word, documents, np.concatenate(sampled_bases), np.concatenate(sampled_groups)
    )
    return distances, examples


def _compare_groups(
    model: SenseModel, word: str, documents: GroupedDocuments, bases: Floats, groups: Integers
) -> list[tuple[float, float]]:
    """APD and PRT of each pair of groups of contexts."""
    rows = describe_contexts(word, bases, model.encoder)
    usable = usable_contexts(bases)
    distances = []
    for first, second in documents.pairs:
        sides = rows[usable & (groups == first)], rows[usable & (groups == second)]
        distances.append((average_pairwise_distance(*sides), prototype_distance(*sides)))
    return distances


class _WordView:
    """A corpus whose tokens are words, also where it is labelled and they are lexemes."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._words = _decode_words(corpus) if corpus.is_labelled else corpus.vocabulary.words

    def occurrences(self, positions: Indices) -> Iterator[tuple[slice, Occurrences]]:
        """As `Corpus.occurrences`."""
        for part, found in self._corpus.occurrences(positions):
            yield part, replace(found, words=self._words)


@lru_cache(maxsize=4)
def _decode_words(corpus: Corpus) -> Sequence[str]:
    return [decode_key(key)[0] for key in corpus.vocabulary.words]


def find_p_values(
    uses: Uses,
    pair: tuple[int, int],
    tested: Booleans,
    n_permutations: int = N_PERMUTATIONS,
    random_state: int = 0,
) -> Doubles:
    """(n_words,) chances that two groups differ so much where nothing changed; NaN where untested.

    ``tested`` (n_words,) tells which words are. "I don't know" is no sense, and does not count.
    """
    kept = np.isin(uses.group, pair) & (uses.sense > 0) & tested[uses.word]
    word = uses.word[kept]
    starts = np.flatnonzero(_begins_document(uses, kept))
    result = np.full(len(uses.words), np.nan)
    counts = SenseCounts(
        np.searchsorted(word[starts], np.arange(len(uses.words) + 1)).astype(np.int64),
        np.append(starts, len(word)).astype(np.int64),
        (uses.sense[kept] - 1).astype(np.int32),
        uses.count[kept],
        (uses.group[kept][starts] == pair[1]).astype(np.int32),
        int(uses.n_senses.max(initial=1)),
    )
    found = get_kernels().permute_groups(counts, n_permutations, STOP_AFTER, random_state)
    stopped = found.n_as_large >= STOP_AFTER
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(
            stopped, found.n_as_large / found.n_done, (found.n_as_large + 1) / (found.n_done + 1)
        )
    result[tested] = values[tested]
    return result


def _begins_document(uses: Uses, kept: Booleans) -> Booleans:
    """(n_kept,) which of some entries are the first of a word in a document."""
    is_new = np.ones(int(kept.sum()), np.bool_)
    is_new[1:] = (np.diff(uses.word[kept]) != 0) | (np.diff(uses.document[kept]) != 0)
    return is_new


def correct_many(p_values: Doubles) -> Doubles:
    """(n,) q-values by Benjamini and Hochberg: the smallest rate of false alarms that reports each.

    NaN, where nothing was tested, stays NaN and does not count.
    """
    # Takes a second to import, which the other measures do not need.
    from scipy.stats import false_discovery_control

    result = np.full(len(p_values), np.nan)
    known = ~np.isnan(p_values)
    result[known] = false_discovery_control(p_values[known])
    return result


def find_intervals(uses: Uses, counts: Indices, z: float = 1.959964) -> tuple[Doubles, Doubles]:
    """95% intervals of the shares of senses, by Wilson's formula with as many documents as speak.

    Occurrences of one document are no independent witnesses. How much fewer they are worth is the
    ratio of the variance between documents to that of independent occurrences; where all documents
    agree, a document is worth one occurrence.

    ``counts`` (n_words, n_groups, most senses + 1) are those of `Uses.count_senses`; low and high
    are (n_words, n_groups, most senses), NaN where a group has no occurrence.
    """
    senses = counts[:, :, 1:].astype(np.float64)
    totals = senses.sum(axis=2, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = senses / totals
        worth = _count_witnesses(uses, shares, totals)
        centre = (shares + z * z / (2 * worth)) / (1 + z * z / worth)
        spread = shares * (1 - shares) / worth + z * z / (4 * worth * worth)
        half = z * np.sqrt(spread) / (1 + z * z / worth)
    low, high = np.clip(centre - half, 0.0, 1.0), np.clip(centre + half, 0.0, 1.0)
    return np.minimum(low, shares), np.maximum(high, shares)


def _count_witnesses(uses: Uses, shares: Doubles, totals: Doubles) -> Doubles:
    """(n_words, n_groups, most senses) how many independent occurrences the documents are worth."""
    n_words, n_groups, most = shares.shape
    known = uses.sense > 0
    word, sense = uses.word[known], uses.sense[known] - 1
    count = uses.count[known].astype(np.float64)
    is_new = _begins_document(uses, known)
    pair_of = np.cumsum(is_new) - 1
    starts = np.flatnonzero(is_new)
    sizes = np.bincount(pair_of, count, len(starts))
    cell = word[starts].astype(np.int64) * n_groups + uses.group[known][starts]
    n_documents = np.bincount(cell, minlength=n_words * n_groups).reshape(n_words, n_groups, 1)
    squares = np.bincount(cell, sizes * sizes, n_words * n_groups).reshape(n_words, n_groups, 1)
    # The sum over documents of (x - p n)^2 is that of x^2 - 2 p x n + p^2 n^2, and x is mostly 0.
    flat = cell[pair_of] * most + sense
    shape = (n_words, n_groups, most)
    own = np.bincount(flat, count * count, n_words * n_groups * most).reshape(shape)
    mixed = np.bincount(flat, count * sizes[pair_of], n_words * n_groups * most).reshape(shape)
    between = own - 2 * shares * mixed + shares * shares * squares
    between *= n_documents / np.maximum(n_documents - 1, 1)
    plain = shares * (1 - shares) * totals
    ratio = np.where(plain > 0.0, between / np.where(plain > 0.0, plain, 1.0), np.nan)
    worth = np.where(
        np.isnan(ratio) | (n_documents < 2), n_documents, totals / np.maximum(ratio, 1)
    )
    return np.maximum(worth, 1e-9)
