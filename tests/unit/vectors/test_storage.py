from __future__ import annotations

import json
import pickle
import time
from pathlib import Path

import numpy as np
import pytest

from damage import edit_manifest, make_old
from grassmeans.errors import ArtifactError, InputError
from grassmeans.vectors.storage import decode_words, encode_words
from grassmeans.vectors.word_vectors import WordVectors

WORDS = ["plain", "two words", "back\\slash", "line\nbreak", "carriage\rreturn", "", "naïve", "\\n"]


@pytest.fixture
def vectors() -> WordVectors:
    matrix = np.arange(len(WORDS) * 3, dtype=np.float32).reshape(-1, 3)
    return WordVectors(WORDS, matrix, np.arange(len(WORDS)))


def is_mapped(array: np.ndarray | None) -> bool:
    while array is not None and not isinstance(array, np.memmap):
        array = array.base
    return array is not None


def test_words_file_is_one_word_a_line() -> None:
    assert encode_words(["a", "b c"]) == b"a\nb c\n"
    assert encode_words(["a\nb", "\\n"]) == b"a\\nb\n\\\\n\n"
    assert encode_words([]) == b""
    assert encode_words([""]) == b"\n"
    assert decode_words(b"a\\nb\n\\\\n\n") == ["a\nb", "\\n"]
    assert decode_words(b"") == []


def test_everything_comes_back_mapped(vectors: WordVectors, tmp_path: Path) -> None:
    output = np.full((len(WORDS), 3), 0.5, dtype=np.float64)
    vectors.save(tmp_path / "v", extra={"window": 5}, output=output)

    loaded = WordVectors.load(tmp_path / "v")

    assert loaded.words == WORDS
    np.testing.assert_array_equal(loaded.vectors, vectors.vectors)
    np.testing.assert_array_equal(loaded.counts, vectors.counts)
    np.testing.assert_array_equal(loaded.output, output)
    assert is_mapped(loaded.vectors)
    assert is_mapped(loaded.output)
    assert loaded.manifest["window"] == 5
    assert loaded.manifest["kind"] == "vectors"
    assert (loaded.manifest["n_words"], loaded.manifest["dim"]) == (8, 3)
    np.testing.assert_array_equal(loaded["line\nbreak"], [9, 10, 11])


def test_counts_and_output_are_optional(tmp_path: Path) -> None:
    WordVectors(["a"], [[1.0]]).save(tmp_path / "v")
    loaded = WordVectors.load(tmp_path / "v")
    assert loaded.counts is None
    assert loaded.output is None
    assert sorted(path.name for path in (tmp_path / "v").iterdir()) == [
        "checksums.txt",
        "manifest.json",
        "vectors.npy",
        "words.txt",
    ]


def test_no_words_at_all_come_back(tmp_path: Path) -> None:
    WordVectors([], np.zeros((0, 4))).save(tmp_path / "v")
    loaded = WordVectors.load(tmp_path / "v")
    assert (len(loaded), loaded.dim) == (0, 4)


def test_existing_folder_is_replaced_only_when_told(vectors: WordVectors, tmp_path: Path) -> None:
    vectors.save(tmp_path / "v")
    with pytest.raises(InputError, match="exists already"):
        vectors.save(tmp_path / "v")
    WordVectors(["only"], [[1.0, 2.0]]).save(tmp_path / "v", overwrite=True)
    loaded = WordVectors.load(tmp_path / "v")
    assert loaded.words == ["only"]
    assert not (tmp_path / "v" / "counts.npy").exists()


def test_saving_over_the_folder_it_is_mapped_from(vectors: WordVectors, tmp_path: Path) -> None:
    vectors.save(tmp_path / "v")
    WordVectors.load(tmp_path / "v").save(tmp_path / "v", overwrite=True)
    np.testing.assert_array_equal(WordVectors.load(tmp_path / "v").vectors, vectors.vectors)


