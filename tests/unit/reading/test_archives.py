from __future__ import annotations

import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest
import zstandard

from grassmeans.reading import archives
from grassmeans.reading.documents import RawDocument, ReadOptions, ReadReport
from grassmeans.reading.inputs import read_documents

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
    documents, report = read(path)
    assert documents == []
    assert report.skipped == {"damaged archive": 1}


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

    monkeypatch.setattr(archives.shutil, "disk_usage", lambda _: Usage)
    documents, report = read(path)
    assert [d.text for d in documents] == ["Read."]
    assert report.examples == {"file too large for the temporary folder": f"{path}/large.txt"}
