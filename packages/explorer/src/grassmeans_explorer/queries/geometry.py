"""Pictures of words: context planes in space, a map of contexts, a map of many words' senses.

On the map of a word a context is described by the squared cosines between its subspace and each
sense's direction; it shows the two main axes of these numbers, and so what senses are told by.

On the map of senses these are compared by the cosines between their directions, which lie in one
space for all words. They are laid out in the plane by t-SNE, which keeps neighbours together; it
starts from classical scaling, so that the same words give the same picture. Groups of senses that
are like each other on average have a colour in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage

from grassmeans.arrays import Doubles, Floats, Indices
from grassmeans.clustering.loop import sample_evenly
from grassmeans.errors import InputError
from grassmeans.pictures.planes import SENSE_COLOURS, TextLine, build_scene, choose_senses
from grassmeans_explorer.limits import ConflictError, TooMuchError, WordNotFoundError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.induce import DEFAULT_CONTEXTS, model_with
from grassmeans_explorer.queries.lines import LINE_WIDTH, stored_lines_of
from grassmeans_explorer.queries.occurrences import measure_positions, sample_word
from grassmeans_explorer.queries.words import WordView, check_sense, require_word, show_word
from grassmeans_explorer.work import begin_long_work, checkpoint

_PLANE = 2
_PLANES = 5  # of each sense
_STORED = 6  # of each sense, where there is no corpus
_NEAR = 5
_LOOKED_AT = 2_000  # contexts among which the nearest are looked for
_LIKE = 0.35  # cosine that the senses of a group have on average
_MOST_GROUPS = len(SENSE_COLOURS)
_GROUP_WORDS = 3
_FEW = 6  # points that classical scaling places well enough
_PERPLEXITY = 10.0
_STEPS = 500  # the picture hardly changes after them
_SMALL = 1e-4  # the usual size of the layout that t-SNE starts from
_DIGITS = 4


def show_planes(
    opened: OpenModel, word: str, senses: Sequence[int] | None = None, n_senses: int | None = None
) -> dict[str, Any]:
    """Context planes and the lines they meet in, as the viewer takes them.

    `NothingThereError`, `ConflictError` for a sense that there is not, or that is hidden; where
    there is no line to draw.
    """
    begin_long_work()
    model, key = model_with(opened, word, n_senses)
    directions = np.asarray(model.inventory.directions(key))
    visible = np.flatnonzero(directions.any(axis=1))
    if senses is None:
        chosen = [int(visible[k - 1]) + 1 for k in choose_senses(directions[visible])]
    else:
        chosen = list(dict.fromkeys(senses))
        for number in chosen:
            check_sense(key, len(directions), number)
            if number - 1 not in visible:
                raise ConflictError(f"sense {number} of {key!r} is hidden: show it first")
    if opened.corpus is None:  # the examples of a sense come first among the lines that are kept
        found = stored_lines_of(opened, key)
        own = [[line for line in found if line.sense == number][:_STORED] for number in chosen]
        lines = [TextLine(x.sense, x.left, x.word, x.right) for kept in own for x in kept]
    else:
        lines = _nearest_lines(opened, key, directions, chosen)
    try:
        return build_scene(model, key, senses=chosen, lines=lines).to_dict()
    except InputError as error:  # no line with two known words
        raise ConflictError(str(error)) from error


def _nearest_lines(
    opened: OpenModel, key: str, directions: Floats, chosen: Sequence[int]
) -> list[TextLine]:
    """Of each chosen sense, a few lines of the corpus among the fifth that lies nearest to it."""
    corpus = opened.require_corpus("drawing planes")
    positions = sample_word(opened, key, _LOOKED_AT).contexts.positions
    distances = measure_positions(opened, key, positions, directions).distances
    known = np.where(np.isnan(distances), np.inf, distances)
    nearest = known.argmin(axis=1)
    lines = []
    for number in chosen:
        own = np.where(nearest == number - 1, known[:, number - 1], np.inf)
        order = np.argsort(own, kind="stable")[: int(np.isfinite(own).sum())]
        # The very nearest often come from one text, and their planes are all but the same.
        near = order[: max(_PLANES, len(order) // _NEAR)]
        spread = np.linspace(0, max(len(near) - 1, 0), min(_PLANES, len(near)))
        for row in near[np.unique(spread.astype(np.int64))]:
            line = corpus.line_at(int(positions[row]), LINE_WIDTH)
            lines.append(TextLine(number, line.left, line.word, line.right, int(positions[row])))
    return lines


@dataclass(frozen=True, slots=True)
class MapPoint:
    """A context on the map, with its sense, confidence, line and position in the corpus."""

    x: float
    y: float
    sense: int
    confidence: float
    left: str
    word: str
    right: str
    position: int | None


@dataclass(frozen=True, slots=True)
class MapSense:
    """Where a context would be that holds the whole of a sense's direction and no other."""

    sense: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class MapAxes:
    """What the axes are: shares of the variance, and where the senses lie."""

    explained: tuple[float, ...]
    senses: tuple[MapSense, ...]


@dataclass(frozen=True, slots=True)
class ContextMap:
    """A map of a word's contexts."""

    points: tuple[MapPoint, ...]
    axes: MapAxes


