"""Model, and lexeme vectors where there are some -> the same in a folder a tenth as large."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.encoders import VECTORS_FOLDER
from grassmeans.errors import InputError
from grassmeans.labelling.keys import encode_key
from grassmeans.outputs import check_output, output_folder
from grassmeans.senses.entries import SkippedWord
from grassmeans.senses.inventory import (
    CompactInventory,
    SenseInventory,
    shorten_entry,
    write_compact_inventory,
)
from grassmeans.senses.lemmas import write_lemmas
from grassmeans.senses.model import (
    INVENTORY_FOLDER,
    LEXEMES_FOLDER,
    SenseModel,
    load,
    write_model_head,
)
from grassmeans.senses.model_places import KIND
from grassmeans.vectors.reducing import (
    Projection,
    find_projection,
    project_vectors,
    restrict_vocabulary,
)
from grassmeans.vectors.similarity import inverse_norms
from grassmeans.vectors.word_vectors import WordVectors

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
        the vectors were reduced before the induction (`grassmeans convert --to compact`).
    bits : {4, 8}
        Of every number.
    examples : int
        Example lines a sense.
    example_width : int
        Characters of an example on each side of the word.
    drop_single : bool
        Leave out words with one sense.
    """

    vocabulary: int | None = None
    dimensions: int | None = None
    bits: int = 4
    examples: int = 1
    example_width: int = 60
    drop_single: bool = False

    def __post_init__(self) -> None:
        if self.examples < 0 or self.example_width < 0:
            raise InputError("examples and example_width must be 0 or more")


def compact_model(
    model: SenseModel,
    output: str | Path,
    *,
    lexemes: WordVectors | None = None,
    settings: CompactSettings | None = None,
    extra: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> SenseModel:
    """Write a model in its compact form, and open it.

    Parameters
    ----------
    output : path
        A folder that does not exist yet, or a finished model where ``overwrite`` is set.
    lexemes : WordVectors, optional
        Trained with ``freeze_words`` from the vectors of this model; only senses are stored.
    extra : mapping, optional
        More manifest fields: licence, source, scores.

    `InputError` where the lexemes do not live in the space of the model's vectors.
    """
    settings = settings or CompactSettings()
    inputs = [model.folder, model.vectors.folder, None if lexemes is None else lexemes.folder]
    check_output(output, KIND, inputs=inputs, overwrite=overwrite)
    if lexemes is not None:
        _check_lexemes(model, lexemes)
    vectors = restrict_vocabulary(model.vectors, settings.vocabulary)
    projection = None
    if settings.dimensions is not None:
        projection = find_projection(vectors, settings.dimensions)
        vectors = project_vectors(vectors, projection)
    if settings.drop_single:
        model = drop_single_senses(model)
    # Tagging needs the input vectors alone.
    plain = WordVectors(vectors.words, vectors.vectors, vectors.counts, check=False)
    inventory = _compact_inventory(model.inventory, settings, projection)
    fields = {name: value for name, value in model.manifest.items() if name not in _HEAD}
    fields |= {"n_words": len(inventory.words), "n_skipped": len(inventory.skipped)}
    fields |= {"compact": asdict(settings)} | dict(extra or {})
    with output_folder(output, KIND, inputs=inputs, overwrite=overwrite) as building:
        folder = building.folder
        plain.save(folder / VECTORS_FOLDER, bits=settings.bits)
        write_compact_inventory(folder / INVENTORY_FOLDER, inventory, bits=settings.bits)
        if lexemes is not None:
            _write_lexemes(lexemes, inventory, projection, folder / LEXEMES_FOLDER, settings.bits)
        write_lemmas(folder, model.lemma_table)
        write_model_head(folder, model.encoder, model.tokenizer, fields)
    return load(Path(output))


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
    lines = [
        _encode_line(
            shorten_entry(line, examples=settings.examples, example_width=settings.example_width)
        )
        for line in full.lines
    ]
    directions = full.directions if projection is None else _project_units(projection, full)
    return CompactInventory(full.words, full.sense_counts, directions, lines, full.skipped)


def _project_units(projection: Projection, full: CompactInventory) -> NDArray[np.float32]:
    """Directions in the subspace, of length 1 again."""
    rows = projection.apply(full.directions)
    return rows * inverse_norms(rows)[:, None]


def _write_lexemes(
    lexemes: WordVectors,
    inventory: CompactInventory,
    projection: Projection | None,
    folder: Path,
    bits: int,
) -> None:
    """Write the vectors of the senses that have one, word by word."""
    counts = inventory.sense_counts.tolist()
    keys = [
        encode_key(word, sense)
        for word, n_senses in zip(inventory.words, counts, strict=True)
        for sense in range(1, n_senses + 1)
    ]
    rows = lexemes.ids_of(keys)
    known = [key for key, row in zip(keys, rows.tolist(), strict=True) if row >= 0]
    if not known:
        raise InputError("the lexemes and the model have no sense in common")
    matrix = lexemes.vectors[rows[rows >= 0]]
    if projection is not None:
        matrix = projection.apply(matrix)
    about = {
        name: lexemes.manifest[name]
        for name in ("lexemes", "training", "corpus")
        if name in lexemes.manifest
    }
    WordVectors(known, matrix, check=False).save(folder, bits=bits, extra=about)


def _encode_line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()
