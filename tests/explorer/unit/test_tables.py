"""Results of the explorer as tables: those without rows have columns, too."""

from __future__ import annotations

import pytest

from grassmeans.results import Tabular
from grassmeans_explorer.annotation.measuring import Agreement
from grassmeans_explorer.querying.keywords import Keywords
from grassmeans_explorer.querying.matches import Matches
from grassmeans_explorer.querying.ngrams import Ngrams
from grassmeans_explorer.querying.phrase_senses import PhraseSenses
from grassmeans_explorer.querying.samples import LineSample
from grassmeans_explorer.sketches.differences import SketchDifference
from grassmeans_explorer.sketches.sketching import WordSketch

EMPTY = {
    "agreement": Agreement("senses", 0, {}, 0, None, None, (), ()),
    "keywords": Keywords("a", "b", 0, 0, ()),
    "ngrams": Ngrams(2, 0, ()),
    "sample": LineSample("crane", 0, 0, 0, ()),
    "difference": SketchDifference("a", "b", ()),
    "sketch": WordSketch("crane", 0, 0, ()),
}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_table_has_columns(name: str) -> None:
    polars = pytest.importorskip("polars", reason="polars is for development")
    result = EMPTY[name]
    frame = result.to_polars()
    assert (len(frame), list(frame.columns)) == (0, list(result.column_types()))
    assert frame.width >= 3
    assert polars.Null not in frame.dtypes
    assert list(result.to_pandas().columns) == list(frame.columns)


def test_every_table_knows_its_columns() -> None:
    for kind in (*map(type, EMPTY.values()), Matches, PhraseSenses):
        assert kind.column_types is not Tabular.column_types, kind
