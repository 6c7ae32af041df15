from __future__ import annotations

import json
from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.instances import (
    Instance,
    Key,
    Label,
    known_form,
    read_json_instances,
    read_key,
    write_key,
)

FIRST = {"id": "1", "target": "crane", "left": "Two ", "word": "cranes", "right": " fly."}


def test_names_and_text_of_an_instance() -> None:
    instance = Instance("crane.n.1", "crane", "n", "the ", "cranes", " flew")
    assert instance.key_word == "crane.n"
    assert instance.text == "the cranes flew"
    assert Instance("crane.1", "crane", "", "", "crane", "").key_word == "crane"


def test_target_is_known_in_lower_case_and_joined() -> None:
    known = {"crane", "new_york"}
    assert known_form(known, "Crane") == "crane"
    assert known_form(known, "New York") == "new_york"
    assert known_form(known, "seal") is None


def put(folder: Path, *lines: dict[str, object] | str) -> Path:
    path = folder / "a.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n")
    return path


def test_instances_and_labels(tmp_path: Path) -> None:
    second = {"id": 2, "target": "hot dog", "pos": "n", "left": "", "right": ".", "label": 7}
    found = read_json_instances(put(tmp_path, FIRST | {"label": "bird"}, "", second))
    assert found.instances == (
        Instance("1", "crane", "", "Two ", "cranes", " fly."),
        Instance("2", "hot dog", "n", "", "hot dog", "."),
    )
    assert found.gold.labels == {
        "crane": {"1": (Label("bird"),)},
        "hot_dog.n": {"2": (Label("7"),)},
    }


def test_label_may_be_absent_and_the_word_not_found(tmp_path: Path) -> None:
    found = read_json_instances(put(tmp_path, FIRST, FIRST | {"id": "2", "word": ""}))
    assert found.gold.n_instances == 0
    assert found.instances[1].located_by == "not found"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not JSON"),
        ("[1]", "line 2: expected an object"),
        ({"id": "2"}, "line 2: .* 'target' is None"),
        (FIRST | {"id": "2", "left": 3}, "'left' is 3"),
        (FIRST | {"id": ""}, "'id' is ''"),
        (FIRST | {"id": "a b"}, "id with spaces: 'a b'"),
        (FIRST, "the instance '1' comes twice"),
    ],
)
def test_damaged_lines(tmp_path: Path, line, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_json_instances(put(tmp_path, FIRST, line))


def put_key(folder: Path, content: str) -> Path:
    path = folder / "a.key"
    path.write_text(content, encoding="utf-8")
    return path


def test_labels_and_weights_are_read(tmp_path: Path) -> None:
    path = put_key(tmp_path, "a.v a.v.1 x\r\n\r\na.v\ta.v.2  x/0.2 y/0.8\nb b.1 z/1e-1\n")
    key = read_key(path)
    assert key.labels == {
        "a.v": {"a.v.1": (Label("x"),), "a.v.2": (Label("x", 0.2), Label("y", 0.8))},
        "b": {"b.1": (Label("z", 0.1),)},
    }
    assert key.n_instances == 3


def test_heaviest_label_is_the_best_and_the_first_of_equals() -> None:
    key = Key(
        {"a": {"1": (Label("x", 0.2), Label("y", 0.8)), "2": (Label("q", 0.5), Label("p", 0.5))}}
    )
    assert key.best_labels("a") == {"1": "y", "2": "q"}
    assert key.best_labels("absent") == {}


def test_slash_inside_a_label_belongs_to_its_name(tmp_path: Path) -> None:
    assert read_key(put_key(tmp_path, "a 1 and/or/0.5\n")).labels["a"]["1"] == (
        Label("and/or", 0.5),
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a 1 x\na 2\n", r"line 2: expected 'word instance label\[/weight\] ...', found 2 columns"),
        ("a\n", "line 1: .* found 1 column:"),
        ("a 1 x\n\nb 2 x\na 1 y\n", "line 4: the instance '1' is in line 1 already"),
        ("a 1 x/heavy\n", "line 1: expected a label, .* found 'x/heavy'"),
        ("a 1 x/-1\n", "weight from 0 to 1e\\+09, found 'x/-1'"),
        ("a 1 x/nan\n", "found 'x/nan'"),
        ("a 1 /0.5\n", "found '/0.5'"),
        ("\n \n", "is empty"),
    ],
)
def test_damaged_keys_name_the_line(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_key(put_key(tmp_path, content))


def test_missing_and_binary_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        read_key(tmp_path / "absent.key")
    (tmp_path / "b.key").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        read_key(tmp_path / "b.key")


def test_written_key_comes_back(tmp_path: Path) -> None:
    key = Key({"a.n": {"a.n.1": (Label("x"),), "a.n.2": (Label("x", 0.25), Label("y", 0.75))}})
    write_key(key, tmp_path / "out.key")
    assert (tmp_path / "out.key").read_text() == "a.n a.n.1 x\na.n a.n.2 x/0.25 y/0.75\n"
    assert read_key(tmp_path / "out.key") == key


def test_labels_weigh_alike_where_one_has_no_weight(tmp_path: Path) -> None:
    key = read_key(put_key(tmp_path, "a 1 x y/4.7\na 2 x/3 y/6 !! doubtful x\n"))
    assert key.labels["a"]["1"] == (Label("x"), Label("y"))
    assert key.labels["a"]["2"] == (Label("x", 3), Label("y", 6))
    with pytest.raises(InputError, match="line 1: expected"):
        read_key(put_key(tmp_path, "a 1 !! nothing\n"))


def test_weight_of_one_is_written_beside_another(tmp_path: Path) -> None:
    key = Key({"a": {"1": (Label("x"), Label("y", 0.5))}})
    write_key(key, tmp_path / "out.key")
    assert (tmp_path / "out.key").read_text() == "a 1 x/1 y/0.5\n"
    assert read_key(tmp_path / "out.key") == key


@pytest.mark.parametrize("name", ["two words", ""])
def test_names_that_a_key_file_cannot_hold(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot hold names"):
        write_key(Key({"a": {"1": (Label(name),)}}), tmp_path / "out.key")
