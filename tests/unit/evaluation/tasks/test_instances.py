from __future__ import annotations

import json
from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.key_files import Label
from grassmeans.evaluation.tasks.instances import (
    Instance,
    known_form,
    read_json_instances,
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
