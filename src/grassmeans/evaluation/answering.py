"""Instances of a test set -> the sense of each, as a key.

Rules, the same for every task:

- an instance goes to its nearest sense, never to "I don't know"; soft answers give all senses
  whose probability is more than a tenth of the largest;
- an instance whose target was not found in its text, or that has too few known words around it
  (fewer than the rank, for our senses), goes to the largest sense; methods that never look at
  contexts answer it like any other;
- the instances of a word without senses form one cluster.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.evaluation.instance_contexts import ContextReader
from grassmeans.evaluation.key_files import Key, Label
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.laboratory.rivals.interface import ContextInducer, InducedSenses
from grassmeans.senses.decoding import decode_hard, decode_soft

MIN_SHARE = 0.1
"""Soft answers leave out senses this much less likely than the best; fuzzy NMI would take them for
absent, but fuzzy B-cubed for shared."""

Distances = NDArray[np.float32] | NDArray[np.float64]
FindDistances = Callable[[str, Sequence[Instance]], Distances | None]
"""Name of a word in the key, its instances -> (n_instances, n_senses), or None without senses. NaN
where the largest sense is to be taken."""


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
    senses: InducedSenses,
    instances: Iterable[Instance],
    reader: ContextReader,
    *,
    sharpness: float | None = None,
) -> Answers:
    """Decode the instances with senses that were induced before.

    Parameters
    ----------
    senses : InducedSenses
        Of any method; `ModelSenses` for those of a model.
    reader : ContextReader
        Cuts the texts as the corpus was cut.
    sharpness : float, optional
        Give each instance weighted senses, their probabilities by `decode_soft`; without it, the
        nearest sense alone.
    """

    def find_distances(_: str, group: Sequence[Instance]) -> Distances | None:
        word = known_form(senses, group[0].target)
        if word is None:
            return None
        contexts = reader.read_instances(word, group, senses.rule)
        return _measure(senses, word, contexts, group)

    return _answer(instances, find_distances, sharpness)


def answer_by_induction(
    inducer: ContextInducer,
    instances: Iterable[Instance],
    reader: ContextReader,
    *,
    random_state: int = 0,
    sharpness: float | None = None,
) -> Answers:
    """Induce the senses of every word from its own instances, and decode them.

    Words with too few usable instances have no senses. Each word has a random stream of its own,
    so that its answers do not change with the company it is in. ``reader`` and ``sharpness`` are
    those of `answer_with_senses`.
    """

    def find_distances(name: str, group: Sequence[Instance]) -> Distances | None:
        contexts = reader.read_instances(group[0].target, group, inducer.rule)
        seen = contexts[[instance.is_located for instance in group]]
        senses = inducer.induce_from_contexts(name, seen, reader.vectors, random_state)
        return None if senses is None else _measure(senses, name, contexts, group)

    return _answer(instances, find_distances, sharpness)


def known_form(known: Container[str], target: str) -> str | None:
    """The target as it is known: as it is, in lower case, or joined by ``_``."""
    joined = "_".join(target.split())
    forms = (target, target.lower(), joined, joined.lower())
    return next((form for form in forms if form in known), None)


def _measure(
    senses: InducedSenses, word: str, contexts: NDArray[np.int32], group: Sequence[Instance]
) -> Distances:
    distances = senses.distances(word, contexts)
    if not senses.uses_contexts:
        return distances
    located = np.array([instance.is_located for instance in group])
    return np.where(located[:, None], distances, np.float32(np.nan))


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
        n_not_located += int((~located & poor).sum())
        n_poor_context += int((located & poor).sum())
        shares = _decode(distances, sharpness)
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
