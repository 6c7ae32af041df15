"""Tables of DURel: out and in again, and hostile ones."""

from __future__ import annotations

import pytest

from grassmeans.errors import InputError
from grassmeans_explorer.annotation.durel import export_project
from grassmeans_explorer.annotation.durel_reading import import_project
from grassmeans_explorer.annotation.project import ADJUDICATOR, make_project
from grassmeans_explorer.annotation.uses import Use

TEXT = "He said: \"the\u2028crane\" 'flew', =1+1."
USES = [
    Use("u1", "crane", TEXT, (14, 19), (0, len(TEXT)), "nn", "1857", "times", "a, b"),
    Use("u2", "crane", "A crane.", (2, 7), (0, 8)),
    Use("u3", "crane", "No crane; a crane.", (12, 17), (0, 18)),
]
HEAD = "lemma\tpos\tdate\tgrouping\tidentifier\tdescription\tcontext\tindexes_target_token\t" + (
    "indexes_target_sentence\n"
)


@pytest.fixture
def related(tmp_path):
    pairs = [("u1", "u2"), ("u2", "u3")]
    return make_project(tmp_path / "p", USES, ["Ann", "Bo"], task="relatedness", pairs=pairs)


def test_uses_and_judgments_are_tables_with_tabs_and_no_quotes(related, tmp_path):
    related.judge("Ann", "u1|u2", "4", "sure\tthing\n")
    files = export_project(related, tmp_path / "out")
    assert [path.name for path in files] == [
        "uses.csv",
        "instances.csv",
        "judgments.csv",
        "decisions.csv",
    ]
    head, first, second, _, end = files[0].read_text().split("\n")
    assert head + "\n" == HEAD
    cells = first.split("\t")
    assert cells[:6] == ["crane", "nn", "1857", "times", "u1", "a, b"]
    assert cells[6] == TEXT.replace("\u2028", " ")
    assert cells[6][slice(*map(int, cells[7].split(":")))] == "crane"
    assert second.split("\t")[1:4] == [" ", " ", " "]  # a space for what is not there
    assert end == ""
    judged = files[2].read_text().split("\n")
    assert judged[0].split("\t")[:4] == ["identifier1", "identifier2", "annotator", "judgment"]
    assert judged[1] == "u1\tu2\tAnn\t4\tsure thing \tcrane"


def test_what_goes_out_comes_in_again(related, tmp_path):
    related.judge("Ann", "u1|u2", "4", "sure")
    related.judge("Bo", "u2|u3", "0")
    export_project(related, tmp_path / "out")
    found, report = import_project(tmp_path / "out", tmp_path / "again")
    assert report.describe() == []
    assert (found.task, found.annotators) == ("relatedness", ("Ann", "Bo"))
    assert set(found.items) == {"u1|u2", "u2|u3"}
    assert found.judgments_of("Ann")["u1|u2"].comment == "sure"
    assert found.judgments_of("Bo")["u2|u3"].label == "0"
    assert found.uses["u2"] == USES[1]


def test_labels_of_senses_come_in_again(tmp_path):
    labels = {"1": "bird", "2": "machine"}
    project = make_project(tmp_path / "p", USES, ["Ann"], labels=labels)
    project.judge("Ann", "u1", "2")
    names = [path.name for path in export_project(project, tmp_path / "out")]
    assert names == ["uses.csv", "senses.csv", "labels.csv", "decisions.csv"]
    # A label is told with what it means.
    table = (tmp_path / "out" / "labels.csv").read_text().splitlines()
    assert (table[0].split("\t")[-1], table[1].split("\t")[-1]) == ("description", "machine")
    found, _ = import_project(tmp_path / "out", tmp_path / "again")
    assert (found.task, found.labels) == ("senses", labels)
    assert found.judgments_of("Ann")["u1"].label == "2"


def test_last_words_go_out_and_come_in_again(related, tmp_path):
    related.judge("Ann", "u1|u2", "4")
    related.judge("Bo", "u1|u2", "4")
    related.judge("Ann", "u2|u3", "4")
    related.adjudicate("u2|u3", "1", "another root")
    export_project(related, tmp_path / "out")
    head, *rows = (tmp_path / "out" / "decisions.csv").read_text().splitlines()
    assert head.split("\t") == [
        *("identifier1", "identifier2", "label", "how", "comment", "lemma", "description")
    ]
    assert rows == [
        "u1\tu2\t4\tagreed\t \tcrane\tidentical",
        "u2\tu3\t1\tadjudicated\tanother root\tcrane\tunrelated",
    ]
    found, report = import_project(tmp_path / "out", tmp_path / "again")
    assert report.describe() == []
    assert found.decide() == related.decide()
    (last,) = found.judgments_of(ADJUDICATOR).values()
    assert (last.item, last.label, last.comment) == ("u2|u3", "1", "another root")
    assert ADJUDICATOR not in found.annotators


