"""Text -> the sense of every known word in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.schema import shorten
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.corpus.occurrences import Occurrences, Span, number_words, read_passages
from grassmeans.geometry.distances import SenseLines
from grassmeans.reading.given import check_words, iterate_documents, spell_word
from grassmeans.results import ColumnTypes, Tabular, types_of
from grassmeans.senses.calibration import ConfidenceRule
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.language import LanguageCheck
from grassmeans.tagging.answering import Answer, Answering
from grassmeans.tagging.lemmas import Lemmas
from grassmeans.tagging.marked_text import AnyTokenizer, ReadText, blank_markup, read_text
from grassmeans.tagging.widening import SentencedText, Widened, measure_near_first
from grassmeans.text.sentences import find_sentences
from grassmeans.text.tokenizer import normalize_text

_TARGETS_AT_ONCE = 4096
"""Texts are measured together until they have so many words to tag."""

_TARGETS_A_STEP = 1024
"""A text that has more of them alone is measured in such steps."""

OnProgress = Callable[[float], None]
"""Called between the steps of a long text with the share of its words that is done."""


_Contexts = dict[tuple[int, int], tuple[int, int]]
"""The contexts of a text that words have decided by, each to itself."""

_COLUMNS = ("word", "key", "sense", "name", "confidence", "start", "end")


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
        Distance to every sense, in [0, 1]; empty where nothing is known around the word.
    probabilities : tuple of float
        Soft decoding of the distances; where there are none, how frequent each sense is.
    confidence : float or None
        The probability that the nearest sense is right, and the share of the most frequent one
        where nothing is known around the word. None where the model is not calibrated.
    name : str
        What the sense is called, "river, basin, dam"; empty for "I don't know", and where the model
        has no names.
    position : int
        Which of the text's tokens it is, from 0.
    context : tuple of int
        From which to which character the text decided: the sentence, or more where this says
        little (`grassmeans.tagging.widening`).
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
    context: tuple[int, int] = (0, 0)

    @property
    def label(self) -> str:
        """``key.sense``, as the paper's authors write it: ``crane.2``, ``crane.0`` for IDK."""
        return f"{self.key}.{self.sense}"

    @property
    def only_sense(self) -> bool:
        """Whether the model knows one sense of the word, so that there was nothing to choose from.

        "I don't know" then means: a sense that the model lacks.
        """
        return len(self.probabilities) == 1

    def to_dict(self) -> dict[str, Any]:
        """What there is to tell, as plain values for JSON; numbers to four digits.

        Without ``confidence`` where the model is not calibrated; ``name`` may be None.
        """
        told = ("start", "end", "position", "word", "key", "sense", "label")
        fields: dict[str, Any] = {name: getattr(self, name) for name in told}
        fields["context"] = list(self.context)
        fields["distances"] = [round(distance, 4) for distance in self.distances]
        if self.confidence is not None:
            fields["confidence"] = round(self.confidence, 4)
        fields["only_sense"] = self.only_sense
        fields["probabilities"] = [round(probability, 4) for probability in self.probabilities]
        return fields | {"name": self.name or None}

    def __repr__(self) -> str:
        name = f" ({self.name})" if self.name else ""
        sure = "" if self.confidence is None else f", confidence {self.confidence:.2f}"
        return f"TaggedWord({self.word!r} at {self.start}:{self.end} is {self.label}{name}{sure})"


