import bz2
import gzip
import json
import lzma
import tracemalloc
from pathlib import Path

import pytest
import zstandard

from grassmeans.errors import InputError
from grassmeans.reading.documents import ReadReport
from grassmeans.reading.opening import (
    list_inputs,
    open_bytes,
    read_blocks,
    read_head,
)

PACKERS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
# Hardly compressible, so that half of the packed file holds about half of the content.
CONTENT = b"".join(b"%d line\n" % (i * 7919 % 1000003) for i in range(60_000))


def write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_inputs_are_files_of_folders_sorted_without_hidden_ones(tmp_path: Path) -> None:
    for name in ("b/2.txt", "b/1.txt", "a.txt", ".hidden", ".git/config"):
        write(tmp_path, name, b"x")
    names = [str(path.relative_to(tmp_path)) for path in list_inputs([tmp_path])]
    assert names == ["a.txt", "b/1.txt", "b/2.txt"]


def test_inputs_pass_over_our_own_folders_and_dump_indexes(tmp_path: Path) -> None:
    manifest = json.dumps({"kind": "corpus", "format_version": 1, "grassmeans": "0.1.0"}).encode()
    write(tmp_path, "stored/manifest.json", manifest)
    write(tmp_path, "stored/shards/words.txt", b"x")
    write(tmp_path, ".running.building/new/words.txt", b"x")
    write(tmp_path, "enwiki-multistream-index.txt.bz2", b"x")
    write(tmp_path, "foreign/manifest.json", b"[1]")
    kept = write(tmp_path, "a.txt", b"x")
    assert list_inputs([tmp_path]) == [kept, tmp_path / "foreign/manifest.json"]


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", b"x")
    assert list_inputs([str(path), tmp_path, path]) == [path]


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ([], "no input was given"),
        (["missing.txt"], "there is no file or folder"),
        (["empty"], "holds no files"),
    ],
)
def test_wrong_inputs_are_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paths: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=message):
        list_inputs(paths)


@pytest.mark.parametrize("packer", PACKERS)
def test_compression_is_recognised_by_content(tmp_path: Path, packer: str) -> None:
    path = write(tmp_path, "misleading.txt", PACKERS[packer](CONTENT))
    with open_bytes(path) as stream:
        assert stream.read() == CONTENT
    assert read_head(path, 100) == CONTENT[:100]


@pytest.mark.parametrize("packer", PACKERS)
def test_joined_streams_are_read_to_the_end(tmp_path: Path, packer: str) -> None:
    pack = PACKERS[packer]
    path = write(tmp_path, "joined", pack(b"head\n") + pack(CONTENT) + pack(b"") + pack(b"tail\n"))
    report = ReadReport()
    assert b"".join(read_blocks(path, report)) == b"head\n" + CONTENT + b"tail\n"
    assert report.skipped == {}
    assert report.n_bytes == path.stat().st_size


@pytest.mark.parametrize("packer", PACKERS)
def test_truncation_keeps_what_came_before_and_is_counted(tmp_path: Path, packer: str) -> None:
    first = PACKERS[packer](CONTENT)
    second = PACKERS[packer](CONTENT)
    path = write(tmp_path, "truncated", first + second[: len(second) // 2])
    report = ReadReport()
    content = b"".join(read_blocks(path, report))
    assert content.startswith(CONTENT)
    assert (CONTENT + CONTENT).startswith(content)
    assert report.skipped == {"damaged compressed data": 1}


@pytest.mark.parametrize("packer", PACKERS)
def test_garbage_after_a_stream_is_counted(tmp_path: Path, packer: str) -> None:
    path = write(tmp_path, "garbage", PACKERS[packer](CONTENT) + b"!" * 50)
    report = ReadReport()
    assert b"".join(read_blocks(path, report)) == CONTENT
    assert report.skipped == {"damaged compressed data": 1}


def test_zero_padding_after_a_stream_is_no_damage(tmp_path: Path) -> None:
    path = write(tmp_path, "padded.gz", gzip.compress(b"text") + bytes(512))
    report = ReadReport()
    assert b"".join(read_blocks(path, report)) == b"text"
    assert report.skipped == {}


def test_an_empty_file_has_no_blocks(tmp_path: Path) -> None:
    path = write(tmp_path, "empty", b"")
    assert list(read_blocks(path, ReadReport())) == []
    assert read_head(path) == b""


def test_a_file_that_vanished_is_counted(tmp_path: Path) -> None:
    report = ReadReport()
    assert list(read_blocks(tmp_path / "gone", report)) == []
    assert report.skipped == {"unreadable file": 1}


@pytest.mark.parametrize(
    ("packer", "size", "most"),
    [("gzip", 32, 8), ("bzip2", 32, 8), ("xz", 32, 24), ("zstd", 128, 80)],
)
def test_a_few_bytes_that_open_to_very_many_are_read_in_bounded_memory(
    tmp_path: Path, packer: str, size: int, most: int
) -> None:
    content = bytes(size << 20)
    path = write(tmp_path, "bomb", PACKERS[packer](content))
    del content
    tracemalloc.start()
    try:
        sizes = [len(block) for block in read_blocks(path, ReadReport())]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sum(sizes) == size << 20
    assert peak < most << 20
