from __future__ import annotations

import numpy as np

from grassmeans.kernels.cpu.negative_sampling import (
    cut_documents,
    draw_outputs,
    prepare_sampling,
    take_window,
)


def test_long_documents_are_cut_and_empty_ones_passed_over() -> None:
    offsets = cut_documents(np.array([3, 8, 8, 25_000, 35_000]))
    assert offsets.tolist() == [3, 8, 10_008, 20_008, 25_000, 35_000]
    assert cut_documents(np.array([7])).tolist() == [7]


def test_windows_of_every_reach_stay_inside_the_text() -> None:
    kept = np.arange(10, 16, dtype=np.int32)
    neighbours = np.zeros(6, np.int64)
    state = np.array([1], np.uint64)
    found = set()
    for _ in range(50):
        left, count = take_window(kept, 6, 1, 3, state, neighbours)
        found.add((left, *neighbours[:count].tolist()))
    assert found == {(1, 10, 12), (1, 10, 12, 13), (1, 10, 12, 13, 14)}


def test_negatives_are_never_the_centre() -> None:
    # Word 1 has half of the weight: about half of the draws fall away.
    sampling = prepare_sampling(np.ones(2, np.float32), np.ones(2), 1, 1000)
    outputs = np.zeros(1001, np.int64)
    count = draw_outputs(1, sampling, np.array([1], np.uint64), outputs)
    assert outputs[0] == 1
    assert not outputs[1:count].any()
    assert 400 < count - 1 < 600