@dataclass(frozen=True, slots=True)
class TaggedText(Tabular):
    """A text and its tagged words, in order; as a table, a row for each of them.

    Parameters
    ----------
    text : str
        Without marks, in NFC and without invisible characters; the words' spans lie in it.
    words : tuple of TaggedWord
        Those with senses in the model.
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

    def __repr__(self) -> str:
        labels = ", ".join(word.label for word in self.words)
        return f"TaggedText({shorten(self.text)}: {labels or 'no word with senses'})"

    def to_dict(self) -> dict[str, Any]:
        """The text and its words as plain values for JSON; ``unknown`` where there are such."""
        unknown = {"unknown": list(self.unknown)} if self.unknown else {}
        return {"text": self.text, "words": [word.to_dict() for word in self.words]} | unknown

    def rows(self) -> list[dict[str, Any]]:
        """``word``, ``key``, ``sense``, ``name``, ``confidence``, ``start``, ``end``."""
        return [{name: getattr(word, name) for name in _COLUMNS} for word in self.words]

    def column_types(self) -> ColumnTypes:
        """The columns of such rows."""
        return types_of(TaggedWord, *_COLUMNS)


def tag_texts(
    texts: Any,
    inventory: SenseInventory,
    encoder: ContextEncoder,
    tokenizer: AnyTokenizer,
    answering: Answering,
    *,
    words: str | Iterable[str] | None = None,
    lemmas: Lemmas | None = None,
    column: str | None = None,
    marks: bool = True,
    on_progress: OnProgress | None = None,
    check: LanguageCheck | None = None,
) -> list[TaggedText]:
    """Tag the known words of texts, or only those marked ``<b>word</b>``, or only ``words``.

    Texts are whatever `grassmeans.reading.given.iterate_documents` reads, lists of tokens too.

    Every text is a document of its own: contexts do not cross from one to the next. Which of its
    sentences decide for a word is said in `grassmeans.tagging.widening`. Words that
    the model has no senses for are left untagged, also where ``words`` names them. HTML tags and
    character references are no words of the text; they stay in it, and without ``marks`` so does
    ``<b>``. A word that is mostly a function word ("may") is told only where it is not, unless it
    is marked or among ``words``. ``check`` sees the first words of the texts.
    """
    wanted = None if words is None else {spell_word(w, tokenizer) for w in check_words(words)}
    if lemmas is not None and wanted is not None:
        wanted = {lemmas.entry_of(word, inventory) for word in wanted}
    encoder = encoder.hearing_single_words()
    tagged: list[TaggedText] = []
    pending: list[ReadText] = []
    n_targets = 0
    for document in iterate_documents(texts, column=column):
        pending.append(read_text(document, inventory, tokenizer, wanted, lemmas, marks=marks))
        n_targets += len(pending[-1].targets)
        if check is not None:
            check.add(pending[-1].keys)
        if n_targets >= _TARGETS_AT_ONCE:
            tagged += _tag_block(pending, inventory, encoder, answering, on_progress)
            pending, n_targets = [], 0
    return tagged + _tag_block(pending, inventory, encoder, answering, on_progress)


def locate_targets(
    texts: Sequence[ReadText], encoder: ContextEncoder
) -> tuple[SentencedText, list[str]]:
    """The words to be tagged, as occurrences in texts with sentences; and their keys."""
    places: list[int] = []
    begins: list[int] = []
    keys: list[str] = []
    start = 0
    for text in texts:
        places += [start + i for i in text.targets]
        begins += [start + i for i in text.sentences]
        keys += text.entries
        start += len(text.keys)
    found = number_words(text.keys for text in texts).at(np.array(places, np.int64))
    found = found.written_in(lambda i: (blank_markup(texts[i].text), texts[i].spans))
    edges = np.unique(np.array([*begins, start], np.int64))  # a text may be empty
    return SentencedText(found, edges, encoder.rows_of(found.words) >= 0), keys


def _tag_block(
    texts: Sequence[ReadText],
    inventory: SenseInventory,
    encoder: ContextEncoder,
    answering: Answering,
    on_progress: OnProgress | None,
) -> list[TaggedText]:
    """Tag some texts together, or a long one in steps."""
    located, keys = locate_targets(texts, encoder)
    step = _TARGETS_A_STEP if len(texts) == 1 else max(1, len(keys))
    parts = _answer_steps(located, keys, inventory, encoder, answering, step, on_progress)
    found = chain.from_iterable(parts)
    tagged: list[TaggedText] = []
    before = 0
    for text in texts:
        contexts: _Contexts = {}
        # ``found`` goes on from text to text. It stands last: zip has stopped before it takes one.
        words = [
            _make_word(text, i, entry, answer, (start - before, end - before), inventory, contexts)
            for i, entry, (answer, start, end) in zip(
                text.targets, text.entries, found, strict=False
            )
        ]
        shown = words if text.asked else [word for word in words if _is_told(word, inventory)]
        tagged.append(TaggedText(text.text, tuple(shown), text.unknown))
        before += len(text.keys)
    return tagged


def _is_told(word: TaggedWord, inventory: SenseInventory) -> bool:
    """Whether an answer that nobody asked for says something: no function word's usual one."""
    functional = inventory.function_senses_of(word.key)
    return not functional or (word.sense > 0 and word.sense not in functional)


def _answer_steps(
    located: SentencedText,
    keys: Sequence[str],
    inventory: SenseInventory,
    encoder: ContextEncoder,
    answering: Answering,
    step: int,
    on_progress: OnProgress | None,
) -> Iterator[Iterator[tuple[Answer, int, int]]]:
    """The answers of the words, and the stretches of tokens that decided, ``step`` at a time."""
    rule = None if answering.calibration is None else ConfidenceRule(answering.calibration)
    for start in range(0, len(keys), step):
        part = slice(start, start + step)
        some = replace(located, occurrences=located.occurrences[part])
        usual = np.array([inventory.usual_distance(key) for key in keys[part]])
        widened, n_senses = _measure_targets(some, keys[part], inventory, encoder, rule, usual)
        answers = answering.answer(
            widened.distances, n_senses, keys[part], inventory.shares_of, usual
        )
        if on_progress is not None:
            on_progress(min(1.0, part.stop / len(keys)))
        yield zip(answers, widened.starts.tolist(), widened.ends.tolist(), strict=True)


