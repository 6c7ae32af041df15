"""One round of iterative decoding: senses found again from contexts whose words have senses.

The paper's first open question. A round takes a labelled corpus and the lexeme vectors trained on
it; contexts are subspaces of lexeme vectors now, senses are induced from them again
(`induce_again`), and every occurrence is decoded again (`decode_again`), which gives the labelled
corpus of the next round. Sense numbers stay comparable: each round names its senses after those of
the round before that they cover best. `iterating` goes through the rounds.

Context words have the vector of the sense that they are labelled with, or, with ``soft_contexts``,
the expected vector over all their senses (`grassmeans.laboratory.iteration.expected_vectors`).
"""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import digest_of, digest_of_array
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.labelling.decoding import Decoding
from grassmeans.labelling.labeller import label_by_measure
from grassmeans.labelling.measuring import Measure, ShardMeasure
from grassmeans.labelling.targets import Targets, read_targets
from grassmeans.laboratory.iteration.agreement import match_senses
from grassmeans.laboratory.iteration.expected_contexts import (
    ExpectedContextExtractor,
    ExpectedMeasure,
)
from grassmeans.laboratory.iteration.expected_vectors import find_expectations
from grassmeans.laboratory.iteration.word_contexts import LexemeContextExtractor, rows_of_keys
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.progress import progress_bar
from grassmeans.senses.decoding import DEFAULT_IDK_THRESHOLD, DEFAULT_SHARPNESS
from grassmeans.senses.description import describe_senses, orient_directions
from grassmeans.senses.entries import SkippedWord, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.kgrassmeans import KGrassmeans
from grassmeans.senses.settings import InductionSettings


def induce_again(
    labelled: Corpus,
    lexemes: LexemeVectors,
    previous: SenseInventory,
    settings: InductionSettings,
    *,
    soft_contexts: bool = False,
    sharpness: float = DEFAULT_SHARPNESS,
    show_progress: bool | None = None,
) -> SenseInventory:
    """Induce the senses of all words of an inventory from contexts of lexemes.

    Parameters
    ----------
    labelled : Corpus
        Labelled with the senses of ``previous``.
    lexemes : LexemeVectors
        Trained on ``labelled``.
    settings : InductionSettings
        ``n_senses`` is not used: a word keeps as many senses as it has.
    soft_contexts : bool
        Whether context words are expected vectors over their senses instead of one sense's.
    sharpness : float
        Of the probabilities of these senses.

    Returns
    -------
    SenseInventory
        Sense k covers what sense k of ``previous`` covered, as far as any does. Words with too few
        contexts keep their entry, and are named in ``skipped``.
    """
    extractor: LexemeContextExtractor
    window, drop_repeats = settings.window, settings.drop_repeats
    if soft_contexts:
        extractor = ExpectedContextExtractor(
            labelled, lexemes, sharpness, window=window, drop_repeats=drop_repeats
        )
    else:
        extractor = LexemeContextExtractor(
            labelled, lexemes, window=window, drop_repeats=drop_repeats
        )
    entries: list[WordSenses] = []
    skipped: list[SkippedWord] = []
    with progress_bar("inducing", len(previous), unit="words", show=show_progress) as advance:
        for word in previous.words:
            result = _induce_word(word, extractor, previous, settings)
            if isinstance(result, SkippedWord):
                skipped.append(result)
                result = previous[word]
            entries.append(result)
            advance()
    return SenseInventory(entries, skipped)


