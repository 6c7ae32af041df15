"""Samples of what the filters of a concordance leave."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grassmeans_explorer.limits import Limits, WorkLimits
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.asking.sampled import sample_filtered
from grassmeans_explorer.queries.concordance import LineFilter
from grassmeans_explorer.queries.occurrences import LineSample


@pytest.fixture
def opened(topic_model, topic_corpus) -> OpenModel:
    """Of whose lines forty are looked at."""
    return OpenModel(topic_model, topic_corpus, Limits(work=WorkLimits(measured_lines=40)))


def test_a_sense_gives_as_many_lines_as_are_asked_for(opened):
    few = sample_filtered(opened, "crane", LineFilter(sense=2), 10)
    assert ({x.sense for x in few.lines}, len(few.lines), few.measured) == ({2}, 10, 40)
    positions = [x.position for x in few.lines]
    assert positions == sorted(set(positions))


def test_more_lines_are_looked_at_where_a_sense_has_not_enough(topic_model, topic_corpus):
    whole = OpenModel(topic_model, topic_corpus)
    limits = Limits(work=replace(WorkLimits(), encoded_lines=20))
    opened = OpenModel(topic_model, topic_corpus, limits)
    # As for a model whose network reads every line.
    opened.base.encoder.worth_keeping = True
    try:
        many = sample_filtered(opened, "crane", LineFilter(sense=2), 30)
        every = sample_filtered(whole, "crane", LineFilter(sense=2), 200)
        own = sample_filtered(opened, "crane", LineFilter(sense=2, sample=LineSample(20)), 30)
    finally:
        del opened.base.encoder.worth_keeping
    assert len(many.lines) == 30
    assert many.measured in (40, 80)
    assert {x.position for x in many.lines} <= {x.position for x in every.lines}
    # Who says how many are to be looked at has them.
    assert (own.measured, len(own.lines) < 20) == (20, True)


def test_every_sense_has_its_share(opened):
    found = sample_filtered(opened, "crane", LineFilter(), 12, stratified=True)
    numbers, counts = np.unique([x.sense for x in found.lines], return_counts=True)
    assert (numbers.tolist(), counts.tolist()) == ([1, 2], [6, 6])
    assert dict(found.names) == dict(opened.current.inventory.names_of("crane"))