def draw_map(opened: OpenModel, word: str, limit: int, n_senses: int | None = None) -> ContextMap:
    """A plane in which contexts of the same sense lie together.

    Of the corpus's contexts an even sample is shown; without a corpus, the lines that the model
    keeps.
    """
    begin_long_work()
    model, key = model_with(opened, word, n_senses)
    directions = np.asarray(model.inventory.directions(key))
    if opened.corpus is None:
        found = [line for line in stored_lines_of(opened, key) if line.distances][:limit]
        distances = np.array([line.distances for line in found]).reshape(-1, len(directions))
        facts = [(x.sense, x.confidence, x.left, x.word, x.right, None) for x in found]
    else:
        contexts = sample_word(opened, key, DEFAULT_CONTEXTS).contexts
        positions = sample_evenly(contexts.positions, limit)
        measured = measure_positions(opened, key, positions, directions)
        distances = measured.distances.astype(np.float64)
        facts = []
        for i, position in enumerate(positions.tolist()):
            line = opened.corpus.line_at(position, LINE_WIDTH)
            told = int(measured.senses[i]), _round(measured.confidence[i])
            facts.append((*told, line.left, line.word, line.right, position))
    visible = np.flatnonzero(directions.any(axis=1))
    places, axes = _project(1.0 - np.square(distances[:, visible]), visible + 1)
    points = tuple(
        MapPoint(_round(x), _round(y), *fact)
        for (x, y), fact in zip(places.tolist(), facts, strict=True)
    )
    return ContextMap(points, axes)


def _project(features: Doubles, numbers: Indices) -> tuple[Doubles, MapAxes]:
    """(n, 2) principal components of (n, n_senses) features, and the place of each sense."""
    n_senses = len(numbers)
    centre = features.mean(axis=0) if len(features) else np.zeros(n_senses)
    _, sizes, axes = np.linalg.svd(features - centre, full_matrices=False)
    # A fixed sign: the largest part of an axis is positive.
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    plane = np.zeros((_PLANE, n_senses))
    plane[: len(axes)] = (axes * signs[:, None])[:_PLANE]
    total = float(np.square(sizes).sum())
    explained = [float(size**2) / total if total > 0.0 else 0.0 for size in sizes[:_PLANE]]
    explained += [0.0] * (_PLANE - len(explained))
    corners = (np.eye(n_senses) - centre) @ plane.T
    senses = tuple(
        MapSense(int(number), _round(x), _round(y))
        for number, (x, y) in zip(numbers, corners.tolist(), strict=True)
    )
    rounded = tuple(_round(share) for share in explained)
    return (features - centre) @ plane.T, MapAxes(rounded, senses)


def _round(value: float) -> float:
    return round(float(value), _DIGITS)


@dataclass(frozen=True, slots=True)
class PlacedSense:
    """A sense on the map; ``group`` 0 has no like among the others."""

    word: str
    sense: int
    name: str
    share: float
    n_senses: int  # of its word
    given: bool  # whether its word was asked for, and is not a neighbour
    group: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class SenseGroup:
    """Senses that are like each other, the largest group first; those in its middle name it."""

    number: int
    words: tuple[str, ...]
    n_senses: int


@dataclass(frozen=True, slots=True)
class SenseMap:
    """The map of some words' senses.

    Attributes
    ----------
    unknown : tuple of str
        What was asked for and is not in the model.
    n_left_out : int
        Words for which there was no room.
    """

    senses: tuple[PlacedSense, ...]
    groups: tuple[SenseGroup, ...]
    unknown: tuple[str, ...]
    n_left_out: int


def map_senses(opened: OpenModel, words: Sequence[str], n_neighbours: int = 0) -> SenseMap:
    """The senses of words, and of the words nearest to those senses, in one plane.

    `TooMuchError` for too many words; `WordNotFoundError` where the model has none of them.
    """
    begin_long_work()
    limits = opened.limits.request
    asked = tuple(dict.fromkeys(word.strip() for word in words if word.strip()))
    if len(asked) > limits.map_words or n_neighbours > limits.map_words:
        raise TooMuchError(f"a map has at most {limits.map_words} words and as many neighbours")
    given, unknown = _find_words(opened, asked)
    views = [show_word(opened, word) for word in given]
    checkpoint(0.2)
    for number, word in enumerate(_find_neighbours(opened, views, n_neighbours)):
        views.append(show_word(opened, word))
        checkpoint(0.2 + 0.4 * number / n_neighbours)
    totals = np.cumsum([view.n_senses for view in views])
    n_kept = max(1, int((totals <= limits.map_senses).sum()))
    rows = [(view, sense) for view in views[:n_kept] for sense in view.senses if not sense.hidden]
    directions = np.stack(
        [opened.current.inventory.directions(view.word)[sense.number - 1] for view, sense in rows]
    )
    likeness = np.asarray(directions, np.float64) @ np.asarray(directions, np.float64).T
    if not opened.base.encoder.lines_have_ends:
        likeness = np.abs(likeness)
    groups = group_senses(likeness)
    checkpoint(0.7)
    places = lay_out(1.0 - np.clip(likeness, 0.0, 1.0))
    senses = tuple(
        PlacedSense(
            word=view.word,
            sense=sense.number,
            name=sense.name,
            share=sense.share,
            n_senses=view.n_senses,
            given=view.word in given,
            group=int(groups[i]),
            x=_round(places[i, 0]),
            y=_round(places[i, 1]),
        )
        for i, (view, sense) in enumerate(rows)
    )
    named = _name_groups(senses, groups, likeness)
    return SenseMap(senses, named, unknown, len(views) - n_kept)


