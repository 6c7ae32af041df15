from __future__ import annotations

import json

from grassmeans_lab.experiments.experiment import (
    ComparedValue,
    DataTable,
    Figure,
    Findings,
    findings_from_dict,
    summarise,
)


def test_findings_survive_json():
    findings = Findings(
        values=(ComparedValue("cosine", "0.607 ± 0.095", "0.600 ± 0.134"),),
        figures=(Figure("name", "caption", "<svg/>", "iVBO", "<b>"),),
        tables=(
            DataTable("t", ("a", "b"), (("x", 1), (None, 0.5)), "c", shown=True),
            DataTable("empty", (), ()),
        ),
        text=("one", "zwei ü"),
        parameters={"rank": 3, "word": "crane"},
    )
    again = findings_from_dict(json.loads(json.dumps(findings.to_dict())))
    assert again == findings
    assert isinstance(again.tables[0].rows[0], tuple)
    assert isinstance(again.tables[0].columns, tuple)


def test_summary_is_mean_and_population_deviation():
    assert summarise([1, 2, 3, 4]) == "2.500 ± 1.118"
    assert summarise([0.5], digits=1) == "0.5 ± 0.0"
