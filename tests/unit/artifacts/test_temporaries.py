from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from grassmeans.artifacts.temporaries import temporary_folder

HOLD = """
import sys, time
from pathlib import Path
from grassmeans.artifacts.temporaries import temporary_folder
with temporary_folder(Path(sys.argv[1])) as folder:
    (folder / "half").write_text("written")
    print(folder, flush=True)
    time.sleep(600)
"""


def test_a_folder_is_there_for_the_block(tmp_path: Path) -> None:
    with temporary_folder(tmp_path) as folder:
        assert folder.is_relative_to(tmp_path)
        assert list(folder.iterdir()) == []
    with pytest.raises(KeyError), temporary_folder(tmp_path):
        raise KeyError
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_goes_with_the_next_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / ".grassmeans-mine").mkdir()
    (tmp_path / ".grassmeans-mine" / "note").write_text("kept")
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        with temporary_folder(tmp_path):
            assert (folder / "half").read_text() == "written", "its process is alive"
        process.kill()
    assert folder.exists()
    with temporary_folder(tmp_path):
        assert not folder.parent.exists()
    assert [path.name for path in tmp_path.iterdir()] == [".grassmeans-mine"]
