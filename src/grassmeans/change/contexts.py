"""The contexts of a word in groups of documents: how far apart they are, and examples of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from grassmeans.change.grouping import GroupedCorpus, GroupedDocuments
from grassmeans.change.measures import (
    average_pairwise_distance,
    describe_contexts,
    prototype_distance,
)
from grassmeans.change.uses import find_positions, sample_by_group
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.geometry.distances import usable_contexts
from grassmeans.models.model import SenseModel
from grassmeans.senses.keys import decode_key

CONTEXTS = 200
"""Of a word and group that are compared."""

N_EXAMPLES = 3
_WIDTH = 80


@dataclass(frozen=True, slots=True)
class Example:
    """A use of a word in a group."""

    group: str
    sense: int
    left: str
    word: str
    right: str
    document: str  # its id or title


@dataclass(frozen=True, slots=True)
class _Sampled:
    """Some occurrences of a word in a corpus: positions, their groups, and their bases."""

    part: GroupedCorpus
    positions: NDArray[np.int64]
    groups: NDArray[np.int32]
    bases: NDArray[np.float32]


def examine_word(
    model: SenseModel, documents: GroupedDocuments, word: str, random_state: int = 0
) -> tuple[list[tuple[float, float]], list[Example]]:
    """APD and PRT of a word for each pair of groups, and uses of each sense in each group.

    Distances are NaN where a group has no context; the uses nearest to a sense come first.
    """
    samples = _sample(model, documents, word, random_state)
    bases = np.concatenate([sample.bases for sample in samples])
    groups = np.concatenate([sample.groups for sample in samples])
    rows = describe_contexts(word, bases, model.encoder)
    usable = usable_contexts(bases)
    distances = []
    for first, second in documents.pairs:
        sides = rows[usable & (groups == first)], rows[usable & (groups == second)]
        distances.append((average_pairwise_distance(*sides), prototype_distance(*sides)))
    return distances, _find_examples(model, documents, word, samples)


def _find_examples(
    model: SenseModel, documents: GroupedDocuments, word: str, samples: Sequence[_Sampled]
) -> list[Example]:
    directions = model.inventory.directions(word)
    found: list[tuple[int, int, float, Example]] = []
    for sample in samples:
        distances = model.measure_bases(sample.bases, directions)
        senses = model.decide(word, distances).senses - 1
        for group, sense in np.ndindex(len(documents.names), len(directions)):
            own = np.flatnonzero((sample.groups == group) & (senses == sense))
            near = distances[:, sense]
            for i in own[np.argsort(near[own], kind="stable")][:N_EXAMPLES].tolist():
                line = sample.part.corpus.line_at(int(sample.positions[i]), _WIDTH)
                about = line.document_title or line.document_id
                name = documents.names[group]
                example = Example(name, sense + 1, line.left, line.word, line.right, about)
                found.append((group, sense, float(near[i]), example))
    found.sort(key=lambda item: item[:3])
    return list(compress((item[3] for item in found), _first_of_each(found)))


def _first_of_each(found: Sequence[tuple[int, int, float, Example]]) -> list[bool]:
    """Which items are among the first few of their group and sense."""
    seen: dict[tuple[int, int], int] = {}
    chosen = []
    for group, sense, _, _ in found:
        seen[group, sense] = seen.get((group, sense), 0) + 1
        chosen.append(seen[group, sense] <= N_EXAMPLES)
    return chosen


def _sample(
    model: SenseModel, documents: GroupedDocuments, word: str, random_state: int
) -> list[_Sampled]:
    found = []
    for part in documents.parts:
        positions = find_positions(part.corpus, word)
        groups = part.groups[part.corpus.documents_of(positions)]
        kept = sample_by_group(groups, CONTEXTS, word, random_state)
        source = WordView(part.corpus)
        bases = model.encoder.encode_at(source, positions[kept])
        found.append(_Sampled(part, positions[kept], groups[kept], bases))
    return found


class WordView:
    """A corpus whose tokens are words, also where it is labelled and they are lexemes."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._words = corpus.vocabulary.words
        if corpus.is_labelled:
            self._words = _decode_words(corpus)

    def occurrences(self, positions: NDArray[np.int64]) -> Iterator[tuple[slice, Occurrences]]:
        """As `Corpus.occurrences`."""
        for part, found in self._corpus.occurrences(positions):
            yield part, replace(found, words=self._words)


@lru_cache(maxsize=4)
def _decode_words(corpus: Corpus) -> Sequence[str]:
    return [decode_key(key)[0] for key in corpus.vocabulary.words]
