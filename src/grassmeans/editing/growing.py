"""A model + new text -> the same model, grown: the work follows the new text alone.

Words that have no vector yet get one, while the vectors there are stay as they are; the space of
learned contexts is part of the encoder, and stays as it is. Every word with senses that occurs in
the new text is looked at: its new contexts go to the senses it has, whose shares follow, and whose
numbers, names, directions and examples stay (`new_contexts`, which also says what becomes a new
sense). Words that are frequent in the new text and have no senses get some. Words
that do not occur keep what they have.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.checking import CHECKSUMS, MANIFEST
from grassmeans.artifacts.writing import digest_of, identify_file
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts import VECTORS_FOLDER
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.corpus.corpus import Corpus, is_corpus
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.editing.edited_words import EditedInventory, copy_files, fill_like
from grassmeans.editing.new_contexts import add_contexts, find_new_senses
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.models.model import CHOSEN_WORDS, SenseModel, load
from grassmeans.models.places import KIND, find_model
from grassmeans.models.versions import GROWN, VERSIONS, append_version
from grassmeans.outputs.ownership import list_marks
from grassmeans.outputs.places import Building, output_folder
from grassmeans.reading.documents import ReadReport
from grassmeans.reading.given import check_words
from grassmeans.reading.inputs import list_inputs
from grassmeans.senses.decoding import decode_hard
from grassmeans.senses.entries import SkippedWord, WordSenses
from grassmeans.senses.induction import default_min_count, induce_words
from grassmeans.senses.language import OTHER_MODEL, warn_of_contexts
from grassmeans.senses.samples import sample_word
from grassmeans.senses.word_induction import WordInducer
from grassmeans.text.tokenizer import Tokenizer
from grassmeans.vectors.skipgram import SkipGram, train_vectors
from grassmeans.vectors.word_vectors import WordVectors

_MIN_COUNT = 5
_ENOUGH_TOKENS = 1_000


@dataclass(frozen=True, slots=True)
class BornSense:
    """A sense that the new text shows, and that the model did not have."""

    word: str
    """As the model spells it."""
    number: int
    """Its number in the new model."""
    name: str
    """Two or three words that tell it from the others."""
    n_contexts: int
    """From which it was induced."""
    examples: tuple[str, ...]
    """Lines of the new text."""
    is_new_word: bool = False
    """Whether the model did not have the word."""


@dataclass(frozen=True, slots=True)
class Growth:
    """What an update did."""

    model: SenseModel
    """The new one."""
    n_tokens: int
    """Of the new text."""
    n_documents: int
    """Of the new text."""
    n_words: int
    """Words with senses that occurred in it."""
    new_vectors: tuple[str, ...]
    """Words that got a vector."""
    new_words: tuple[str, ...]
    """Words that got senses."""
    born: tuple[BornSense, ...]
    """New senses of words that had some."""


def update_model(
    model: str | Path,
    texts: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    words: Iterable[str] | None = None,
    min_count: int | None = None,
    max_contexts: int | None = None,
    new_senses: bool = True,
    new_words: bool | None = None,
    device: str = "cpu",
    workers: int | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
    **reading: Any,
) -> Growth:
    """Grow a model with new text, into a new folder; the old model is not touched.

    The texts are files or folders, read as by `Corpus.from_files`, or one corpus folder. All words
    that have senses are looked at, and new ones from ``min_count`` occurrences on (``new_words``,
    which is not so for a model that was made for chosen words); or ``words`` alone. Of a word
    ``max_contexts`` are; as many as for the model by default. New senses of known words are taken
    into the model, or told in the report alone. On a GPU, used from this process, new vectors are
    trained and contexts encoded.

    `InputError` where the text was split into words by another rule, or seems to be of another
    language.
    """
    place = find_model(model)
    old = load(place)
    given = [texts] if isinstance(texts, str | Path) else list(texts)
    changes = {} if max_contexts is None else {"max_contexts": max_contexts}
    settings = replace(old.settings, **changes)
    chosen = None if words is None else check_words(words)
    about_texts = [_identify_texts(given), sorted(reading.items())]
    identity = [old.digest, about_texts, settings.to_dict(), chosen, min_count, new_senses]
    if new_words is None:
        new_words = not old.manifest.get(CHOSEN_WORDS, False)
    identity.append(new_words)
    marks = list_marks(KIND, old.manifest)
    with output_folder(
        output, KIND, identity, inputs=[place, *given], fields=marks, overwrite=overwrite
    ) as building:
        reading |= {"workers": workers, "show_progress": show_progress}
        corpus = _read_texts(old, given, building.scratch / "corpus", reading)
        _check_language(old, corpus)
        copy_files(place, building.folder, [VERSIONS, CHECKSUMS])
        encoder, new_vectors = _grow_vectors(old, corpus, building, device, show_progress)
        encoder.use_device(device)
        pooled = old.pool_forms(corpus)
        grower = SenseGrower(pooled, encoder, settings, place.resolve(), old.digest)
        looked_at = list_words(old, pooled, encoder, chosen, min_count, new_words)
        n_workers = workers if device == "cpu" else 1
        results = induce_words(
            looked_at, grower, n_workers, building.scratch / "words", show_progress
        )
        grown = [result for result in results if isinstance(result, WordSenses)]
        born = [sense for entry in grown for sense in _find_born(old, entry)]
        if not new_senses:
            grown = [_keep_old_senses(old, entry) for entry in grown]
        kept = [entry for entry in grown if entry.senses]
        _write_grown(old, encoder, kept, born, corpus, building.folder, new_senses)
    return Growth(
        load(Path(output)),
        corpus.n_tokens,
        corpus.n_documents,
        sum(entry.word in old.inventory for entry in kept),
        new_vectors,
        tuple(entry.word for entry in kept if entry.word not in old.inventory),
        tuple(sense for sense in born if not sense.is_new_word),
    )


def _identify_texts(given: Sequence[str | Path]) -> list[Any]:
    """What tells new text from another under the same name."""
    if len(given) == 1 and is_corpus(given[0]):
        return [Corpus.open(given[0]).manifest["digest"]]
    return [identify_file(path) for path in list_inputs(given, ReadReport())]


def _read_texts(
    model: SenseModel, given: Sequence[str | Path], place: Path, reading: dict[str, Any]
) -> Corpus:
    """The new text as a corpus, split into words by the model's rule."""
    if len(given) == 1 and is_corpus(given[0]):
        corpus = Corpus.open(given[0])
        if corpus.is_labelled:
            raise InputError(f"{given[0]} is labelled: give the corpus that it was made from")
        if corpus.text_tokenizer.to_dict() != model.tokenizer.to_dict():
            raise InputError(
                f"{given[0]} was split into words by another rule than the model's: give its texts "
                "in place of the corpus, or ingest them with the model's options"
            )
        return corpus
    if not isinstance(model.tokenizer, Tokenizer):
        raise InputError("the model is of text that came tokenised: give a corpus of such text")
    if (place / MANIFEST).exists():
        return Corpus.open(place)
    options = IngestOptions(
        tokenizer=model.tokenizer,
        language=model.language or "none",
        function_words=model.encoder.function_words,
    )
    return Corpus.from_files(given, place, options=options, **reading)


