from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from grassmeans.errors import ArtifactError, InputError
from grassmeans.vectors.storage import write_compact_folder
from grassmeans.vectors.word_vectors import WordVectors


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    matrix = np.array([[7.5, -7.5, 0.2], [15.0, 1.0, -9.0]])
    vectors = WordVectors(["harbour", "beam"], matrix, [2**31, 3])
    write_compact_folder(vectors, tmp_path / "small", bits=4, extra={"window": 5})
    return tmp_path / "small"


def change_manifest(folder: Path, **changes: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_opens_as_float32(folder: Path) -> None:
    loaded = WordVectors.load(folder)

    # scale 1 and 2: levels -7.5, -6.5, ... and -15, -13, ...
    assert loaded.vectors.dtype == np.float32
    assert loaded.vectors.tolist() == [[7.5, -7.5, 0.5], [15.0, 1.0, -9.0]]
    assert loaded.words == ["harbour", "beam"]
    assert loaded.counts is not None
    assert loaded.counts.tolist() == [2**31, 3]
    assert loaded.manifest["window"] == 5
    assert loaded.output is None


def test_takes_a_byte_for_two_numbers(folder: Path) -> None:
    assert np.load(folder / "codes.npy").nbytes == 4  # two rows of three codes, padded
    assert np.load(folder / "counts.npy").dtype == np.uint32


def test_workers_open_the_folder_again(folder: Path) -> None:
    copy = pickle.loads(pickle.dumps(WordVectors.load(folder)))

    assert copy.folder == folder
    assert copy.vectors.tolist() == WordVectors.load(folder).vectors.tolist()


def test_another_format_version(folder: Path) -> None:
    change_manifest(folder, format_version=3)

    with pytest.raises(ArtifactError, match="has format version 3, this release reads version 2"):
        WordVectors.load(folder)


@pytest.mark.parametrize("name", ["codes.npy", "scales.npy"])
def test_cut_files(folder: Path, name: str) -> None:
    path = folder / name
    path.write_bytes(path.read_bytes()[:-1])

    with pytest.raises(ArtifactError, match=rf"{name} is truncated or damaged"):
        WordVectors.load(folder)


def test_changed_numbers(folder: Path) -> None:
    path = folder / "codes.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)

    with pytest.raises(ArtifactError, match="are not those that its manifest names"):
        WordVectors.load(folder)


def test_other_shape(folder: Path) -> None:
    np.save(folder / "codes.npy", np.zeros((2, 3), np.uint8))

    with pytest.raises(ArtifactError, match=r"of shape \(2, 3\), expected uint8 of shape \(2, 2\)"):
        WordVectors.load(folder)


@pytest.mark.parametrize("about", [{}, {"bits": "four"}, {"bits": 5, "digest": ""}, None])
def test_damaged_manifest(folder: Path, about: object) -> None:
    change_manifest(folder, quantised=about)

    with pytest.raises(ArtifactError, match="build the folder again"):
        WordVectors.load(folder)


def test_fields_of_its_own_are_not_taken(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="may not be named quantised"):
        write_compact_folder(WordVectors(["a"], [[1.0]]), tmp_path / "v", extra={"quantised": 1})
