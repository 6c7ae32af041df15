"""Planes of a word's contexts in three dimensions, and the lines of its senses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.errors import InputError
from grassmeans.pictures.planes import TextLine, build_scene, choose_senses
from grassmeans_explorer.limits import ConflictError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.induce import model_with
from grassmeans_explorer.queries.lines import (
    LINE_WIDTH,
    find_documents,
    spread_documents,
    stored_lines_of,
)
from grassmeans_explorer.queries.occurrences import measure_positions, sample_word
from grassmeans_explorer.queries.words import check_sense
from grassmeans_explorer.work import begin_long_work

_PLANES = 5  # of each sense
_STORED = 6  # of each sense, where there is no corpus
_NEAR = 5
_LOOKED_AT = 2_000  # contexts among which the nearest are looked for


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
        documents = find_documents(corpus, positions[near])
        near = near[spread_documents(documents, len(near) or 1)]
        n_different = min(len(near), max(_PLANES, len(set(documents))))
        spread = np.linspace(0, max(n_different - 1, 0), min(_PLANES, n_different))
        for row in near[np.unique(spread.astype(np.int64))]:
            line = corpus.line_at(int(positions[row]), LINE_WIDTH)
            lines.append(TextLine(number, line.left, line.word, line.right, int(positions[row])))
    return lines
