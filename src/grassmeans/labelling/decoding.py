"""Stored distances -> the sense number of every occurrence: the passes after measuring.

The second counts lexemes, which gives the vocabulary; the third writes shards whose tokens are
lexeme ids. A `SoftCorpus` has no third pass: its senses are drawn anew whenever it is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Doubles, Indices, Integers
from grassmeans.artifacts.checking import damaged
from grassmeans.artifacts.schema import as_plain
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import Shard
from grassmeans.corpus.shard_writing import rewrite_shard
from grassmeans.corpus.vocabulary import UNKNOWN, Vocabulary
from grassmeans.errors import InputError, check_choice
from grassmeans.labelling.measuring import (
    DISTANCES,
    POSITIONS,
    StoredDistances,
    Targets,
    open_distances,
    read_targets,
)
from grassmeans.senses.decoding import (
    DECODINGS,
    DEFAULT_IDK_THRESHOLD,
    DEFAULT_SHARPNESS,
    IdkRule,
    choose_senses,
    decode_hard,
    decode_soft,
    describe_rule,
)
from grassmeans.senses.keys import decode_key, encode_key

SENSE_FILES = ("sense_",)
"""What a labelled corpus has more than its corpus, in each shard."""

_ROWS_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True)
class Decoding:
    """How distances become labels."""

    decoding: str = "hard"
    """"hard": the nearest sense, or 0 where even that is too far. "soft": one drawn from the
    probabilities."""
    idk_threshold: IdkRule = DEFAULT_IDK_THRESHOLD
    """Hard only: 0 from this distance on, or where the rule is not sure enough; None: only where
    the context is too poor."""
    sharpness: float = DEFAULT_SHARPNESS
    """Soft only."""
    random_state: int = 0
    """Soft only; every shard has its own random numbers."""

    def __post_init__(self) -> None:
        check_choice("decoding", self.decoding, DECODINGS)
        if self.random_state < 0:
            raise InputError(f"random_state must be 0 or more, got {self.random_state}")
        nothing = np.empty((0, 1))
        decode_hard(nothing, self.idk_threshold)  # both say what is wrong with their number
        decode_soft(nothing, self.sharpness)

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values, for a manifest.

        Two say how labels differ from what tagging answers (`grassmeans.labelling.labeller`).
        """
        return {
            "decoding": self.decoding,
            "idk_threshold": as_plain(describe_rule(self.idk_threshold)),
            "sharpness": as_plain(self.sharpness),
            "random_state": as_plain(self.random_state),
            "read_in": "documents",
            "only_senses": "by distance" if isinstance(self.idk_threshold, float) else "always",
        }


@dataclass(frozen=True, slots=True)
class DecodedShard:
    """The labelled occurrences of a shard."""

    positions: Integers  # (n,)
    words: Integers  # (n,) numbers of the target words
    senses: NDArray[np.int16]  # (n,) from 1; 0 for "I don't know"
    n_without_context: int  # occurrences with too few known words around them


