from __future__ import annotations

from grassmeans import progress
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


def test_long_work_writes_a_line_every_ten_seconds(capsys, monkeypatch) -> None:
    seconds = iter([0.0, 1.0, 9.0, 20.0, 25.0, 30.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(seconds))
    with progress_bar("training", 1.0, in_lines=True) as advance:
        advance(0.5)  # done before: it says nothing of the speed
        advance(0.1)
        advance(0.1, "loss 3.1")
        advance(0.1)
        advance(0.1, "loss 3.0")
    # 0.2 took 20 s, so that the other 0.3 will take 30; then 0.4 took 30 s.
    assert capsys.readouterr().err.splitlines() == [
        "training: 70.0%, 0:00:30 left, loss 3.1",
        "training: 90.0%, 0:00:08 left, loss 3.0",
    ]
