"""What goes into kernels and comes out of them, and the rules that all devices share.

Arrays are in C order and of the types named here; read-only memory maps are fine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from grassmeans.arrays import Booleans, Floats, Indices, Integers
from grassmeans.errors import InputError

NOT_KEPT = 2**30
"""The place of a target in its window where it is not in it; beyond every window."""

OCCURRENCE_BLOCK = 512
"""`measure_windows` gives the same for every cut of the occurrences at multiples of this."""

NORM_FLOOR = np.float32(1e-6)
"""What is added to a mean square before rows are divided by its root."""

SIGNED, UNSIGNED = np.float32(127.0), np.float32(255.0)
"""Steps of a row of 8 bits a number: on either side of 0, and above it."""


class RunningText(NamedTuple):
    """Documents, one after the other."""

    tokens: Integers  # (n_tokens,)
    document_offsets: Indices  # (n_documents + 1,) where each begins, and the end
    row_of_token: Integers  # (n_types,) rows of the vectors; -1 for words that are dropped


class Windows(NamedTuple):
    """The windows of kept words around occurrences of target words."""

    kept_rows: Integers  # (n_kept,) rows of the vectors for the text's kept words, in order
    words: Integers  # (n_occurrences,) which target each one is
    firsts: Integers  # (n_occurrences,) the window: kept_rows[first:end], inside the document
    ends: Integers
    centres: Integers
    """(n_occurrences,) index of the occurrence itself inside its window, which is no part of the
    context; `NOT_KEPT` where the target is not a kept word."""

    def context_sizes(self, part: slice) -> Integers:
        """How many words the contexts of some occurrences have."""
        is_kept = self.centres[part] != NOT_KEPT
        return (self.ends[part] - self.firsts[part] - is_kept).astype(np.int32)


class SenseTable(NamedTuple):
    """What distances of running text are measured with."""

    vectors: Floats  # (n_words, dim)
    directions: Floats  # (n_directions, dim) unit vectors, of one target word after the other
    sense_offsets: Indices  # (n_targets + 1,) where each target's directions begin, and the end
    rank: int  # of a context's subspace
    window: int  # kept words a side
    singular: bool  # whether a subspace's direction n weighs lambda_n / lambda_1 instead of 1
    fewest: int  # contexts with fewer words are left out

    @property
    def tolerance(self) -> float:
        """Share of lambda_1 from which on an eigenvalue counts as zero."""
        return negligible_share(2 * self.window, self.vectors.shape[1])


def negligible_share(width: int, dim: int) -> float:
    """Share of a context's largest squared singular value at which another one counts as zero.

    The rule of `numpy.linalg.matrix_rank` for a matrix (width, dim) in single precision, squared.
    """
    return (max(width, dim) * float(np.finfo(np.float32).eps)) ** 2


class PhraseTrie(NamedTuple):
    """Sequences of words as a tree, each path from its root a phrase."""

    n_words: int  # words are numbers below it
    edges: Indices  # (n_edges,) state * n_words + word, rising; the root is state 0
    states: Integers  # (n_edges,) the state that each edge leads to
    ends: Integers  # (n_states,) number of the phrase that ends in a state, -1 for none


class AttendingPlaces(NamedTuple):
    """Places of passages that look at the other words there, passage by passage."""

    passages: Integers  # (n_passages, length) words; -1 fills up at the end
    offsets: Indices  # (n_passages + 1,) where the places of each passage begin, and the end
    places: Integers  # (n,) in their passages; none attends to itself
    hidden: Integers  # (n,) another place that it does not attend to, -1 for none
    angles: Floats  # (length, size / 2) by which the halves of a head are turned at each place


class EncoderLayers(NamedTuple):
    """The matrices of an encoder, one a layer, as `pack_matrices` gives them."""

    attention: Any  # (n_layers, 3 dim, dim) queries, keys, values, one head after the other
    mixing: Any  # (n_layers, dim, dim) from what attention has found
    inner_up: Any  # (n_layers, n_inner, dim)
    inner_down: Any  # (n_layers, dim, n_inner)


def check_passages(
    states: Floats, offsets: Indices, hidden: Integers, angles: Floats, step: int = 2
) -> None:
    """Refuse passages that do not fit together; heads must be multiples of ``step``."""
    lengths, n_tokens = np.diff(offsets), int(offsets[-1])
    longest, size = int(lengths.max(initial=0)), 2 * angles.shape[1]
    if n_tokens != len(states) or (lengths < 0).any():
        raise InputError(f"passages end at {n_tokens}, but there are states of {len(states)} words")
    if longest > len(angles):
        raise InputError(f"a passage has {longest} words, the network reads {len(angles)} at most")
    if len(hidden) != len(lengths) or (hidden >= lengths).any():
        raise InputError("each passage needs one place to hide that is in it, or -1")
    if states.shape[1] % size or size % step:
        raise InputError(
            f"heads must be multiples of {step} and fill {states.shape[1]} dimensions, got {size}"
        )


class SenseCounts(NamedTuple):
    """How often words have their senses in the documents of two groups."""

    word_offsets: Indices  # (n_words + 1,) which of the (word, document) pairs are a word's
    document_offsets: Indices  # (n_pairs + 1,) which of the entries are a pair's
    senses: Integers  # (n_entries,) from 0
    counts: Integers  # (n_entries,) how often the word has the sense in the document
    groups: Integers  # (n_pairs,) 0 or 1
    n_senses: int  # more than the largest sense


class Permuted(NamedTuple):
    """How chance divisions compare with the real one, (n_words,) each."""

    n_as_large: Indices  # those that differ at least as much as the real one
    n_done: Indices  # those that were tried


class Sampling(NamedTuple):
    """How skip-gram draws its words."""

    keep: Floats  # (n_words,) probability that an occurrence survives subsampling
    threshold: Floats  # (n_words,) what draws of negatives need
    alias: Integers  # (n_words,) the same
    sigmoid: Floats  # (1025,) at the middle of 1,024 steps over [-6, 6], as word2vec has it
    window: int  # the widest, words a side
    negative: int  # negatives a window


class Matrices(NamedTuple):
    """The two matrices of skip-gram (n_words, dim), and which of their rows stay as they are."""

    inputs: Floats
    outputs: Floats
    frozen_inputs: Booleans  # (n_words,)
    frozen_outputs: Booleans


class Stretch(NamedTuple):
    """Consecutive documents that are trained; the learning rate falls linearly over them."""

    tokens: Integers  # (n_tokens,) those outside the matrices are passed over
    document_offsets: Indices  # (n_documents + 1,)
    share_before: float  # of the training, what lies before them
    first_rate: float
    last_rate: float
    seed: np.uint64
