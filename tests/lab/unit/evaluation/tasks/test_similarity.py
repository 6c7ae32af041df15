from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.errors import InputError
from grassmeans.evaluation.running import evaluate
from grassmeans.evaluation.systems import ModelSystem, VectorSystem
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans_lab.evaluation.tasks.similarity import ScwsTask, WordPairsTask


def make_lexemes(keys: list[str], rows) -> LexemeVectors:
    return LexemeVectors(WordVectors(keys, np.array(rows, np.float32)))


def test_scws_with_and_without_senses(ratings: Path, small_model) -> None:
    plain = WordVectors(["crane", "nest", "beam"], np.array([[1, 1], [1, 0], [0, 1]], np.float32))
    keys = ["crane.1", "crane.2", "nest", "beam"]
    lexemes = make_lexemes(keys, [[1, 0], [0, 1], [1, 0], [0, 1]])
    result = evaluate(ScwsTask(ratings), ModelSystem(small_model, lexemes, vectors=plain))
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
    assert set(record["digests"]) == {"model", "vectors", "data", "lexemes"}


def test_cosines_that_differ_by_rounding_are_ties(tmp_path: Path) -> None:
    row = "{0}\t{1}\tn\t{2}\tn\t<b> {1} </b>\t<b> {2} </b>\t{3}\t{3}\n"
    rows = [("a", "b", 9.0), ("a", "c", 1.0), ("a", "d", 5.0)]
    text = "".join(row.format(i, *pair) for i, pair in enumerate(rows))
    (tmp_path / "ratings.txt").write_text(text)

    def correlate(angle: float) -> float:
        """a and b differ by an angle, so that their cosine is about 1 - angle^2 / 2; a is c."""
        turned = [np.cos(angle), np.sin(angle)]
        vectors = WordVectors(["a", "b", "c", "d"], np.array([[1, 0], turned, [1, 0], [0, 1]]))
        return evaluate(ScwsTask(tmp_path), VectorSystem(vectors)).groups["all"]["plain"].spearman

    # Ratings have the ranks 3, 1, 2. Six decimals of the cosines are looked at: 1 - 3e-7 is a tie
    # with 1 (ranks 2.5, 2.5, 1), 1 - 2e-6 is not (2, 3, 1). A different number of decimals would
    # change one of the two.
    tied = np.corrcoef([3, 1, 2], [2.5, 2.5, 1])[0, 1]
    apart = np.corrcoef([3, 1, 2], [2, 3, 1])[0, 1]
    assert correlate(np.sqrt(2 * 3e-7)) == pytest.approx(100 * tied)
    assert correlate(np.sqrt(2 * 2e-6)) == pytest.approx(100 * apart)


def test_common_pairs_only_where_ways_miss_different_ones(ratings: Path, small_model) -> None:
    plain = WordVectors(["crane", "nest"], np.eye(2, dtype=np.float32))
    task = ScwsTask(ratings / "ratings.txt")
    assert list(evaluate(task, VectorSystem(plain)).groups) == ["all", "lite"]
    lexemes = make_lexemes(["crane.1", "crane.2", "nest", "beam"], np.ones((4, 2)))
    groups = evaluate(task, ModelSystem(small_model, lexemes, vectors=plain)).groups
    assert list(groups)[2:] == ["all on common pairs", "lite on common pairs"]
    assert {score.n_used for score in groups["all on common pairs"].values()} == {3}


def test_threshold_of_the_model_decides_what_is_unknown(ratings: Path, small_model) -> None:
    lexemes = make_lexemes(["crane.1", "crane.2", "crane.0", "nest"], np.eye(4, 2))
    small_model.manifest["idk_threshold"] = 0.0
    task, system = ScwsTask(ratings), ModelSystem(small_model, lexemes)
    own = evaluate(task, system)
    assert (own.parameters["idk"], own.counts["n_idk"]) == (0.0, 7)  # every crane
    asked = evaluate(task, system, idk_threshold=0.6)
    assert (asked.parameters["idk"], asked.counts["n_idk"]) == (0.6, 0)
    assert evaluate(task, system, idk_threshold=None).parameters["idk"] is None


def test_directions_stand_in_for_lexemes(ratings: Path, small_model) -> None:
    # The directions of crane's senses are the vectors of nest and of beam: as with lexemes.
    groups = evaluate(ScwsTask(ratings), small_model).groups
    assert groups["lite"]["hard"].spearman == pytest.approx(100)
    assert list(evaluate(ScwsTask(ratings), VectorSystem(small_model.vectors)).groups["all"]) == [
        "plain"
    ]


def test_files_of_word_pairs(tmp_path: Path) -> None:
    vectors = WordVectors(["a", "b", "c"], np.array([[1, 0], [1, 1], [0, 1]], np.float32))
    (tmp_path / "one.txt").write_text("a b 5\na c 1\na z 3\n")
    (tmp_path / "two.txt").write_text("a b 1\na c 5\n")
    result = evaluate(WordPairsTask(tmp_path), VectorSystem(vectors))
    assert result.to_dict()["one"]["plain"] == {
        "spearman": 100.0,
        "spearman_interval": [100.0, 100.0],  # two pairs: every sample that counts has both
        "n_used": 2,
        "n_missing": 1,
    }
    assert result.groups["two"]["plain"].spearman == pytest.approx(-100)
    assert result.to_table().rows[0] == ("one", "plain", "100.00", "100.0–100.0", "2", "1")
    assert list(result.rows()[0].values()) == ["one", "plain", 100.0, 100.0, 100.0, 2, 1]
    single = evaluate(WordPairsTask(tmp_path / "two.txt"), VectorSystem(vectors))
    assert list(single.groups) == ["two"]


def test_tasks_without_instances_cannot_be_induced_on(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("a b 5\n")
    vectors = WordVectors(["a"], np.ones((1, 2), np.float32))
    with pytest.raises(InputError, match="wordsim has no instances to be grouped"):
        evaluate(WordPairsTask(tmp_path), VectorSystem(vectors), induce="on-test")


def test_folder_without_word_pairs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no \.txt files"):
        WordPairsTask(tmp_path)
