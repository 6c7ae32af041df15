"""Contexts of a word from the corpus, with their subspaces."""

from __future__ import annotations

from grassmeans.contexts import NO_TOKEN, contexts_at, sample_positions
from grassmeans.explorer.failures import WordNotFoundError
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.words import suggest_words
from grassmeans.explorer.work import Checkpoint
from grassmeans.senses.editing import WordSample
from grassmeans.senses.induction import word_seeds
from grassmeans.subspaces import principal_subspaces


def sample_word(
    opened: OpenModel, word: str, max_contexts: int, checkpoint: Checkpoint
) -> WordSample:
    """A random sample of a word's contexts: the one that inducing its senses would take.

    Raises
    ------
    NoCorpusError, WordNotFoundError
    """
    corpus = opened.require_corpus("looking at contexts")
    key = opened.key_of(word)
    found = opened.samples.get((key, max_contexts))
    if found is not None:
        return found
    word_id = word_id_of(opened, key)
    settings = opened.settings
    sampling = word_seeds(key, settings.random_state).spawn(2)[0]
    positions = sample_positions(corpus.positions(word_id), max_contexts, sampling)
    left_out = word_id if settings.drop_repeats else NO_TOKEN
    contexts = contexts_at(corpus, positions, opened.row_of_token, settings.window, left_out)
    contexts = contexts.with_at_least(settings.rank)
    checkpoint(0.1)
    bases = principal_subspaces(
        contexts.context_ids,
        opened.base.vectors.vectors,
        settings.rank,
        weighting=settings.weighting,
    )
    sample = WordSample(contexts, bases, corpus)
    opened.samples.put((key, max_contexts), sample)
    checkpoint(0.3)
    return sample


def word_id_of(opened: OpenModel, key: str) -> int:
    """The corpus's id of a word; `WordNotFoundError` where it does not occur."""
    word_id = opened.require_corpus("looking at contexts").vocabulary.id_of(key)
    if word_id < 0:
        suggestions = suggest_words(opened, key)
        raise WordNotFoundError(f"{key[:80]!r} does not occur in the corpus", suggestions)
    return word_id