def _check_language(model: SenseModel, corpus: Corpus) -> None:
    """Refuse text of another language: the model's function words are in every text of its own."""
    language = corpus.manifest["options"]["language"]
    if model.language is not None and language not in ("none", model.language):
        raise InputError(f"the text is {language}, the model {model.language}: build another model")
    check = model.check_language().add_corpus(corpus)
    if check.looks_foreign and corpus.n_tokens >= _ENOUGH_TOKENS:
        raise InputError(f"{check.describe()} If so, {OTHER_MODEL}")
    warn_of_contexts(model.encoder)
    check.warn()


def _grow_vectors(
    model: SenseModel, corpus: Corpus, building: Building, device: str, show_progress: bool | None
) -> tuple[ContextEncoder, tuple[str, ...]]:
    """The encoder with vectors for new words too, and these words.

    They are trained by one worker of this machine, whatever does the rest: several give other
    numbers each time. What is trained stays for a run that goes on, on a GPU too, so that all
    words are looked at with the same vectors.
    """
    encoder, vectors = model.encoder, model.vectors
    frequent = corpus.vocabulary.words[: corpus.vocabulary.size_at(_MIN_COUNT)]
    missing = [word for word in frequent if word not in vectors]
    if encoder.space_is_fixed or not missing:
        return encoder, ()
    known = [word for word in frequent if word in vectors]
    place, folder = building.scratch / VECTORS_FOLDER, building.folder
    if not (place / MANIFEST).exists():
        train_vectors(
            corpus,
            place,
            SkipGram(dim=vectors.dim, min_count=_MIN_COUNT, workers=1, device=device),
            start=vectors,
            frozen_inputs=known,
            engine="local",
            show_progress=show_progress,
        )
    trained = WordVectors.load(place)
    added = trained.vectors[trained.ids_of(missing)]
    added *= _mean_length(vectors.vectors) / max(_mean_length(added), 1e-12)
    counts = None
    if vectors.counts is not None:
        new = corpus.vocabulary.counts[corpus.vocabulary.ids_of(missing)]
        counts = np.concatenate([np.asarray(vectors.counts), np.asarray(new)])
    rows = np.concatenate([np.asarray(vectors.vectors, np.float32), added])
    grown = WordVectors([*vectors.words, *missing], rows, counts)
    shutil.rmtree(folder / VECTORS_FOLDER, ignore_errors=True)
    grown.save(folder / VECTORS_FOLDER)
    encoder.save(folder)
    opened = WordVectors.load(folder / VECTORS_FOLDER)
    found = type(encoder).open(folder, opened, encoder.shape, encoder.function_words)
    return found, tuple(missing)


def _mean_length(rows: NDArray[Any]) -> float:
    return float(np.linalg.norm(rows, axis=1).mean()) if len(rows) else 0.0


