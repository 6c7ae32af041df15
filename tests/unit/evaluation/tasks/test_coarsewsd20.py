from __future__ import annotations

from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.key_files import Label
from grassmeans.evaluation.tasks.coarsewsd20 import read_coarsewsd20
from grassmeans.evaluation.tasks.instances import Instance


def make_word(folder: Path, word: str, **files: str) -> Path:
    (folder / word).mkdir(parents=True)
    for name, content in files.items():
        (folder / word / f"{name.replace('_', '.', 1)}.txt").write_text(content)
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    make_word(
        tmp_path,
        "crane",
        test_data="2\ta climbing crane fell .\n0\tcrane ( grus cinerea ) .\n",
        test_gold="0\n1\n",
        train_data="1\ta crane\n",
        train_gold="1\n",
    )
    names = '{"0": "crane_machine", "1": "crane_bird"}'
    (tmp_path / "crane" / "classes_map.txt").write_text(names)
    make_word(tmp_path, "seal", test_data="3\tthey shot the seal\n", test_gold="2")
    (tmp_path / "README.txt").write_text("about")
    return tmp_path


def test_instances_and_class_names(data: Path) -> None:
    found = read_coarsewsd20(data)
    assert found.instances == (
        Instance("crane.test.1", "crane", "", "a climbing ", "crane", " fell ."),
        Instance("crane.test.2", "crane", "", "", "crane", " ( grus cinerea ) ."),
        Instance("seal.test.1", "seal", "", "they shot the ", "seal", ""),
    )
    assert found.gold.labels == {
        "crane": {
            "crane.test.1": (Label("crane_machine"),),
            "crane.test.2": (Label("crane_bird"),),
        },
        "seal": {"seal.test.1": (Label("2"),)},
    }


def test_train_split(data: Path) -> None:
    found = read_coarsewsd20(data, "train")
    assert [instance.id for instance in found.instances] == ["crane.train.1"]
    with pytest.raises(InputError, match="split must be one of test, train"):
        read_coarsewsd20(data, "dev")


@pytest.mark.parametrize(
    ("test_data", "test_gold", "message"),
    [
        ("5\ta crane\n", "0\n", "line 1: expected 'index<TAB>sentence'"),
        ("a crane\n", "0\n", "line 1: expected"),
        ("-1\ta crane\n", "0\n", "line 1: expected"),
        ("1\ta crane\n", "0\n1\n", "2 labels for the 1 sentences"),
        ("1\ta crane\n", "\n", "is empty"),
    ],
)
def test_damaged_files(tmp_path: Path, test_data: str, test_gold: str, message: str) -> None:
    make_word(tmp_path, "crane", test_data=test_data, test_gold=test_gold)
    with pytest.raises(InputError, match=message):
        read_coarsewsd20(tmp_path)


def test_damaged_class_names_and_missing_files(tmp_path: Path, data: Path) -> None:
    (data / "crane" / "classes_map.txt").write_text("[1]")
    with pytest.raises(InputError, match="expected an object"):
        read_coarsewsd20(data)
    (data / "crane" / "classes_map.txt").write_text("{")
    with pytest.raises(InputError, match="not JSON"):
        read_coarsewsd20(data)
    with pytest.raises(InputError, match=r"no folders with test\.data\.txt"):
        read_coarsewsd20(data / "crane")