def decode_shard(
    shard: Shard, folder: Path, number: int, targets: Targets, decoding: Decoding
) -> DecodedShard:
    """Decode the distances that lie in ``folder``; ``shard`` has the tokens that they belong to."""
    tokens = np.asarray(shard.tokens)
    stored = open_distances(folder, len(tokens), targets.max_senses)
    words = targets.word_of_token[tokens]
    expected = np.flatnonzero(words >= 0)
    if not np.array_equal(expected, stored.positions):
        raise damaged(folder / POSITIONS, "the distances do not belong to the tokens")
    words = words[expected]
    senses = np.empty(len(words), np.int16)
    rng = np.random.default_rng(np.random.SeedSequence([decoding.random_state, number]))
    n_without_context = 0
    for start in range(0, len(words), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        n_senses = targets.n_senses[words[part]]
        distances = _read_distances(stored, part, n_senses, folder)
        n_without_context += int(np.isnan(distances[:, 0]).sum())
        if decoding.decoding == "hard":
            senses[part] = choose_senses(distances, decoding.idk_threshold) + 1
        else:
            probabilities = find_probabilities(distances, n_senses, decoding.sharpness)
            senses[part] = draw_senses(probabilities, n_senses, rng.random(len(n_senses)))
    return DecodedShard(np.asarray(stored.positions), words, senses, n_without_context)


def _read_distances(
    stored: StoredDistances, part: slice | NDArray[np.integer], n_senses: Indices, folder: Path
) -> Doubles:
    """(n, most senses) some rows of the distances, checked."""
    distances = np.asarray(stored.distances[part], np.float64)
    absent = np.isnan(distances)
    within = np.arange(distances.shape[1]) < n_senses[:, None]
    poor = absent[:, :1]
    if np.any(absent != (poor | ~within)) or np.any(distances < 0.0) or np.any(distances > 1.0):
        raise damaged(folder / DISTANCES, "distances lie outside [0, 1], or are missing")
    return distances


def read_labelled(
    shard: Shard, stored: StoredDistances, part: slice | NDArray[np.integer], targets: Targets
) -> tuple[Integers, Doubles]:
    """Target words (n,) and distances (n, most senses) of some labelled occurrences.

    ``stored`` are the distances of the shard of a labelled corpus, by whose token ids the targets
    are.
    """
    words: Integers = targets.word_of_token[shard.tokens[stored.positions[part]]]
    if np.any(words < 0):
        raise damaged(shard.folder / POSITIONS, "the distances do not belong to the tokens")
    return words, _read_distances(stored, part, targets.n_senses[words], shard.folder)


def read_probabilities(
    shard: Shard,
    stored: StoredDistances,
    part: slice | NDArray[np.integer],
    targets: Targets,
    sharpness: float,
) -> tuple[Integers, Doubles]:
    """Target words (n,) and sense probabilities (n, most senses), as `read_labelled`."""
    words, distances = read_labelled(shard, stored, part, targets)
    return words, find_probabilities(distances, targets.n_senses[words], sharpness)


def find_probabilities(distances: Doubles, n_senses: Indices, sharpness: float) -> Doubles:
    """(n, most senses) probabilities of the senses, 0 beyond a word's senses."""
    probabilities = np.zeros(distances.shape)
    for k in np.unique(n_senses):
        rows = n_senses == k
        probabilities[rows, :k] = decode_soft(distances[rows, :k], sharpness)
    return probabilities


def draw_senses(probabilities: Doubles, n_senses: Indices, draws: Doubles) -> NDArray[np.int16]:
    """(n,) one sense number per row, from 1, for numbers drawn from [0, 1)."""
    bounds = np.cumsum(probabilities, axis=1)
    passed = (draws[:, None] >= bounds[:, :-1]).sum(axis=1)
    # Rounding may leave a row's last bound a little below 1; nothing lies beyond the last sense.
    senses: NDArray[np.int16] = (np.minimum(passed, n_senses - 1) + 1).astype(np.int16)
    return senses


def count_shard(
    source: Shard, folder: Path, number: int, targets: Targets, decoding: Decoding
) -> tuple[Indices, int]:
    """(n_words, most senses + 1) how often each lexeme occurs, and how many have no context."""
    decoded = decode_shard(source, folder, number, targets, decoding)
    shape = (len(targets.words), targets.max_senses + 1)
    flat = np.ravel_multi_index((decoded.words, decoded.senses), shape)
    counts = np.bincount(flat, minlength=shape[0] * shape[1]).reshape(shape)
    return counts.astype(np.int64), decoded.n_without_context


@dataclass(frozen=True, slots=True)
class LexemeIds:
    """Token ids of a corpus -> ids of lexeme keys, -1 where there is no such key."""

    plain: Integers  # (n_types + 1,) of each token id without senses; the last is beyond all words
    lexemes: Integers  # (n_words, most senses + 1) of each target's senses; 0 is "I don't know"


def order_lexemes(
    corpus: Corpus, targets: Targets, lexeme_counts: Indices, *, smallest: int = 1
) -> tuple[Vocabulary, LexemeIds]:
    """The vocabulary of lexeme keys, most frequent first, and the way to its ids.

    ``targets`` belong to the token ids of the corpus, which is of words, or of lexemes (labelled
    before); ``lexeme_counts`` are (n_words, most senses + 1). Lexemes rarer than ``smallest`` have
    no key.
    """
    words = corpus.vocabulary.words
    without_senses = np.flatnonzero(targets.word_of_token[:-1] < 0)
    plain_keys = [
        encode_key(decode_key(words[i])[0] if corpus.is_labelled else words[i])
        for i in without_senses.tolist()
    ]
    plain_counts = np.asarray(corpus.vocabulary.counts)[without_senses].tolist()
    counts = dict(zip(plain_keys, plain_counts, strict=True))
    exists = np.arange(targets.max_senses + 1) <= targets.n_senses[:, None]
    keys = {
        (word, sense): encode_key(targets.words[word], sense)
        for word, sense in np.argwhere(exists & (lexeme_counts >= smallest)).tolist()
    }
    counts |= {key: int(lexeme_counts[place]) for place, key in keys.items()}
    vocabulary = Vocabulary.from_counts(counts)
    plain = np.full(len(corpus.vocabulary) + 1, UNKNOWN, np.int32)
    plain[without_senses] = vocabulary.ids_of(plain_keys)
    lexemes = np.full(lexeme_counts.shape, UNKNOWN, np.int32)
    for place, key in keys.items():
        lexemes[place] = vocabulary.id_of(key)
    return vocabulary, LexemeIds(plain, lexemes)


def write_shard(
    source: Shard, folder: Path, number: int, targets: Targets, decoding: Decoding, ids: LexemeIds
) -> None:
    """Write a shard's tokens as lexeme ids with their index; the other files are taken over."""
    decoded = decode_shard(source, folder, number, targets, decoding)
    tokens = ids.plain[np.asarray(source.tokens)]
    tokens[decoded.positions] = ids.lexemes[decoded.words, decoded.senses]
    rewrite_shard(source.folder, folder, tokens, left_out=SENSE_FILES)


@dataclass(frozen=True, eq=False)
class SoftShard:
    """A shard whose labelled tokens are drawn when they are read."""

    shard: Shard
    number: int
    targets: Targets
    ids: LexemeIds
    decoding: Decoding

    @cached_property
    def _stored(self) -> StoredDistances:
        return open_distances(self.shard.folder, len(self.shard.tokens), self.targets.max_senses)

    @property
    def document_offsets(self) -> Indices:
        """(n_documents + 1,) where each document begins, and the end."""
        return self.shard.document_offsets

    def read_tokens(self, start: int, end: int, epoch: int = 0) -> Integers:
        """The lexeme ids of the positions ``start:end``, drawn for this epoch.

        The draw depends on the epoch, the shard and ``start`` only: not on threads, and not on
        what was read before.
        """
        part = self._stored.rows_within(start, end)
        words, probabilities = read_probabilities(
            self.shard, self._stored, part, self.targets, self.decoding.sharpness
        )
        seed = [self.decoding.random_state, epoch, self.number, start]
        draws = np.random.default_rng(np.random.SeedSequence(seed)).random(len(words))
        senses = draw_senses(probabilities, self.targets.n_senses[words], draws)
        tokens: Integers = self.ids.plain[np.asarray(self.shard.tokens[start:end])]
        tokens[self._stored.positions[part] - start] = self.ids.lexemes[words, senses]
        return tokens


class SoftCorpus:
    """A labelled corpus for `SkipGram.fit` in which every epoch draws the senses anew.

    Parameters
    ----------
    labelled : Corpus
        From `label_corpus`, of either decoding: only its distances are used.
    sharpness : float, optional
        The labelled corpus's own by default.

    Attributes
    ----------
    vocabulary : Vocabulary
        Lexeme keys with their expected counts, rounded, most frequent first. A sense that is
        expected less than half a time has the count 0.
    """

    def __init__(
        self, labelled: Corpus, *, sharpness: float | None = None, random_state: int = 0
    ) -> None:
        self._corpus = labelled
        self._targets = read_targets(labelled)
        if sharpness is None:
            sharpness = float(labelled.manifest["labelled"]["sharpness"])
        self._decoding = Decoding("soft", sharpness=sharpness, random_state=random_state)

    def __repr__(self) -> str:
        return f"SoftCorpus({str(self._corpus.path)!r}, sharpness={self._decoding.sharpness})"

    @cached_property
    def expected_counts(self) -> Doubles:
        """(n_words, most senses) how often each sense of each word is expected."""
        shape = (len(self._targets.words), self._targets.max_senses)
        expected = np.zeros(shape)
        for shard in self._corpus.shards:
            stored = open_distances(shard.folder, len(shard.tokens), shape[1])
            for start in range(0, len(stored), _ROWS_AT_ONCE):
                part = slice(start, min(start + _ROWS_AT_ONCE, len(stored)))
                words, probabilities = read_probabilities(
                    shard, stored, part, self._targets, self._decoding.sharpness
                )
                for k in range(shape[1]):
                    expected[:, k] += np.bincount(words, probabilities[:, k], shape[0])
        return expected

    @cached_property
    def _ordered(self) -> tuple[Vocabulary, LexemeIds]:
        counts = np.zeros((len(self._targets.words), self._targets.max_senses + 1), np.int64)
        counts[:, 1:] = np.rint(self.expected_counts)
        # The senses of words that do not occur here, and "I don't know", get no key.
        counts[:, 1:][self.expected_counts == 0.0] = -1
        counts[:, 0] = -1
        return order_lexemes(self._corpus, self._targets, counts, smallest=0)

    @property
    def vocabulary(self) -> Vocabulary:
        """The lexeme keys with their expected counts."""
        return self._ordered[0]

    @cached_property
    def shards(self) -> Sequence[SoftShard]:
        """The tokens."""
        ids = self._ordered[1]
        return [
            SoftShard(shard, number, self._targets, ids, self._decoding)
            for number, shard in enumerate(self._corpus.shards)
        ]