def decode_again(
    labelled: Corpus,
    lexemes: LexemeVectors,
    inventory: SenseInventory,
    settings: InductionSettings,
    output: str | Path,
    *,
    soft_contexts: bool = False,
    decoding: str = "hard",
    idk_threshold: float | None = DEFAULT_IDK_THRESHOLD,
    sharpness: float = DEFAULT_SHARPNESS,
    random_state: int = 0,
    workers: int | None = 1,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> Corpus:
    """Decode every labelled occurrence again, from contexts of lexemes.

    Parameters
    ----------
    labelled : Corpus
        The corpus that ``inventory`` was induced on, or another one (test passages, say) that has
        been through the same rounds.
    inventory : SenseInventory
        From `induce_again` with the same ``lexemes``, ``settings`` and ``soft_contexts``.
    output : path
        Folder of the new labelled corpus.
    soft_contexts : bool
        As for `induce_again`.
    decoding, idk_threshold, random_state
        As for `grassmeans.labelling.labeller.label_corpus`.
    sharpness : float
        Of the probabilities, of soft labels as of soft contexts.
    """
    targets = read_targets(labelled)
    found = [inventory.directions(word) for word in targets.words]
    if [len(rows) for rows in found] != targets.n_senses.tolist():
        raise InputError(
            f"{labelled.path} is not labelled with as many senses as the inventory has: both must "
            "have been through the same rounds"
        )
    directions = np.concatenate(found).astype(np.float32)
    context_sharpness = sharpness if soft_contexts else None
    measure = _make_measure(labelled, lexemes, targets, directions, settings, context_sharpness)
    before = labelled.manifest["labelled"]
    arrays = (lexemes.vectors.vectors, directions)
    depends_on = [before["model_digest"], context_sharpness, settings.to_dict()]
    depends_on += [list(lexemes.vectors.words), *(digest_of_array(array) for array in arrays)]
    return label_by_measure(
        labelled,
        output,
        targets,
        measure,
        Decoding(decoding, idk_threshold, sharpness, random_state),
        {"model": before["model"], "model_digest": digest_of(depends_on)},
        inputs=[lexemes.vectors.folder],
        workers=workers,
        overwrite=overwrite,
        show_progress=show_progress,
    )


def _induce_word(
    word: str,
    extractor: LexemeContextExtractor,
    previous: SenseInventory,
    settings: InductionSettings,
) -> WordSenses | SkippedWord:
    n_senses = len(previous.directions(word))
    # The streams of the first induction, so that rounds differ by their contexts only.
    seeds = np.random.SeedSequence([settings.random_state, zlib.crc32(word.encode())])
    sampling, starting = seeds.spawn(2)
    if word not in extractor:
        return SkippedWord(word, "does not occur in the corpus")
    contexts = extractor.extract(
        word, max_contexts=settings.max_contexts, random_state=sampling
    ).with_at_least(settings.rank)
    if len(contexts) < n_senses:
        return SkippedWord(
            word,
            f"has {len(contexts)} contexts of {settings.rank} known lexemes or more, "
            f"too few for {n_senses} senses",
        )
    vectors = extractor.lexemes.vectors
    bases = extractor.subspaces(word, contexts, settings)
    estimator = KGrassmeans(
        n_senses=n_senses, n_init=settings.n_init, random_state=np.random.default_rng(starting)
    )
    distances = estimator.fit_transform(bases)
    order = _order_as_before(extractor.labels(word, contexts.positions), distances)
    directions = orient_directions(estimator.directions_[order], contexts, vectors)
    return WordSenses(
        word=word,
        count=extractor.count(word),
        n_contexts=len(contexts),
        directions=directions,
        senses=describe_senses(
            word, contexts, distances[:, order], directions, extractor.corpus, vectors
        ),
    )


def _order_as_before(
    labels: NDArray[np.int64], distances: NDArray[np.floating]
) -> NDArray[np.int64]:
    """The new senses in the order of the old ones that they cover.

    Parameters
    ----------
    labels : (n,) integers
        Of the round before, 0 for "I don't know".
    distances : (n, n_senses)
    """
    n_senses = distances.shape[1]
    matching = match_senses(labels, np.argmin(distances, axis=1) + 1, n_senses)
    return np.argsort(matching.renumbering[1:])


def _make_measure(
    labelled: Corpus,
    lexemes: LexemeVectors,
    targets: Targets,
    directions: NDArray[np.float32],
    settings: InductionSettings,
    context_sharpness: float | None,
) -> ShardMeasure:
    """How occurrences are measured; with a sharpness, from contexts of expected vectors."""
    sense_offsets = np.concatenate([[0], np.cumsum(targets.n_senses)]).astype(np.int64)
    if context_sharpness is not None:
        expectations = find_expectations(labelled, lexemes, context_sharpness)
        return ExpectedMeasure(expectations, directions, sense_offsets, settings)
    return Measure(
        vectors=lexemes.vectors.vectors,
        directions=directions,
        sense_offsets=sense_offsets,
        row_of_token=rows_of_keys(labelled, lexemes),
        word_of_token=targets.word_of_token,
        window=settings.window,
        rank=settings.rank,
        weighting=settings.weighting,
        drop_repeats=settings.drop_repeats,
    )
