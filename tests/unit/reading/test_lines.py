from __future__ import annotations

from pathlib import Path

import pytest

from grassmeans.reading.documents import InputFile, ReadOptions, ReadReport
from grassmeans.reading.lines import read_lines


def read_text(
    tmp_path: Path, content: bytes, encoding: str | None = None, **options: object
) -> tuple[list[str], ReadReport]:
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    file = InputFile(path, options=ReadOptions(encoding=encoding))
    return list(read_lines(file, **options)), file.report  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "content",
    [
        "año\n\nniño\n".encode(),
        "año\r\n\r\nniño\r\n".encode(),
        "\ufeffaño\n\nniño".encode(),
        "año\n\nniño\n".encode("utf-16"),
        "\ufeffaño\r\n\r\nniño".encode("utf-16-be"),
        "año\n\nniño\n".encode("utf-32"),
    ],
)
def test_line_ends_and_byte_order_marks(tmp_path: Path, content: bytes) -> None:
    lines, report = read_text(tmp_path, content)
    assert lines == ["año", "", "niño"]
    assert report.skipped == {}


def test_a_named_encoding_is_used(tmp_path: Path) -> None:
    assert read_text(tmp_path, "привет\n".encode("cp1251"), encoding="cp1251")[0] == ["привет"]
    assert read_text(tmp_path, "año\n".encode("utf-16-le"), encoding="utf-16-le")[0] == ["año"]


@pytest.mark.parametrize("n_before", [0, 20, 100_000])
def test_a_latin_1_file_is_read_right_and_remarked(tmp_path: Path, n_before: int) -> None:
    before = b"plain line of ordinary text\n" * n_before
    content = before + "café in España\nfin\n".encode("latin-1")
    lines, report = read_text(tmp_path, content)
    assert lines[-2:] == ["café in España", "fin"]
    assert report.skipped == {}
    [(remark, count)] = report.remarks.items()
    assert "Windows-1252" in remark
    assert count == 1
    assert report.examples[remark].endswith("file.txt")


def test_quotation_marks_of_windows_are_read(tmp_path: Path) -> None:
    assert read_text(tmp_path, b"\x93Yes\x94, he said \x96 twice\x85\n")[0] == [
        "“Yes”, he said – twice…"
    ]


def test_damaged_utf8_is_replaced_and_counted(tmp_path: Path) -> None:
    content = "naïve café\n".encode() * 3 + b"caf\xe9\nfin\n"
    lines, report = read_text(tmp_path, content)
    assert lines[-3:] == ["naïve café", "caf\ufffd", "fin"]
    assert report.skipped == {"undecodable bytes": 1}
    assert report.remarks == {}


@pytest.mark.parametrize("content", ["żółć i łąka nad rzeką " * 20, "příliš žluťoučký kůň " * 20])
def test_other_alphabets_are_not_taken_for_western_ones(tmp_path: Path, content: str) -> None:
    lines, report = read_text(tmp_path, content.encode("cp1250"))
    assert lines == []
    [reason] = report.skipped
    assert "encoding=..." in reason


@pytest.mark.parametrize("named", ["latin-1", "cp1251", "gb18030", "utf-16-le"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_named_encoding_leaves_utf8_files_alone(tmp_path: Path, named: str, mark: str) -> None:
    assert read_text(tmp_path, f"{mark}año\n".encode(), encoding=named)[0] == ["año"]
    assert read_text(tmp_path, f"{mark}year\n".encode(), encoding=named)[0] == ["year"]


@pytest.mark.parametrize("named", ["gb18030", "shift_jis", "iso2022_jp", "utf-16-be"])
def test_named_encodings_of_many_bytes(tmp_path: Path, named: str) -> None:
    text = "日本 text\n中国\n"
    assert read_text(tmp_path, text.encode(named), encoding=named)[0] == ["日本 text", "中国"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x7fELF\x02\x01\x01\x00\x00" * 100, "binary file"),
        (bytes(range(1, 256)) * 20, "binary file"),
        ("привет мир ".encode("cp1251") * 50, "text in another encoding than UTF-8"),
    ],
)
def test_what_is_no_utf8_text_is_passed_over(tmp_path: Path, content: bytes, reason: str) -> None:
    lines, report = read_text(tmp_path, content)
    assert lines == []
    [found] = report.skipped
    assert found.startswith(reason)


def test_a_long_line_is_cut_at_spaces_within_the_limit(tmp_path: Path) -> None:
    content = b"0123456789 " * 400_000 + b"\nshort\n"  # 4.4 MB in one line, over several blocks
    lines, _ = read_text(tmp_path, content, max_line=100_000)
    assert lines[-1] == "short"
    assert max(map(len, lines)) <= 100_000
    assert " ".join(lines[:-1]).split() == ["0123456789"] * 400_000


def test_a_long_line_without_spaces_is_cut_between_characters(tmp_path: Path) -> None:
    lines, report = read_text(tmp_path, "é".encode() * 10, max_line=5)
    assert lines == ["éé", "éé", "éé", "éé", "éé"]
    assert report.skipped == {}


def test_long_lines_can_be_passed_over(tmp_path: Path) -> None:
    content = b"one\n" + b"x" * 3_000_000 + b"\ntwo\n" + b"y" * 50 + b"\nthree\n" + b"z" * 60
    lines, report = read_text(tmp_path, content, max_line=40, skip_long=True)
    assert lines == ["one", "two", "three"]
    assert report.skipped == {"line too long": 3}
