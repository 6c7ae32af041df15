"""Which words decided for a sense."""

from __future__ import annotations

import pytest

from crane_model import save_crane_model
from grassmeans import load
from grassmeans.tagging.explaining import find_deciding_places


def test_deciding_places_lie_in_the_text(tmp_path) -> None:
    model = load(save_crane_model(tmp_path / "model"))
    tagged = model.tag("Nest wing <b>crane</b> nest")
    (places,) = find_deciding_places(model, tagged)
    assert [tagged.text[place.start : place.end] for place in places] == ["Nest", "wing", "nest"]
    assert [place.word for place in places] == ["nest", "wing", "nest"]
    assert [place.weight for place in places] == pytest.approx([1 / 6, 4 / 6, 1 / 6])