def test_wrong_arguments_are_refused_before_writing(vectors: WordVectors, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="may not be named dim"):
        vectors.save(tmp_path / "v", extra={"dim": 3})
    with pytest.raises(InputError, match=r"shape \(8, 3\), got \(2, 3\)"):
        vectors.save(tmp_path / "v", output=np.ones((2, 3)))
    assert not (tmp_path / "v").exists()


@pytest.mark.parametrize("name", ["words.txt", "vectors.npy", "counts.npy"])
@pytest.mark.parametrize("kept", [0.0, 0.6, None])
def test_cut_or_missing_files_are_reported(
    vectors: WordVectors, tmp_path: Path, name: str, kept: float | None
) -> None:
    vectors.save(tmp_path / "v")
    path = tmp_path / "v" / name
    if kept is None:
        path.unlink()
    else:
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * kept)])
    with pytest.raises(ArtifactError, match=f"{name}.*build"):
        WordVectors.load(tmp_path / "v")


def test_array_of_another_shape_or_type_is_reported(vectors: WordVectors, tmp_path: Path) -> None:
    vectors.save(tmp_path / "v")
    np.save(tmp_path / "v" / "vectors.npy", np.zeros((8, 2), dtype=np.float32))
    with pytest.raises(ArtifactError, match=r"shape \(8, 2\), expected float32 of shape \(8, 3\)"):
        WordVectors.load(tmp_path / "v")


def test_other_version_kind_and_broken_manifest(vectors: WordVectors, tmp_path: Path) -> None:
    vectors.save(tmp_path / "v")
    manifest = tmp_path / "v" / "manifest.json"
    sound = json.loads(manifest.read_text())
    for change, message in [
        ({"format_version": 99}, "format version 99"),
        ({"kind": "corpus"}, "holds a corpus, but a vectors is needed"),
        ({"n_words": "many"}, r"manifest\.json .*'n_words' is a whole number .*not 'many'"),
    ]:
        edit_manifest(tmp_path / "v", **(sound | change))
        with pytest.raises(ArtifactError, match=message):
            WordVectors.load(tmp_path / "v")


def test_two_hundred_thousand_words_open_fast(tmp_path: Path) -> None:
    words = [f"word-{row}" for row in range(200_000)]
    WordVectors(words, np.zeros((200_000, 2), dtype=np.float32)).save(tmp_path / "v")
    times = []
    for _ in range(3):
        start = time.process_time()
        loaded = WordVectors.load(tmp_path / "v")
        times.append(time.process_time() - start)
    assert loaded.id_of("word-199999") == 199_999
    assert min(times) < 0.3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    matrix = np.array([[7.5, -7.5, 0.2], [15.0, 1.0, -9.0]])
    vectors = WordVectors(["harbour", "beam"], matrix, [2**31, 3])
    vectors.save(tmp_path / "small", bits=4, extra={"window": 5})
    return tmp_path / "small"


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
    edit_manifest(folder, format_version=3)

    with pytest.raises(ArtifactError, match="format version 3, this release reads version 1 or 2"):
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

    with pytest.raises(ArtifactError, match=r"codes\.npy .* not what was written"):
        WordVectors.load(folder)
    with pytest.raises(ArtifactError, match="are not those that the manifest names"):
        WordVectors.load(make_old(folder))


def test_other_shape(folder: Path) -> None:
    np.save(folder / "codes.npy", np.zeros((2, 3), np.uint8))

    with pytest.raises(ArtifactError, match=r"of shape \(2, 3\), expected uint8 of shape \(2, 2\)"):
        WordVectors.load(folder)


@pytest.mark.parametrize("about", [{}, {"bits": "four"}, {"bits": 5, "digest": ""}, None])
def test_damaged_manifest(folder: Path, about: object) -> None:
    edit_manifest(folder, quantised=about)

    with pytest.raises(ArtifactError, match="build the folder again"):
        WordVectors.load(folder)


def test_fields_of_its_own_are_not_taken(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="may not be named quantised"):
        WordVectors(["a"], [[1.0]]).save(tmp_path / "v", bits=4, extra={"quantised": 1})
