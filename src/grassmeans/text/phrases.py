"""Phrases: words that are one token where they stand together, ``port_ellery``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from grassmeans.errors import InputError
from grassmeans.kernels.arguments import PhraseTrie


class Phrases:
    """A table of phrases; the longest one that begins at a word is taken.

    Their words are as the tokenizer makes them, separated by single spaces: ``"port ellery"``.
    """

    def __init__(self, entries: Iterable[str]) -> None:
        self.entries = tuple(sorted(set(entries)))
        for entry in self.entries:
            if not isinstance(entry, str) or len(entry.split(" ")) < 2 or "" in entry.split(" "):
                raise InputError(
                    f"a phrase must be words separated by single spaces, got {entry!r}"
                )
        self._hash = hash(self.entries)

    def __repr__(self) -> str:
        return f"Phrases({len(self.entries):,} entries)"

    def __len__(self) -> int:
        return len(self.entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Phrases) and self.entries == other.entries

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return Phrases, (self.entries,)

    @cached_property
    def names(self) -> list[str]:
        """The token of every phrase."""
        return [entry.replace(" ", "_") for entry in self.entries]

    @cached_property
    def starts(self) -> frozenset[str]:
        """The words that a phrase begins with."""
        return frozenset(entry.partition(" ")[0] for entry in self.entries)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The words of the phrases -> their numbers in the `trie`."""
        words = sorted({word for entry in self.entries for word in entry.split(" ")})
        return {word: number for number, word in enumerate(words)}

    @cached_property
    def trie(self) -> PhraseTrie:
        """The phrases for `grassmeans.kernels`."""
        numbers = self.numbers
        return make_trie(
            [[numbers[word] for word in entry.split(" ")] for entry in self.entries], len(numbers)
        )


def make_trie(phrases: Iterable[Sequence[int]], n_words: int) -> PhraseTrie:
    """The trie of phrases whose words are numbers below ``n_words``."""
    edges: dict[int, int] = {}
    ends = [-1]
    for number, phrase in enumerate(phrases):
        state = 0
        for word in phrase:
            edge = state * n_words + word
            if edge not in edges:
                edges[edge] = len(ends)
                ends.append(-1)
            state = edges[edge]
        ends[state] = number
    ordered = sorted(edges.items())
    return PhraseTrie(
        n_words,
        np.array([edge for edge, _ in ordered], np.int64),
        np.array([state for _, state in ordered], np.int32),
        np.array(ends, np.int32),
    )
