from __future__ import annotations

from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans_lab.evaluation.tasks.lineup.task import LineupSense, read_lineup, write_lineup


def test_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "testbed.txt"
    path.write_text("# word, senses\ncrane\tbird wading\tmarsh bird\naxe\ttool\ncrane\tmachine\n")
    testbed = read_lineup(path)
    assert testbed.senses == (
        LineupSense("crane", "crane.1", ("bird", "wading", "marsh")),
        LineupSense("axe", "axe.1", ("tool",)),
        LineupSense("crane", "crane.2", ("machine",)),
    )
    assert testbed.words == ("crane", "axe")


def test_json_lines_are_read_as_written(tmp_path: Path) -> None:
    path = tmp_path / "testbed.jsonl"
    senses = (
        LineupSense("crane", "crane.bird", ("bird", "marécage"), "wordnet:n1"),
        LineupSense("crane", "crane.2", ("machine",)),
    )
    write_lineup(path, senses)
    assert read_lineup(path).senses == senses
    assert read_lineup(path).digest != read_lineup(_plain(tmp_path, "crane\tbird\n")).digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("crane\tbird\ncrane bird\n", "line 2: expected the word, a tab"),
        ("crane\t \n", "line 1: the sense of 'crane' has no words"),
        ("crane\tbird crane\n", "line 1: the word 'crane' is among the words"),
        ("# nothing\n", "holds comments only"),
        ('{"word": "a", "words": ["b"]}\nb\tc\n', "line 2: not JSON"),
        ('{"word": "", "words": ["b"]}\n', "'word' is ''"),
        ('{"word": "a", "words": "b"}\n', "'words' is 'b'"),
        ('{"word": "a", "words": ["b"], "sense": 1}\n', "'sense' must be a text, found 1"),
        ('{"word": "a", "words": ["b"], "sense": "x"}\n' * 2, "line 2: the sense 'x' comes twice"),
    ],
)
def test_bad_lines(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_lineup(_plain(tmp_path, text))


def _plain(folder: Path, text: str) -> Path:
    path = folder / "plain.txt"
    path.write_text(text)
    return path
