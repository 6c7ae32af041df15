from __future__ import annotations

import bz2
import json
from pathlib import Path

import pytest

from grassmeans.corpus.batches import survey_parts
from grassmeans.errors import EngineError
from grassmeans.reading import parts
from grassmeans.reading.documents import ReadOptions, ReadReport
from grassmeans.reading.inputs import read_documents
from grassmeans.reading.parts import OddPartError, plan_parts, read_part
from grassmeans.reading.records import count_from

PAGE = "<page><title>{0}</title><ns>0</ns><id>{0}</id><revision><text>{1}</text></revision></page>"


@pytest.fixture
def small_parts(monkeypatch) -> None:
    """Parts of a few bytes."""
    set_sizes(monkeypatch, 40)


def set_sizes(monkeypatch, size: int) -> None:
    monkeypatch.setattr(parts, "PLAIN_BYTES", size)
    monkeypatch.setattr(parts, "PACKED_BYTES", size)


def make_lines(n: int) -> bytes:
    records = [{"text": f"número {i} " + "x" * (i % 7), **({"id": i} if i % 3 else {})}
               for i in range(n)]  # fmt: skip
    return "\n".join(json.dumps(r, ensure_ascii=False) for r in records).encode()


def make_dump(n: int) -> bytes:
    pages = "\n  ".join(PAGE.format(i, f"words of page {i}") for i in range(n))
    return f'<mediawiki xml:lang="en">\n  {pages}\n</mediawiki>\n'.encode()


def read_whole(path: Path) -> tuple[list, ReadReport]:
    report = ReadReport()
    return list(read_documents(path, report=report)), report


def read_surveyed(path: Path, scratch: Path) -> tuple[list, ReadReport]:
    report, options = ReadReport(), ReadOptions()
    plan = plan_parts([path], options)
    found = survey_parts(plan, options, False, scratch, report, 1)
    return [document.read() for document in found], report


@pytest.mark.parametrize("size", [*range(8, 60, 3)])
@pytest.mark.parametrize("make", [make_lines, make_dump])
def test_parts_of_any_size_give_the_whole_file(size, make, tmp_path, monkeypatch) -> None:
    set_sizes(monkeypatch, size)
    path = tmp_path / "input"
    path.write_bytes(make(6))
    documents, report = read_surveyed(path, tmp_path / "scratch")
    expected, whole = read_whole(path)
    assert len(plan_parts([path], ReadOptions())) > 2
    assert documents == expected
    assert (report.skipped, report.examples) == (whole.skipped, whole.examples)
    assert (report.n_documents, report.n_files) == (6, 1)
    assert report.n_bytes == path.stat().st_size


@pytest.mark.parametrize("cut", [1, 7, 50, 53])
@pytest.mark.parametrize("make", [make_lines, make_dump])
def test_streams_that_are_cut_anywhere_give_the_whole_file(
    cut, make, tmp_path, small_parts
) -> None:
    content = make(8)
    streams = [bz2.compress(content[i : i + cut * 10]) for i in range(0, len(content), cut * 10)]
    path = tmp_path / "input.bz2"
    path.write_bytes(b"".join(streams))
    plan = plan_parts([path], ReadOptions())
    # A part begins with a stream, wherever that is.
    assert {part.start for part in plan} <= {
        sum(map(len, streams[:i])) for i in range(len(streams))
    }
    assert len(plan) > 1 or len(streams) < 3
    assert read_surveyed(path, tmp_path / "scratch")[0] == read_whole(path)[0]


def test_a_file_of_one_stream_is_one_piece(tmp_path, small_parts) -> None:
    path = tmp_path / "input.bz2"
    path.write_bytes(bz2.compress(make_lines(200)))
    assert [part.format for part in plan_parts([path], ReadOptions())] == [""]


DAMAGES = {
    "a broken page": lambda content: content.replace(b"page 5", b"page <5"),
    "no end": lambda content: content.replace(b"</page>\n  <page><title>6", b"<page><title>6"),
    "cut off": lambda content: content[: len(content) * 2 // 3],
    "between pages": lambda content: content.replace(b"  <page><title>7", b"? <page><title>7"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("size", [40, 150, 333])
def test_odd_dumps_are_read_as_a_whole(damage, size, tmp_path, monkeypatch) -> None:
    set_sizes(monkeypatch, size)
    path = tmp_path / "input.xml"
    path.write_bytes(damage(make_dump(12)))
    documents, report = read_surveyed(path, tmp_path / "scratch")
    expected, whole = read_whole(path)
    assert documents == expected
    assert report.skipped == whole.skipped
    assert whole.skipped["broken XML"]
    assert report.examples == whole.examples


def test_other_encodings_and_damaged_streams_are_read_as_a_whole(tmp_path, small_parts) -> None:
    lines = make_lines(60).decode().replace("número", "numero").encode()
    foreign = tmp_path / "foreign.jsonl"
    foreign.write_bytes(lines + '\n{"text": "señal"}\n'.encode("latin-1") * 4)
    damaged = tmp_path / "damaged.jsonl.bz2"
    streams = [bz2.compress(lines[i : i + 300]) for i in range(0, len(lines), 300)]
    streams[4] = streams[4][:30] + b"XXXX" + streams[4][34:]
    damaged.write_bytes(b"".join(streams))
    for path in (foreign, damaged):
        documents, report = read_surveyed(path, tmp_path / f"scratch-{path.name}")
        expected, whole = read_whole(path)
        assert documents == expected
        assert (report.skipped, report.remarks) == (whole.skipped, whole.remarks)
        assert whole.skipped or whole.remarks


def test_lines_have_the_numbers_of_their_file(tmp_path, small_parts) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_bytes(make_lines(20) + b'\n{broken\n{"other": 1}\n')
    documents, report = read_surveyed(path, tmp_path / "scratch")
    assert documents[3].id == "notes.jsonl:4"
    assert report.examples["broken JSON line"].startswith(f"{path}, line 21: ")
    assert report.examples["no text field"] == f"{path}, line 22: the fields are other"


def test_numbers_of_other_texts_stay() -> None:
    assert count_from("line 5", 100) == "line 5"


def test_a_file_that_a_worker_does_not_see_is_no_skipped_file(tmp_path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("some words")
    (part,) = plan_parts([path], ReadOptions())
    path.write_text("other")
    with pytest.raises(EngineError, match="with 5 bytes instead of 10"):
        read_part(part, ReadOptions(), ReadReport())
    path.unlink()
    with pytest.raises(EngineError, match=r"does not see .*a\.txt"):
        read_part(part, ReadOptions(), ReadReport())


def test_an_odd_part_is_told(tmp_path, small_parts) -> None:
    path = tmp_path / "input.xml"
    path.write_bytes(make_dump(12).replace(b"page 5", b"page <5"))
    plan = plan_parts([path], ReadOptions())
    outcomes = []
    for part in plan:
        try:
            list(read_part(part, ReadOptions(), ReadReport()))
            outcomes.append(True)
        except OddPartError:
            outcomes.append(False)
    assert outcomes.count(False) == 1
