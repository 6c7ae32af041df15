"""Occurrences: places in a tokenised text, the input of every kind of context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Places of words in a tokenised text: a shard of a corpus, a sentence, test passages.

    Attributes
    ----------
    tokens : (n_tokens,) int32
        The text as numbers of ``words``; -1 for words beyond them.
    document_offsets : (n_documents + 1,) int64
        Where each document begins, and the end; contexts stay inside a document.
    positions : (n,) int64
        Where the occurrences stand in ``tokens``, in text order.
    words : sequence of str
        What the numbers mean. The same object for all texts of a corpus.
    document_text : callable, optional
        The text of a document by its number, for kinds of context that read the original.
    """

    tokens: NDArray[np.int32]
    document_offsets: NDArray[np.int64]
    positions: NDArray[np.int64]
    words: Sequence[str]
    document_text: Callable[[int], str] | None = None

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, part: slice | NDArray[Any]) -> Occurrences:
        """Some of the occurrences, in the same text."""
        return self.at(self.positions[part])

    def at(self, positions: NDArray[np.int64]) -> Occurrences:
        """Other occurrences in the same text."""
        if type(self) is not Occurrences:
            return replace(self, positions=positions)
        return Occurrences(  # `replace` would take as long as reading a short sentence
            self.tokens, self.document_offsets, positions, self.words, self.document_text
        )

    @property
    def documents(self) -> NDArray[np.int64]:
        """(n,) number of the document in which each occurrence stands."""
        found = np.searchsorted(self.document_offsets, self.positions, side="right") - 1
        return np.asarray(found, np.int64)

    @property
    def document_bounds(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(n,) where the document of each occurrence begins and ends."""
        documents = self.documents
        return self.document_offsets[documents], self.document_offsets[documents + 1]


def number_words(documents: Iterable[Sequence[str]]) -> Occurrences:
    """Documents given as words, without any occurrence chosen yet: all positions."""
    numbers: dict[str, int] = {}
    tokens: list[int] = []
    offsets = [0]
    for document in documents:
        tokens += [numbers.setdefault(word, len(numbers)) for word in document]
        offsets.append(len(tokens))
    return Occurrences(
        np.array(tokens, np.int32),
        np.array(offsets, np.int64),
        np.arange(len(tokens), dtype=np.int64),
        list(numbers),
    )


def read_passages(
    word: str, passages: Iterable[tuple[str, str]], tokenize: Callable[[str], Sequence[str]]
) -> Occurrences:
    """One occurrence of a word in each passage, given as the text before and after it.

    The occurrence itself is not looked at, so that an inflected form, or one that the tokenizer
    would split, can stand for its lemma.
    """
    documents = []
    places = []
    start = 0
    for left, right in passages:
        before = tokenize(left)
        document = [*before, word, *tokenize(right)]
        places.append(start + len(before))
        start += len(document)
        documents.append(document)
    return number_words(documents).at(np.array(places, np.int64))
