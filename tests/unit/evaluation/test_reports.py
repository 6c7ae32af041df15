from __future__ import annotations

import pytest

from grassmeans.evaluation.clustering_scores import score_clustering
from grassmeans.evaluation.graded_scores import score_graded
from grassmeans.evaluation.key_files import Key, Label
from grassmeans.evaluation.reports import (
    ResultTable,
    format_value,
    round_score,
    scores_to_dict,
    tabulate_scores,
)

KEY = Key({word: {f"{word}.{i}": (Label(name),) for i, name in enumerate("xxy")} for word in "ab"})


def test_groups_as_plain_values() -> None:
    found = scores_to_dict(score_clustering(KEY, KEY))
    assert list(found) == ["all"]
    assert found["all"]["v_measure_interval"] == [100.0, 100.0]
    assert found["all"]["b_cubed"] == 100.0


def test_tables_have_the_columns_of_their_scores() -> None:
    hard = tabulate_scores(scores_to_dict(score_clustering(KEY, KEY)))
    assert hard.columns[3:6] == ("V", "V 95%", "F")
    assert hard.rows[0][:5] == ("all", "2", "6", "100.00", "100.0–100.0")
    graded = tabulate_scores(scores_to_dict(score_graded(KEY, KEY)))
    assert graded.columns[3:6] == ("FNMI", "FNMI 95%", "FBC")


def test_markdown() -> None:
    table = ResultTable(("", "V"), (("all", "1.00"),))
    assert table.to_markdown() == "|  | V |\n| --- | ---: |\n| all | 1.00 |\n"


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (1234, "1,234"), (2.345, "2.35"), ([1.0, 2.26], "1.0–2.3")]
)
def test_values_for_people(value, text: str) -> None:
    assert format_value(value) == text


def test_json_has_no_nan() -> None:
    assert round_score(float("nan")) is None
    assert round_score(1.23456) == 1.2346
