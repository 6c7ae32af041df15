from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans_lab.experiments.experiment import (
    ExperimentSetup,
    SkipExperimentError,
    TestSets,
)
from grassmeans_lab.experiments.lineup_curve import LineupCurve
from synthetic import POLYSEMOUS

pytest.importorskip("matplotlib")


@pytest.fixture
def setup(topic_corpus, topic_vectors, tmp_path: Path, synthetic) -> ExperimentSetup:
    """Every ambiguous word, with five words of each of its two topics."""
    lines = [
        f"{word}\t{' '.join(synthetic.topic_words[topic][:5])}\n"
        for word, topics in POLYSEMOUS.items()
        for topic in topics
    ]
    testbed = tmp_path / "lineup.txt"
    testbed.write_text("".join(lines))
    tests = TestSets(lineup=testbed)
    return ExperimentSetup(topic_corpus, topic_vectors, tmp_path / "lineup", tests, workers=1)


def test_planted_senses_are_pointed_out(setup: ExperimentSetup) -> None:
    found = LineupCurve.quick().run(setup)
    (value,) = found.values
    # Both senses are found by k = 2; the next two are wrong.
    assert value.what == "plain skip-gram: precision / recall at k = 4"
    assert value.ours == "50.0 / 100.0"
    (table,) = found.tables
    assert [row[:2] for row in table.rows] == [("plain skip-gram", k) for k in (1, 2, 4)]
    assert [row[2:5] for row in table.rows] == [(100, 100, 100), (100, 100, 100), (50, 50, 50)]
    assert table.rows[0][5] == 50
    assert found.figures[0].name == "lineup"
    assert "Arora et al., k = 4" in found.figures[0].svg
    assert "4 words with 8 senses" in found.text[0]
    assert found.text[-1] == "The senses of K-Grassmeans need a model: none was given."


def test_model_lexemes_and_atoms(setup: ExperimentSetup, topic_model_folder, tmp_path) -> None:
    plain = setup.vectors
    keys = ["crane.1", "crane.2", *plain.words]
    rows = np.concatenate([plain.vectors[plain.ids_of(["crane", "crane"])], plain.vectors])
    WordVectors(keys, rows).save(tmp_path / "lexemes")
    given = replace(setup, model=topic_model_folder, lexemes=tmp_path / "lexemes")
    found = replace(LineupCurve.quick(), n_atoms=20, atom_words=100, atom_rounds=1).run(given)
    names = [row[0] for row in found.tables[0].rows[::3]]
    assert names == [
        "plain skip-gram",
        "K-Grassmeans directions",
        "lexemes merged to words",
        "K-Grassmeans lexemes",
        "discourse atoms",
    ]
    # Lexemes that are their words' vectors again name both senses of every word.
    rows = {row[:2]: row[2] for row in found.tables[0].rows}
    assert rows["lexemes merged to words", 2] == rows["K-Grassmeans lexemes", 2] == 100
    assert found.values[-1].paper == "63 / 70 (Arora et al.)"
    assert (setup.folder / "atoms-20-100-1" / "manifest.json").exists()


def test_without_a_testbed(topic_corpus, topic_vectors, tmp_path: Path) -> None:
    setup = ExperimentSetup(topic_corpus, topic_vectors, tmp_path)
    with pytest.raises(SkipExperimentError, match="no testbed of the police lineup"):
        LineupCurve.quick().run(setup)
