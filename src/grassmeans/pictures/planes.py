"""A word's senses -> context planes that meet along lines, in three dimensions.

As in figures 2 and 3 of the paper: word vectors are projected to three dimensions, every context
becomes a plane there (its rank-2 subspace), and the planes of one sense meet along a line. Which
three dimensions is left open in the paper; ours hold the intersection directions of the shown
senses, so that the lines keep the angles between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Doubles, Floats
from grassmeans.errors import InputError
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import WordSenses
from grassmeans.tagging.tagging import occurrences_in_passages
from grassmeans.vectors.similarity import unit_rows

SENSE_COLOURS = (
    "#d1495b",
    "#2878b5",
    "#3a9d5d",
    "#e08e1b",
    "#7d5ba6",
    "#148f9b",
    "#b0562a",
    "#66707a",
    "#c2418f",
    "#7f7a18",
    "#5f6fc4",
    "#8f7060",
)
IDK_COLOUR = "#8a8a8a"


def sense_colour(number: int) -> str:
    """The colour of a sense, by its number from 1; grey for "I don't know", 0."""
    return SENSE_COLOURS[(number - 1) % len(SENSE_COLOURS)] if number > 0 else IDK_COLOUR


SPACE = 3
PLANE_RANK = 2
DEFAULT_PLANES = 4
_FEWEST_WORDS = 2
_TINY = 1e-9


@dataclass(frozen=True, slots=True)
class ContextPlane:
    """One context."""

    sense: int  # number of the sense, from 1
    basis: tuple[tuple[float, ...], ...]  # two orthonormal rows, which span the plane
    # The line of text.
    left: str
    word: str
    right: str
    words: tuple[str, ...]  # the context's words that span the plane
    # Cosine between the plane and the line of its sense, here in three dimensions.
    similarity: float
    position: int | None = None  # where the line stands in a corpus


@dataclass(frozen=True, slots=True)
class SenseLine:
    """The line along which the planes of a sense meet: a unit vector of three numbers."""

    sense: int
    direction: tuple[float, ...]
    name: str


@dataclass(frozen=True, slots=True)
class PlanesScene:
    """Planes and lines of one word."""

    word: str
    planes: tuple[ContextPlane, ...]
    lines: tuple[SenseLine, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as the viewer in ``planes.js`` takes them."""
        colours = {line.sense: sense_colour(line.sense) for line in self.lines}
        return asdict(self) | {"colours": colours}


@dataclass(frozen=True, slots=True)
class TextLine:
    """An occurrence of the word, the number of its sense, and its position in a corpus."""

    sense: int
    left: str
    word: str
    right: str
    position: int | None = None


def example_lines(
    entry: WordSenses, senses: Sequence[int], n_planes: int = DEFAULT_PLANES
) -> list[TextLine]:
    """The best examples of some senses, as far as the inventory keeps them."""
    return [
        TextLine(sense.number, example.left, example.word, example.right)
        for sense in entry.senses
        if sense.number in senses
        for example in sense.examples[:n_planes]
    ]


def choose_senses(directions: Floats, limit: int = 2) -> tuple[int, ...]:
    """The numbers of senses to show first: the largest one, and those most different from it.

    Three dimensions can tell two lines apart well; with more, planes of one sense come close to
    the lines of others.
    """
    visible = np.flatnonzero(directions.any(axis=1))  # a hidden sense has a direction of zeros
    chosen = visible[:1].tolist()
    cosines = np.abs(directions @ directions.T)
    while len(chosen) < min(limit, len(visible)):
        nearest = np.full(len(directions), np.inf)
        nearest[visible] = cosines[np.ix_(visible, chosen)].max(axis=1)
        nearest[chosen] = np.inf
        chosen.append(int(nearest.argmin()))
    return tuple(sorted(number + 1 for number in chosen))


def build_scene(
    model: SenseModel,
    word: str,
    *,
    senses: Sequence[int] | None = None,
    lines: Sequence[TextLine] | None = None,
) -> PlanesScene:
    """Planes and lines of a word.

    By default of two senses that differ (`choose_senses`), and of the inventory's examples.
    `InputError` where the word has no sense of such a number, or no line has two known context
    words.
    """
    entry = model.senses(word)
    shown = tuple(senses) if senses else choose_senses(entry.directions)
    unknown = [number for number in shown if not 1 <= number <= entry.n_senses]
    if unknown:
        raise InputError(f"{word!r} has the senses 1 to {entry.n_senses}, not {unknown[0]}")
    candidates = example_lines(entry, shown) if lines is None else lines
    wanted = [line for line in candidates if line.sense in shown]
    passages = [(line.left, line.right) for line in wanted]
    occurrences = occurrences_in_passages(word, passages, model.tokenizer)
    contexts = [row[row >= 0] for row in model.encoder.describing_words(occurrences)]
    usable = [
        (line, ids) for line, ids in zip(wanted, contexts, strict=True) if len(ids) >= _FEWEST_WORDS
    ]
    if not usable:
        raise InputError(f"no line of {word!r} has two known words around it: nothing to draw")
    directions = entry.directions[[number - 1 for number in shown]]
    stacked = [np.asarray(model.vectors.vectors[ids], np.float64) for _, ids in usable]
    axes = find_axes(directions, np.vstack(stacked))
    flat = unit_rows(directions @ axes.T)
    names = {sense.number: sense.name for sense in entry.senses}
    planes = []
    for (line, ids), words in zip(usable, stacked, strict=True):
        # The uncentred rank-2 principal subspace of the words: two orthonormal rows.
        basis = np.linalg.svd(words @ axes.T, full_matrices=True)[2][:PLANE_RANK]
        own = flat[shown.index(line.sense)]
        named = tuple(dict.fromkeys(model.vectors.words[row] for row in ids))
        similarity = round(float(np.linalg.norm(basis @ own)), 4)
        text = (line.left, line.word, line.right)
        rows = _round_rows(basis)
        planes.append(ContextPlane(line.sense, rows, *text, named, similarity, line.position))
    drawn = tuple(
        SenseLine(number, row, names[number])
        for number, row in zip(shown, _round_rows(flat), strict=True)
    )
    return PlanesScene(word, tuple(planes), drawn)


def find_axes(directions: NDArray[np.floating], word_vectors: NDArray[np.floating]) -> Doubles:
    """(3, dim) orthonormal axes that hold the directions, filled up by the words' own main axes.

    Of more than three directions (n_senses, dim), the best approximation in three dimensions is
    taken.
    """
    _, sizes, rows = np.linalg.svd(np.asarray(directions, np.float64), full_matrices=False)
    axes = rows[: min(SPACE, int((sizes > _TINY).sum()))]
    if len(axes) < SPACE:
        rest = word_vectors - (word_vectors @ axes.T) @ axes
        fill = np.linalg.eigh(rest.T @ rest)[1].T[::-1]
        axes = np.linalg.qr(np.vstack([axes, fill[:SPACE]]).T)[0].T
    return np.asarray(axes[:SPACE], np.float64)


def _round_rows(rows: NDArray[np.floating]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(round(float(value), 5) for value in row) for row in rows)
