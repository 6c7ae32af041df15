"""Corpus -> vectors folder, resumable: what word vectors and lexeme vectors have in common."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import (
    UNFINISHED,
    claim_output,
    digest_of,
    digest_of_array,
    prepare_output,
)
from grassmeans.vectors.skipgram import SkipGram, TokenCorpus
from grassmeans.vectors.storage import KIND
from grassmeans.vectors.word_vectors import WordVectors

_CHECKPOINT = "checkpoint"
_CORPUS_FIELDS = ("n_tokens", "n_documents", "created", "digest")


class StoredCorpus(TokenCorpus, Protocol):
    """A corpus that knows where it comes from."""

    @property
    def manifest(self) -> Mapping[str, Any]:
        """The manifest of its folder."""


def train_vectors(
    corpus: StoredCorpus,
    output: str | Path,
    trainer: SkipGram,
    *,
    start: WordVectors | None = None,
    start_output: NDArray[np.float32] | None = None,
    frozen_inputs: Collection[str] = (),
    frozen_outputs: Collection[str] = (),
    keep_output: bool = False,
    extra: Mapping[str, Any] | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> WordVectors:
    """Train skip-gram vectors into a folder, with checkpoints.

    Parameters
    ----------
    corpus : Corpus, or a labelled one
    output : path
        A folder that does not exist yet, an unfinished one of the same training, which is then
        continued, or a finished one where ``overwrite`` is set.
    trainer : SkipGram
        Not fitted; afterwards it is.
    start, start_output, frozen_inputs, frozen_outputs
        Matrices to start from, and rows that stay as they are; see `SkipGram.fit`.
    keep_output : bool
        Store the output (context) vectors as well.
    extra : mapping, optional
        More manifest fields; they also tell one training from another when it is continued.

    Returns
    -------
    WordVectors
        Mapped from the folder; its manifest holds ``training``, ``corpus``, ``seconds`` and
        ``words_per_second``.

    Raises
    ------
    InputError
        Where the folder holds something else, or an unfinished training of another kind.
    """
    folder = Path(output)
    prepare_output(folder, KIND, overwrite=overwrite)
    about_corpus = {name: corpus.manifest.get(name) for name in _CORPUS_FIELDS}
    parameters = trainer.get_params() | {"workers": None}
    fields = dict(extra or {})
    starting = _digest_start(start, start_output)
    if frozen_inputs or frozen_outputs:
        starting.append(digest_of([sorted(frozen_inputs), sorted(frozen_outputs)]))
    claim_output(folder, "training", [parameters, about_corpus, fields, starting])
    started = time.perf_counter()
    trainer.fit(
        corpus,
        start=start,
        start_output=start_output,
        frozen_inputs=frozen_inputs,
        frozen_outputs=frozen_outputs,
        checkpoint=folder / _CHECKPOINT,
        show_progress=show_progress,
    )
    seconds = time.perf_counter() - started
    n_tokens = sum(int(shard.document_offsets[-1]) for shard in corpus.shards)
    fields |= {
        "training": trainer.get_params(),
        "corpus": about_corpus,
        "seconds": round(seconds, 1),
        "words_per_second": round(n_tokens * trainer.epochs / seconds),
    }
    trainer.vectors_.save(folder, extra=fields, output=trainer.output_ if keep_output else None)
    (folder / UNFINISHED).unlink()
    return WordVectors.load(folder)


def _digest_start(start: WordVectors | None, start_output: NDArray[np.float32] | None) -> list[str]:
    """What tells one starting point from another."""
    parts = [] if start is None else [start.vectors]
    if start_output is not None:
        parts.append(start_output)
    return [digest_of_array(part) for part in parts]
