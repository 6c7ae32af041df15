"""A corpus that is asked for lemmas: the occurrences of a word are those of all its forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from grassmeans.artifacts.schema import check_arguments
from grassmeans.artifacts.writing import digest_of
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.vocabulary import Vocabulary


class PooledForms(Corpus):
    """A corpus in which some words count as others: "banks" as "bank".

    A word, asked for by its name, leads to its lemma, and has the occurrences of all its forms; its
    id stands for one form alone. Tokens, contexts and the vocabulary are the corpus's own.

    Parameters
    ----------
    lemma_of : mapping of str to str
        Form -> lemma, which is itself no form of another.
    """

    def __init__(self, corpus: Corpus, lemma_of: Mapping[str, str]) -> None:
        super().__init__(corpus.path, corpus.manifest)
        self._corpus = corpus  # a temporary one is there as long as this
        known = corpus.vocabulary
        self.lemma_of = {f: lemma for f, lemma in lemma_of.items() if f in known and f != lemma}

    def __reduce__(self) -> tuple[Any, ...]:
        return (_pool_kept, (self._corpus, _Forms(self._forms_digest, self.lemma_of)))

    @cached_property
    def _forms_digest(self) -> str:
        return digest_of(self.lemma_of)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Of forms, as they stand in the text."""
        return self._corpus.vocabulary

    @cached_property
    def _forms_of(self) -> dict[str, list[str]]:
        """Lemma -> its forms that occur, itself among them."""
        found: dict[str, list[str]] = {}
        for form, lemma in self.lemma_of.items():
            found.setdefault(lemma, [lemma] if lemma in self.vocabulary else []).append(form)
        return found

    @cached_property
    def _lemmas(self) -> Vocabulary:
        """With the counts of all forms of a word together."""
        counts: Counter[str] = Counter()
        pairs = zip(self.vocabulary.words, np.asarray(self.vocabulary.counts).tolist(), strict=True)
        for form, count in pairs:
            counts[self.lemma_of.get(form, form)] += count
        return Vocabulary.from_counts(counts)

    @check_arguments()
    def spell(self, word: str) -> str:
        """A word as the corpus spells it, or its lemma."""
        key = word if word in self._forms_of else super().spell(word)
        return self.lemma_of.get(key, key)

    def ids_of_forms(self, word: str) -> list[int]:
        """The ids of all forms of a word, most frequent first."""
        forms = self._forms_of.get(self.spell(word))
        return [self.word_id(word)] if forms is None else sorted(map(self.vocabulary.id_of, forms))

    def words_from(self, min_count: int) -> Sequence[str]:
        """The words that occur so often in all their forms, most frequent first."""
        return self._lemmas.words[: self._lemmas.size_at(min_count)]


class _Forms:
    """Forms and their lemmas, told from others by their digest."""

    def __init__(self, digest: str, lemma_of: Mapping[str, str]) -> None:
        self.digest, self.lemma_of = digest, lemma_of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Forms) and other.digest == self.digest

    def __hash__(self) -> int:
        return hash(self.digest)


@lru_cache(maxsize=2)
def _pool_kept(corpus: Corpus, forms: _Forms) -> PooledForms:
    """As a worker keeps it from task to task; the corpus is the one that it keeps."""
    return PooledForms(corpus, forms.lemma_of)
