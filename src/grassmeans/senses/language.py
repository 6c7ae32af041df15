"""Do texts and contexts fit? Where not, the same is said in Python and on the command line.

Text of another language gets answers like any other, of words that it happens to share with the
contexts; so it is told by what it lacks.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable
from dataclasses import dataclass
from itertools import islice

from grassmeans.contexts.interface import ContextEncoder
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.errors import warn_user

FEWEST_TOKENS = 10
ENOUGH_TOKENS = 40
SMALLEST_SHARE = 0.15

LEAST_KNOWN = 0.5  # of the content words of a text, which may be about anything
ENOUGH_KNOWN = 0.7
"""Of those of text that senses are induced from: vectors of its language know nine in ten, those of
another one in two at most."""

OTHER_MODEL = "take a model that was made from such text"
OTHER_CONTEXTS = (
    "say which it is (language=...), and take an encoder or word vectors of such text as contexts"
)


@dataclass
class LanguageCheck:
    """Is a text that comes in pieces in the language of a model? Its function words tell.

    Known words do not: a vocabulary from an encyclopedia has most words of other languages too (57%
    of the tokens of Spanish articles are among 80,000 English words), but English text has a
    function word in every two to four tokens, and others hardly share them (2% to 15% of Spanish
    tokens). Where they do not tell it, words may still be mostly unknown.

    Without function words of the language nothing can be told. Contexts are made of known words: a
    text with a smaller share than the least known of its content words is remarked on.
    """

    function_words: Collection[str]
    known: Container[str] | None = None
    language: str = "the contexts' language"
    least_known: float = LEAST_KNOWN
    n_tokens: int = 0
    n_function_words: int = 0
    n_known: int = 0
    is_whole: bool = False  # whether all of a corpus was seen
    has_warned: bool = False

    @classmethod
    def of_model(cls, encoder: ContextEncoder, language: str | None) -> LanguageCheck:
        """A check of text for a model of a language, with its contexts."""
        whose = f"the model's language ({language or 'unknown'})"
        return cls(encoder.function_words, encoder.vectors, whose)

    @property
    def is_done(self) -> bool:
        """Whether enough was seen, or nothing can be told because there are no function words."""
        return self.n_tokens >= ENOUGH_TOKENS or not self.function_words

    @property
    def share(self) -> float:
        """Share of the tokens that are function words of the model."""
        return self.n_function_words / max(self.n_tokens, 1)

    @property
    def looks_foreign(self) -> bool:
        """Whether the text is long enough to tell, and has too few function words."""
        told = bool(self.function_words) and self.n_tokens >= FEWEST_TOKENS
        return told and self.share < SMALLEST_SHARE

    @property
    def share_known(self) -> float:
        """Share of the other tokens that contexts are made of; 1 where there are few of them."""
        n_content = self.n_tokens - self.n_function_words
        return 1.0 if n_content < FEWEST_TOKENS else self.n_known / n_content

    def describe(self) -> str:
        """A remark where the text looks foreign or is mostly unknown; else empty."""
        if self.looks_foreign:
            part = "" if self.is_whole else "first "
            return (
                f"{self.share:.0%} of the {part}{self.n_tokens:,} words are function words of "
                f"{self.language}: is the text in another one?"
            )
        if self.known is None or self.share_known >= self.least_known:
            return ""
        return (
            f"only {self.share_known:.0%} of the text's content words are known to the contexts: "
            "are they of another language or spelling?"
        )

    def warn(self, advice: str = OTHER_MODEL) -> None:
        """Warn of what was seen, once, with what to do."""
        remark = self.describe()
        if remark and not self.has_warned:
            self.has_warned = True
            warn_user(f"{remark} If so, {advice}")

    def add(self, keys: Iterable[str]) -> None:
        """Look at the words of one more piece of the text."""
        if not self.is_done:
            for key in islice(keys, ENOUGH_TOKENS - self.n_tokens):
                self._count(key, 1)

    def add_corpus(self, corpus: Corpus) -> LanguageCheck:
        """Look at all words of a corpus, by their counts."""
        self.is_whole = True
        vocabulary = corpus.vocabulary
        for key, count in zip(vocabulary.words, vocabulary.counts.tolist(), strict=True):
            self._count(key, count)
        return self

    def _count(self, key: str, times: int) -> None:
        self.n_tokens += times
        if is_function_word(key, self.function_words):
            self.n_function_words += times
        elif self.known is not None and key in self.known:
            self.n_known += times


def warn_of_contexts(encoder: ContextEncoder, corpus: Corpus | None = None) -> None:
    """Warn of contexts that are poor for any text, or do not fit the corpus they are made for."""
    if encoder.remark:
        warn_user(encoder.remark)
    if corpus is not None:
        check = LanguageCheck(encoder.function_words, encoder.vectors, least_known=ENOUGH_KNOWN)
        check.add_corpus(corpus).warn(OTHER_CONTEXTS)
