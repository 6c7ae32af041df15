"""Text -> the sense of every known word in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.tokenizer import Tokenizer, WhitespaceTokenizer, normalize_text
from grassmeans.errors import InputError
from grassmeans.senses.decoding import (
    DEFAULT_IDK_THRESHOLD,
    DEFAULT_SHARPNESS,
    decode_hard,
    decode_soft,
)
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.markup import blank_markup, remove_marks
from grassmeans.senses.settings import fewest_words
from grassmeans.senses.text_contexts import gather_text_contexts
from grassmeans.subspaces import principal_subspaces
from grassmeans.vectors.word_vectors import WordVectors

_BLOCK = 4096
"""Targets whose subspaces are held at once: 15 MB, however long the text."""

_FEW = 32
"""Up to this many targets, a sentence's, go through plain NumPy, which has nothing to load."""


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
    """A text and its tagged words, in order.

    Parameters
    ----------
    text : str
        Without marks, in NFC and without invisible characters; the words' spans lie in it.
    words : tuple of TaggedWord
    unknown : tuple of str
        What was marked and has no senses in the model.
    """

    text: str
    words: tuple[TaggedWord, ...]
    unknown: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[TaggedWord]:
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

    @property
    def fewest_words(self) -> int:
        """A context with fewer known words is "I don't know"."""
        return fewest_words(self.rank, self.weighting)


@dataclass(slots=True)
class _Target:
    text: int
    start: int
    end: int
    key: str
    context: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class _Answer:
    sense: int
    distances: tuple[float, ...]
    probabilities: tuple[float, ...]


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

    Every text is a document of its own: contexts do not cross from one to the next. Words that
    the model has no senses for are left untagged, also where ``words`` names them. HTML tags and
    character references are no words of the text; they stay in it.
    """
    wanted = _check_words(words, rules)
    plains: list[str] = []
    unknown: list[tuple[str, ...]] = []
    targets: list[_Target] = []
    for number, text in enumerate(_check_texts(texts)):
        plain, marks = remove_marks(normalize_text(text))
        found, missing = _find_targets(number, plain, marks, wanted, inventory, vectors, rules)
        plains.append(plain)
        unknown.append(missing)
        targets.extend(found)
    tagged: list[list[TaggedWord]] = [[] for _ in plains]
    for start in range(0, len(targets), _BLOCK):
        block = targets[start : start + _BLOCK]
        answers = _answer(block, inventory, vectors, rules, idk_threshold, sharpness)
        for target, answer in zip(block, answers, strict=True):
            tagged[target.text].append(
                TaggedWord(
                    target.start,
                    target.end,
                    plains[target.text][target.start : target.end],
                    target.key,
                    answer.sense,
                    answer.distances,
                    answer.probabilities,
                )
            )
    return [
        TaggedText(plain, tuple(found), missing)
        for plain, found, missing in zip(plains, tagged, unknown, strict=True)
    ]


def _check_texts(texts: Iterable[str]) -> Iterator[str]:
    if isinstance(texts, str):
        raise InputError("tag_many needs several texts, got one string: put it into a list")
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"text {number} must be a string, got {type(text).__name__}")
        yield text


def _check_words(words: Collection[str] | None, rules: TaggingRules) -> frozenset[str] | None:
    if isinstance(words, str):
        raise InputError(f"words must be a list of words, got the string {words!r}")
    return None if words is None else frozenset(_key(word, rules) for word in words)


def _key(word: str, rules: TaggingRules) -> str:
    keys = rules.tokenizer.tokenize(normalize_text(word))
    return keys[0] if len(keys) == 1 else word


def _answer(
    targets: Sequence[_Target],
    inventory: SenseInventory,
    vectors: WordVectors,
    rules: TaggingRules,
    idk_threshold: float | None,
    sharpness: float,
) -> Iterator[_Answer]:
    """Decode targets, in their order."""
    answers: dict[int, _Answer] = {}
    keys = [target.key for target in targets]
    contexts = np.stack([target.context for target in targets])
    for rows, distances in _measure_distances(keys, contexts, inventory, vectors, rules):
        senses = (decode_hard(distances, idk_threshold) + 1).tolist()
        probabilities = decode_soft(distances, sharpness).tolist()
        usable = (~np.isnan(distances[:, 0])).tolist()
        measured = distances.tolist()
        for i, row in enumerate(rows):
            far = tuple(measured[i]) if usable[i] else ()
            answers[row] = _Answer(senses[i], far, tuple(probabilities[i]))
    return (answers[row] for row in range(len(targets)))


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
        NaN where there are too few known words around the occurrence (`fewest_words`).
    """
    distances = np.empty((len(passages), len(inventory.directions(word))), np.float32)
    for start in range(0, len(passages), _BLOCK):
        block = passages[start : start + _BLOCK]
        contexts = passage_contexts(word, block, vectors, rules)
        keys = [word] * len(block)
        for _, found in _measure_distances(keys, contexts, inventory, vectors, rules):
            distances[start : start + len(block)] = found
    return distances


