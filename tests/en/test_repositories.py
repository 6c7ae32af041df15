from __future__ import annotations

import subprocess

import pytest
from english_texts.repositories import RepositoryError, decode_text, read_files


def test_wanted_files_come_in_the_order_of_their_paths(make_repository):
    folder = make_repository({"b.txt": "two\n", "a/é.txt": "one", "c.md": "no"})
    found = list(read_files(folder, lambda path: path.endswith(".txt")))
    assert found == [("a/é.txt", b"one"), ("b.txt", b"two\n")]


def test_a_bare_repository_reads_as_its_clone_does(make_repository, tmp_path):
    folder = make_repository({"a.txt": "one"})
    bare = tmp_path / "bare"
    subprocess.run(["git", "clone", "-q", "--bare", str(folder), str(bare)], check=True)
    assert list(read_files(bare, lambda path: True)) == [("a.txt", b"one")]


def test_a_file_whose_content_is_absent_is_left_out(make_repository):
    folder = make_repository({"a.txt": "one", "b.txt": "two"})
    name = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "HEAD:a.txt"], capture_output=True, check=True
    ).stdout.decode()
    (folder / ".git" / "objects" / name[:2] / name[2:].strip()).unlink()
    assert list(read_files(folder, lambda path: True)) == [("b.txt", b"two")]


def test_reading_may_stop_early(make_repository):
    folder = make_repository({f"{number}.txt": "x" * 100_000 for number in range(9)})
    files = read_files(folder, lambda path: True)
    assert next(files)[0] == "0.txt"
    files.close()
    assert list(files) == []


def test_a_folder_that_is_no_repository_is_named(tmp_path):
    with pytest.raises(RepositoryError, match="is not a git repository"):
        list(read_files(tmp_path, lambda path: True))


def test_text_is_utf_8_or_else_windows_1252():
    assert decode_text("\ufeffcafé".encode()) == "café"
    assert decode_text("“café”".encode("cp1252")) == "“café”"
