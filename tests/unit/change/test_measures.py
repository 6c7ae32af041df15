from __future__ import annotations

import math

import numpy as np
import pytest

from grassmeans.change.measures import (
    LIKENESS,
    average_pairwise_distance,
    correct_many,
    describe_contexts,
    find_intervals,
    find_p_values,
    jensen_shannon,
    prototype_distance,
)
from grassmeans.change.uses import Uses
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.geometry.windows import ContextShape
from grassmeans.vectors.word_vectors import WordVectors


def test_distributions_without_anything_in_common_are_one_apart():
    assert jensen_shannon(np.array([4.0, 0.0]), np.array([0.0, 9.0])) == 1.0
    assert jensen_shannon(np.array([2.0, 6.0]), np.array([0.25, 0.75])) == 0.0
    # The root of a rounding error of 1e-16 would be 1e-8.
    shares = np.array([0.27456492595745197, 0.708322913972445, 0.017112160070102904])
    rounded = np.array([0.27456492595745235, 0.708322913972445, 0.01711216007010293])
    assert jensen_shannon(shares, rounded) == 0.0


def test_jensen_shannon_of_half_a_sense_by_hand():
    # Shares (1, 0) and (1/2, 1/2): H(3/4, 1/4) - 1/2 bits.
    mean = -(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))
    found = jensen_shannon(np.array([3.0, 0.0]), np.array([5.0, 5.0]))
    assert found == pytest.approx(math.sqrt(mean - 0.5))


def test_a_side_without_occurrences_has_no_distance():
    found = jensen_shannon(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 1.0], [1.0, 0.0]]))
    assert np.isnan(found[0])
    assert found[1] == 0.0
    nothing = np.empty((0, 2), np.float32)
    assert math.isnan(average_pairwise_distance(nothing, np.eye(2, dtype=np.float32)))
    assert math.isnan(prototype_distance(nothing, np.eye(2, dtype=np.float32)))


def test_pairs_and_prototypes_by_hand():
    first = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
    second = np.array([[1.0, 0.0]], np.float32)
    assert average_pairwise_distance(first, second) == pytest.approx(0.5)  # cosines 1 and 0
    assert prototype_distance(first, second) == pytest.approx(1 - math.sqrt(0.5))
    # The same two on either side: cosines 1, 0, 0 and 1, but the same mean.
    assert average_pairwise_distance(first, first) == pytest.approx(0.5)
    assert prototype_distance(first, first) == pytest.approx(0.0)
    assert math.isnan(prototype_distance(first, np.array([[1, 0], [-1, 0]], np.float32)))


@pytest.fixture
def encoder():
    # So few words that one of them stands for a context.
    # "bank" lies between "river" and "money"; "verb" has nothing to do with it.
    rows = {"bank": [1, 1, 0], "river": [1, 0.4, 0], "money": [0.4, 1, 0], "verb": [0, 0, 1]}
    vectors = WordVectors(list(rows), np.array(list(rows.values()), np.float32))
    return SubspaceEncoder(vectors, ContextShape(rank=1), frozenset())


def test_a_context_stands_for_the_words_that_fit_and_are_like_the_word(encoder):
    # Both contexts ask for "verb" most, as texts of one style do; next to it for one of the others.
    lines = np.array([[[0.6, 0.1, 0.79]], [[0.1, 0.6, 0.79]]], np.float32)
    lines /= np.linalg.norm(lines, axis=2, keepdims=True)
    found = describe_contexts("bank", lines, encoder)
    unit = encoder.vectors.vectors / np.linalg.norm(encoder.vectors.vectors, axis=1, keepdims=True)
    assert LIKENESS == 0.5
    np.testing.assert_allclose(found, unit[[1, 2]], atol=1e-6)


def test_a_word_without_vector_stands_where_its_contexts_point_to(encoder):
    lines = np.zeros((3, 1, 3), np.float32)
    lines[:2, 0] = [[1.0, 0.3, 0.0], [1.0, 0.5, 0.0]]
    lines[:2] /= np.linalg.norm(lines[:2], axis=2, keepdims=True)
    found = describe_contexts("brook", lines, encoder)
    river = np.array([1, 0.4, 0]) / np.linalg.norm([1, 0.4, 0])
    np.testing.assert_allclose(found[:2], [river, river], atol=1e-6)
    assert not found[2].any()  # it says nothing


class PointingEncoder(SubspaceEncoder):
    """Lines with ends, as learned contexts have."""

    lines_have_ends = True


