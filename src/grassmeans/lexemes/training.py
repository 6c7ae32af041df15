"""Labelled corpus -> lexeme vectors: the skip-gram of the word vectors, on lexeme keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.vocabulary import Vocabulary
from grassmeans.labelling.soft import SoftCorpus
from grassmeans.labelling.targets import require_labels
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.lexemes.starting import expand_vectors
from grassmeans.vectors.building import StoredCorpus, train_vectors
from grassmeans.vectors.skipgram import SkipGram
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
    soft_each_epoch : bool
        Draw the sense of every occurrence anew in every epoch, from its probabilities; the labels
        of the corpus are not used. Words then have no "I don't know" lexeme.
    sharpness : float, optional
        Of these probabilities; that of the labelled corpus by default.

    Raises
    ------
    InputError
        Where the corpus has no labels, or no vector to start from fits it.
    """
    require_labels(labelled)
    corpus: StoredCorpus = labelled
    how = {name: labelled.manifest["labelled"].get(name) for name in ("model", "decoding")}
    if soft_each_epoch:
        soft = SoftCorpus(labelled, sharpness=sharpness, random_state=trainer.random_state)
        corpus = _DrawnCorpus(soft.vocabulary, soft.shards, labelled.manifest)
        how |= {"decoding": "soft, drawn in each epoch", "sharpness": sharpness}
    start = None
    if start_from is not None:
        start = expand_vectors(start_from, corpus.vocabulary.words)
        how["started_from"] = start_from.folder.name if start_from.folder else "vectors"
    trained = train_vectors(
        corpus,
        output,
        trainer,
        start=start.vectors if start else None,
        start_output=start.output if start else None,
        keep_output=keep_output,
        extra={"lexemes": how},
        overwrite=overwrite,
        show_progress=show_progress,
    )
    return LexemeVectors(trained)
