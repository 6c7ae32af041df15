from __future__ import annotations

from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.similarity_scores import WordPair
from grassmeans.evaluation.tasks.scws import read_scws

RATINGS = Path(__file__).parents[5] / "shared" / "data" / "scws" / "ratings.txt"
LINE = "7\tBank\tn\tmoney\tn\tthe <b> Bank </b> of\tno <b> money </b>\t2.5\t1.0\t4.0"


def put(folder: Path, *lines: str) -> Path:
    path = folder / "ratings.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_pairs_in_context(tmp_path: Path) -> None:
    (pair,) = read_scws(put(tmp_path, LINE))
    assert pair.id == "7"
    assert (pair.rating, pair.ratings) == (2.5, (1.0, 4.0))
    assert (pair.first.target, pair.first.pos, pair.first.id) == ("Bank", "n", "7.first")
    assert (pair.first.left, pair.first.word, pair.first.right) == ("the  ", "Bank", "  of")
    assert pair.second.word == "money"
    assert pair.word_pair == WordPair("Bank", "money", 2.5)
    assert pair.has_same_form is False


def test_same_form_in_any_case(tmp_path: Path) -> None:
    (pair,) = read_scws(put(tmp_path, LINE.replace("money", "bank")))
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
        read_scws(put(tmp_path, LINE, line))


@pytest.mark.shared
@pytest.mark.skipif(not RATINGS.is_file(), reason="the test set is not here")
def test_published_ratings() -> None:
    pairs = read_scws(RATINGS)
    assert len(pairs) == 2003
    assert sum(pair.has_same_form for pair in pairs) == 241
