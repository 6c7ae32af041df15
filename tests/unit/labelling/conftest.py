"""A corpus and a model so small that every distance can be worked out by hand.

Vectors lie on two axes: bird words on the first, machine words on the second. With rank 1 and two
words a side, a context of bird words is at distance 0 from the first axis and 1 from the second.
"""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.text.tokenizer import Tokenizer

WORDS = {
    "crane": (0.5, 0.5, 0.0),
    "nest": (1.0, 0.0, 0.0),
    "wing": (2.0, 0.0, 0.0),
    "steel": (0.0, 1.0, 0.0),
    "beam": (0.0, 3.0, 0.0),
    "mix": (0.6, 0.8, 0.0),
    "bank": (0.0, 0.0, 1.0),
}
FUNCTION_WORDS = frozenset({"the", "a"})
TEXTS = [
    "The crane in a nest: wing.",  # nest, wing: distances 0, 1
    "Steel crane, the beam.",  # steel, beam: 1, 0
    "Mix, the Crane",  # (0.6, 0.8): distances 0.8, 0.6
    "crane 7",  # no context
]


@pytest.fixture
def options() -> IngestOptions:
    # A shard per document: what goes on across shards is seen in all tests.
    return IngestOptions(function_words=FUNCTION_WORDS, shard_chars=5)


@pytest.fixture
def corpus(tmp_path, options) -> Corpus:
    return Corpus.from_texts(TEXTS, tmp_path / "corpus", options=options)


def make_model(lowercase: bool = True, **senses: list[tuple[float, ...]]) -> SenseModel:
    directions = senses or {"crane": [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]}
    entries = [
        WordSenses(word, 1, 1, np.array(rows, np.float32), ()) for word, rows in directions.items()
    ]
    vectors = WordVectors(list(WORDS), np.array(list(WORDS.values()), np.float32))
    encoder = SubspaceEncoder(vectors, ContextShape(2, 1), FUNCTION_WORDS)
    return SenseModel(encoder, SenseInventory(entries), Tokenizer(lowercase=lowercase))


@pytest.fixture
def model() -> SenseModel:
    return make_model()


@pytest.fixture
def make():
    return make_model


def _keys_of(corpus: Corpus) -> str:
    words = [*corpus.vocabulary.words, "<unknown>"]
    return " ".join(words[i] for shard in corpus.shards for i in shard.tokens)


@pytest.fixture
def keys_of():
    return _keys_of


def _contents(folder) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


@pytest.fixture
def contents():
    return _contents
