"""Vectors of senses with nothing trained: where words lie among the lines of contexts."""

from __future__ import annotations

import numpy as np

from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.keys import encode_key
from grassmeans.vectors.similarity import unit_rows
from grassmeans.vectors.word_vectors import WordVectors


def place_lexemes(inventory: SenseInventory, plain: WordVectors) -> WordVectors:
    """A vector for each sense, by keys such as ``crane.2``, and those of words without senses.

    Words lie in the space of directions: each where contexts ask for it. The direction of a sense
    is where those contexts meet that mean it. Its vector is what is between the two: the unit
    vector of the word plus the unit direction. A word without a vector has its directions.
    """
    words = list(inventory.sense_counts)
    numbers = np.fromiter(inventory.sense_counts.values(), np.int64, len(words))
    directions = unit_rows(inventory.lines_of(words).directions)
    known = unit_rows(np.asarray(plain.vectors, np.float32))
    rows = np.repeat(plain.ids_of(words), numbers)
    own = np.where((rows >= 0)[:, None], known[rows], np.float32(0.0))
    pairs = zip(words, numbers.tolist(), strict=True)
    keys = [encode_key(word, k) for word, n in pairs for k in range(1, n + 1)]
    others = [row for row, word in enumerate(plain.words) if word not in inventory]
    vectors = np.concatenate([unit_rows(own + directions), known[others]])
    keys += [encode_key(plain.words[row]) for row in others]
    return WordVectors(keys, vectors, check=False)
