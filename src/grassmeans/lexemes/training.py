"""Labelled corpus -> lexeme vectors: the skip-gram of the word vectors, on lexeme keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.vocabulary import Vocabulary
from grassmeans.errors import InputError
from grassmeans.labelling.soft import SoftCorpus
from grassmeans.labelling.targets import require_labels
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.lexemes.starting import (
    expand_vectors,
    find_plain_keys,
    start_senses_afresh,
)
from grassmeans.vectors.skipgram import SkipGram, StoredCorpus, train_vectors
from grassmeans.vectors.training import TokenShard
from grassmeans.vectors.word_vectors import WordVectors


@dataclass(frozen=True, slots=True)
class _DrawnCorpus:
    """A soft corpus together with the manifest of the corpus that it draws from."""

    vocabulary: Vocabulary
    shards: Sequence[TokenShard]
    manifest: Mapping[str, Any]


def train_lexemes(
    labelled: Corpus,
    output: str | Path,
    trainer: SkipGram,
    *,
    start_from: WordVectors | None = None,
    freeze_words: bool = False,
    soft_each_epoch: bool = False,
    sharpness: float | None = None,
    keep_output: bool = False,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> LexemeVectors:
    """Train lexeme vectors into a folder (section 4 of the paper).

    Parameters
    ----------
    labelled : Corpus
        From `label_corpus`. Its labels are taken as they are: nearest senses, or one random draw.
    trainer : SkipGram
        Not fitted.
    start_from : WordVectors, optional
        Every lexeme starts at the vector of its word (or at its own, where these are lexeme
        vectors), and on the output side too where the vectors have one. Otherwise at random.
    freeze_words : bool
        Leave the words without senses where ``start_from`` has them, on both sides, so that only
        senses move and can be compared with those vectors. Needs their output side. The senses
        start at random, their output side where that of the word is.
    soft_each_epoch : bool
        Draw the sense of every occurrence anew in every epoch, from its probabilities; the labels
        of the corpus are not used. Words then have no "I don't know" lexeme.
    sharpness : float, optional
        Of these probabilities; that of the labelled corpus by default.

    Raises
    ------
    InputError
        Where the corpus has no labels, no vector to start from fits it, or words are to be frozen
        that have no vectors to start from.
    """
    require_labels(labelled)
    if freeze_words:
        _check_freezing(start_from)
    corpus: StoredCorpus = labelled
    how = {name: labelled.manifest["labelled"].get(name) for name in ("model", "decoding")}
    if soft_each_epoch:
        soft = SoftCorpus(labelled, sharpness=sharpness, random_state=trainer.random_state)
        corpus = _DrawnCorpus(soft.vocabulary, soft.shards, labelled.manifest)
        how |= {"decoding": "soft, drawn in each epoch", "sharpness": sharpness}
    start = None
    frozen: tuple[str, ...] = ()
    if start_from is not None:
        keys = trainer.trained_words(corpus.vocabulary)
        start = expand_vectors(start_from, keys)
        how["started_from"] = start_from.folder.name if start_from.folder else "vectors"
        if freeze_words:
            start = start_senses_afresh(start, trainer.random_state)
            frozen = find_plain_keys(start_from, keys)
            how["frozen_words"] = len(frozen)
    trained = train_vectors(
        corpus,
        output,
        trainer,
        start=start.vectors if start else None,
        start_output=start.output if start else None,
        frozen_inputs=frozen,
        frozen_outputs=frozen,
        keep_output=keep_output,
        extra={"lexemes": how},
        overwrite=overwrite,
        show_progress=show_progress,
    )
    return LexemeVectors(trained)


def _check_freezing(start_from: WordVectors | None) -> None:
    if start_from is None:
        raise InputError("frozen words stay where word vectors have them: give start_from")
    if start_from.output is None:
        raise InputError(
            "frozen words need the output side of the vectors too: train these with keep_output "
            "(`grassmeans vectors --keep-output`)"
        )
