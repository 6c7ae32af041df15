from __future__ import annotations

import pytest

from grassmeans.evaluation.reports import (
    ResultTable,
    format_value,
    round_score,
)


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
