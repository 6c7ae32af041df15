"""The senses of one word, from its contexts."""

from __future__ import annotations

import zlib

import numpy as np

from grassmeans.contexts import ContextExtractor, Contexts
from grassmeans.senses.description import describe_senses, orient_directions
from grassmeans.senses.entries import SkippedWord, WordSenses
from grassmeans.senses.kgrassmeans import KGrassmeans
from grassmeans.senses.settings import AUTO, InductionSettings
from grassmeans.subspaces import principal_subspaces
from grassmeans.vectors.word_vectors import WordVectors


def induce_word(
    word: str, extractor: ContextExtractor, vectors: WordVectors, settings: InductionSettings
) -> WordSenses | SkippedWord:
    """Induce and describe the senses of one word.

    The result depends on the word, the corpus, the vectors and the settings only, not on which
    other words are induced or on the number of workers.
    """
    word_id = extractor.corpus.vocabulary.id_of(word)
    if word_id < 0:
        return SkippedWord(word, "does not occur in the corpus")
    sampling, starting = word_seeds(word, settings.random_state).spawn(2)
    contexts = extractor.extract(
        word_id, max_contexts=settings.max_contexts, random_state=sampling
    ).with_at_least(settings.rank)
    if len(contexts) < settings.fewest_contexts:
        wanted = "any sense" if settings.n_senses == AUTO else f"{settings.n_senses} senses"
        return SkippedWord(
            word,
            f"has {len(contexts)} contexts of {settings.rank} known words or more, "
            f"too few for {wanted}",
        )
    return _induce(word, word_id, contexts, extractor, vectors, settings, starting)


def word_seeds(word: str, random_state: int) -> np.random.SeedSequence:
    """One random stream per word: its senses do not change with the company it is induced in."""
    return np.random.SeedSequence([random_state, zlib.crc32(word.encode())])


def _induce(
    word: str,
    word_id: int,
    contexts: Contexts,
    extractor: ContextExtractor,
    vectors: WordVectors,
    settings: InductionSettings,
    starting: np.random.SeedSequence,
) -> WordSenses:
    bases = principal_subspaces(
        contexts.context_ids, vectors.vectors, settings.rank, weighting=settings.weighting
    )
    estimator = KGrassmeans(
        n_senses=settings.n_senses,
        n_init=settings.n_init,
        random_state=np.random.default_rng(starting),
        max_senses=settings.max_senses,
        granularity=settings.granularity,
    )
    distances = estimator.fit_transform(bases)
    directions = orient_directions(estimator.directions_, contexts, vectors)
    corpus = extractor.corpus
    return WordSenses(
        word=word,
        count=int(corpus.vocabulary.counts[word_id]),
        n_contexts=len(contexts),
        directions=directions,
        senses=describe_senses(word, contexts, distances, directions, corpus, vectors),
    )
