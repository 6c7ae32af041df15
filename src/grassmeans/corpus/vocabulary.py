"""The words of a corpus, most frequent first, with their counts; and the function words.

Function words hold sentences together and say little about a context. The lists hold articles,
pronouns, prepositions, conjunctions, auxiliaries, particles and very general adverbs, and the
fragments that the tokenizer leaves at apostrophes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from importlib import resources
from pathlib import Path

import numpy as np

from grassmeans.arrays import Indices, Integers
from grassmeans.artifacts.checking import check_range, damaged, open_array, read_text
from grassmeans.artifacts.writing import write_array, write_bytes
from grassmeans.errors import InputError
from grassmeans.text.tokenizer import normalize_text

UNKNOWN = -1
_WORDS = "words.txt"
_COUNTS = "counts.npy"
FUNCTION_WORDS = "function_words.txt"
NO_LANGUAGE = "none"
_SUFFIX = ".txt"
_LISTS = resources.files("grassmeans.corpus").joinpath("data", "function_words")


class Vocabulary:
    """Words with ids 0, 1, 2, ... in order of falling count (ties in code-point order).

    Cutting it at a count or a size keeps all smaller ids, which are rows of vectors, as they are.
    """

    def __init__(self, words: Sequence[str], counts: Indices) -> None:
        if len(words) != len(counts):
            raise InputError(f"a vocabulary of {len(words)} words cannot have {len(counts)} counts")
        self.words = words
        self.counts = counts

    @classmethod
    def from_counts(cls, counts: Mapping[str, int], *, max_size: int | None = None) -> Vocabulary:
        """Order counted words; keep the ``max_size`` most frequent."""
        words = sorted(counts)  # numbers beside words, not pairs of both: there may be millions
        found = np.fromiter(map(counts.__getitem__, words), np.int64, len(words))
        order = np.argsort(-found, kind="stable")[:max_size]
        return cls([words[place] for place in order.data], found[order])

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def id_of(self, word: str) -> int:
        """The word's id, or `UNKNOWN`."""
        return self._ids.get(word, UNKNOWN)

    def ids_of(self, words: Iterable[str]) -> Integers:
        """The words' ids, `UNKNOWN` where a word is not in the vocabulary."""
        ids = self._ids
        return np.fromiter((ids.get(word, UNKNOWN) for word in words), dtype=np.int32)

    def count_of(self, word: str) -> int:
        """How often the word occurs; 0 where it is unknown."""
        i = self.id_of(word)
        return 0 if i == UNKNOWN else int(self.counts[i])

    def size_at(self, min_count: int) -> int:
        """How many words occur at least ``min_count`` times; they have the smallest ids."""
        return int(np.searchsorted(-np.asarray(self.counts), -min_count, side="right"))

    def save(self, folder: Path) -> None:
        """Write the words, one a line, and the counts."""
        broken = next((word for word in self.words if "\n" in word), None)
        if broken is not None:
            raise InputError(f"a word cannot hold a line break, found {broken!r}")
        write_bytes(folder / _WORDS, "\n".join(self.words).encode())
        write_array(folder / _COUNTS, np.asarray(self.counts, dtype=np.int64))

    @classmethod
    def load(cls, folder: Path, n_words: int | None = None) -> Vocabulary:
        """Read what `save` wrote; ``n_words`` is how many words there have to be."""
        text = read_text(folder / _WORDS)
        path = folder / _COUNTS
        counts = open_array(path, np.int64, (n_words,), mapped=False)
        words = text.split("\n") if text or len(counts) else []
        if len(words) != len(counts):
            raise damaged(folder / _WORDS, f"{len(words):,} words for {len(counts):,} counts")
        check_range(path, counts, 0, 2**62)
        if np.any(counts[1:] > counts[:-1]):
            raise damaged(path, "its counts are not in falling order")
        return cls(words, counts)


def available_languages() -> tuple[str, ...]:
    """The codes of the languages that have a list."""
    names = (entry.name for entry in _LISTS.iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)))


def load_function_words(language: str | None = None, file: Path | None = None) -> frozenset[str]:
    """A list of function words, in lower case and NFC, as the tokenizer makes its keys.

    Of a language, or of a file in its place: one word a line, and comments after a ``#``.
    """
    if file is not None:
        try:
            words = _parse_words(Path(file).read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError as error:
            raise InputError(f"the list of function words {file} is not UTF-8: {error}") from error
        except OSError as error:
            problem = f"cannot read the list of function words {file}: {error.strerror}"
            raise InputError(problem) from error
        if not words:
            raise InputError(f"the list of function words {file} is empty: give one word a line")
        return words
    code = NO_LANGUAGE if language is None else language.strip().lower()
    if code == NO_LANGUAGE:
        return frozenset()
    if code not in available_languages():
        raise InputError(
            f"there is no list of function words for the language {language!r}: the languages are "
            f"{', '.join(available_languages())}; give your own list (function_words=[...] in "
            f"Python, --function-words FILE), or take {NO_LANGUAGE!r} for none"
        )
    return _parse_words(_LISTS.joinpath(code + _SUFFIX).read_text(encoding="utf-8"))


def write_function_words(folder: Path, words: Iterable[str]) -> None:
    """Write the function words of a corpus or a model to its folder."""
    write_bytes(folder / FUNCTION_WORDS, "\n".join(sorted(words)).encode())


def read_function_words(folder: Path) -> frozenset[str]:
    """The function words of a corpus or a model."""
    words = read_text(folder / FUNCTION_WORDS)
    return frozenset(words.split("\n")) if words else frozenset()


def is_function_word(word: str, function_words: Collection[str]) -> bool:
    """Whether a word is one of them, in whatever case, or no word at all: punctuation."""
    if word in function_words or word.lower() in function_words:
        return True
    return not word.isalnum() and not any(map(str.isalnum, word))


def _parse_words(text: str) -> frozenset[str]:
    lines = (line.partition("#")[0].strip().lower() for line in text.splitlines())
    return frozenset(normalize_text(line) for line in lines if line)
