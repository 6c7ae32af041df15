"""Tables as others publish them: where they lie, how their columns are called, what is no table."""

from __future__ import annotations

from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans_explorer.annotation import project as projects
from grassmeans_explorer.annotation.durel_reading import import_project

USE_HEAD = (
    "lemma\tpos\tdate\tgrouping\tidentifier\tdescription\tcontext\tindexes_target_token\t"
    "indexes_target_sentence\n"
)
JUDGMENT_HEAD = "identifier1\tidentifier2\tannotator\tjudgment\tcomment\tlemma\tround\n"


def uses_of(word: str) -> str:
    return USE_HEAD + "".join(
        f"{word}\tnn\t1850\t1\t{word}{i}\t \tA {word}.\t2:{2 + len(word)}\t0:{3 + len(word)}\n"
        for i in "12"
    )


def judgments_of(word: str) -> str:
    return JUDGMENT_HEAD + f"{word}1\t{word}2\tannotator1\t3.0\t \t{word}\t2\n"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "layout",
    [
        "{word}/{kind}.csv",  # word usage graphs
        "data/{word}/{kind}.csv",  # the same, from above
        "{kind}/{word}.csv",  # as DURel takes them
        "{word}_{kind}.tsv",  # as it gives them
    ],
)
def test_tables_are_found_as_they_are_published(tmp_path, layout):
    place = tmp_path / "graphs"
    for word in ("crane", "überspannen"):
        write(place / layout.format(word=word, kind="uses"), uses_of(word))
        write(place / layout.format(word=word, kind="judgments"), judgments_of(word))
    write(place / "labels" / "crane.csv", "identifier\tcluster\n")  # of their clusters: not ours
    write(place / ".git" / "uses.csv", "nothing")
    found, report = import_project(place, tmp_path / "out")
    assert report.describe() == []
    assert set(found.items) == {"crane1|crane2", "überspannen1|überspannen2"}
    assert {one.label for one in found.judgments_of("annotator1").values()} == {"3"}


def test_columns_of_early_graphs_have_other_names(tmp_path):
    head = USE_HEAD.replace("lemma", "target").replace("indexes_target_token", "indexes_target")
    write(tmp_path / "in" / "uses.csv", uses_of("crane").replace(USE_HEAD, head))
    found, report = import_project(tmp_path / "in", tmp_path / "out", annotators=["Ann"])
    assert report.describe() == []
    assert [(use.lemma, use.word) for use in found.uses.values()] == [("crane", "crane")] * 2


def test_a_table_without_its_columns_ends_no_import(tmp_path):
    place = tmp_path / "in"
    write(place / "crane" / "uses.csv", uses_of("crane"))
    write(place / "crane" / "judgments.csv", judgments_of("crane"))
    write(place / "bank" / "uses.csv", "name\ttext\nbank\tA bank.\n")
    found, report = import_project(place, tmp_path / "out")
    assert set(found.items) == {"crane1|crane2"}
    assert report.describe() == [
        "table without the column 'identifier': 1 (first: bank/uses.csv)",
    ]


def test_labels_beside_pairs_are_told(tmp_path):
    write(tmp_path / "in" / "uses.csv", uses_of("crane"))
    write(tmp_path / "in" / "judgments.csv", judgments_of("crane"))
    write(tmp_path / "in" / "labels.csv", "identifier\tlabel\tannotator\ncrane1\tbird\tAnn\n")
    found, report = import_project(tmp_path / "in", tmp_path / "out")
    assert found.task == "relatedness"
    assert list(report.skipped) == ["table of labels, which is not read where there are pairs"]


def test_decisions_that_fit_no_item_are_told(tmp_path):
    write(tmp_path / "in" / "uses.csv", uses_of("crane"))
    write(tmp_path / "in" / "judgments.csv", judgments_of("crane"))
    rows = ["crane1\tcrane9\t1\tadjudicated", "crane2\tcrane1\t9\tadjudicated"]
    rows += ["crane2\tcrane1\t2\tadjudicated", "crane1\tcrane2\t4\tmajority"]
    table = "\n".join(["identifier1\tidentifier2\tlabel\thow", *rows, ""])
    write(tmp_path / "in" / "decisions.csv", table)
    found, report = import_project(tmp_path / "in", tmp_path / "out")
    assert report.skipped == {"decision of no item, or with no label of them": 2}
    (decision,) = found.decide()
    assert (decision.label, decision.how) == ("2", "adjudicated")


def test_an_import_that_ends_early_leaves_no_half_of_an_annotation(tmp_path, monkeypatch):
    write(tmp_path / "in" / "uses.csv", uses_of("crane"))
    other = judgments_of("crane").replace("annotator1", "annotator2").replace(JUDGMENT_HEAD, "")
    write(tmp_path / "in" / "judgments.csv", judgments_of("crane") + other)
    append = projects.JudgmentFile.append

    def stop_at_the_second(file, judgments):
        if file.annotator == "annotator2":
            raise KeyboardInterrupt
        append(file, judgments)

    monkeypatch.setattr(projects.JudgmentFile, "append", stop_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        import_project(tmp_path / "in", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    monkeypatch.undo()
    found, _ = import_project(tmp_path / "in", tmp_path / "out")
    assert all(len(found.judgments_of(name)) == 1 for name in ("annotator1", "annotator2"))
    # Judgments that came with the tables are as safe as those that were made here.
    with pytest.raises(InputError, match="out"):
        import_project(tmp_path / "in", tmp_path / "out", overwrite=True)
