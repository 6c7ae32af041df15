"""The grammar in CoNLL-U files: sentences are found again in the documents of a corpus.

Documents of a corpus that was read from such files are whole sentences of theirs, in order, by
their forms. They are looked for from where the last document ended, and else anywhere: a corpus may
have passed over some, or have read the files in another order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from grassmeans.arrays import Integers
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import Shard
from grassmeans.reading.documents import InputFile, ReadReport
from grassmeans.reading.inputs import list_inputs
from grassmeans.reading.lines import read_lines
from grassmeans.reading.texts import clean_token
from grassmeans_explorer.grammar.making import DocumentGrammar

_WORD_ID = re.compile(r"\d+")
_COLUMNS = 8
_NOTHING = "_"
_BEGINNING = 3


@dataclass(slots=True)
class _Tokens:
    """All tokens of the files, one after the other."""

    forms: dict[str, int] = field(default_factory=dict)  # form -> number
    form: list[int] = field(default_factory=list)
    lemma: list[str] = field(default_factory=list)
    pos: list[str] = field(default_factory=list)
    tag: list[str] = field(default_factory=list)
    relation: list[str] = field(default_factory=list)
    head: list[int] = field(default_factory=list)  # from the token
    sentences: list[int] = field(default_factory=list)  # where they begin


class ConlluGrammar:
    """Sentences of CoNLL-U files, as a `GrammarSource`."""

    def __init__(self, paths: Iterable[str | Path]) -> None:
        report = ReadReport()
        files = list_inputs([Path(path) for path in paths], report)
        self._tokens = _Tokens()
        for file in files:
            self._read(InputFile(Path(file), report))
        self._form = np.array(self._tokens.form, np.int32)
        self._begin = np.array([*self._tokens.sentences, len(self._form)], np.int64)
        self._places: dict[tuple[int, ...], list[int]] = {}
        for number, start in enumerate(self._begin[:-1].tolist()):
            end = min(start + _BEGINNING, int(self._begin[number + 1]))
            self._places.setdefault(tuple(self._form[start:end].tolist()), []).append(number)
        self._next = 0

    @property
    def name(self) -> str:
        """For the manifest."""
        return "CoNLL-U"

    def _read(self, file: InputFile) -> None:
        sentence: list[list[str]] = []
        for line in read_lines(file):
            if line.startswith("#"):
                continue
            cells = line.split("\t")
            if not line.strip():
                self._add(sentence)
                sentence = []
            elif len(cells) >= _COLUMNS and _WORD_ID.fullmatch(cells[0]):
                sentence.append(cells)
        self._add(sentence)

    def _add(self, sentence: list[list[str]]) -> None:
        """Add a sentence; heads are named by ids, which may have gaps in a damaged file."""
        tokens = self._tokens
        if not sentence:
            return
        tokens.sentences.append(len(tokens.form))
        place_of = {cells[0]: place for place, cells in enumerate(sentence)}
        for place, cells in enumerate(sentence):
            form = clean_token(cells[1])
            tokens.form.append(tokens.forms.setdefault(form, len(tokens.forms)))
            lemma, pos, tag = ("" if cells[i] == _NOTHING else cells[i] for i in (2, 3, 4))
            tokens.lemma.append(lemma or form.lower())
            tokens.pos.append(pos)
            tokens.tag.append(tag or pos)
            head = place_of.get(cells[6], place)
            tokens.head.append(head - place)
            tokens.relation.append("" if cells[7] == _NOTHING else cells[7])

    def describe(self, shard: Shard, corpus: Corpus) -> Iterator[DocumentGrammar | None]:
        """The grammar of each document of a shard; None where its sentences are not there."""
        for document in range(shard.sizes.n_documents):
            if not shard.pretokenised[document]:
                yield None
                continue
            forms = shard.document_text(document).split(" ")
            known = self._tokens.forms
            numbers = np.array([known.get(form, -1) for form in forms], np.int32)
            number = self._find(numbers)
            yield None if number is None else self._cut(number, len(numbers))

    def _find(self, forms: Integers) -> int | None:
        """The number of the sentence that a document begins with."""
        candidates = [self._next] if self._next < len(self._begin) - 1 else []
        for length in range(_BEGINNING, 0, -1):
            candidates += self._places.get(tuple(forms[:length].tolist()), [])
        for number in candidates:
            start = int(self._begin[number])
            end = start + len(forms)
            is_whole = end <= self._begin[-1] and self._begin[self._after(end)] == end
            if is_whole and np.array_equal(self._form[start:end], forms):
                self._next = self._after(end)
                return number
        return None

    def _after(self, place: int) -> int:
        """The number of the first sentence that begins at a place or behind it."""
        return int(np.searchsorted(self._begin, place))

    def _cut(self, number: int, length: int) -> DocumentGrammar:
        tokens, start = self._tokens, int(self._begin[number])
        part = slice(start, start + length)
        last = self._after(start + length)
        return DocumentGrammar(
            tokens.lemma[part],
            tokens.pos[part],
            tokens.tag[part],
            tokens.relation[part],
            tokens.head[part],
            (self._begin[number:last] - start).tolist(),
        )
