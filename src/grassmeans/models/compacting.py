"""Model, and lexeme vectors where there are some -> the same in a folder a tenth as large."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.artifacts.schema import check_arguments, instance_of, optional
from grassmeans.contexts import VECTORS_FOLDER
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.errors import InputError
from grassmeans.models.model import (
    INVENTORY_FOLDER,
    LEXEMES_FOLDER,
    SenseModel,
    load,
    open_model,
    write_model_head,
)
from grassmeans.models.places import KIND
from grassmeans.outputs.ownership import list_marks
from grassmeans.outputs.places import check_output, output_folder
from grassmeans.senses.compact_inventory import (
    CompactInventory,
    shorten_entry,
    write_compact_inventory,
)
from grassmeans.senses.entries import SkippedWord
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.keys import encode_key
from grassmeans.tagging.lemmas import write_lemmas
from grassmeans.vectors.reducing import (
    Projection,
    draw_turn,
    find_projection,
    project_vectors,
    restrict_vocabulary,
)
from grassmeans.vectors.similarity import inverse_norms
from grassmeans.vectors.word_vectors import WordVectors, open_vectors

_HEAD = {"kind", "format_version", "grassmeans", "created"}


@dataclass(frozen=True, slots=True)
class CompactSettings:
    """What a compact model keeps.

    Parameters
    ----------
    vocabulary : int or None
        The most frequent words; None keeps all.
    dimensions : int or None
        Project vectors, directions and lexemes to so many; None keeps all. Senses fit better where
        the vectors were reduced before the induction (`grassmeans convert --to compact`). Learned
        contexts keep their dimensions, only lexemes are projected.
    bits : {4, 6, 8}
        Of every other number; a network's matrices have 8.
    direction_bits : {4, 6, 8}
        Of the senses' directions, which decide the sense that a context is nearest to.
    examples : int
        Examples a sense, at most.
    example_width : int
        Characters of an example on each side of the word, at most; sentences have no more than 200.
    drop_single : bool
        Leave out words with one sense.
    """

    vocabulary: int | None = None
    dimensions: int | None = None
    bits: int = 4
    direction_bits: int = 6
    examples: int = 6
    example_width: int = 200
    drop_single: bool = False

    def __post_init__(self) -> None:
        if self.examples < 0 or self.example_width < 0:
            raise InputError("examples and example_width must be 0 or more")


@check_arguments(settings=optional(instance_of(CompactSettings)))
def compact_model(
    model: SenseModel | str | Path,
    output: str | Path,
    *,
    lexemes: WordVectors | str | Path | None = None,
    settings: CompactSettings | None = None,
    extra: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> SenseModel:
    """Write a model in its compact form, and open it.

    `InputError` where the lexemes do not live in the space of the model's vectors, or where an
    encoder needs the words that ``vocabulary`` leaves out, or all of its dimensions.

    Parameters
    ----------
    model : SenseModel, path or name
    output : path
        A folder that does not exist yet, or a finished model where ``overwrite`` is set.
    lexemes : WordVectors or path, optional
        Trained with ``freeze_words`` from the vectors of this model; only senses are stored. For a
        model of learned contexts they have a space of their own, and the words that have no senses
        are stored with them. By default those that the model has.
    extra : mapping, optional
        More manifest fields: licence, source, scores.
    """
    settings = settings or CompactSettings()
    model = open_model(model)
    is_fixed = model.encoder.space_is_fixed
    lexemes = model.stored_lexemes if lexemes is None else open_vectors(lexemes)
    if is_fixed and settings.vocabulary is not None:
        raise InputError(
            f"contexts of the kind {model.encoder.kind!r} need all of their words: leave the "
            "vocabulary out"
        )
    if is_fixed and settings.dimensions is not None and lexemes is None:
        raise InputError(
            f"contexts of the kind {model.encoder.kind!r} keep their dimensions, and there are no "
            "lexemes to be projected: leave the dimensions out"
        )
    inputs = [model.folder, model.vectors.folder, None if lexemes is None else lexemes.folder]
    marks = list_marks(KIND, model.manifest)
    check_output(output, KIND, inputs=inputs, fields=marks, overwrite=overwrite)
    if lexemes is not None and not is_fixed:
        _check_lexemes(model, lexemes)
    encoder, vectors, projection = _reduce_space(model, settings)
    if settings.drop_single:
        model = drop_single_senses(model)
    # Tagging needs the input vectors alone.
    plain = WordVectors(vectors.words, vectors.vectors, vectors.counts, check=False)
    inventory = _compact_inventory(model.inventory, settings, projection)
    fields = {name: value for name, value in model.manifest.items() if name not in _HEAD}
    fields |= {"n_words": len(inventory.words), "n_skipped": len(inventory.skipped)}
    fields |= {"compact": asdict(settings)} | dict(extra or {})
    with output_folder(output, KIND, inputs=inputs, fields=marks, overwrite=overwrite) as building:
        folder = building.folder
        plain.save(folder / VECTORS_FOLDER, bits=settings.bits)
        write_compact_inventory(folder / INVENTORY_FOLDER, inventory, bits=settings.direction_bits)
        if lexemes is not None:
            chosen = _choose_lexemes(lexemes, inventory, vectors.words if is_fixed else ())
            if is_fixed:
                n_axes = chosen.dim if settings.dimensions is None else settings.dimensions
                projection = find_projection(chosen, n_axes)
            _write_lexemes(chosen, projection, folder / LEXEMES_FOLDER, settings.bits)
        write_lemmas(folder, model.lemma_table)
        write_model_head(folder, encoder, model.tokenizer, fields, bits=settings.bits)
    return load(Path(output))


def _reduce_space(
    model: SenseModel, settings: CompactSettings
) -> tuple[ContextEncoder, WordVectors, Projection | None]:
    """The encoder and the vectors of the compact model, and what brings directions to them.

    A space that is fixed is turned once, for the sake of the rounding: its first axes are larger
    than the others, and would take most of the levels.
    """
    encoder = model.encoder
    if encoder.space_is_fixed:
        if "compact" in model.manifest:
            return encoder, encoder.vectors, None
        turn = draw_turn(encoder.vectors.dim)
        turned = encoder.turn(turn.matrix)
        return turned, turned.vectors, None if turned is encoder else turn
    vectors = restrict_vocabulary(model.vectors, settings.vocabulary)
    if settings.dimensions is None:
        return encoder, vectors, None
    projection = find_projection(vectors, settings.dimensions)
    return encoder, project_vectors(vectors, projection), projection


def drop_single_senses(model: SenseModel) -> SenseModel:
    """The same model with the words left out that have one sense only.

    `InputError` where no word has more.
    """
    counts = model.inventory.sense_counts
    if not any(n > 1 for n in counts.values()):
        raise InputError("no word would be left: every word has one sense; keep single senses")
    entries = [model.inventory[word] for word, n in counts.items() if n > 1]
    single = (SkippedWord(word, "has one sense only") for word, n in counts.items() if n == 1)
    inventory = SenseInventory(entries, (*model.inventory.skipped, *single))
    return model.with_inventory(inventory)


def _check_lexemes(model: SenseModel, lexemes: WordVectors) -> None:
    if lexemes.dim != model.vectors.dim:
        raise InputError(
            f"the lexemes have {lexemes.dim} dimensions, the words of the model "
            f"{model.vectors.dim}: train them from the model's vectors"
        )
    if "frozen_words" not in lexemes.manifest.get("lexemes", {}):
        raise InputError(
            "these lexemes were not trained around fixed words and cannot be compared with the "
            "words of the model: use `grassmeans lexemes --start-from ... --freeze-words`"
        )


def _compact_inventory(
    inventory: SenseInventory, settings: CompactSettings, projection: Projection | None
) -> CompactInventory:
    full = inventory.to_compact()
    kept = {"examples": settings.examples, "example_width": settings.example_width}
    entries = (shorten_entry(line, **kept) for line in full.lines)
    lines = [json.dumps(e, ensure_ascii=False, separators=(",", ":")).encode() for e in entries]
    directions = np.asarray(full.directions)
    if projection is not None:
        directions = projection.apply(directions)
        directions = directions * inverse_norms(directions)[:, None]  # of length 1 again
    return CompactInventory(full.words, full.sense_counts, directions, lines, full.skipped)


def _choose_lexemes(
    lexemes: WordVectors, inventory: CompactInventory, plain: Sequence[str]
) -> WordVectors:
    """The vectors of the senses that have one, word by word, and of plain words after them."""
    numbers = inventory.sense_counts.tolist()
    senses = [
        encode_key(word, sense)
        for word, n_senses in zip(inventory.words, numbers, strict=True)
        for sense in range(1, n_senses + 1)
    ]
    known = [key for key in senses if key in lexemes]
    if not known:
        raise InputError("the lexemes and the model have no sense in common")
    known += [key for key in map(encode_key, plain) if key in lexemes]
    rows = lexemes.ids_of(known)
    counts = None if lexemes.counts is None else lexemes.counts[rows]
    chosen = WordVectors(known, lexemes.vectors[rows], counts, check=False)
    chosen.manifest = lexemes.manifest
    return chosen


def _write_lexemes(
    lexemes: WordVectors, projection: Projection | None, folder: Path, bits: int
) -> None:
    matrix = lexemes.vectors if projection is None else projection.apply(lexemes.vectors)
    about = {
        name: lexemes.manifest[name]
        for name in ("lexemes", "training", "corpus")
        if name in lexemes.manifest
    }
    WordVectors(lexemes.words, matrix, lexemes.counts, check=False).save(
        folder, bits=bits, extra=about
    )
