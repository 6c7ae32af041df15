from __future__ import annotations

import sys
from pathlib import Path

import pytest

from grassmeans.errors import InputError, MissingExtraError
from grassmeans.outputs.addresses import (
    fetch_file,
    find_files,
    is_address,
    list_below,
    move_files,
    names_in,
    open_store,
    remove_files,
)

fsspec = pytest.importorskip("fsspec", reason="needs the extra storage")


def test_addresses_are_told_from_paths() -> None:
    assert is_address("s3://bucket/file.bz2")
    assert is_address("simplecache::https://host/file")
    assert not any(map(is_address, ["corpus", "C:\\texts", "/a/b:c", Path("s3://x"), "http:"]))


def test_addresses_without_files_are_told(store) -> None:
    with pytest.raises(InputError, match="there is nothing at memory://nothing/x"):
        find_files("memory://nothing/x")
    with pytest.raises(InputError, match=r"nonsense://x cannot be (opened|reached): .*nonsense"):
        find_files("nonsense://x")


@pytest.mark.parametrize(
    ("protocol", "package"), [("s3", "s3fs"), ("gs", "gcsfs"), ("gcs", "gcsfs"), ("az", "adlfs")]
)
def test_the_extra_of_a_store_is_named_if_missing(protocol, package, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    opened = sys.modules["fsspec.registry"]._registry  # by earlier tests
    monkeypatch.delitem(opened, protocol, raising=False)
    extra = protocol.replace("gcs", "gs")
    told = rf"reading {protocol}://bucket/x needs .*{package}.* 'grassmeans\[{extra}\]'"
    with pytest.raises(MissingExtraError, match=told):
        find_files(f"{protocol}://bucket/x")


class NoCredentialsError(Exception):
    """As botocore's."""


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (NoCredentialsError("none"), r"needs credentials \(none\): set AWS_ACCESS_KEY_ID and"),
        (PermissionError("Access Denied"), r"may not be read or written \(Access Denied\): check"),
        (OSError("two\nlines"), "cannot be reached: two lines"),
        (TimeoutError(), "cannot be reached: TimeoutError"),
        (FileNotFoundError("x"), "there is no bucket 'bucket' for s3://bucket/x: check"),
    ],
)
def test_errors_of_stores_are_one_line(error, told, store, monkeypatch) -> None:
    monkeypatch.setattr(fsspec.core, "url_to_fs", lambda address: (store, "bucket/x"))
    with pytest.raises(InputError, match=told), open_store("s3://bucket/x"):
        raise error


def test_a_list_tells_what_fetching_needs(store) -> None:
    store.pipe_file("/bucket/a.txt", b"four")
    (first,) = find_files("memory://bucket/a.txt")
    assert (first.address, first.n_bytes) == ("memory:///bucket/a.txt", 4)
    assert find_files("memory://bucket/a.txt") == [first]
    for place in ("memory://bucket", "memory://bucket/*.txt"):
        assert [(f.address, f.n_bytes) for f in find_files(place)] == [(first.address, 4)]
    store.pipe_file("/bucket/a.txt", b"five")
    assert find_files("memory://bucket/a.txt")[0].state != first.state


def test_marks_of_folders_are_no_files(store) -> None:
    store.pipe_file("/bucket/a.txt", b"x")
    store.pipe_file("/bucket/empty", b"")
    store.store["/bucket/sub/"] = store.store.pop("/bucket/empty")
    assert [*list_below(store, "/bucket")] == ["/bucket/a.txt"]
    store.store["/bucket/sub/"] = store.store["/bucket/a.txt"]
    with pytest.raises(InputError, match="no name of a file below it"):
        find_files("memory://bucket")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a\x1b[2Jb", r"holds '/b/a\\x1b\[2Jb', with control characters: rename it"),
        ("a\tb", "control characters"),
        (
            "x/" + "\u00fc" * 128 + "/y",
            r"more than 255 bytes, which no disk takes \(x/\u00fc+\.\.\.\)",
        ),
    ],
)
def test_names_that_no_disk_or_terminal_bears_are_refused(name, told) -> None:
    with pytest.raises(InputError, match=told):
        names_in("/b", [f"/b/{name}"], "memory://b")
    assert names_in("/b", ["/b/" + "a" * 255], "memory://b") == ["a" * 255]


def test_a_file_is_fetched_once_and_whole(store, tmp_path) -> None:
    store.pipe_file("/bucket/a.txt", b"four")
    target = tmp_path / "new" / "a.txt"
    with pytest.raises(InputError, match="ended early, or was changed meanwhile: start again"):
        fetch_file("memory://bucket/a.txt", target, 5)
    assert not target.exists()
    fetch_file("memory://bucket/a.txt", target, 4)
    store.pipe_file("/bucket/a.txt", b"five")
    fetch_file("memory://bucket/a.txt", target, 4)  # it is there: nobody is asked
    assert target.read_bytes() == b"four"
    fetch_file("memory://bucket/a.txt", target)
    assert target.read_bytes() == b"five"


class Keys:
    """A store of keys that notes what is deleted, and how."""

    async_impl = True

    def __init__(self) -> None:
        self.together: list[list[str]] = []
        self.alone: list[str] = []

    def rm(self, paths: list[str]) -> None:
        self.together.append(paths)

    def rm_file(self, path: str) -> None:
        self.alone.append(path)


def test_many_files_are_deleted_at_once_but_for_what_looks_like_a_pattern() -> None:
    keys = Keys()
    remove_files(keys, ["b/x", "b/a*", "b/y", "b/a[1]"])
    assert (keys.together, keys.alone) == ([["b/x", "b/y"]], ["b/a*", "b/a[1]"])
    remove_files(keys, [])
    assert len(keys.together) == 1


def test_every_file_is_moved_once_some_at_a_time(tmp_path) -> None:
    tasks = [(tmp_path, f"{i:03}") for i in range(300)]
    assert list(move_files(leave, tasks, 1)) == [64, 64, 64, 64, 44]
    assert sorted(path.read_text() for path in tmp_path.iterdir()) == ["x"] * 300
    assert list(move_files(leave, tasks[:3], 1)) == [1, 1, 1]
    assert list(move_files(leave, [], 1)) == []


def leave(folder: Path, name: str) -> None:
    with (folder / name).open("a") as file:
        file.write("x")
