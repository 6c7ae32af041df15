"""Judgments on disk: nothing is lost, whoever writes at the same time."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from grassmeans.errors import ArtifactError
from grassmeans_explorer.annotation.judgments import Judgment, JudgmentFile, name_file


def test_judgments_are_added_and_read(tmp_path):
    file = JudgmentFile(tmp_path / "judgments", "Ann")
    assert file.read() == []
    file.append([Judgment("u1", "1"), Judgment("u2", "2", 'says "no"\n')])
    file.append([Judgment("u1", "2")])
    found = file.read()
    assert [(one.item, one.label) for one in found] == [("u1", "1"), ("u2", "2"), ("u1", "2")]
    assert found[1].comment == 'says "no"\n'
    assert all(one.at for one in found)


def test_a_line_without_an_end_was_never_answered(tmp_path):
    file = JudgmentFile(tmp_path, "Ann")
    file.append([Judgment("u1", "1")])
    with file.path.open("ab") as damaged:
        damaged.write(b'{"item": "u2", "la')
    assert [one.item for one in file.read()] == ["u1"]
    file.append([Judgment("u3", "1")])
    assert [one.item for one in file.read()] == ["u1", "u3"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no bound on the size of files")
def test_on_a_full_disk_all_judgments_of_a_step_are_refused(tmp_path):
    file = JudgmentFile(tmp_path, "Ann")
    file.append([Judgment("u1", "1")])
    before = file.path.read_bytes()
    program = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from grassmeans_explorer.annotation.judgments import Judgment, JudgmentFile\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "most = int(sys.argv[2]); resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))\n"
        "JudgmentFile(Path(sys.argv[1]), 'Ann').append([Judgment(f'v{i}', '1') for i in range(40)])"
    )
    arguments = [sys.executable, "-c", program, str(tmp_path), str(len(before) + 300)]
    found = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert (found.returncode, "is full" in found.stderr) == (1, True), found.stderr
    assert file.path.read_bytes() == before


def test_two_at_the_same_time_lose_nothing(tmp_path):
    def judge(number: int) -> None:
        JudgmentFile(tmp_path, "Ann").append([Judgment(f"u{number}", "1")])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(judge, range(100)))
    found = JudgmentFile(tmp_path, "Ann").read()
    assert sorted(one.item for one in found) == sorted(f"u{i}" for i in range(100))


def test_two_processes_lose_nothing(tmp_path):
    program = (
        "import sys; from pathlib import Path\n"
        "from grassmeans_explorer.annotation.judgments import Judgment, JudgmentFile\n"
        "file = JudgmentFile(Path(sys.argv[1]), 'Ann')\n"
        "for i in range(40): file.append([Judgment(f'{sys.argv[2]}-{i}', '1')])\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path), name]) for name in "ab"
    ]
    assert [process.wait(60) for process in running] == [0, 0]
    found = {one.item for one in JudgmentFile(tmp_path, "Ann").read()}
    assert found == {f"{name}-{i}" for name in "ab" for i in range(40)}


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "CON", ".", "Ünï 🐦", "x" * 200])
def test_names_of_people_are_no_paths(tmp_path, name):
    file = JudgmentFile(tmp_path / "judgments", name)
    file.append([Judgment("u1", "1")])
    assert file.path.parent == tmp_path / "judgments"
    assert len(name_file(name)) < 70
    assert JudgmentFile(tmp_path / "judgments", name).read()[0].item == "u1"


def test_names_that_look_alike_have_files_of_their_own(tmp_path):
    assert name_file("a b") != name_file("a/b") != name_file("a_b")


def test_what_is_no_file_of_judgments_is_told(tmp_path):
    file = JudgmentFile(tmp_path, "Ann")
    for content in (b"{}\n", b"nothing\n", b'{"kind": "judgments"}\n'):
        file.path.write_bytes(content)
        with pytest.raises(ArtifactError):
            file.read()
    other = JudgmentFile(tmp_path, "Bo")
    other.append([Judgment("u1", "1")])
    file.path.write_bytes(other.path.read_bytes())
    with pytest.raises(ArtifactError, match="Ann"):
        file.read()
