"""Second and third pass: counts of lexemes, then shards whose tokens are lexeme ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import Shard
from grassmeans.corpus.shard_writing import rewrite_shard
from grassmeans.corpus.vocabulary import UNKNOWN, Vocabulary
from grassmeans.labelling.decoding import Decoding, decode_shard
from grassmeans.labelling.targets import Targets
from grassmeans.senses.keys import decode_key, encode_key

SENSE_FILES = ("sense_",)
"""What a labelled corpus has more than its corpus, in each shard."""


@dataclass(frozen=True, slots=True)
class LexemeIds:
    """Token ids of a corpus -> ids of lexeme keys."""

    # (n_types + 1,) new id of each token id without senses. The last entry, for tokens beyond the
    # vocabulary, is -1.
    plain: NDArray[np.int32]
    # (n_words, most senses + 1) new id of each target's senses; column 0 is "I don't know". -1
    # where there is no such key.
    lexemes: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class ShardCounts:
    """What the second pass reports of a shard."""

    lexemes: NDArray[np.int64]  # (n_words, most senses + 1)
    n_without_context: int


def count_shard(
    source: Shard, folder: Path, number: int, targets: Targets, decoding: Decoding
) -> ShardCounts:
    """How often each lexeme occurs in a shard."""
    decoded = decode_shard(source, folder, number, targets, decoding)
    shape = (len(targets.words), targets.max_senses + 1)
    flat = np.ravel_multi_index((decoded.words, decoded.senses), shape)
    counts = np.bincount(flat, minlength=shape[0] * shape[1]).reshape(shape)
    return ShardCounts(counts.astype(np.int64), decoded.n_without_context)


def order_lexemes(
    corpus: Corpus, targets: Targets, lexeme_counts: NDArray[np.int64], *, smallest: int = 1
) -> tuple[Vocabulary, LexemeIds]:
    """The vocabulary of lexeme keys, most frequent first, and the way to its ids.

    ``targets`` belong to the token ids of the corpus, which is of words, or of lexemes (labelled
    before); ``lexeme_counts`` are (n_words, most senses + 1). Lexemes rarer than ``smallest`` have
    no key.
    """
    plain_keys = _plain_keys(corpus, targets)
    counts = dict(zip(plain_keys.values(), _counts_at(corpus, plain_keys), strict=True))
    keys = {
        (word, sense): encode_key(targets.words[word], sense)
        for word, sense in np.argwhere(_existing(targets) & (lexeme_counts >= smallest)).tolist()
    }
    counts |= {key: int(lexeme_counts[place]) for place, key in keys.items()}
    vocabulary = Vocabulary.from_counts(counts)
    plain = np.full(len(corpus.vocabulary) + 1, UNKNOWN, np.int32)
    plain[list(plain_keys)] = vocabulary.ids_of(plain_keys.values())
    lexemes = np.full(lexeme_counts.shape, UNKNOWN, np.int32)
    for place, key in keys.items():
        lexemes[place] = vocabulary.id_of(key)
    return vocabulary, LexemeIds(plain, lexemes)


def _plain_keys(corpus: Corpus, targets: Targets) -> dict[int, str]:
    """Key of every token id that has no senses."""
    is_labelled = corpus.is_labelled
    words = corpus.vocabulary.words
    return {
        i: encode_key(decode_key(words[i])[0] if is_labelled else words[i])
        for i in np.flatnonzero(targets.word_of_token[:-1] < 0).tolist()
    }


def _counts_at(corpus: Corpus, ids: Mapping[int, str]) -> list[int]:
    counts: list[int] = np.asarray(corpus.vocabulary.counts)[list(ids)].tolist()
    return counts


def _existing(targets: Targets) -> NDArray[np.bool_]:
    """(n_words, most senses + 1) which senses the words have, "I don't know" included."""
    exists: NDArray[np.bool_] = np.arange(targets.max_senses + 1) <= targets.n_senses[:, None]
    return exists


def write_shard(
    source: Shard, folder: Path, number: int, targets: Targets, decoding: Decoding, ids: LexemeIds
) -> None:
    """Write a shard's tokens as lexeme ids with their index; the other files are taken over."""
    decoded = decode_shard(source, folder, number, targets, decoding)
    tokens = ids.plain[np.asarray(source.tokens)]
    tokens[decoded.positions] = ids.lexemes[decoded.words, decoded.senses]
    rewrite_shard(source.folder, folder, tokens, left_out=SENSE_FILES)
