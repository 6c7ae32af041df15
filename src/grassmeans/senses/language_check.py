"""Is a text in the language of the model? Its function words tell.

Known words do not: a vocabulary from an encyclopedia has most words of other languages too (57% of
the tokens of Spanish articles are among 80,000 English words), but English text has a function word
in every two to four tokens, and other languages hardly share them (2% to 15% of Spanish tokens).
"""

from __future__ import annotations

from grassmeans.corpus.tokenizer import normalize_text
from grassmeans.senses.tagging import AnyTokenizer

FEWEST_TOKENS = 10
ENOUGH_TOKENS = 40
SMALLEST_SHARE = 0.15


class LanguageCheck:
    """Counts the function words at the beginning of a text that comes in pieces.

    Attributes
    ----------
    n_tokens, n_function_words : int
    """

    def __init__(self, tokenizer: AnyTokenizer, function_words: frozenset[str]) -> None:
        self._tokenizer = tokenizer
        self._function_words = function_words
        self.n_tokens = 0
        self.n_function_words = 0

    @property
    def is_done(self) -> bool:
        """Whether enough was seen, or nothing can be told because there are no function words."""
        return self.n_tokens >= ENOUGH_TOKENS or not self._function_words

    @property
    def share(self) -> float:
        """Share of the tokens that are function words of the model."""
        return self.n_function_words / max(self.n_tokens, 1)

    @property
    def looks_foreign(self) -> bool:
        """Whether the text is long enough to tell, and has too few function words."""
        told = bool(self._function_words) and self.n_tokens >= FEWEST_TOKENS
        return told and self.share < SMALLEST_SHARE

    def add(self, text: str) -> None:
        """Look at one more piece of the text."""
        if self.is_done:
            return
        keys = self._tokenizer.tokenize(normalize_text(text))
        self.n_tokens += len(keys)
        self.n_function_words += sum(key in self._function_words for key in keys)
