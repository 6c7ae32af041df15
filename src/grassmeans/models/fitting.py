"""Texts -> a corpus for a model, or the senses of one word: the first lines a user types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.schema import check_arguments
from grassmeans.clustering.settings import AUTO
from grassmeans.corpus.corpus import Corpus, default_options, is_corpus, open_corpus
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.models.building import INHERITED, Contexts, fit_model, trains_own
from grassmeans.models.model import SenseModel
from grassmeans.reading.documents import RawDocument, ReadReport
from grassmeans.reading.given import MISSING, check_words, iterate_documents
from grassmeans.results import Tabular
from grassmeans.senses.entries import Sense
from grassmeans.tagging.marked_text import blank_markup
from grassmeans.text.phrases import Phrases
from grassmeans.text.tokenizer import normalize_text

_TEXTS_AT_ONCE = 4096
_EXAMPLES_SHOWN = 2
_WIDTH = 40


def read_corpus(texts: Any, words: list[str], language: str, column: str | None = None) -> Corpus:
    """A corpus as it is, or one of texts in which words of several ("New York") are one token."""
    if is_corpus(texts):
        return open_corpus(texts)
    rules = replace(default_options(language), keep_duplicates=True)
    split = (rules.tokenizer.tokenize(normalize_text(word)) for word in words)
    phrases = {" ".join(keys) for keys in split if len(keys) > 1}
    if phrases:
        joining = replace(rules.tokenizer, phrases=Phrases(phrases))
        rules = replace(rules, tokenizer=joining)
    return Corpus.from_texts(texts, column=column, options=rules)


@dataclass(frozen=True, slots=True)
class FoundOccurrence:
    """One occurrence of a word, and its sense.

    Attributes
    ----------
    text : int
        Which of the texts it stands in, from 0.
    start, end : int
        Its characters in that text, composed (NFC) and without invisible characters.
    word : str
        As it stands there.
    sense : int
        The number of the nearest sense; 0 where the text around it says nothing.
    name : str
        What that sense is called.
    confidence : float or None
        The probability that this is right, where it is known.
    """

    text: int
    start: int
    end: int
    word: str
    sense: int
    name: str
    confidence: float | None


@dataclass(frozen=True, slots=True)
class FoundSenses(Tabular):
    """The senses of a word in texts; iterating over it gives them.

    As a table it has a row for each occurrence: ``text``, ``start``, ``end``, ``word``, ``sense``,
    ``name``, ``confidence``.

    Attributes
    ----------
    word : str
    senses : tuple of Sense
        Each with a ``name``, its ``share`` of the occurrences and ``examples``.
    occurrences : tuple of FoundOccurrence
        All of them, in the order of the texts.
    model : SenseModel
        Finds the sense of the word in new text (`tag`), and can be saved.
    """

    word: str
    senses: tuple[Sense, ...]
    occurrences: tuple[FoundOccurrence, ...]
    model: SenseModel

    @property
    def labels(self) -> NDArray[np.int64]:
        """(n_occurrences,) the number of each occurrence's sense, from 1; 0 for none."""
        return np.array([occurrence.sense for occurrence in self.occurrences], np.int64)

    def __iter__(self) -> Iterator[Sense]:
        return iter(self.senses)

    def __len__(self) -> int:
        return len(self.senses)

    def __repr__(self) -> str:
        names = ", ".join(f"{sense.number} ({sense.name}) {sense.share:.0%}" for sense in self)
        return f"FoundSenses({self.word!r} in {len(self.occurrences):,} occurrences: {names})"

    def rows(self) -> list[dict[str, Any]]:
        """The occurrences, in the order of the texts."""
        return [asdict(occurrence) for occurrence in self.occurrences]

    def __str__(self) -> str:
        lines = [f"{self.word}: {len(self)} senses in {len(self.occurrences):,} occurrences"]
        for sense in self.senses:
            lines.append(f"{sense.number}  {sense.share:4.0%}  {sense.name}")
            shown = sense.examples[:_EXAMPLES_SHOWN]
            lines += [f"        {x.left[-_WIDTH:]}{x.word}{x.right[:_WIDTH]}" for x in shown]
        return "\n".join(lines)


