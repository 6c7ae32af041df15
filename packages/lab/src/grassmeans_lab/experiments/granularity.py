"""Granularity: the senses of a word as a tree, from one group of contexts to several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from grassmeans.clustering.settings import InductionSettings
from grassmeans.geometry.windows import ContextShape
from grassmeans.pictures.planes import sense_colour
from grassmeans_lab.experiments.drawing import finish, new_canvas
from grassmeans_lab.experiments.experiment import (
    Cell,
    ComparedValue,
    DataTable,
    Experiment,
    ExperimentSetup,
    Figure,
    Findings,
    Parameters,
    SkipExperimentError,
    summarise,
)
from grassmeans_lab.experiments.sense_tree import SenseNode, SenseTree, build_sense_tree
from grassmeans_lab.wordnet.database import WordNet
from grassmeans_lab.wordnet.linking import SynsetLink, SynsetLinker

_GAP = 0.05
_NODE_WIDTH = 0.06
_SMALLEST_BAND = 0.005


@dataclass(frozen=True)
class Granularity(Experiment):
    """How the groups of a word split when one more is asked for."""

    name: ClassVar[str] = "granularity"
    title: ClassVar[str] = "Senses from coarse to fine"
    paper: ClassVar[str] = "open question of section 7"
    small: ClassVar[Parameters] = {"max_senses": 3, "max_contexts": 200, "fewest_contexts": 20}

    words: tuple[str, ...] = ("crane", "bank", "bass", "apple", "java", "rock")
    max_senses: int = 5
    max_contexts: int = 5_000
    fewest_contexts: int = 100

    def run(self, setup: ExperimentSetup) -> Findings:
        """Build the tree of every word that is frequent enough."""
        words = [word for word in self.words if self._is_frequent(word, setup)]
        if not words:
            raise SkipExperimentError(
                f"none of {', '.join(self.words)} occurs {self.fewest_contexts} times"
            )
        encoder = setup.encoder(ContextShape(drop_repeats=True))
        settings = InductionSettings(
            max_contexts=self.max_contexts, random_state=setup.random_state
        )
        trees = [
            build_sense_tree(word, setup.corpus, encoder, settings, self.max_senses)
            for word in words
        ]
        place = setup.test_sets.wordnet
        linker = None if place is None else SynsetLinker(WordNet.open(place), setup.vectors)
        links = None if linker is None else link_trees(trees, linker)
        missing = [word for word in self.words if word not in words]
        return Findings(
            values=_measure_nesting(trees),
            figures=tuple(map(draw_tree, trees)),
            tables=tuple(_make_table(tree, links) for tree in trees),
            text=_explain(missing, links),
        )

    def _is_frequent(self, word: str, setup: ExperimentSetup) -> bool:
        word_id = setup.corpus.vocabulary.id_of(word)
        count = setup.corpus.vocabulary.counts[word_id] if word_id >= 0 else 0
        return word in setup.vectors and int(count) >= self.fewest_contexts


Links = dict[tuple[str, int, int], SynsetLink]
"""(word, level, number) -> the synset that the group is nearest to."""


def link_trees(trees: Iterable[SenseTree], linker: SynsetLinker) -> Links:
    """Find the synset of WordNet for every group that one is near to."""
    links: Links = {}
    for tree in trees:
        nodes = [node for level in tree.levels for node in level]
        found = linker.link(tree.word, [[*node.words, *node.nearest_words] for node in nodes])
        links |= {
            (tree.word, node.level, node.number): link
            for node, link in zip(nodes, found, strict=True)
            if link is not None
        }
    return links


def draw_tree(tree: SenseTree) -> Figure:
    """Levels as columns, groups as bars, contexts as bands between them."""
    canvas, axes = new_canvas((2.1 * len(tree.levels) + 0.6, 4.2))
    bottoms: list[dict[int, float]] = []
    colours: list[dict[int, str]] = []
    for index, level in enumerate(tree.levels):
        order = _order_nodes(level, bottoms[-1] if bottoms else {})
        bottoms.append(_stack(order))
        colours.append(_choose_colours(tree, level, colours))
        if index > 0:
            _draw_bands(axes, index, level, bottoms, colours)
        for node in order:
            _draw_node(axes, index, node, bottoms[-1][node.number], colours[-1][node.number])
    axes.set_xlim(-0.1, len(tree.levels) - 0.1)
    axes.set_xticks(range(len(tree.levels)), [f"K={len(level)}" for level in tree.levels])
    axes.set_yticks([])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)
    caption = (
        f"Senses of {tree.word!r} ({tree.n_contexts:,} contexts): share of the contexts, "
        "then crispness; bands show where contexts go"
    )
    return finish(canvas, f"granularity-{tree.word}", caption)


def _order_nodes(level: Sequence[SenseNode], above: dict[int, float]) -> list[SenseNode]:
    """From the bottom up: beside their parents, so that bands cross little."""
    return sorted(level, key=lambda node: (above.get(node.parent or 0, 0.0), node.share))


def _stack(order: Sequence[SenseNode]) -> dict[int, float]:
    """The lower end of each group's bar; every column is as high as the highest."""
    gaps = _GAP * np.arange(len(order)) - _GAP * (len(order) - 1) / 2
    below = np.concatenate([[0.0], np.cumsum([node.share for node in order])[:-1]])
    places = (below + gaps).tolist()
    return {node.number: place for node, place in zip(order, places, strict=True)}


