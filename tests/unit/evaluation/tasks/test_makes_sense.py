from __future__ import annotations

from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import score_clustering
from grassmeans.evaluation.key_files import Key, Label
from grassmeans.evaluation.tasks.makes_sense import read_makes_sense

RELEASE = Path(__file__).parents[5] / "shared" / "data" / "makes-sense-2016"
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
    assert found.n_without_context == 1


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


def test_wrong_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no folder 'contexts'"):
        read_makes_sense(tmp_path)


@pytest.mark.shared
@pytest.mark.skipif(not RELEASE.is_dir(), reason="the test set is not here")
def test_release() -> None:
    found = read_makes_sense(RELEASE)
    assert len(found.instances) == found.gold.n_instances == 6457
    assert len(found.gold.labels) == 50
    one_cluster = Key(
        {word: dict.fromkeys(named, (Label("x"),)) for word, named in found.gold.labels.items()}
    )
    scores = score_clustering(one_cluster, found.gold)
    assert round(scores.all.f_score, 1) == 61.8
    assert scores.all.v_measure == 0