def make_encoder(rows, kind=SubspaceEncoder):
    vectors = WordVectors(list(rows), np.array(list(rows.values()), np.float32))
    return kind(vectors, ContextShape(rank=1), frozenset())


def unit(*rows):
    found = np.array(rows, np.float64)
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def test_the_word_itself_does_not_stand_for_its_contexts(encoder):
    # Nearer to "bank" than to any other word, and to "river" next.
    found = describe_contexts("bank", unit([1.0, 0.7, 0.0])[:, None], encoder)
    np.testing.assert_allclose(found, unit([1, 0.4, 0]), atol=1e-6)


def test_all_of_a_subspace_counts(encoder):
    # "verb" and "river" lie inside it; "river" is like "bank".
    plane = unit([0.0, 0.0, 1.0], [1.0, 0.4, 0.0])
    found = describe_contexts("bank", np.stack([plane, plane[::-1]]), encoder)
    np.testing.assert_allclose(found, unit([1, 0.4, 0], [1, 0.4, 0]), atol=1e-6)


def test_contexts_of_an_unknown_word_point_to_one_of_two_opposite_words():
    # Lines fit both ends equally well: to be like the place where the contexts meet decides.
    encoder = make_encoder({"north": [0, 1, 0], "south": [0, -1, 0]})
    lines = unit([0.1, 1.0, 0.0], [-0.1, 1.0, 0.0])[:, None]
    for side, towards in ((1.0, [0, 1, 0]), (-1.0, [0, -1, 0])):
        found = describe_contexts("brook", side * lines, encoder)
        np.testing.assert_allclose(found, [towards, towards], atol=1e-6)


def test_lines_with_ends_stand_for_the_words_that_they_point_to():
    encoder = make_encoder({"east": [1, 0], "north": [0, 1], "south": [0, -1]}, PointingEncoder)
    lines = unit([0.0, -1.0], [0.0, 1.0])[:, None]
    found = describe_contexts("east", lines, encoder)
    np.testing.assert_allclose(found, [[0, -1], [0, 1]], atol=1e-6)


def test_an_unknown_word_stands_at_the_mean_of_lines_with_ends():
    # (1, 0) and twice (0, 1) meet at (1, 2). With (1, 0) a cosine of 1 + 0.5 * 0.447 is less than
    # that of (0.8, 0.6), 0.8 + 0.5 * 0.894; by the first context alone it would be more.
    encoder = make_encoder({"x": [1, 0], "y": [0.8, 0.6], "z": [-1, 0]}, PointingEncoder)
    found = describe_contexts("brook", unit([1, 0], [0, 1], [0, 1])[:, None], encoder)
    np.testing.assert_allclose(found[0], [0.8, 0.6], atol=1e-6)
    # The mean of these is (0, 1), their main axis (1, 0).
    encoder = make_encoder({"east": [1, 0], "west": [-1, 0], "north": [0, 1]}, PointingEncoder)
    found = describe_contexts("brook", unit([0.8, 0.6], [-0.8, 0.6])[:, None], encoder)
    np.testing.assert_allclose(found, [[0, 1], [0, 1]], atol=1e-6)


@pytest.mark.parametrize(("n_others", "n_fitting"), [(39, 1), (40, 2), (439, 20)])
def test_a_twentieth_of_the_words_stand_for_a_context_and_twenty_at_most(n_others, n_fitting):
    # Words turn away from the context step by step; the nearest are taken.
    angles = np.radians(np.linspace(0.0, 80.0, n_others))
    rows = {f"w{i}": [np.cos(a), np.sin(a), 0] for i, a in enumerate(angles)}
    encoder = make_encoder({"crane": [0, 0, 1], **rows})
    found = describe_contexts("crane", np.eye(1, 3, dtype=np.float32)[None], encoder)
    nearest = np.array(list(rows.values()))[:n_fitting].mean(axis=0)
    np.testing.assert_allclose(found[0], nearest / np.linalg.norm(nearest), atol=1e-5)


def test_no_context_falls_between_two_blocks(encoder):
    lines = np.repeat(unit([1.0, 0.3, 0.0])[None], 600, axis=0)
    found = describe_contexts("bank", lines, encoder)
    np.testing.assert_allclose(found, np.repeat(unit([1, 0.4, 0]), 600, axis=0), atol=1e-6)


def test_a_word_alone_stands_for_nothing():
    encoder = make_encoder({"crane": [1, 0]})
    assert not describe_contexts("crane", np.eye(1, 2, dtype=np.float32)[None], encoder).any()


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
