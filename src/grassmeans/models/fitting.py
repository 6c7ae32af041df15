"""Texts -> a corpus for a model, or the senses of words in them: the first lines a user types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.schema import check_arguments, shorten
from grassmeans.clustering.settings import AUTO
from grassmeans.corpus.corpus import Corpus, default_options, is_corpus, open_corpus
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.models.building import INHERITED, Contexts, fit_model, trains_own
from grassmeans.models.model import SenseModel
from grassmeans.reading.documents import RawDocument, ReadReport
from grassmeans.reading.given import MISSING, check_words, iterate_documents
from grassmeans.results import ColumnTypes, Tabular, types_of
from grassmeans.senses.entries import Sense, SkippedWord
from grassmeans.tagging.marked_text import blank_markup
from grassmeans.text.phrases import Phrases
from grassmeans.text.tokenizer import normalize_text

_TEXTS_AT_ONCE = 4096
_EXAMPLES_SHOWN = 2
_WIDTH = 40


def read_corpus(
    texts: Any,
    words: list[str],
    language: str | None,
    function_words: Iterable[str] | None = None,
    column: str | None = None,
) -> Corpus:
    """A corpus as it is, or one of texts in which words of several ("New York") are one token."""
    if is_corpus(texts):
        if function_words is not None:
            raise InputError("function_words are those of the corpus: give them when it is made")
        return open_corpus(texts)
    rules = replace(default_options(language, function_words), keep_duplicates=True)
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

    def column_types(self) -> ColumnTypes:
        """Those of `FoundOccurrence`."""
        return types_of(FoundOccurrence)

    def __str__(self) -> str:
        n, places = len(self), len(self.occurrences)
        senses, found = "sense" + "s" * (n != 1), "occurrence" + "s" * (places != 1)
        lines = [f"{self.word}: {n} {senses} in {places:,} {found}"]
        for sense in self.senses:
            lines.append(f"{sense.number}  {sense.share:4.0%}  {sense.name}")
            shown = sense.examples[:_EXAMPLES_SHOWN]
            lines += [f"        {x.left[-_WIDTH:]}{x.word}{x.right[:_WIDTH]}" for x in shown]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, eq=False)
class FoundWords(Tabular, Mapping[str, FoundSenses]):
    """The senses of several words in texts: a mapping from word to `FoundSenses`, in order.

    As a table it has the rows of all words, each with the word as ``key``.

    Attributes
    ----------
    found : dict
    skipped : tuple of SkippedWord
        Words that were asked for and have no senses here, and why.
    model : SenseModel
        Finds the senses of the words in new text (`tag`), and can be saved.
    """

    found: dict[str, FoundSenses]
    skipped: tuple[SkippedWord, ...]
    model: SenseModel

    def __getitem__(self, word: str) -> FoundSenses:
        key = self.model.spell(word)
        if key not in self.found:
            reasons = (skipped.reason for skipped in self.skipped if skipped.word == key)
            raise UnknownWordError(f"{word!r} has no senses here: {next(reasons, 'not asked for')}")
        return self.found[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __repr__(self) -> str:
        words = ", ".join(f"{word} {len(found)}" for word, found in self.items())
        return f"FoundWords({len(self):,} words and their senses: {shorten(words)})"

    def __str__(self) -> str:
        skipped = [f"{word.word}: {word.reason}" for word in self.skipped]
        return "\n\n".join([*map(str, self.values()), *skipped])

    def rows(self) -> list[dict[str, Any]]:
        """The occurrences of the first word, then those of the next."""
        return [{"key": word} | row for word, found in self.items() for row in found.rows()]

    def column_types(self) -> ColumnTypes:
        """``key``, and those of `FoundOccurrence`."""
        return {"key": str} | types_of(FoundOccurrence)


@overload
def find_senses(texts: Any, word: str, **options: Any) -> FoundSenses: ...


@overload
def find_senses(texts: Any, word: Iterable[str], **options: Any) -> FoundWords: ...


@check_arguments(word=None)
def find_senses(
    texts: Any,
    word: str | Iterable[str],
    *,
    n_senses: int | str = AUTO,
    language: str | None = "en",
    function_words: Iterable[str] | None = None,
    contexts: Contexts | None = None,
    column: str | None = None,
    **changes: Any,
) -> FoundSenses | FoundWords:
    """The senses that a word has in texts, and the sense of each of its occurrences.

    Parameters
    ----------
    texts : iterable, table or path
        Strings, lists of tokens, records, a column or a table, paths of files, or a corpus; a few
        sentences or millions. See `grassmeans.reading.given.iterate_documents`.
    word : str or iterable of str
        In any case; of several words, too: "New York". The texts are read once for a list of them.
    n_senses : int or "auto"
        How many; "auto" for as many as the texts show.
    language : str or None
        Of the texts: the language's function words do not describe a context. None, and one without
        a list, need contexts or have them made from the texts.
    function_words : iterable of str, optional
        In place of the language's list; none at all for an empty one.
    contexts : optional
        What contexts are made of: see `SenseModel.fit`.
    column : str, optional
        The column or field of the texts.
    **changes
        Other settings, as for `SenseModel.fit`: ``granularity=1.3``, ``random_state=1``, ...

    Returns
    -------
    FoundSenses
        Of one word; for a list, a `FoundWords` with one for each.

    Examples
    --------
    >>> found = grassmeans.find_senses(texts, "bank")  # doctest: +SKIP
    >>> [(sense.name, sense.share) for sense in found.senses]  # doctest: +SKIP
    >>> found.labels  # doctest: +SKIP
    >>> grassmeans.find_senses(texts, ["bank", "crane"])["crane"].labels  # doctest: +SKIP
    """
    names = check_words(word, "word")
    if not names:
        raise InputError("find_senses needs a word, got an empty list")
    numbers: list[int] = []
    corpus = texts
    if not is_corpus(texts):
        # Texts without the words say nothing of their contexts, unless vectors are made from them.
        # Nor does a word itself tell where its other forms stand.
        needs_all = trains_own(contexts, language) or changes.get("lemmas", False) is not False
        sought = None if needs_all else names
        report = ReadReport()
        documents = iterate_documents(texts, column=column, skip_missing=True, report=report)
        corpus = _select_texts(documents, report, sought, numbers)
    corpus = read_corpus(corpus, names, language, function_words)
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
    occurrences = _label_occurrences(corpus, model, numbers)
    found = {key: _share_senses(model, key, occurrences[key]) for key in model.words}
    if isinstance(word, str):
        return found[model.words[0]]
    return FoundWords(found, tuple(model.inventory.skipped), model)


def _share_senses(model: SenseModel, word: str, found: list[FoundOccurrence]) -> FoundSenses:
    """The senses of a word with their shares in the occurrences."""
    entry = model.senses(word)
    counts = np.bincount([occurrence.sense for occurrence in found], minlength=1 + entry.n_senses)
    shares = counts[1:] / max(int(counts[1:].sum()), 1)
    senses = tuple(replace(s, share=float(shares[s.number - 1])) for s in entry.senses)
    return FoundSenses(word, senses, tuple(found), model)


def _select_texts(
    documents: Iterable[RawDocument],
    report: ReadReport,
    words: list[str] | None,
    numbers: list[int],
) -> Iterator[RawDocument]:
    """The documents in which words may stand, or all; which of the texts they are is noted."""
    # Of several words the first: what stands between them may differ.
    parts = [normalize_text(word).lower().replace("_", " ").split()[0] for word in words or ()]
    for count, document in enumerate(documents):
        if words is None or _may_hold(document, parts):
            numbers.append(count + report.skipped[MISSING])
            yield document
    if not numbers:
        named = " or ".join(map(repr, words or ()))
        raise UnknownWordError(f"{named} does not occur in the texts")


def _may_hold(document: RawDocument, parts: list[str]) -> bool:
    text = normalize_text(document.text).lower()
    if any(part in text for part in parts):
        return True
    keys = " ".join(document.keys or ()).lower()
    return any(part in keys for part in parts)


def _label_occurrences(
    corpus: Corpus, model: SenseModel, numbers: list[int]
) -> dict[str, list[FoundOccurrence]]:
    """Word -> the sense of every occurrence in the corpus that the model was made from."""
    pooled = model.pool_forms(corpus)
    places = [corpus.documents_of(pooled.positions(word)) for word in model.words]
    documents = np.unique(np.concatenate(places)).tolist()
    labelled: dict[str, list[FoundOccurrence]] = {word: [] for word in model.words}
    for start in range(0, len(documents), _TEXTS_AT_ONCE):
        some = documents[start : start + _TEXTS_AT_ONCE]
        given = [_blank_marks(corpus.document(number)) for number in some]
        # What comes twice is looked at once.
        different = {(x.text, x.keys): x for x in given}
        answers = model.tag_many(
            different.values(), words=model.words, idk_threshold=None, check=model.check_language()
        )
        found = dict(zip(different, answers, strict=True))
        for number, document in zip(some, given, strict=True):
            place = numbers[number] if numbers else number
            for x in found[document.text, document.keys]:
                labelled[x.key].append(
                    FoundOccurrence(place, x.start, x.end, x.word, x.sense, x.name, x.confidence)
                )
    return labelled


def _blank_marks(document: RawDocument) -> RawDocument:
    """A document in which <b> is markup like any other."""
    if document.markup != "plain":
        return document
    return replace(document, text=blank_markup(document.text))
