"""Instances of a test set -> the sense of each, as a key.

Rules, the same for every task:

- an instance goes to its nearest sense, never to "I don't know"; soft answers give all senses
  whose probability is more than a tenth of the largest;
- an instance whose target was not found in its text, or with fewer known words around it than the
  rank, goes to the largest sense;
- the instances of a word without senses form one cluster.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.evaluation.instance_contexts import instance_contexts
from grassmeans.evaluation.key_files import Key, Label
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.senses.decoding import decode_hard, decode_soft
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.kgrassmeans import KGrassmeans
from grassmeans.senses.model import SenseModel
from grassmeans.senses.settings import InductionSettings
from grassmeans.senses.tagging import passage_distances
from grassmeans.subspaces import principal_subspaces

MIN_SHARE = 0.1
"""Soft answers leave out senses this much less likely than the best; fuzzy NMI would take them for
absent, but fuzzy B-cubed for shared."""

Distances = NDArray[np.float32] | NDArray[np.float64]
FindDistances = Callable[[str, Sequence[Instance]], Distances | None]


@dataclass(frozen=True, slots=True)
class Answers:
    """What a system says of a test set, and how often a rule had to decide.

    Attributes
    ----------
    key : Key
        The senses are named ``crane.n.1``, ``crane.n.2``, ...
    words_without_senses : tuple of str
        Their instances form one cluster.
    n_without_senses, n_not_located, n_poor_context : int
        Instances of such words; and of the others, those whose target was not found, or that have
        too few known words around it: they went to the largest sense.
    """

    key: Key
    words_without_senses: tuple[str, ...]
    n_without_senses: int
    n_not_located: int
    n_poor_context: int


def answer_with_senses(
    model: SenseModel,
    inventory: SenseInventory,
    instances: Iterable[Instance],
    *,
    sharpness: float | None = None,
) -> Answers:
    """Decode the instances with senses that were induced before.

    Parameters
    ----------
    inventory : SenseInventory
        The senses: the model's own, or others of the same vectors.
    sharpness : float, optional
        Give each instance weighted senses, their probabilities by `decode_soft`; without it, the
        nearest sense alone.
    """

    def find_distances(_: str, group: Sequence[Instance]) -> Distances | None:
        word = known_form(inventory, group[0].target)
        if word is None:
            return None
        passages = [(instance.left, instance.right) for instance in group]
        return passage_distances(word, passages, inventory, model.vectors, model.rules)

    return _answer(instances, find_distances, sharpness)


def answer_by_induction(
    model: SenseModel,
    instances: Iterable[Instance],
    settings: InductionSettings,
    *,
    sharpness: float | None = None,
) -> Answers:
    """Induce the senses of every word from its own instances, and decode them.

    Words with fewer usable instances than senses have no senses. Each word has a random stream of
    its own, so that its answers do not change with the company it is in. ``sharpness`` is that of
    `answer_with_senses`.
    """

    def find_distances(word: str, group: Sequence[Instance]) -> Distances | None:
        contexts = instance_contexts(model, group)
        rank = model.rules.rank
        located = np.array([instance.is_located for instance in group])
        usable = located & (np.count_nonzero(contexts >= 0, axis=1) >= rank)
        if usable.sum() < settings.n_senses:
            return None
        bases = principal_subspaces(
            contexts[usable], model.vectors.vectors, rank, weighting=model.rules.weighting
        )
        seeds = np.random.SeedSequence([settings.random_state, zlib.crc32(word.encode())])
        estimator = KGrassmeans(
            n_senses=settings.n_senses,
            n_init=settings.n_init,
            random_state=np.random.default_rng(seeds),
        )
        distances = np.full((len(group), settings.n_senses), np.nan)
        distances[usable] = estimator.fit_transform(bases)
        return distances

    return _answer(instances, find_distances, sharpness)


def known_form(inventory: SenseInventory, target: str) -> str | None:
    """The target as the inventory has it: as it is, in lower case, or joined by ``_``."""
    joined = "_".join(target.split())
    forms = (target, target.lower(), joined, joined.lower())
    return next((form for form in forms if form in inventory), None)


def _answer(
    instances: Iterable[Instance], find_distances: FindDistances, sharpness: float | None
) -> Answers:
    groups: dict[str, list[Instance]] = defaultdict(list)
    for instance in instances:
        groups[instance.key_word].append(instance)
    labels: dict[str, dict[str, tuple[Label, ...]]] = {}
    without_senses: list[str] = []
    n_not_located = n_poor_context = 0
    for word, group in groups.items():
        distances = find_distances(word, group)
        if distances is None:
            without_senses.append(word)
            labels[word] = {instance.id: (Label(f"{word}.1"),) for instance in group}
            continue
        located = np.array([instance.is_located for instance in group])
        poor = np.isnan(distances).all(axis=1)
        n_not_located += int((~located).sum())
        n_poor_context += int((located & poor).sum())
        decoded = np.where(located[:, None], distances, np.nan)
        shares = _decode(decoded, sharpness)
        labels[word] = {
            instance.id: _make_labels(word, row)
            for instance, row in zip(group, shares, strict=True)
        }
    return Answers(
        key=Key(labels),
        words_without_senses=tuple(without_senses),
        n_without_senses=sum(len(groups[word]) for word in without_senses),
        n_not_located=n_not_located,
        n_poor_context=n_poor_context,
    )


def _decode(distances: Distances, sharpness: float | None) -> NDArray[np.float64]:
    """(n_instances, n_senses) weights of the senses; 1 for the largest where nothing is known."""
    # Senses are in order of falling size: the first is the largest.
    nearest = np.maximum(decode_hard(distances, None), 0)
    hard = np.eye(distances.shape[1])[nearest]
    if sharpness is None:
        return hard
    unknown = np.isnan(distances).all(axis=1, keepdims=True)
    return np.where(unknown, hard, decode_soft(distances, sharpness))


def _make_labels(word: str, weights: NDArray[np.float64]) -> tuple[Label, ...]:
    chosen = np.flatnonzero(weights > MIN_SHARE * weights.max())
    order = sorted(chosen.tolist(), key=lambda sense: -weights[sense])
    if len(order) == 1:
        return (Label(f"{word}.{order[0] + 1}"),)
    return tuple(Label(f"{word}.{k + 1}", round(float(weights[k]), 6)) for k in order)
