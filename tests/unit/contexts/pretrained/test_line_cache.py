from __future__ import annotations

import numpy as np

from grassmeans.contexts.pretrained.line_cache import LineCache

LINES = np.arange(8, dtype=np.float32).reshape(4, 2)


def test_what_was_written_is_read_again(tmp_path) -> None:
    cache = LineCache(tmp_path, ["corpus", 1], 2)
    cache.write(np.array([3, 9]), LINES[:2])
    cache.write(np.array([1, 5]), LINES[2:])
    for opened in (cache, LineCache(tmp_path, ["corpus", 1], 2)):
        known, lines = opened.read(np.array([0, 1, 3, 4, 9, 100]))
        assert known.tolist() == [False, True, True, False, True, False]
        assert lines.tolist() == [[0, 0], [4, 5], [0, 1], [0, 0], [2, 3], [0, 0]]


def test_another_encoder_has_another_cache(tmp_path) -> None:
    LineCache(tmp_path, ["corpus", 1], 2).write(np.array([3]), LINES[:1])
    known, _ = LineCache(tmp_path, ["corpus", 2], 2).read(np.array([3]))
    assert not known.any()


def test_lines_without_their_positions_are_none(tmp_path) -> None:
    cache = LineCache(tmp_path, "x", 2)
    cache.write(np.array([3]), LINES[:1])
    next(cache.folder.glob("*.positions.npy")).unlink()
    known, _ = LineCache(tmp_path, "x", 2).read(np.array([3]))
    assert not known.any()
