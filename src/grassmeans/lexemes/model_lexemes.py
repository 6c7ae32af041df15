"""The lexeme vectors inside a model, together with its words that have no senses."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from grassmeans.errors import ArtifactError
from grassmeans.labelling.keys import decode_key, encode_key
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.senses.model import SenseModel
from grassmeans.vectors.word_vectors import WordVectors


def open_lexemes(model: SenseModel) -> LexemeVectors | None:
    """The lexemes of a model in one table; None where the model has no lexeme vectors.

    A model stores vectors of senses only. They were trained with all other words held fixed, so
    the word vectors of the model stand for the words without senses.

    Raises
    ------
    ArtifactError
        Where words and lexemes do not have the same number of dimensions.
    """
    senses = model.lexemes
    if senses is None:
        return None
    if senses.dim != model.vectors.dim:
        raise ArtifactError(
            f"the lexemes of this model have {senses.dim} dimensions, its words "
            f"{model.vectors.dim}: install or build it again"
        )
    rows_of_word: dict[str, list[int]] = defaultdict(list)
    for row, key in enumerate(senses.words):
        rows_of_word[decode_key(key)[0]].append(row)
    keys: list[str] = []
    sources: list[int] = []
    n_senses = len(senses)
    for row, word in enumerate(model.vectors.words):
        rows = rows_of_word.pop(word, None)
        keys += [encode_key(word)] if rows is None else [senses.words[i] for i in rows]
        sources += [n_senses + row] if rows is None else rows
    for rows in rows_of_word.values():  # senses of words that have no vector themselves
        keys += [senses.words[i] for i in rows]
        sources += rows
    stacked = np.concatenate([senses.vectors, model.vectors.vectors])
    joined = WordVectors(keys, stacked[sources], check=False)
    joined.manifest = {"lexemes": senses.manifest.get("lexemes", {})}
    return LexemeVectors(joined)
