"""Text -> the sense of every known word in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.contexts import NO_TOKEN
from grassmeans.corpus.tokenizer import Tokenizer, WhitespaceTokenizer, normalize_text
from grassmeans.kernels.cpu.contexts import empty_contexts, gather_contexts
from grassmeans.senses.decoding import (
    DEFAULT_IDK_THRESHOLD,
    DEFAULT_SHARPNESS,
    decode_hard,
    decode_soft,
)
from grassmeans.senses.inventory import SenseInventory
from grassmeans.subspaces import principal_subspaces
from grassmeans.vectors.word_vectors import WordVectors

_MARK = re.compile(r"<b>\s*(.*?)\s*</b>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """A word of a text and its sense.

    Parameters
    ----------
    start, end : int
        Characters ``start:end`` of the (plain) text.
    word : str
        As it stands in the text.
    key : str
        The entry of the inventory.
    sense : int
        Number of the nearest sense, from 1; 0 means "I don't know".
    distances : tuple of float
        Distance to every sense, in [0, 1]; empty where the context has too few known words.
    probabilities : tuple of float
        Soft decoding of the distances; uniform where the context has too few known words.
    """

    start: int
    end: int
    word: str
    key: str
    sense: int
    distances: tuple[float, ...]
    probabilities: tuple[float, ...]

    @property
    def label(self) -> str:
        """``key.sense``, as the paper's authors write it: ``crane.2``, ``crane.0`` for IDK."""
        return f"{self.key}.{self.sense}"


@dataclass(frozen=True, slots=True)
class TaggedText:
    """A text (marks removed) and its tagged words, in order."""

    text: str
    words: tuple[TaggedWord, ...]
    unknown: tuple[str, ...] = ()

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, index: int) -> TaggedWord:
        return self.words[index]


@dataclass(frozen=True, slots=True)
class TaggingRules:
    """How the model turns text into contexts; fixed by the corpus and the induction."""

    tokenizer: Tokenizer | WhitespaceTokenizer
    function_words: frozenset[str]
    window: int
    rank: int
    weighting: str
    drop_repeats: bool = False


_Answer = tuple[int, tuple[float, ...], tuple[float, ...]]
"""Sense, distances, probabilities."""


@dataclass(slots=True)
class _Target:
    text: int
    start: int
    end: int
    key: str
    context: NDArray[np.int32]


def tag_texts(
    texts: Iterable[str],
    inventory: SenseInventory,
    vectors: WordVectors,
    rules: TaggingRules,
    *,
    words: Collection[str] | None = None,
    idk_threshold: float | None = DEFAULT_IDK_THRESHOLD,
    sharpness: float = DEFAULT_SHARPNESS,
) -> list[TaggedText]:
    """Tag the known words of texts, or only those marked ``<b>word</b>``, or only ``words``.

    Every text is a document of its own: contexts do not cross from one to the next.
    """
    plains: list[str] = []
    unknown: list[tuple[str, ...]] = []
    targets: list[_Target] = []
    wanted = None if words is None else {_key(word, rules) for word in words}
    for number, text in enumerate(texts):
        plain, marks = remove_marks(normalize_text(text))
        found, missing = _find_targets(number, plain, marks, wanted, inventory, vectors, rules)
        plains.append(plain)
        unknown.append(missing)
        targets.extend(found)
    tagged: list[list[TaggedWord]] = [[] for _ in plains]
    answers: list[_Answer | None] = [None] * len(targets)
    for rows, distances in _distances_by_word(targets, inventory, vectors, rules):
        senses = (decode_hard(distances, idk_threshold) + 1).tolist()
        probabilities = decode_soft(distances, sharpness).tolist()
        usable = ~np.isnan(distances[:, 0])
        for i, row in enumerate(rows):
            far = tuple(distances[i].tolist()) if usable[i] else ()
            answers[row] = (senses[i], far, tuple(probabilities[i]))
    for target, answer in zip(targets, answers, strict=True):
        assert answer is not None
        word = plains[target.text][target.start : target.end]
        tagged[target.text].append(TaggedWord(target.start, target.end, word, target.key, *answer))
    return [
        TaggedText(plain, tuple(found), missing)
        for plain, found, missing in zip(plains, tagged, unknown, strict=True)
    ]


def passage_distances(
    word: str,
    passages: Sequence[tuple[str, str]],
    inventory: SenseInventory,
    vectors: WordVectors,
    rules: TaggingRules,
) -> NDArray[np.float32]:
    """Distances of occurrences given as the text before and after them to a word's senses.

    The occurrence itself is not looked at, so that an inflected form, or a form that the tokenizer
    would split, can be decoded with the senses of its lemma.

    Returns
    -------
    distances : (n_passages, n_senses) float32
        NaN where there are fewer known words around the occurrence than the rank.
    """
    contexts = passage_contexts(word, passages, vectors, rules)
    targets = [_Target(0, 0, 0, word, context) for context in contexts]
    for _, distances in _distances_by_word(targets, inventory, vectors, rules):
        return distances
    return np.empty((0, len(inventory.directions(word))), np.float32)


