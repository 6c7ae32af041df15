from __future__ import annotations

import json
from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.task_files import read_word_pairs

PAIR = {"word": "crane", "text1": "A Crane flew.", "text2": "Two cranes, a crane.", "label": True}
MCL = {
    "id": "dev.1",
    "lemma": "crane",
    "pos": "NOUN",
    "sentence1": "The cranes lift.",
    "sentence2": "A crane sings.",
    "start1": "4",
    "end1": "10",
    "start2": "2",
    "end2": "7",
}


def write(folder: Path, name: str, *records: object) -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_the_word_is_found_in_any_case(tmp_path: Path) -> None:
    (pair,) = read_word_pairs(write(tmp_path, "a.jsonl", PAIR))
    assert (pair.word, pair.same) == ("crane", True)
    assert (pair.first.left, pair.first.word, pair.first.right) == ("A ", "Crane", " flew.")
    assert (pair.second.left, pair.second.word) == ("Two cranes, a ", "crane")


def test_marks_and_offsets_go_before_the_word_itself(tmp_path: Path) -> None:
    marked = PAIR | {"text1": "A crane and <b>cranes</b> fly.", "start2": 4, "end2": 10}
    (pair,) = read_word_pairs(write(tmp_path, "a.jsonl", marked))
    first, second = pair.first, pair.second
    assert (first.left, first.word, first.right) == ("A crane and ", "cranes", " fly.")
    assert (second.left, second.word) == ("Two ", "cranes")


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_tables_with_empty_offsets_and_quoted_cells(tmp_path: Path, delimiter: str) -> None:
    rows = [
        ["label", "word", "text1", "text2", "start1", "end1", "note"],
        ["T", "crane", '"Its crane, ""big""\n is here."', "a crane", "", "", "x"],
        ["0", "crane", "cranes", "crane", "0", "6", ""],
    ]
    text = "\n".join(delimiter.join(row) for row in rows) + "\n\n"
    first, second = read_word_pairs(put(tmp_path / "a.csv", text))
    assert first.first.text == 'Its crane, "big"\n is here.'
    assert (first.same, second.same) == (True, False)
    assert second.first.word == "cranes"


@pytest.mark.parametrize(
    ("label", "same"),
    [(True, True), (1, True), ("T", True), ("True", True), (0, False), ("f", False), ("0", False)],
)
def test_labels(tmp_path: Path, label: object, same: bool) -> None:
    (pair,) = read_word_pairs(write(tmp_path, "a.jsonl", PAIR | {"label": label}))
    assert pair.same is same


def test_mcl_wic_with_its_gold_beside_or_elsewhere(tmp_path: Path) -> None:
    data = put(tmp_path / "dev.en-en.data", json.dumps([MCL]))
    gold = put(tmp_path / "dev.en-en.gold", json.dumps([{"id": "dev.1", "tag": "F"}]))
    (pair,) = read_word_pairs(data)
    assert (pair.first.word, pair.second.word, pair.same) == ("cranes", "crane", False)
    elsewhere = put(tmp_path / "other", json.dumps([{"id": "dev.1", "tag": "T"}]))
    assert read_word_pairs(data, elsewhere)[0].same is True
    gold.unlink()
    with pytest.raises(InputError, match=r"record 1: .*no label of 'dev\.1'"):
        read_word_pairs(data)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"word": None}, "'word' is None"),
        ({"text2": " "}, "'text2' is ' '"),
        ({"label": None}, "no label of '2'"),
        ({"label": "maybe"}, "found 'maybe'"),
        ({"text1": "Two cranes."}, "'crane' is not in text1: mark the form"),
        ({"start1": 2}, "start1 and end1 of a word among the 13 characters.*2 and None"),
        ({"start1": 5, "end1": 5}, "found 5 and 5"),
        ({"start2": 3, "end2": 99}, "among the 20 characters of text2"),
        ({"start1": -3, "end1": 5}, "found -3 and 5"),
        ({"start1": 1, "end1": 2}, "found 1 and 2"),  # a space
        ({"start1": "x", "end1": 2}, "found 'x' and 2"),
    ],
)
def test_broken_pairs_are_named_by_their_line(tmp_path: Path, changes, message: str) -> None:
    with pytest.raises(InputError, match=rf"line 2: .*{message}"):
        read_word_pairs(write(tmp_path, "a.jsonl", PAIR, PAIR | changes))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"word": "crane"\n', "line 1: not JSON"),
        ('{"id": "1", "target": "crane", "left": "a "}\n', "give of='jsonl'"),
        ("[1]", "record 1: expected an object"),
        ("[{]", "is not JSON"),
        ("[]", "has no pairs"),
        ("", "is empty"),
        ("word,text1,text2\na,b,c\n", "line 1: no column 'label'"),
        ("word,text1,text2,label\n", "has no pairs"),
        ("word,text1,text2,label\na,b,c\n", "line 2: expected 4 cells"),
        ('word,text1,text2,label\na,"b,c,1\n', "broken row"),
    ],
)
def test_broken_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_word_pairs(put(tmp_path / "a", text))


@pytest.mark.parametrize("gold", ["T F", '[{"id": "dev.1"}]'])
def test_broken_gold(tmp_path: Path, gold: str) -> None:
    data = put(tmp_path / "a.data", json.dumps([MCL]))
    with pytest.raises(InputError, match="id and tag"):
        read_word_pairs(data, put(tmp_path / "b", gold))


def test_a_folder_is_no_file_of_pairs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"name a file of pairs, or a test set as of=\.\.\."):
        read_word_pairs(tmp_path)
