"""Words that tell a reader which sense of a word is meant, taken from WordNet."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from grassmeans.corpus.vocabulary import load_function_words
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.wordnet.database import Synset, WordNet

_WORD = re.compile(r"[a-z]{3,}")
_MAX_ROW = 50_000  # rarer words have vectors that say little
_MAX_SENSES = 12  # a word with more senses does not tell which one of another is meant
_GENERAL = 0.003  # words in more than this share of all definitions: "used", "part", "act"
# ... but "fish" and "river" tell something: animals, artifacts, body parts, food, natural objects,
# plants, substances (numbers of WordNet's lexicographer files).
CONCRETE_FILES = frozenset({5, 6, 8, 13, 17, 20, 27})
_TOPS_FILE = 3  # the tops of the hierarchy: entity, person, group, ...
_QUANTITY_FILE = 23
_STEM = 4  # letters that a word must share with the target to be taken for a form of it
_HYPERNYMS = ("@",)
_HYPONYMS = ("~",)
_PARTS = ("%p", "%m", "%s", "#p", "#m", "#s")
_ASSOCIATES = (";c", "&", "^", "*", ">", "$")  # topic, similar, see also, entails, causes, group


@dataclass(frozen=True)
class RelatedWords:
    """Finds the words that are related to a sense."""

    wordnet: WordNet
    # Only words among its first 50,000 are taken, usually the most frequent.
    vectors: WordVectors | None = None

    def find(self, target: str, synset: Synset, n: int) -> tuple[str, ...]:
        """Up to ``n`` words for a sense, the best first; never a form of the target.

        Several sources give a few words each: synonyms (3), the definition (4), hypernyms (1),
        parts and topics (1), hyponyms (1), examples (1). Where that is not enough, they give the
        rest of theirs, in the same order, then the hypernyms' definitions and the sister terms.
        Of texts the words that stand in few definitions come first, without numbers and, unless
        the sense is a verb's, without verbs.
        """
        sources = [(list(words), share) for words, share in self._sources(target, synset)]
        first = (words[:share] for words, share in sources)
        rest = (words[share:] for words, share in sources)
        chosen: dict[str, str] = {}
        for word in chain.from_iterable(chain(first, rest)):
            chosen.setdefault(self.wordnet.base_form(word), word)
        return tuple(chosen.values())[:n]

    def content(self, target: str, synset: Synset) -> frozenset[str]:
        """The base forms of what WordNet says about a sense, to compare senses by."""
        texts = [synset.definition, *synset.examples, *synset.lemmas]
        texts += [" ".join(one.lemmas) for one in self.wordnet.related(synset, *_HYPERNYMS)]
        words = chain.from_iterable(self._words(target, text) for text in texts)
        return frozenset(map(self.wordnet.base_form, words))

    def mentions(self, target: str, text: str) -> bool:
        """Whether a text holds the target or a form of it."""
        return any(
            _look_alike(target, word) or self.wordnet.base_form(word) == target
            for word in _WORD.findall(text.lower())
        )

    def _sources(self, target: str, synset: Synset) -> Iterator[tuple[Iterable[str], int]]:
        """Lists of words, and how many of each are wanted at first."""
        related = self.wordnet.related
        hypernyms = [
            one
            for one in related(synset, *_HYPERNYMS)
            if one.lexicographer_file != _TOPS_FILE  # related to everything
        ]
        sisters = (one for parent in hypernyms for one in related(parent, *_HYPONYMS))
        with_verbs = synset.pos == "v"
        yield self._lemmas(target, [synset]), 3
        yield self._text_words(target, [synset.definition], with_verbs), 4
        yield self._lemmas(target, hypernyms), 1
        yield self._lemmas(target, related(synset, *_PARTS, *_ASSOCIATES)), 1
        yield sorted(self._lemmas(target, related(synset, *_HYPONYMS)), key=self._row), 1
        yield self._text_words(target, synset.examples, with_verbs), 1
        yield self._text_words(target, [one.definition for one in hypernyms], with_verbs), 0
        yield sorted(self._lemmas(target, sisters), key=self._row), 0

    def _lemmas(self, target: str, synsets: Iterable[Synset]) -> list[str]:
        """The words of the lemmas; a compound gives its parts. Names are left out."""
        lemmas = (lemma for synset in synsets for lemma in synset.lemmas if lemma.islower())
        return [word for lemma in lemmas for word in self._words(target, lemma.replace("_", " "))]

    def _text_words(self, target: str, texts: Iterable[str], with_verbs: bool) -> list[str]:
        """The words of texts that say something, those in few definitions first."""
        words = (word for text in texts for word in self._words(target, text))
        bases = {word: self.wordnet.base_form(word) for word in words}
        telling = [word for word, base in bases.items() if self._is_telling(base, with_verbs)]
        return sorted(telling, key=lambda word: self._definition_frequency[bases[word]])

    def _is_telling(self, base: str, with_verbs: bool) -> bool:
        """Whether a word of a text is no number and, unless wanted, not mainly a verb."""
        if self._first_file(base) == _QUANTITY_FILE:
            return False
        uses = {
            pos: sum(
                self.wordnet.count_of(base, pos, number)
                for number in range(1, len(lemmas.get(base, ())) + 1)
            )
            for pos, lemmas in self.wordnet.index.items()
        }
        return with_verbs or uses["v"] <= uses["n"] + uses["a"]

    def _words(self, target: str, text: str) -> list[str]:
        words = dict.fromkeys(_WORD.findall(text.lower()))
        return [word for word in words if self._is_usable(target, word)]

    def _is_usable(self, target: str, word: str) -> bool:
        base = self.wordnet.base_form(word)
        return not (
            word in self._function_words
            or _look_alike(target, word)
            or _look_alike(target, base)
            or base in self._general_words
            or not self._tells_senses_apart(base)
            or (self.vectors is not None and self._row(word) >= _MAX_ROW)
        )

    def _tells_senses_apart(self, base: str) -> bool:
        """Whether a word has few senses, and is not an adverb only."""
        index = self.wordnet.index
        n_senses = self.wordnet.n_senses(base)
        return len(index["r"].get(base, ())) < n_senses <= _MAX_SENSES

    def _row(self, word: str) -> int:
        row = None if self.vectors is None else self.vectors.id_of(word)
        return _MAX_ROW if row is None else row

    @cached_property
    def _function_words(self) -> frozenset[str]:
        return load_function_words("en")

    @cached_property
    def _definition_frequency(self) -> Counter[str]:
        """In how many definitions each base form stands."""
        counts: Counter[str] = Counter()
        for synset in self.wordnet.synsets():
            counts.update(
                {self.wordnet.base_form(word) for word in _WORD.findall(synset.definition.lower())}
            )
        return counts

    @cached_property
    def _general_words(self) -> frozenset[str]:
        limit = _GENERAL * sum(1 for _ in self.wordnet.synsets())
        frequent = (word for word, count in self._definition_frequency.items() if count > limit)
        return frozenset(word for word in frequent if not self._is_concrete(word))

    def _is_concrete(self, word: str) -> bool:
        return self._first_file(word) in CONCRETE_FILES

    def _first_file(self, lemma: str) -> int | None:
        """The lexicographer file of the first sense as a noun."""
        offsets = self.wordnet.index["n"].get(lemma)
        return None if offsets is None else self.wordnet.synset("n", offsets[0]).lexicographer_file


def _look_alike(first: str, second: str) -> bool:
    """Whether one word begins with the other: crane, craned; bank, banking."""
    short, long = sorted((first, second), key=len)
    return long == short or (len(short) >= _STEM and long.startswith(short))
