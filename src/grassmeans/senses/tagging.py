"""Text -> the sense of every known word in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.documents import RawDocument
from grassmeans.corpus.given import check_words, iterate_documents, spell_word
from grassmeans.corpus.occurrences import Occurrences, number_words, read_passages
from grassmeans.corpus.tokenizer import Tokenizer, WhitespaceTokenizer, normalize_text
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.corpus.wikitext import clean_wikitext
from grassmeans.geometry.distances import SenseLines
from grassmeans.geometry.encoder import ContextEncoder
from grassmeans.senses.calibration import Calibration, ConfidenceRule
from grassmeans.senses.decoding import (
    DEFAULT_IDK_THRESHOLD,
    DEFAULT_SHARPNESS,
    IdkRule,
    decode_hard,
    decode_soft,
)
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.lemmas import Lemmas

AnyTokenizer = Tokenizer | WhitespaceTokenizer

_TARGETS_AT_ONCE = 4096
"""Texts are measured together until they have so many words to tag."""


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
        The entry of the inventory: the word as the model spells it, or its lemma.
    sense : int
        Number of the nearest sense, from 1; 0 means "I don't know".
    distances : tuple of float
        Distance to every sense, in [0, 1]; empty where the context has too few known words.
    probabilities : tuple of float
        Soft decoding of the distances; uniform where the context has too few known words.
    confidence : float or None
        The probability that the nearest sense is right; None where the model is not calibrated, or
        the context says nothing.
    name : str
        What the sense is called, "river, basin, dam"; empty for "I don't know", and where the model
        has no names.
    position : int
        Which of the text's tokens it is, from 0.
    """

    start: int
    end: int
    word: str
    key: str
    sense: int
    distances: tuple[float, ...]
    probabilities: tuple[float, ...]
    confidence: float | None = None
    name: str = ""
    position: int = 0

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


class ReadText(NamedTuple):
    """A text, read for tagging.

    Attributes
    ----------
    text : str
        Without marks.
    keys : list of str
        Its words, as the model spells them.
    spans : list of (int, int)
        The characters of each word; empty where nothing is to be tagged.
    targets : list of int
        Which of the words are to be tagged.
    entries : list of str
        The entry of the inventory for each of these.
    unknown : tuple of str
        What was marked and is not in the model.
    """

    text: str
    keys: list[str]
    spans: list[tuple[int, int]]
    targets: list[int]
    entries: list[str]
    unknown: tuple[str, ...]


def tag_texts(
    texts: Any,
    inventory: SenseInventory,
    encoder: ContextEncoder,
    tokenizer: AnyTokenizer,
    *,
    words: str | Iterable[str] | None = None,
    idk_threshold: IdkRule = DEFAULT_IDK_THRESHOLD,
    calibration: Calibration | None = None,
    sharpness: float = DEFAULT_SHARPNESS,
    lemmas: Lemmas | None = None,
    column: str | None = None,
) -> list[TaggedText]:
    """Tag the known words of texts, or only those marked ``<b>word</b>``, or only ``words``.

    Texts are whatever `grassmeans.corpus.given.iterate_documents` reads, lists of tokens too.

    Every text is a document of its own: contexts do not cross from one to the next. Words that
    the model has no senses for are left untagged, also where ``words`` names them. HTML tags and
    character references are no words of the text; they stay in it.
    """
    wanted = None if words is None else {spell_word(w, tokenizer) for w in check_words(words)}
    if lemmas is not None and wanted is not None:
        wanted = {lemmas.entry_of(word, inventory) for word in wanted}
    decoder = _Decoder(idk_threshold, calibration, sharpness)
    tagged: list[TaggedText] = []
    pending: list[ReadText] = []
    n_targets = 0
    for document in iterate_documents(texts, column=column):
        pending.append(read_text(document, inventory, tokenizer, wanted, lemmas))
        n_targets += len(pending[-1].targets)
        if n_targets >= _TARGETS_AT_ONCE:
            tagged += _tag_block(pending, inventory, encoder, decoder)
            pending, n_targets = [], 0
    return tagged + _tag_block(pending, inventory, encoder, decoder)


def read_text(
    text: str | RawDocument,
    inventory: SenseInventory,
    tokenizer: AnyTokenizer,
    wanted: Collection[str] | None = None,
    lemmas: Lemmas | None = None,
) -> ReadText:
    """Find the words of a text that are to be tagged; one that comes tokenised has no marks."""
    plain, readable, marks, rule = _prepare_text(text, tokenizer)
    keys = rule.tokenize(readable)
    if isinstance(text, RawDocument) and text.keys is not None:
        keys = [key.lower() if rule.lowercase else key for key in text.keys]
    entries = keys
    if lemmas is not None:
        entries = [lemmas.entry_of(key, inventory) for key in keys]
        keys = [lemmas.context_of(key) for key in keys]
    targets = [i for i, entry in enumerate(entries) if entry in inventory]
    if not targets and not marks:
        return ReadText(plain, keys, [], [], [], ())
    spans = list(rule.spans(readable))
    missing: list[str] = []
    if marks:
        starts = [start for start, _ in spans]
        marked: list[int] = []
        for start, end in marks:
            first, last = np.searchsorted(starts, (start, end))
            known = [i for i in range(first, last) if entries[i] in inventory]
            marked += known
            if not known and start < end:
                missing.append(plain[start:end])
        targets = marked
    if wanted is not None:
        targets = [i for i in targets if entries[i] in wanted]
    return ReadText(plain, keys, spans, targets, [entries[i] for i in targets], tuple(missing))


