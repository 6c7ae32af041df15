from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.errors import InputError
from grassmeans.evaluation.similarity_running import evaluate_scws, evaluate_word_pairs
from grassmeans.lexemes.context_similarity import ContextSimilarity
from grassmeans.lexemes.lexeme_vectors import LexemeVectors

ROW = "{0}\tcrane\tn\t{1}\tn\t{2} <b> crane </b>\t{3} <b> {1} </b>\t{4}\t{4}\n"


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


def test_scws_with_and_without_senses(ratings: Path, small_model) -> None:
    plain = WordVectors(["crane", "nest", "beam"], np.array([[1, 1], [1, 0], [0, 1]], np.float32))
    keys = ["crane.1", "crane.2", "nest", "beam"]
    lexemes = WordVectors(keys, np.array([[1, 0], [0, 1], [1, 0], [0, 1]], np.float32))
    similarity = ContextSimilarity(small_model, LexemeVectors(lexemes))
    result = evaluate_scws(ratings, plain, similarity)
    # Senses: 1 against nest, 0 against beam, 1 and 0 of the two cranes; ratings 7, 1, 9, 2.
    found = result.groups["all"]["hard"]
    assert (found.n_used, found.n_missing) == (4, 1)
    ranks = np.corrcoef([3, 1, 4, 2], [3.5, 1.5, 3.5, 1.5])[0, 1]
    assert found.spearman == pytest.approx(100 * ranks)
    assert result.groups["lite"]["hard"].spearman == pytest.approx(100)
    record = result.to_dict()
    assert record["lite"]["plain"]["spearman"] is None  # both are 1: nothing to rank
    assert record["counts"]["n_idk"] == 0
    assert record["parameters"]["idk"] == 0.6
    assert set(record["digests"]) == {"vectors", "data", "lexemes"}


def test_common_pairs_only_where_systems_miss_different_ones(ratings: Path, small_model) -> None:
    plain = WordVectors(["crane", "nest"], np.eye(2, dtype=np.float32))
    assert list(evaluate_scws(ratings / "ratings.txt", plain).groups) == ["all", "lite"]
    lexemes = WordVectors(["crane.1", "crane.2", "nest", "beam"], np.ones((4, 2), np.float32))
    similarity = ContextSimilarity(small_model, LexemeVectors(lexemes))
    groups = evaluate_scws(ratings, plain, similarity).groups
    assert list(groups)[2:] == ["all on common pairs", "lite on common pairs"]
    assert {score.n_used for score in groups["all on common pairs"].values()} == {3}


def test_files_of_word_pairs(tmp_path: Path) -> None:
    vectors = WordVectors(["a", "b", "c"], np.array([[1, 0], [1, 1], [0, 1]], np.float32))
    (tmp_path / "one.txt").write_text("a b 5\na c 1\na z 3\n")
    (tmp_path / "two.txt").write_text("a b 1\na c 5\n")
    result = evaluate_word_pairs(vectors, tmp_path)
    assert result.to_dict()["one"]["plain"] == {
        "spearman": 100.0,
        "spearman_interval": [100.0, 100.0],  # two pairs: every sample that counts has both
        "n_used": 2,
        "n_missing": 1,
    }
    assert result.groups["two"]["plain"].spearman == pytest.approx(-100)
    assert result.to_table().rows[0] == ("one", "plain", "100.00", "100.0–100.0", "2", "1")
    assert list(evaluate_word_pairs(vectors, tmp_path / "two.txt").groups) == ["two"]


def test_folder_without_word_pairs(tmp_path: Path) -> None:
    vectors = WordVectors(["a"], np.ones((1, 2), np.float32))
    with pytest.raises(InputError, match=r"holds no \.txt files"):
        evaluate_word_pairs(vectors, tmp_path)
