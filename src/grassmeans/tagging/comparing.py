"""Two texts with a word in each -> how alike its contexts are."""

from __future__ import annotations

import math

from grassmeans.contexts.interface import ContextEncoder
from grassmeans.errors import InputError
from grassmeans.geometry.distances import compare_rows, usable_contexts
from grassmeans.tagging.lemmas import Lemmas
from grassmeans.tagging.marked_text import AnyTokenizer, ReadText, read_text, remove_marks
from grassmeans.tagging.tagging import locate_targets
from grassmeans.text.tokenizer import normalize_text


class _AnyWord:
    """Holds every word: what is marked is taken, whatever its form."""

    def __contains__(self, word: object) -> bool:
        return True


def locate_word(
    name: str, text: str, word: str, tokenizer: AnyTokenizer, lemmas: Lemmas | None = None
) -> ReadText:
    """A text whose only target is the first place of a word, or of what is marked ``<b>...</b>``.

    `InputError` where it is not there; ``name`` is what the message calls the text.
    """
    marked = remove_marks(normalize_text(text))[1]
    found = read_text(text, _AnyWord() if marked else {word}, tokenizer, None, lemmas)
    if not found.targets:
        what = "no word is marked" if marked else f"there is no {word!r}"
        raise InputError(
            f"{what} in {name}: expected the word itself, or the form that it has there as "
            "<b>form</b>"
        )
    return found._replace(targets=found.targets[:1], entries=[word])


def compare_texts(
    texts: tuple[str, str],
    word: str,
    encoder: ContextEncoder,
    tokenizer: AnyTokenizer,
    lemmas: Lemmas | None = None,
) -> float:
    """How alike the contexts of a word in two texts are; NaN where one of them says nothing.

    Each text is read as a whole, as far as the kind of context reads.
    """
    read = [
        locate_word(f"text{number}", text, word, tokenizer, lemmas)
        for number, text in enumerate(texts, start=1)
    ]
    listening = encoder.hearing_single_words()
    bases = listening.encode(locate_targets(read, listening)[0].occurrences)
    if not usable_contexts(bases).all():
        return math.nan
    signed = encoder.lines_have_ends
    return float(compare_rows(bases[:1], bases[1:], signed=signed)[0])
