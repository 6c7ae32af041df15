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
from grassmeans_lab.experiments.scws_table import ContextualSimilarity

pytest.importorskip("matplotlib")

ROW = "{0}\tcrane\tn\t{1}\tn\t{2} <b> crane </b>\t{3} <b> {1} </b>\t{4}\t{4}\n"


@pytest.fixture
def ratings(tmp_path: Path, synthetic) -> Path:
    """Cranes among birds and machines; words of both."""
    bird, machine = (" ".join(synthetic.topic_words[topic][:8]) for topic in (0, 1))
    bird_word, machine_word = (synthetic.topic_words[topic][0] for topic in (0, 1))
    rows = [
        ROW.format(1, "crane", bird, bird, 9.0),
        ROW.format(2, "crane", machine, machine, 8.0),
        ROW.format(3, "crane", bird, machine, 2.0),
        ROW.format(4, "crane", machine, bird, 1.0),
        ROW.format(5, bird_word, bird, bird, 7.0),
        ROW.format(6, machine_word, bird, machine, 3.0),
        ROW.format(7, "absent", bird, bird, 5.0),
    ]
    path = tmp_path / "ratings.txt"
    path.write_text("".join(rows))
    return path


@pytest.fixture
def setup(topic_corpus, topic_vectors, tmp_path: Path, ratings: Path) -> ExperimentSetup:
    return ExperimentSetup(topic_corpus, topic_vectors, tmp_path, TestSets(scws=ratings))


@pytest.fixture
def lexemes(tmp_path: Path, synthetic) -> Path:
    keys = ["crane.1", "crane.2", "bank.1", synthetic.topic_words[0][0]]
    vectors = WordVectors(keys, np.array([[1, 0], [0, 1], [1, 1], [1, 0]], np.float32))
    vectors.save(tmp_path / "lexemes")
    return tmp_path / "lexemes"


def test_plain_vectors_alone(setup: ExperimentSetup) -> None:
    found = ContextualSimilarity.quick().run(setup)
    (value,) = found.values
    assert (value.what, value.paper) == ("SCWS, plain skip-gram", "62.21")
    row = dict(zip(found.tables[0].columns, found.tables[0].rows[0], strict=True))
    assert (row["pairs"], row["missing"], row["paper's"]) == (6, 1, 62.21)
    assert "need a model and its lexeme vectors" in found.text[1]


def test_lexemes_tell_the_cranes_apart(setup: ExperimentSetup, topic_model_folder, lexemes) -> None:
    given = replace(setup, model=topic_model_folder, lexemes=lexemes)
    found = ContextualSimilarity.quick().run(given)
    by_name = {value.what: value for value in found.values}
    # Cosines of the senses are 1, 1, 0, 0 for the ratings 9, 8, 2, 1.
    ranks = 100 * np.corrcoef([4, 3, 2, 1], [3.5, 3.5, 1.5, 1.5])[0, 1]
    hard = by_name["SCWS-lite, HardSim, K = 2, soft labels"]
    assert hard.ours.startswith(f"{ranks:.2f} (")
    # No lexeme stands for "I don't know", so the labels were soft ones.
    assert hard.paper == "6.53"
    assert by_name["SCWS, SoftSim, K = 2, soft labels"].paper == "63.59"
    assert by_name["SCWS, lexemes merged to words, K = 2, soft labels"].paper == ""
    assert len(found.values) == 6
    assert [figure.name for figure in found.figures] == ["scws"]
    # Six rows of ours, then two scores of four systems on SCWS and of three on SCWS-lite.
    assert len(found.tables[0].rows) == 6 + 8 + 6
    assert "11 of 14 occurrences are of words with senses" in found.text[1]


def test_without_ratings(topic_corpus, topic_vectors, tmp_path: Path) -> None:
    setup = ExperimentSetup(topic_corpus, topic_vectors, tmp_path)
    with pytest.raises(SkipExperimentError, match="SCWS is not given"):
        ContextualSimilarity.quick().run(setup)
