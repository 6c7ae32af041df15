"""Every command of the explorer once, for real and in short, like the core's."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request
import xml.etree.ElementTree as ET

import pytest

from command_line import CommandLine, find_commands, without_test
from grassmeans import load
from grassmeans_explorer.editing.edited_words import Edit, EditedWord
from grassmeans_explorer.editing.saving import save_version

PANEL = "The explorer"


@pytest.fixture
def grassmeans(capsys) -> CommandLine:
    return CommandLine(capsys)


def test_every_command_has_a_test() -> None:
    ours = [name for name, panel in find_commands().items() if panel == PANEL]
    assert ours == ["explore", "serve", "merge", "entries"]
    assert without_test(ours, globals()) == []


def ask_server(*arguments: object) -> int:
    """Start a server, ask it for a word, interrupt it; its exit code."""
    # Where tests run in the background of a shell, interrupts are ignored.
    program = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    program += "from grassmeans.cli.main import run; run()"
    command = [sys.executable, "-u", "-c", program, *map(str, arguments), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            said = iter(process.stdout or ())
            address = next(filter(None, (re.search(r"http://\S+", line) for line in said)))[0]
            with urllib.request.urlopen(f"{address}api/words/crane") as answer:
                assert json.load(answer)["word"] == "crane"
            process.send_signal(signal.SIGINT)
            return process.wait(60)
        finally:
            process.kill()


def test_explore(topic_model_folder, tmp_path) -> None:
    folder = tmp_path / "annotations"
    wanted = ("explore", topic_model_folder, "--no-browser", "--annotation", folder)
    assert ask_server(*wanted) == 130


def test_serve(topic_model_folder) -> None:
    assert ask_server("serve", topic_model_folder, "--processes", 1) == 0


def test_merge(grassmeans, topic_model_folder, tmp_path) -> None:
    load(topic_model_folder).save(tmp_path / "model")
    model = load(tmp_path / "model")
    for name, word in (("mine", "crane"), ("theirs", "bank")):
        hidden = EditedWord.start(model, word).apply(Edit(word, "hide", (1,)), model.vectors)
        save_version(model, {word: hidden}, name=name)
    out = tmp_path / "both"
    grassmeans.line("merge", tmp_path / "mine", tmp_path / "theirs", "-o", out)
    merged = load(out)
    hidden = [[sense.hidden for sense in merged.senses(w).senses] for w in ("crane", "bank")]
    assert hidden == [[True, False], [True, False]]


def test_entries(grassmeans, topic_model_folder, tmp_path) -> None:
    output = tmp_path / "lexicon.tei.xml"
    given = ("entries", topic_model_folder, "--word", "crane", "--proposals", "-o", output)
    assert grassmeans.line(*given)["n_entries"] == 1
    assert ET.parse(output).getroot().tag == "{http://www.tei-c.org/ns/1.0}TEI"
