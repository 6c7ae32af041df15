"""Word vectors -> starting vectors for lexemes: every ``word.k`` starts where ``word`` is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.errors import InputError
from grassmeans.labelling.keys import decode_key, encode_key
from grassmeans.vectors.word_vectors import WordVectors


@dataclass(frozen=True, slots=True)
class StartingVectors:
    """Where the training of lexemes starts.

    Attributes
    ----------
    vectors : WordVectors
        One row a key.
    output : (n_keys, dim) float32 or None
        The output (context) side, where the word vectors have one.
    """

    vectors: WordVectors
    output: NDArray[np.float32] | None


def expand_vectors(vectors: WordVectors, keys: Iterable[str]) -> StartingVectors:
    """Give every lexeme key the vector of its word.

    A key that has a vector itself (lexeme vectors of an earlier round) takes that one. Keys whose
    word has none are left out: they start at random.

    Parameters
    ----------
    vectors : WordVectors
    keys : iterable of str
        Each once, as in the vocabulary of a labelled corpus.

    Raises
    ------
    InputError
        Where no key has a vector to start from.
    """
    # Lexeme vectors are looked up by key; word vectors by word, where a word such as "no.1" may
    # look like a key.
    are_lexemes = "lexemes" in vectors.manifest
    chosen: list[str] = []
    rows: list[int] = []
    for key in keys:
        word, _ = decode_key(key)
        row = vectors.id_of(key) if are_lexemes else None
        if row is None:
            row = vectors.id_of(encode_key(word, None) if are_lexemes else word)
        if row is not None:
            chosen.append(key)
            rows.append(row)
    if not chosen:
        raise InputError(
            "the vectors to start from and the labelled corpus have no word in common: are they "
            "of the same language, and are both lower-cased or both not?"
        )
    output = None if vectors.output is None else np.asarray(vectors.output)[rows]
    return StartingVectors(WordVectors(chosen, vectors.vectors[rows], check=False), output)


def start_senses_afresh(start: StartingVectors, random_state: int) -> StartingVectors:
    """Put the vectors of senses at random, small ones, as a new training does.

    Around words that stay fixed, the senses find their places in one pass; from the place of their
    word they would hardly come apart in it.
    """
    senses = [decode_key(key)[1] is not None for key in start.vectors.words]
    matrix = start.vectors.vectors.copy()
    rng = np.random.default_rng(random_state)
    drawn = rng.random((sum(senses), start.vectors.dim), dtype=np.float32)
    matrix[senses] = (drawn - np.float32(0.5)) / np.float32(start.vectors.dim)
    return StartingVectors(WordVectors(start.vectors.words, matrix, check=False), start.output)


def find_plain_keys(vectors: WordVectors, keys: Iterable[str]) -> tuple[str, ...]:
    """The keys of words without a sense that have a vector of their own to start from."""
    return tuple(
        key for key in keys if decode_key(key)[1] is None and decode_key(key)[0] in vectors
    )
