"""Corpus + contexts -> model folder, resumable."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from grassmeans.artifacts.checking import MANIFEST
from grassmeans.artifacts.schema import check_arguments, instance_of, optional, path
from grassmeans.artifacts.writing import digest_of_array, find_manifest
from grassmeans.clustering.settings import AUTO, InductionSettings
from grassmeans.contexts import TRANSFORMER, VECTORS_FOLDER
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.corpus.corpus import Corpus
from grassmeans.engines import EngineChoice, use_engine
from grassmeans.errors import InputError
from grassmeans.models.model import SenseModel, load
from grassmeans.models.places import KIND, is_model, resolve_name
from grassmeans.outputs.places import output_folder
from grassmeans.reading.given import check_words
from grassmeans.senses.calibration import CALIBRATION
from grassmeans.senses.induction import choose_encoder, induce
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.pseudowords import calibrate
from grassmeans.tagging.lemmas import collect_forms
from grassmeans.vectors.word_vectors import WordVectors


@check_arguments(corpus=path, contexts=path, settings=optional(instance_of(InductionSettings)))
def build_model(
    corpus: str | Path,
    contexts: str | Path,
    output: str | Path,
    words: str | Iterable[str] | None = None,
    *,
    min_count: int | None = None,
    settings: InductionSettings | None = None,
    calibrated: bool = True,
    device: str = "cpu",
    workers: int | None = None,
    engine: EngineChoice = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
    **changes: Any,
) -> SenseModel:
    """Induce senses and write them with what contexts are made of as a model folder.

    Parameters
    ----------
    corpus : path
        A corpus folder.
    contexts : path or str
        Word vectors (a folder, or a word2vec, GloVe or fastText file) for the paper's subspaces; an
        encoder for learned contexts; a model, or the name of one, whose contexts are taken; or
        ``transformer:`` and the folder or the hub's name of a transformer.
    words : str or iterable of str, optional
        The words to induce, or the only one; without it all frequent content words (see `induce`).
    settings : InductionSettings, optional
        How senses are induced; by default as the paper does, or as suits the kind of context. With
        the contexts of a model, every word has a number of senses of its own.
    calibrated : bool
        Learn from pseudo-words how likely answers are right, unless the model whose contexts are
        taken knows it.
    device : {"cpu", "cuda"}
        Where contexts are encoded and grouped; a GPU needs the extra ``gpu``.
    engine : str, optional
        Where workers run, as for `grassmeans.use_engine`.
    **changes
        Single settings, and with word vectors the shape of contexts, as for `induce`.

    Raises
    ------
    InputError
        Where no senses could be induced at all.
    """
    source = Corpus.open(corpus)
    place = resolve_name(contexts)
    if settings is None and is_model(place):
        changes = {"n_senses": AUTO} | changes
    given, settings = choose_encoder(source, place, settings, changes, device, show_progress)
    chosen = None if words is None else check_words(words)
    used = describe_sources(source, given, settings)["inputs"]
    identity: list[Any] = [settings.to_dict(), used, chosen, min_count, calibrated]
    with (
        use_engine(engine, workers),
        output_folder(
            output, KIND, identity, inputs=[corpus, place], overwrite=overwrite
        ) as building,
    ):
        encoder = _store_encoder(given, place, building.folder, source.function_words)
        encoder.take_over(given)
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
        require_senses(inventory)
        manifest = describe_sources(source, given, settings)
        if calibrated:
            rule = inherit_answer_rule(load(place)) if is_model(place) else {}
            manifest |= rule or learn_answer_rule(source, encoder, settings, workers, show_progress)
        SenseModel(
            encoder,
            inventory,
            source.text_tokenizer,
            manifest,
            lemma_table=collect_forms(source),
        ).fill(building.folder)
    return load(Path(output))


def open_bare_model(
    contexts: str | Path, corpus: Corpus, *, device: str = "cpu", **changes: Any
) -> SenseModel:
    """A model without any senses yet: what contexts are made of, and the corpus's token rule.

    Parameters
    ----------
    contexts : path or str
        As for `build_model`.
    """
    encoder, settings = choose_encoder(corpus, resolve_name(contexts), None, changes, device)
    manifest = describe_sources(corpus, encoder, settings)
    return SenseModel(encoder, SenseInventory([]), corpus.text_tokenizer, manifest)


def open_model_or_contexts(
    place: str | Path, corpus: Corpus | None, *, device: str = "cpu"
) -> SenseModel:
    """A finished model; or one without senses, where contexts are given, with a corpus for them.

    Parameters
    ----------
    place : path or str
        A model, or what contexts are made of, as for `build_model`.
    """
    if not is_contexts(place):
        return load(place, device=device)
    if corpus is None:
        raise InputError(f"{place} has no senses: give --corpus, where they are induced")
    return open_bare_model(place, corpus, device=device)


def is_contexts(place: str | Path) -> bool:
    """Whether something is what contexts are made of, and no model."""
    if str(place).startswith(TRANSFORMER):
        return True
    manifest = find_manifest(Path(place))
    return manifest is not None and manifest["kind"] in ("encoder", "vectors")


def inherit_answer_rule(model: SenseModel) -> dict[str, Any]:
    """When answers are sure enough, as the model whose contexts are taken says it in its manifest.

    Pseudo-words of a few texts have a few contexts each: what they tell would be poorer.
    """
    known = (CALIBRATION, "idk_threshold")
    return {name: model.manifest[name] for name in known if name in model.manifest}


def learn_answer_rule(
    corpus: Corpus,
    encoder: ContextEncoder,
    settings: InductionSettings,
    workers: int | None,
    show_progress: bool | None,
) -> dict[str, Any]:
    """The same from pseudo-words; nothing where the corpus has too few words for it."""
    found = calibrate(corpus, encoder, settings, workers=workers, show_progress=show_progress)
    return {} if found is None else {CALIBRATION: found.to_dict()}


def describe_sources(
    corpus: Corpus, encoder: ContextEncoder, settings: InductionSettings
) -> dict[str, Any]:
    """What a model's manifest says of where its senses come from."""
    copied = ("n_tokens", "n_documents", "created")
    return {
        "settings": settings.to_dict(),
        "inputs": {
            "corpus": corpus.manifest["digest"],
            "vectors": digest_of_array(encoder.vectors.vectors),
            "context": [encoder.kind, encoder.shape.to_dict(), encoder.identity()],
        },
        "corpus": {name: corpus.manifest[name] for name in copied},
        "language": corpus.manifest["options"]["language"],
    }


def require_senses(inventory: SenseInventory) -> None:
    """Refuse an inventory without any words, with the reasons."""
    if not inventory.words:
        reasons = "; ".join(f"{s.word!r} {s.reason}" for s in inventory.skipped[:3])
        raise InputError(f"no senses were induced: {reasons}")


def _store_encoder(
    given: ContextEncoder, place: Path, folder: Path, function_words: frozenset[str]
) -> ContextEncoder:
    """Put what contexts are made of into the model; workers read it from there."""
    vectors = folder / VECTORS_FOLDER
    if not (vectors / MANIFEST).exists():
        shutil.rmtree(vectors, ignore_errors=True)
        if given.vectors.folder == place:
            # Tagging needs the input vectors alone, whatever else the folder given has.
            plain = given.vectors
            WordVectors(plain.words, plain.vectors, plain.counts, check=False).save(vectors)
        elif given.vectors.folder is not None:
            shutil.copytree(given.vectors.folder, vectors)
        else:
            given.vectors.save(vectors)
    given.save(folder)
    return type(given).open(folder, WordVectors.load(vectors), given.shape, function_words)
