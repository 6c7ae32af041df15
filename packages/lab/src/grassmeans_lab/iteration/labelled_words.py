"""A labelled corpus seen by words: its tokens are lexeme keys, a word is all keys of its senses."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.corpus.shard import Shard
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.labelling.measuring import StoredDistances, Targets, open_distances, read_targets
from grassmeans.senses.keys import IDK_SENSE, decode_key


@dataclass(frozen=True, slots=True)
class LabelledOccurrences(Occurrences):
    """Occurrences in a labelled shard, with the shard.

    Its stored distances tell the probabilities of its words' senses.
    """

    shard: Shard = field(kw_only=True)


class LabelledWords(Corpus):
    """A labelled corpus whose words, not their keys, are asked for; a `WordSource`.

    The vocabulary is still that of the keys, and so are the tokens of its occurrences.
    """

    @classmethod
    def of(cls, labelled: Corpus) -> LabelledWords:
        """The words of a labelled corpus."""
        return cls(labelled.path, labelled.manifest)

    def __reduce__(self) -> tuple[Any, ...]:
        return (LabelledWords.open, (self.path,))

    @cached_property
    def targets(self) -> Targets:
        """The words that have senses."""
        return read_targets(self)

    @cached_property
    def sense_of_token(self) -> NDArray[np.int64]:
        """(n_types,) the sense that each key names; 0 for "I don't know", and for plain words."""
        keys = self.vocabulary.words
        return np.fromiter((decode_key(key)[1] or IDK_SENSE for key in keys), np.int64, len(keys))

    @cached_property
    def _ids_of_words(self) -> dict[str, list[int]]:
        ids: dict[str, list[int]] = {}
        for i, key in enumerate(self.vocabulary.words):
            ids.setdefault(decode_key(key)[0], []).append(i)
        return ids

    def ids_of_forms(self, word: str) -> list[int]:
        """The ids of all keys of a word."""
        ids = self._ids_of_words.get(word)
        if ids is None:
            raise UnknownWordError(
                f"{word!r} does not occur in the labelled corpus {self.path.name}, in any sense"
            )
        return ids

    def forms_of(self, word: str) -> tuple[tuple[str, int], ...]:
        """None: its keys are no forms of a word."""
        return ()

    def occurrences_in(self, shard: Shard, local: NDArray[np.int64]) -> LabelledOccurrences:
        """The occurrences at positions inside a shard, in text order."""
        plain = super().occurrences_in(shard, local)
        return LabelledOccurrences(
            plain.tokens,
            plain.document_offsets,
            plain.positions,
            plain.words,
            plain.text,
            shard=shard,
        )

    def open_distances(self, shard: Shard) -> StoredDistances:
        """The stored distances of a shard's labelled tokens."""
        return open_distances(shard.folder, len(shard.tokens), self.targets.max_senses)

    def labels_at(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """(n,) labels of occurrences in text order: senses from 1, 0 for "I don't know"."""
        labels = np.empty(len(positions), np.int64)
        for part, shard, local in self.split_positions(positions):
            labels[part] = self.sense_of_token[shard.tokens[local]]
        return labels

    def nearest_at(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """(n,) the nearest senses of occurrences in text order, with no "I don't know".

        Only an occurrence with too few known words around it is 0.
        """
        labels = np.empty(len(positions), np.int64)
        for part, shard, local in self.split_positions(positions):
            stored = self.open_distances(shard)
            rows = np.searchsorted(stored.positions, local)
            found = rows < len(stored)
            found[found] = stored.positions[rows[found]] == local[found]
            if not found.all():
                position = positions[part][np.argmin(found)]
                raise InputError(f"the word at position {position} has no senses")
            distances = np.asarray(stored.distances[rows], np.float64)
            filled = np.where(np.isnan(distances), np.inf, distances)
            known = np.isfinite(filled[:, 0])
            labels[part] = np.where(known, filled.argmin(axis=1) + 1, IDK_SENSE)
        return labels
