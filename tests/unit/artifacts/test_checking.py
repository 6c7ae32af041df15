from __future__ import annotations

import hashlib
import os
import shutil

import numpy as np
import pytest

from damage import make_old
from grassmeans.artifacts import checking as checked
from grassmeans.artifacts import digests
from grassmeans.artifacts.writing import read_manifest, write_array, write_bytes, write_manifest
from grassmeans.errors import ArtifactError


@pytest.fixture
def array(tmp_path):
    path = tmp_path / "a.npy"
    write_array(path, np.arange(6, dtype=np.int32).reshape(2, 3))
    return path


@pytest.mark.parametrize("mapped", [True, False])
def test_arrays_of_the_expected_type_and_shape_are_opened(array, mapped) -> None:
    opened = checked.open_array(array, (np.int64, np.int32), (2, None), mapped=mapped)
    assert opened.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert opened.flags.writeable is not mapped


@pytest.mark.parametrize(
    ("dtype", "shape"),
    [
        (np.int64, (2, 3)),
        (np.float32, (2, 3)),
        (np.int32, (3, 2)),
        (np.int32, (6,)),
        (">i4", (2, 3)),
    ],
)
def test_other_types_and_shapes_are_refused(array, dtype, shape) -> None:
    with pytest.raises(ArtifactError, match=r"a\.npy .*holds int32 of shape \(2, 3\), expected"):
        checked.open_array(array, dtype, shape)


@pytest.mark.parametrize("change", [lambda c: c[:-1], lambda c: c + b"\0", lambda c: c[:40]])
def test_a_file_of_another_size_than_its_header_says_is_refused(array, change) -> None:
    array.write_bytes(change(array.read_bytes()))
    with pytest.raises(ArtifactError, match=r"a\.npy is truncated or damaged"):
        checked.open_array(array, np.int32, (2, 3))


def test_columns_that_lie_one_after_the_other_are_refused(tmp_path) -> None:
    np.save(tmp_path / "a.npy", np.asfortranarray(np.zeros((2, 3))))
    with pytest.raises(ArtifactError, match="columns"):
        checked.open_array(tmp_path / "a.npy", np.float64, (2, 3))


def test_offsets_go_from_zero_to_the_end(tmp_path) -> None:
    path = tmp_path / "o.npy"
    checked.check_offsets(path, np.array([0, 2, 2, 5]), 5)
    for wrong in ([], [1, 5], [0, 4], [0, 3, 2, 5]):
        with pytest.raises(ArtifactError, match=r"o\.npy .*offsets"):
            checked.check_offsets(path, np.array(wrong, np.int64), 5)


def test_numbers_lie_in_their_range_and_rise(tmp_path) -> None:
    checked.check_range(tmp_path, np.array([-1, 4]), -1, 5)
    checked.check_range(tmp_path, np.empty(0), 0, 0)
    checked.check_rising(tmp_path, np.array([1, 2, 4]))
    with pytest.raises(ArtifactError, match="not from -1 to 3"):
        checked.check_range(tmp_path, np.array([-1, 4]), -1, 4)
    with pytest.raises(ArtifactError, match="rising order"):
        checked.check_rising(tmp_path, np.array([1, 2, 2]))


@pytest.fixture
def folder(tmp_path):
    """An artifact with a file below it, and another artifact inside it."""
    place = tmp_path / "thing"
    (place / "deep" / "er").mkdir(parents=True)
    (place / "inner").mkdir()
    write_bytes(place / "deep" / "er" / "f.txt", b"abc")
    write_bytes(place / "inner" / "g.txt", b"g")
    write_manifest(place / "inner", "inner", 1, {})
    write_manifest(place, "thing", 1, {})
    return place


def test_the_list_names_all_files_but_those_of_inner_artifacts(folder) -> None:
    digest = hashlib.sha256(b"abc").hexdigest()
    assert (folder / "checksums.txt").read_text() == f"{digest}  deep/er/f.txt\n"
    assert digests.find_damage(folder) == ([], 2, 0)


def test_files_are_compared_with_the_list_when_they_are_read(folder) -> None:
    path = folder / "deep" / "er" / "f.txt"
    assert checked.read_bytes(path) == b"abc"
    path.write_bytes(b"abd")
    for read in (checked.read_bytes, checked.read_text, checked.map_bytes):
        with pytest.raises(ArtifactError, match=r"f\.txt .*not what was written"):
            read(path)
    assert digests.find_damage(folder)[0] == [f"{path} is not what was written"]
    path.unlink()
    assert digests.find_damage(folder)[0] == [f"{path} is missing"]


def test_a_deleted_inner_artifact_is_noticed(folder) -> None:
    write_manifest(folder, "thing", 1, {"holds": ["of another folder"]})
    assert checked.read_json(folder / "manifest.json")["holds"] == ["inner"]
    shutil.rmtree(folder / "inner")
    assert digests.find_damage(folder) == ([f"{folder / 'inner/manifest.json'} is missing"], 1, 0)
    write_manifest(folder, "thing", 1, {})
    assert digests.find_damage(folder) == ([], 1, 0)


