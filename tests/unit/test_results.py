"""What results share."""

from __future__ import annotations

import sys
import types
from dataclasses import FrozenInstanceError, fields

import pytest

import grassmeans
from crane_model import save_crane_model
from grassmeans.errors import MissingExtraError
from grassmeans.results import Rows


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> grassmeans.SenseModel:
    return grassmeans.load(save_crane_model(tmp_path_factory.mktemp("results") / "model"))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> grassmeans.Corpus:
    texts = [("0", "The crane built a nest with its wing."), ("1", "A crane of steel, a beam.")]
    records = [{"text": text, "source": source} for source, text in texts * 3]
    return grassmeans.Corpus.from_texts(
        records, tmp_path_factory.mktemp("results") / "corpus", meta=["source"]
    )


def every_result(model: grassmeans.SenseModel, corpus: grassmeans.Corpus) -> dict[str, object]:
    found = grassmeans.find_senses(corpus, "crane", contexts=model, n_senses=2)
    return {
        "tagged": model.tag("A crane of steel lifts a beam."),
        "explained": model.explain("A crane of steel lifts a beam."),
        "senses": found.model.senses("crane"),
        "found": found,
        "collocates": grassmeans.find_collocates(model, corpus, "crane"),
        "several": grassmeans.find_senses(corpus, ["crane"], contexts=model, n_senses=2),
        "compared": grassmeans.compare_groups(model, corpus, "crane", by="source"),
    }


@pytest.mark.filterwarnings("ignore")
def test_results_are_frozen_and_seen_as_lines_and_tables(model, corpus, monkeypatch) -> None:
    frames = types.ModuleType("pandas")
    frames.DataFrame = lambda rows: ("frame", rows)
    monkeypatch.setitem(sys.modules, "pandas", frames)
    for name, result in every_result(model, corpus).items():
        rows = result.rows()
        assert rows, name
        assert len({tuple(row) for row in rows}) == 1, name
        assert result.to_pandas() == ("frame", rows)
        page = result._repr_html_()
        assert page.count("<tr>") == 1 + len(rows), name
        assert repr(result).startswith(f"{type(result).__name__}(")
        assert len(repr(result)) < 200, repr(result)
        assert "\n" not in repr(result)
        with pytest.raises(FrozenInstanceError):
            setattr(result, fields(result)[0].name, None)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_results_become_frames_of_the_real_libraries(model, corpus, kind) -> None:
    library = pytest.importorskip(kind, reason=f"{kind} is for development")
    results = every_result(model, corpus)
    for name, result in (results | {"shares": results["compared"].shares}).items():
        rows = result.rows()
        frame = result.to_pandas() if kind == "pandas" else result.to_polars()
        assert isinstance(frame, library.DataFrame)
        assert list(frame.columns) == list(rows[0]), name
        assert len(frame) == len(rows), name
        first = next(iter(rows[0]))
        assert list(frame[first]) == [row[first] for row in rows], name


def test_a_polars_column_may_begin_with_nothing() -> None:
    polars = pytest.importorskip("polars", reason="polars is for development")
    rows = Rows([{"share": None}] * 200 + [{"share": 0.5}])
    assert rows.to_polars()["share"].dtype == polars.Float64
    assert rows == rows.rows()
    page = rows._repr_html_()
    assert page.startswith("<p>201 rows</p>")
    assert "and 151 more" in page


def test_without_pandas_an_error_names_it(model, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError) as missing:
        model.senses("crane").to_pandas()
    assert str(missing.value) == (
        "a table needs the package 'pandas': install it with pip install pandas"
    )


@pytest.mark.filterwarnings("ignore")
def test_what_decided_by_hand(model) -> None:
    explained = model.explain("A crane of steel lifts a beam.")
    ((word, places),) = explained
    assert word == model.tag("A crane of steel lifts a beam.")[0]
    assert [place.word for place in places] == ["steel", "beam"]
    assert sum(place.weight for place in places) == pytest.approx(1)
    assert [row["word"] for row in explained.rows()] in (["steel", "beam"], ["beam", "steel"])
    assert [row["label"] for row in explained.rows()] == [word.label] * 2
    assert repr(explained).startswith(f"ExplainedText({word.label} by ")
    assert repr(model.explain("Nothing.")) == "ExplainedText(no word with senses)"


@pytest.mark.filterwarnings("ignore")
def test_text_is_no_markup_in_a_notebook(model) -> None:
    page = model.tag("A <i>crane</i> of steel lifts a beam.")._repr_html_()
    assert "<i>" not in page
    assert "&lt;i&gt;crane" in page
