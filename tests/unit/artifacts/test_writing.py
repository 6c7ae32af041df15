from __future__ import annotations

import errno
import hashlib
import os
import shutil

import numpy as np
import pytest

from damage import make_old
from grassmeans.artifacts import checking as checked
from grassmeans.artifacts import digests
from grassmeans.artifacts import writing as artifacts
from grassmeans.errors import ArtifactError, StorageError


@pytest.mark.parametrize(
    "array",
    [
        np.arange(12, dtype=np.int32).reshape(3, 4),
        np.empty((0, 5), np.float32),
        np.array([True, False]),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    ],
)
def test_arrays_round_trip(tmp_path, array) -> None:
    artifacts.write_array(tmp_path / "a.npy", array)
    loaded = checked.open_array(tmp_path / "a.npy", array.dtype, array.shape)
    assert loaded.dtype == array.dtype
    np.testing.assert_array_equal(loaded, array)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), array)


def test_arrays_of_objects_are_never_written_or_read(tmp_path) -> None:
    objects = np.array([{"a": 1}], dtype=object)
    with pytest.raises(TypeError, match="pickle"):
        artifacts.write_array(tmp_path / "a.npy", objects)
    np.save(tmp_path / "b.npy", objects, allow_pickle=True)
    with pytest.raises(ArtifactError):
        checked.open_array(tmp_path / "b.npy", object, (1,))


