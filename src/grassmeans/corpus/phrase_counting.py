"""How often words of a corpus stand together, and how far beyond chance that is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.checking import damaged, open_array
from grassmeans.artifacts.writing import write_array
from grassmeans.corpus.shard import TEXT, Shard
from grassmeans.kernels import PhraseTrie, get_kernels
from grassmeans.text.tokenizer import Tokenizer

_MOST_BETWEEN = 2


class CorpusView(NamedTuple):
    """What the workers of a pass know."""

    trie: PhraseTrie | None  # the phrases found so far, by word ids; None in the first pass
    # (n_types + 1,) number of each word id among the common words, -1 for others; the last is for
    # unknown words.
    common: NDArray[np.int32]
    allowed: NDArray[np.bool_]  # (n_types + 1,) whether a phrase may begin or end with a word

    @property
    def n_common(self) -> int:
        """How many common words there are."""
        return int(self.common.max(initial=-1)) + 1


class PairCounts(NamedTuple):
    """Pairs of words and how often each word occurs."""

    pairs: NDArray[np.int64]  # (n_pairs,) rising; see `_number_pairs`
    counts: NDArray[np.int64]  # (n_pairs,)
    # (n_words,) counts of the words, and of the phrases found so far, which come after them.
    words: NDArray[np.int64]


def count_shard(shard: Shard, tokenizer: Tokenizer, scratch: Path, view: CorpusView) -> PairCounts:
    """Count the pairs of a shard; ``scratch`` keeps where its words follow each other."""
    tokens = np.asarray(shard.tokens)
    if scratch.exists():
        follows = np.asarray(open_array(scratch, np.bool_, (len(tokens),)))
    else:
        follows = _find_follows(shard, tokenizer)
        write_array(scratch, follows)
    n_types = len(view.common) - 1
    n_words = n_types
    if view.trie is not None:
        lengths, phrases = get_kernels().join_phrases(tokens, follows, view.trie)
        tokens = np.where(phrases >= 0, n_types + phrases, tokens)[lengths > 0]
        follows = follows[lengths > 0]
        n_words += int(view.trie.ends.max()) + 1
    pairs, counts = np.unique(_number_pairs(tokens, follows, view, n_words), return_counts=True)
    return PairCounts(pairs, counts, np.bincount(tokens[tokens >= 0], minlength=n_words))


def _find_follows(shard: Shard, tokenizer: Tokenizer) -> NDArray[np.bool_]:
    """(n_tokens,) whether a phrase may go on from the token before."""
    offsets = np.asarray(shard.document_offsets)
    follows = np.zeros(int(offsets[-1]) if len(offsets) else 0, np.bool_)
    for i in np.flatnonzero(~np.asarray(shard.pretokenised)).tolist():
        found = tokenizer.find_follows(shard.document_text(i))
        if len(found) != offsets[i + 1] - offsets[i]:
            raise damaged(shard.folder / TEXT, "text and tokens do not fit")
        follows[offsets[i] : offsets[i + 1]] = found
    return follows


def _number_pairs(
    tokens: NDArray[np.int32], follows: NDArray[np.bool_], view: CorpusView, n_words: int
) -> NDArray[np.int64]:
    """Every two words with at most two common words between them, as one number each.

    (first * n_words + second) * n_between + between, where between is 0 for nothing, and then one
    common word, and then two.
    """
    n_types = len(view.common) - 1
    known = np.minimum(tokens, n_types)  # phrases are as unknown words, but allowed
    common = np.where(tokens < n_types, view.common[known], -1)
    allowed = np.where(tokens < n_types, view.allowed[known], True)
    places = np.flatnonzero(common < 0)
    left, right = places[:-1], places[1:]
    breaks = np.cumsum(~follows)
    good = (breaks[left] == breaks[right]) & (right - left <= _MOST_BETWEEN + 1)
    good &= allowed[left] & allowed[right]
    left, right = left[good], right[good]
    n_common = view.n_common
    between = np.zeros(len(left), np.int64)
    one, two = right - left == 2, right - left == 3
    between[one] = 1 + common[left[one] + 1]
    between[two] = 1 + n_common + common[left[two] + 1] * n_common + common[left[two] + 2]
    pairs = tokens[left].astype(np.int64) * n_words + tokens[right]
    numbered: NDArray[np.int64] = pairs * (1 + n_common + n_common**2) + between
    return numbered


def score_pairs(
    pairs: NDArray[np.int64], first: NDArray[np.int64], second: NDArray[np.int64], total: int
) -> NDArray[np.float64]:
    """(n,) normalised mutual information of pairs that occur so often, as their words do."""
    share = pairs / total
    information = np.log(share) - np.log(first / total) - np.log(second / total)
    with np.errstate(divide="ignore"):  # a text that is one phrase, again and again
        return np.where(pairs < total, information / -np.log(share), 1.0)


def add_counts(parts: Sequence[PairCounts]) -> PairCounts:
    """The counts of several shards together."""
    pairs = np.concatenate([part.pairs for part in parts])
    counts = np.concatenate([part.counts for part in parts])
    order = np.argsort(pairs, kind="stable")
    pairs, counts = pairs[order], counts[order]
    starts = np.flatnonzero(np.diff(pairs, prepend=-1))
    if len(starts):
        pairs, counts = pairs[starts], np.add.reduceat(counts, starts)
    return PairCounts(pairs, counts, np.sum([part.words for part in parts], axis=0))
