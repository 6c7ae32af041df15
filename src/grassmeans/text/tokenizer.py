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
from dataclasses import asdict, dataclass
from functools import cache
from itertools import compress
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.errors import InputError
from grassmeans.kernels import get_kernels
from grassmeans.text.letters import JOINERS, is_letter_or_digit, linked_pattern, token_pattern
from grassmeans.text.phrases import Phrases, find_soft_gaps
from grassmeans.text.segmenting import cut_run

DROPPED = -1
NUMBER_CHOICES = ("drop", "keep", "mask")
NUMBER_MASK = "0"

_CACHE_LIMIT = 1_000_000
_REMOVED = ("\x00", "\u00ad", "\ufeff")
_SURROGATE = re.compile("[\ud800-\udfff]")


def normalize_text(text: str) -> str:
    """Bring text into the form that the tokenizers expect.

    Canonical composition (NFC), so that one word has one spelling; NULs, soft hyphens and byte
    order marks, which are invisible and would split words, removed; lone surrogates, which cannot
    be stored as UTF-8, replaced by U+FFFD.
    """
    for character in _REMOVED:
        if character in text:
            text = text.replace(character, "")
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", mend_surrogates(text))


def mend_surrogates(text: str) -> str:
    """A text that can be stored as UTF-8: U+FFFD in place of lone surrogates.

    JSON can hold them, and names of files that are no UTF-8 have them in Python.
    """
    try:
        text.encode()  # much faster than looking for surrogates with a pattern
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


class SurfaceTable(dict[str, int]):
    """Surface form -> id, filled on first sight: surfaces repeat, so most tokens are one lookup.

    ``number_key`` gives the id of a key of the tokenizer, 0 or more, or ``DROPPED`` for one that is
    not wanted. Surfaces beyond the limit are looked up anew each time, which bounds the memory.
    """

    def __init__(
        self,
        key_of: Callable[[str], str | None],
        number_key: Callable[[str], int],
        limit: int = 4 * _CACHE_LIMIT,
    ) -> None:
        super().__init__()
        self._key_of = key_of
        self._number_key = number_key
        self._limit = limit

    def __missing__(self, surface: str) -> int:
        key = self._key_of(surface)
        number = DROPPED if key is None else self._number_key(key)
        if len(self) < self._limit:
            self[surface] = number
        return number


class _KeyTable(dict[str, str | None]):
    """Surface form -> key, or None for a run that is no token."""

    def __init__(self, key_of: Callable[[str], str | None]) -> None:
        super().__init__()
        self._key_of = key_of

    def __missing__(self, surface: str) -> str | None:
        key = self._key_of(surface)
        if key is not None:
            key = sys.intern(key)  # "The", "the" and "THE" share one string
        if len(self) < _CACHE_LIMIT:
            self[surface] = key
        return key


