"""The dial: the senses of a word induced anew, with any number of them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.clustering.directions import refine_directions
from grassmeans.clustering.loop import FitOptions, InducedDirections, sample_evenly
from grassmeans.clustering.merging import merge_cheapest_pair
from grassmeans.clustering.rays import place_rays
from grassmeans.clustering.sense_number import SAMPLE
from grassmeans.clustering.settings import AUTO
from grassmeans.editing.edited_words import EditedInventory
from grassmeans.errors import InputError
from grassmeans.models.model import SenseModel
from grassmeans.models.origin import OWN, name_corpus
from grassmeans.senses.describing import characteristic_words, describe_sample, name_senses
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.samples import WordSample
from grassmeans.senses.word_induction import group_sample, skip_poor_word
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_explorer.limits import BoundedCache, ConflictError, Kept, TooMuchError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.occurrences import sample_word
from grassmeans_explorer.queries.words import WordView, require_word, view_entry
from grassmeans_explorer.work import begin_long_work, checkpoint

DEFAULT_CONTEXTS = 10_000
_TOLERANCE = 3e-4  # shares need three digits


@dataclass(frozen=True, slots=True)
class SplitNode:
    """A sense on one level of the tree."""

    level: int  # how many senses the level has
    number: int  # from 1, the largest first; on the last level, the number of the sense
    share: float
    name: str
    # Its number on the level before: where most of its contexts are. None on the first level.
    parent: int | None


@dataclass(frozen=True, slots=True)
class InducedWord:
    """Senses induced anew, how they split, and how long it took."""

    entry: WordSenses
    tree: tuple[SplitNode, ...]
    levels: tuple[Floats, ...]  # (n_senses, dim) of each, from one sense on
    seconds: float


@dataclass(frozen=True, slots=True)
class InducedView(WordView):
    """A word with senses induced anew."""

    in_model: bool = True  # whether the word has senses in the model
    seconds: float = 0.0
    tree: tuple[SplitNode, ...] = ()


_INDUCED: Kept[BoundedCache[InducedWord]] = Kept(
    lambda opened: BoundedCache(opened.limits.memory.inductions)
)


def induce_senses(
    opened: OpenModel, word: str, n_senses: int | str, max_contexts: int = DEFAULT_CONTEXTS
) -> InducedWord:
    """Induce the senses of a word of the corpus, by the model's vectors and settings.

    With as many senses and contexts as the model was made with, and its own corpus, the result is
    the model's. It is long, the first time.

    Raises `NoCorpusError`, `WordNotFoundError`, `ConflictError`, `TooMuchError`, `InputError`.
    """
    opened.require_corpus("inducing senses anew")
    check_dial(opened, n_senses, max_contexts)
    key = opened.key_of(word)
    return _INDUCED.of(opened).get_or_make(
        (key, n_senses, max_contexts), lambda: _induce(opened, key, n_senses, max_contexts)
    )


def show_induced(
    opened: OpenModel, word: str, n_senses: int | str, max_contexts: int = DEFAULT_CONTEXTS
) -> InducedView:
    """The result of the dial, as it is shown; its revision is that of the word's own senses."""
    induced = induce_senses(opened, word, n_senses, max_contexts)
    now, key = opened.now, induced.entry.word
    view = view_entry(induced.entry, model_senses=False, revision=now.revision(key))
    return InducedView(
        **{field.name: getattr(view, field.name) for field in fields(WordView)},
        in_model=key in now.model.inventory,
        seconds=round(induced.seconds, 4),
        tree=induced.tree,
    )


def check_dial(opened: OpenModel, n_senses: int | str, max_contexts: int) -> None:
    """Refuse what the dial does not reach."""
    work = opened.limits.work
    if n_senses != AUTO and (isinstance(n_senses, str) or n_senses < 1):
        raise InputError(f'n_senses must be 1 to {work.senses}, or "auto"; got {n_senses!r}')
    if isinstance(n_senses, int) and n_senses > work.senses:
        raise TooMuchError(f"{work.senses} senses are the most here, got {n_senses}")
    if not 1 <= max_contexts <= work.contexts:
        raise TooMuchError(f"max_contexts must be 1 to {work.contexts:,}, got {max_contexts:,}")


def model_with(opened: OpenModel, word: str, n_senses: int | None) -> tuple[SenseModel, str]:
    """The model in which a word has its senses, or so many induced ones; and the word's key."""
    if n_senses is None:
        return opened.current, require_word(opened, word)
    entry = induce_senses(opened, word, n_senses).entry
    model = opened.current
    inventory = EditedInventory(model.inventory, {entry.word: entry})
    return model.with_inventory(inventory), entry.word


