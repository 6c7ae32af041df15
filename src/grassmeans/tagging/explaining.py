"""Which words of its context decided for the sense of a tagged word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from grassmeans.contexts.interface import ContextEncoder
from grassmeans.errors import InputError
from grassmeans.results import ColumnTypes, Tabular
from grassmeans.senses.inventory import SenseInventory
from grassmeans.tagging.lemmas import Lemmas
from grassmeans.tagging.marked_text import AnyTokenizer, read_text
from grassmeans.tagging.tagging import OnProgress, TaggedText, TaggedWord, locate_targets

_A_STEP = 64
"""Words that are looked at together: kinds of context may take a hundredth of a second for each."""

_SHOWN = 3


class Reader(Protocol):
    """What a model reads text with."""

    inventory: SenseInventory
    tokenizer: AnyTokenizer
    encoder: ContextEncoder

    @property
    def lemmas(self) -> Lemmas | None:
        """Which forms lead to which entries."""


class DecidingPlace(NamedTuple):
    """A word of the context.

    Attributes
    ----------
    start, end : int
        Its characters in the text.
    word : str
        As the model spells it.
    weight : float
        Its share in the decision, in [0, 1].
    """

    start: int
    end: int
    word: str
    weight: float


class Decision(NamedTuple):
    """A sense of a word in a text."""

    start: int  # the word's first character
    key: str  # its entry of the inventory
    sense: int  # from 1
    context: tuple[int, int]  # from which to which character the text decided


@dataclass(frozen=True, slots=True)
class ExplainedText(Tabular):
    """A tagged text, and what decided; iterating gives its words, each with its places.

    Attributes
    ----------
    tagged : TaggedText
    places : tuple of tuples of DecidingPlace
        For every tagged word the words of its context, in text order.
    """

    tagged: TaggedText
    places: tuple[tuple[DecidingPlace, ...], ...]

    def __iter__(self) -> Iterator[tuple[TaggedWord, tuple[DecidingPlace, ...]]]:
        return zip(self.tagged.words, self.places, strict=True)

    def __len__(self) -> int:
        return len(self.places)

    def __repr__(self) -> str:
        told = [
            f"{word.label} by {', '.join(_name_heaviest(places)) or 'nothing'}"
            for word, places in self
        ]
        return f"ExplainedText({'; '.join(told) or 'no word with senses'})"

    def rows(self) -> list[dict[str, Any]]:
        """``label`` and ``name`` of a tagged word, and a word that decided, the heaviest first."""
        return [
            {
                "label": word.label,
                "name": word.name,
                "word": place.word,
                "weight": place.weight,
                "start": place.start,
                "end": place.end,
            }
            for word, places in self
            for place in sorted(places, key=lambda place: -place.weight)
        ]

    def column_types(self) -> ColumnTypes:
        """The columns of such rows."""
        texts = dict.fromkeys(("label", "name", "word"), str)
        return texts | {"weight": float, "start": int, "end": int}


def _name_heaviest(places: Sequence[DecidingPlace]) -> list[str]:
    heaviest = sorted(places, key=lambda place: -place.weight)[:_SHOWN]
    return [place.word for place in heaviest if place.weight > 0.0]


def explain_text(
    model: Reader, tagged: TaggedText, *, on_progress: OnProgress | None = None
) -> ExplainedText:
    """A tagged text together with `find_deciding_places`."""
    found = find_deciding_places(model, tagged, on_progress=on_progress)
    return ExplainedText(tagged, tuple(tuple(places) for places in found))


def find_deciding_places(
    model: Reader, tagged: TaggedText, *, on_progress: OnProgress | None = None
) -> list[list[DecidingPlace]]:
    """For every tagged word the words of its context, in text order, with what they decided.

    The context is the stretch of text in which the word was measured (`TaggedWord.context`).
    The decision is that for the nearest sense, also where the answer is "I don't know". Words with
    too little context have nothing that decided.
    """
    found: list[list[DecidingPlace]] = [[] for _ in tagged.words]
    measured = [i for i, word in enumerate(tagged.words) if word.distances]
    decisions = [
        Decision(word.start, word.key, int(np.argmin(word.distances)) + 1, word.context)
        for word in tagged.words
        if word.distances
    ]
    places = explain_decisions(model, tagged.text, decisions, on_progress=on_progress)
    for i, decided in zip(measured, places, strict=True):
        found[i] = decided
    return found


def explain_decisions(
    model: Reader,
    text: str,
    decisions: Sequence[Decision],
    *,
    on_progress: OnProgress | None = None,
) -> list[list[DecidingPlace]]:
    """For every decision the words of its context, in text order, with what they decided.

    `InputError` where no word of the text begins at a decision's start.
    """
    if not decisions:
        return []
    # Marks were taken out where there were any: what is left of them is text.
    read = read_text(text, model.inventory, model.tokenizer, lemmas=model.lemmas, marks=False)
    place_of = {start: i for i, (start, _) in enumerate(read.spans)}
    missing = next((d for d in decisions if d.start not in place_of), None)
    if missing is not None:
        raise InputError(f"no known word begins at character {missing.start} of the text")
    targets = [place_of[decision.start] for decision in decisions]
    entries = [decision.key for decision in decisions]
    located, _ = locate_targets([read._replace(targets=targets, entries=entries)], model.encoder)
    # Nothing but the stretch that decided.
    begins = [start for start, _ in read.spans]
    stretches = np.searchsorted(begins, [decision.context for decision in decisions])
    found: list[list[DecidingPlace]] = []
    for first in range(0, len(decisions), _A_STEP):
        rows = np.arange(first, min(first + _A_STEP, len(decisions)))
        starts, ends = stretches[rows].T
        occurrences = located.cut((starts, ends), rows)
        lines = [
            model.inventory.directions(d.key)[d.sense - 1] for d in decisions[first:][:_A_STEP]
        ]
        decided = model.encoder.weigh_words(occurrences, np.stack(lines))
        moved: list[int] = (located.occurrences.positions[rows] - occurrences.positions).tolist()
        for weights, offset in zip(decided, moved, strict=True):
            places = [(place + offset, weight) for place, weight in sorted(weights)]
            found.append([DecidingPlace(*read.spans[i], read.keys[i], w) for i, w in places])
        if on_progress is not None:
            on_progress(len(found) / len(decisions))
    return found