def _find_words(opened: OpenModel, asked: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The keys of the words that the model has, and the others."""
    keys: dict[str, None] = {}
    unknown: list[str] = []
    first: WordNotFoundError | None = None
    for word in asked:
        try:
            keys[require_word(opened, word)] = None
        except WordNotFoundError as error:
            first = first or error
            unknown.append(word)
    if not keys:
        raise first or WordNotFoundError("no word was given: give some with commas between them")
    return list(keys), tuple(unknown)


def _find_neighbours(opened: OpenModel, views: Sequence[WordView], most: int) -> list[str]:
    """The words nearest to the senses, taking turns: the nearest of each, then the next ones."""
    seen = {view.word for view in views}
    lists = [sense.nearest_words for view in views for sense in view.senses if not sense.hidden]
    found: dict[str, None] = {}
    for depth in range(max(map(len, lists), default=0)):
        for near in lists:
            if depth < len(near) and near[depth] in opened.current.inventory:
                found.setdefault(near[depth])
    return [word for word in found if word not in seen][:most]


def group_senses(likeness: Doubles) -> Indices:
    """(n,) groups from 1 by (n, n) cosines, the largest first; 0 for what is like nothing else."""
    n = len(likeness)
    if n < 2:
        return np.zeros(n, np.int64)
    pairs = 1.0 - np.clip(likeness[np.triu_indices(n, 1)], 0.0, 1.0)
    labels = fcluster(linkage(pairs, "average"), 1.0 - _LIKE, "distance")
    sizes = np.bincount(labels)
    firsts = {label: int(np.flatnonzero(labels == label)[0]) for label in set(labels.tolist())}
    ranked = sorted(firsts, key=lambda label: (-sizes[label], firsts[label]))
    numbers = np.zeros(len(sizes), np.int64)
    for number, label in enumerate(ranked[:_MOST_GROUPS], 1):
        if sizes[label] > 1:
            numbers[label] = number
    return np.asarray(numbers[labels])


def lay_out(distances: Doubles) -> Doubles:
    """(n, 2) places in the plane; the same for the same distances, (n, n) and symmetric."""
    n = len(distances)
    places = _scale_classically(distances)
    if n > _FEW:
        from sklearn.manifold import TSNE

        spread = places.std() or 1.0
        model = TSNE(
            metric="precomputed",
            init=(places / spread * _SMALL).astype(np.float32),
            perplexity=min(_PERPLEXITY, (n - 1) / 3.0),
            method="exact",
            max_iter=_STEPS,
            random_state=0,
        )
        places = np.asarray(model.fit_transform(np.clip(distances, 0.0, None)), np.float64)
    places -= places.mean(axis=0)
    # The longer way lies across, and the first point that is not in the middle on the right.
    axes = np.linalg.svd(places, full_matrices=False)[2] if n > 1 else np.eye(2)
    turned = places @ axes.T
    largest = np.abs(turned).max()
    turned /= largest if largest > 0.0 else 1.0
    leading = turned[np.abs(turned).argmax(axis=0), np.arange(turned.shape[1])]
    return np.asarray(turned * np.where(leading < 0.0, -1.0, 1.0))


def _scale_classically(distances: Doubles) -> Doubles:
    """(n, 2) the plane in which the points lie as far apart as they can (Torgerson 1952)."""
    n = len(distances)
    centring = np.eye(n) - 1.0 / n
    products = -0.5 * centring @ np.square(distances) @ centring
    values, vectors = np.linalg.eigh(products)
    largest = np.argsort(-values)[:2]
    places = np.zeros((n, 2))
    places[:, : len(largest)] = vectors[:, largest] * np.sqrt(np.clip(values[largest], 0.0, None))
    return places


def _name_groups(
    senses: Sequence[PlacedSense], groups: Indices, likeness: Doubles
) -> tuple[SenseGroup, ...]:
    found = []
    for number in range(1, int(groups.max(initial=0)) + 1):
        rows = np.flatnonzero(groups == number)
        middle = likeness[np.ix_(rows, rows)].mean(axis=1)
        ordered = rows[np.argsort(-middle, kind="stable")]
        # One word for a sense: the first of its name; its word where that has no other sense.
        chosen = [senses[row] for row in ordered]
        names = [sense.name.split(", ")[0] if sense.n_senses > 1 else "" for sense in chosen]
        words = dict.fromkeys(n or sense.word for n, sense in zip(names, chosen, strict=True))
        found.append(SenseGroup(number, tuple(words)[:_GROUP_WORDS], len(rows)))
    return tuple(found)
