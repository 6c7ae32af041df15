"""Raw text -> tokens, one rule for every language that puts something between its words.

A token is a maximal run of letters, marks and digits of any script; everything else separates,
apostrophes, hyphens and underscores too: ``company's`` gives ``company`` and ``s``, ``l'homme``
gives ``l`` and ``homme``. Which apostrophe belongs to a word depends on the language, so the rule
does not ask; the fragments are very frequent, and the function-word lists hold them.

The rule looks at the characters of the run and at nothing before it. Tokenising a text from the
start of any of its runs therefore gives exactly the tokens from there on, and a concordance can
find a token again without reading the whole document.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import compress
from typing import Any, ClassVar, TypeVar

import numpy as np

from grassmeans.arrays import Booleans, Integers
from grassmeans.errors import InputError
from grassmeans.kernels import get_kernels
from grassmeans.text.letters import JOINERS, cut_run, is_letter_or_digit, token_pattern
from grassmeans.text.phrases import Phrases

DROPPED = -1
NUMBER_CHOICES = ("drop", "keep", "mask")

_NO_TOKEN = -2
_CACHE_LIMIT = 1_000_000
_REMOVED = ("\x00", "\u00ad", "\ufeff")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WHITESPACE_TOKEN = re.compile(r"[^ \n]+")
# What may stand between the words of a phrase: spaces, one line break, a hyphen, an underscore.
_SOFT_GAP = re.compile(r"[^\S\n]*\n?[^\S\n]*|[-\u2010\u2011_]")

Value = TypeVar("Value")


def normalize_text(text: str) -> str:
    """Bring text into the form that the tokenizers expect.

    Canonical composition (NFC); NULs, soft hyphens and byte order marks, which would split words,
    removed; lone surrogates, which cannot be stored as UTF-8, replaced by U+FFFD.
    """
    for character in _REMOVED:
        if character in text:
            text = text.replace(character, "")
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", mend_surrogates(text))


def mend_surrogates(text: str) -> str:
    """A text that can be stored as UTF-8: U+FFFD for lone surrogates, which JSON can hold."""
    try:
        text.encode()  # much faster than looking for surrogates with a pattern
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


class Table(dict[str, Value]):
    """Text -> what is made of it on first sight: surfaces repeat, so most tokens are one lookup.

    Beyond the limit it is made anew each time, which bounds the memory.
    """

    def __init__(self, make: Callable[[str], Value], limit: int = _CACHE_LIMIT) -> None:
        super().__init__()
        self._make = make
        self._limit = limit

    def __missing__(self, text: str) -> Value:
        value = self._make(text)
        if len(self) < self._limit:
            self[text] = value
        return value


def is_soft_gap(gap: str) -> bool:
    """Whether the words of a phrase may have this between them, as they are written."""
    return _SOFT_GAP.fullmatch(gap) is not None


_SOFT_GAPS = Table(is_soft_gap, 100_000)


@dataclass(frozen=True, slots=True)
class _PatternTokenizer(ABC):
    """What both tokenizers share: a pattern finds the runs, ``key_of`` makes or drops the token."""

    kind: ClassVar[str]
    lowercase: bool = True
    """Whether keys are in lower case."""

    @abstractmethod
    def key_of(self, surface: str) -> str | None:
        """The key of a run that the pattern has found, None where it is no token."""

    @abstractmethod
    def _find_runs(self, text: str) -> list[str]:
        """The runs of a text, in order."""

    @abstractmethod
    def spans(self, text: str, start: int = 0) -> Iterator[tuple[int, int]]:
        """Character spans of the tokens from ``start`` on, which lies not inside of a token."""

    def tokenize(self, text: str) -> list[str]:
        """The keys of a text's tokens, in order."""
        table = _key_table(self)
        return [key for key in map(table.__getitem__, self._find_runs(text)) if key]

    def number_surfaces(
        self, number_key: Callable[[str], int], limit: int = 4 * _CACHE_LIMIT
    ) -> Table[int]:
        """Surface form -> id: that of its key, 0 or more, or ``DROPPED`` for what is not wanted."""

        def number(surface: str) -> int:
            key = self.key_of(surface)
            return DROPPED if key is None else number_key(key)

        return Table(number, limit)

    def encode(self, text: str, table: Mapping[str, int]) -> Integers:
        """(n_tokens,) ids of the tokens of ``tokenize``, less those that the table drops."""
        found = self._find_runs(text)
        ids = np.fromiter(map(table.__getitem__, found), dtype=np.int32, count=len(found))
        kept: Integers = ids[ids != DROPPED]
        return kept

    def to_dict(self) -> dict[str, Any]:
        """Plain parameters for a manifest."""
        return {"kind": self.kind, **{f.name: getattr(self, f.name) for f in fields(self)}}


