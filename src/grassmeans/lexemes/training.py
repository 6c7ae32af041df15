"""Labelled corpus -> lexeme vectors: the skip-gram of the word vectors, on lexeme keys."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from grassmeans.artifacts.schema import check_arguments, instance_of, optional
from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.engines import EngineChoice
from grassmeans.errors import InputError, warn_user
from grassmeans.labelling.decoding import SoftCorpus
from grassmeans.labelling.measuring import require_labels
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.senses.keys import decode_key, encode_key
from grassmeans.vectors import skipgram
from grassmeans.vectors.skipgram import SkipGram, choose_epochs, train_vectors
from grassmeans.vectors.training import draw_matrix
from grassmeans.vectors.word_vectors import WordVectors, open_vectors

MOST_EPOCHS = 100
"""Over a short text."""
ENOUGH_TOKENS = 5_000
"""For vectors that are not all alike after so many passes."""


@check_arguments(trainer=optional(instance_of(SkipGram)))
def train_lexemes(
    labelled: Corpus | str | Path,
    output: str | Path,
    trainer: SkipGram | None = None,
    *,
    start_from: WordVectors | str | Path | None = None,
    freeze_words: bool = False,
    soft_each_epoch: bool = False,
    sharpness: float | None = None,
    keep_output: bool = False,
    engine: EngineChoice = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> LexemeVectors:
    """Train lexeme vectors into a folder (section 4 of the paper).

    `InputError` where the corpus has no labels, no vector to start from fits it, or words are to be
    frozen that have no vectors to start from.

    Parameters
    ----------
    labelled : Corpus or path
        From `label_corpus`. Its labels are taken as they are: nearest senses, or one random draw.
    trainer : SkipGram, optional
        Not fitted; with as many dimensions as ``start_from`` by default, and more than five epochs
        for a text of less than a million words: vectors of few passes all look alike.
    start_from : WordVectors or path, optional
        Every lexeme starts at the vector of its word (or at its own, where these are lexeme
        vectors), and on the output side too where the vectors have one. Otherwise at random.
    freeze_words : bool
        Leave the words without senses where ``start_from`` has them, on both sides, so that only
        senses move and can be compared with those vectors. Needs their output side. The senses
        start at random, their output side where that of the word is.
    soft_each_epoch : bool
        Draw the sense of every occurrence anew in every epoch, from its probabilities; the labels
        of the corpus are not used. Words then have no "I don't know" lexeme.
    sharpness : float, optional
        Of these probabilities; that of the labelled corpus by default.
    engine : str, optional
        Where they are trained; see `train_vectors`.
    """
    labelled = open_corpus(labelled)
    require_labels(labelled)
    start_from = None if start_from is None else open_vectors(start_from)
    if trainer is None:
        epochs = choose_epochs(labelled.n_tokens, MOST_EPOCHS)
        trainer = SkipGram(dim=300 if start_from is None else start_from.dim, epochs=epochs)
    if labelled.n_tokens < ENOUGH_TOKENS and start_from is None:
        warn_user(
            f"the corpus has {labelled.n_tokens:,} words, and vectors of so few are all alike: "
            "give more text, or word vectors to start from (start_from=..., --start-from)"
        )
    if freeze_words and start_from is None:
        raise InputError("frozen words stay where word vectors have them: give start_from")
    if freeze_words and start_from is not None and start_from.output is None:
        raise InputError(
            "frozen words need the output side of the vectors too: train these with "
            "keep_output=True"
        )
    corpus: skipgram.StoredCorpus = labelled
    how = {name: labelled.manifest["labelled"].get(name) for name in ("model", "decoding")}
    if soft_each_epoch:
        soft = SoftCorpus(labelled, sharpness=sharpness, random_state=trainer.random_state)
        known = labelled.manifest, labelled.path
        corpus = skipgram.MemoryCorpus(soft.vocabulary, soft.shards, *known)
        how |= {"decoding": "soft, drawn in each epoch", "sharpness": sharpness}
    start = None
    frozen: tuple[str, ...] = ()
    if start_from is not None:
        keys = trainer.trained_words(corpus.vocabulary)
        start = expand_vectors(start_from, keys)
        how["started_from"] = start_from.folder.name if start_from.folder else "vectors"
        if freeze_words:
            start = start_senses_afresh(start, trainer.random_state)
            frozen = find_plain_keys(start_from, keys)
            how["frozen_words"] = len(frozen)
    trained = train_vectors(
        corpus,
        output,
        trainer,
        start=start,
        frozen_inputs=frozen,
        frozen_outputs=frozen,
        keep_output=keep_output,
        engine=engine,
        extra={"lexemes": how},
        inputs=[] if start_from is None else [start_from.folder],
        overwrite=overwrite,
        show_progress=show_progress,
    )
    return LexemeVectors(trained)


def expand_vectors(vectors: WordVectors, keys: Iterable[str]) -> WordVectors:
    """Give every lexeme key the vector of its word, and its output side where there is one.

    A key that has a vector itself (lexeme vectors of an earlier round) takes that one. Keys whose
    word has none are left out: they start at random. Each stands once, as in a vocabulary.
    `InputError` where no key has a vector to start from.
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
    return WordVectors(chosen, vectors.vectors[rows], output=output, check=False)


def start_senses_afresh(start: WordVectors, random_state: int) -> WordVectors:
    """Put the vectors of senses at random, small ones, as a new training does.

    Around words that stay fixed, the senses find their places in one pass; from the place of their
    word they would hardly come apart in it.
    """
    senses = [decode_key(key)[1] is not None for key in start.words]
    matrix = start.vectors.copy()
    matrix[senses] = draw_matrix(sum(senses), start.dim, np.random.default_rng(random_state))
    return WordVectors(start.words, matrix, output=start.output, check=False)


def find_plain_keys(vectors: WordVectors, keys: Iterable[str]) -> tuple[str, ...]:
    """The keys of words without a sense that have a vector of their own to start from."""
    return tuple(
        key for key in keys if decode_key(key)[1] is None and decode_key(key)[0] in vectors
    )
