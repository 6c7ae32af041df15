"""Sentences with the words that decided."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from crane_model import save_crane_model
from grassmeans import load
from grassmeans.errors import InputError
from grassmeans_lab.experiments.listening import draw_listening


def test_words_are_shaded_by_what_they_decided(tmp_path) -> None:
    model = load(save_crane_model(tmp_path / "model"))
    picture = draw_listening(model, ["a nest wing <b>crane</b> nest & so on"])
    ElementTree.fromstring(picture)  # well-formed
    # Rank 1, all words on the first axis: squared lengths 1 + 1 for "nest" twice, 4 for "wing";
    # the heaviest is shaded with 0.65, "nest" with a quarter of it.
    assert re.findall(r'fill-opacity="([0-9.]+)"', picture) == ["0.163", "0.650", "0.163"]
    assert "nest &amp; so on" in picture
    assert 'font-weight="bold">crane</text>' in picture


@pytest.mark.parametrize("sentence", ["a nest", "a nest <b>unheard</b> wing"])
def test_a_sentence_needs_a_marked_word(tmp_path, sentence) -> None:
    model = load(save_crane_model(tmp_path / "model"))
    with pytest.raises(InputError, match="mark one word that the model has senses for"):
        draw_listening(model, [sentence])
    with pytest.raises(InputError, match="no sentence"):
        draw_listening(model, [])