def passage_contexts(
    word: str,
    passages: Sequence[tuple[str, str]],
    vectors: WordVectors,
    rules: TaggingRules,
) -> NDArray[np.int32]:
    """(n_passages, 2 * window) context rows of occurrences given as the text on both sides."""
    contexts = empty_contexts(len(passages), rules.window)
    for row, (left, right) in enumerate(passages):
        before = rules.tokenizer.tokenize(normalize_text(left))
        keys = [*before, word, *rules.tokenizer.tokenize(normalize_text(right))]
        contexts[row] = _contexts_in(keys, [len(before)], vectors, rules)[0]
    return contexts


def remove_marks(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without ``<b>`` marks, and the character spans that were marked."""
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    length = 0
    last = 0
    for match in _MARK.finditer(text):
        before, inside = text[last : match.start()], match.group(1)
        parts += [before, inside]
        length += len(before)
        spans.append((length, length + len(inside)))
        length += len(inside)
        last = match.end()
    return "".join(parts) + text[last:], spans


def _key(word: str, rules: TaggingRules) -> str:
    keys = rules.tokenizer.tokenize(normalize_text(word))
    return keys[0] if len(keys) == 1 else word


def _find_targets(
    number: int,
    text: str,
    marks: Sequence[tuple[int, int]],
    wanted: Collection[str] | None,
    inventory: SenseInventory,
    vectors: WordVectors,
    rules: TaggingRules,
) -> tuple[list[_Target], tuple[str, ...]]:
    """The occurrences to tag with their contexts, and marked words that are not in the model."""
    spans = list(rules.tokenizer.spans(text))
    keys = rules.tokenizer.tokenize(text)
    positions = [i for i, key in enumerate(keys) if key in inventory]
    missing: list[str] = []
    if marks:
        starts = [start for start, _ in spans]
        marked: list[int] = []
        for start, end in marks:
            first, last = np.searchsorted(starts, (start, end))
            known = [i for i in range(first, last) if keys[i] in inventory]
            marked += known
            if not known:
                missing.append(text[start:end])
        positions = marked
    if wanted is not None:
        positions = [i for i in positions if keys[i] in wanted]
    contexts = _contexts_in(keys, positions, vectors, rules)
    targets = [
        _Target(number, *spans[i], keys[i], context)
        for i, context in zip(positions, contexts, strict=True)
    ]
    return targets, tuple(missing)


def _contexts_in(
    keys: Sequence[str], positions: Sequence[int], vectors: WordVectors, rules: TaggingRules
) -> NDArray[np.int32]:
    """(n_positions, 2 * window) context rows, by the same kernel that reads a corpus."""
    contexts = empty_contexts(len(positions), rules.window)
    if not positions:
        return contexts
    # Each distinct key of the text becomes a token id, so that repeats of the target are known.
    types = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    tokens = np.fromiter((types[key] for key in keys), np.int32, len(keys))
    rows = vectors.ids_of(types)
    rows[[key in rules.function_words for key in types]] = -1
    places = np.array(positions, np.int64)
    # Where repeats of the target are left out, each target has its own words to leave out.
    groups = _places_by_token(tokens, places) if rules.drop_repeats else [(NO_TOKEN, ...)]
    for left_out, rows_of_group in groups:
        chosen = places[rows_of_group]
        found = empty_contexts(len(chosen), rules.window)
        starts, ends = np.zeros_like(chosen), np.full_like(chosen, len(tokens))
        gather_contexts(tokens, rows, chosen, starts, ends, rules.window, left_out, found)
        contexts[rows_of_group] = found
    return contexts


def _places_by_token(tokens: NDArray[np.int32], places: NDArray[np.int64]) -> list[tuple[int, Any]]:
    """The rows of ``places`` at which each token stands."""
    found = tokens[places]
    return [(int(token), np.flatnonzero(found == token)) for token in np.unique(found)]


def _distances_by_word(
    targets: Sequence[_Target],
    inventory: SenseInventory,
    vectors: WordVectors,
    rules: TaggingRules,
) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
    """For each word, which targets are its occurrences, and their distances to its senses.

    A row of NaN belongs to a context with fewer words than the rank.
    """
    if not targets:
        return
    contexts = np.stack([target.context for target in targets])
    bases = principal_subspaces(contexts, vectors.vectors, rules.rank, weighting=rules.weighting)
    too_poor = np.count_nonzero(contexts >= 0, axis=1) < rules.rank
    by_word: dict[str, list[int]] = {}
    for row, target in enumerate(targets):
        by_word.setdefault(target.key, []).append(row)
    for word, rows in by_word.items():
        products = bases[rows] @ np.asarray(inventory.directions(word)).T
        kept = np.square(products).sum(axis=1)
        distances = np.sqrt(np.clip(1.0 - kept, 0.0, 1.0))
        distances[too_poor[rows]] = np.nan
        yield rows, distances
