from __future__ import annotations

from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.instances import Instance
from grassmeans_lab.evaluation.tasks.semeval2013 import read_semeval2013

LEMMA_FILE = """<?xml version="1.0" encoding="UTF-8"?>
<instances lemma="win" partOfSpeech="v">
  <instance id="win.v.1" lemma="win" partOfSpeech="v" token="won" tokenEnd="7" tokenStart="4">She won the race &amp; left.</instance>
  <instance id="win.v.2" lemma="win" partOfSpeech="v" token="win" tokenEnd="40" tokenStart="37">We win some, but they win more often.</instance>
  <instance id="win.v.4" lemma="win" partOfSpeech="v" token="wins" tokenEnd="4" tokenStart="0">No such form here.</instance>
</instances>
"""  # noqa: E501
SENSEVAL_FILE = """<?xml version="1.0" encoding="UTF-8"?>
<corpus lang="english">
  <lexelt item="become.v">
    <instance id="become.v.1">
      <context>It's no wonder that Wolf has  <head>become</head>  a consultant.</context>
    </instance>
  </lexelt>
  <lexelt item="dark.j">
    <instance id="dark.j.7"><context>A <i>very <head>dark</head> and</i> cold night</context></instance>
  </lexelt>
</corpus>
"""  # noqa: E501


def put(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def test_lemma_files(tmp_path: Path) -> None:
    put(tmp_path, "contexts/xml-format/win.v.xml", LEMMA_FILE)
    first, second, third = read_semeval2013(tmp_path).instances
    assert first == Instance("win.v.1", "win", "v", "She ", "won", " the race & left.")
    assert (second.left, second.word) == ("We win some, but they ", "win")
    assert second.located_by == "nearest"  # the characters named are outside the text
    assert (third.left, third.word) == ("No such form here.", "")
    assert third.located_by == "not found"
    assert not third.is_located
    assert first.key_word == "win.v"


def test_senseval_file(tmp_path: Path) -> None:
    path = put(tmp_path, "all.senseval2.xml", SENSEVAL_FILE)
    first, second = read_semeval2013(path).instances
    assert first.id == "become.v.1"
    assert (first.left, first.right) == ("It's no wonder that Wolf has  ", "  a consultant.")
    assert second == Instance("dark.j.7", "dark", "j", "A very ", "dark", " and cold night")


def test_lemma_files_are_preferred_to_the_same_data(tmp_path: Path) -> None:
    put(tmp_path, "contexts/senseval2-format/all.xml", SENSEVAL_FILE)
    put(tmp_path, "contexts/xml-format/win.v.xml", LEMMA_FILE)
    assert {instance.target for instance in read_semeval2013(tmp_path).instances} == {"win"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<instances><instance id='a'/></instances>", "needs id, lemma, partOfSpeech"),
        (LEMMA_FILE.replace('"18"', '"x"').replace('"4"', '"x"'), "numbers as tokenStart"),
        (LEMMA_FILE.replace("win.v.2", "win.v.1"), "win.v.1 comes twice"),
        (SENSEVAL_FILE.replace("become.v'", "x").replace('"become.v"', '"become"'), "lemma.pos"),
        (SENSEVAL_FILE.replace("head>", "b>"), "<context> with a <head>"),
        ("<instances>", "not well-formed"),
        ("<other/>", "holds no XML files with <instances>"),
    ],
)
def test_damaged_files(tmp_path: Path, content: str, message: str) -> None:
    put(tmp_path, "a.xml", content)
    with pytest.raises(InputError, match=message):
        read_semeval2013(tmp_path)


def test_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="name the folder of SemEval-2013"):
        read_semeval2013(tmp_path)