def _write_half(path) -> None:
    with artifacts.atomic_path(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path) -> None:
    path = tmp_path / "f.json"
    artifacts.write_json(path, {"old": True})
    with pytest.raises(RuntimeError):
        _write_half(path)
    assert checked.read_json(path) == {"old": True}
    assert os.listdir(tmp_path) == ["f.json"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_full_disk_says_what_to_do(tmp_path, code) -> None:
    with (
        pytest.raises(StorageError, match=r"full while writing .*start the same command again"),
        artifacts.atomic_path(tmp_path / "f"),
    ):
        raise OSError(code, os.strerror(code))


def test_no_permission_names_the_place(tmp_path) -> None:
    with (
        pytest.raises(StorageError, match="choose another place"),
        artifacts.explain_write_errors(tmp_path),
    ):
        raise OSError(errno.EACCES, "Permission denied")


def test_truncated_array_is_noticed(tmp_path) -> None:
    path = tmp_path / "a.npy"
    artifacts.write_array(path, np.zeros(1000))
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(ArtifactError, match="truncated or damaged"):
        checked.open_array(path, np.float64, (1000,))


def test_missing_and_broken_json(tmp_path) -> None:
    with pytest.raises(ArtifactError, match="is missing"):
        checked.read_json(tmp_path / "x.json")
    (tmp_path / "y.json").write_text('{"cut": ')
    with pytest.raises(ArtifactError, match="or damaged"):
        checked.read_json(tmp_path / "y.json")


def test_manifest_checks_kind_and_version(tmp_path) -> None:
    artifacts.write_manifest(tmp_path, "corpus", 3, {"n": 1})
    assert artifacts.read_manifest(tmp_path, "corpus", 3)["n"] == 1
    with pytest.raises(ArtifactError, match="holds a corpus, but a model"):
        artifacts.read_manifest(tmp_path, "model")
    with pytest.raises(ArtifactError, match="format version 3, this release reads version 4"):
        artifacts.read_manifest(tmp_path, "corpus", 4)


def test_folder_without_manifest_is_explained(tmp_path) -> None:
    with pytest.raises(ArtifactError, match=r"has no manifest\.json"):
        artifacts.read_manifest(tmp_path, "corpus")
    with pytest.raises(ArtifactError, match="there is no corpus at"):
        artifacts.read_manifest(tmp_path / "none", "corpus")


@pytest.mark.parametrize(
    "manifest",
    [
        "[1]",
        "{",
        "{}",
        '{"name": "My site", "icons": [], "start_url": "."}',
        '{"kind": "corpus", "format_version": 1}',
        '{"kind": 3, "format_version": 1, "grassmeans": "0.1.0"}',
    ],
)
def test_a_manifest_of_something_else_is_not_ours(tmp_path, manifest) -> None:
    (tmp_path / "manifest.json").write_text(manifest)
    assert artifacts.find_manifest(tmp_path) is None


def test_our_own_manifest_is_found(tmp_path) -> None:
    artifacts.write_manifest(tmp_path, "corpus", 1, {})
    assert artifacts.find_manifest(tmp_path)["kind"] == "corpus"
    assert artifacts.find_manifest(tmp_path / "nowhere") is None


@pytest.fixture
def pair(tmp_path):
    """Two artifacts of the same kind and names, each with another one inside."""
    for name in ("one", "two"):
        place = tmp_path / name
        (place / "inner").mkdir(parents=True)
        for path in (place / "a.txt", place / "inner" / "b.txt"):
            path.write_text(name)
        artifacts.write_manifest(place / "inner", "inner", 1, {"of": name})
        artifacts.write_manifest(place, "outer", 1, {"of": name})
    return tmp_path / "one", tmp_path / "two"


def test_a_manifest_holds_the_digests_of_what_belongs_to_it(pair) -> None:
    manifest = artifacts.read_manifest(pair[0])
    names = ("checksums.txt", "inner/manifest.json")
    parts = {name: hashlib.sha256((pair[0] / name).read_bytes()).hexdigest() for name in names}
    assert manifest["parts"] == parts
    again = {"holds": ["other"], "parts": {"other/manifest.json": ""}, "of": "one"}
    artifacts.write_manifest(pair[0], "outer", 1, again)
    assert artifacts.read_manifest(pair[0])["parts"] == parts


@pytest.mark.parametrize(
    ("part", "named"),
    [
        ("inner", "inner/manifest.json"),
        ("inner/manifest.json", "inner/manifest.json"),
        ("checksums.txt", "checksums.txt"),
        ("manifest.json", "checksums.txt"),
    ],
)
def test_a_part_of_another_artifact_is_noticed(pair, part, named) -> None:
    one, two = pair
    os.rename(one / part, one.parent / "away")
    os.rename(two / part, one / part)
    with pytest.raises(ArtifactError, match=f"{named} is not the one that .*one/manifest.json was"):
        artifacts.read_manifest(one)
    assert any(f"{one / named} is not the one" in told for told in digests.find_damage(one)[0])


def test_the_list_of_an_inner_artifact_is_bound_by_its_manifest(pair) -> None:
    one, two = pair
    os.replace(two / "inner" / "checksums.txt", one / "inner" / "checksums.txt")
    os.replace(two / "inner" / "b.txt", one / "inner" / "b.txt")
    artifacts.read_manifest(one)
    with pytest.raises(ArtifactError, match=r"inner/checksums\.txt is not the one"):
        artifacts.read_manifest(one / "inner")
    assert len(digests.find_damage(one)[0]) == 1


@pytest.mark.parametrize("name", ["a.txt", "inner/manifest.json", "checksums.txt"])
def test_a_part_that_is_missing_or_no_file_is_noticed_when_opening(pair, name) -> None:
    path = pair[0] / name
    path.unlink()
    with pytest.raises(ArtifactError, match=f"{name} is missing"):
        artifacts.read_manifest(pair[0])
    os.mkfifo(path)
    with pytest.raises(ArtifactError, match=f"{name} is no regular file"):
        artifacts.read_manifest(pair[0])


def test_earlier_releases_bound_nothing(pair) -> None:
    one, two = pair
    make_old(one)
    shutil.rmtree(one / "inner")
    os.rename(two / "inner", one / "inner")
    assert artifacts.read_manifest(one)["of"] == "one"


def test_a_manifest_that_is_no_file_is_not_ours(tmp_path) -> None:
    os.mkfifo(tmp_path / "manifest.json")
    assert artifacts.find_manifest(tmp_path) is None
    with pytest.raises(ArtifactError, match=r"manifest\.json is no regular file"):
        artifacts.read_manifest(tmp_path)


def test_threads_do_not_share_a_temporary_name(tmp_path) -> None:
    path = tmp_path / "f"
    with artifacts.atomic_path(path) as one, artifacts.atomic_path(path) as two:
        assert one != two
        one.write_text("1")
        two.write_text("2")
    assert os.listdir(tmp_path) == ["f"]


LARGE = (1 << 20) + 1


def test_a_file_that_is_shared_already_leaves_nothing_else(tmp_path) -> None:
    (tmp_path / "source.npy").write_bytes(b"x" * LARGE)
    (tmp_path / "other.npy").write_bytes(b"y" * LARGE)
    for source in ("source.npy", "source.npy", "other.npy"):
        artifacts.share_file(tmp_path / source, tmp_path / "target.npy")
        assert (tmp_path / "target.npy").samefile(tmp_path / source)
        found = sorted(p.name for p in tmp_path.iterdir())
        assert found == ["other.npy", "source.npy", "target.npy"]


@pytest.mark.parametrize(
    ("name", "size", "is_shared"),
    [("a.npy", LARGE, True), ("text.bin", LARGE, True), ("a.npy", LARGE - 1, False),
     ("words.txt", LARGE, False), ("words.json", LARGE, False)],
)  # fmt: skip
def test_only_large_arrays_are_shared_and_can_then_only_be_read(
    tmp_path, name, size, is_shared
) -> None:
    source, target = tmp_path / name, tmp_path / "new" / name
    source.write_bytes(b"x" * size)
    source.chmod(0o644)
    target.parent.mkdir()
    artifacts.share_file(source, target)
    assert target.read_bytes() == source.read_bytes()
    assert target.samefile(source) == is_shared
    modes = {path.stat().st_mode & 0o777 for path in (source, target)}
    assert modes == ({0o444} if is_shared else {0o644})
    artifacts.write_bytes(target, b"new")  # it is replaced all the same
    assert source.read_bytes() == b"x" * size


def test_a_file_on_another_disk_is_copied_and_stays_as_it_is(tmp_path, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    (tmp_path / "a.npy").write_bytes(b"x" * LARGE)
    (tmp_path / "a.npy").chmod(0o640)
    monkeypatch.setattr(os, "link", refuse)
    artifacts.share_file(tmp_path / "a.npy", tmp_path / "b.npy")
    assert (tmp_path / "b.npy").read_bytes() == b"x" * LARGE
    assert (tmp_path / "a.npy").stat().st_mode & 0o777 == 0o640


def test_digests_depend_on_values_not_on_order() -> None:
    assert artifacts.digest_of({"a": 1, "b": 2}) == artifacts.digest_of({"b": 2, "a": 1})
    assert artifacts.digest_of({"a": 1}) != artifacts.digest_of({"a": 2})


def test_files_of_the_same_name_are_told_apart(tmp_path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one")
    os.utime(path, ns=(0, 0))
    first = artifacts.identify_file(path)
    assert (first["name"], first["size"], first["time"]) == ("a.txt", 3, 0)
    assert artifacts.identify_file(path) == first
    path.write_text("two")
    os.utime(path, ns=(0, 0))
    assert artifacts.identify_file(path) != first
    os.mkfifo(tmp_path / "pipe")
    assert "head" not in artifacts.identify_file(
        tmp_path / "pipe"
    )  # and it is not opened: that would wait
