from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.errors import InputError
from grassmeans.evaluation.inducer_answers import (
    RunRecord,
    collect_lexemes,
    evaluate_on_test,
    evaluate_scws_senses,
    evaluate_senses,
)
from grassmeans.evaluation.instance_contexts import ContextReader
from grassmeans.evaluation.running import evaluate_clustering
from grassmeans.evaluation.similarity_running import evaluate_scws
from grassmeans.laboratory.rivals.grassmeans import GrassmeansSenses, ModelSenses
from grassmeans.laboratory.rivals.interface import InducedSenses
from grassmeans.laboratory.rivals.plain import WholeWords
from grassmeans.laboratory.rivals.trivial import SingleSenses
from grassmeans.lexemes.context_similarity import ContextSimilarity
from grassmeans.lexemes.lexeme_vectors import LexemeVectors

ROW = "{0}\tcrane\tn\t{1}\tn\t{2} <b> crane </b>\t{3} <b> {1} </b>\t{4}\t{4}\n"


class TwoSenses(InducedSenses):
    """Crane at a nest and crane at a beam; the second sense has no vector."""

    def __init__(self, space: WordVectors) -> None:
        self.words = ("crane",)
        self.space = space

    def n_senses(self, word: str) -> int:
        return 2

    def distances(self, word, context_ids):
        at_nest = (context_ids == 0).any(axis=1)
        found = np.stack([~at_nest, at_nest], axis=1).astype(np.float32)
        found[(context_ids < 0).all(axis=1)] = np.nan
        return found

    def sense_vectors(self, word):
        return np.array([[1, 0], [np.nan, np.nan]], np.float32)


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    rows = [
        ROW.format(1, "nest", "nest", "a", 7.0),
        ROW.format(2, "beam", "nest", "a", 1.0),
        ROW.format(3, "crane", "nest", "nest", 9.0),
        ROW.format(4, "crane", "nest", "beam", 2.0),
        ROW.format(5, "absent", "nest", "a", 5.0),
    ]
    (tmp_path / "ratings.txt").write_text("".join(rows))
    return tmp_path


def test_model_is_scored_as_it_is_without_the_interface(small_model, small_task) -> None:
    reader = ContextReader.for_model(small_model)
    for decode in ("hard", "soft"):
        expected = evaluate_clustering(small_task, small_model, decode=decode)
        found = evaluate_senses(small_task, ModelSenses(small_model), reader, decode=decode)
        assert found.key == expected.key
        assert found.scores == expected.scores
        assert found.counts == expected.counts


def test_model_is_scored_alike_on_the_instances(small_model, small_task) -> None:
    expected = evaluate_clustering(small_task, small_model, induce="on-test", random_state=3)
    reader = ContextReader.for_model(small_model)
    method = GrassmeansSenses(2, rank=1, window=2)
    found = evaluate_on_test(small_task, method, reader, random_state=3)
    assert found.key == expected.key
    assert found.parameters["induce"] == "on-test"


def test_record_of_the_method_is_kept(small_model, small_task) -> None:
    record = RunRecord({"method": "x", "n_senses": 2}, {"corpus": "c"})
    reader = ContextReader.for_model(small_model)
    found = evaluate_senses(small_task, ModelSenses(small_model), reader, record=record).to_dict()
    assert found["parameters"] == {
        "induce": "on-corpus",
        "decode": "hard",
        "method": "x",
        "n_senses": 2,
    }
    assert found["digests"] == {"data": small_task.digest, "corpus": "c"}


def test_unknown_decoding_is_refused(small_model, small_task) -> None:
    reader = ContextReader.for_model(small_model)
    with pytest.raises(InputError, match="decode must be one of hard, soft, got 'x'"):
        evaluate_senses(small_task, ModelSenses(small_model), reader, decode="x")


def test_lexeme_vectors_of_a_model_give_the_same_similarities(ratings: Path, small_model) -> None:
    keys = ["crane.1", "crane.2", "crane.0", "nest", "beam"]
    vectors = np.array([[1, 0], [0, 1], [1, 1], [1, 0], [0, 1]], np.float32)
    lexemes = LexemeVectors(WordVectors(keys, vectors))
    expected = evaluate_scws(ratings, small_model.vectors, ContextSimilarity(small_model, lexemes))
    reader = ContextReader.for_model(small_model)
    found = evaluate_scws_senses(ratings, ModelSenses(small_model, lexemes), reader)
    for part in ("all", "lite"):
        assert found.groups[part]["hard"] == expected.groups[part]["hard"]
        assert found.groups[part]["soft"] == expected.groups[part]["soft"]
    assert found.counts == expected.counts


def test_vectors_of_senses_and_of_whole_words(small_model) -> None:
    space = WordVectors(["crane", "nest"], np.array([[1, 1], [2, 0]], np.float32))
    lexemes = collect_lexemes(TwoSenses(space), ["Crane", "nest", "absent"])
    assert lexemes is not None
    assert lexemes.vectors.words == ["crane.1", "crane", "nest"]
    # The sense without a vector, and an occurrence that tells nothing, stand for the whole word.
    assert lexemes.hard_similarity("crane", 2, "nest", None) == pytest.approx(0.5**0.5)
    assert lexemes.hard_similarity("crane", 1, "nest", None) == pytest.approx(1)
    assert collect_lexemes(SingleSenses(("crane",)), ["crane"]) is None


def test_similarity_of_words_without_senses_and_of_poor_contexts(
    tmp_path: Path, small_model
) -> None:
    row = "{0}\t{1}\tn\tnest\tn\t{2} <b> {1} </b>\tx <b> nest </b>\t{3}\t{3}\n"
    rows = [
        row.format(1, "crane", "nest", 9.0),  # sense 1: cosine 1
        row.format(2, "crane", "unseen", 5.0),  # the whole word: 0.71
        row.format(3, "beam", "nest", 1.0),  # no senses: 0
        row.format(4, "absent", "nest", 1.0),
    ]
    (tmp_path / "ratings.txt").write_text("".join(rows))
    space = WordVectors(["crane", "nest", "beam"], np.array([[1, 1], [2, 0], [0, 1]], np.float32))
    reader = ContextReader.for_model(small_model)
    found = evaluate_scws_senses(tmp_path, TwoSenses(space), reader).groups["all"]["hard"]
    assert (found.spearman, found.n_used, found.n_missing) == (pytest.approx(100), 3, 1)


def test_plain_vectors_are_hard_and_soft_at_once(ratings: Path, small_model) -> None:
    words = ["crane", "nest", "beam"]
    vectors = WordVectors(words, np.array([[2, 1], [1, 0], [0, 1]], np.float32))
    reader = ContextReader.for_model(small_model)
    groups = evaluate_scws_senses(ratings, WholeWords(("crane",), vectors), reader).groups["all"]
    assert groups["hard"] == groups["soft"] == groups["plain"]
    single = evaluate_scws_senses(ratings, SingleSenses(("crane",)), reader)
    assert list(single.groups["all"]) == ["plain"]
