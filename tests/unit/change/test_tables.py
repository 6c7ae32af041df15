from __future__ import annotations

from grassmeans.change import tables


def test_no_cell_of_a_table_is_a_formula() -> None:
    rows = [{"word": "=1+1", "first": "@x", "jsd": -0.5, "gained": [1, 3], "q": None}]
    rows.append({"word": "well-known", "first": "-2", "jsd": 0, "gained": [], "q": 1.0})
    lines = tables.write_csv(rows).decode().split("\n")
    assert lines[1:] == ["'=1+1,'@x,-0.5,1 3,", "well-known,'-2,0,,1.0", ""]
