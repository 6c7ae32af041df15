"""Function words that are content words at times: "may" the month, "mine" with coal in it.

The groups of a function word's contexts are told apart without labels: the words nearest to a
group's direction are what could stand in its place, so a group among whose nearest words there is
hardly any function word is a use as a content word. Function words are about one in a hundred of
the words that are looked at, and most of the nearest ones where a word is used as one of them; of
those in other uses one in twenty is more than chance. For contexts whose lines have ends: others
lie near what the text is about, whatever the word.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from grassmeans.arrays import Booleans, Floats
from grassmeans.clustering.loop import FitOptions
from grassmeans.clustering.sense_number import MIN_CONTEXTS, MIN_SHARE, find_meeting
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.senses.describing import NEAREST_AMONG, describe_sample
from grassmeans.senses.entries import SkippedWord, WordSenses
from grassmeans.senses.samples import WordSample
from grassmeans.vectors.word_vectors import WordVectors

MOST_WORDS = 500
"""Function words that are looked at, the most frequent ones: lists have a few hundred."""

FEWEST_VECTORS = 2_000
"""With fewer words the nearest ones of a direction are not near enough to tell a use."""

_N_NEAREST = 30
_CONTENT = 0.95  # of the nearest words, those that are content words


def frequent_function_words(corpus: Corpus, vectors: WordVectors, min_count: int) -> list[str]:
    """The words of a corpus's list that have a vector and occur often enough, in their order.

    None where there are too few vectors to tell their uses apart.
    """
    if len(vectors) < FEWEST_VECTORS:
        return []
    candidates = corpus.vocabulary.words[: corpus.vocabulary.size_at(min_count)]
    # A letter alone is what is left of a word that was cut: of "Paris's", or of "U.S.".
    own = (w for w in candidates if len(w) > 1 and w.lower() in corpus.function_words)
    return [word for word in own if word in vectors and word.isalpha()][:MOST_WORDS]


def find_content_uses(
    word: str, directions: Floats, vectors: WordVectors, function_words: Collection[str]
) -> Booleans:
    """(n_senses,) whether each direction, turned to its side, is a use as a content word."""
    found = vectors.nearest(directions, _N_NEAREST + 1, first=NEAREST_AMONG)
    uses = []
    for rows in found.ids:
        near = [vectors.words[row] for row in rows if vectors.words[row] != word][:_N_NEAREST]
        n_content = sum(not is_function_word(name, function_words) for name in near)
        uses.append(n_content >= _CONTENT * len(near))
    return np.array(uses, np.bool_)


def judge_function_word(
    entry: WordSenses, sample: WordSample, vectors: WordVectors
) -> WordSenses | SkippedWord:
    """The entry of a function word with its uses as such in one sense, or why it has none.

    The content uses need as many contexts together as a group needs to be a sense.
    """
    is_content = find_content_uses(entry.word, entry.directions, vectors, sample.function_words)
    if is_content.all():
        return entry
    labels = sample.measure(entry.directions).argmin(axis=1)
    sizes = np.bincount(labels, minlength=entry.n_senses)
    n_content = int(sizes[is_content].sum())
    if n_content < max(MIN_CONTEXTS, MIN_SHARE * len(labels)):
        return SkippedWord(
            entry.word,
            f"is a function word here: {len(labels):,} of its occurrences show no use as a "
            "content word, or too few",
        )
    directions, sizes = entry.directions[is_content], sizes[is_content]
    met = find_meeting(sample.bases[~is_content[labels]], FitOptions(signed=sample.lines_have_ends))
    directions = np.concatenate([directions, met[None]])
    order = np.argsort(-np.append(sizes, len(labels) - n_content), kind="stable")
    described = describe_sample(sample, directions[order], vectors)
    number = int(np.flatnonzero(order == len(directions) - 1)[0])
    senses = list(described.senses)
    senses[number] = replace(senses[number], function=True)
    return replace(described, senses=tuple(senses))
