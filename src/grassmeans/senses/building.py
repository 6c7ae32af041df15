"""Corpus + vectors -> model folder, resumable."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from grassmeans.artifacts import UNFINISHED, claim_output, digest_of_array, prepare_output
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.model import KIND, VECTORS_FOLDER, SenseModel, load, rules_for
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
        The words to induce; without it all frequent content words (see `SenseInventory.induce`).

    Raises
    ------
    InputError
        Where no senses could be induced at all.
    """
    settings = settings or InductionSettings()
    source = Corpus.open(corpus)
    given = WordVectors.load(vectors)
    folder = Path(output)
    prepare_output(folder, KIND, overwrite=overwrite)
    chosen = None if words is None else list(words)
    inputs = {"corpus": source.manifest["digest"], "vectors": digest_of_array(given.vectors)}
    claim_output(folder, KIND, [settings.to_dict(), inputs, chosen, min_count])
    if not (folder / VECTORS_FOLDER / "manifest.json").exists():
        shutil.rmtree(folder / VECTORS_FOLDER, ignore_errors=True)
        # Tagging needs the input vectors alone, whatever else the folder given has.
        WordVectors(given.words, given.vectors, given.counts, check=False).save(
            folder / VECTORS_FOLDER
        )
    inventory = SenseInventory.induce(
        source,
        WordVectors.load(folder / VECTORS_FOLDER),
        chosen,
        min_count=min_count,
        settings=settings,
        workers=workers,
        parts=folder / "parts",
        show_progress=show_progress,
    )
    if not inventory.words:
        shutil.rmtree(folder)
        reasons = "; ".join(f"{s.word!r} {s.reason}" for s in inventory.skipped[:3])
        raise InputError(f"no senses were induced: {reasons}")
    manifest = {
        "settings": settings.to_dict(),
        "inputs": inputs,
        "corpus": {name: source.manifest[name] for name in ("n_tokens", "n_documents", "created")},
        "language": source.manifest["options"]["language"],
    }
    rules = rules_for(source.tokenizer, source.function_words, settings)
    SenseModel(given, inventory, rules, manifest).save(folder)
    shutil.rmtree(folder / "parts", ignore_errors=True)
    (folder / UNFINISHED).unlink()
    return load(folder)
