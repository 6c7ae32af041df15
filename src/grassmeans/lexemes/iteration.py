"""Iterative decoding: senses found again from contexts whose words have senses already.

The paper's first open question. One round takes a labelled corpus and the lexeme vectors trained on
it; contexts are subspaces of lexeme vectors now, senses are induced from them again
(`induce_again`), and every occurrence is decoded again (`decode_again`), which gives the labelled
corpus of the next round. Sense numbers stay comparable: each round names its senses after those of
the round before that they cover best.
"""

from __future__ import annotations

import shutil
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import (
    MANIFEST,
    UNFINISHED,
    digest_of,
    digest_of_array,
    prepare_output,
    read_json,
    write_json,
    write_manifest,
)
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.ingest import FORMAT_VERSION, KIND, shard_folder
from grassmeans.errors import InputError
from grassmeans.labelling.labeller import relabel
from grassmeans.labelling.measuring import Measure, measure_corpus
from grassmeans.labelling.stored import DISTANCES, POSITIONS
from grassmeans.labelling.targets import read_targets
from grassmeans.labelling.writing import share_file
from grassmeans.lexemes.agreement import match_senses
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.lexemes.word_contexts import LexemeContextExtractor, rows_of_keys
from grassmeans.progress import progress_bar
from grassmeans.senses.decoding import DEFAULT_IDK_THRESHOLD
from grassmeans.senses.description import describe_senses, orient_directions
from grassmeans.senses.entries import SkippedWord, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.kgrassmeans import KGrassmeans
from grassmeans.senses.settings import InductionSettings
from grassmeans.subspaces import principal_subspaces


def induce_again(
    labelled: Corpus,
    lexemes: LexemeVectors,
    previous: SenseInventory,
    settings: InductionSettings,
    *,
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

    Returns
    -------
    SenseInventory
        Sense k covers what sense k of ``previous`` covered, as far as any does. Words with too few
        contexts keep their entry, and are named in ``skipped``.
    """
    _check_settings(settings)
    extractor = LexemeContextExtractor(labelled, lexemes, window=settings.window)
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
    decoding: str = "hard",
    idk_threshold: float | None = DEFAULT_IDK_THRESHOLD,
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
        From `induce_again` with the same ``lexemes`` and ``settings``.
    output : path
        Folder of the new labelled corpus.
    decoding, idk_threshold, random_state
        As for `grassmeans.labelling.labeller.label_corpus`.
    """
    _check_settings(settings)
    folder = Path(output)
    if folder.resolve() == labelled.path.resolve():
        raise InputError(f"{folder} holds the labels of the round before: choose another folder")
    prepare_output(folder, KIND, overwrite=overwrite)  # refuses before the long work, not after
    staged = folder.with_name(f"{folder.name}.distances")
    measure = _make_measure(labelled, lexemes, inventory, settings)
    digest = _digest_of(measure)
    _claim(staged, digest)
    measure_corpus(labelled, staged, measure, workers, show_progress)
    _stage_corpus(labelled, staged, digest)
    decoded = relabel(
        Corpus.open(staged),
        folder,
        decoding=decoding,
        idk_threshold=idk_threshold,
        random_state=random_state,
        workers=workers,
        show_progress=show_progress,
    )
    shutil.rmtree(staged)
    return decoded


def _check_settings(settings: InductionSettings) -> None:
    if settings.drop_repeats:
        raise InputError(
            "iterative decoding needs senses that were induced without --drop-repeats: a word's "
            "repeats stand under several keys"
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
    bases = principal_subspaces(
        contexts.context_ids, vectors.vectors, settings.rank, weighting=settings.weighting
    )
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
    inventory: SenseInventory,
    settings: InductionSettings,
) -> Measure:
    targets = read_targets(labelled)
    directions = [inventory.directions(word) for word in targets.words]
    if [len(rows) for rows in directions] != targets.n_senses.tolist():
        raise InputError(
            f"{labelled.path} is not labelled with as many senses as the inventory has: both must "
            "have been through the same rounds"
        )
    return Measure(
        vectors=lexemes.vectors.vectors,
        directions=np.concatenate(directions).astype(np.float32),
        sense_offsets=np.concatenate([[0], np.cumsum(targets.n_senses)]).astype(np.int64),
        row_of_token=rows_of_keys(labelled, lexemes),
        word_of_token=targets.word_of_token,
        window=settings.window,
        rank=settings.rank,
        weighting=settings.weighting,
        drop_repeats=False,
    )


def _digest_of(measure: Measure) -> str:
    arrays = (measure.vectors, measure.directions, measure.row_of_token, measure.word_of_token)
    rules = [measure.window, measure.rank, measure.weighting]
    return digest_of([rules, *(digest_of_array(array) for array in arrays)])


def _claim(staged: Path, digest: str) -> None:
    """Distances of an interrupted run are taken over where they are of the same work."""
    path = staged / UNFINISHED
    if staged.exists() and not (path.exists() and read_json(path) == {"digest": digest}):
        shutil.rmtree(staged)
    staged.mkdir(parents=True, exist_ok=True)
    write_json(path, {"digest": digest})


def _stage_corpus(labelled: Corpus, staged: Path, digest: str) -> None:
    """Complete new distances to a labelled corpus that still has the old labels; links, no copies.

    That is what `relabel` decodes.
    """
    for path in labelled.path.iterdir():
        if path.is_file() and path.name != MANIFEST:
            share_file(path, staged / path.name)
    for number, shard in enumerate(labelled.shards):
        for path in shard.folder.iterdir():
            if path.name not in (POSITIONS, DISTANCES):
                share_file(path, shard_folder(staged, number) / path.name)
    head = ("kind", "format_version", "grassmeans", "created")
    fields = {name: value for name, value in labelled.manifest.items() if name not in head}
    fields["labelled"] = fields["labelled"] | {"model_digest": digest}
    write_manifest(staged, KIND, FORMAT_VERSION, fields)
