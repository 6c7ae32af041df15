"""What queries are put to: a corpus with the values of its tokens' attributes.

Words, lemmas, and the senses of a labelled corpus belong to the words of the vocabulary. Tags (and
lemmas in context) belong to single tokens: a layer beside the corpus has them. The sense of an
occurrence, by a model, is told when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Protocol

import numpy as np

from grassmeans.arrays import Indices, Integers
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.pooled_forms import PooledForms
from grassmeans.corpus.shard import Shard
from grassmeans.corpus.vocabulary import UNKNOWN
from grassmeans.errors import InputError
from grassmeans.labelling.measuring import find_targets
from grassmeans.models.model import SenseModel
from grassmeans.reading.given import spell_word
from grassmeans.senses.keys import decode_key
from grassmeans.tagging.lemmas import open_dictionary
from grassmeans.text.sentences import find_sentences

_SENSES_AT_ONCE = 512
_MOST_TOLD = 1_000_000  # occurrences whose senses are kept for the next query
_NOT_TOLD = -2
NO_SENSE = -1
"""In place of the number of a sense: of a word that has none."""


class TokenLayer(Protocol):
    """What is known of every single token of a corpus."""

    @property
    def attributes(self) -> Sequence[str]:
        """The names of what it knows: ``lemma``, ``tag``, ``pos``."""
        ...

    def values_of(self, attribute: str) -> Sequence[str]:
        """The values that an attribute has."""
        ...

    def numbers_of(self, attribute: str, shard: int) -> Integers:
        """(n_tokens,) the number of each token's value, in a shard."""
        ...

    def sentence_starts(self, shard: int) -> Indices:
        """(n_sentences,) the positions in a shard at which sentences begin."""
        ...


