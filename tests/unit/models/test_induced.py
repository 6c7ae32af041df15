"""Inventories that tag by themselves, as they did at the top of the package."""

from __future__ import annotations

import pytest

from grassmeans.errors import InputError
from grassmeans.models.induced import InducedInventory, induce
from grassmeans.models.model import SenseModel


def test_an_inventory_tags(topic_corpus, topic_vectors, synthetic, tmp_path) -> None:
    inventory = induce(topic_corpus, topic_vectors, "crane", n_senses=2)
    words = synthetic.topic_words[0]
    text = " ".join([*words[:5], "the Crane of", *words[5:10]])
    (word,) = inventory.tag(text)
    assert word.sense > 0
    inventory.save(tmp_path / "inventory")
    stored = InducedInventory.load(tmp_path / "inventory")
    with pytest.raises(InputError, match=r"contexts=\.\.\."):
        stored.tag(text)
    assert stored.to_model(topic_vectors).tag(text)[0].distances == word.distances


def test_it_has_the_senses_of_a_model(topic_corpus, topic_vectors) -> None:
    options = {"n_senses": 2, "window": 5}
    inventory = induce(topic_corpus, topic_vectors, ["crane", "heron"], **options)
    model = SenseModel.fit(
        topic_corpus, ["crane", "heron"], contexts=topic_vectors, calibrated=False, **options
    )
    assert inventory.skipped == model.inventory.skipped
    assert inventory["crane"].senses == model.senses("crane").senses
    assert isinstance(model.inventory, InducedInventory)  # as when there was one class
    assert not isinstance({}, InducedInventory)
    assert not hasattr(model.inventory, "tag")
