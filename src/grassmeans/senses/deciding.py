"""Which words of its context decided for the sense of a tagged word."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grassmeans.senses.marked_text import read_text
from grassmeans.senses.model import SenseModel
from grassmeans.senses.tagging import TaggedText, locate_targets


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


def find_deciding_places(model: SenseModel, tagged: TaggedText) -> list[list[DecidingPlace]]:
    """For every tagged word the words of its context, in text order, with what they decided.

    The context is the stretch of text in which the word was measured (`TaggedWord.context`).
    The decision is that for the nearest sense, also where the answer is "I don't know". Words with
    too little context have nothing that decided.
    """
    found: list[list[DecidingPlace]] = [[] for _ in tagged.words]
    measured = [i for i, word in enumerate(tagged.words) if word.distances]
    if not measured:
        return found
    read = read_text(tagged.text, model.inventory, model.tokenizer, lemmas=model.lemmas)
    place_of = {start: i for i, (start, _) in enumerate(read.spans)}
    targets = [place_of[tagged[i].start] for i in measured]
    entries = [tagged[i].key for i in measured]
    chosen = read._replace(targets=targets, entries=entries)
    located, keys = locate_targets([chosen], model.encoder)
    # Nothing but the stretch that decided.
    begins = [start for start, _ in read.spans]
    stretches = np.searchsorted(begins, [tagged[i].context for i in measured]).T
    occurrences = located.cut((stretches[0], stretches[1]), np.arange(len(measured)))
    nearest = [int(np.argmin(tagged[i].distances)) for i in measured]
    lines = [model.inventory.directions(key)[k] for key, k in zip(keys, nearest, strict=True)]
    decided = model.encoder.weigh_words(occurrences, np.stack(lines))
    moved: list[int] = (located.occurrences.positions - occurrences.positions).tolist()
    for i, weights, offset in zip(measured, decided, moved, strict=True):
        found[i] = [
            DecidingPlace(*read.spans[place + offset], read.keys[place + offset], weight)
            for place, weight in sorted(weights)
        ]
    return found
