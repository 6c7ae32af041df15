"""Corpus + contexts -> a model: in memory, or as a folder, resumable.

What contexts are made of is the first question. English texts take the contexts of the model that
comes with the package, however many texts there are: it was made from more text than most users
have. Other languages, and whoever says ``contexts="own"``, get word vectors of their own texts.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grassmeans.artifacts.checking import MANIFEST, damaged
from grassmeans.artifacts.schema import (
    check_arguments,
    check_values,
    either,
    flag,
    instance_of,
    one_of,
    optional,
    path,
    record,
    text,
)
from grassmeans.artifacts.writing import (
    digest_of,
    digest_of_array,
    find_manifest,
    read_manifest,
)
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts import TRANSFORMER, VECTORS_FOLDER, open_contexts
from grassmeans.contexts.interface import ContextEncoder, UnfittedContexts
from grassmeans.corpus.corpus import Corpus
from grassmeans.engines import EngineChoice, use_engine
from grassmeans.errors import InputError, warn_user
from grassmeans.models.model import CHOSEN_WORDS, SenseModel, load
from grassmeans.models.places import KIND, is_model, list_models, resolve_name
from grassmeans.outputs.places import output_folder
from grassmeans.reading.given import check_words
from grassmeans.senses.calibration import CALIBRATION
from grassmeans.senses.induction import choose_encoder, induce
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.known_senses import KnownSenses
from grassmeans.senses.pseudowords import calibrate
from grassmeans.tagging.lemmas import LemmaChoice, choose_forms
from grassmeans.text.tokenizer import tokenizer_from_dict
from grassmeans.vectors.skipgram import SkipGram, choose_epochs
from grassmeans.vectors.word_vectors import WordVectors

OWN = "own"
"""In place of contexts: vectors are trained on the texts themselves."""

INHERITED = "inherited"
"""In place of learning how sure answers are: what the model says whose contexts are taken."""

ENOUGH_TOKENS = 50_000
"""From so many words on, vectors of one's own texts tell senses apart (docs/how-to/python.md)."""

_SMALL = 1_000_000
_LARGE = 10_000_000
_MOST_EPOCHS = 20

Contexts = str | Path | WordVectors | ContextEncoder | UnfittedContexts | SenseModel


