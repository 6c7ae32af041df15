"""A kind of context whose lines have ends, so small that every line can be worked out by hand."""

from __future__ import annotations

import numpy as np

from grassmeans.contexts.interface import ContextEncoder
from grassmeans.vectors.similarity import unit_rows


class Rays(ContextEncoder):
    """Contexts whose lines have ends: the means of their words."""

    kind = "rays"
    lines_have_ends = True

    def encode(self, occurrences):
        rows = self.describing_words(occurrences)
        means = np.where(rows[:, :, None] >= 0, self.vectors.vectors[rows], 0.0).sum(axis=1)
        return unit_rows(means).astype(np.float32)[:, None]

    def weigh_words(self, occurrences, directions):
        return [[] for _ in directions]

    def identity(self):
        return None
