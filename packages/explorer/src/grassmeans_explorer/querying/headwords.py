"""What somebody typed -> what it is in a corpus: a word, a form, a possessive, a phrase or nothing.

"crane's" is the possessive of *crane*, never a form of *cranes*; "ice cream", "New York", "don't"
and "U.S." are phrases where the corpus has no such token: their tokens follow each other, with
nothing between them but white space, a hyphen, or what was typed there. That a word does not occur
is said only where it is so: a corpus may keep the most frequent words alone, and no numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from grassmeans.arrays import Indices
from grassmeans.collocations.collocates import DEFAULT_SPAN, NearWords, count_near_words
from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.corpus.vocabulary import NO_LANGUAGE, is_function_word
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.models.model import SenseModel, open_model
from grassmeans.reading.given import spell_word
from grassmeans.text.tokenizer import WhitespaceTokenizer, is_soft_gap, normalize_text
from grassmeans_explorer.querying.conditions import describe_value
from grassmeans_explorer.querying.language import Query, Token, ValueTest
from grassmeans_explorer.querying.language import Sequence as TokenSequence
from grassmeans_explorer.querying.lines import WIDTH, SpanLine, read_line
from grassmeans_explorer.querying.matching import QueryLimits, Spans, find_spans
from grassmeans_explorer.querying.source import QuerySource

WORD, FORM, POSSESSIVE, PHRASE = "word", "form", "possessive", "phrase"
ABSENT, UNTOLD = "absent", "untold"
LONGEST_TYPED = 200
MOST_CHECKED = 20_000
"""Places of a phrase at which is looked what stands between its words."""

_POSSESSIVE = re.compile(r"(.*\w)(?:['’ʼ]s|(?<=s)['’ʼ])", re.IGNORECASE | re.DOTALL)
# In Dutch "foto's" is a plural, in French "l's" is nothing.
_WITH_POSSESSIVES = ("en", NO_LANGUAGE)
_APOSTROPHES = str.maketrans("’ʼ‘", "'''")


@dataclass(frozen=True, slots=True)
class Headword:
    """What was typed, and where it stands.

    Attributes
    ----------
    asked : str
        As it was typed.
    kind : str
        ``word``; ``form``, of the word that it leads to; ``possessive`` of a word; ``phrase``;
        ``absent``, which does not occur; ``untold``, of which the corpus cannot tell.
    word : str
        What it leads to, as the corpus or the model spells it; the words of a phrase with spaces.
    tokens : tuple of str
        What stands in the corpus for it: one, or those of a phrase.
    positions : (n,) array
        Of its first token, in text order; of a word, with the forms that the model knows.
    is_complete : bool
        Whether these are all places.
    reason : str
        Why there are none, for people.
    """

    asked: str
    kind: str
    word: str
    tokens: tuple[str, ...]
    positions: Indices
    is_complete: bool = True
    reason: str = ""

    @property
    def count(self) -> int:
        """How often it occurs."""
        return len(self.positions)

    @property
    def length(self) -> int:
        """Tokens of an occurrence."""
        return max(len(self.tokens), 1)

    @property
    def spans(self) -> Spans:
        """Its occurrences as stretches of tokens."""
        return Spans(self.positions, self.positions + self.length, self.is_complete)

    def lines(
        self, corpus: Corpus, offset: int = 0, limit: int = 100, width: int = WIDTH
    ) -> tuple[SpanLine, ...]:
        """Some of its concordance lines, in text order."""
        chosen = self.positions[offset : offset + limit].tolist()
        return tuple(read_line(corpus, start, start + self.length, width) for start in chosen)

    def count_near(
        self, corpus: Corpus, before: int = DEFAULT_SPAN, after: int = DEFAULT_SPAN
    ) -> NearWords:
        """The words near it, in one group: ``found.rank(0)`` are its collocates."""
        return count_near_words(
            corpus, [self.positions], before=before, after=after, length=self.length
        )


def understand(
    corpus: Corpus | str | Path,
    asked: str,
    *,
    model: SenseModel | str | Path | None = None,
    limits: QueryLimits | None = None,
    most_checked: int = MOST_CHECKED,
) -> Headword:
    """Tell what somebody typed.

    Parameters
    ----------
    corpus : Corpus or path
    asked : str
    model : SenseModel, path or name, optional
        Whose forms count as their words: "cranes" leads to "crane" where it does so there.
    limits : QueryLimits, optional
        Of looking for a phrase.
    most_checked : int
        Places of a phrase at which is looked; of more, the first ones are taken.
    """
    opened = open_corpus(corpus)
    plain = " ".join(normalize_text(asked).split())
    if len(plain) > LONGEST_TYPED:
        raise InputError(f"a word or phrase has at most {LONGEST_TYPED} characters")
    if opened.is_labelled:
        raise InputError("a labelled corpus has lexemes: ask the corpus that it was made from")
    reader = _Reader(opened, None if model is None else open_model(model), limits, most_checked)
    return reader.read(asked, plain)


@dataclass(frozen=True, slots=True)
class _Reader:
    corpus: Corpus
    model: SenseModel | None
    limits: QueryLimits | None
    most_checked: int

    def read(self, asked: str, plain: str) -> Headword:
        """What it is: the token as it was typed, a possessive, a word, a phrase, or nothing."""
        if self._drops_numbers(plain):
            reason = f"numbers are no tokens of this corpus: it cannot tell of {plain!r}"
            return Headword(asked, UNTOLD, plain, (), np.empty(0, np.int64), True, reason)
        owner = find_owner(plain, self.corpus.manifest["options"]["language"])
        if owner is not None and plain not in self.corpus.vocabulary:
            base = self._find_word(asked, owner, POSSESSIVE)
            if base is not None and not is_function_word(base.word, self.corpus.function_words):
                return base
            if base is None and (found := self._find_phrase(asked, owner)) is not None:
                return found
        return (
            self._find_word(asked, plain)
            or self._find_phrase(asked, plain)
            or self._find_nothing(asked, plain)
        )

    def _drops_numbers(self, plain: str) -> bool:
        """Whether the corpus would leave out a part of what was typed: "catch 22"."""
        rule = self.corpus.text_tokenizer
        return len(rule.tokenize(plain)) < len(replace(rule, numbers="keep").tokenize(plain))

    def _find_word(self, asked: str, plain: str, kind: str = WORD) -> Headword | None:
        """A token of the corpus, or a form of the model whose word has occurrences."""
        key = self._spell(plain)
        pooled, lemma = self.corpus, key
        if self.model is not None and key:
            pooled = self.model.pool_forms(self.corpus)
            entry = self.model.spell(key)
            lemma = entry if entry in self.model.inventory else key
        vocabulary = self.corpus.vocabulary
        if key not in vocabulary and (lemma == key or not self._occurs(pooled, lemma)):
            return None
        if lemma != key and not self._occurs(pooled, lemma):
            lemma = key
        if kind == WORD and lemma != key:
            kind = FORM
        return Headword(asked, kind, lemma, (lemma,), pooled.positions(lemma))

    def _spell(self, plain: str) -> str:
        """A word as the corpus spells it: a corpus that keeps capitals may have it with others."""
        key = spell_word(plain, self.corpus.tokenizer)
        others = (plain, key, plain.lower(), plain.capitalize(), plain.title(), plain.upper())
        return next((one for one in others if one in self.corpus.vocabulary), key)

    @staticmethod
    def _occurs(corpus: Corpus, word: str) -> bool:
        try:
            return bool(corpus.ids_of_forms(word))
        except UnknownWordError:
            return False

    def _find_phrase(self, asked: str, plain: str) -> Headword | None:
        """Tokens in a row, as the corpus splits text, or as it came split."""
        lowercase = self.corpus.tokenizer.lowercase
        for rule in (self.corpus.text_tokenizer, WhitespaceTokenizer(lowercase=lowercase)):
            tokens = tuple(rule.tokenize(plain))
            if len(tokens) < 2 or any(token not in self.corpus.vocabulary for token in tokens):
                continue
            spans = list(rule.spans(plain))
            gaps = [plain[a[1] : b[0]] for a, b in pairwise(spans)]
            found, is_complete = self._find_row(tokens, gaps)
            if len(found):
                return Headword(asked, PHRASE, " ".join(tokens), tokens, found, is_complete)
        return None

    def _find_row(self, tokens: tuple[str, ...], gaps: Sequence[str]) -> tuple[Indices, bool]:
        """Where tokens stand in a row with the gaps of a phrase between them."""
        items = tuple(Token(ValueTest("word", describe_value(token))) for token in tokens)
        found = find_spans(QuerySource(self.corpus), Query("", TokenSequence(items)), self.limits)
        checked = found.starts[: self.most_checked]
        typed = [_flatten(gap) for gap in gaps]
        kept = [
            position
            for position in checked.tolist()
            if all(
                is_soft_gap(gap) or _flatten(gap) == own
                for gap, own in zip(self._read_gaps(position, len(tokens)), typed, strict=True)
            )
        ]
        is_complete = found.is_complete and len(checked) == len(found)
        return np.array(kept, np.int64), is_complete

    def _read_gaps(self, position: int, length: int) -> list[str]:
        shard, local = self.corpus.locate(position)
        text, spans = shard.read_stretch(local, local + length, self.corpus.tokenizer)
        return [text[a[1] : b[0]] for a, b in pairwise(spans)]

    def _find_nothing(self, asked: str, plain: str) -> Headword:
        nothing = np.empty(0, np.int64)
        vocabulary = self.corpus.vocabulary
        tokens = tuple(self.corpus.text_tokenizer.tokenize(plain))
        word = " ".join(tokens) or plain
        kind, reason = ABSENT, f"{plain!r} does not occur in {self.corpus.path.name}"
        unknown = [token for token in tokens if token not in vocabulary]
        has_others = int(np.sum(vocabulary.counts)) < self.corpus.n_tokens
        if not tokens:
            kind = UNTOLD
            reason = f"{plain!r} holds no word: signs are no tokens"
        elif unknown and has_others:
            kind = UNTOLD
            reason = (
                f"{unknown[0]!r} is not among the {len(vocabulary):,} words that the corpus keeps; "
                "it may be one of the rarer ones"
            )
        elif len(tokens) > 1 and not unknown:
            reason = f"the words of {plain!r} occur, but nowhere as this phrase"
        return Headword(asked, kind, word, tokens, nothing, True, reason)


def find_owner(typed: str, language: str | None) -> str | None:
    """Whose possessive was typed, in English: "crane" for "crane's", "boss" for "boss'"."""
    if (language or NO_LANGUAGE) not in _WITH_POSSESSIVES:
        return None
    found = _POSSESSIVE.fullmatch(typed.strip())
    return None if found is None else found[1]


def _flatten(gap: str) -> str:
    """A gap without white space, with one kind of apostrophe."""
    return "".join(gap.split()).translate(_APOSTROPHES)
