"""A model and a corpus in which every proposal for "crane" can be told by hand.

Bird words lie on the first axis, machine words on the second; all other words describe no context.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from grassmeans import Corpus, WordVectors
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import ExampleLine, Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.text.tokenizer import Tokenizer

BIRDS, MACHINES = ("nest", "wing"), ("steel", "beam")
_PLAIN = (
    "the a is of and in with was that it they saw near by large bird machine lifts flew day had "
    "one all from an old built stood this"
)
OTHERS = tuple(_PLAIN.split())
TEXTS = (
    "A crane is a large bird with a nest and a wing. It flew.",
    "The old crane flew from the nest with one wing.",
    "They saw the crane by the nest with one wing.",
    "Near a nest the crane had one wing in 1990.",
    "A crane is a machine that lifts steel and a beam.",
    "The crane stood by the beam of steel all day.",
    "beam and steel by a crane",
)


def _describe(number: int, words: tuple[str, ...], name: str) -> Sense:
    example = ExampleLine("Stored: a ", "crane", f" with {words[0]}.", "stored", 0.1)
    return Sense(number, 0.5, 0.1, words, words, (example,), name)


def make_model() -> SenseModel:
    """A model of one word with two senses; it is in no folder."""
    words = ["crane", *BIRDS, *MACHINES, *OTHERS]
    rows = [(0.5, 0.5), (1.0, 0.0), (2.0, 0.0), (0.0, 1.0), (0.0, 3.0), *[(0.1, 0.1)] * len(OTHERS)]
    vectors = WordVectors(words, np.array(rows, np.float32))
    senses = (_describe(1, BIRDS, "nest, wing"), _describe(2, MACHINES, "steel, beam"))
    entry = WordSenses("crane", 7, 7, np.eye(2, dtype=np.float32), senses)
    encoder = SubspaceEncoder(vectors, ContextShape(20, 1), frozenset(OTHERS))
    return SenseModel(encoder, SenseInventory([entry]), Tokenizer(), {"language": "en"})


def make_corpus(folder: Path) -> Corpus:
    """The texts above, each a document: "0", "1", ..."""
    return Corpus.from_texts(TEXTS, folder)