def test_large_mapped_files_are_left_to_verifying(folder, monkeypatch) -> None:
    monkeypatch.setattr(checked, "SMALL_BYTES", 2)
    path = folder / "deep" / "er" / "f.txt"
    path.write_bytes(b"abd")
    assert bytes(checked.map_bytes(path)) == b"abd"


def test_an_artifact_without_a_list_is_read(folder) -> None:
    make_old(folder)
    (folder / "deep" / "er" / "f.txt").write_bytes(b"abd")
    assert checked.read_bytes(folder / "deep" / "er" / "f.txt") == b"abd"
    assert read_manifest(folder)["holds"] == ["inner"]
    assert digests.find_damage(folder) == ([], 0, 2)


def test_a_damaged_list_is_named(folder) -> None:
    (folder / "checksums.txt").write_text("short  deep/er/f.txt\n")
    with pytest.raises(ArtifactError, match=r"checksums\.txt is truncated or damaged"):
        checked.read_bytes(folder / "deep" / "er" / "f.txt")


@pytest.mark.parametrize("content", [b"{", b"\xff", b"[" * 100_000, b"1" * 5000])
def test_json_that_cannot_be_read_names_its_file(tmp_path, content) -> None:
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(ArtifactError, match=r"x\.json is truncated or damaged"):
        checked.read_json(tmp_path / "x.json")


@pytest.mark.parametrize("depth", [100, 101, 900])
def test_json_may_be_nested_a_hundred_times(tmp_path, depth) -> None:
    (tmp_path / "x.json").write_text('{"a": [' * (depth // 2) + "[" * (depth % 2) + "1")
    with (tmp_path / "x.json").open("a") as file:
        file.write("]" * (depth % 2) + "]}" * (depth // 2))
    if depth == 100:
        assert list(checked.read_json(tmp_path / "x.json")) == ["a"]
        return
    with pytest.raises(ArtifactError, match="nested more than 100 times"):
        checked.read_json(tmp_path / "x.json")


READERS = [
    checked.read_bytes,
    checked.read_text,
    checked.read_json,
    checked.map_bytes,
    digests.digest_of_file,
    lambda path: checked.open_array(path, np.int32, (None,)),
    lambda path: checked.open_array(path, np.int32, (None,), mapped=False),
]


@pytest.mark.parametrize("read", READERS)
def test_only_regular_files_are_read(tmp_path, read) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to("loop")
    for name, message in {
        "pipe": "is no regular file",
        "endless": "is no regular file",
        "loop": "cannot be read",
    }.items():
        with pytest.raises(ArtifactError, match=f"{name} {message}"):
            read(tmp_path / name)


def test_files_that_are_read_whole_have_a_largest_size(tmp_path) -> None:
    for name in ("x.json", "checksums.txt"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(checked.LARGEST_JSON + 1)
        with pytest.raises(ArtifactError, match=f"{name}.*268,435,457 bytes, more than"):
            checked.read_json(tmp_path / "x.json")
        (tmp_path / "x.json").write_text("{}")
    with (tmp_path / "a.npy").open("wb") as file:
        file.truncate(checked.LARGEST_WHOLE + 1)
    with pytest.raises(ArtifactError, match=r"a\.npy.*8,589,934,593 bytes, more than"):
        checked.read_bytes(tmp_path / "a.npy")


def test_a_file_that_not_all_have_is_asked_of_the_list(folder) -> None:
    there, other = folder / "deep" / "er" / "f.txt", folder / "deep" / "other.txt"
    other.write_text("of somebody else")
    assert (checked.has_file(there), checked.has_file(other)) == (True, False)
    there.unlink()
    assert checked.has_file(there)  # and reading it says that it is missing
    make_old(folder)
    assert (checked.has_file(there), checked.has_file(other)) == (False, True)


@pytest.mark.parametrize("name", ["../x", "/x", "a//x", "a/./x", "", "C:x", "a\\x", "a\0", "a::b"])
def test_a_list_names_files_below_it(folder, name) -> None:
    (folder / "checksums.txt").write_text(f"{'0' * 64}  {name}\n")
    with pytest.raises(ArtifactError, match=r"checksums\.txt is truncated or damaged"):
        checked.read_bytes(folder / "deep" / "er" / "f.txt")


def test_a_name_that_no_file_can_have_is_none() -> None:
    assert not checked.is_plain_name("half a letter: \ud800")
    assert checked.is_plain_name("any bytes: caf\udce9")  # as Python spells those of a disk


def test_a_folder_in_place_of_a_file_is_named(tmp_path) -> None:
    (tmp_path / "a.npy").mkdir()
    with pytest.raises(ArtifactError, match=r"a\.npy cannot be read"):
        checked.open_array(tmp_path / "a.npy", np.int32, (1,))
    with pytest.raises(ArtifactError, match=r"b\.npy is missing"):
        checked.open_array(tmp_path / "b.npy", np.int32, (1,))