class QuerySource:
    """A corpus that can be asked for words, lemmas, tags and senses.

    Parameters
    ----------
    corpus : Corpus
    model : SenseModel, optional
        Whose senses are meant; of a labelled corpus, they are those of its labels.
    layer : TokenLayer, optional
        Tags and lemmas of single tokens.
    """

    def __init__(
        self, corpus: Corpus, model: SenseModel | None = None, layer: TokenLayer | None = None
    ) -> None:
        if model is not None and not corpus.is_labelled:
            find_targets(corpus, model)  # refuses a corpus that was split into words otherwise
        self.corpus = corpus
        self.model = model
        self.layer = layer
        self._told: dict[int, list[tuple[Indices, Integers]]] = {}
        self._n_told = 0

    def keep_senses(self, shard: int, places: Indices, senses: Integers) -> None:
        """Keep the senses of places of a shard: a query that took too long goes on from there."""
        if self._n_told + len(places) > _MOST_TOLD:
            self._told, self._n_told = {}, 0
        self._told.setdefault(shard, []).append((places, senses))
        self._n_told += len(places)

    def kept_senses(self, shard: int) -> Sequence[tuple[Indices, Integers]]:
        """What was kept of a shard."""
        return tuple(self._told.get(shard, ()))

    def with_model(self, model: SenseModel) -> QuerySource:
        """The same with another model of the same words: what is known of lemmas is kept."""
        changed = QuerySource(self.corpus, model, self.layer)
        if "lemmas" in vars(self):
            changed.lemmas = self.lemmas
        return changed

    @property
    def ignores_case(self) -> bool:
        """Whether the words of the corpus are in lower case."""
        return self.corpus.tokenizer.lowercase

    @cached_property
    def words(self) -> Sequence[str]:
        """The word of each id; of a labelled corpus without the sense."""
        words = self.corpus.vocabulary.words
        return [decode_key(key)[0] for key in words] if self.corpus.is_labelled else words

    def ids_of(self, word: str) -> list[int]:
        """The ids of a word: several, where a labelled corpus has its senses."""
        if self.corpus.is_labelled:
            return self._labelled_ids.get(word, [])
        i = self.corpus.vocabulary.id_of(word)
        return [] if i == UNKNOWN else [i]

    @cached_property
    def _labelled_ids(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for i, word in enumerate(self.words):
            found.setdefault(word, []).append(i)
        return found

    @cached_property
    def lemmas(self) -> Sequence[str]:
        """The lemma of each id, by the model's table or the dictionaries of simplemma."""
        find = self._find_lemmas()
        rule = self.corpus.tokenizer
        lemma_of = {word: spell_word(find(word) or word, rule) for word in set(self.words)}
        return [lemma_of[word] for word in self.words]

    def _find_lemmas(self) -> Callable[[str], str | None]:
        model = self.model
        own = None if model is None else model.find_lemma or model.lemma_table.get
        has_own = model is not None and bool(model.find_lemma or model.lemma_table)
        language = self.corpus.manifest["options"]["language"]
        dictionary = None
        if find_spec("simplemma") is not None:
            try:
                dictionary = open_dictionary(language, self.corpus)
            except InputError:
                dictionary = None
        if dictionary is None and not has_own:
            raise InputError(
                f"lemmas of this corpus (language {language!r}) are not known: install the extra "
                "lemmas, take a model with lemmas, or a layer of grammar"
            )

        def find(word: str) -> str | None:
            found = own(word) if own is not None and has_own else None
            return found if found is not None or dictionary is None else dictionary(word)

        return find

    @cached_property
    def labels(self) -> Integers:
        """(n_types,) the sense of each id of a labelled corpus, or `NO_SENSE`."""
        senses = (decode_key(key)[1] for key in self.corpus.vocabulary.words)
        return np.array([NO_SENSE if sense is None else sense for sense in senses], np.int32)

    @cached_property
    def entries(self) -> dict[int, str]:
        """The word of the model that each id leads to, of those that lead to one."""
        if self.model is None:
            return {}
        pooled = self.model.pool_forms(self.corpus)
        lemma_of = pooled.lemma_of if isinstance(pooled, PooledForms) else {}
        inventory = self.model.inventory
        keys = ((i, lemma_of.get(word, word)) for i, word in enumerate(self.words))
        return {i: key for i, key in keys if key in inventory}

    @cached_property
    def entry_numbers(self) -> tuple[Integers, Sequence[str]]:
        """(n_types + 1,) number of the model's word of each id, or -1; and these words."""
        names = list(dict.fromkeys(self.entries.values()))
        numbers = {name: number for number, name in enumerate(names)}
        found = np.full(len(self.corpus.vocabulary) + 1, -1, np.int32)
        for i, key in self.entries.items():
            found[i] = numbers[key]
        return found, names

    @property
    def most_senses(self) -> int:
        """The largest number that a sense has."""
        if self.corpus.is_labelled:
            return max(int(self.labels.max(initial=0)), 0)
        counts = () if self.model is None else self.model.inventory.sense_counts.values()
        return max(counts, default=0)

    def open_shard(self, number: int, check: Callable[[], None]) -> ShardReader:
        """What can be asked of the tokens of a shard; ``check`` is called while it takes long."""
        return ShardReader(self, number, check)


class ShardReader:
    """The tokens of one shard, and what is known of each."""

    def __init__(self, source: QuerySource, number: int, check: Callable[[], None]) -> None:
        self.source = source
        self.number = number
        self.shard: Shard = source.corpus.shards[number]
        self.tokens = np.asarray(self.shard.tokens)
        self._check = check
        self._sentences: dict[int, Indices] = {}

    @cached_property
    def _senses(self) -> Integers:
        """(n_tokens,) what was told before, by this query or another."""
        found: Integers = np.full(len(self.tokens), _NOT_TOLD).astype(np.int16)
        for places, senses in self.source.kept_senses(self.number):
            found[places] = senses
        return found

    def senses_at(self, places: Indices) -> Integers:
        """(n,) senses at places of the shard: 0 for "I don't know", or `NO_SENSE`."""
        if self.source.corpus.is_labelled:
            tokens = self.tokens[places]
            return np.where(tokens >= 0, self.source.labels[tokens], NO_SENSE).astype(np.int16)
        known = self._senses
        new = np.unique(places[known[places] == _NOT_TOLD])
        numbers, names = self.source.entry_numbers
        entries = numbers[self.tokens[new]]
        known[new[entries < 0]] = NO_SENSE
        for entry in np.unique(entries[entries >= 0]).tolist():
            own = new[entries == entry]
            for start in range(0, len(own), _SENSES_AT_ONCE):
                self._check()
                part = own[start : start + _SENSES_AT_ONCE]
                told = self._tell(names[entry], part)
                self.source.keep_senses(self.number, part, told)
                known[part] = told
        return known[places]

    def _tell(self, word: str, places: Indices) -> Integers:
        model = self.source.model
        assert model is not None
        positions = places + self.shard.first_position
        found = model.senses_at(self.source.corpus, word, positions).senses
        return np.asarray(found, np.int16)

    def sentence_ends(self, places: Indices) -> Indices:
        """(n,) where the sentences end in which places of the shard stand."""
        _, ends = self.shard.document_bounds(places)
        if self.source.layer is not None:
            starts = self.source.layer.sentence_starts(self.number)
        else:
            offsets = np.asarray(self.shard.document_offsets)
            documents = np.unique(np.searchsorted(offsets, places, side="right") - 1)
            parts = [self._find_sentences(number) for number in documents.tolist()]
            starts = np.concatenate([np.empty(0, np.int64), *parts])
        nexts = np.append(starts, np.iinfo(np.int64).max)
        found: Indices = np.minimum(ends, nexts[np.searchsorted(starts, places, side="right")])
        return found

    def _find_sentences(self, document: int) -> Indices:
        """The positions in the shard at which the sentences of a document begin."""
        if document not in self._sentences:
            self._check()
            text = self.shard.document_text(document)
            rule = self.shard.token_rule(document, self.source.corpus.tokenizer)
            begins = np.array([start for start, _ in rule.spans(text)], np.int64)
            first = int(self.shard.document_offsets[document])
            places = first + np.searchsorted(begins, find_sentences(text))
            self._sentences[document] = np.unique(places[places < first + len(begins)])
        return self._sentences[document]
