"""Divisions of documents by chance, against the real one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from grassmeans.kernels.arguments import SenseCounts

KERNEL = "permute_groups"


def run(kernels, words, n_permutations=2000, stop_after=10**9, seed=0):
    """Each word is a list of documents: (group, {sense: count})."""
    documents = [document for word in words for document in word]
    entries = [entry for _, counts in documents for entry in counts.items()]
    sizes = [len(counts) for _, counts in documents]
    given = SenseCounts(
        np.cumsum([0, *map(len, words)]).astype(np.int64),
        np.cumsum([0, *sizes]).astype(np.int64),
        np.array([sense for sense, _ in entries], np.int32),
        np.array([count for _, count in entries], np.int32),
        np.array([group for group, _ in documents], np.int32),
        3,
    )
    return kernels.permute_groups(given, n_permutations, stop_after, seed)


def information(word, groups):
    table = np.zeros((2, 3))
    for group, (_, counts) in zip(groups, word, strict=True):
        for sense, count in counts.items():
            table[group, sense] += count
    total = table.sum()
    outer = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    cells = table > 0
    return float((table[cells] * np.log(table[cells] / outer[cells])).sum())


def test_the_share_is_that_of_all_divisions(kernels) -> None:
    word = [(0, {0: 2}), (0, {0: 1, 1: 1}), (0, {1: 1}), (1, {1: 3}), (1, {2: 1}), (1, {0: 1})]
    real = information(word, [group for group, _ in word])
    divisions = list(itertools.combinations(range(6), 3))
    as_large = sum(
        information(word, [int(i in second) for i in range(6)]) >= real - 1e-9
        for second in divisions
    )
    expected = as_large / len(divisions)
    found = run(kernels, [word], 20_000)
    assert found.n_done[0] == 20_000
    spread = 4 * math.sqrt(expected * (1 - expected) / 20_000)
    assert found.n_as_large[0] / 20_000 == pytest.approx(expected, abs=spread)


def test_words_that_do_not_differ_are_given_up(kernels) -> None:
    same = [(i % 2, {0: 1}) for i in range(8)]
    apart = [(int(i >= 12), {int(i >= 12): 1}) for i in range(24)]
    found = run(kernels, [same, apart], stop_after=20)
    assert found.n_as_large.tolist() == [20, 0]
    assert found.n_done.tolist() == [20, 2000]


def test_words_have_random_numbers_of_their_own(kernels) -> None:
    word = [(int(i >= 6), {int(i % 5 > 2) + int(i > 9): 1 + i % 2}) for i in range(12)]
    both = run(kernels, [word, word])
    assert both.n_as_large[0] != both.n_as_large[1]
    assert run(kernels, [word]).n_as_large[0] == both.n_as_large[0]


def test_no_words_and_words_without_documents(kernels) -> None:
    assert len(run(kernels, []).n_done) == 0
    assert run(kernels, [[], [(0, {0: 1})]], 10).n_as_large.tolist() == [10, 10]
