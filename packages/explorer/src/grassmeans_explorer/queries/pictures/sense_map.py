"""A map of many words' senses.

Senses are compared by the cosines between their directions, which lie in one space for all words.
All senses of one word have the word in common, and are like each other for that alone: what any two
senses of a word of the model have in common, on average, is taken away between those of one word.
They are laid out in the plane by t-SNE, which keeps neighbours together; it starts from classical
scaling, so that the same words give the same picture. Groups of senses that are like each other on
average have a colour in common; where one word was asked for, the colours that its senses have in
every view.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage

from grassmeans.arrays import Doubles, Floats, Indices
from grassmeans.clustering.loop import sample_evenly
from grassmeans.pictures.planes import IDK_COLOUR, SENSE_COLOURS, sense_colour
from grassmeans_explorer.limits import Kept, TooMuchError, WordNotFoundError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.words import WordView, require_word, show_word
from grassmeans_explorer.work import begin_long_work, checkpoint

_LIKE = 0.35  # cosine that the senses of a group have on average
_SAMPLED = 300  # words in which it is measured what senses of one word have in common
_MOST_IN_COMMON = 0.9
_MOST_GROUPS = len(SENSE_COLOURS)
_GROUP_WORDS = 3
_FEW = 6  # points that classical scaling places well enough
_PERPLEXITY = 10.0
_STEPS = 500  # the picture hardly changes after them
_SMALL = 1e-4  # the usual size of the layout that t-SNE starts from
_DIGITS = 4


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
    colour: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class SenseGroup:
    """Senses that are like each other, the largest group first; those in its middle name it."""

    number: int
    words: tuple[str, ...]
    n_senses: int
    colour: str


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
    likeness = discount_own(
        _compare(opened, directions), [view.word for view, _ in rows], _IN_COMMON.of(opened)
    )
    groups = group_senses(likeness)
    own = [s.number if given == [view.word] else 0 for view, s in rows]
    colours, group_colours = colour_groups(groups, own)
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
            colour=colours[i],
            x=_round(places[i, 0]),
            y=_round(places[i, 1]),
        )
        for i, (view, sense) in enumerate(rows)
    )
    named = _name_groups(senses, groups, likeness, group_colours)
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


def _compare(opened: OpenModel, directions: Floats) -> Doubles:
    """(n, n) cosines; of lines without ends, their sizes."""
    rows = np.asarray(directions, np.float64)
    cosines = rows @ rows.T
    return cosines if opened.base.encoder.lines_have_ends else np.abs(cosines)


def _measure_own(opened: OpenModel) -> float:
    """The median cosine of two senses of one word, in an even sample of the model's words."""
    counts = opened.base.inventory.sense_counts
    several = [word for word, count in counts.items() if count > 1]
    found: list[float] = []
    for place in sample_evenly(np.arange(len(several)), _SAMPLED):
        directions = opened.base.inventory.directions(several[place])
        cosines = _compare(opened, directions[directions.any(axis=1)])
        found += cosines[np.triu_indices(len(cosines), 1)].tolist()
    return float(np.clip(np.median(found), 0.0, _MOST_IN_COMMON)) if found else 0.0


_IN_COMMON: Kept[float] = Kept(_measure_own)


def discount_own(likeness: Doubles, words: Sequence[str], in_common: float) -> Doubles:
    """(n, n) likeness of senses, that of two senses of one word without what all such have."""
    _, numbers = np.unique(np.array(words), return_inverse=True)
    own = (numbers[:, None] == numbers[None, :]) & ~np.eye(len(numbers), dtype=bool)
    rest = (likeness - in_common) / (1.0 - in_common)
    return np.where(own, np.maximum(rest, 0.0), likeness)


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


def colour_groups(groups: Indices, own: Sequence[int]) -> tuple[list[str], dict[int, str]]:
    """The colours of senses by their (n,) groups, and of the groups.

    ``own`` are the numbers of the senses of the one word that was asked for, 0 for those of others:
    its senses have the colours that they have in every view, and a group has that of the first of
    them in it.
    """
    of_group: dict[int, str] = {}
    for group, number in zip(groups.tolist(), own, strict=True):
        if group and number:
            of_group.setdefault(group, sense_colour(number))
    taken = {sense_colour(number) for number in own if number}
    free = (colour for colour in SENSE_COLOURS if colour not in taken)
    for group in range(1, int(groups.max(initial=0)) + 1):
        if group not in of_group:
            of_group[group] = next(free, IDK_COLOUR)
    by_group = {0: IDK_COLOUR} | of_group
    pairs = zip(groups.tolist(), own, strict=True)
    colours = [sense_colour(number) if number else by_group[group] for group, number in pairs]
    return colours, of_group


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
    senses: Sequence[PlacedSense], groups: Indices, likeness: Doubles, colours: Mapping[int, str]
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
        found.append(SenseGroup(number, tuple(words)[:_GROUP_WORDS], len(rows), colours[number]))
    return tuple(found)


def _round(value: float) -> float:
    return round(float(value), _DIGITS)
