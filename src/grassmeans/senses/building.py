"""Corpus + contexts -> model folder, resumable."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from grassmeans.artifacts import MANIFEST, digest_of_array
from grassmeans.corpus.corpus import Corpus
from grassmeans.encoders.subspaces import SubspaceEncoder
from grassmeans.errors import InputError
from grassmeans.geometry.contexts import ContextShape
from grassmeans.outputs import output_folder
from grassmeans.senses.induction import induce
from grassmeans.senses.model import KIND, VECTORS_FOLDER, SenseModel, load
from grassmeans.senses.settings import InductionSettings
from grassmeans.vectors.word_vectors import WordVectors


def build_model(
    corpus: str | Path,
    vectors: str | Path,
    output: str | Path,
    words: Iterable[str] | None = None,
    *,
    min_count: int | None = None,
    settings: InductionSettings | None = None,
    shape: ContextShape | None = None,
    workers: int | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> SenseModel:
    """Induce senses and write them with the vectors as a model folder.

    Parameters
    ----------
    corpus : path
        A corpus folder.
    vectors : path
        A vectors folder, or a word2vec, GloVe or fastText file.
    words : iterable of str, optional
        The words to induce; without it all frequent content words (see `induce`).
    shape : ContextShape, optional
        What contexts are made of; the paper's by default.

    Raises
    ------
    InputError
        Where no senses could be induced at all.
    """
    settings, shape = settings or InductionSettings(), shape or ContextShape()
    source = Corpus.open(corpus)
    given = WordVectors.load(vectors)
    chosen = None if words is None else list(words)
    used = {"corpus": source.manifest["digest"], "vectors": digest_of_array(given.vectors)}
    identity: list[Any] = [settings.to_dict(), shape.to_dict(), used, chosen, min_count]
    with output_folder(
        output, KIND, identity, inputs=[corpus, vectors], overwrite=overwrite
    ) as building:
        place = building.folder / VECTORS_FOLDER
        if not (place / MANIFEST).exists():
            # Tagging needs the input vectors alone, whatever else the folder given has.
            WordVectors(given.words, given.vectors, given.counts, check=False).save(place)
        encoder = SubspaceEncoder(WordVectors.load(place), shape, source.function_words)
        inventory = induce(
            source,
            encoder,
            chosen,
            min_count=min_count,
            settings=settings,
            workers=workers,
            parts=building.scratch,
            show_progress=show_progress,
        )
        if not inventory.words:
            reasons = "; ".join(f"{s.word!r} {s.reason}" for s in inventory.skipped[:3])
            raise InputError(f"no senses were induced: {reasons}")
        copied = ("n_tokens", "n_documents", "created")
        manifest = {
            "settings": settings.to_dict(),
            "inputs": used,
            "corpus": {name: source.manifest[name] for name in copied},
            "language": source.manifest["options"]["language"],
        }
        SenseModel(encoder, inventory, source.tokenizer, manifest).fill(building.folder)
    return load(Path(output))
