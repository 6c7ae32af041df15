"""Compressed files and archives."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest
import zstandard

from grassmeans.errors import InputError
from grassmeans.reading import opening
from grassmeans.reading.documents import InputFile, RawDocument, ReadOptions, ReadReport
from grassmeans.reading.inputs import read_documents
from grassmeans.reading.opening import (
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
    assert b"".join(read_blocks(InputFile(path, report))) == b"head\n" + CONTENT + b"tail\n"
    assert report.skipped == {}
    assert report.n_bytes == path.stat().st_size


@pytest.mark.parametrize("packer", PACKERS)
def test_truncation_keeps_what_came_before_and_is_counted(tmp_path: Path, packer: str) -> None:
    first = PACKERS[packer](CONTENT)
    second = PACKERS[packer](CONTENT)
    path = write(tmp_path, "truncated", first + second[: len(second) // 2])
    report = ReadReport()
    content = b"".join(read_blocks(InputFile(path, report)))
    assert content.startswith(CONTENT)
    assert (CONTENT + CONTENT).startswith(content)
    assert report.skipped == {"damaged compressed data": 1}


@pytest.mark.parametrize("packer", PACKERS)
def test_garbage_after_a_stream_is_counted(tmp_path: Path, packer: str) -> None:
    path = write(tmp_path, "garbage", PACKERS[packer](CONTENT) + b"!" * 50)
    report = ReadReport()
    assert b"".join(read_blocks(InputFile(path, report))) == CONTENT
    assert report.skipped == {"damaged compressed data": 1}


def test_zero_padding_after_a_stream_is_no_damage(tmp_path: Path) -> None:
    path = write(tmp_path, "padded.gz", gzip.compress(b"text") + bytes(512))
    report = ReadReport()
    assert b"".join(read_blocks(InputFile(path, report))) == b"text"
    assert report.skipped == {}


def test_an_empty_file_has_no_blocks(tmp_path: Path) -> None:
    path = write(tmp_path, "empty", b"")
    assert list(read_blocks(InputFile(path))) == []
    assert read_head(path) == b""


def test_a_file_that_vanished_is_counted(tmp_path: Path) -> None:
    report = ReadReport()
    assert list(read_blocks(InputFile(tmp_path / "gone", report))) == []
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
        sizes = [len(block) for block in read_blocks(InputFile(path))]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sum(sizes) == size << 20
    assert peak < most << 20


FILES = {
    "texts/1.txt": b"First.\n\nSecond.\n",
    "texts/2.jsonl.gz": gzip.compress(b'{"text": "Third."}\n'),
    "texts/.hidden": b"Never.\n",
    "__MACOSX/1.txt": b"Never.\n",
    "3.csv": b"text,n\nFourth.,1\n",
    "4.txt": "Año.\n".encode("latin-1"),
    "5.bin": b"\x00\x01" * 50,
}
TEXTS = ["First.", "Second.", "Third.", "Fourth.", "Año."]


def make_zip(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("texts/", b"")
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def make_tar(files: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(link)
    return target.getvalue()


MAKERS = {
    "a.zip": make_zip,
    "a.tar": make_tar,
    "a.tar.gz": lambda files: gzip.compress(make_tar(files)),
    "a.tar.xz": lambda files: lzma.compress(make_tar(files)),
    "a.tar.zst": lambda files: zstandard.ZstdCompressor().compress(make_tar(files)),
}


def read(path: Path, **options: object) -> tuple[list[RawDocument], ReadReport]:
    report = ReadReport()
    return list(read_documents([path], ReadOptions(**options), report=report)), report  # type: ignore[arg-type]


@pytest.mark.parametrize("name", MAKERS)
def test_files_of_an_archive_are_read_each_by_its_format(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(MAKERS[name](FILES))
    documents, report = read(path)
    assert [d.text for d in documents] == TEXTS
    assert documents[0].id == "1.txt:1"
    assert (report.n_files, report.n_documents) == (5, 5)
    assert report.skipped == {"binary file": 1}
    assert report.examples["binary file"] == f"{path}/5.bin"
    [remark] = report.remarks
    assert report.examples[remark] == f"{path}/4.txt"
    assert 0 < report.n_bytes <= path.stat().st_size


@pytest.mark.parametrize("name", MAKERS)
def test_a_damaged_archive_keeps_what_came_before(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    many = {f"{i}.txt": f"Text {i * 7919 % 1009}. ".encode() * 300 for i in range(40)}
    content = bytearray(MAKERS[name](many))
    middle = len(content) // 2
    content[middle : middle + 300] = bytes(300)
    path.write_bytes(content)
    documents, report = read(path)
    assert len(documents) < 40
    assert sum(report.skipped.values()) >= 1
    assert str(path) in next(iter(report.examples.values()))


def test_half_a_zip_file_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(make_zip(FILES)[:60])
    with pytest.raises(InputError, match=r"nothing could be read from .*: damaged archive"):
        read(path)
    (tmp_path / "b.txt").write_text("Read.")
    documents, report = read(tmp_path)
    assert [d.text for d in documents] == ["Read."]
    assert report.skipped == {"damaged archive": 1, "file that cannot be read as asked": 1}


def test_a_member_that_cannot_be_read_as_asked_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(make_zip({"1.csv": b"body\na text\n", "2.txt": b"Read."}))
    documents, report = read(path)
    assert [d.text for d in documents] == ["Read."]
    message = report.examples["file that cannot be read as asked"]
    assert message.startswith(f"{path}/1.csv has no text in a field 'text': its fields are body")


def test_archives_in_archives_are_passed_over_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(make_zip({"inner.zip": make_zip(FILES), "1.txt": b"Read."}))
    documents, report = read(path)
    assert [d.text for d in documents] == ["Read."]
    assert report.examples == {"archive in an archive (unpack it first)": f"{path}/inner.zip"}


def test_office_documents_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(make_zip({"[Content_Types].xml": b"<x/>", "w.xml": b"<x/>"}))
    (tmp_path / "b.txt").write_text("Read.")
    documents, report = read(tmp_path)
    assert [d.text for d in documents] == ["Read."]
    [message] = report.examples.values()
    assert message == f"{tmp_path}/a.docx is an Office document: save it as plain text first"


def test_names_cannot_lead_out_of_the_temporary_folder(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(make_zip({"x/../../../outside.txt": b"Read."}))
    assert [d.id for d in read(path)[0]] == ["outside.txt:1"]
    assert not list(tmp_path.rglob("outside.txt"))


def test_what_does_not_fit_on_the_disk_is_not_unpacked(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "bomb.zip"
    path.write_bytes(make_zip({"large.txt": b"a " * 5000, "small.txt": b"Read."}))

    class Usage:
        free = 1000

    monkeypatch.setattr(opening.shutil, "disk_usage", lambda _: Usage)
    documents, report = read(path)
    assert [d.text for d in documents] == ["Read."]
    assert report.examples == {"file too large for the temporary folder": f"{path}/large.txt"}


@pytest.mark.parametrize("name", MAKERS)
def test_names_that_no_file_can_have_are_read_like_others(tmp_path: Path, name: str) -> None:
    names = ["語" * 200 + ".jsonl", "/", "/etc/b.txt", "b.txt", "x/" * 300 + "c.txt"]
    names = names[:1] + names[2:] if name.endswith("zip") else names  # "/" is a folder in a zip
    path = tmp_path / name
    path.write_bytes(MAKERS[name](dict.fromkeys(names, b'{"text": "Read."}\n')))
    documents, report = read(path)
    assert [d.text for d in documents] == ["Read."] * len(names)
    assert documents[0].id == f"{'語' * 200}.jsonl:1"
    assert [d.id for d in documents[-3:]] == ["b.txt:1", "b.txt:1", "c.txt:1"]
    assert not report.skipped


def test_what_a_name_in_an_archive_tells(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(make_zip({"times/1857-03-01.txt": b"Read.", "2.txt": b"Read."}))
    documents, _ = read(path, meta=("date", "source"))
    assert documents[0].fields == (("date", "1857-03-01"), ("source", "times"))
    assert documents[1].fields == (("source", "a.zip"),)


def test_a_file_that_cannot_be_unpacked_takes_no_other_along(tmp_path: Path) -> None:
    content = bytearray(make_zip({"1.txt": b"First.", "2.txt": b"Second.", "3.txt": b"Third."}))
    # Its flags in its own header and in the directory, which lie before its name.
    content[content.index(b"2.txt") - 24] |= 1
    content[content.rindex(b"2.txt") - 38] |= 1
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    documents, report = read(path)
    assert [d.text for d in documents] == ["First.", "Third."]
    assert report.skipped == {"file of an archive that cannot be unpacked": 1}
    [example] = report.examples.values()
    assert example.startswith(f"{path}/2.txt: ")


def test_an_archive_of_which_nothing_can_be_read_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(make_zip({".hidden": b"Never."}))
    with pytest.raises(InputError, match=r"a\.zip: it holds no files"):
        read(path)
    path.write_bytes(make_zip({"1.csv": b"body\nx\n", "2.csv": b"title\nx\n"}))
    with pytest.raises(InputError, match=r"a\.zip/1\.csv has no text in a field 'text'"):
        read(path)


def test_links_of_a_zip_are_no_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/hostname")
        archive.writestr("1.txt", "Read.")
    assert [d.text for d in read(path)[0]] == ["Read."]


def make_claim(kind: bytes, size: int) -> bytes:
    """A tar file of a text, and of something that claims a size."""
    info = tarfile.TarInfo("2.txt")
    info.type, info.size = kind, size
    return make_tar({"1.txt": b"Read."})[:1024] + info.tobuf(tarfile.GNU_FORMAT) + bytes(10_240)


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
@pytest.mark.parametrize("size", [1 << 22, 1 << 40, 1 << 60])
def test_sizes_that_are_not_there(tmp_path: Path, kind: bytes, size: int) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(make_claim(kind, size))
    documents, report = read(path)
    assert [d.text for d in documents] == ["Read."]
    assert sum(report.skipped.values()) >= 1


@pytest.mark.parametrize("name", MAKERS)
def test_an_archive_that_opens_too_far_is_left(tmp_path: Path, name: str, monkeypatch) -> None:
    monkeypatch.setattr(opening, "_ALWAYS_BYTES", 50_000)
    monkeypatch.setattr(opening, "_MOST_EXPANSION", 0)
    path = tmp_path / name
    path.write_bytes(MAKERS[name]({"1.txt": b"Read.", "2.txt": b"0 " * 30_000, "3.txt": b"No."}))
    documents, report = read(path)
    assert [d.text for d in documents] == ["Read."]
    assert "it opens to more than" in report.examples["damaged archive"]
