from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

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
        ({"n_words": "many"}, "no usable n_words and dim"),
    ]:
        manifest.write_text(json.dumps(sound | change))
        with pytest.raises(ArtifactError, match=message):
            WordVectors.load(tmp_path / "v")


def test_two_hundred_thousand_words_open_fast(tmp_path: Path) -> None:
    words = [f"word-{row}" for row in range(200_000)]
    WordVectors(words, np.zeros((200_000, 2), dtype=np.float32)).save(tmp_path / "v")
    times = []
    for _ in range(3):
        start = time.perf_counter()
        loaded = WordVectors.load(tmp_path / "v")
        times.append(time.perf_counter() - start)
    assert loaded.id_of("word-199999") == 199_999
    assert min(times) < 0.3