def list_words(
    model: SenseModel,
    corpus: Corpus,
    encoder: ContextEncoder,
    words: Sequence[str] | None,
    min_count: int | None,
    new_words: bool = True,
) -> list[str]:
    """The words of new text that are looked at: those with senses, and new frequent ones."""
    every = set(corpus.words_from(1))
    if words is not None:
        return [word for word in dict.fromkeys(map(model.spell, words)) if word in every]
    known = [word for word in model.inventory.words if word in every]
    if not new_words:
        return known
    fewest = default_min_count(corpus.n_tokens) if min_count is None else min_count
    new = [
        word
        for word in corpus.words_from(fewest)
        if word not in model.inventory
        and not is_function_word(word, encoder.function_words)
        and (encoder.space_is_fixed or word in encoder.vectors)
    ]
    return known + new


@lru_cache(maxsize=2)
def _open_model(place: Path, digest: str) -> SenseModel:
    """The model at an absolute path, kept as long as nothing else is written there."""
    return load(place)


@dataclass(frozen=True, slots=True)
class SenseGrower:
    """Looks at one word of new text after another: its entry, with the senses of the new text."""

    source: Corpus
    encoder: ContextEncoder
    settings: InductionSettings
    place: Path
    digest: str

    def __call__(self, word: str) -> WordSenses | SkippedWord:
        """The senses of a word, old and new, or why it has none."""
        model = _open_model(self.place, self.digest)
        if word not in model.inventory:
            return WordInducer(self.source, self.encoder, self.settings)(word)
        try:
            sample = sample_word(word, self.source, self.encoder, self.settings)
        except UnknownWordError:
            return SkippedWord(word, "does not occur in the new text")
        if not len(sample.contexts):
            return SkippedWord(word, "has no context in the new text that says something")
        entry = model.senses(word)
        if len(entry.senses) != entry.n_senses:
            return SkippedWord(word, "has senses that are not described")
        distances = sample.measure(entry.directions).astype(np.float32)
        unsure = decode_hard(distances, model.choose_threshold()) < 0
        directions = find_new_senses(entry, sample, unsure, self.settings, self.encoder)
        return add_contexts(entry, sample, directions, self.encoder.vectors)


def _find_born(model: SenseModel, entry: WordSenses) -> list[BornSense]:
    n_before = model.inventory.sense_counts.get(entry.word, 0)
    return [
        BornSense(
            entry.word,
            sense.number,
            sense.name,
            round(sense.share * entry.count),
            tuple(f"{x.left}<b>{x.word}</b>{x.right}" for x in sense.examples),
            n_before == 0,
        )
        for sense in entry.senses[n_before:]
    ]


def _keep_old_senses(model: SenseModel, entry: WordSenses) -> WordSenses:
    """An entry without the senses that it has not had, their share given to the others."""
    n_before = model.inventory.sense_counts.get(entry.word, 0)
    if n_before in (0, entry.n_senses):
        return entry
    kept = entry.senses[:n_before]
    total = sum(sense.share for sense in kept) or 1.0
    senses = tuple(replace(sense, share=sense.share / total) for sense in kept)
    return replace(entry, directions=entry.directions[:n_before], senses=senses)


def _write_grown(
    old: SenseModel,
    encoder: ContextEncoder,
    entries: Sequence[WordSenses],
    born: Sequence[BornSense],
    corpus: Corpus,
    folder: Path,
    new_senses: bool,
) -> None:
    """The inventory, the log of versions and the manifest."""
    inventory = EditedInventory(old.inventory, {entry.word: entry for entry in entries})
    counts = {entry.word: _count_new(old, entry) for entry in entries}
    known = [sense for sense in born if not sense.is_new_word]
    about = {
        "n_tokens": corpus.n_tokens,
        "n_documents": corpus.n_documents,
        "sources": list(corpus.manifest.get("sources", []))[:100],
        "corpus": corpus.manifest["digest"],
        "new_words": [entry.word for entry in entries if entry.word not in old.inventory],
        "born" if new_senses else "proposed": [
            {"word": s.word, "sense": s.number, "name": s.name, "examples": list(s.examples[:3])}
            for s in known
        ],
        "counts": counts,
    }
    append_version(old, folder, GROWN, about, keeps_numbers=True)
    grown = digest_of([old.manifest.get("inputs"), corpus.manifest["digest"]])
    inputs = dict(old.manifest.get("inputs", {})) | {"grown": grown}
    fill_like(old, folder, encoder, inventory, {"inputs": inputs})


def _count_new(model: SenseModel, entry: WordSenses) -> list[int]:
    """How often each sense occurs in the new text."""
    if entry.word not in model.inventory:
        return [round(sense.share * entry.count) for sense in entry.senses]
    before = model.inventory[entry.word]
    old = [sense.share * before.count for sense in before.senses]
    old += [0.0] * (len(entry.senses) - len(old))
    return [
        max(round(sense.share * entry.count - own), 0)
        for sense, own in zip(entry.senses, old, strict=True)
    ]
