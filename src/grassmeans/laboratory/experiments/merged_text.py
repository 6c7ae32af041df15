"""Text with artificial words, cut down to the stretches that can change their vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.contexts import rows_of_tokens
from grassmeans.corpus.corpus import Corpus
from grassmeans.laboratory.datasets.monosemous import find_candidates
from grassmeans.vectors.training import MemoryShard
from grassmeans.vectors.word_vectors import WordVectors

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Merger:
    """Words that are merged at the same time.

    Attributes
    ----------
    members : (n_words, size) int64
        Rows of the words that each artificial word is made of.
    first_row : int
        The row of the first artificial word, behind those of all words; the others follow.
    """

    members: Rows
    first_row: int

    @property
    def rows(self) -> slice:
        """The rows of the artificial words."""
        return slice(self.first_row, self.first_row + len(self.members))


@dataclass(frozen=True, slots=True)
class MergeableText:
    """A text in rows of the vectors, and the words in it that may be merged.

    Attributes
    ----------
    candidates, weights : (n_candidates,)
        Rows of content words, and their shares of all occurrences of such words.
    counts : (n_vectors,) int64
        Occurrences of every word in the whole corpus.
    text : MemoryShard
    """

    candidates: Rows
    weights: NDArray[np.float64]
    counts: NDArray[np.int64]
    text: MemoryShard

    @classmethod
    def read(
        cls, corpus: Corpus, vectors: WordVectors, *, min_count: int, max_tokens: int
    ) -> MergeableText:
        """Read about ``max_tokens`` tokens; candidates occur ``min_count`` times in the corpus."""
        row_of_token = rows_of_tokens(corpus, vectors, drop_function_words=False)
        known = row_of_token >= 0
        counts = np.zeros(len(vectors), np.int64)
        counts[row_of_token[known]] = np.asarray(corpus.vocabulary.counts)[known]
        found = vectors.ids_of(find_candidates(corpus, min_count, None)).astype(np.int64)
        candidates = found[found >= 0]
        weights = counts[candidates] / max(int(counts[candidates].sum()), 1)
        return cls(candidates, weights, counts, _read_documents(corpus, row_of_token, max_tokens))

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> Rows:
        """Different words, in proportion to their frequencies."""
        return rng.choice(self.candidates, shape, replace=False, p=self.weights)

    def merge_counts(self, merger: Merger, n_rows: int) -> NDArray[np.int64]:
        """(n_rows,) occurrences after merging; a row that stands for nothing here has none."""
        counts = np.zeros(n_rows, np.int64)
        counts[: len(self.counts)] = self.counts
        counts[merger.rows] = self.counts[merger.members].sum(axis=1)
        counts[merger.members] = 0
        return counts

    def merge(self, merger: Merger, reach: int) -> MemoryShard:
        """The text after merging, cut down to ``reach`` words on both sides of artificial ones."""
        new_row = np.arange(len(self.counts), dtype=np.int32)
        numbers = np.arange(len(merger.members), dtype=np.int32)
        new_row[merger.members] = merger.first_row + numbers[:, None]
        tokens, offsets = new_row[self.text.tokens], self.text.document_offsets
        places = np.flatnonzero(tokens >= len(self.counts))
        documents = np.searchsorted(offsets, places, side="right") - 1
        changes = np.zeros(len(tokens) + 1, np.int32)
        np.add.at(changes, np.maximum(places - reach, offsets[documents]), 1)
        np.add.at(changes, np.minimum(places + reach + 1, offsets[documents + 1]), -1)
        kept = np.flatnonzero(np.cumsum(changes[:-1]) > 0)
        # A stretch begins after a gap, and where a document does.
        owners = np.searchsorted(offsets, kept, side="right")
        begins = (np.diff(kept, prepend=-2) > 1) | (np.diff(owners, prepend=0) > 0)
        ends = np.append(np.flatnonzero(begins), len(kept)).astype(np.int64)
        return MemoryShard(tokens[kept], ends)


def _read_documents(
    corpus: Corpus, row_of_token: NDArray[np.int32], max_tokens: int
) -> MemoryShard:
    """Documents evenly over the corpus, without the words that have no vector."""
    step = -(-corpus.n_tokens // max_tokens)
    rows = np.append(row_of_token, np.int32(-1))  # unknown tokens are -1: the last
    documents = []
    for shard in corpus.shards:
        offsets = np.asarray(shard.document_offsets)
        for start, end in zip(offsets[:-1:step], offsets[1::step], strict=True):
            tokens = rows[np.asarray(shard.tokens[start:end])]
            documents.append(tokens[tokens >= 0])
    sizes = [len(document) for document in documents]
    return MemoryShard(
        np.concatenate(documents), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    )