def test_no_file_is_written_where_one_may_not_be(related, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "judgments.csv").write_text("somebody's")
    with pytest.raises(InputError, match="exists already"):
        export_project(related, tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["judgments.csv"]


def test_files_are_not_replaced_unless_asked(related, tmp_path):
    export_project(related, tmp_path / "out")
    with pytest.raises(InputError, match="exists already"):
        export_project(related, tmp_path / "out")
    export_project(related, tmp_path / "out", overwrite=True)
    with pytest.raises(InputError, match="exists already"):
        import_project(tmp_path / "out", related.path, annotators=["Ann"])


def test_published_graphs_have_a_folder_for_each_word(tmp_path):
    for word in ("crane", "bank"):
        folder = tmp_path / "data" / word
        folder.mkdir(parents=True)
        rows = [
            f"{word}\t \t1850\t1\t{word}{i}\t \tA {word}.\t2:{2 + len(word)}\t0:4\n" for i in "12"
        ]
        (folder / "uses.tsv").write_text(HEAD + "".join(rows))
        (folder / "judgments.csv").write_text(
            "identifier1\tidentifier2\tannotator\tjudgment\tcomment\tlemma\r\n"
            f"{word}1\t{word}2\tannotator1\t3.0\t \t{word}\r\n"
            f"{word}2\t{word}1\tannotator2\t4\t\t{word}\r\n"
        )
    found, report = import_project(tmp_path / "data", tmp_path / "out")
    assert report.describe() == []
    assert set(found.items) == {"crane1|crane2", "bank1|bank2"}
    assert found.judgments_of("annotator1")["crane1|crane2"].label == "3"
    assert found.judgments_of("annotator2")["crane1|crane2"].label == "4"
    assert found.uses["crane1"].grouping == "1"


def test_lines_that_cannot_be_used_are_counted(tmp_path):
    rows = [
        "crane\t \t \t \tgood1\t \tA crane.\t2:7\t0:8",
        "crane\t \t \t \tgood2\t \tA crane.\t2:7\t",
        "crane\t \t \t \tgood1\t \tA crane.\t2:7\t0:8",
        "crane\t \t \t \tfar\t \tA crane.\t2:99\t0:8",
        "crane\t \t \t \tback\t \tA crane.\t7:2\t0:8",
        "crane\t \t \t \tno\t \tA crane.\tx\t0:8",
        "too\tfew",
        "",
    ]
    (tmp_path / "uses.csv").write_text(HEAD + "\n".join(rows))
    (tmp_path / "judgments.csv").write_text(
        "identifier1\tidentifier2\tannotator\tjudgment\n"
        "good1\tgood2\t../../x\t4\n"
        "good1\tgood2\tAnn\t5\n"
        "good1\tgood1\tAnn\t1\n"
        "good1\tnobody\tAnn\t1\n"
    )
    found, report = import_project(tmp_path, tmp_path.parent / f"{tmp_path.name}-out")
    assert report.skipped == {
        "use that is there twice": 1,
        "use whose target is not in its text": 3,
        "line without 9 columns": 1,
        "judgment that is not 0 to 4": 1,
        "judgment of no two uses of a word": 2,
    }
    assert found.annotators == ("../../x",)
    assert found.uses["good2"].sentence == (0, 8)


def test_what_is_no_table_is_told(tmp_path):
    with pytest.raises(InputError, match="has no uses"):
        import_project(tmp_path, tmp_path / "out")
    (tmp_path / "uses.csv").write_text("a\tb\n")
    with pytest.raises(InputError, match="without the column 'identifier'"):
        import_project(tmp_path, tmp_path.parent / "x-out")
    (tmp_path / "uses.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        import_project(tmp_path, tmp_path.parent / "x-out")
    (tmp_path / "uses.csv").write_text(HEAD + "crane\t \t \t \tu\t \tA crane.\t2:7\t0:8\n")
    with pytest.raises(InputError, match="name the annotators"):
        import_project(tmp_path, tmp_path.parent / "x-out")
