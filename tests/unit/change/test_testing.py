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


def test_a_larger_chance_never_has_the_smaller_corrected_value():
    # 0.005 * 4 = 0.02, 0.03 * 4 / 2 = 0.06, 0.036 * 4 / 3 = 0.048, 0.9: the second falls to 0.048.
    found = correct_many(np.array([0.9, 0.03, 0.005, 0.036]))
    assert found == pytest.approx([0.9, 0.048, 0.02, 0.048])


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


def test_what_is_not_known_is_no_sense():
    # The same sense on both sides; "I don't know" (0) in the second alone.
    word = [(0, [1])] * 10 + [(1, [0, 1])] * 10
    (found,) = find_p_values(make_uses([word]), (0, 1), np.array([True]), 999)
    assert found == 1.0


def test_words_in_the_same_documents_are_told_apart():
    # The last document of the first word is the first one of the second.
    number = np.arange(20, dtype=np.int32)
    late = (number >= 10).astype(np.int32)
    columns = np.repeat([0, 1], 20), np.append(number, number + 19), np.tile(1 + late, 2)
    uses = Uses(["a", "b"], np.full(2, 2), *columns, np.tile(late, 2), np.ones(40, np.int32))
    found = find_p_values(uses, (0, 1), np.array([True, True]), 999)
    assert found == pytest.approx([1 / 1000] * 2)


def test_a_document_is_exchanged_with_all_its_senses():
    # Of two documents there is one other division, which differs as much.
    word = [(0, [1, 1, 2]), (1, [1, 2, 2])]
    (found,) = find_p_values(make_uses([word]), (0, 1), np.array([True]), 999)
    assert found == 1.0


def test_a_word_is_given_up_after_twenty_divisions_that_differ_as_much():
    # Its chance is then 20 in so many: with one more on either side it would be no whole number.
    rng = np.random.default_rng(3)
    uses = make_uses(draw_words(rng, 20, clustered=False))
    found = find_p_values(uses, (0, 1), np.ones(20, bool), 5000, random_state=1)
    given_up = found > 0.01
    assert given_up.sum() > 15
    n_done = 20 / found[given_up]
    np.testing.assert_allclose(n_done, np.round(n_done), rtol=1e-9)
    again = find_p_values(uses, (0, 1), np.ones(20, bool), 5000, random_state=1)
    np.testing.assert_array_equal(found, again)
    assert (found != find_p_values(uses, (0, 1), np.ones(20, bool), 5000, random_state=2)).any()


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


def wilson(share, n):
    """By the textbook, with z^2 = 3.841459."""
    centre = (share + 3.841459 / (2 * n)) / (1 + 3.841459 / n)
    spread = share * (1 - share) / n + 3.841459 / (4 * n * n)
    half = np.sqrt(3.841459 * spread) / (1 + 3.841459 / n)
    return centre - half, centre + half


@pytest.mark.parametrize(
    ("documents", "witnesses"),
    [
        # Two of four with one occurrence each: the variance between them is 4 / 4 times 4 / 3, that
        # of four independent ones 1, so that four are worth three.
        ([[1], [1], [2], [2]], 3),
        # Every document has both: they agree better than chance, and are worth all occurrences.
        ([[1, 2]] * 3, 6),
        # One document is one witness, whatever it says.
        ([[1, 1, 2, 2]], 1),
        # Of sizes 3 and 1: (3 - 3 * 3/4)^2 + (0 - 3/4)^2 = 9/8, times 2; over 3/16 times 4.
        ([[1, 1, 1], [2]], 4 / 3),
    ],
    ids=["single", "mixed", "one", "unequal"],
)
def test_witnesses_by_hand(documents, witnesses):
    uses = make_uses([[(0, senses) for senses in documents]])
    low, high = find_intervals(uses, uses.count_senses(1))
    said = [sense for senses in documents for sense in senses]
    expected = wilson(said.count(1) / len(said), witnesses)
    assert (low[0, 0, 0], high[0, 0, 0]) == pytest.approx(expected, abs=1e-6)


def test_what_is_not_known_is_no_witness():
    documents = [(0, [1]), (0, [1]), (0, [2]), (0, [2])]
    uses = make_uses([[*documents, (0, [0]), (0, [0, 0])]])
    low, high = find_intervals(uses, uses.count_senses(1))
    assert (low[0, 0, 0], high[0, 0, 0]) == pytest.approx(wilson(0.5, 3), abs=1e-6)


def test_documents_that_agree_are_worth_one_occurrence_each():
    # Wilson's lower end of two in two is 1 / (1 + z^2 / 2); of six in six it would be 0.61.
    uses = make_uses([[(0, [1, 1, 1]), (0, [1, 1, 1])]])
    low, high = find_intervals(uses, uses.count_senses(1))
    assert low[0, 0, 0] == pytest.approx(1 / (1 + 3.841459 / 2), abs=1e-6)
    assert high[0, 0, 0] == 1.0


def test_witnesses_of_words_in_the_same_document_and_of_groups():
    # Words "a" and "b" are both in document 1; each has two documents of two senses: two over a
    # ratio of 2 are worth one. In the other group "b" has one document.
    word, document = [0, 0, 1, 1, 1], [0, 1, 1, 2, 3]
    columns = (np.array(x, np.int32) for x in (word, document, [1, 2, 1, 2, 1], [0, 0, 0, 0, 1]))
    uses = Uses(["a", "b"], np.full(2, 2), *columns, np.ones(5, np.int32))
    low, _ = find_intervals(uses, uses.count_senses(2))
    assert low[:, 0, 0] == pytest.approx([wilson(0.5, 1)[0]] * 2, abs=1e-6)
    assert low[1, 1, 0] == pytest.approx(1 / (1 + 3.841459), abs=1e-6)
