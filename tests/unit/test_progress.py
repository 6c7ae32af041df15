from __future__ import annotations

import logging
import sys
from types import SimpleNamespace

import pytest

from grassmeans import progress
from grassmeans.progress import progress_bar, tell


def test_short_work_writes_nothing_where_there_is_no_terminal(capsys) -> None:
    with progress_bar("working", 10, unit="words") as advance:
        advance(5, "half")
    assert capsys.readouterr() == ("", "")


def test_a_bar_shows_speed_share_and_note(capsys, monkeypatch) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "150")
    let_time_pass(monkeypatch, 0.0, 2.0, 3.0)
    with progress_bar("working on [x]", 10, unit="words", show=True) as advance:
        advance(5, "half [way]")
        advance(1)
    text = capsys.readouterr().err
    assert "working on [x]" in text
    assert "60%" in text
    assert "2 words/s, 0:00:02 left" in text
    assert "half [way]" in text


def let_time_pass(monkeypatch, *seconds: float) -> None:
    passing = iter(seconds)
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(passing))


def test_long_work_writes_a_line_every_ten_seconds(capsys, monkeypatch) -> None:
    let_time_pass(monkeypatch, 0.0, 0.5, 9.0, 20.0, 25.0, 40.0)
    with progress_bar("training", 1.0) as advance:
        advance(0.5)  # done before: it says nothing of the speed
        advance(0.1)
        advance(0.1, "loss 3.1")
        advance(0.1)
        advance(0.1, "loss 3.0")
    # 0.2 took 20 s, so that the other 0.3 will take 30; then 0.4 took 40 s.
    assert capsys.readouterr().err.splitlines() == [
        "training: 70.0%, 0:00:30 left, loss 3.1",
        "training: 90.0%, 0:00:10 left, loss 3.0",
    ]


def test_lines_tell_the_amount_where_the_whole_is_not_known(capsys, monkeypatch) -> None:
    let_time_pass(monkeypatch, 100.0, 120.0)
    with progress_bar("reading", None, unit="bytes") as advance:
        advance(3000)
    assert capsys.readouterr().err == "reading: 3,000 bytes, 150 bytes/s\n"


def test_work_that_was_all_done_before_has_no_speed(capsys, monkeypatch) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "150")
    with progress_bar("measuring", 4_000_000, unit="occurrences", show=True) as advance:
        advance(2_000_000)
        advance(2_000_000)
    text = capsys.readouterr().err
    assert "100%" in text
    assert "/s" not in text


def test_lines_go_to_the_log_of_a_program_that_has_one(capsys, caplog) -> None:
    tell("before")  # logging is at its default: nobody asked for such lines
    with caplog.at_level(logging.INFO, "grassmeans"):
        tell("the teacher reads 5 GB")
        tell("nothing", show=False)
    assert [(record.name, record.message) for record in caplog.records] == [
        ("grassmeans", "the teacher reads 5 GB")
    ]
    assert capsys.readouterr().err == "before\n"


@pytest.mark.parametrize(
    ("modules", "widgets", "drawn"),
    [({"ipykernel"}, True, True), ({"ipykernel"}, False, False), (set(), True, False)],
)
def test_a_notebook_with_widgets_gets_a_bar(monkeypatch, modules, widgets, drawn) -> None:
    monkeypatch.setattr(sys, "modules", {**sys.modules, **dict.fromkeys(modules)})
    if not modules:
        sys.modules.pop("ipykernel", None)
    found = object() if widgets else None
    monkeypatch.setattr(progress.importlib.util, "find_spec", lambda name: found)
    monkeypatch.setattr(progress, "Console", lambda: SimpleNamespace(is_jupyter=True))
    assert progress._is_notebook() is drawn
