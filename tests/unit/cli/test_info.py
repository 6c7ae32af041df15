from __future__ import annotations

from grassmeans.cli.info import _readable


def test_long_lists_are_cut_wherever_they_are() -> None:
    assert _readable(1234) == "1,234"
    assert _readable(["a", "b"]) == "a, b"
    assert _readable(list(range(30))).endswith("18, 19, ... (30 in all)")
    told = _readable({"tokenizer": {"phrases": ["port ellery"] * 5000}, "language": "en"})
    assert "... (5,000 in all)" in told
    assert told.endswith('language: "en"')
    assert len(told) < 500
