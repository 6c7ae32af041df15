from __future__ import annotations

import hashlib

import pytest

from grassmeans.errors import InputError
from grassmeans_lab.experiments.own_files import OwnFiles


def test_own_files_are_written_anew_and_those_of_others_are_not(tmp_path) -> None:
    own = OwnFiles(tmp_path)
    own.write("a.txt", b"one")
    own.write("a.txt", b"two")
    digest = hashlib.sha256(b"two").hexdigest()
    assert f"{digest}  a.txt\n" in (tmp_path / "written.txt").read_text()
    OwnFiles(tmp_path).write("a.txt", b"three")  # of an earlier run
    (tmp_path / "a.txt").write_bytes(b"mine")
    (tmp_path / "b.txt").write_bytes(b"mine")
    for name in ("a.txt", "b.txt"):
        with pytest.raises(InputError, match=rf"{name} was not written by this command"):
            OwnFiles(tmp_path).write(name, b"four")
        assert (tmp_path / name).read_bytes() == b"mine"
        OwnFiles(tmp_path, overwrite=True).write(name, b"four")
        assert (tmp_path / name).read_bytes() == b"four"


@pytest.mark.parametrize("stored", [b"old", b"new"])
def test_a_run_killed_around_the_writing_of_a_file_knows_it_again(tmp_path, stored) -> None:
    own = OwnFiles(tmp_path)
    own.write("a.txt", b"old")
    own.write("a.txt", b"new")
    (tmp_path / "a.txt").write_bytes(stored)  # the list has both until the next is written
    OwnFiles(tmp_path).write("a.txt", b"newer")
    assert (tmp_path / "a.txt").read_bytes() == b"newer"


def test_a_list_of_someone_else_is_kept(tmp_path) -> None:
    (tmp_path / "written.txt").write_text("what I have written: nothing\n")
    with pytest.raises(InputError, match=r"written\.txt is no list of this command"):
        OwnFiles(tmp_path)
    assert (tmp_path / "written.txt").read_text() == "what I have written: nothing\n"