def _prepare_text(
    text: str | RawDocument, tokenizer: AnyTokenizer
) -> tuple[str, str, list[tuple[int, int]], AnyTokenizer]:
    """The text to show, the same as it is read, its marks, and the rule to read it by."""
    if isinstance(text, RawDocument) and text.markup == "tokens":
        return text.text, text.text, [], WhitespaceTokenizer(lowercase=tokenizer.lowercase)
    given = text if isinstance(text, str) else text.text
    if isinstance(text, RawDocument) and text.markup == "wikitext":
        given = clean_wikitext(given).text
    plain, marks = remove_marks(normalize_text(given))
    # A tokenizer that splits at spaces only may have tokens such as "<unk>".
    readable = blank_markup(plain) if isinstance(tokenizer, Tokenizer) else plain
    return plain, readable, marks, tokenizer


def locate_targets(texts: Sequence[ReadText]) -> tuple[Occurrences, list[str]]:
    """The words to be tagged, as occurrences in one text of several documents; and their keys."""
    places = []
    keys = []
    start = 0
    for text in texts:
        places += [start + i for i in text.targets]
        keys += text.entries
        start += len(text.keys)
    # Texts without a target need not be read again.
    numbered = number_words(text.keys for text in texts)
    return numbered.at(np.array(places, np.int64)), keys


