from __future__ import annotations

from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import ClusteringScores
from grassmeans.evaluation.instances import Instance, Key, Label
from grassmeans_lab.evaluation.tasks.coarse_senses import (
    read_coarsewsd20,
    read_makes_sense,
    split_marked_text,
)

RELEASE = Path(__file__).parents[6] / "shared" / "data" / "makes-sense-2016"
KEY = "crane crane.1 crane.bird\ncrane crane.2 crane.machine\nsecond second.1 second.time\n"


def put(folder: Path, contexts: str, key: str = KEY) -> Path:
    (folder / "contexts").mkdir(exist_ok=True)
    (folder / "contexts" / "crane").write_text(contexts, encoding="utf-8")
    (folder / "all.key").write_text(key, encoding="utf-8")
    return folder


def test_instances_and_gold(tmp_path: Path) -> None:
    folder = put(tmp_path, "crane.v.1\tA blue <b> crane </b> .\ncrane.2\tIts <b>Cranes</b>\tx_y\n")
    found = read_makes_sense(folder)
    first, second = found.instances
    assert (first.id, first.target, first.pos) == ("crane.1", "crane", "")
    assert (first.left, first.word, first.right) == ("A blue  ", "crane", "  .")
    assert (second.id, second.word, second.right) == ("crane.2", "Cranes", "\tx_y")
    assert found.gold == Key(
        {"crane": {"crane.1": (Label("crane.bird"),), "crane.2": (Label("crane.machine"),)}}
    )


@pytest.mark.parametrize(
    ("contexts", "message"),
    [
        ("crane.v.1 no tab <b> crane </b>\n", "line 1: expected"),
        ("crane.v.1\tno mark\n", "line 1: expected"),
        ("crane.v.1\ta <b>crane</b>\ncrane\ta <b>crane</b>\n", "line 2: expected"),
        ("crane.v.1\ta <b>c</b>\ncrane.1\ta <b>c</b>\n", r"line 2: the context crane\.1 comes twi"),
        ("crane.v.3\ta <b>crane</b>\n", r"line 1: all\.key has no instance crane\.3"),
        ("\n", "is empty"),
    ],
)
def test_damaged_contexts_name_the_line(tmp_path: Path, contexts: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_makes_sense(put(tmp_path, contexts))


def test_wrong_folder_for_makes_sense(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no folder 'contexts'"):
        read_makes_sense(tmp_path)


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


@pytest.mark.shared
@pytest.mark.skipif(not RELEASE.is_dir(), reason="the test set is not here")
def test_release() -> None:
    found = read_makes_sense(RELEASE)
    assert len(found.instances) == found.gold.n_instances == 6457
    assert len(found.gold.labels) == 50
    one_cluster = Key(
        {word: dict.fromkeys(named, (Label("x"),)) for word, named in found.gold.labels.items()}
    )
    scores = ClusteringScores.compare(one_cluster, found.gold)
    assert round(scores.all.f_score, 1) == 61.8
    assert scores.all.v_measure == 0


def test_marked_text_is_split() -> None:
    assert split_marked_text("on the <b> bank </b> of it") == ("on the  ", "bank", "  of it")
    assert split_marked_text("<b>bank</b>") == ("", "bank", "")
    assert split_marked_text("a <b>b</b> c <b>d</b> e") == ("a ", "b", " c d e")
    assert split_marked_text("two\nlines <b>b</b>\nc") == ("two\nlines ", "b", "\nc")


def test_text_without_a_mark() -> None:
    assert split_marked_text("no mark") is None
    assert split_marked_text("an empty <b> </b> one") is None
    assert split_marked_text("an open <b> one") is None
