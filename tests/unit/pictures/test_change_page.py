from __future__ import annotations

import numpy as np

from grassmeans.change.comparing import ChangeSettings, Comparison, GroupShares, PairChange
from grassmeans.change.comparing import WordChange as Changed
from grassmeans.change.measures import Example
from grassmeans.pictures.change_page import draw_change_page


def make_shares(group, counts):
    counts = np.array(counts)
    n = counts.sum()
    shares = counts / n if n else counts * np.nan
    low, high = shares * 0.9, np.minimum(shares * 1.1, 1.0)
    return GroupShares(group, counts, low, high, 0, bool(n < 10))


def make_page(words, **changes):
    about = {"n_left_out": 0, "example_left_out": "", "n_tested": 1, "absent": ()} | changes
    found = Comparison(
        "date:decade", ("1850", "1900"), (3, 4), words=words, settings=ChangeSettings(), **about
    )
    return draw_change_page(found, "A <title>")


def make_word(first, second, pair):
    examples = [Example("1850", 1, "a ", "<crane>", " sat", "doc")]
    groups = [make_shares("1850", first), make_shares("1900", second)]
    return Changed("crane", ("bird", "machine"), groups, [pair], examples)


def test_a_change_is_told_drawn_and_shown():
    pair = PairChange("1850", "1900", 20, 20, 0.9, 0.5, 0.2, 0.001, 0.002, True, (2,), (1,))
    page = make_page([make_word([20, 0], [0, 20], pair)])
    assert "A &lt;title&gt;" in page
    assert "Changed from 1850 to 1900 (JSD 0.900); gained 2 (machine); lost 1 (bird)." in page
    assert page.count("<svg") == 2
    assert "&lt;crane&gt;" in page
    assert '<a href="#word-crane">crane</a>' in page
    assert "0.002 *" in page


def test_few_and_no_occurrences_are_shown_as_such():
    pair = PairChange("1850", "1900", 4, 0)
    page = make_page(
        [make_word([4, 0], [0, 0], pair)], n_left_out=7, example_left_out="once", absent=("kite",)
    )
    assert "too few to compare" in page
    assert "nothing is compared" in page
    assert page.count("<circle") == 2  # of the one group that has the word
    assert "7 documents belong to no group" in page
    assert "“once”" in page
    assert "In no group: kite." in page


def test_no_change_is_said():
    pair = PairChange("1850", "1900", 20, 20, 0.1, 0.5, 0.2, 0.5, 0.6)
    page = make_page([make_word([10, 10], [10, 10], pair)])
    assert "No change beyond chance between one pair of groups." in page
