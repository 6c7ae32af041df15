from __future__ import annotations

from grassmeans.progress import progress_bar


def test_nothing_is_written_where_there_is_no_terminal(capsys) -> None:
    with progress_bar("working", 10, unit="words") as advance:
        advance(5, "half")
    assert capsys.readouterr() == ("", "")


def test_a_bar_shows_speed_share_and_note(capsys, monkeypatch) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "150")
    with progress_bar("working", 10, unit="words", show=True) as advance:
        advance(5, "half way")
        advance(1)
    text = capsys.readouterr().err
    assert "working" in text
    assert "60%" in text
    assert "words/s" in text
    assert "half way" in text