def _choose_colours(
    tree: SenseTree, level: Sequence[SenseNode], above: Sequence[dict[int, str]]
) -> dict[int, str]:
    """The largest child keeps its parent's colour, the others get new ones."""
    if not above:
        return {1: sense_colour(1)}
    heirs = {
        parent.number: max(children, key=lambda child: child.share).number
        for parent in tree.levels[len(above) - 1]
        if (children := tree.children(parent))
    }
    free = (c for c in map(sense_colour, range(1, 99)) if c not in above[-1].values())
    return {
        node.number: above[-1][node.parent]
        if node.parent is not None and heirs[node.parent] == node.number
        else next(free)
        for node in level
    }


def _draw_bands(
    axes: Any,
    column: int,
    level: Sequence[SenseNode],
    bottoms: Sequence[dict[int, float]],
    colours: Sequence[dict[int, str]],
) -> None:
    """Bands of contexts from the column before to this one."""
    left, right = dict(bottoms[column - 1]), dict(bottoms[column])
    x = np.linspace(column - 1 + _NODE_WIDTH, column, 40)
    bend = (1 - np.cos(np.linspace(0, np.pi, 40))) / 2
    for source in sorted(left, key=lambda number: left[number]):
        for node in sorted(level, key=lambda node: bottoms[column][node.number]):
            width = node.sources[source - 1]
            if width >= _SMALLEST_BAND:
                low = left[source] + (right[node.number] - left[source]) * bend
                colour = colours[column][node.number]
                axes.fill_between(x, low, low + width, color=colour, alpha=0.22, lw=0)
            left[source] += width
            right[node.number] += width


def _draw_node(axes: Any, column: int, node: SenseNode, bottom: float, colour: str) -> None:
    axes.bar(column, node.share, _NODE_WIDTH, bottom, align="edge", color=colour)
    text = f"{node.name}\n{node.share:.0%}, {node.crispness:.2f}"
    middle = bottom + node.share / 2
    axes.text(column + _NODE_WIDTH + 0.02, middle, text, va="center", fontsize=7, linespacing=1.1)


def _measure_nesting(trees: Sequence[SenseTree]) -> tuple[ComparedValue, ...]:
    """How many contexts come from their group's parent, step by step; 1 is a perfect tree."""
    deepest = max(len(tree.levels) for tree in trees)
    return tuple(
        ComparedValue(
            f"contexts that come from their group's parent, K={level} to {level + 1}",
            "",
            summarise(
                [
                    sum(max(node.sources) for node in tree.levels[level])
                    for tree in trees
                    if len(tree.levels) > level
                ]
            ),
        )
        for level in range(2, deepest)
    )


def _make_table(tree: SenseTree, links: Links | None) -> DataTable:
    columns: tuple[str, ...] = (
        "K", "group", "from", "share", "crispness", "nested", "name", "words"
    )  # fmt: skip
    rows = []
    for node in (node for level in tree.levels for node in level):
        numbers = (round(value, 3) for value in (node.share, node.crispness, node.purity))
        row: list[Cell] = [node.level, node.number, node.parent, *numbers, node.name]
        row.append(", ".join(node.words))
        if links is not None:
            link = links.get((tree.word, node.level, node.number))
            row += [None, None] if link is None else [str(link), round(link.cosine, 2)]
        rows.append(tuple(row))
    if links is not None:
        columns += ("WordNet", "cosine")
    caption = f"The groups of {tree.word!r}"
    return DataTable(f"granularity-{tree.word}", columns, tuple(rows), caption, shown=True)


def _explain(missing: Sequence[str], links: Links | None) -> tuple[str, ...]:
    text = [
        "K-Grassmeans is run for every K on the same contexts, each time from the start. A group "
        "hangs below the group with one K less from which most of its contexts come. Nothing "
        "forces the groups to be nested; how far they are, the numbers above tell. Repeats of the "
        "word inside its own contexts are left out: a text that repeats a word would else look "
        "like a sense of its own."
    ]
    if links is not None:
        text.append(
            "The sense of WordNet is the one nearest to a group's characteristic and nearest "
            "words: by the words of its gloss and by its synonyms, as means of vectors. About "
            "eight in ten are the sense that a person would choose; names have often none there."
        )
    if missing:
        text.append(f"Too rare in this corpus: {', '.join(missing)}.")
    return tuple(text)
