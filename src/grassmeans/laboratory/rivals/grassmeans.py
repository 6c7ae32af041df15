"""K-Grassmeans as a method among others, and finished models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from grassmeans.artifacts import digest_of
from grassmeans.labelling.keys import decode_key
from grassmeans.laboratory.rivals.interface import (
    ContextInducer,
    ContextRule,
    InducedSenses,
    Material,
)
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.induction import word_seeds
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.kgrassmeans import KGrassmeans
from grassmeans.senses.model import SenseModel
from grassmeans.senses.settings import (
    DEFAULT_GRANULARITY,
    DEFAULT_MAX_SENSES,
    InductionSettings,
    fewest_words,
)
from grassmeans.subspaces import principal_subspaces
from grassmeans.vectors.word_vectors import WordVectors

_ROWS_AT_ONCE = 4_096  # the subspaces of so many contexts take 15 megabytes


class DirectionSenses(InducedSenses):
    """Senses as intersection directions, of an inventory.

    Parameters
    ----------
    inventory : SenseInventory
    vectors : WordVectors
        With which it was induced.
    settings : InductionSettings
        Its window, rank, weighting and repeats are looked at.
    lexemes : LexemeVectors, optional
        Trained on a corpus that these senses labelled: the sense vectors. Without them the
        directions are.
    """

    def __init__(
        self,
        inventory: SenseInventory,
        vectors: WordVectors,
        settings: InductionSettings,
        lexemes: LexemeVectors | None = None,
    ) -> None:
        self.inventory = inventory
        self.vectors = vectors
        self.lexemes = lexemes
        self.words = inventory.words
        self.rule = ContextRule(window=settings.window, drop_repeats=settings.drop_repeats)
        self.space = vectors if lexemes is None else merge_lexemes(lexemes)
        self._rank = settings.rank
        self._weighting = settings.weighting

    def __contains__(self, word: object) -> bool:
        return word in self.inventory

    def n_senses(self, word: str) -> int:
        """The number of directions."""
        self.require(word)
        return len(self.inventory.directions(word))

    def distances(self, word: str, context_ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """(n_contexts, n_senses), NaN for contexts with too few words (`fewest_words`)."""
        self.require(word)
        directions = np.asarray(self.inventory.directions(word))
        distances = np.full((len(context_ids), len(directions)), np.nan, np.float32)
        fewest = fewest_words(self._rank, self._weighting)
        usable = np.flatnonzero(np.count_nonzero(context_ids >= 0, axis=1) >= fewest)
        for rows in np.split(usable, range(_ROWS_AT_ONCE, len(usable), _ROWS_AT_ONCE)):
            bases = principal_subspaces(
                context_ids[rows], self.vectors.vectors, self._rank, weighting=self._weighting
            )
            kept = np.square(bases @ directions.T).sum(axis=1)
            distances[rows] = np.sqrt(np.clip(1.0 - kept, 0.0, 1.0))
        return distances

    def sense_vectors(self, word: str) -> NDArray[np.float32] | None:
        """(n_senses, dim) lexeme vectors, or directions where there are no lexeme vectors at all.

        For a sense whose lexeme has no vector another stands in, as `LexemeVectors` says; None for
        a word that has none.
        """
        self.require(word)
        if self.lexemes is None:
            return np.asarray(self.inventory.directions(word))
        numbers = range(1, self.n_senses(word) + 1)
        rows = [self.lexemes.standing_row(word, number) for number in numbers]
        known = [row for row in rows if row is not None]
        # A word has a vector for each sense or, where it has none under any name, for no sense.
        return self.lexemes.vectors.vectors[known] if known else None


class ModelSenses(DirectionSenses):
    """The senses of a finished model.

    Parameters
    ----------
    model : SenseModel
    lexemes : LexemeVectors, optional
        The vectors of its lexemes.
    """

    def __init__(self, model: SenseModel, lexemes: LexemeVectors | None = None) -> None:
        rules = model.rules
        settings = InductionSettings(
            window=rules.window,
            rank=rules.rank,
            weighting=rules.weighting,
            drop_repeats=rules.drop_repeats,
        )
        super().__init__(model.inventory, model.vectors, settings, lexemes)
        self.model = model


class GrassmeansSenses(ContextInducer):
    """K-Grassmeans: subspaces of contexts, grouped by the direction in which they meet.

    Parameters
    ----------
    n_senses : int or "auto"
        The same for all words, or as many as the contexts of each show.
    rank : int
        The dimension of a context's subspace.
    weighting : {"flat", "singular"}
        Whether its directions count alike, or by their singular values.
    n_init : int
        Random restarts.
    window : int
        Kept words a side.
    drop_repeats : bool
        Leave out other occurrences of the target inside its context.
    lexemes : path, optional
        Lexeme vectors of a corpus that was labelled with senses of the same settings, corpus and
        vectors; the same senses are found again. They become the sense vectors.
    max_senses, granularity
        With "auto"; see `InductionSettings`.
    """

    name = "grassmeans"

    def __init__(
        self,
        n_senses: int | str = 2,
        rank: int = 3,
        weighting: str = "flat",
        n_init: int = 5,
        window: int = ContextRule().window,
        drop_repeats: bool = False,
        lexemes: str | Path | None = None,
        max_senses: int = DEFAULT_MAX_SENSES,
        granularity: float = DEFAULT_GRANULARITY,
    ) -> None:
        self.n_senses = n_senses
        self.rank = rank
        self.weighting = weighting
        self.n_init = n_init
        self.window = window
        self.drop_repeats = drop_repeats
        self.lexemes = lexemes
        self.max_senses = max_senses
        self.granularity = granularity

    @property
    def rule(self) -> ContextRule:
        """Content words inside the window."""
        return ContextRule(window=self.window, drop_repeats=self.drop_repeats)

    def induce(self, material: Material) -> InducedSenses:
        """Induce as `grassmeans induce` does; an interrupted run goes on from its folder."""
        settings = self._make_settings(material.random_state, material.max_contexts)
        inventory = SenseInventory([])
        if material.words:
            inventory = SenseInventory.induce(
                material.corpus,
                material.vectors,
                material.words,
                settings=settings,
                workers=material.workers,
                parts=_parts_folder(material, settings),
            )
        lexemes = None if self.lexemes is None else LexemeVectors.load(self.lexemes)
        return DirectionSenses(inventory, material.vectors, settings, lexemes)

    def induce_from_contexts(
        self, word: str, context_ids: NDArray[np.int32], vectors: WordVectors, random_state: int
    ) -> InducedSenses | None:
        """Group these contexts; None where too few have as many words as the rank."""
        settings = self._make_settings(random_state, max(len(context_ids), 1))
        usable = context_ids[np.count_nonzero(context_ids >= 0, axis=1) >= self.rank]
        if len(usable) < settings.fewest_contexts:
            return None
        bases = principal_subspaces(usable, vectors.vectors, self.rank, weighting=self.weighting)
        estimator = KGrassmeans(
            n_senses=self.n_senses,
            n_init=self.n_init,
            max_senses=self.max_senses,
            granularity=self.granularity,
            random_state=np.random.default_rng(word_seeds(word, random_state)),
        ).fit(bases)
        entry = WordSenses(word, len(context_ids), len(usable), estimator.directions_, ())
        return DirectionSenses(SenseInventory([entry]), vectors, settings)

    def _make_settings(self, random_state: int, max_contexts: int) -> InductionSettings:
        return InductionSettings(
            n_senses=self.n_senses,
            window=self.window,
            rank=self.rank,
            weighting=self.weighting,
            n_init=self.n_init,
            max_contexts=max_contexts,
            drop_repeats=self.drop_repeats,
            max_senses=self.max_senses,
            granularity=self.granularity,
            random_state=random_state,
        )


def merge_lexemes(lexemes: LexemeVectors) -> WordVectors:
    """Vectors of whole words in the space of the lexemes.

    The vector of a word is the mean of its lexemes' vectors, weighted by their counts where these
    are known: in the paper's model a word's vector is such a sum of those of its senses.
    """
    keys = lexemes.vectors.words
    numbers: dict[str, int] = {}
    owners = np.array([numbers.setdefault(decode_key(key)[0], len(numbers)) for key in keys])
    counts = lexemes.vectors.counts
    weights = np.ones(len(keys)) if counts is None else np.maximum(counts, 1).astype(np.float64)
    totals = np.bincount(owners, weights, minlength=len(numbers))
    shares = (weights / totals[owners]).astype(np.float32)
    mixing = csr_array((shares, (owners, np.arange(len(keys)))), (len(numbers), len(keys)))
    merged = mixing @ lexemes.vectors.vectors
    return WordVectors(list(numbers), merged, totals.astype(np.int64), check=False)


def _parts_folder(material: Material, settings: InductionSettings) -> Path | None:
    """Where finished parts lie: those of other settings are not taken for these."""
    if material.folder is None:
        return None
    identity = digest_of([settings.to_dict(), material.corpus.manifest["digest"]])
    return material.folder / f"parts-{identity}"
