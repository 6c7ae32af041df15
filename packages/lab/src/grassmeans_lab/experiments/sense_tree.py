"""The senses of a word at every granularity: how the groups at K split at K + 1.

K-Grassmeans is run for K = 1, 2, ... on the same contexts, each time from the start, so level K is
what inducing K senses finds. Nothing forces the groups to be nested; how far they are is
part of what a tree tells.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.errors import InputError
from grassmeans.geometry.windows import Contexts
from grassmeans.senses.describing import characteristic_words, find_nearest_words, name_senses
from grassmeans.senses.samples import WordSource, sample_word
from grassmeans.senses.word_induction import group_contexts
from grassmeans.vectors.word_vectors import WordVectors


@dataclass(frozen=True, slots=True)
class SenseNode:
    """A group of contexts at one level.

    Attributes
    ----------
    level : int
        K, the number of groups at this level.
    number : int
        From 1, in order of falling size.
    share : float
        Share of the word's contexts.
    crispness : float
        1 - the mean distance of its contexts to its direction, in [0, 1].
    words, nearest_words : tuple of str
        Characteristic words, and words nearest to the direction.
    parent : int or None
        The group one level up from which most of its contexts come; None at level 1.
    sources : tuple of float
        For every group one level up, the share of the word's contexts that went from there to
        this group. They sum to ``share``.
    """

    level: int
    number: int
    share: float
    crispness: float
    name: str
    words: tuple[str, ...]
    nearest_words: tuple[str, ...]
    parent: int | None
    sources: tuple[float, ...] = ()

    @property
    def purity(self) -> float:
        """Share of its contexts that come from the parent; 1 for a group that only split off."""
        return max(self.sources) / self.share if self.sources and self.share > 0.0 else 1.0


@dataclass(frozen=True, slots=True)
class SenseTree:
    """Senses of a word from coarse to fine; ``levels[K - 1]`` holds the K groups of level K."""

    word: str
    count: int
    n_contexts: int
    levels: tuple[tuple[SenseNode, ...], ...]

    def node(self, level: int, number: int) -> SenseNode:
        """The group of this level with this number, both from 1."""
        return self.levels[level - 1][number - 1]

    def children(self, node: SenseNode) -> tuple[SenseNode, ...]:
        """The groups one level down that have this one as their parent."""
        below = self.levels[node.level] if node.level < len(self.levels) else ()
        return tuple(child for child in below if child.parent == node.number)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def build_sense_tree(
    word: str,
    source: WordSource,
    encoder: ContextEncoder,
    settings: InductionSettings | None = None,
    max_senses: int = 5,
) -> SenseTree:
    """Induce 1 to ``max_senses`` senses on the same contexts, and link the groups.

    Parameters
    ----------
    settings : InductionSettings, optional
        Its ``n_senses`` is not looked at.
    max_senses : int
        The last level; fewer where there are fewer contexts.

    `UnknownWordError` for a word that does not occur. `InputError` where no occurrence has enough
    known words around it.
    """
    settings = settings or InductionSettings()
    if max_senses < 1:
        raise InputError(f"max_senses must be 1 or more, got {max_senses}")
    sample = sample_word(word, source, encoder, settings)
    contexts, vectors = sample.contexts, encoder.vectors
    if len(contexts) == 0:
        raise InputError(
            f"{word!r} has no context of {encoder.shape.fewest_words} known words or more: "
            "it is too rare here"
        )
    levels: list[tuple[SenseNode, ...]] = []
    above: NDArray[np.int64] | None = None
    for level in range(1, min(max_senses, len(contexts)) + 1):
        found = group_contexts(word, sample.bases, replace(settings, n_senses=level), encoder)
        distances = sample.measure(found.directions_)
        directions = sample.orient(found.directions_, vectors)
        levels.append(_describe_level(word, contexts, distances, directions, vectors, above))
        above = distances.argmin(axis=1)
    return SenseTree(word, source.count_of(word), len(contexts), tuple(levels))


def _describe_level(
    word: str,
    contexts: Contexts,
    distances: NDArray[np.floating],
    directions: NDArray[np.float32],
    vectors: WordVectors,
    above: NDArray[np.int64] | None,
) -> tuple[SenseNode, ...]:
    """The groups of one level; ``above`` (n_contexts,) says where their contexts come from."""
    level = len(directions)
    labels = distances.argmin(axis=1)
    found = characteristic_words(contexts.context_ids, labels, level)
    words = [tuple(vectors.words[row] for row in rows) for rows in found]
    nearest = find_nearest_words(word, directions, vectors)
    names = name_senses(word, words, directions, vectors)
    sources = count_overlaps(above, labels, level) if above is not None else None
    nodes = []
    for k in range(level):
        mine = labels == k
        nodes.append(
            SenseNode(
                level=level,
                number=k + 1,
                share=float(mine.mean()),
                crispness=1.0 - float(distances[mine, k].mean()) if mine.any() else 0.0,
                name=names[k],
                words=words[k],
                nearest_words=nearest[k],
                parent=None if sources is None else int(sources[:, k].argmax()) + 1,
                sources=() if sources is None else tuple((sources[:, k] / len(labels)).tolist()),
            )
        )
    return tuple(nodes)


def count_overlaps(
    above: NDArray[np.int64], labels: NDArray[np.int64], level: int
) -> NDArray[np.int64]:
    """(level - 1, level) how many contexts went from each group above to each group here."""
    counts: NDArray[np.int64] = np.bincount(above * level + labels, minlength=level * (level - 1))
    return counts.reshape(level - 1, level)