def _induce(opened: OpenModel, key: str, n_senses: int | str, max_contexts: int) -> InducedWord:
    begin_long_work()
    started = time.perf_counter()
    sample = sample_word(opened, key, max_contexts)
    settings = replace(opened.settings, n_senses=n_senses)
    encoder = opened.base.encoder
    if len(sample.contexts) < settings.fewest_contexts:
        reason = skip_poor_word(sample, encoder, settings).reason
        raise ConflictError(f"{key!r} {reason}: ask for fewer")
    directions = group_sample(sample, settings, encoder)
    checkpoint(0.75)
    entry = describe_sample(sample, directions, encoder.vectors)
    if opened.corpus is not None and opened.relation != OWN:
        entry = replace(entry, counted_in=name_corpus(opened.corpus))
    checkpoint(0.8)
    tree, levels = trace_splits(entry, sample, encoder.vectors)
    checkpoint(1.0)
    return InducedWord(entry, tree, levels, time.perf_counter() - started)


def adopt_nodes(
    opened: OpenModel, induced: InducedWord, nodes: Sequence[tuple[int, int]], max_contexts: int
) -> WordSenses:
    """The senses of some nodes of the tree, the largest first: finer here and coarser there.

    `ConflictError` where they are not one node above each sense of the last level.
    """
    last = len(induced.levels)
    parents = {(node.level, node.number): node.parent for node in induced.tree}
    chosen = set(nodes)
    above = [_ancestors(parents, (last, number)) for number in range(1, last + 1)]
    if not chosen <= set(parents) or any(len(chosen.intersection(a)) != 1 for a in above):
        raise ConflictError(
            "these are not senses that the word can be divided into: one node of the tree is "
            "needed above each sense of its last level"
        )
    sample = sample_word(opened, induced.entry.word, max_contexts)
    directions = np.stack([induced.levels[level - 1][number - 1] for level, number in chosen])
    sizes = np.bincount(sample.measure(directions).argmin(axis=1), minlength=len(directions))
    ordered = directions[np.argsort(-sizes, kind="stable")]
    return describe_sample(sample, ordered, opened.base.vectors)


def _ancestors(
    parents: Mapping[tuple[int, int], int | None], node: tuple[int, int]
) -> set[tuple[int, int]]:
    """A node and all above it."""
    found = {node}
    while (parent := parents[node]) is not None:
        node = node[0] - 1, parent
        found.add(node)
    return found


def trace_splits(
    entry: WordSenses, sample: WordSample, vectors: WordVectors
) -> tuple[tuple[SplitNode, ...], tuple[Floats, ...]]:
    """The levels from one sense down to the senses of the entry, and their directions.

    Found from below: the two senses whose merger costs least become one, K-Grassmeans goes on from
    there, and so on (see `grassmeans.clustering.merging`). Of many contexts an even sample is
    looked at; shares are those of all.
    """
    part = sample[sample_evenly(np.arange(len(sample.contexts)), SAMPLE)]
    bases = part.bases
    labels = part.measure(entry.directions).argmin(axis=1).astype(np.int32)
    found = InducedDirections(entry.directions, labels, 0.0, 0, np.empty(0))
    levels = [found]
    while len(found.directions) > 1:
        checkpoint(0.9 - 0.1 * len(found.directions) / entry.n_senses)
        merged = merge_cheapest_pair(bases, found)
        if part.lines_have_ends:
            found = place_rays(bases, part.orient(merged, vectors))
        else:
            found = refine_directions(bases, merged, FitOptions(tol=_TOLERANCE))
        levels.append(found)
    levels.reverse()
    nodes: list[SplitNode] = []
    for level, above in zip(levels, [None, *levels], strict=False):
        n_senses = len(level.directions)
        # Of all contexts, as on the cards: of a part, the same sense would have another share here.
        nearest = sample.measure(level.directions).argmin(axis=1)
        sizes = np.bincount(nearest, minlength=n_senses) / max(1, len(nearest))
        names = [sense.name for sense in entry.senses]
        if level is not levels[-1]:
            names = _name_level(level, part, vectors)
        parents = [None] * n_senses if above is None else _find_parents(above, level)
        nodes += [
            SplitNode(n_senses, k + 1, round(float(sizes[k]), 4), names[k], parents[k])
            for k in range(n_senses)
        ]
    return tuple(nodes), tuple(level.directions for level in levels)


def _find_parents(above: InducedDirections, below: InducedDirections) -> list[int]:
    """For each sense below, the sense above with most of its contexts; the nearest if none."""
    n_above, n_below = len(above.directions), len(below.directions)
    pairs = np.bincount(below.labels * n_above + above.labels, minlength=n_below * n_above)
    overlaps = pairs.reshape(n_below, n_above)
    nearest = np.abs(below.directions @ above.directions.T).argmax(axis=1)
    parents = np.where(overlaps.any(axis=1), overlaps.argmax(axis=1), nearest)
    return [int(parent) + 1 for parent in parents]


def _name_level(level: InducedDirections, sample: WordSample, vectors: WordVectors) -> list[str]:
    found = characteristic_words(sample.contexts.context_ids, level.labels, len(level.directions))
    candidates = [[vectors.words[row] for row in rows] for rows in found]
    directions = sample.orient(level.directions, vectors)
    return list(name_senses(sample.word, candidates, directions, vectors))
