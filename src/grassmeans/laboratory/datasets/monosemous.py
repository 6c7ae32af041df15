"""Which words to merge: words of one meaning, drawn at random from a band of frequencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.laboratory.datasets.wordnet import WordNet

_MIN_LENGTH = 3


@dataclass(frozen=True, slots=True)
class WordChoice:
    """How the words to merge are drawn.

    Parameters
    ----------
    n_groups : int
        Number of artificial words.
    size : int
        Words in each.
    min_count, max_count : int
        Words that occur so often; None: no upper limit.
    by_frequency : bool
        Draw frequent words more often, in proportion to their counts.
    random_state : int
    """

    n_groups: int = 10
    size: int = 2
    min_count: int = 500
    max_count: int | None = 10_000
    by_frequency: bool = False
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.n_groups < 1:
            raise InputError(f"n_groups must be 1 or more, got {self.n_groups}")
        if self.size < 2:
            raise InputError(f"an artificial word merges 2 words or more, got {self.size}")
        if self.max_count is not None and self.max_count < self.min_count:
            raise InputError(
                f"max_count must be min_count ({self.min_count}) or more, got {self.max_count}"
            )


def choose_groups(
    corpus: Corpus, choice: WordChoice, wordnet: WordNet | None = None
) -> list[tuple[str, ...]]:
    """Draw words at random and put them into groups; no word comes twice.

    Without WordNet nobody knows which words have one meaning only: any content word of the band
    may come, and most words of a middle frequency have one meaning that is by far the commonest.

    Parameters
    ----------
    wordnet : WordNet, optional
        Take only words whose dictionary form has one sense there.

    Raises
    ------
    InputError
        Where there are not enough words.
    """
    candidates = find_candidates(corpus, choice.min_count, choice.max_count, wordnet)
    needed = choice.n_groups * choice.size
    if len(candidates) < needed:
        upper = "" if choice.max_count is None else f" to {choice.max_count:,}"
        kind = "words with one sense in WordNet" if wordnet is not None else "content words"
        raise InputError(
            f"{choice.n_groups} artificial words of {choice.size} words need {needed} words, but "
            f"the corpus has {len(candidates)} {kind} that occur {choice.min_count:,}{upper} times:"
            " widen the band (--min-count, --max-count), or merge fewer"
        )
    rng = np.random.default_rng(choice.random_state)
    drawn = rng.choice(
        len(candidates),
        needed,
        replace=False,
        p=_weights(corpus, candidates) if choice.by_frequency else None,
    )
    words = [candidates[i] for i in drawn.tolist()]
    return [tuple(words[i : i + choice.size]) for i in range(0, needed, choice.size)]


def find_candidates(
    corpus: Corpus, min_count: int, max_count: int | None, wordnet: WordNet | None = None
) -> list[str]:
    """Words of a band of frequencies: no function words, three letters or more and letters only."""
    vocabulary = corpus.vocabulary
    first = 0 if max_count is None else vocabulary.size_at(max_count + 1)
    band = vocabulary.words[first : vocabulary.size_at(min_count)]
    words = [
        word
        for word in band
        if len(word) >= _MIN_LENGTH and word.isalpha() and word not in corpus.function_words
    ]
    return words if wordnet is None else [word for word in words if is_monosemous(word, wordnet)]


def is_monosemous(word: str, wordnet: WordNet) -> bool:
    """Whether the word, or its dictionary form, has one sense in all parts of speech together."""
    form = wordnet.base_form(word.lower())
    return sum(len(lemmas.get(form, ())) for lemmas in wordnet.index.values()) == 1


def _weights(corpus: Corpus, words: Sequence[str]) -> NDArray[np.float64]:
    counts = np.array([corpus.vocabulary.count_of(word) for word in words], np.float64)
    shares: NDArray[np.float64] = counts / counts.sum()
    return shares