@dataclass(frozen=True, slots=True)
class Tokenizer(_PatternTokenizer):
    """Tokens of running text; the text has gone through :func:`normalize_text`.

    Keys are lower-cased, if they are, token by token and by the rules of no language in particular:
    Turkish ``I`` becomes ``i``, and ``İ`` becomes ``i`` and a dot above.
    """

    kind: ClassVar[str] = "words"
    numbers: str = "drop"
    """Tokens of decimal digits only (of any script): "drop" as in the paper, "keep", or "mask" them
    all as 0. "1990s" and "mp3" are words."""
    max_token_length: int = 60
    """Longer runs are dropped: they are no words but addresses, sequences and damage."""
    underscores: bool = False
    """Underscores hold a token together ("port_ellery"), except at its edges; for text that is
    compared with a corpus that came tokenised."""
    segment: bool = False
    """Cut runs of scripts that put nothing between words (Chinese, Japanese, Thai, Lao, Khmer,
    Burmese) into words; needs the extra `segment`."""
    phrases: Phrases | None = None
    """Words that are one token where they stand together, with nothing but white space or a hyphen
    between them: "port_ellery"."""

    def __post_init__(self) -> None:
        if self.numbers not in NUMBER_CHOICES:
            raise InputError(
                f"numbers must be one of {', '.join(NUMBER_CHOICES)}, got {self.numbers!r}"
            )
        longest = self.max_token_length
        if not isinstance(longest, int) or isinstance(longest, bool) or longest < 1:
            raise InputError(f"max_token_length must be 1 or more, got {longest!r}")

    @property
    def _edges(self) -> str:
        """What a run may begin or end with, and its token does not."""
        return JOINERS + "_" if self.underscores else JOINERS

    def key_of(self, surface: str) -> str | None:
        """The key of a run of letters, marks and digits; None where it is no token."""
        token = surface.strip(self._edges)
        if len(token) > self.max_token_length:
            return None
        if token.isdecimal():
            if self.numbers == "drop":
                return None
            return "0" if self.numbers == "mask" else token
        # A run of marks alone is what is left of an emoji or of a damaged word.
        if not token or not any(map(is_letter_or_digit, token)):
            return None
        return token.lower() if self.lowercase else token

    def _find_runs(self, text: str) -> list[str]:
        runs = token_pattern(self.underscores).findall(text)
        return [piece for run in runs for piece in cut_run(run)] if self.segment else runs

    # A class with slots is made twice, so that super() would not find its way.
    def tokenize(self, text: str) -> list[str]:
        """The keys of a text's tokens, in order."""
        keys = _PatternTokenizer.tokenize(self, text)
        if self.phrases is None or self.phrases.starts.isdisjoint(keys):
            return keys
        _, lengths, phrases = self._join(text, device="numpy")
        names = self.phrases.names
        return [
            key if phrase < 0 else names[phrase]
            for key, length, phrase in zip(keys, lengths, phrases, strict=True)
            if length
        ]

    def spans(self, text: str, start: int = 0) -> Iterator[tuple[int, int]]:
        """Character spans (into ``text``) of the tokens from ``start`` on."""
        spans = self._find_spans(text, start)
        if self.phrases is None:
            return spans
        _, lengths, _ = self._join(text, start, device="numpy")
        ends = list(spans)
        return ((ends[i][0], ends[i + length - 1][1]) for i, length in enumerate(lengths) if length)

    def _find_spans(self, text: str, start: int) -> Iterator[tuple[int, int]]:
        table, edges = _key_table(self), self._edges
        for match in token_pattern(self.underscores).finditer(text, start):
            run, first = match.group(), match.start()
            for piece in cut_run(run) if self.segment else (run,):
                end = first + len(piece)
                if table[piece]:
                    if piece[0] in edges or piece[-1] in edges:
                        yield end - len(piece.lstrip(edges)), first + len(piece.rstrip(edges))
                    else:
                        yield first, end
                first = end

    def encode(self, text: str, table: Mapping[str, int]) -> Integers:
        """The ids of a text's tokens; see above."""
        if self.phrases is None:
            return _PatternTokenizer.encode(self, text, table)
        runs, lengths, phrases = self._join(text, device="cpu")
        ids = np.fromiter(map(table.__getitem__, runs), np.int32, len(runs))
        places = np.flatnonzero(phrases >= 0)
        names = self.phrases.names
        ids[places] = [table[names[number]] for number in phrases[places].tolist()]
        kept: Integers = ids[(lengths > 0) & (ids != DROPPED)]
        return kept

    def find_follows(self, text: str) -> Booleans:
        """(n_tokens,) whether a phrase may go on from the token before to each token."""
        return self._find_linked_runs(text)[1]

    def _find_linked_runs(
        self, text: str, start: int = 0
    ) -> tuple[Sequence[str], Booleans, Integers]:
        """The runs that are tokens, whether each follows the one before, and its phrase word."""
        pairs = token_pattern(self.underscores, linked=True).findall(text, start)
        gaps, runs = zip(*pairs, strict=True) if pairs else ((), ())
        if self.segment:
            cut = [(gap, cut_run(run)) for gap, run in pairs]
            runs = tuple(piece for _, pieces in cut for piece in pieces)
            gaps = tuple(gap for gap, p in cut for gap in (gap, *[""] * (len(p) - 1)))
        follows = np.fromiter(map(_SOFT_GAPS.__getitem__, gaps), np.bool_, len(gaps))
        words = np.fromiter(map(_phrase_table(self).__getitem__, runs), np.int32, len(runs))
        is_token = words != _NO_TOKEN
        if not is_token.all():
            follows[1:] &= is_token[:-1]
            follows, words = follows[is_token], words[is_token]
            runs = tuple(compress(runs, is_token.tolist()))
        follows[:1] = False
        return runs, follows, words

    def _join(
        self, text: str, start: int = 0, *, device: str
    ) -> tuple[Sequence[str], Integers, Integers]:
        """The runs; for every one how many tokens begin there, and which phrase they are."""
        assert self.phrases is not None
        runs, follows, words = self._find_linked_runs(text, start)
        return runs, *get_kernels(device).join_phrases(words, follows, self.phrases.trie)

    def to_dict(self) -> dict[str, Any]:
        """Plain parameters for a manifest."""
        entries = None if self.phrases is None else list(self.phrases.entries)
        return _PatternTokenizer.to_dict(self) | {"phrases": entries}


