from __future__ import annotations

import os

import pytest

from grassmeans.errors import InputError, StorageError
from grassmeans_explorer.journals import Journal, read_lines


def open_journal(path) -> Journal:
    journal = Journal(path, {"kind": "test"}, "test.lock", "process {process} has it")
    journal._begin(read_lines(path)[0] if path.exists() else 0)
    return journal


def test_lines_are_on_the_disk_and_one_without_an_end_is_cut_off(tmp_path):
    path = tmp_path / "a.jsonl"
    journal = open_journal(path)
    journal.append({"word": "ü"})
    with path.open("ab") as file:
        file.write(b'{"word": "half')
    size, lines = read_lines(path)
    assert lines == [{"kind": "test"}, {"word": "ü"}]
    journal._let_go()
    again = open_journal(path)
    assert path.stat().st_size == size
    again.append({"word": "b"})
    assert read_lines(path)[1][1:] == [{"word": "ü"}, {"word": "b"}]
    again._let_go()


def test_a_second_process_is_refused(tmp_path):
    journal = open_journal(tmp_path / "a.jsonl")
    with pytest.raises(InputError, match=f"process {os.getpid()} has it"):
        open_journal(tmp_path / "a.jsonl")
    journal._let_go()
    open_journal(tmp_path / "a.jsonl")._let_go()
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_what_cannot_be_written_is_not_there_in_half(tmp_path, monkeypatch):
    journal = open_journal(tmp_path / "a.jsonl")
    before = journal.path.read_bytes()

    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StorageError, match="full"):
        journal.append({"word": "a"})
    assert journal.path.read_bytes() == before
    monkeypatch.undo()
    journal._let_go()
    with pytest.raises(StorageError, match="stopping"):
        journal.append({"word": "a"})


def test_a_file_that_cannot_be_used_is_set_aside(tmp_path):
    journal = open_journal(tmp_path / "a.jsonl")
    for number in (1, 2):
        journal.append({"number": number})
        journal.set_aside("it is odd: build the folder again")
        kept = tmp_path / f"a.jsonl.damaged-{number}"
        assert read_lines(kept)[1][-1] == {"number": number}
        assert journal.remarks[-1] == f"a draft cannot be used: it is odd; it is kept as {kept}"
    assert read_lines(journal.path)[1] == [{"kind": "test"}]
    journal._let_go()
