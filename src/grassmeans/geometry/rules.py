"""How contexts are grouped where the number of senses is found by itself: each kind's own rules.

How near two directions of one sense lie depends on the kind of context, so the limits are the
kind's (`grassmeans.contexts.interface.ContextEncoder.grouping`); the frequency of a word and the
user's granularity turn them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from grassmeans.artifacts.schema import check_fields, flag, number, whole

MOST_SENSES = 10_000  # that are looked for; memory and time grow with it
_LEAST_LIMIT, _MOST_LIMIT = 0.2, 0.8
_USUAL_TOKENS = 60_000_000  # of the text that limits of merging were found with
_FEWEST_TOKENS = 6_000_000  # in less text than that, a word's share is mostly chance


@dataclass(frozen=True, slots=True)
class GroupingRules:
    """How contexts are grouped where the number of senses is found by itself.

    See `grassmeans.clustering.sense_number`. The defaults are those of the paper's subspaces.

    Parameters
    ----------
    max_senses : int
        How many groups there are before near ones are merged: the most senses.
    merge_cosine : float
        Two directions with at least this cosine are one sense.
    merge_slope : float
        What is added to it for a word ten times as frequent: frequent words have more senses
        (`for_word`).
    rare_ease : float
        What is taken off it for a group that is ten times as rare as a tenth of the contexts: a
        rare sense must be far from the others.
    part_cosine : float
        As ``merge_cosine`` for words with few contexts, of an estimate that is made of pairs of
        them (`grassmeans.clustering.trees`).
    few_contexts : int
        With fewer different contexts of a word than these.
    by_tree : bool
        Whether contexts are split by a tree, Ward's method (`grassmeans.clustering.trees`), and not
        by K-Grassmeans; for lines that have ends.
    by_pairs : bool
        Whether ``merge_cosine`` is that of the contexts of two groups, pair by pair and in the
        mean, and not that of their directions; for lines that have ends.
    by_silhouette : bool
        Whether few of them are grouped by silhouettes (there, too); for lines that have ends.
    """

    max_senses: int = 12
    merge_cosine: float = 0.8
    merge_slope: float = 0.0
    rare_ease: float = 0.0
    part_cosine: float = 0.64
    few_contexts: int = 50
    by_tree: bool = False
    by_pairs: bool = False
    by_silhouette: bool = False

    def __post_init__(self) -> None:
        names = ("merge_cosine", "merge_slope", "rare_ease", "part_cosine")
        cosines = dict.fromkeys(names, number(0.0, 1.0))
        counts = {"max_senses": whole(1, MOST_SENSES), "few_contexts": whole(1)}
        flags = dict.fromkeys(("by_tree", "by_pairs", "by_silhouette"), flag)
        check_fields(self, **counts, **cosines, **flags)

    def for_word(self, count: int, n_tokens: int | None) -> GroupingRules:
        """The rules of a word that occurs so often in so many tokens (None: in the usual text).

        ``merge_cosine`` holds for a thousand in `_USUAL_TOKENS`: how frequent a word is in its
        language counts, not how long the text.
        """
        if not self.merge_slope:
            return self
        of_text = _USUAL_TOKENS if n_tokens is None else max(n_tokens, _FEWEST_TOKENS)
        usual = count * _USUAL_TOKENS / of_text
        limit = self.merge_cosine + self.merge_slope * math.log10(max(usual, 1.0) / 1000)
        return replace(
            self, merge_cosine=min(max(limit, _LEAST_LIMIT), _MOST_LIMIT), merge_slope=0.0
        )

    def turn(self, granularity: float) -> GroupingRules:
        """The rules for a user's granularity: larger gives more senses, smaller gives fewer."""
        return replace(
            self,
            merge_cosine=float(self.merge_cosine ** (1.0 / granularity)),
            part_cosine=float(self.part_cosine ** (1.0 / granularity)),
        )


DEFAULT_RULES = GroupingRules()
