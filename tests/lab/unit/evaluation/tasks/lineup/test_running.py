from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from grassmeans import WordVectors
from grassmeans.errors import InputError
from grassmeans_lab.evaluation.sense_vectors import VectorSenses
from grassmeans_lab.evaluation.tasks.lineup.running import evaluate_lineup

WORDS = ["crane", "oak", "bird", "nest", "beam", "hook", "tree", "leaf"]
ROWS = [[4, 1], [-1, 4], [1, 0], [1, 0], [0, 1], [0, 1], [-1, 1], [-1, 1]]
TESTBED = "crane\tbird nest\ncrane\tbeam hook\noak\ttree leaf\noak\tabsent\nlost\tbird\n"


class FixedSenses(VectorSenses):
    """Sense vectors given by hand."""

    def __init__(self, vectors: dict[str, NDArray[np.float32]], space: WordVectors | None) -> None:
        self.words = tuple(vectors)
        self._space = space
        self._vectors = vectors

    @property
    def space(self) -> WordVectors | None:
        return self._space

    def n_senses(self, word: str) -> int:
        return len(self._vectors[word])

    def distances(self, word, occurrences):
        raise NotImplementedError

    def sense_vectors(self, word: str) -> NDArray[np.float32]:
        return self._vectors[word]


@pytest.fixture
def vectors() -> WordVectors:
    return WordVectors(WORDS, np.array(ROWS, np.float32))


@pytest.fixture
def testbed(tmp_path: Path) -> Path:
    path = tmp_path / "testbed.txt"
    path.write_text(TESTBED)
    return path


def test_word_vectors_alone(testbed: Path, vectors: WordVectors) -> None:
    result = evaluate_lineup(testbed, None, vectors, m=5, ks=(1, 2, 5), p=1)
    # All five senses stand in both lineups. Sums of |products|, and their means over the 8 words:
    #   senses      crane.1  crane.2  oak.1  lost.1
    #   crane          8        2       6       4
    #   oak            2        8      10       1
    #   others       2 2 0 0 2 2  0 0 2 2 2 2  2 2 2 2 4 4  1 1 0 0 1 1
    #   mean         18/8     18/8    32/8     9/8
    # crane: 5.75, -0.25, 2, 2.875 -> crane.1, lost.1, oak.1, crane.2
    # oak: -0.25, 5.75, 6, -0.125 -> oak.1, crane.2, lost.1, crane.1; oak.2 has no known word
    assert result.words == ("crane", "oak")
    assert result.words_without_vector == ("lost",)
    assert result.curves.precision.tolist() == [[1, 0.5, 0.5], [1, 0.5, 0.25]]
    assert result.curves.recall.tolist() == [[0.5, 0.5, 1], [0.5, 0.5, 0.5]]
    record = result.to_dict()
    assert record["all"]["k"] == [1, 2, 5]
    assert record["all"]["precision"] == [100, 50, 37.5]
    assert record["all"]["recall"] == [50, 50, 75]
    assert record["all"]["recall_interval"][2] == [50, 100]
    assert record["counts"]["n_definition_words_without_vector"] == 1
    assert record["counts"]["n_senses_without_known_words"] == 1
    assert record["counts"]["n_words_without_vector"] == 1
    assert record["parameters"]["vectors"] == "words"
    row = ("5", "37.50", "25.0–50.0", "75.00", "50.0–100.0", "2", "4.00")
    assert result.to_table().rows[2] == row
    told = result.rows()[2]
    assert (told["k"], told["precision"], told["recall_low"], told["recall_high"]) == (
        5,
        37.5,
        50,
        100,
    )


def test_sense_vectors_find_the_second_sense(testbed: Path, vectors: WordVectors) -> None:
    senses = FixedSenses({"crane": np.array([[9, 0], [0, 9]], np.float32)}, vectors)
    result = evaluate_lineup(testbed, senses, vectors, m=5, ks=(1, 2), p=1)
    # The senses add 18 0 18 9 and 0 18 18 0 to what crane's own vector gives:
    # 23.75 -0.25 20 11.875 names crane.1 and oak.1, 5.75 17.75 20 2.875 oak.1 and crane.2.
    assert result.curves.recall.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert result.counts["n_words_with_sense_vectors"] == 1
    three = evaluate_lineup(testbed, senses, vectors, m=5, ks=(3, 5), p=1, fill=False)
    assert three.curves.recall[0].tolist() == [1, 1]
    assert three.curves.precision[0] == pytest.approx([2 / 3, 2 / 3])


def test_unit_length_and_the_space_of_the_senses(testbed: Path, vectors: WordVectors) -> None:
    scaled = WordVectors(WORDS, np.array(ROWS, np.float32) * np.arange(1, 9)[:, None])
    raw = evaluate_lineup(testbed, None, scaled, m=5, ks=(1,))
    unit = evaluate_lineup(testbed, None, scaled, m=5, ks=(1, 2), normalize=True)
    assert unit.curves.recall.tolist() == (
        evaluate_lineup(
            testbed, None, vectors, m=5, ks=(1, 2), normalize=True
        ).curves.recall.tolist()
    )
    senses = FixedSenses({"none": np.zeros((1, 2), np.float32)}, scaled)
    elsewhere = evaluate_lineup(testbed, senses, vectors, m=5, ks=(1,))
    assert elsewhere.digests["vectors"] == raw.digests["vectors"]
    assert elsewhere.curves.recall.tolist() == raw.curves.recall.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"m": 1}, "m must be 2 or more"),
        ({"m": 4, "ks": (5,)}, "from 1 to m = 4"),
        ({"p": 0.0}, "p must be 1 or more"),
        ({"vocabulary_sample": 0}, "vocabulary_sample must be 1 or more"),
        ({"m": 6}, "choose a smaller m, or a larger testbed"),
    ],
)
def test_bad_options(testbed: Path, vectors: WordVectors, options, message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate_lineup(testbed, None, vectors, **options)


def test_sense_vectors_of_another_length(testbed: Path, vectors: WordVectors) -> None:
    senses = FixedSenses({"crane": np.ones((2, 3), np.float32)}, None)
    with pytest.raises(InputError, match="have 3 dimensions, the word vectors"):
        evaluate_lineup(testbed, senses, vectors, m=5, ks=(1,))


def test_no_word_is_known(testbed: Path) -> None:
    vectors = WordVectors(["bird"], np.ones((1, 2), np.float32))
    with pytest.raises(InputError, match=r"no word of .* has a vector"):
        evaluate_lineup(testbed, None, vectors)
