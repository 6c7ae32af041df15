from __future__ import annotations

from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans_lab.experiments.experiment import (
    ExperimentSetup,
    SkipExperimentError,
    TestSets,
)
from grassmeans_lab.experiments.wsi_table import SenseInductionTable

pytest.importorskip("matplotlib")


@pytest.fixture
def makes_sense(tmp_path: Path, synthetic) -> Path:
    """The first occurrence of crane and of seal in every document; the topic is the sense."""
    folder = tmp_path / "makes-sense"
    (folder / "contexts").mkdir(parents=True)
    key = []
    for word in ("crane", "seal"):
        lines = []
        for document, topic in synthetic.gold[word][::5]:
            left, _, right = synthetic.documents[document].lower().partition(f" {word} ")
            lines.append(f"{word}.n.{document}\t{left} <b>{word}</b> {right}\n")
            key.append(f"{word} {word}.{document} topic{topic}\n")
        (folder / "contexts" / word).write_text("".join(lines))
    (folder / "all.key").write_text("".join(key))
    return folder


@pytest.fixture
def setup(topic_corpus, topic_vectors, tmp_path: Path, makes_sense: Path) -> ExperimentSetup:
    tests = TestSets(makes_sense=makes_sense)
    return ExperimentSetup(topic_corpus, topic_vectors, tmp_path / "wsi", tests, workers=1)


def test_planted_senses_are_found_and_shown(setup: ExperimentSetup) -> None:
    found = SenseInductionTable.quick().run(setup)
    assert [value.what for value in found.values] == [
        "Make-Sense-2016, one: V / F / clusters",
        "Make-Sense-2016, kmeans, K = 2: V / F / clusters",
        "Make-Sense-2016, grassmeans, K = 2: V / F / clusters",
    ]
    one, means, ours = found.values
    # Both words have 20 instances of each sense: 380 of the 780 pairs share theirs, 2 p / (p + 1).
    assert (one.paper, one.ours) == ("", "0.00 / 65.52 / 1.00")
    assert means.ours == ours.ours == "100.00 / 100.00 / 2.00"
    assert ours.paper == "29.30 / 64.58 / 2.37"
    (table,) = found.tables
    assert table.name == "wsi-makes-sense"
    ours = dict(zip(table.columns, table.rows[2], strict=True))
    assert (ours["method"], ours["K"], ours["V low"], ours["V high"]) == ("grassmeans", 2, 100, 100)
    assert ours["paper's F"] == 64.58
    # Systems of the paper that were not run stand there with the paper's values.
    assert [row[0] for row in table.rows[3:]] == [
        "grassmeans (not run here)",
        "mssg (not run here)",
        "mssg:n_multi=6000 (not run here)",
        "huang (not run here)",
    ]
    assert table.rows[3][1:9] == (5, *[None] * 7)
    (figure,) = found.figures
    assert figure.name == "wsi-makes-sense"
    assert figure.svg.startswith("<svg")
    assert "80 instances of 2 words of Make-Sense-2016" in found.text[0]


def test_rows_are_kept(setup: ExperimentSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    first = SenseInductionTable(("kmeans",), (2,), 200).run(setup)
    monkeypatch.setattr(
        "grassmeans_lab.rivals.context_means.KMeansSenses.induce",
        lambda *_: pytest.fail("was kept"),
    )
    assert SenseInductionTable(("kmeans",), (2,), 200).run(setup) == first


def test_without_test_sets(topic_corpus, topic_vectors, tmp_path: Path) -> None:
    setup = ExperimentSetup(topic_corpus, topic_vectors, tmp_path)
    with pytest.raises(SkipExperimentError, match="neither Make-Sense-2016 nor SemEval-2010"):
        SenseInductionTable.quick().run(setup)


def test_unknown_method(setup: ExperimentSetup) -> None:
    with pytest.raises(InputError, match="unknown method 'means'"):
        SenseInductionTable(methods=("means",)).run(setup)
