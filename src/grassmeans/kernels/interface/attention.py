"""Learned contexts."""

from __future__ import annotations

from typing import Protocol

from grassmeans.arrays import Floats, Halves, Indices, Integers


class AttentionKernels(Protocol):
    """Leave-one-out attention: what learned contexts are made of."""

    def attend_places(
        self,
        queries: Floats,
        features: Halves,
        layer: int,
        passages: Integers,
        offsets: Indices,
        places: Integers,
        hidden: Integers,
        angles: Floats,
    ) -> Floats:
        """One layer's attention of places to all other words of their passages.

        Parameters
        ----------
        queries : (n, n_heads, size) float32
            Of the places, passage by passage, before they are turned by their place.
        features : (n_words, n_layers, 2, n_heads, size) float16
            Keys and values of words, before they are turned.
        layer : int
            Whose keys and values.
        passages : (n_passages, length) int32
            Rows of ``features``; -1 fills up at the end.
        offsets : (n_passages + 1,) int64
            Where the queries of each passage begin, and the end.
        places : (n,) int32
            Where each query stands in its passage; it does not attend to that place.
        hidden : (n,) int32
            Another place that it does not attend to, -1 for none.
        angles : (length, size / 2) float32
            By which the two halves of a head are turned at each place.

        Returns
        -------
        found : (n, n_heads, size) float32
            Mean values by attention; zeros where there is nothing to attend to.
        """
        ...

    def add_squares(self, inner: Floats, weights: Floats, sums: Floats) -> None:
        """Add ``square(max(inner, 0)) @ weights``, the second half of an inner layer.

        Parameters
        ----------
        inner : (n, n_inner) float32
        weights : (n_inner, dim) float32
        sums : (n, dim) float32
            Changed in place.
        """
        ...
