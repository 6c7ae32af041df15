"""Function words: the words that hold sentences together and say little about a context.

The lists hold articles, pronouns, prepositions, conjunctions, auxiliaries, particles and very
general adverbs, and the fragments that the tokenizer leaves at apostrophes.
"""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from grassmeans.corpus.tokenizer import normalize_text
from grassmeans.errors import InputError

NO_LANGUAGE = "none"
_SUFFIX = ".txt"


def _lists_folder() -> Traversable:
    return resources.files("grassmeans.corpus").joinpath("data", "function_words")


def available_languages() -> tuple[str, ...]:
    """The codes of the languages that have a list."""
    names = (entry.name for entry in _lists_folder().iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)))


def load_function_words(language: str | None = None, file: Path | None = None) -> frozenset[str]:
    """Load a list of function words.

    Parameters
    ----------
    language : str, optional
        One of :func:`available_languages`; ``"none"`` or None: no words.
    file : Path, optional
        A list of one's own, one word a line, in UTF-8; what follows a ``#`` is a comment. It
        counts instead of the language's.

    Returns
    -------
    frozenset of str
        In lower case and NFC, as the tokenizer makes its keys.
    """
    if file is not None:
        return _read_file(Path(file))
    code = NO_LANGUAGE if language is None else language.strip().lower()
    if code == NO_LANGUAGE:
        return frozenset()
    if code not in available_languages():
        raise InputError(
            f"there is no list of function words for the language {language!r}: the languages are "
            f"{', '.join(available_languages())}; give your own list with --function-words FILE, "
            f"or choose {NO_LANGUAGE}"
        )
    return _parse_words(_lists_folder().joinpath(code + _SUFFIX).read_text(encoding="utf-8"))


def _read_file(path: Path) -> frozenset[str]:
    try:
        words = _parse_words(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"the list of function words {path} is not UTF-8: {error}") from error
    except OSError as error:
        raise InputError(
            f"cannot read the list of function words {path}: {error.strerror}"
        ) from error
    if not words:
        raise InputError(f"the list of function words {path} is empty: give one word a line")
    return words


def _parse_words(text: str) -> frozenset[str]:
    lines = (line.partition("#")[0].strip().lower() for line in text.splitlines())
    return frozenset(normalize_text(line) for line in lines if line)
