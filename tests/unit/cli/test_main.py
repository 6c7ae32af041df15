from __future__ import annotations

import pytest

from grassmeans.cli import main


def stop_badly() -> None:
    """As joblib does that is stopped while it starts its threads."""
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        raise RuntimeError("cannot join thread before it is started") from None


def test_what_fails_because_of_a_stop_is_a_stop() -> None:
    with pytest.raises(main._InterruptError):
        main._watch(stop_badly)()


def test_any_other_failure_stays_what_it_is() -> None:
    def fail() -> None:
        try:
            raise KeyError("crane")
        except KeyError as error:
            raise RuntimeError("of our own") from error

    with pytest.raises(RuntimeError, match="of our own"):
        main._watch(fail)()
