from __future__ import annotations

import numpy as np

from grassmeans import WordVectors
from grassmeans.geometry.windows import Contexts
from grassmeans.senses.samples import orient_directions


def test_directions_point_to_where_the_words_are() -> None:
    vectors = WordVectors(["a", "b"], np.array([[1, 0], [0.5, 1]], np.float32))
    contexts = Contexts(np.array([[0, 1]], np.int32), np.array([0]))
    directions = np.array([[-1, 0], [0, 1]], np.float32)
    oriented = orient_directions(directions, contexts, vectors)
    assert oriented.tolist() == [[1, 0], [0, 1]]
