"""What results share."""

from __future__ import annotations

import importlib
import pickle
import sys
import types
from dataclasses import FrozenInstanceError, fields, replace

import pytest

import grassmeans
from crane_model import save_crane_model
from grassmeans.collocations.collocates import Collocates, ComparedCollocates
from grassmeans.corpus.shard import ConcordanceLines
from grassmeans.errors import MissingExtraError
from grassmeans.evaluation.clustering_scores import ClusteringScores
from grassmeans.evaluation.instances import Key, Label
from grassmeans.evaluation.reliability import ReliabilityReport
from grassmeans.results import Rows, Tabular, types_of, write_csv
from grassmeans.senses.entries import Sense


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


def make_frame(kind: str, result: Tabular):
    pytest.importorskip(kind, reason=f"{kind} is for development")
    return result.to_pandas() if kind == "pandas" else result.to_polars()


def every_list(model: grassmeans.SenseModel, corpus: grassmeans.Corpus) -> dict[str, Tabular]:
    """Results that are lists and tuples, too, and scores."""
    near = grassmeans.find_collocates(model, corpus, "crane")
    gold = Key({"crane.n": {str(i): (Label("bird"),) for i in range(4)}})
    return {
        "ranked": near.rank(1, fewest=1),
        "compared": near.compare(1, 2, fewest=1),
        "lines": corpus.concordance("crane"),
        "scores": ClusteringScores.compare(gold, gold),
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_lists_of_results_become_frames(model, corpus, kind) -> None:
    for name, result in every_list(model, corpus).items():
        frame, rows = make_frame(kind, result), result.rows()
        assert rows, name
        assert list(frame.columns) == list(rows[0]), name
        assert len(frame) == len(rows) == result._repr_html_().count("<tr>") - 1, name
        assert pickle.loads(pickle.dumps(result)).rows() == rows, name
    lists = every_list(model, corpus)
    assert isinstance(lists["ranked"], tuple)
    assert [row["word"] for row in lists["ranked"].rows()] == [x.word for x in lists["ranked"]]
    assert list(make_frame(kind, lists["lines"])["source"]) == ["0", "1"] * 3
    assert isinstance(lists["lines"], list)
    (row,) = lists["scores"].rows()[:1]
    assert (row["group"], row["n_instances"], row["f_score"]) == ("all", 4, 100.0)
    assert (row["f_score_low"], row["f_score_high"]) == (None, None)


def every_class(kind: type = Tabular) -> list[type]:
    return [one for sub in kind.__subclasses__() for one in (sub, *every_class(sub))]


def test_every_table_knows_its_columns() -> None:
    for module in ("change.comparing", "evaluation.pairs", "evaluation.sentences", "models.frames"):
        importlib.import_module(f"grassmeans.{module}")
    # What other tests have loaded of the explorer and the laboratory is looked at, too.
    lacking = [one.__name__ for one in every_class() if one.column_types is Tabular.column_types]
    assert lacking == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_an_empty_table_has_the_columns_of_a_full_one(model, corpus, kind) -> None:
    full = every_result(model, corpus)
    found, compared = full["found"], full["compared"]
    lists = every_list(model, corpus)
    pairs = {
        "tagged": (full["tagged"], model.tag("Nothing.")),
        "explained": (full["explained"], model.explain("Nothing.")),
        "senses": (full["senses"], replace(full["senses"], senses=())),
        "found": (found, replace(found, occurrences=())),
        "several": (full["several"], replace(full["several"], found={})),
        "collocates": (full["collocates"], replace(full["collocates"], names=())),
        "compared": (compared, replace(compared, words=())),
        "shares": (compared.shares, replace(compared, words=()).shares),
        "ranked": (lists["ranked"], Collocates()),
        "near two": (lists["compared"], ComparedCollocates()),
        "lines": (lists["lines"], corpus.concordance("crane", where={"source": "none"})),
    }
    for name, (some, none) in pairs.items():
        one, other = make_frame(kind, some), make_frame(kind, none)
        assert len(other) == 0, name
        assert list(other.columns) == list(one.columns), name
        # For pandas, a column in which nothing is known has no type of its own.
        told = [x for x in one.columns if any(row[x] is not None for row in some.rows())]
        known = told if kind == "pandas" else list(one.columns)
        assert [other[x].dtype for x in known] == [one[x].dtype for x in known], name
        assert f"<th>{other.columns[0]}</th>" in none._repr_html_(), name


def test_fields_of_documents_are_columns_with_names_of_their_own() -> None:
    rows = [{"text": "The crane.", "word": "w", "year": "1990"}]
    corpus = grassmeans.Corpus.from_texts(rows, meta=["word", "year"])
    (row,) = corpus.concordance("crane").rows()
    assert (row["word"], row["document_word"], row["year"]) == ("crane", "w", "1990")
    assert ConcordanceLines(fields=["word"]).column_types()["document_word"] is str


def test_types_of_fields_and_of_reports() -> None:
    names = ("number", "share", "hidden", "characteristic_words")
    types_ = types_of(Sense, *names)
    assert list(types_.values()) == [int, float, bool, list[str]]
    columns = ReliabilityReport({}, 0.7).column_types()
    assert "bins" not in columns
    assert columns["accuracy"] is float
    assert ReliabilityReport({}, 0.7).rows() == []


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


def test_no_cell_of_a_table_is_a_formula() -> None:
    rows = [{"word": "=1+1", "first": "@x", "jsd": -0.5, "gained": [1, 3], "q": None}]
    rows.append({"word": "well-known", "first": "-2", "jsd": 0, "gained": [], "q": 1.0})
    lines = write_csv(rows).decode().split("\n")
    assert lines[1:] == ["'=1+1,'@x,-0.5,1 3,", "well-known,'-2,0,,1.0", ""]