def passage_contexts(
    word: str,
    passages: Sequence[tuple[str, str]],
    vectors: WordVectors,
    rules: TaggingRules,
) -> NDArray[np.int32]:
    """(n_passages, 2 * window) context rows of occurrences given as the text on both sides."""
    contexts = np.empty((len(passages), 2 * rules.window), np.int32)
    for row, (left, right) in enumerate(passages):
        before = rules.tokenizer.tokenize(normalize_text(left))
        keys = [*before, word, *rules.tokenizer.tokenize(normalize_text(right))]
        contexts[row] = _contexts_in(keys, [len(before)], vectors, rules)[0]
    return contexts


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
    # Text that comes tokenised may have tokens such as "<unk>".
    readable = blank_markup(text) if isinstance(rules.tokenizer, Tokenizer) else text
    keys = rules.tokenizer.tokenize(readable)
    positions = [i for i, key in enumerate(keys) if key in inventory]
    if not positions and not marks:
        return [], ()
    spans = list(rules.tokenizer.spans(readable))
    missing: list[str] = []
    if marks:
        starts = [start for start, _ in spans]
        marked: list[int] = []
        for start, end in marks:
            first, last = np.searchsorted(starts, (start, end))
            known = [i for i in range(first, last) if keys[i] in inventory]
            marked += known
            if not known and start < end:
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
    """(n_positions, 2 * window) context rows."""
    # Each distinct key of the text becomes a token id, so that repeats of the target are known.
    types = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    tokens = np.fromiter((types[key] for key in keys), np.int32, len(keys))
    rows = vectors.ids_of(types)
    rows[[key in rules.function_words for key in types]] = -1
    places = np.array(positions, np.int64)
    return gather_text_contexts(tokens, rows, places, rules.window, drop_repeats=rules.drop_repeats)


def _measure_distances(
    keys: Sequence[str],
    contexts: NDArray[np.int32],
    inventory: SenseInventory,
    vectors: WordVectors,
    rules: TaggingRules,
) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
    """Distances of contexts to the senses of the words in them, words with equally many at once.

    Yields
    ------
    rows : list of int
        Which of the contexts.
    distances : (n_rows, n_senses) float32
        A row of NaN belongs to a context with too few words.
    """
    device = "numpy" if len(contexts) <= _FEW else "cpu"
    bases = principal_subspaces(
        contexts, vectors.vectors, rules.rank, weighting=rules.weighting, device=device
    )
    too_poor = np.count_nonzero(contexts >= 0, axis=1) < rules.fewest_words
    by_word: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        by_word.setdefault(key, []).append(row)
    groups: dict[int, tuple[list[int], list[NDArray[np.float32]]]] = {}
    for word, rows in by_word.items():
        directions = np.asarray(inventory.directions(word))
        group_rows, products = groups.setdefault(len(directions), ([], []))
        group_rows += rows
        products.append(bases[rows] @ directions.T)
    for group_rows, products in groups.values():
        kept = np.square(np.concatenate(products)).sum(axis=1)
        distances = np.sqrt(np.clip(1.0 - kept, 0.0, 1.0))
        distances[too_poor[group_rows]] = np.nan
        yield group_rows, distances
