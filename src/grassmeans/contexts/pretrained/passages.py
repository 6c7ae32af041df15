"""What a transformer reads of an occurrence: a passage of the original text around it.

Where passages begin depends on the document alone, never on which of its words are asked for: so
the vector of an occurrence does not change with the company it is in, and the words of a passage
are read together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.contexts.pretrained.network import WordsInText
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.errors import InputError

Places = NDArray[np.int64]

_STEPS = 4
"""Passages begin every so many parts of their length: 3/8 of it is left on either side."""


@dataclass(frozen=True, slots=True)
class TextPassages:
    """Passages, and which occurrences stand in each.

    Attributes
    ----------
    texts : list of WordsInText
    order : (n,) int64
        The occurrence that each word of the texts is, in their order.
    """

    texts: list[WordsInText]
    order: Places


def cut_texts(
    occurrences: Occurrences, width: int, forms: Mapping[str, str] | None = None
) -> TextPassages:
    """The passages of occurrences, at most ``width`` tokens of their document each.

    Parameters
    ----------
    forms : mapping of str to str, optional
        What is written in place of the words themselves, for those that it has; every occurrence
        has a passage of its own then.
    """
    text = occurrences.text
    if text is None:
        raise InputError("a transformer reads the original text: tokens alone do not have it")
    bounds = np.stack(choose_bounds(occurrences, width), axis=1)
    if forms is not None:
        numbers = np.arange(len(bounds))
    else:
        bounds, numbers = np.unique(bounds, axis=0, return_inverse=True)
        numbers = numbers.reshape(-1)
    order = np.argsort(numbers, kind="stable")
    groups = np.split(order, np.searchsorted(numbers[order], np.arange(1, len(bounds))))
    texts = []
    for (first, end), group in zip(bounds.tolist(), groups, strict=True):
        written, spans = text.read(first, end)
        wanted = [spans[place - first] for place in occurrences.positions[group].tolist()]
        words = WordsInText(written, tuple(wanted))
        if forms is not None:
            number = int(occurrences.tokens[occurrences.positions[group[0]]])
            form = forms.get(occurrences.words[number]) if number >= 0 else None
            words = words if form is None else replace_word(words, form)
        texts.append(words)
    return TextPassages(texts, order)


def choose_bounds(occurrences: Occurrences, width: int) -> tuple[Places, Places]:
    """(n,) first tokens and (n,) ends of the passages of occurrences.

    A document is cut every quarter of the width; a passage goes as far beyond its quarter on either
    side, and all of a document's first and last passages are as long as the others.
    """
    starts, ends = occurrences.document_bounds
    step = max(width // _STEPS, 1)
    quarters = starts + (occurrences.positions - starts) // step * step
    first = np.clip(quarters - (width - step) // 2, starts, np.maximum(ends - width, starts))
    return first, np.minimum(first + width, ends)


def replace_word(words: WordsInText, form: str) -> WordsInText:
    """The passage of a single word with another one in its place."""
    ((start, end),) = words.spans
    text = f"{words.text[:start]}{form}{words.text[end:]}"
    return WordsInText(text, ((start, start + len(form)),))


def hide_words(
    occurrence: Occurrences, width: int, places: Sequence[int], mask: str
) -> list[WordsInText]:
    """The passage of a single occurrence as it is, and once more with each of some words hidden.

    Parameters
    ----------
    places : sequence of int
        Positions of these words, which are in the passage.
    """
    assert occurrence.text is not None
    (first,), (end,) = choose_bounds(occurrence, width)
    text, spans = occurrence.text.read(int(first), int(end))
    start, stop = spans[int(occurrence.positions[0] - first)]
    found = [WordsInText(text, ((start, stop),))]
    for place in places:
        begin, behind = spans[place - int(first)]
        moved = len(mask) - (behind - begin) if begin < start else 0
        hidden = f"{text[:begin]}{mask}{text[behind:]}"
        found.append(WordsInText(hidden, ((start + moved, stop + moved),)))
    return found


def single_words(words: Sequence[str]) -> list[WordsInText]:
    """Words with no text around them."""
    return [WordsInText(word, ((0, len(word)),)) for word in words]
