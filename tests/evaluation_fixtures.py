"""A model small enough to work out its answers by hand."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.evaluation.grouping import ClusteringTask
from grassmeans.evaluation.instances import Instance, Key, Label
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.text.tokenizer import Tokenizer


@pytest.fixture
def small_model() -> SenseModel:
    """The first sense of crane lies along nest, the second along beam."""
    words = ["nest", "beam", "mix"]
    vectors = WordVectors(words, np.array([[1, 0], [0, 1], [0.6, 0.8]], np.float32))
    crane = WordSenses("crane", 9, 9, np.eye(2, dtype=np.float32), ())
    encoder = SubspaceEncoder(vectors, ContextShape(window=2, rank=1), frozenset({"a"}))
    settings = {"settings": {"n_senses": 2}}
    return SenseModel(encoder, SenseInventory([crane]), Tokenizer(), settings)


@pytest.fixture
def small_task() -> ClusteringTask:
    """Four cranes: at a nest, at a beam, with nothing known around, and not found."""
    texts = {"1": "a nest", "2": "beam", "3": "unseen", "4": "beam"}
    instances = [
        Instance(name, "crane", "n", f"{text} ", "cranes" if name != "4" else "", "")
        for name, text in texts.items()
    ]
    labels = {name: (Label("bird" if name in "13" else "machine"),) for name in texts}
    return ClusteringTask("jsonl", tuple(instances), Key({"crane.n": labels}))
