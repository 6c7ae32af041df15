"""The senses of one word, from its contexts."""

from __future__ import annotations

import zlib
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from grassmeans.contexts import DEFAULT_WINDOW, ContextExtractor, Contexts
from grassmeans.errors import InputError
from grassmeans.senses.description import describe_senses, orient_directions
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.kgrassmeans import KGrassmeans
from grassmeans.subspaces import principal_subspaces
from grassmeans.vectors.word_vectors import WordVectors

WEIGHTINGS = ("flat", "singular")


@dataclass(frozen=True, slots=True)
class InductionSettings:
    """How senses are induced; the defaults are the paper's.

    Parameters
    ----------
    n_senses : int
        K, the number of senses of every word.
    window : int
        Kept words a side of a context.
    rank : int
        N, the dimension of a context's subspace; contexts with fewer words are left out.
    weighting : {"flat", "singular"}
        Whether all directions of a subspace count alike, or by their singular values.
    n_init : int
        Random restarts of K-Grassmeans.
    max_contexts : int
        A random sample of this many occurrences is used.
    drop_repeats : bool
        Leave out other occurrences of the target inside its context.
    random_state : int
    """

    n_senses: int = 5
    window: int = DEFAULT_WINDOW
    rank: int = 3
    weighting: str = "flat"
    n_init: int = 5
    max_contexts: int = 10_000
    drop_repeats: bool = False
    random_state: int = 0

    def __post_init__(self) -> None:
        for name in ("n_senses", "window", "rank", "n_init", "max_contexts"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be 1 or more, got {getattr(self, name)}")
        if self.weighting not in WEIGHTINGS:
            raise InputError(
                f"weighting must be one of {', '.join(WEIGHTINGS)}, got {self.weighting!r}"
            )

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values, for a manifest."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class SkippedWord:
    """A word whose senses were not induced, and why."""

    word: str
    reason: str


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
    # One random stream per word: a word's senses do not change with the company it is induced in.
    seeds = np.random.SeedSequence([settings.random_state, zlib.crc32(word.encode())])
    sampling, starting = seeds.spawn(2)
    contexts = extractor.extract(
        word_id, max_contexts=settings.max_contexts, random_state=sampling
    ).with_at_least(settings.rank)
    if len(contexts) < settings.n_senses:
        return SkippedWord(
            word,
            f"has {len(contexts)} contexts of {settings.rank} known words or more, "
            f"too few for {settings.n_senses} senses",
        )
    return _induce(word, word_id, contexts, extractor, vectors, settings, starting)


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