@dataclass(frozen=True, slots=True)
class ContextSource:
    """What contexts are made of, and what is known of their answers.

    Attributes
    ----------
    contexts : WordVectors, ContextEncoder or UnfittedContexts
    answer_rule : dict
        Of the model they are taken from, as its manifest has it: when answers are sure enough.
    folder : Path or None
        Where they were read from.
    model : SenseModel or None
        The model they are taken from: what it knows of a word helps where contexts are few.
    """

    contexts: WordVectors | ContextEncoder | UnfittedContexts
    answer_rule: dict[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    model: SenseModel | None = None

    def find_known(self) -> KnownSenses | None:
        """What the model knows; None for none, and where it cannot tell strangers."""
        model = self.model
        if model is None or not model.encoder.lines_have_ends or model.calibration is None:
            return None
        strangers = model.calibration.strangers
        if strangers is None:
            return None
        return KnownSenses(model.inventory, strangers, model.encoder.sharpness)


@check_arguments(
    output=optional(path),
    settings=optional(instance_of(InductionSettings)),
    calibrated=either(flag, one_of(INHERITED)),
    device=optional(text),
)
def fit_model(
    corpus: Corpus,
    words: list[str] | None = None,
    *,
    output: str | Path | None = None,
    language: str | None = "en",
    contexts: Contexts | None = None,
    min_count: int | None = None,
    settings: InductionSettings | None = None,
    calibrated: bool | str = True,
    lemmas: LemmaChoice = False,
    device: str | None = None,
    workers: int | None = 1,
    engine: EngineChoice = None,
    overwrite: bool = False,
    show_progress: bool | None = False,
    **changes: Any,
) -> SenseModel:
    """Find the senses of words in a corpus, as `SenseModel.fit` says.

    Settings that are not given are those of the kind of context. ``calibrated`` may be `INHERITED`.
    """
    source = choose_contexts(contexts, corpus, language, workers)
    given, settings = choose_encoder(
        corpus, source.contexts, settings, changes, device, show_progress
    )
    manifest = describe_sources(corpus, given, settings) | {CHOSEN_WORDS: words is not None}
    forms = choose_forms(lemmas, corpus, given.vectors)
    pooled = forms.pool(corpus)
    known = source.find_known()

    def induce_model(encoder: ContextEncoder, parts: Path | None) -> SenseModel:
        inventory = induce(
            pooled,
            encoder,
            words,
            min_count=min_count,
            settings=settings,
            workers=workers,
            parts=parts,
            show_progress=show_progress,
            known=known,
        )
        require_senses(inventory)
        rule = source.answer_rule if calibrated else {}
        if calibrated is True and not rule:
            rule = learn_answer_rule(corpus, encoder, settings, workers, show_progress)
        own = forms.of_entries(inventory)
        facts = manifest | rule | own.describe()
        table = own.lemma_of
        return SenseModel(encoder, inventory, corpus.text_tokenizer, facts, lemma_table=table)

    with use_engine(engine, workers):
        if output is None:
            return induce_model(given, None)
        identity = [settings.to_dict(), manifest["inputs"], words, min_count, calibrated]
        identity += [digest_of(forms.lemma_of)] if forms.source else []
        identity += [digest_of(source.model.manifest)] if known and source.model else []
        inputs = [corpus.path, source.folder, given.vectors.folder]
        with output_folder(output, KIND, identity, inputs=inputs, overwrite=overwrite) as building:
            encoder = _store_encoder(given, source, building.folder, corpus.function_words)
            encoder.take_over(given)
            induce_model(encoder, building.scratch).fill(building.folder)
    return load(output)


@check_arguments(corpus=path, contexts=path)
def build_model(
    corpus: str | Path,
    contexts: str | Path,
    output: str | Path,
    words: str | Iterable[str] | None = None,
    *,
    settings: InductionSettings | None = None,
    device: str = "cpu",
    workers: int | None = None,
    show_progress: bool | None = None,
    **options: Any,
) -> SenseModel:
    """Write a model folder as ``grassmeans induce`` does: `SenseModel.fit` for three paths."""
    return fit_model(
        Corpus.open(corpus),
        None if words is None else check_words(words),
        output=output,
        contexts=contexts,
        settings=settings,
        device=device,
        workers=workers,
        show_progress=show_progress,
        **options,
    )


def choose_contexts(
    contexts: Contexts | None, corpus: Corpus, language: str | None, workers: int | None = 1
) -> ContextSource:
    """What contexts are made of: as given, of the package's model, or trained on the corpus."""
    if trains_own(contexts, language):
        return ContextSource(train_own(corpus, workers))
    contexts = language if contexts is None else contexts
    if isinstance(contexts, str | Path):
        place = resolve_name(contexts)
        if not is_model(place):
            return ContextSource(open_contexts(place), folder=place)
        contexts = load(place)
    if isinstance(contexts, SenseModel):
        rule = inherit_answer_rule(contexts)
        return ContextSource(contexts.encoder, rule, contexts.folder, contexts)
    if isinstance(contexts, WordVectors | ContextEncoder | UnfittedContexts):
        return ContextSource(contexts)
    raise InputError(
        "contexts must be word vectors, an encoder or a model, the path or name of one, or "
        f"{OWN!r}; got {type(contexts).__name__}"
    )


def trains_own(contexts: Contexts | None, language: str | None) -> bool:
    """Whether word vectors are trained on the texts themselves."""
    if contexts is None:
        return language not in list_models()
    return isinstance(contexts, str) and contexts == OWN


def train_own(corpus: Corpus, workers: int | None = 1) -> WordVectors:
    """Word vectors of a corpus; the fewer words it has, the smaller they are and the more passes.

    With fewer words than `ENOUGH_TOKENS`, a warning. One worker gives the same vectors every time;
    several, which write into the same numbers, do not, and spoil those of a small text.
    """
    n_tokens = corpus.n_tokens
    if n_tokens < ENOUGH_TOKENS:
        warn_user(
            f"the texts have {n_tokens:,} words, and vectors of so few are poor: give more text, "
            "or vectors of its language as contexts=..."
        )
    trainer = SkipGram(
        dim=300 if n_tokens >= _LARGE else 100,
        min_count=5 if n_tokens >= _SMALL else 2,
        epochs=choose_epochs(n_tokens, _MOST_EPOCHS),
        workers=workers,
    )
    return trainer.fit(corpus, show_progress=False).vectors_


def open_bare_model(
    contexts: str | Path, corpus: Corpus, *, device: str = "cpu", **changes: Any
) -> SenseModel:
    """A model without any senses yet: what contexts are made of, and the corpus's token rule."""
    encoder, settings = choose_encoder(corpus, resolve_name(contexts), None, changes, device)
    manifest = describe_sources(corpus, encoder, settings)
    return SenseModel(encoder, SenseInventory([]), corpus.text_tokenizer, manifest)


def open_model_or_contexts(
    place: str | Path, corpus: Corpus | None, *, device: str = "cpu"
) -> SenseModel:
    """A finished model; or one without senses, where contexts are given, with a corpus for them."""
    if not is_contexts(place):
        return load(place, device=device)
    if corpus is None:
        raise InputError(f"{place} has no senses: give --corpus, where they are induced")
    return open_bare_model(place, corpus, device=device)


def open_contexts_alone(
    place: str | Path, corpus: Corpus | None, *, device: str = "cpu"
) -> SenseModel:
    """A finished model; or contexts, for what needs no senses: these remain without any.

    The encoder of a folder has all that it needs; word vectors and transformers need a corpus.
    """
    if corpus is not None or not is_contexts(place):
        return open_model_or_contexts(place, corpus, device=device)
    encoder = open_contexts(place, device)
    if not isinstance(encoder, ContextEncoder):
        raise InputError(
            f"{place} needs --corpus, whose function words tell nothing, and to whose text a "
            "transformer is fitted"
        )
    folder = Path(place)
    manifest = read_manifest(folder)
    check_values(folder / MANIFEST, manifest, {"tokenizer": record()})
    try:
        tokenizer = tokenizer_from_dict(manifest["tokenizer"])
    except InputError as error:
        raise damaged(folder / MANIFEST, str(error)) from error
    return SenseModel(encoder, SenseInventory([]), tokenizer)


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
    rule = {name: model.manifest[name] for name in known if name in model.manifest}
    if CALIBRATION in rule and model.sameness is not None:
        rule[CALIBRATION] = rule[CALIBRATION] | {"same_sense": model.sameness.to_dict()}
    return rule


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
    given: ContextEncoder, source: ContextSource, folder: Path, function_words: frozenset[str]
) -> ContextEncoder:
    """Put what contexts are made of into the model; workers read it from there."""
    vectors = folder / VECTORS_FOLDER
    if not (vectors / MANIFEST).exists():
        shutil.rmtree(vectors, ignore_errors=True)
        if isinstance(source.contexts, WordVectors):
            # Tagging needs the input vectors alone, whatever else there is.
            plain = given.vectors
            WordVectors(plain.words, plain.vectors, plain.counts, check=False).save(vectors)
        elif given.vectors.folder is not None:
            shutil.copytree(given.vectors.folder, vectors)
        else:
            given.vectors.save(vectors)
    given.save(folder)
    return type(given).open(folder, WordVectors.load(vectors), given.shape, function_words)
