"""Around a transformer: the passages that it reads of occurrences, and the lines of what it says.

Where passages begin depends on the document alone, never on which of its words are asked for: so
the vector of an occurrence does not change with the company it is in, and the words of a passage
are read together.

Of its vectors lines are made: centred, on few axes, of unit length (`Projection`). What was encoded
before is kept on disk (`LineCache`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from grassmeans.arrays import Booleans, Doubles, Floats, Halves, Indices
from grassmeans.artifacts.checking import damaged, open_array
from grassmeans.artifacts.writing import digest_of, digest_of_array, write_array
from grassmeans.contexts.pretrained.network import WordsInText
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.errors import InputError
from grassmeans.vectors.similarity import unit_rows

WHITENING = 0.4
"""The power of the spread that axes are divided by: 0 leaves them, 1 makes all alike."""

_STEPS = 4  # passages begin every so many parts of their length: 3/8 of it is left on either side
_ENOUGH = 4
"""Contexts for each dimension from which on axes are found; with fewer all dimensions stay."""

_SMALLEST = 1e-9  # of the largest square: what is smaller is rounding
_FILE, _PLACES, _LINES = "projection.npy", ".positions.npy", ".lines.npy"


class TextPassages(NamedTuple):
    """Passages, and (n,) the occurrence that each word of the texts is, in their order."""

    texts: list[WordsInText]
    order: Indices


def cut_texts(
    occurrences: Occurrences, width: int, forms: Mapping[str, str] | None = None
) -> TextPassages:
    """The passages of occurrences, at most ``width`` tokens of their document each.

    With ``forms``, what is written in place of words, every occurrence has a passage of its own.
    """
    text = occurrences.text
    if text is None:
        raise InputError("a transformer reads the original text: tokens alone do not have it")
    bounds = np.stack(choose_bounds(occurrences, width), axis=1)
    if forms is not None:
        numbers = np.arange(len(bounds))
    else:
        bounds, numbers = np.unique(bounds, axis=0, return_inverse=True)
        numbers = numbers.reshape(-1)
    order = np.argsort(numbers, kind="stable")
    groups = np.split(order, np.searchsorted(numbers[order], np.arange(1, len(bounds))))
    texts = []
    for (first, end), group in zip(bounds.tolist(), groups, strict=True):
        written, spans = text.read(first, end)
        wanted = [spans[place - first] for place in occurrences.positions[group].tolist()]
        if forms is not None:
            number = int(occurrences.tokens[occurrences.positions[group[0]]])
            form = forms.get(occurrences.words[number]) if number >= 0 else None
            if form is not None:
                ((start, stop),) = wanted
                written = f"{written[:start]}{form}{written[stop:]}"
                wanted = [(start, start + len(form))]
        texts.append(WordsInText(written, tuple(wanted)))
    return TextPassages(texts, order)


def choose_bounds(occurrences: Occurrences, width: int) -> tuple[Indices, Indices]:
    """(n,) first tokens and (n,) ends of the passages of occurrences.

    A document is cut every quarter of the width; a passage goes as far beyond its quarter on either
    side, and all of a document's first and last passages are as long as the others.
    """
    starts, ends = occurrences.document_bounds
    step = max(width // _STEPS, 1)
    quarters = starts + (occurrences.positions - starts) // step * step
    first = np.clip(quarters - (width - step) // 2, starts, np.maximum(ends - width, starts))
    return first, np.minimum(first + width, ends)


def hide_words(
    occurrence: Occurrences, width: int, places: Sequence[int], mask: str
) -> list[WordsInText]:
    """The passage of an only occurrence as it is, and with each of the words at places hidden."""
    assert occurrence.text is not None
    (first,), (end,) = choose_bounds(occurrence, width)
    text, spans = occurrence.text.read(int(first), int(end))
    start, stop = spans[int(occurrence.positions[0] - first)]
    found = [WordsInText(text, ((start, stop),))]
    for place in places:
        begin, behind = spans[place - int(first)]
        moved = len(mask) - (behind - begin) if begin < start else 0
        hidden = f"{text[:begin]}{mask}{text[behind:]}"
        found.append(WordsInText(hidden, ((start + moved, stop + moved),)))
    return found


@dataclass(frozen=True)
class Projection:
    """What is taken off a vector, and the axes it is then seen from.

    The vectors of all words in all contexts share a large mean, which says nothing, and most of
    their dimensions say little: the principal axes of contexts of many words keep what tells
    contexts apart. The first of them are much longer than the others, and have less to say than
    that: they are whitened in part.
    """

    mean: Floats  # (dim,)
    axes: Floats  # (n_axes, dim) orthogonal rows, longer where contexts vary less

    @property
    def n_axes(self) -> int:
        """The dimension of the lines."""
        return len(self.axes)

    @cached_property
    def digest(self) -> str:
        """Of the numbers."""
        return digest_of_array(np.concatenate([self.mean[None], self.axes]))

    def project(self, vectors: Floats) -> Floats:
        """(n, n_axes) unit lines, with the precision that they are stored with; zeros stay."""
        unit = unit_rows((vectors - self.mean) @ self.axes.T)
        unit[~vectors.any(axis=1)] = 0.0
        return unit.astype(np.float16).astype(np.float32)

    def turn(self, turn: Doubles) -> Projection:
        """The same lines on turned axes."""
        return Projection(self.mean, (turn.T @ self.axes).astype(np.float32))

    def save(self, folder: Path, name: str = _FILE) -> None:
        """Write one array: the mean, and the axes below it."""
        write_array(folder / name, np.concatenate([self.mean[None], self.axes]))

    @classmethod
    def open(cls, folder: Path, name: str = _FILE) -> Projection:
        """Read what `save` wrote."""
        path = folder / name
        rows = np.asarray(open_array(path, np.float32, (None, None)))
        if len(rows) < 2 or not np.isfinite(rows).all():
            raise damaged(path, "it holds no mean and axes")
        return cls(rows[0], rows[1:])


def fit_projection(vectors: Floats, dim: int) -> Projection:
    """The mean and main axes of contexts (n, size), whitened in part; all axes of few contexts."""
    mean = vectors.mean(axis=0, dtype=np.float64)
    size = vectors.shape[1]
    if dim >= size or len(vectors) < _ENOUGH * size:
        return Projection(mean.astype(np.float32), np.eye(size, dtype=np.float32))
    centred = vectors - mean
    squares, found = np.linalg.eigh(centred.T @ centred)
    axes = found[:, ::-1][:, :dim].T
    spread = np.sqrt(np.maximum(squares[::-1][:dim], squares[-1] * _SMALLEST))
    axes = axes * ((spread[0] / spread) ** WHITENING)[:, None]
    return Projection(mean.astype(np.float32), fix_signs(axes))


def fix_signs(axes: Doubles) -> Floats:
    """Axes (n_axes, dim), whose signs are arbitrary: the largest number of each is positive."""
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1)
    return np.ascontiguousarray(axes * np.sign(largest), np.float32)


class LineCache:
    """Lines by the positions of their occurrences, kept on disk.

    To encode is nearly all of the work; with other settings of the grouping, or after an
    interruption, it need not be done again. What is kept belongs to one corpus and one encoder, of
    whose identity the name of its folder is made. Files are added and never changed, so that
    several processes may do so.
    """

    def __init__(self, folder: Path, identity: Any, dim: int) -> None:
        self.folder = folder / digest_of(identity)
        self._dim = dim
        self._parts: list[tuple[Indices, Halves]] = []
        for path in sorted(self.folder.glob(f"*{_PLACES}")):
            places = np.asarray(open_array(path, np.int64, (None,)))
            lines = path.with_name(path.name.replace(_PLACES, _LINES))
            self._parts.append((places, open_array(lines, np.float16, (len(places), dim))))

    def read(self, positions: Indices) -> tuple[Booleans, Floats]:
        """(n,) which of the positions are here, and (n, dim) their lines; zeros for the others."""
        known = np.zeros(len(positions), np.bool_)
        lines = np.zeros((len(positions), self._dim), np.float32)
        for places, stored in self._parts:
            rows = np.minimum(np.searchsorted(places, positions), len(places) - 1)
            here = (places[rows] == positions) & ~known
            lines[here] = stored[rows[here]]
            known |= here
        return known, lines

    def write(self, positions: Indices, lines: Floats) -> None:
        """Keep the lines of positions, which are in text order."""
        if not len(positions):
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        name = digest_of_array(positions)
        kept = lines.astype(np.float16)
        # The positions come last: a part without them is none.
        write_array(self.folder / f"{name}{_LINES}", kept)
        write_array(self.folder / f"{name}{_PLACES}", positions)
        self._parts.append((positions, kept))
