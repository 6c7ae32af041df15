from __future__ import annotations

import numpy as np
import pytest

from grassmeans.change.testing import correct_many, find_intervals, find_p_values
from grassmeans.change.uses import Uses


def make_uses(words, n_senses=2):
    """Each word is a list of documents: (group, [sense of each occurrence])."""
    rows = []
    number = 0
    for i, documents in enumerate(words):
        for group, senses in documents:
            rows += [
                (i, number, sense, group, senses.count(sense)) for sense in sorted(set(senses))
            ]
            number += 1
    columns = np.array(rows, np.int32).T
    names = [f"w{i}" for i in range(len(words))]
    return Uses(names, np.full(len(words), n_senses), *columns)


def test_corrected_values_by_hand():
    # Of four tests: 0.01 * 4, 0.02 * 4 / 2, 0.03 * 4 / 3, 0.5.
    found = correct_many(np.array([0.02, np.nan, 0.01, 0.5, 0.03]))
    assert found[[0, 2, 3, 4]] == pytest.approx([0.04, 0.04, 0.5, 0.04])
    assert np.isnan(found[1])
    assert len(correct_many(np.empty(0))) == 0


def test_smallest_chance_of_a_complete_change():
    word = [(int(i >= 10), [1 + int(i >= 10)]) for i in range(20)]
    (found,) = find_p_values(make_uses([word]), (0, 1), np.array([True]), 999)
    assert found == pytest.approx(1 / 1000)


def test_groups_of_a_pair_alone_are_looked_at():
    word = [(0, [1])] * 10 + [(1, [1])] * 10 + [(2, [2])] * 10
    uses = make_uses([word, word])
    found = find_p_values(uses, (0, 1), np.array([True, False]), 999)
    assert found[0] == 1.0
    assert np.isnan(found[1])


def draw_words(rng, n_words, clustered):
    """Words whose senses stay; documents have several occurrences, mostly of one sense."""
    words = []
    for _ in range(n_words):
        share = rng.uniform(0.1, 0.9)
        documents = []
        for d in range(40):
            size = int(rng.integers(1, 6))
            if clustered:
                senses = [1 + int(rng.random() < share)] * size
            else:
                senses = [1 + int(x) for x in rng.random(size) < share]
            documents.append((int(d >= 25), senses))
        words.append(documents)
    return words


@pytest.mark.parametrize("clustered", [False, True])
def test_false_alarms_come_at_the_promised_rate(clustered):
    # Also where the occurrences of a document all have one sense, as they mostly do.
    rng = np.random.default_rng(7)
    uses = make_uses(draw_words(rng, 1000, clustered))
    found = find_p_values(uses, (0, 1), np.ones(1000, bool), 1000, random_state=1)
    for level in (0.05, 0.2):
        share = (found <= level).mean()
        assert share == pytest.approx(level, abs=3 * np.sqrt(level * (1 - level) / 1000))
    assert (correct_many(found) <= 0.05).sum() == 0


def test_changes_are_found_among_many_words():
    rng = np.random.default_rng(8)
    words = draw_words(rng, 200, True)
    for word in words[:30]:
        word[:] = [(group, [1 + group] * len(senses)) for group, senses in word]
    found = find_p_values(make_uses(words), (0, 1), np.ones(200, bool), 20_000)
    changed = correct_many(found) <= 0.05
    assert changed[:30].all()
    assert changed[30:].sum() <= 4  # 5% of some 30


def test_intervals_count_documents_and_not_occurrences():
    # Ten documents with one occurrence, or with ten of the same sense: the same witnesses.
    alone = [(0, [1 + int(d >= 5)]) for d in range(10)]
    many = [(0, [1 + int(d >= 5)] * 10) for d in range(10)]
    uses = make_uses([alone, many])
    low, high = find_intervals(uses, uses.count_senses(1))
    assert low[1, 0, 0] == pytest.approx(low[0, 0, 0])
    # Nearly Wilson's of 5 in 10, which is 0.237 to 0.763: the variance is divided by n - 1.
    assert (low[0, 0, 0], high[0, 0, 0]) == pytest.approx((0.237, 0.763), abs=0.02)


def test_intervals_hold_95_percent_of_the_shares():
    rng = np.random.default_rng(9)
    hits = 0
    for _ in range(300):
        word = []
        for _ in range(30):
            size = int(rng.integers(1, 5))
            word.append((0, [1 + int(rng.random() < 0.3)] * size))
        uses = make_uses([word])
        low, high = find_intervals(uses, uses.count_senses(1))
        hits += bool(low[0, 0, 1] <= 0.3 <= high[0, 0, 1])
    assert 0.91 <= hits / 300 <= 0.98


def test_a_group_without_occurrences_has_no_interval():
    uses = make_uses([[(0, [1]), (0, [1])]])
    low, high = find_intervals(uses, uses.count_senses(2))
    assert np.isnan(low[0, 1]).all()
    assert high[0, 0, 1] < 0.8  # two documents of another sense say a little
    assert low[0, 0, 1] == 0.0
