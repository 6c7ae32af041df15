from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.evaluation.tasks.similarity_scores import (
    WordPair,
    bootstrap_correlation,
    correlate_ranks,
    read_scws,
    read_word_pairs,
    score_word_pairs,
)

RATINGS = Path(__file__).parents[6] / "shared" / "data" / "scws" / "ratings.txt"
LINE = "7\tBank\tn\tmoney\tn\tthe <b> Bank </b> of\tno <b> money </b>\t2.5\t1.0\t4.0"

# At angles of 0, 30, 60 and 90 degrees.
ANGLES = np.radians([0, 30, 60, 90])
VECTORS = WordVectors(["a", "b", "c", "d"], np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1))


def put(folder: Path, content: str) -> Path:
    path = folder / "pairs.txt"
    path.write_text(content)
    return path


def test_tabs_spaces_header_and_comments(tmp_path: Path) -> None:
    path = put(tmp_path, "# from somewhere\nword1 word2 score\nice cream\tsun\t2.5\nold new 1\n")
    assert read_word_pairs(path) == [WordPair("ice cream", "sun", 2.5), WordPair("old", "new", 1.0)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a b 1\na b\n", "line 2: expected 'word1 word2 score', found 'a b'"),
        ("a b 1\na b much\n", "line 2"),
        ("a b\n", "line 1"),
        ("word1 word2 score\n", "holds no word pairs"),
    ],
)
def test_damaged_pairs_name_the_line(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_word_pairs(put(tmp_path, content))


def test_rank_correlation_by_hand() -> None:
    # Squared rank differences 0, 1, 1, 0: 1 - 6 * 2 / (4 * 15) = 0.8
    assert correlate_ranks([1, 2, 3, 4], [10, 30, 20, 99]) == pytest.approx(80)
    assert correlate_ranks([1, 2, 3], [3, 2, 1]) == pytest.approx(-100)
    # Ranks 1, 2.5, 2.5 against 1, 2, 3: covariance 1.5, variances 1.5 and 2.
    assert correlate_ranks([0, 5, 5], [1, 2, 3]) == pytest.approx(100 * 1.5 / math.sqrt(3))


def test_rank_correlation_where_it_is_not_defined() -> None:
    assert math.isnan(correlate_ranks([], []))
    assert math.isnan(correlate_ranks([1], [2]))
    assert math.isnan(correlate_ranks([1, 1], [2, 3]))
    with pytest.raises(InputError, match="got 1, 2"):
        correlate_ranks([1], [1, 2])


def test_pairs_are_scored_and_missing_ones_counted() -> None:
    pairs = [
        WordPair("A", "b", 9),  # 30 degrees, found in lower case
        WordPair("a", "c", 3),  # 60 degrees
        WordPair("a", "d", 5),  # 90 degrees
        WordPair("a", "x", 1),
        WordPair("X", "y", 1),
    ]
    score = score_word_pairs(VECTORS, pairs)
    # Ranks of ratings 3, 1, 2 against 3, 2, 1: 1 - 6 * 2 / (3 * 8) = 0.5
    assert score.spearman == pytest.approx(50)
    assert (score.n_used, score.n_missing) == (3, 2)
    assert score.missing_words == ("x", "X", "y")


def test_interval_of_a_correlation() -> None:
    rng = np.random.default_rng(0)
    first = rng.normal(size=400)
    second = 0.6 * first + 0.8 * rng.normal(size=400)
    interval = bootstrap_correlation(first.tolist(), second.tolist())
    assert interval is not None
    score = correlate_ranks(first.tolist(), second.tolist())
    assert interval.low < score < interval.high
    # The standard error of a rank correlation of 0.58 over 400 pairs is about 0.036.
    assert 10 < interval.high - interval.low < 19
    perfect = bootstrap_correlation([1, 2, 3], [4, 5, 6])
    assert perfect is not None
    assert (perfect.low, perfect.high) == pytest.approx((100, 100))
    assert bootstrap_correlation([1, 2], [3, 3]) is None


def put_ratings(folder: Path, *lines: str) -> Path:
    path = folder / "ratings.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_pairs_in_context(tmp_path: Path) -> None:
    (pair,) = read_scws(put_ratings(tmp_path, LINE))
    assert pair.id == "7"
    assert (pair.rating, pair.ratings) == (2.5, (1.0, 4.0))
    assert (pair.first.target, pair.first.pos, pair.first.id) == ("Bank", "n", "7.first")
    assert (pair.first.left, pair.first.word, pair.first.right) == ("the  ", "Bank", "  of")
    assert pair.second.word == "money"
    assert pair.word_pair == WordPair("Bank", "money", 2.5)
    assert pair.has_same_form is False


def test_same_form_in_any_case(tmp_path: Path) -> None:
    (pair,) = read_scws(put_ratings(tmp_path, LINE.replace("money", "bank")))
    assert pair.has_same_form is True


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("7\tBank\tn", "line 2: expected at least 8 columns .* found 3"),
        (LINE.replace("2.5", "high"), "line 2: a rating is missing or not a number"),
        (LINE.replace("<b> money </b>", "money"), "line 2: the target 'money' is not marked"),
    ],
)
def test_damaged_lines_are_named(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_scws(put_ratings(tmp_path, LINE, line))


@pytest.mark.shared
@pytest.mark.skipif(not RATINGS.is_file(), reason="the test set is not here")
def test_published_ratings() -> None:
    pairs = read_scws(RATINGS)
    assert len(pairs) == 2003
    assert sum(pair.has_same_form for pair in pairs) == 241
