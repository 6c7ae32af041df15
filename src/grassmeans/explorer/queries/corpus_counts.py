"""How often a word and each of its senses occur in the corpus that is open.

Beside the model's own counts where the corpus is another one; the two are never mixed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grassmeans.editing.edited_words import EditedWord
from grassmeans.explorer.limits import ConflictError
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.induce import sample_word
from grassmeans.explorer.queries.words import require_word
from grassmeans.explorer.work import Checkpoint
from grassmeans.models.origin import name_corpus
from grassmeans.senses.samples import WordSample

_DIGITS = 4


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """A word in the corpus that is open.

    Attributes
    ----------
    corpus : str
        Its name.
    count : int
        Occurrences of the word.
    n_contexts : int
        Those that were looked at and say something.
    shares : tuple of float
        Of the senses 1, 2, ..., hidden ones too; empty without any context.
    """

    word: str
    corpus: str
    count: int
    n_contexts: int
    shares: tuple[float, ...]


def count_in_corpus(
    opened: OpenModel, word: str, checkpoint: Checkpoint | None = None
) -> CorpusCounts:
    """Count a word of the model in the corpus: every context belongs to its nearest sense."""
    corpus = opened.require_corpus("counting a word")
    now = opened.now
    key = require_word(opened, word)
    count = corpus.count_of(key) if key in corpus.vocabulary else 0
    shares: tuple[float, ...] = ()
    n_contexts = 0
    if count:
        edited = now.edits.get(key) or EditedWord.start(opened.base, key)
        sample = sample_for_counts(opened, key, checkpoint or Checkpoint())
        n_contexts = len(sample.contexts)
        if n_contexts:
            nearest = sample.measure(edited.entry.directions).argmin(axis=1)
            sizes = np.bincount(nearest, minlength=edited.entry.n_senses)
            shares = tuple(round(float(size) / n_contexts, _DIGITS) for size in sizes)
    return CorpusCounts(key, name_corpus(corpus).name, count, n_contexts, shares)


def sample_for_counts(opened: OpenModel, key: str, checkpoint: Checkpoint) -> WordSample:
    """The contexts in which a word is counted: as many as the model looked at, the same ones."""
    most = min(opened.settings.max_contexts, opened.limits.work.contexts)
    sample = sample_word(opened, key, most, checkpoint)
    if not len(sample.contexts):
        raise ConflictError(f"no occurrence of {key!r} has known words enough around it")
    return sample
