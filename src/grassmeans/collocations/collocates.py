"""Collocates of the senses of a word, which are told for its occurrences in a corpus first.

What is counted, and how it is scored, is in `grassmeans.collocations.near_words`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grassmeans.artifacts.schema import check_arguments, either, instance_of, path, whole
from grassmeans.collocations.near_words import (
    DEFAULT_SPAN,
    Collocate,
    ComparedCollocate,
    NearWords,
    count_near_words,
)
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.geometry.windows import sample_positions
from grassmeans.labelling.decoding import tell_senses
from grassmeans.labelling.targets import find_targets
from grassmeans.models.model import SenseModel, load
from grassmeans.senses.samples import word_seeds

MAX_CONTEXTS = 5_000
"""Occurrences of a word whose senses are told, a random sample of more."""


@dataclass(frozen=True, slots=True)
class SenseCollocates:
    """Words near the senses of a word.

    Attributes
    ----------
    word : str
    names : tuple of str
        Of the senses, number 1 first.
    n_lines, n_looked_at : int
        Occurrences of the word, and those whose senses were told.
    near : NearWords
        A group for each sense: number 1 is group 0.
    """

    word: str
    names: tuple[str, ...]
    n_lines: int
    n_looked_at: int
    near: NearWords

    def rank(self, sense: int, **options: Any) -> tuple[Collocate, ...]:
        """The collocates of a sense by its number; see `NearWords.rank`."""
        return self.near.rank(self._find_group(sense), **options)

    def compare(self, first: int, second: int, **options: Any) -> tuple[ComparedCollocate, ...]:
        """What stands near one sense rather than the other; see `NearWords.compare`."""
        return self.near.compare(self._find_group(first), self._find_group(second), **options)

    def share(self, first: int, second: int, **options: Any) -> tuple[ComparedCollocate, ...]:
        """What stands near both senses; see `NearWords.share`."""
        return self.near.share(self._find_group(first), self._find_group(second), **options)

    def _find_group(self, sense: int) -> int:
        if whole(1, len(self.names))(sense) is not None:
            raise InputError(f"{self.word!r} has the senses 1 to {len(self.names)}, not {sense}")
        return sense - 1


@check_arguments(
    model=either(instance_of(SenseModel), path), corpus=either(instance_of(Corpus), path)
)
def find_collocates(
    model: SenseModel | str | Path,
    corpus: Corpus | str | Path,
    word: str,
    *,
    before: int = DEFAULT_SPAN,
    after: int = DEFAULT_SPAN,
    max_contexts: int = MAX_CONTEXTS,
    random_state: int = 0,
) -> SenseCollocates:
    """Count the words near each sense of a word.

    Parameters
    ----------
    model : SenseModel, path or name
    corpus : Corpus or path
    before, after : int
        How many words on each side are near.
    max_contexts : int
        Of more occurrences, the senses of a random sample of this size are told.

    Examples
    --------
    >>> found = find_collocates(model, corpus, "bank")  # doctest: +SKIP
    >>> [near.word for near in found.rank(1, limit=5)]  # doctest: +SKIP
    >>> found.compare(1, 2, limit=5)  # doctest: +SKIP
    """
    model = model if isinstance(model, SenseModel) else load(model)
    corpus = corpus if isinstance(corpus, Corpus) else Corpus.open(corpus)
    find_targets(corpus, model)  # refuses a corpus that was split into words by another rule
    entry = model.senses(word)
    everything = corpus.positions(entry.word)
    (seed,) = word_seeds(entry.word, random_state).spawn(1)
    positions = sample_positions(everything, max_contexts, seed)
    senses = tell_senses(model, corpus, entry.word, positions)
    groups = [positions[senses == number] for number in range(1, entry.n_senses + 1)]
    share = len(positions) / max(len(everything), 1)
    near = count_near_words(
        corpus, groups, before=before, after=after, shares=[share] * len(groups)
    )
    names = tuple(sense.name for sense in entry.senses) or ("",) * entry.n_senses
    return SenseCollocates(entry.word, names, len(everything), len(positions), near)
