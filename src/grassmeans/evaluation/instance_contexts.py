"""Instances of a test set -> context word ids, as a method looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.tokenizer import Tokenizer, WhitespaceTokenizer
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.laboratory.rivals.interface import ContextRule
from grassmeans.senses.model import SenseModel
from grassmeans.senses.tagging import TaggingRules, passage_contexts
from grassmeans.vectors.word_vectors import WordVectors

Passage = tuple[str, str]
"""The text before and after an occurrence."""


@dataclass(frozen=True, slots=True)
class ContextReader:
    """Cuts texts into tokens as the corpus was, and finds the words around occurrences.

    Parameters
    ----------
    tokenizer, function_words
        Of the corpus.
    vectors : WordVectors
        Context ids are its rows.
    """

    tokenizer: Tokenizer | WhitespaceTokenizer
    function_words: frozenset[str]
    vectors: WordVectors

    @classmethod
    def for_corpus(cls, corpus: Corpus, vectors: WordVectors) -> ContextReader:
        """As a corpus was read."""
        return cls(corpus.tokenizer, corpus.function_words, vectors)

    @classmethod
    def for_model(cls, model: SenseModel) -> ContextReader:
        """As a model tags text."""
        return cls(model.rules.tokenizer, model.rules.function_words, model.vectors)

    def read_passages(
        self, word: str, passages: Sequence[Passage], rule: ContextRule
    ) -> NDArray[np.int32]:
        """(n_passages, 2 * window) rows of the vectors, -1 for padding."""
        left_out = self.function_words if rule.drop_function_words else frozenset[str]()
        # Rank and weighting are those of subspaces: no context depends on them.
        rules = TaggingRules(self.tokenizer, left_out, rule.window, 1, "flat", rule.drop_repeats)
        return passage_contexts(word, passages, self.vectors, rules)

    def read_instances(
        self, word: str, instances: Sequence[Instance], rule: ContextRule
    ) -> NDArray[np.int32]:
        """The same for instances of a word."""
        passages = [(instance.left, instance.right) for instance in instances]
        return self.read_passages(word, passages, rule)
