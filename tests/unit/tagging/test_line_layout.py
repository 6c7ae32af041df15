"""How the lines of a text belong together."""

from __future__ import annotations

import textwrap

import pytest

from grassmeans.tagging.line_layout import LINES, PARAGRAPHS, WRAPPED, tell_layout

PROSE = (
    "The band recorded the album with guitar, drums and bass, and released it as a single that "
    "reached the top of the charts. Anglers on the lake caught trout, perch, pike and bass, and "
    "the river is full of salmon. They sold the fish at the market of the town on the next day."
)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["call me on my cell", "the prisoner sat in his cell"], LINES),
        (["She sat on the bank.", "", "He went to the bank.", "A bank? Yes. No."], LINES),
        (["She sat on the bank. It was wet.", "He left. She did not.", "One."], PARAGRAPHS),
        (["A bank."], PARAGRAPHS),
        ([], PARAGRAPHS),
        (["A bank.", "x" * 301], PARAGRAPHS),
        ([PROSE, PROSE], PARAGRAPHS),
        (textwrap.wrap(PROSE, 60), WRAPPED),
        (textwrap.wrap(PROSE, 39), LINES),
        (["The band recorded the album with the guitar and the", "bass in May"], WRAPPED),
        (["the band recorded the album with the guitar and the", "bass in May"], LINES),
        (["鹤站在水边的芦苇里。", "我们在银行工作。"], LINES),
    ],
)
def test_lines_paragraphs_and_wrapped_text(lines: list[str], expected: str) -> None:
    assert tell_layout(lines) == expected
