"""Cranes in two times: birds in the first, machines in the second; and beams that stay the same."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory

VECTORS = {"nest": (1, 0), "wing": (2, 0.1), "steel": (0, 1), "load": (0.1, 3)}


def make_entry(word):
    senses = tuple(
        Sense(k, 0.5, 0.1, (), (), (), name) for k, name in enumerate(("bird", "machine"), 1)
    )
    return WordSenses(word, 40, 40, np.eye(2, dtype=np.float32), senses)


@pytest.fixture(scope="session")
def model():
    """Sense 1 lies along nest and wing, sense 2 along steel and load."""
    vectors = WordVectors(list(VECTORS), np.array(list(VECTORS.values()), np.float32))
    encoder = SubspaceEncoder(vectors, ContextShape(2, 1), frozenset({"the", "a"}))
    inventory = SenseInventory([make_entry("crane"), make_entry("bill"), make_entry("kite")])
    from grassmeans.corpus.corpus import default_options

    return SenseModel(encoder, inventory, default_options().tokenizer, {"idk_threshold": None})


def write_records():
    bird, machine = "the {} nest wing", "a {} steel load"
    records = []
    for i in range(30):
        records.append({"text": bird.format("crane"), "date": f"18{10 + i}", "source": "old"})
        other = bird if i < 2 else machine
        records.append({"text": other.format("crane"), "date": 1960 + i, "source": "new"})
        for year, source in ((1850, "old"), (1990, "new")):
            text = (bird if i % 2 else machine).format("bill")
            records.append({"text": text, "date": year, "source": source})
    records.append({"text": machine.format("kite"), "date": "long ago", "source": "old"})
    records += [{"text": bird.format("kite"), "date": "1850", "source": "old"}] * 12
    return records


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """Its crane changes, its bill does not, its kite is in one time only."""
    place = tmp_path_factory.mktemp("change") / "corpus"
    return Corpus.from_texts(write_records(), place, meta=("date", "source"))


@pytest.fixture(scope="session")
def labelled(corpus, model, tmp_path_factory):
    from grassmeans.labelling import label_corpus

    place = tmp_path_factory.mktemp("labelled") / "labelled"
    return label_corpus(corpus, model, place, workers=1)