@dataclass(frozen=True, slots=True)
class WhitespaceTokenizer(_PatternTokenizer):
    """Tokens of text that comes tokenised: split on spaces and newlines, and nothing is dropped."""

    kind: ClassVar[str] = "whitespace"

    def key_of(self, surface: str) -> str | None:
        """The key of a token: itself, or itself in lower case."""
        return surface.lower() if self.lowercase else surface

    def _find_runs(self, text: str) -> list[str]:
        return _WHITESPACE_TOKEN.findall(text)

    def spans(self, text: str, start: int = 0) -> Iterator[tuple[int, int]]:
        """Character spans (into ``text``) of the tokens from ``start`` on."""
        return (match.span() for match in _WHITESPACE_TOKEN.finditer(text, start))


@cache
def _key_table(tokenizer: _PatternTokenizer) -> Table[str | None]:
    """Surface form -> key; one bounded cache per tokenizer, which equal tokenizers share."""

    def make_key(surface: str) -> str | None:
        key = tokenizer.key_of(surface)
        return None if key is None else sys.intern(key)  # "The" and "THE" share one string

    return Table(make_key)


@cache
def _phrase_table(tokenizer: Tokenizer) -> Table[int]:
    """Surface form -> number among the words of the phrases, `DROPPED`, or `_NO_TOKEN`."""
    numbers = {} if tokenizer.phrases is None else tokenizer.phrases.numbers

    def number(surface: str) -> int:
        key = tokenizer.key_of(surface)
        return _NO_TOKEN if key is None else numbers.get(key, DROPPED)

    return Table(number)


def tokenizer_from_dict(parameters: Mapping[str, Any]) -> Tokenizer | WhitespaceTokenizer:
    """Make a tokenizer from what ``to_dict`` gave."""
    values = dict(parameters)
    kinds = {cls.kind: cls for cls in (Tokenizer, WhitespaceTokenizer)}
    kind = values.pop("kind", Tokenizer.kind)
    if not isinstance(kind, str) or kind not in kinds:
        raise InputError(f"unknown tokenizer {kind!r}: expected one of {', '.join(kinds)}")
    try:
        for name in ("lowercase", "underscores", "segment"):
            if not isinstance(values.get(name, True), bool):
                raise TypeError(f"{name} must be true or false")
        if values.get("phrases") is not None:
            values["phrases"] = Phrases(values["phrases"])
        return kinds[kind](**values)
    except TypeError as error:
        raise InputError(f"unknown tokenizer parameters in {values}: {error}") from error
