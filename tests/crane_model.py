"""A stored model so small that every distance can be worked out by hand.

Bird words lie on the first axis, machine words on the second. With rank 1 and two words a side, a
context of bird words is at distance 0 from the first sense of "crane" and 1 from the second; "mix"
alone is at 0.8 and 0.6.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from grassmeans import WordVectors
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.text.tokenizer import Tokenizer

VECTORS = {
    "crane": (0.5, 0.5),
    "nest": (1.0, 0.0),
    "wing": (2.0, 0.0),
    "steel": (0.0, 1.0),
    "beam": (0.0, 3.0),
    "mix": (0.6, 0.8),
}


def save_crane_model(folder: Path) -> Path:
    """Write the model: "crane" and "façade" have two senses each; it was made from English text."""
    vectors = WordVectors(list(VECTORS), np.array(list(VECTORS.values()), np.float32))
    names = ("crane", "façade")
    entries = [WordSenses(name, 9, 9, np.eye(2, dtype=np.float32), ()) for name in names]
    encoder = SubspaceEncoder(vectors, ContextShape(2, 1), frozenset({"the", "a", "on"}))
    SenseModel(encoder, SenseInventory(entries), Tokenizer(), {"language": "en"}).save(folder)
    return folder
