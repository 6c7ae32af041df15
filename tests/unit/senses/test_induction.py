"""Words that a device encodes together, as many as the memory takes."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.geometry.rules import GroupingRules
from grassmeans.geometry.windows import ContextShape
from grassmeans.senses import induction
from grassmeans.senses.word_induction import WordInducer
from rays import Rays

A_CONTEXT = 4 * 2 * 8  # bytes of a basis of rank 2 in 8 dimensions
BATCHES = [["w1", "w2"], ["no", "w3"], ["w4", "w5"], ["w6"]]  # of 3, 3, 4 + 4 and 4 contexts


@pytest.fixture
def inducer() -> WordInducer:
    """Of a text in which the word ``wN`` occurs N times, and at most four times is looked at."""
    corpus = Corpus.from_texts([" ".join(f"w{n}" for n in range(1, 7) for _ in range(n))])
    vectors = WordVectors([f"w{n}" for n in range(1, 7)], np.eye(6, 8, dtype=np.float32))
    encoder = SubspaceEncoder(vectors, ContextShape(rank=2), frozenset())
    return WordInducer(corpus, encoder, InductionSettings(max_contexts=4))


@pytest.mark.parametrize(
    ("n_contexts", "sizes"),
    [(18, [4]), (17, [3, 1]), (13, [2, 2]), (6, [2, 1, 1]), (1, [1] * 4)],
)
def test_batches_are_encoded_together_as_the_memory_allows(
    monkeypatch, inducer, n_contexts, sizes
) -> None:
    monkeypatch.setattr(induction, "_FEWEST_BYTES", n_contexts * A_CONTEXT)
    monkeypatch.setattr(induction, "count_memory", lambda: 0)
    found = list(induction._cut_stretches(BATCHES, inducer, None))
    assert [batch for stretch in found for batch, _ in stretch] == BATCHES
    assert [len(stretch) for stretch in found] == sizes


def test_the_memory_is_known_or_taken_for_none(monkeypatch) -> None:
    assert induction.count_memory() > 1 << 28
    monkeypatch.delattr("os.sysconf")
    assert induction.count_memory() == 0


@pytest.mark.parametrize("n_senses", ["auto", 2])
def test_a_tree_is_not_made_ahead(n_senses) -> None:
    class Trees(Rays):
        grouping = GroupingRules(by_tree=True, few_contexts=5)

    vectors = WordVectors(["nest", "steel"], np.eye(2, dtype=np.float32))
    encoder = Trees(vectors, ContextShape(window=2, rank=1), frozenset())
    corpus = Corpus.from_texts(["nest crane", "steel crane"] * 30, language="none")
    inducer = WordInducer(corpus, encoder, InductionSettings(n_senses=n_senses))
    ahead = inducer.encode_ahead(["crane"]).group_ahead(["crane"])
    assert list(ahead.grouped) == ([] if n_senses == "auto" else ["crane"])
    assert len(ahead.encoded["crane"].bases) == 60
    np.testing.assert_array_equal(ahead("crane").directions, inducer("crane").directions)


@pytest.mark.parametrize("together", [True, False])
def test_contexts_that_overlap_are_encoded_together_on_a_cpu_too(monkeypatch, together) -> None:
    read: list[int] = []

    class Overlapping(Rays):
        def reads_twice(self, n_contexts, n_tokens):
            assert (n_contexts, n_tokens) == (120, 240)  # of all words, and of the text
            return together

        def encode_unordered(self, source, positions):
            read.append(len(positions))
            return super().encode_unordered(source, positions)

        encode_at = Rays.encode_at

    monkeypatch.setattr(induction, "BATCH_WORDS", 1)
    vectors = WordVectors(["nest", "steel"], np.eye(2, dtype=np.float32))
    texts = ["nest crane", "steel crane"] * 30 + ["nest bill", "steel bill"] * 30
    corpus = Corpus.from_texts(texts, language="none")
    settings = InductionSettings(n_senses=2)
    made = [
        kind(vectors, ContextShape(window=2, rank=1), frozenset()) for kind in (Overlapping, Rays)
    ]
    words = ["crane", "bill"]
    inducers = [WordInducer(corpus, encoder, settings) for encoder in made]
    found = list(induction.induce_words(words, inducers[0], show_progress=False))
    assert read == ([120] if together else [])  # of one word alone they need no order
    for entry, word in zip(found, words, strict=True):
        np.testing.assert_array_equal(entry.directions, inducers[1](word).directions)
