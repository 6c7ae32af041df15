"""Which occurrences of a word have other words near them, told from token ids alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.tokenizer import normalize_text
from grassmeans.explorer.work import Checkpoint

REACH = 12
"""Words on each side of an occurrence that a search looks at; about as many as a line shows."""

_MOST_WORDS = 8
_SEARCH_BLOCK = 1 << 16


def stand_near(
    corpus: Corpus, positions: NDArray[np.int64], query: str, checkpoint: Checkpoint
) -> NDArray[np.bool_]:
    """Which occurrences have every word of the query within `REACH` words, in their document.

    The token ids are compared and no text is read. The last word of the query may be the beginning
    of a word; words beyond the eighth are not looked at.

    Parameters
    ----------
    positions : (n,) int64
        In text order.

    Returns
    -------
    (n,) bool
        All true for a query without a word.
    """
    words = corpus.tokenizer.tokenize(normalize_text(query))[:_MOST_WORDS]
    near = np.ones(len(positions), np.bool_)
    tables = [
        _wanted_tokens(corpus, word, is_last=i == len(words) - 1) for i, word in enumerate(words)
    ]
    steps = np.delete(np.arange(-REACH, REACH + 1), REACH)
    for part, shard, local in corpus.split_positions(positions, _SEARCH_BLOCK) if tables else ():
        first, end = shard.document_bounds(local)
        places = local[:, None] + steps
        inside = (places >= first[:, None]) & (places < end[:, None])
        found = np.asarray(shard.tokens)[np.clip(places, 0, len(shard.tokens) - 1)]
        for table in tables:
            near[part] &= (table[found] & inside).any(axis=1)
        checkpoint(part.stop / len(positions))
    return near


def _wanted_tokens(corpus: Corpus, word: str, *, is_last: bool) -> NDArray[np.bool_]:
    """(n_types + 1,) whether a token id is wanted; the last entry is for unknown words, -1."""
    vocabulary = corpus.vocabulary
    table = np.zeros(len(vocabulary) + 1, np.bool_)
    if is_last:
        alike = [i for i, other in enumerate(vocabulary.words) if other.startswith(word)]
        table[alike] = True
    elif (word_id := vocabulary.id_of(word)) >= 0:
        table[word_id] = True
    return table
