from __future__ import annotations

import numpy as np
import pytest

from grassmeans_lab.experiments.columbia import InductionExample
from grassmeans_lab.experiments.experiment import ExperimentSetup, SkipExperimentError


@pytest.fixture
def setup(tmp_path, topic_corpus, topic_vectors) -> ExperimentSetup:
    return ExperimentSetup(topic_corpus, topic_vectors, tmp_path, workers=1)


@pytest.fixture
def found(setup):
    return InductionExample(word="crane", n_senses=2, held_out=0.2, idk_threshold=1.0).run(setup)


def test_held_out_lines_are_decoded_by_topic(found, setup, synthetic):
    rows = next(table for table in found.tables if table.name == "columbia-held-out").rows
    assert len(rows) == 40  # a fifth of 200 occurrences
    starts = np.concatenate([np.asarray(shard.document_offsets) for shard in setup.corpus.shards])
    documents = np.searchsorted(starts, [row[0] for row in rows], side="right") - 1
    topics = [synthetic.topics[document] for document in documents]
    pairs = {(row[1], topic) for row, topic in zip(rows, topics, strict=True)}
    assert len(pairs) == 2  # every group is one topic
    for _, label, first, second, p, q in rows:
        assert p + q == pytest.approx(1, abs=2e-4)
        assert (label == 1) == (first < second)
        assert p / q == pytest.approx(np.exp(10 * (second - first)), rel=0.2)


def test_tables_like_the_papers(found, synthetic):
    tables = {table.name: table for table in found.tables}
    groups = tables["columbia-groups"].rows
    assert [row[0] for row in groups] == [1, 1, 2, 2]
    assert all("[crane]" in row[3].lower() for row in groups)
    decoded = tables["columbia-decoding"].rows
    assert [row[0] for row in decoded] == ["(a)", "(b)"]
    assert [row[2] for row in decoded] == [1, 2]
    for row in decoded:
        marked = [k for k, cell in enumerate(row[3:], start=1) if cell.endswith("*")]
        assert marked == [row[2]]
    assert tables["columbia-groups"].shown
    assert not tables["columbia-held-out"].shown


def test_values_and_figure(found):
    ours = {value.what: value.ours for value in found.values}
    assert ours["groups"] == "2"
    assert ours["new lines with an answer"] == "100%"
    assert [figure.name for figure in found.figures] == ["columbia-soft"]
    assert "40 others were held out" in found.text[0]


def test_everything_may_be_too_far(setup):
    strict = InductionExample(word="crane", n_senses=2, idk_threshold=0.0)
    found = strict.run(setup)
    ours = {value.what: value.ours for value in found.values}
    assert ours["new lines with an answer"] == "0%"
    assert "largest probability, the lines shown" not in ours
    tables = {table.name: table for table in found.tables}
    assert tables["columbia-decoding"].rows == ()
    assert {row[1] for row in tables["columbia-held-out"].rows} == {0}
    assert found.figures == ()


def test_reasons_to_skip(setup):
    with pytest.raises(SkipExperimentError, match="not in this corpus: columbia"):
        InductionExample.quick().run(setup)
    few = InductionExample(word="crane", max_contexts=30)
    with pytest.raises(SkipExperimentError, match="has 30 contexts; 5 groups need 50"):
        few.run(setup)