@check_arguments(word=None)
def find_senses(
    texts: Any,
    word: str,
    *,
    n_senses: int | str = AUTO,
    language: str = "en",
    contexts: Contexts | None = None,
    column: str | None = None,
    **changes: Any,
) -> FoundSenses:
    """The senses that a word has in texts, and the sense of each of its occurrences.

    Parameters
    ----------
    texts : iterable, table or path
        Strings, lists of tokens, records, a column or a table, paths of files, or a corpus; a few
        sentences or millions. See `grassmeans.reading.given.iterate_documents`.
    word : str
        In any case; of several words, too: "New York".
    n_senses : int or "auto"
        How many; "auto" for as many as the texts show.
    language : str
        Of the texts: the language's function words do not describe a context.
    contexts : optional
        What contexts are made of: see `SenseModel.fit`.
    column : str, optional
        The column or field of the texts.
    **changes
        Other settings, as for `SenseModel.fit`: ``granularity=1.3``, ``random_state=1``, ...

    Examples
    --------
    >>> found = grassmeans.find_senses(texts, "bank")  # doctest: +SKIP
    >>> [(sense.name, sense.share) for sense in found.senses]  # doctest: +SKIP
    >>> found.labels  # doctest: +SKIP
    """
    names = check_words(word, "word")
    if len(names) != 1:
        raise InputError("find_senses takes one word: for several there is SenseModel.fit")
    numbers: list[int] = []
    corpus = texts
    if not is_corpus(texts):
        # Texts without the word say nothing of its contexts, unless vectors are made from them.
        sought = None if trains_own(contexts, language) else names[0]
        report = ReadReport()
        documents = iterate_documents(texts, column=column, skip_missing=True, report=report)
        corpus = _select_texts(documents, report, sought, numbers)
    corpus = read_corpus(corpus, names, language)
    if corpus.is_labelled:  # its words are not those of its text
        raise InputError(f"{corpus.path} is labelled: give the corpus that it was made from")
    model = fit_model(
        corpus,
        names,
        language=language,
        contexts=contexts,
        calibrated=INHERITED,
        n_senses=n_senses,
        **changes,
    )
    entry = model.senses(model.words[0])
    found = tuple(_label_occurrences(corpus, model, entry.word, numbers))
    counts = np.bincount([occurrence.sense for occurrence in found], minlength=1 + entry.n_senses)
    shares = counts[1:] / max(int(counts[1:].sum()), 1)
    senses = tuple(replace(s, share=float(shares[s.number - 1])) for s in entry.senses)
    return FoundSenses(entry.word, senses, found, model)


def _select_texts(
    documents: Iterable[RawDocument], report: ReadReport, word: str | None, numbers: list[int]
) -> Iterator[RawDocument]:
    """The documents in which a word may stand, or all; which of the texts they are is noted."""
    # Of several words the first: what stands between them may differ.
    parts = None if word is None else normalize_text(word).lower().replace("_", " ").split()
    wanted = None if parts is None else parts[0]
    for count, document in enumerate(documents):
        if wanted is None or _may_hold(document, wanted):
            numbers.append(count + report.skipped[MISSING])
            yield document
    if not numbers:
        raise UnknownWordError(f"{word!r} does not occur in the texts")


def _may_hold(document: RawDocument, wanted: str) -> bool:
    if wanted in normalize_text(document.text).lower():
        return True
    return document.keys is not None and wanted in " ".join(document.keys).lower()


def _label_occurrences(
    corpus: Corpus, model: SenseModel, word: str, numbers: list[int]
) -> Iterator[FoundOccurrence]:
    """The sense of every occurrence of a word in the corpus that the model was made from."""
    documents = np.unique(corpus.documents_of(corpus.positions(word))).tolist()
    for start in range(0, len(documents), _TEXTS_AT_ONCE):
        some = documents[start : start + _TEXTS_AT_ONCE]
        given = [_blank_marks(corpus.document(number)) for number in some]
        # What comes twice is looked at once.
        different = {(x.text, x.keys): x for x in given}
        answers = model.tag_many(
            different.values(), words=word, idk_threshold=None, check=model.check_language()
        )
        found = dict(zip(different, answers, strict=True))
        for number, document in zip(some, given, strict=True):
            place = numbers[number] if numbers else number
            for x in found[document.text, document.keys]:
                yield FoundOccurrence(place, x.start, x.end, x.word, x.sense, x.name, x.confidence)


def _blank_marks(document: RawDocument) -> RawDocument:
    """A document in which <b> is markup like any other."""
    if document.markup != "plain":
        return document
    return replace(document, text=blank_markup(document.text))