@dataclass(frozen=True, slots=True)
class _PatternTokenizer(ABC):
    """What both tokenizers share: a pattern finds the runs, ``key_of`` makes or drops the token."""

    kind: ClassVar[str]
    lowercase: bool = True

    @abstractmethod
    def key_of(self, surface: str) -> str | None:
        """The key of a run that the pattern has found, None where it is no token."""

    @abstractmethod
    def _pattern(self) -> re.Pattern[str]:
        """What finds the runs."""

    def tokenize(self, text: str) -> list[str]:
        """The keys of a text's tokens, in order."""
        table = _key_table(self)
        return [key for key in map(table.__getitem__, self._find_runs(text)) if key]

    def _find_runs(self, text: str) -> list[str]:
        return self._pattern().findall(text)

    def _locate_runs(self, text: str, start: int) -> Iterator[tuple[str, int, int]]:
        for match in self._pattern().finditer(text, start):
            yield match.group(), *match.span()

    def spans(self, text: str, start: int = 0) -> Iterator[tuple[int, int]]:
        """Character spans (into ``text``) of the tokens from ``start`` on.

        ``start`` has to be the start of a token or lie between two tokens.
        """
        table = _key_table(self)
        for surface, first, last in self._locate_runs(text, start):
            if table[surface]:
                yield self._trim(surface, first, last)

    def _trim(self, surface: str, start: int, end: int) -> tuple[int, int]:
        return start, end

    def encode(self, text: str, table: Mapping[str, int]) -> NDArray[np.int32]:
        """(n_tokens,) ids of the tokens of ``tokenize``, less those that the table drops.

        A `SurfaceTable` leads from surface forms to ids, ``DROPPED`` for what is no token.
        """
        found = self._find_runs(text)
        ids = np.fromiter(map(table.__getitem__, found), dtype=np.int32, count=len(found))
        kept: NDArray[np.int32] = ids[ids != DROPPED]
        return kept

    def to_dict(self) -> dict[str, Any]:
        """Plain parameters for a manifest."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True, slots=True)
class Tokenizer(_PatternTokenizer):
    """Tokens of running text; the text has gone through :func:`normalize_text`.

    Parameters
    ----------
    lowercase : bool
        Keys are lower-cased, token by token, by the rules of no language in particular: Turkish
        ``I`` becomes ``i``, and ``İ`` becomes ``i`` and a dot above.
    numbers : str
        Tokens of decimal digits only (of any script): ``"drop"`` as in the paper, ``"keep"``, or
        ``"mask"`` them all as ``0``. ``1990s`` and ``mp3`` are words.
    max_token_length : int
        Longer runs are dropped: they are no words but addresses, sequences and damage.
    underscores : bool
        Underscores hold a token together (``port_ellery``), except at its edges; for text that is
        compared with a corpus that came tokenised.
    segment : bool
        Cut runs of scripts that put nothing between words (Chinese, Japanese, Thai, Lao, Khmer,
        Burmese) into words; needs the extra ``segment``.
    phrases : Phrases, optional
        Words that are one token where they stand together, with nothing but white space or a hyphen
        between them: ``port_ellery``.
    """

    kind: ClassVar[str] = "words"
    numbers: str = "drop"
    max_token_length: int = 60
    underscores: bool = False
    segment: bool = False
    phrases: Phrases | None = None

    def __post_init__(self) -> None:
        if self.numbers not in NUMBER_CHOICES:
            raise InputError(
                f"numbers must be one of {', '.join(NUMBER_CHOICES)}, got {self.numbers!r}"
            )
        longest = self.max_token_length
        if not isinstance(longest, int) or isinstance(longest, bool) or longest < 1:
            raise InputError(f"max_token_length must be 1 or more, got {longest!r}")

    def key_of(self, surface: str) -> str | None:
        """The key of a run of letters, marks and digits; None where it is no token."""
        token = surface.strip(self._edges)
        if len(token) > self.max_token_length:
            return None
        if token.isdecimal():
            if self.numbers == "drop":
                return None
            return NUMBER_MASK if self.numbers == "mask" else token
        # A run of marks alone is what is left of an emoji or of a damaged word.
        if not token or not any(map(is_letter_or_digit, token)):
            return None
        return token.lower() if self.lowercase else token

    def _pattern(self) -> re.Pattern[str]:
        return token_pattern(self.underscores)

    # A class with slots is made twice, so that super() would not find its way.
    def _find_runs(self, text: str) -> list[str]:
        runs = _PatternTokenizer._find_runs(self, text)
        return [piece for run in runs for piece in cut_run(run)] if self.segment else runs

    def _locate_runs(self, text: str, start: int) -> Iterator[tuple[str, int, int]]:
        for run, first, last in _PatternTokenizer._locate_runs(self, text, start):
            if not self.segment:
                yield run, first, last
                continue
            for piece in cut_run(run):
                yield piece, first, first + len(piece)
                first += len(piece)  # noqa: PLW2901

    def tokenize(self, text: str) -> list[str]:
        """The keys of a text's tokens, in order."""
        keys = _PatternTokenizer.tokenize(self, text)
        if self.phrases is None or self.phrases.starts.isdisjoint(keys):
            return keys
        lengths, phrases = self._join(*self._find_linked_runs(text), device="numpy")
        names = self.phrases.names
        return [
            key if phrase < 0 else names[phrase]
            for key, length, phrase in zip(keys, lengths, phrases, strict=True)
            if length
        ]

    def spans(self, text: str, start: int = 0) -> Iterator[tuple[int, int]]:
        """Character spans (into ``text``) of the tokens from ``start`` on."""
        spans = _PatternTokenizer.spans(self, text, start)
        if self.phrases is None:
            return spans
        lengths, _ = self._join(*self._find_linked_runs(text, start), device="numpy")
        ends = list(spans)
        return ((ends[i][0], ends[i + length - 1][1]) for i, length in enumerate(lengths) if length)

    def encode(self, text: str, table: Mapping[str, int]) -> NDArray[np.int32]:
        """The ids of a text's tokens; see above."""
        if self.phrases is None:
            return _PatternTokenizer.encode(self, text, table)
        runs, follows = self._find_linked_runs(text)
        ids = np.fromiter(map(table.__getitem__, runs), np.int32, len(runs))
        lengths, phrases = self._join(runs, follows, device="cpu")
        places = np.flatnonzero(phrases >= 0)
        names = self.phrases.names
        ids[places] = [table[names[number]] for number in phrases[places].tolist()]
        kept: NDArray[np.int32] = ids[(lengths > 0) & (ids != DROPPED)]
        return kept

    def find_follows(self, text: str) -> NDArray[np.bool_]:
        """(n_tokens,) whether a phrase may go on from the token before to each token."""
        return self._find_linked_runs(text)[1]

    def _find_linked_runs(
        self, text: str, start: int = 0
    ) -> tuple[Sequence[str], NDArray[np.bool_]]:
        """The runs that are tokens, and whether each follows the one before."""
        pairs = linked_pattern(self.underscores).findall(text, start)
        gaps, runs = zip(*pairs, strict=True) if pairs else ((), ())
        if self.segment:
            cut = [(gap, cut_run(run)) for gap, run in pairs]
            runs = tuple(piece for _, pieces in cut for piece in pieces)
            gaps = tuple(gap for gap, p in cut for gap in (gap, *[""] * (len(p) - 1)))
        follows = find_soft_gaps(gaps)
        found = np.fromiter(map(_token_table(self).__getitem__, runs), np.int32, len(runs))
        is_token = found != DROPPED
        if not is_token.all():
            follows[1:] &= is_token[:-1]
            follows, runs = follows[is_token], tuple(compress(runs, is_token.tolist()))
        follows[:1] = False
        return runs, follows

    def _join(
        self, runs: Sequence[str], follows: NDArray[np.bool_], *, device: str
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """For every run, how many tokens begin there, and which phrase they are."""
        assert self.phrases is not None
        numbers = _phrase_table(self)
        words = np.fromiter(map(numbers.__getitem__, runs), np.int32, len(runs))
        return get_kernels(device).join_phrases(words, follows, self.phrases.trie)

    def to_dict(self) -> dict[str, Any]:
        """Plain parameters for a manifest."""
        values = {name: getattr(self, name) for name in ("lowercase", *self.__slots__)}
        values["phrases"] = None if self.phrases is None else list(self.phrases.entries)
        return {"kind": self.kind, **values}

    @property
    def _edges(self) -> str:
        """What a run may begin or end with, and its token does not."""
        return JOINERS + "_" if self.underscores else JOINERS

    def _trim(self, surface: str, start: int, end: int) -> tuple[int, int]:
        edges = self._edges
        if surface[0] in edges or surface[-1] in edges:
            start += len(surface) - len(surface.lstrip(edges))
            end -= len(surface) - len(surface.rstrip(edges))
        return start, end


@dataclass(frozen=True, slots=True)
class WhitespaceTokenizer(_PatternTokenizer):
    """Tokens of text that comes tokenised: split on spaces and newlines, and nothing is dropped.

    Other white space (the no-break space that stands for a space inside a form) does not split.
    """

    kind: ClassVar[str] = "whitespace"

    def key_of(self, surface: str) -> str | None:
        """The key of a token: itself, or itself in lower case."""
        return surface.lower() if self.lowercase else surface

    def _pattern(self) -> re.Pattern[str]:
        return _WHITESPACE_TOKEN


_WHITESPACE_TOKEN = re.compile(r"[^ \n]+")


@cache
def _key_table(tokenizer: _PatternTokenizer) -> _KeyTable:
    """One bounded cache per tokenizer; equal tokenizers share it."""
    return _KeyTable(tokenizer.key_of)


@cache
def _token_table(tokenizer: Tokenizer) -> SurfaceTable:
    """Surface form -> `DROPPED` where it is no token."""
    return SurfaceTable(tokenizer.key_of, lambda _: 0, _CACHE_LIMIT)


@cache
def _phrase_table(tokenizer: Tokenizer) -> SurfaceTable:
    """Surface form -> number among the words of the phrases."""
    assert tokenizer.phrases is not None
    numbers = tokenizer.phrases.numbers
    return SurfaceTable(tokenizer.key_of, lambda key: numbers.get(key, DROPPED), _CACHE_LIMIT)


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
