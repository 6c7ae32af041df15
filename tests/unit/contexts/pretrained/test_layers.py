from __future__ import annotations

import pytest

from grassmeans.contexts.pretrained.layers import choose_layers
from grassmeans.errors import InputError


@pytest.mark.parametrize(
    ("asked", "n_layers", "expected"),
    [
        (None, 12, (7, 8, 9)),
        (None, 6, (4,)),
        (None, 24, (14, 15, 16, 17, 18)),
        (None, 1, (1,)),
        ("7-9", 12, (7, 8, 9)),
        ("8", 12, (8,)),
        ("4, 1-2,2", 4, (1, 2, 4)),
    ],
)
def test_layers(asked, n_layers, expected) -> None:
    assert choose_layers(asked, n_layers) == expected


@pytest.mark.parametrize("asked", ["", "a", "9-7", "0", "5", "3-5", "-1"])
def test_layers_that_do_not_exist_are_refused(asked) -> None:
    with pytest.raises(InputError, match="layers"):
        choose_layers(asked, 4)
