from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import pytest

from grassmeans.errors import InputError, MissingExtraError, StorageError
from grassmeans_lab.experiments.experiment import (
    ComparedValue,
    DataTable,
    Experiment,
    ExperimentSetup,
    Figure,
    Findings,
    SkipExperimentError,
)
from grassmeans_lab.experiments.running import run_experiments

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYPhfDwAC"
    "hwGA60e6kgAAAABJRU5ErkJggg=="
)


@dataclass(frozen=True)
class Counted(Experiment):
    """Notes every run; raises what it is told to."""

    name: ClassVar[str] = "counted"
    title: ClassVar[str] = "Runs are <counted> & noted"
    paper: ClassVar[str] = "figure 0"
    runs: ClassVar[list[tuple[int, Path]]] = []

    size: int = 1
    error: Exception | None = field(default=None, compare=False)

    @classmethod
    def quick(cls) -> Counted:
        return cls(size=0)

    def parameters(self) -> dict[str, object]:
        return {"size": self.size}

    def run(self, setup: ExperimentSetup) -> Findings:
        self.runs.append((self.size, setup.folder))
        if self.error is not None:
            raise self.error
        return Findings(
            values=(ComparedValue("size <b>", "1 & more", str(self.size)),),
            figures=(Figure("dot", "a <dot>", "<svg></svg>", PIXEL, "<i>turn me</i>"),),
            tables=(
                DataTable("hidden", ("a", "b,c"), ((1, 'say "x"'), (None, 0.25))),
                DataTable("shown", ("<word>",), (("<script>",), (0.123456,)), "cap", shown=True),
            ),
            text=("less < more",),
            parameters={"found": 3},
        )


class Second(Counted):
    name: ClassVar[str] = "second"


@pytest.fixture
def setup(topic_corpus, topic_vectors, tmp_path) -> ExperimentSetup:
    Counted.runs.clear()
    return ExperimentSetup(topic_corpus, topic_vectors, tmp_path / "unused")


def test_what_is_finished_is_not_run_again(setup, tmp_path):
    told: list[str] = []
    (first,) = run_experiments([Counted()], setup, tmp_path / "out")
    (again,) = run_experiments([Counted()], setup, tmp_path / "out", announce=told.append)
    assert Counted.runs == [(1, tmp_path / "out" / "counted")]
    assert (first.from_before, again.from_before) == (False, True)
    assert again.findings == first.findings
    assert first.findings.parameters == {"size": 1, "found": 3}
    assert told == ["counted: Runs are <counted> & noted", "  found from before: size <b> 1"]


def test_other_parameters_and_other_inputs_run_anew(setup, tmp_path):
    run_experiments([Counted()], setup, tmp_path / "out")
    run_experiments([Counted(size=2)], setup, tmp_path / "out")
    run_experiments([Counted(size=2)], replace(setup, random_state=1), tmp_path / "out")
    run_experiments([Counted(size=2)], replace(setup, model=Path("m")), tmp_path / "out")
    assert [size for size, _ in Counted.runs] == [1, 2, 2, 2]


@pytest.mark.parametrize(
    "error",
    [
        SkipExperimentError("no words & no <text>"),
        InputError("no words & no <text>"),
        MissingExtraError("matplotlib", "figures", "no words & no <text>"),
    ],
)
def test_a_reason_to_skip_lands_in_the_report_and_the_run_goes_on(setup, tmp_path, error):
    told: list[str] = []
    outcomes = run_experiments(
        [Counted(error=error), Second()], setup, tmp_path, announce=told.append
    )
    assert [outcome.findings is None for outcome in outcomes] == [True, False]
    assert outcomes[0].skipped == str(error)
    assert told[1] == f"  skipped: {error}"
    page = (tmp_path / "report.html").read_text()
    assert "<b>Skipped:</b> no words &amp; no &lt;text&gt;" in page
    assert page.count("(skipped)") == 1


def test_a_skipped_experiment_is_tried_again(setup, tmp_path):
    run_experiments([Counted(error=SkipExperimentError("not yet"))], setup, tmp_path)
    (outcome,) = run_experiments([Counted()], setup, tmp_path)
    assert outcome.findings is not None
    assert len(Counted.runs) == 2


def test_a_full_disk_ends_the_run(setup, tmp_path):
    with pytest.raises(StorageError, match="disk is full"):
        run_experiments([Counted(error=StorageError("disk is full")), Second()], setup, tmp_path)
    assert len(Counted.runs) == 1


def test_a_defect_is_not_hidden(setup, tmp_path):
    with pytest.raises(ZeroDivisionError):
        run_experiments([Counted(error=ZeroDivisionError())], setup, tmp_path)


def test_output_may_not_be_a_file(setup, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file: choose a folder"):
        run_experiments([Counted()], setup, tmp_path / "file")


def test_the_page_needs_nothing_else_and_is_escaped(setup, tmp_path):
    run_experiments([Counted()], setup, tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", page)
    assert not re.search(r"""(src|href)="(?!data:|#)""", page)
    assert f"data:image/png;base64,{PIXEL}" in page
    assert "Runs are &lt;counted&gt; &amp; noted" in page
    assert "<p>less &lt; more</p>" in page
    assert "<td>size &lt;b&gt;</td><td>1 &amp; more</td><td>1</td>" in page
    assert "<td>&lt;script&gt;</td>" in page
    assert "<td>0.1235</td>" in page
    assert "a &lt;dot&gt;" in page
    assert "<i>turn me</i>" in page
    assert "say &quot;x&quot;" not in page  # a table that is not shown


def test_data_and_figures_are_stored(setup, tmp_path):
    run_experiments([Counted()], setup, tmp_path)
    content = (tmp_path / "data" / "hidden.csv").read_text()
    assert content == 'a,"b,c"\n1,"say ""x"""\n,0.25\n'
    rows = list(csv.reader((tmp_path / "data" / "shown.csv").open()))
    assert rows == [["<word>"], ["<script>"], ["0.123456"]]
    assert (tmp_path / "figures" / "dot.svg").read_text() == "<svg></svg>"
    assert (tmp_path / "figures" / "dot.png").read_bytes().startswith(b"\x89PNG")
    stored = json.loads((tmp_path / "counted" / "findings.json").read_text())
    assert stored["findings"]["values"] == [{"what": "size <b>", "paper": "1 & more", "ours": "1"}]
