"""The senses of a phrase: its occurrences are grouped by what stands around all of it.

An occurrence of a phrase is its whole stretch of tokens, taken for one. The context of its head, or
of its last token, would hold the phrase's other words: the same ones in every line, next to the
place, where they weigh most. They tell nothing of which sense a line has and pull all lines
together. So each line becomes a small document in which the phrase is a single token, which no
context reads, and the senses are induced as those of any word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Doubles, Floats, Indices
from grassmeans.clustering.settings import AUTO
from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.corpus.shard import ConcordanceLine
from grassmeans.errors import InputError
from grassmeans.geometry.windows import sample_positions
from grassmeans.models.model import SenseModel, open_model
from grassmeans.reading.documents import RawDocument
from grassmeans.reading.texts import clean_token
from grassmeans.results import ColumnTypes, Tabular, types_of
from grassmeans.senses.entries import ExampleLine, Sense, WordSenses
from grassmeans.senses.examples import REACH, Candidate, find_names, rank_candidates
from grassmeans.senses.samples import word_seeds
from grassmeans_explorer.querying.headwords import Headword
from grassmeans_explorer.querying.lines import read_line

MAX_CONTEXTS = 2_000
_TOLD = ("number", "name", "share", "characteristic_words", "nearest_words")
_READ = 60  # lines of a sense that may be shown
_AROUND = 60  # tokens on either side, more than any window of contexts


@dataclass(frozen=True, slots=True)
class PhraseSenses(Tabular):
    """The senses of a phrase, and which of its occurrences have which."""

    phrase: str
    """Its words with spaces."""
    entry: WordSenses
    """What is known of the senses; ``examples`` show tokens with spaces between them."""
    positions: Indices
    """(n,) the occurrences that were looked at, by their first tokens, in text order."""
    senses: Indices
    """(n,) the number of each one's sense, 0 for "I don't know"."""
    margins: Doubles
    """(n,) its distance to the nearest sense less that to the next: the lower, the surer."""
    model: SenseModel
    """A model of this one word, which tags it where it is written with underscores."""

    def __repr__(self) -> str:
        return f"PhraseSenses({self.phrase!r}: {self.entry.n_senses} senses)"

    def rows(self) -> list[dict[str, Any]]:
        """A sense a row."""
        return [
            {name: asdict(sense)[name] for name in _TOLD}
            | {"n_lines": int((self.senses == sense.number).sum())}
            for sense in self.entry.senses
        ]

    def column_types(self) -> ColumnTypes:
        """The columns of such rows."""
        return types_of(Sense, *_TOLD) | {"n_lines": int}


def find_phrase_senses(
    corpus: Corpus | str | Path,
    phrase: Headword,
    model: SenseModel | str | Path,
    *,
    n_senses: int | str = AUTO,
    max_contexts: int = MAX_CONTEXTS,
    random_state: int = 0,
) -> PhraseSenses:
    """Induce the senses of a phrase with the contexts of a model.

    Parameters
    ----------
    corpus : Corpus or path
    phrase : Headword
        As `grassmeans_explorer.querying.headwords.understand` tells it.
    model : SenseModel, path or name
        Whose contexts are taken.
    n_senses : int or "auto"
    max_contexts : int
        Of more occurrences a random sample of this size is looked at.

    Raises
    ------
    InputError
        Where the phrase occurs too rarely to have senses.
    """
    opened, chosen = open_corpus(corpus), open_model(model)
    if phrase.length < 2:
        raise InputError(f"{phrase.word!r} is a word: induce its senses in the corpus itself")
    key = "_".join(phrase.tokens)
    positions = sample_positions(phrase.positions, max_contexts, word_seeds(key, random_state))
    documents = list(_make_documents(opened, positions, phrase.length, key))
    options = replace(opened.options, keep_duplicates=True, keep_links=False, fields=())
    small = Corpus.from_texts(documents, options=options)
    from grassmeans.models.building import INHERITED, fit_model  # loads scikit-learn

    fitted = fit_model(
        small,
        [key],
        language=chosen.language,
        contexts=chosen,
        calibrated=INHERITED,
        n_senses=n_senses,
        max_contexts=max_contexts,
        random_state=random_state,
    )
    entry = fitted.senses(key)
    distances = fitted.measure_at(small, small.positions(key), entry.directions)
    senses = np.asarray(fitted.decide(key, distances).senses, np.int64)
    return PhraseSenses(phrase.word, entry, positions, senses, measure_margins(distances), fitted)


def choose_phrase_lines(
    corpus: Corpus, found: PhraseSenses, number: int, length: int, limit: int
) -> tuple[ExampleLine, ...]:
    """Lines that show a sense: those far from the other senses, whole sentences first.

    They are ranked as examples of words are, one of a document; ``length`` is that of the phrase.
    """
    own = np.flatnonzero(found.senses == number)
    own = own[np.argsort(found.margins[own], kind="stable")][:_READ]
    candidates = []
    for place, i in enumerate(own.tolist()):
        start = int(found.positions[i])
        line = read_line(corpus, start, start + length, REACH, keep_breaks=True)
        told = ConcordanceLine(line.left, line.match, line.right, start, line.document, "")
        margin = round(float(found.margins[i]), 4)
        candidates.append(Candidate.read(told, margin, place / len(own)))
    typical = found.entry.senses[number - 1].characteristic_words
    names = find_names(candidates) - set(found.phrase.casefold().split())
    ranked = rank_candidates(candidates, typical, names, found.model.vectors)
    return tuple(candidate.make_example() for candidate, _ in islice(ranked, limit))


def measure_margins(distances: Floats) -> Doubles:
    """(n,) by how much each row's smallest distance is below its next one; 0 of unknown ones."""
    rows = np.sort(np.nan_to_num(np.asarray(distances, np.float64), nan=1.0), axis=1)
    return rows[:, 0] - (rows[:, 1] if rows.shape[1] > 1 else 1.0)


def _make_documents(
    corpus: Corpus, positions: Indices, length: int, key: str
) -> Iterator[RawDocument]:
    """The surroundings of each occurrence, in which the phrase is one token.

    Another occurrence in the same surroundings stays the words that it is: each document has the
    phrase once, in the order of the positions.
    """
    words = corpus.vocabulary.words
    for number, position in enumerate(positions.tolist()):
        shard, local = corpus.locate(position)
        document = shard.document_at(local)
        begin, behind = shard.document_offsets[document : document + 2].tolist()
        first, end = max(begin, local - _AROUND), min(behind, local + length + _AROUND)
        text, spans = shard.read_stretch(first, end, corpus.tokenizer)
        forms = [text[start:stop] for start, stop in spans]
        ids = shard.tokens[first:end].tolist()
        keys = [form if i < 0 else words[i] for form, i in zip(forms, ids, strict=True)]
        place = slice(local - first, local - first + length)
        written = text[spans[place.start][0] : spans[place.stop - 1][1]]
        forms[place], keys[place] = [clean_token(written)], [key]
        forms = [clean_token(form) for form in forms]
        yield RawDocument(str(number), "", " ".join(forms), "tokens", tuple(keys))
