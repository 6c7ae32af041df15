from __future__ import annotations

import sys
from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.outputs.addresses import is_address, list_files, move_files

fsspec = pytest.importorskip("fsspec", reason="needs the extra storage")


def test_addresses_are_told_from_paths() -> None:
    assert is_address("s3://bucket/file.bz2")
    assert is_address("simplecache::https://host/file")
    assert not any(map(is_address, ["corpus", "C:\\texts", "/a/b:c", Path("s3://x"), "http:"]))


def test_addresses_without_files_are_told(store) -> None:
    with pytest.raises(InputError, match="there is no file at memory://nothing/x"):
        list_files("memory://nothing/x")
    with pytest.raises(InputError, match=r"nonsense://x cannot be (opened|reached): .*nonsense"):
        list_files("nonsense://x")


@pytest.mark.parametrize(("protocol", "package"), [("gs", "gcsfs"), ("az", "adlfs")])
def test_the_package_of_a_store_is_named_if_missing(protocol, package, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=f"{protocol}://bucket/x cannot be opened: .*{package}"):
        list_files(f"{protocol}://bucket/x")


def test_every_file_is_moved_once_some_at_a_time(tmp_path) -> None:
    tasks = [(tmp_path, f"{i:03}") for i in range(300)]
    assert list(move_files(leave, tasks, 1)) == [64, 64, 64, 64, 44]
    assert sorted(path.read_text() for path in tmp_path.iterdir()) == ["x"] * 300
    assert list(move_files(leave, tasks[:3], 1)) == [1, 1, 1]
    assert list(move_files(leave, [], 1)) == []


def leave(folder: Path, name: str) -> None:
    with (folder / name).open("a") as file:
        file.write("x")
