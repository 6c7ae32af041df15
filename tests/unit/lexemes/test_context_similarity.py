from __future__ import annotations

import numpy as np
import pytest

from grassmeans.lexemes.context_similarity import ContextSimilarity, Passage
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.models.model import SenseModel
from grassmeans.senses.decoding import decode_hard, decode_soft
from grassmeans.vectors.word_vectors import WordVectors
from synthetic import SyntheticCorpus

SENSES = {
    "crane.1": (1.0, 0.0),
    "crane.2": (0.0, 1.0),
    "bank.1": (0.6, 0.8),
    "bank.2": (1.0, 0.0),
    "harbour": (0.0, 2.0),
}


def lexemes_with(extra: dict[str, tuple[float, float]]) -> LexemeVectors:
    table = SENSES | extra
    return LexemeVectors(WordVectors(list(table), list(table.values())))


@pytest.fixture
def lexemes() -> LexemeVectors:
    return lexemes_with({"crane.0": (-1.0, 0.0)})


def passage_about(synthetic: SyntheticCorpus, topic: int, word: str) -> Passage:
    words = synthetic.topic_words[topic]
    return Passage(f"The {words[0]} of {words[1]} {words[2]}", word, f"was {words[3]} {words[4]}.")


def test_senses_and_probabilities_are_those_of_the_model(
    model: SenseModel, lexemes: LexemeVectors, synthetic: SyntheticCorpus
) -> None:
    similarity = ContextSimilarity(model, lexemes, idk_threshold=None)
    passages = [passage_about(synthetic, topic, "crane") for topic in (0, 1)]
    decoded = similarity.decode([*passages, Passage("", "harbour", "")])
    distances = model.distances("crane", [(p.left, p.right) for p in passages])
    assert [d.sense for d in decoded[:2]] == (decode_hard(distances, None) + 1).tolist()
    assert decoded[0].sense != decoded[1].sense
    assert np.allclose([d.probabilities for d in decoded[:2]], decode_soft(distances))
    assert decoded[2].sense is None
    assert decoded[2].probabilities is None


def test_hard_and_soft_similarity_follow_the_definition(
    model: SenseModel, lexemes: LexemeVectors, synthetic: SyntheticCorpus
) -> None:
    similarity = ContextSimilarity(model, lexemes, idk_threshold=None)
    crane, bank = passage_about(synthetic, 0, "crane"), passage_about(synthetic, 2, "bank")
    a, b = similarity.decode([crane, bank])
    cosines = np.array([[0.6, 1.0], [0.8, 0.0]])  # crane.k (rows) with bank.k (columns)
    assert similarity.hard(crane, bank) == pytest.approx(cosines[a.sense - 1, b.sense - 1])
    expected = np.array(a.probabilities) @ cosines @ np.array(b.probabilities)
    assert similarity.soft(crane, bank) == pytest.approx(expected)


def test_idk_stands_for_the_zeroth_lexeme(
    model: SenseModel, lexemes: LexemeVectors, synthetic: SyntheticCorpus
) -> None:
    similarity = ContextSimilarity(model, lexemes, idk_threshold=0.0)  # nothing is near enough
    crane = passage_about(synthetic, 0, "crane")
    bank = passage_about(synthetic, 2, "bank")
    decoded = similarity.decode([crane, bank])
    assert decoded[0].sense == 0
    assert decoded[1].sense in (1, 2)  # there is no bank.0 (soft labels): the nearest sense
    found = similarity.compare([(crane, bank), (crane, Passage("", "harbour", ""))])
    assert found.hard[1] == pytest.approx(0.0)  # crane.0 and harbour
    assert (found.n_occurrences, found.n_decoded, found.n_idk) == (4, 3, 2)


def test_a_context_without_known_words_is_idk_and_uniform(
    model: SenseModel, lexemes: LexemeVectors
) -> None:
    similarity = ContextSimilarity(model, lexemes)
    empty = Passage("the", "Crane", "of xyzzy")
    decoded = similarity.decode([empty])[0]
    assert (decoded.word, decoded.sense, decoded.probabilities) == ("crane", 0, (0.5, 0.5))
    harbour = Passage("", "harbour", "")
    assert similarity.hard(empty, harbour) == pytest.approx(0.0)
    assert similarity.soft(empty, harbour) == pytest.approx(0.5)


def test_pairs_with_a_word_without_vectors_are_counted(
    model: SenseModel, lexemes: LexemeVectors
) -> None:
    similarity = ContextSimilarity(model, lexemes)
    known, unknown = Passage("", "harbour", ""), Passage("", "xyzzy", "")
    found = similarity.compare([(known, unknown), (unknown, unknown), (known, known)])
    assert np.isnan(found.hard).tolist() == [True, True, False]
    assert np.isnan(found.soft).tolist() == [True, True, False]
    assert found.hard[2] == pytest.approx(1.0)
    assert found.n_missing == 2
    assert found.missing_words == ("xyzzy",)
    assert similarity.hard(known, unknown) is None
    assert similarity.soft(unknown, known) is None


def test_a_word_of_the_inventory_without_its_own_lexemes_uses_the_plain_vector(
    model: SenseModel, synthetic: SyntheticCorpus
) -> None:
    similarity = ContextSimilarity(model, lexemes_with({"bass": (0.0, 3.0)}))
    bass = passage_about(synthetic, 4, "bass")
    assert similarity.hard(bass, Passage("", "harbour", "")) == pytest.approx(1.0)
    assert similarity.soft(bass, Passage("", "harbour", "")) == pytest.approx(1.0)
