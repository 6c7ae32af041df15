"""A sample of the lines that the filters of a concordance leave, the same for a seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grassmeans_explorer import limits
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.asking.matched import BY_SENSE
from grassmeans_explorer.queries.concordance import ChosenLines, LineFilter, Lines, choose_lines
from grassmeans_explorer.queries.lines import LINE_WIDTH, read_lines
from grassmeans_explorer.queries.lookup import check_typed
from grassmeans_explorer.queries.occurrences import measure_positions
from grassmeans_explorer.querying.samples import choose_rows
from grassmeans_explorer.work import begin_long_work

_MORE = 4


def sample_filtered(
    opened: OpenModel,
    word: str,
    wanted: LineFilter,
    size: int,
    *,
    stratified: bool = False,
    draw: int = 0,
    width: int = LINE_WIDTH,
) -> Lines:
    """So many of the lines that a filter leaves, in text order; ``total`` counts all of these.

    Stratified, every sense has the same share of them, as far as it has so many. ``draw`` chooses
    among samples. Where the lines that are looked at have not so many of a rare sense, more are
    looked at, up to `_MORE` times as many.
    """
    opened.require_corpus("a sample of lines")
    check_typed(opened, wanted.search.text, "a search")
    if width > (most := opened.limits.request.line_characters):
        raise limits.TooMuchError(f"a line has at most {most} characters on a side, got {width:,}")
    begin_long_work()
    # Sorted by sense, the sense of every line is told.
    chosen = _choose(opened, word, replace(wanted, sort=BY_SENSE) if stratified else wanted, size)
    order = np.argsort(chosen.positions)
    positions = chosen.positions[order]
    alike = np.zeros(len(positions), np.int64)
    senses = alike if chosen.measured is None else chosen.measured.senses[order].astype(np.int64)
    rows = choose_rows(senses, size, draw, stratified=stratified)
    if chosen.measured is not None:
        page = chosen.measured[order][rows]
    else:
        page = measure_positions(opened, chosen.key, positions[rows], chosen.directions)
    return Lines.of(chosen, read_lines(opened, page, width))


def _choose(opened: OpenModel, word: str, wanted: LineFilter, size: int) -> ChosenLines:
    """The lines that a filter leaves; so many at least, where the word has them among so many."""
    chosen = choose_lines(opened, word, wanted)
    if wanted.sample.size is not None or not wanted.needs_senses:
        return chosen
    most = _MORE * chosen.n_looked_at
    while len(chosen.positions) < size and chosen.sampled is not None and chosen.sampled < most:
        more = replace(wanted.sample, size=min(2 * chosen.sampled, most))
        chosen = choose_lines(opened, word, replace(wanted, sample=more))
    return chosen
