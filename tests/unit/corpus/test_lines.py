from pathlib import Path

import pytest

from grassmeans.corpus.documents import ReadReport
from grassmeans.corpus.lines import check_encoding, read_lines
from grassmeans.errors import InputError


def read(tmp_path: Path, content: bytes, **options: object) -> tuple[list[str], ReadReport]:
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    report = ReadReport()
    return list(read_lines(path, report, **options)), report  # type: ignore[arg-type]


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
    lines, report = read(tmp_path, content)
    assert lines == ["año", "", "niño"]
    assert report.skipped == {}


def test_a_named_encoding_is_used(tmp_path: Path) -> None:
    assert read(tmp_path, "привет\n".encode("cp1251"), encoding="cp1251")[0] == ["привет"]
    assert read(tmp_path, "año\n".encode("utf-16-le"), encoding="utf-16-le")[0] == ["año"]


def test_undecodable_lines_are_replaced_and_counted(tmp_path: Path) -> None:
    content = b"plain line of ordinary text\n" * 20 + "café\nfin\n".encode("latin-1")
    lines, report = read(tmp_path, content)
    assert lines[-2:] == ["caf\ufffd", "fin"]
    assert report.skipped == {"undecodable bytes": 1}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x7fELF\x02\x01\x01\x00\x00" * 100, "binary file"),
        (bytes(range(1, 256)) * 20, "binary file"),
        ("привет мир ".encode("cp1251") * 50, "text in another encoding than UTF-8"),
    ],
)
def test_what_is_no_utf8_text_is_passed_over(tmp_path: Path, content: bytes, reason: str) -> None:
    lines, report = read(tmp_path, content)
    assert lines == []
    [found] = report.skipped
    assert found.startswith(reason)


def test_a_long_line_is_cut_at_spaces_within_the_limit(tmp_path: Path) -> None:
    content = b"0123456789 " * 400_000 + b"\nshort\n"  # 4.4 MB in one line, over several blocks
    lines, _ = read(tmp_path, content, max_line=100_000)
    assert lines[-1] == "short"
    assert max(map(len, lines)) <= 100_000
    assert " ".join(lines[:-1]).split() == ["0123456789"] * 400_000


def test_a_long_line_without_spaces_is_cut_between_characters(tmp_path: Path) -> None:
    lines, report = read(tmp_path, "é".encode() * 10, max_line=5)
    assert lines == ["éé", "éé", "éé", "éé", "éé"]
    assert report.skipped == {}


def test_long_lines_can_be_passed_over(tmp_path: Path) -> None:
    content = b"one\n" + b"x" * 3_000_000 + b"\ntwo\n" + b"y" * 50 + b"\nthree\n" + b"z" * 60
    lines, report = read(tmp_path, content, max_line=40, skip_long=True)
    assert lines == ["one", "two", "three"]
    assert report.skipped == {"line too long": 3}


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(InputError, match="unknown encoding 'latin-99'"):
        check_encoding("latin-99")