def measure_occurrences(
    occurrences: Occurrences,
    keys: Sequence[str],
    inventory: SenseInventory,
    encoder: ContextEncoder,
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Distances of occurrences to the senses of their words.

    Returns
    -------
    distances : (n, most senses) float32
        NaN beyond a word's senses, and all along where a context says nothing.
    n_senses : (n,) int64
    """
    numbers = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    lines = SenseLines.collect(np.asarray(inventory.directions(key)) for key in numbers)
    words = np.fromiter((numbers[key] for key in keys), np.int64, len(keys))
    return encoder.measure(occurrences, words, lines), lines.n_senses[words]


def _tag_block(
    texts: Sequence[ReadText],
    inventory: SenseInventory,
    encoder: ContextEncoder,
    decoder: _Decoder,
) -> list[TaggedText]:
    """Tag some texts together."""
    occurrences, keys = locate_targets(texts)
    answers: Iterator[_Answer] = iter(())
    if keys:
        distances, n_senses = measure_occurrences(occurrences, keys, inventory, encoder)
        answers = decoder.decode(distances, n_senses)
    return [
        TaggedText(
            text.text,
            tuple(
                _make_word(text, i, entry, answer, inventory)
                for i, entry, answer in zip(text.targets, text.entries, answers, strict=False)
            ),
            text.unknown,
        )
        for text in texts
    ]


_Answer = tuple[int, tuple[float, ...], tuple[float, ...], float | None]


def _make_word(
    text: ReadText, i: int, entry: str, answer: _Answer, inventory: SenseInventory
) -> TaggedWord:
    start, end = text.spans[i]
    name = inventory.name_of(entry, answer[0])
    return TaggedWord(start, end, text.text[start:end], entry, *answer, name, i)


@dataclass(frozen=True, slots=True)
class _Decoder:
    """Distances -> answers."""

    idk_threshold: IdkRule
    calibration: Calibration | None
    sharpness: float

    def __post_init__(self) -> None:
        nothing = np.empty((0, 1))
        decode_hard(nothing, self.idk_threshold)  # both say what is wrong with their number
        decode_soft(nothing, self.sharpness)

    def decode(
        self, distances: NDArray[np.float32], n_senses: NDArray[np.int64]
    ) -> Iterator[_Answer]:
        """The answer of every occurrence, whatever the number of its senses.

        As `decode_hard` and `decode_soft` give it, for all at once: the senses that a word does not
        have are infinitely far.
        """
        found = distances.astype(np.float64)
        absent = np.isnan(found)
        usable = ~absent[:, 0]
        sure = None if self.calibration is None else self.calibration.confidence(found)
        found[absent] = np.inf
        nearest = np.where(usable, found.min(axis=1), 0.0)
        rule = self.idk_threshold
        if not isinstance(rule, ConfidenceRule):
            unsure = nearest >= (np.inf if rule is None else rule)
        elif sure is not None and rule.calibration == self.calibration:
            unsure = sure < rule.at_least
        else:
            unsure = rule.is_unsure(distances)
        senses = np.where(usable & ~unsure, found.argmin(axis=1) + 1, 0)
        weights = np.exp(-self.sharpness * (found - nearest[:, None]))
        weights[~usable] = np.arange(found.shape[1]) < n_senses[~usable, None]
        weights /= weights.sum(axis=1, keepdims=True)
        certain = [None] * len(found) if sure is None else sure.tolist()
        lists = distances.tolist(), weights.tolist(), usable.tolist(), n_senses.tolist(), certain
        for sense, far, shares, can, n, chance in zip(senses.tolist(), *lists, strict=True):
            known = tuple(far[:n]) if can else ()
            yield sense, known, tuple(shares[:n]), chance if can else None


def passage_distances(
    word: str,
    passages: Sequence[tuple[str, str]],
    inventory: SenseInventory,
    encoder: ContextEncoder,
    tokenizer: AnyTokenizer,
    lemmas: Lemmas | None = None,
) -> NDArray[np.float32]:
    """Distances of occurrences given as the text before and after them to a word's senses.

    Returns
    -------
    distances : (n_passages, n_senses) float32
        NaN where the text around the occurrence says nothing.
    """
    occurrences = occurrences_in_passages(word, passages, tokenizer, lemmas)
    keys = [word] * len(occurrences)
    if not keys:
        return np.empty((0, len(inventory.directions(word))), np.float32)
    return measure_occurrences(occurrences, keys, inventory, encoder)[0]


def occurrences_in_passages(
    word: str,
    passages: Iterable[tuple[str, str]],
    tokenizer: AnyTokenizer,
    lemmas: Lemmas | None = None,
) -> Occurrences:
    """One occurrence of a word in each passage, given as the text before and after it."""

    def tokenize(text: str) -> list[str]:
        keys = tokenizer.tokenize(normalize_text(text))
        return keys if lemmas is None else [lemmas.context_of(key) for key in keys]

    return read_passages(word, passages, tokenize)


_MARK = re.compile(r"<(/?)b>", re.IGNORECASE)
# Tags (of a bounded length, so that a lone "<" cannot swallow a page) and character references.
_MARKUP = re.compile(
    r"<[/!?]?[a-z][^<>]{0,500}>|&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});",
    re.IGNORECASE,
)


def remove_marks(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without ``<b>word</b>`` marks, and the character spans that were marked.

    A mark goes from a ``<b>`` to the next ``</b>``; one that is not closed, or not opened, stays
    where it is. The time is linear in the length of the text, whatever is in it.
    """
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    length = 0
    last = 0
    opened: re.Match[str] | None = None
    for tag in _MARK.finditer(text):
        if not tag.group(1):
            opened = tag
        elif opened is not None:
            before = text[last : opened.start()]
            inside = text[opened.end() : tag.start()].strip()
            parts += [before, inside]
            start = length + len(before)
            length = start + len(inside)
            spans.append((start, length))
            last = tag.end()
            opened = None
    return "".join(parts) + text[last:], spans


def blank_markup(text: str) -> str:
    """The text with spaces in place of HTML tags and character references; the same length.

    Names of tags and attributes are no words of the text. This is no HTML parser: what stands
    between the tags is read as text, scripts and style sheets too.
    """
    if "<" not in text and "&" not in text:
        return text
    return _MARKUP.sub(lambda match: " " * len(match.group()), text)


FEWEST_TOKENS = 10
ENOUGH_TOKENS = 40
SMALLEST_SHARE = 0.15


class LanguageCheck:
    """Is a text that comes in pieces in the model's language? Its function words tell.

    Known words do not: a vocabulary from an encyclopedia has most words of other languages too (57%
    of the tokens of Spanish articles are among 80,000 English words), but English text has a
    function word in every two to four tokens, and others hardly share them (2% to 15% of Spanish
    tokens).
    """

    def __init__(self, tokenizer: AnyTokenizer, function_words: frozenset[str]) -> None:
        self._tokenizer = tokenizer
        self._function_words = function_words
        self.n_tokens = 0
        self.n_function_words = 0

    @property
    def is_done(self) -> bool:
        """Whether enough was seen, or nothing can be told because there are no function words."""
        return self.n_tokens >= ENOUGH_TOKENS or not self._function_words

    @property
    def share(self) -> float:
        """Share of the tokens that are function words of the model."""
        return self.n_function_words / max(self.n_tokens, 1)

    @property
    def looks_foreign(self) -> bool:
        """Whether the text is long enough to tell, and has too few function words."""
        told = bool(self._function_words) and self.n_tokens >= FEWEST_TOKENS
        return told and self.share < SMALLEST_SHARE

    def add(self, text: str) -> None:
        """Look at one more piece of the text."""
        if self.is_done:
            return
        keys = self._tokenizer.tokenize(normalize_text(text))
        self.n_tokens += len(keys)
        self.n_function_words += sum(is_function_word(key, self._function_words) for key in keys)