def _measure_targets(
    located: SentencedText,
    keys: Sequence[str],
    inventory: SenseInventory,
    encoder: ContextEncoder,
    rule: ConfidenceRule | None,
    usual: NDArray[np.float64],
) -> tuple[Widened, NDArray[np.int64]]:
    """Distances of the words to their senses, and how many senses each has."""
    words, lines = _collect_lines(keys, inventory)
    n_senses = lines.n_senses[words]
    names = list(dict.fromkeys(keys))

    def measure(occurrences: Occurrences, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        distances = encoder.measure(occurrences, words[rows], lines)
        return inventory.gather(distances, words[rows], names)

    return measure_near_first(located, measure, rule, usual), n_senses


def _collect_lines(
    keys: Sequence[str], inventory: SenseInventory
) -> tuple[NDArray[np.int64], SenseLines]:
    """Which of the lines' words each key is, and the lines."""
    numbers = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    words = np.fromiter((numbers[key] for key in keys), np.int64, len(keys))
    return words, inventory.lines_of(numbers)


def _make_word(
    text: ReadText,
    i: int,
    entry: str,
    answer: Answer,
    stretch: tuple[int, int],
    inventory: SenseInventory,
    contexts: _Contexts,
) -> TaggedWord:
    start, end = text.spans[i]
    name = inventory.names_of(entry).get(answer.sense, "")
    # Many answers are held at once: what is equal is one object, also behind a pickle.
    written = text.text[start:end]
    if written == entry:
        written = entry
    context = text.spans[stretch[0]][0], text.spans[stretch[1] - 1][1]
    context = contexts.setdefault(context, context)
    return TaggedWord(start, end, written, entry, *answer, name, i, context)


def passage_distances(
    word: str,
    passages: Sequence[tuple[str, str]],
    inventory: SenseInventory,
    encoder: ContextEncoder,
    tokenizer: AnyTokenizer,
    lemmas: Lemmas | None = None,
) -> NDArray[np.float32]:
    """(n_passages, n_senses) distances of occurrences, given as the text before and after them.

    NaN where the text around the occurrence says nothing.
    """
    occurrences = occurrences_in_passages(word, passages, tokenizer, lemmas)
    words, lines = _collect_lines([word], inventory)
    if not len(occurrences):
        return np.empty((0, lines.most_senses), np.float32)
    rows = np.repeat(words, len(occurrences))
    return inventory.gather(encoder.measure(occurrences, rows, lines), rows, [word])


def occurrences_in_passages(
    word: str | Sequence[str],
    passages: Sequence[tuple[str, str]],
    tokenizer: AnyTokenizer,
    lemmas: Lemmas | None = None,
    forms: Sequence[str] | None = None,
) -> Occurrences:
    """One occurrence of a word in each passage, given as the text before and after it.

    ``word`` is the same in all passages, or that of each; ``forms`` say how it is written in each,
    as it is by default.
    """

    def tokenize(text: str) -> list[str]:
        keys = tokenizer.tokenize(normalize_text(text))
        return keys if lemmas is None else [lemmas.context_of(key) for key in keys]

    def write(number: int) -> tuple[str, list[Span]]:
        left, right = passages[number]
        own = word if isinstance(word, str) else word[number]
        form = (forms[number] if forms is not None else "") or own
        return write_passage(left, form, right, tokenizer)

    return read_passages(word, passages, tokenize, write)


def write_passage(
    left: str, form: str, right: str, tokenizer: AnyTokenizer
) -> tuple[str, list[Span]]:
    """A passage around a word as one text, and the characters of its tokens."""
    before, after = normalize_text(left), normalize_text(right)
    behind = len(before) + len(form)
    spans = [*tokenizer.spans(before), (len(before), behind)]
    spans += [(behind + start, behind + end) for start, end in tokenizer.spans(after)]
    return f"{before}{form}{after}", spans


def read_running_text(
    word: str,
    passages: Sequence[tuple[str, str]],
    tokenizer: AnyTokenizer,
    describes: Callable[[Sequence[str]], NDArray[np.bool_]],
) -> SentencedText:
    """One occurrence of a word in each passage, as `occurrences_in_passages`, with sentences.

    ``describes`` tells which words say something about a context.
    """
    found = occurrences_in_passages(word, passages, tokenizer)
    edges = [found.document_offsets]
    # The last offset is the end of the last passage.
    for (left, right), start in zip(passages, found.document_offsets.tolist(), strict=False):
        text, spans = write_passage(left, word, right, tokenizer)
        places = [first for first, _ in spans]
        sentences = find_sentences(text)
        edges.append(start + np.searchsorted(places, sentences))
    return SentencedText(found, np.unique(np.concatenate(edges)), describes(found.words))
