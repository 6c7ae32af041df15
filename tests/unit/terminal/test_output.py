from __future__ import annotations

import pytest

from grassmeans.terminal.output import name_options


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("choose another, or pass overwrite=True", "choose another, or pass --overwrite"),
        ("choose it as text_field=..., of a, b", "choose it as --text-field, of a, b"),
        ("take induce='on-corpus' only", "take --induce on-corpus only"),
        ("use calibrate=False", "use --no-calibrate"),
        ("x=3 stays, and so does a = b", "x=3 stays, and so does a = b"),
    ],
)
def test_arguments_of_python_become_options(message, shown) -> None:
    assert name_options(message) == shown
