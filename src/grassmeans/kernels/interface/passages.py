"""Networks that read whole passages, with matrices in 8 bits."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats, Indices, Integers
from grassmeans.errors import InputError

Bytes = NDArray[np.uint8]

NORM_FLOOR = np.float32(1e-6)
"""What is added to a mean square before rows are divided by its root."""


SIGNED, UNSIGNED = np.float32(127.0), np.float32(255.0)
"""Steps of a row of 8 bits a number: on either side of 0, and above it."""


class EncoderLayers(NamedTuple):
    """The matrices of an encoder, as `PassageKernels.pack_matrices` gives them; one a layer.

    Attributes
    ----------
    attention : (n_layers, 3 dim, dim)
        Queries, keys and values, in this order, one head after the other.
    mixing : (n_layers, dim, dim)
        From what attention has found.
    inner_up : (n_layers, n_inner, dim)
    inner_down : (n_layers, dim, n_inner)
    """

    attention: Any
    mixing: Any
    inner_up: Any
    inner_down: Any


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


class PassageKernels(Protocol):
    """Products with 8-bit matrices, and a self-attention encoder made of them.

    The rows that go into the products of an encoder are rounded to 8 bits too, each by its largest
    number, also where a processor does not multiply bytes fast, so that answers are the same there.
    A row's result depends on nothing but its own passage, to the last bit where bytes are
    multiplied.
    """

    def pack_matrices(self, codes: Bytes, scales: Floats) -> Any:
        """Matrices in the order in which products read them, to be kept.

        Parameters
        ----------
        codes : (n_matrices, n_out, n_in) uint8
        scales : (n_matrices, n_out) float32
            A number is ``(code - 127.5) * scale``.
        """
        ...

    def add_products(self, rows: Floats, matrices: Any, number: int, sums: Floats) -> None:
        """Add ``rows @ matrix.T``.

        Parameters
        ----------
        rows : (n, n_in) float32
        matrices
            From `pack_matrices`.
        number : int
            Which of them.
        sums : (n, n_out) float32
            Changed in place.
        """
        ...

    def encode_passages(
        self,
        states: Floats,
        offsets: Indices,
        hidden: Integers,
        angles: Floats,
        layers: EncoderLayers,
    ) -> Floats:
        """The states of words after all layers of a self-attention encoder.

        A layer adds what attention finds, then what the inner layer makes of it. Each reads the
        states at a mean square of 1; so do the scores read the queries and keys of a head. The
        inner layer squares what is positive.

        Parameters
        ----------
        states : (n_tokens, dim) float32
            At first: the words of all passages, one passage after the other.
        offsets : (n_passages + 1,) int64
            Where each passage begins, and the end.
        hidden : (n_passages,) int32
            A place in each passage that its other places do not see, -1 for none.
        angles : (length, size / 2) float32
            By which the two halves of a head are turned at each place; passages are no longer. The
            size of heads is a multiple of 32 where they are compiled.
        layers : EncoderLayers

        Returns
        -------
        states : (n_tokens, dim) float32
        """
        ...

    def describe_products(self) -> str:
        """How products are computed here, in words."""
        ...
