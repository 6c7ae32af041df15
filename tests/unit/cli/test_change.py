from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from grassmeans import Corpus, WordVectors
from grassmeans.cli.main import app
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.corpus import default_options
from grassmeans.geometry.windows import ContextShape
from grassmeans.labelling import label_corpus
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("cli-change")
    names = ["nest", "wing", "steel", "load"]
    rows = np.array([(1, 0), (2, 0.1), (0, 1), (0.1, 3)], np.float32)
    encoder = SubspaceEncoder(WordVectors(names, rows), ContextShape(2, 1), frozenset({"the"}))
    senses = tuple(Sense(k, 0.5, 0.1, (), (), (), n) for k, n in ((1, "<bird>"), (2, "machine")))
    entry = WordSenses("crane", 40, 40, np.eye(2, dtype=np.float32), senses)
    tokenizer = default_options().tokenizer
    model = SenseModel(encoder, SenseInventory([entry]), tokenizer, {"idk_threshold": None})
    model.save(place / "model")
    texts = {"old": "the crane nest wing", "new": "the crane steel load"}
    records = [
        {"text": text, "date": year, "source": name}
        for name, text, year in (("old", texts["old"], 1850), ("new", texts["new"], 1950))
        for _ in range(15)
    ]
    records.append({"text": "the crane load", "date": "once", "source": "new"})
    corpus = Corpus.from_texts(records, place / "corpus", meta=("date", "source"))
    label_corpus(corpus, model, place / "labelled", workers=1)
    for name, text in texts.items():
        Corpus.from_texts([text] * 15, place / name)
    return place


def run(folder, *arguments, code=0):
    given = ["change", str(folder / "model"), *map(str, arguments)]
    result = CliRunner().invoke(app, given)
    if code:
        assert result.exception is not None
        return str(result.exception)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_folder_has_all_kinds_of_tables(folder, tmp_path):
    report = tmp_path / "report"
    said = json.loads(
        run(folder, folder / "labelled", "--by", "date:century", "--all", "-o", report)
    )
    assert said["n_changed"] == 1
    assert said["n_documents_left_out"] == 1
    page = (report / "report.html").read_text()
    assert "crane.1 &lt;bird&gt;" in page
    assert "<svg" in page
    assert "1850" not in page or "1800-1899" in page
    (row,) = csv.DictReader((report / "changes.csv").open())
    assert (row["word"], row["first"], row["second"]) == ("crane", "1800-1899", "1900-1999")
    assert float(row["jsd"]) == 1.0
    assert row["gained"] == "2"
    shares = list(csv.DictReader((report / "shares.csv").open()))
    assert [float(one["share"]) for one in shares] == [1.0, 0.0, 0.0, 1.0]
    found = json.loads((report / "changes.json").read_text())
    assert found["words"][0]["examples"][0]["sense"] == 1
    pq = pytest.importorskip("pyarrow.parquet")
    table = pq.read_table(report / "changes.parquet").to_pydict()
    assert table["lost"] == [[1]]
    assert table["changed"] == [True]


def test_a_name_tells_the_kind_of_file(folder, tmp_path):
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    for suffix in (".html", ".csv", ".json", ".parquet"):
        place = tmp_path / f"r{suffix}"
        run(folder, folder / "corpus", "--by", "source", "--word", "crane", "-o", place)
        assert place.stat().st_size > 100


def test_two_corpora_side_by_side_as_json(folder):
    found = json.loads(run(folder, folder / "old", folder / "new", "-w", "Crane"))
    assert [group["name"] for group in found["groups"]] == ["old", "new"]
    (word,) = found["words"]
    assert word["changes"][0]["jsd"] == 1.0
    assert word["changes"][0]["apd"] > 0.5


def test_a_control_shows_no_change(folder):
    said = run(folder, folder / "labelled", "--by", "source", "--all", "--control", "--seed", 5)
    (word,) = json.loads(said)["words"]
    assert not word["changes"][0]["changed"]


def test_a_table_for_people(folder, monkeypatch):
    monkeypatch.setattr("grassmeans.cli.change.wants_json", lambda asked: False)
    said = run(folder, folder / "labelled", "--by", "source", "--all")
    assert "crane" in said
    assert "JSD" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("labelled", "--by", "source"), "name words with --word or --words, or take --all"),
        (("labelled", "--by", "source", "--all", "-w", "x"), "one of them"),
        (("labelled", "--all"), "one corpus needs by="),
        (("labelled", "--by", "genre", "--all"), "have no field 'genre'"),
        (("labelled", "--by", "date:week", "--all"), "expected month, year"),
        (("corpus", "--by", "source", "--all"), "all words need a labelled corpus"),
        (("corpus", "--by", "source", "-w", "anvil"), "'anvil' has no senses"),
        (("corpus", "--by", "source", "-w", "crane", "-o", "a.doc"), "a report is a file"),
        (
            ("corpus", "--by", "source", "-w", "crane", "--level", "1.5"),
            "level must be a number between 0 and 1; got 1.5",
        ),
    ],
)
def test_mistakes_are_told_in_one_line(folder, arguments, message):
    place, *rest = arguments
    assert message in run(folder, folder / place, *rest, code=2)
