"""Occurrences: places in a tokenised text, the input of every kind of context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Indices, Integers

Span = tuple[int, int]


class Stretch(NamedTuple):
    """Some tokens in a row, as they were written."""

    text: str  # from the first token to where the next one begins, or to the end
    spans: list[Span]  # the characters of each token in it


class TokenText(Protocol):
    """The original text of tokens."""

    def read(self, first: int, end: int) -> Stretch:
        """The text of the tokens ``first:end``, which are of one document."""
        ...


def cut_stretch(text: str, spans: Sequence[Span], first: int, end: int) -> Stretch:
    """The tokens ``first:end`` of a text whose tokens' characters are known."""
    begin = spans[first][0]
    behind = spans[end][0] if end < len(spans) else len(text)
    last = spans[end - 1][1]
    tail = text[last:behind].rstrip()
    moved = [(start - begin, stop - begin) for start, stop in spans[first:end]]
    return Stretch(text[begin:last] + tail, moved)


@dataclass(frozen=True, slots=True)
class GivenText:
    """Texts in memory, one a document, which are looked at when they are asked for."""

    # The number of a text -> the text, and the characters of its tokens.
    find: Callable[[int], tuple[str, Sequence[Span]]]
    offsets: Indices  # (n_texts + 1,) where the tokens of each text begin, and the end

    def read(self, first: int, end: int) -> Stretch:
        """The text of the tokens ``first:end``, which are of one document."""
        number = int(np.searchsorted(self.offsets, first, side="right")) - 1
        begin = int(self.offsets[number])
        return cut_stretch(*self.find(number), first - begin, end - begin)


@dataclass(frozen=True, slots=True)
class MovedText:
    """The text of tokens that stand in other places here: those of a document are in a row."""

    whole: TokenText
    origins: Indices  # (n_tokens,) where each token stands in it

    def read(self, first: int, end: int) -> Stretch:
        """The text of the tokens ``first:end``, which are of one document."""
        return self.whole.read(int(self.origins[first]), int(self.origins[end - 1]) + 1)


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Places of words in a tokenised text: a shard of a corpus, a sentence, test passages."""

    tokens: Integers  # (n_tokens,) the text as numbers of ``words``; -1 for words beyond them
    # (n_documents + 1,) Where each document begins, and the end; contexts stay inside a document.
    document_offsets: Indices
    positions: Indices  # (n,) where the occurrences stand in ``tokens``, in text order
    words: Sequence[str]  # what the numbers mean: the same object for all texts of a corpus
    # What the tokens were found in, for kinds of context that read the original.
    text: TokenText | None = None

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, part: slice | NDArray[Any]) -> Occurrences:
        """Some of the occurrences, in the same text."""
        return self.at(self.positions[part])

    def at(self, positions: Indices) -> Occurrences:
        """Other occurrences in the same text."""
        if type(self) is not Occurrences:
            return replace(self, positions=positions)
        return Occurrences(  # `replace` would take as long as reading a short sentence
            self.tokens, self.document_offsets, positions, self.words, self.text
        )

    def written_in(self, find: Callable[[int], tuple[str, Sequence[Span]]]) -> Occurrences:
        """The same with the original text of each document, and the characters of its tokens."""
        text = GivenText(find, self.document_offsets)
        return Occurrences(self.tokens, self.document_offsets, self.positions, self.words, text)

    @property
    def documents(self) -> Indices:
        """(n,) number of the document in which each occurrence stands."""
        found = np.searchsorted(self.document_offsets, self.positions, side="right") - 1
        return np.asarray(found, np.int64)

    @property
    def document_bounds(self) -> tuple[Indices, Indices]:
        """(n,) where the document of each occurrence begins and ends."""
        documents = self.documents
        return self.document_offsets[documents], self.document_offsets[documents + 1]


def write_tokens(tokens: Sequence[str]) -> tuple[str, list[Span]]:
    """Tokens with spaces between them, and the characters of each."""
    ends = np.cumsum([len(token) + 1 for token in tokens]).tolist()
    spans = [(end - 1 - len(token), end - 1) for token, end in zip(tokens, ends, strict=True)]
    return " ".join(tokens), spans


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
    word: str | Sequence[str],
    passages: Iterable[tuple[str, str]],
    tokenize: Callable[[str], Sequence[str]],
    write: Callable[[int], tuple[str, Sequence[Span]]] | None = None,
) -> Occurrences:
    """One occurrence of a word in each passage, given as the text before and after it.

    The word, which may be another in each, is not looked at: an inflected form can stand for its
    lemma. ``write`` leads from a passage's number to its text and the characters of its tokens.
    """
    documents = []
    places = []
    start = 0
    words = repeat(word) if isinstance(word, str) else word
    for (left, right), own in zip(passages, words, strict=False):  # `repeat` has no end
        before = tokenize(left)
        document = [*before, own, *tokenize(right)]
        places.append(start + len(before))
        start += len(document)
        documents.append(document)
    found = number_words(documents).at(np.array(places, np.int64))
    return found if write is None else found.written_in(write)
