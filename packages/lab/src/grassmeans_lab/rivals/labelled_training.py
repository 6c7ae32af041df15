"""Sense vectors of methods that label the corpus first: skip-gram on the labelled copy."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from grassmeans.artifacts.checking import MANIFEST
from grassmeans.corpus.corpus import Corpus
from grassmeans.lexemes.training import train_lexemes
from grassmeans.vectors.skipgram import SkipGram
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.rivals.interface import Material

LEXEMES = "lexemes"
_LABELLED = "labelled"


def train_on_labels(
    folder: Path,
    material: Material,
    label: Callable[[Path], Corpus],
    *,
    epochs: int,
    min_count: int,
    start_from: WordVectors | None = None,
) -> None:
    """Label the corpus and train on it; the labelled copy is deleted afterwards.

    Parameters
    ----------
    folder : path
        Claimed for this very work, so what is finished in it belongs to it. The vectors are in
        `LEXEMES`.
    label : callable
        Writes the labelled corpus to a path.
    start_from : WordVectors, optional
        As for `train_lexemes`.
    """
    labelled = folder / _LABELLED
    if not (folder / LEXEMES / MANIFEST).exists():
        trainer = SkipGram(
            dim=material.vectors.dim,
            epochs=epochs,
            min_count=min_count,
            device=material.device,
            workers=material.workers,
            random_state=material.random_state,
        )
        corpus = Corpus.open(labelled) if (labelled / MANIFEST).exists() else label(labelled)
        train_lexemes(corpus, folder / LEXEMES, trainer, start_from=start_from)
    shutil.rmtree(labelled, ignore_errors=True)
