"""Keywords: words of some documents that others have less often; and those that they lack.

- The log-likelihood ratio says how sure the difference is (`grassmeans.corpus.association`).
- The log ratio says how large it is: the binary logarithm of how many times as frequent the word
  is. A word that does not occur on one side counts there as half an occurrence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Booleans, Doubles, Indices
from grassmeans.artifacts.schema import check_arguments
from grassmeans.change.grouping import group_documents
from grassmeans.corpus.association import measure_log_likelihood
from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.errors import InputError, check_choice
from grassmeans.results import ColumnTypes, Tabular, types_of

SURE = 10.83
"""The log-likelihood that chance alone reaches once in a thousand words."""
SCORES = ("log_likelihood", "log_ratio")
_MILLION = 1e6
_DIGITS = 3
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class Keyword:
    """A word that two sets of documents have unequally often."""

    word: str
    count: int
    """In the documents that are looked at."""
    reference_count: int
    """In the others."""
    per_million: float
    reference_per_million: float
    log_likelihood: float
    """Negative where the others have it more often."""
    log_ratio: float
    """1 for twice as often, -1 for half as often."""


@dataclass(frozen=True, slots=True)
class Keywords(Tabular):
    """The keywords of some documents against others."""

    name: str
    """What the documents are called."""
    reference: str
    """What the others are."""
    n_tokens: int
    n_reference_tokens: int
    keywords: tuple[Keyword, ...]

    def __repr__(self) -> str:
        return f"Keywords({self.name!r} against {self.reference!r}: {len(self.keywords):,})"

    def rows(self) -> list[dict[str, Any]]:
        """What is known of each keyword."""
        return [asdict(one) for one in self.keywords]

    def column_types(self) -> ColumnTypes:
        """The columns of such rows."""
        return types_of(Keyword)


@check_arguments()
def find_keywords(
    corpus: Corpus | str | Path,
    reference: Corpus | str | Path | None = None,
    *,
    by: str | None = None,
    group: str | None = None,
    against: str | None = None,
    score: str = SCORES[0],
    negative: bool = False,
    min_count: int = 3,
    min_log_likelihood: float = SURE,
    function_words: bool = False,
    limit: int | None = 100,
) -> Keywords:
    """Find the words that a corpus, or a group of its documents, has more often than another.

    Parameters
    ----------
    corpus : Corpus or path
    reference : Corpus or path, optional
        What it is compared with.
    by, group, against : str, optional
        In place of a reference: a group of the corpus's documents, by a field or a date
        (``by="date:decade"``), against another group, or against all others.
    score : {"log_likelihood", "log_ratio"}
        What they are ordered by.
    negative : bool
        The words that it has less often, in their place.
    min_count : int
        On the side that has the word more often.
    min_log_likelihood : float
        Words whose difference is less sure are left out.
    """
    check_choice("score", score, SCORES)
    opened = open_corpus(corpus)
    if (reference is None) == (group is None):
        raise InputError(
            "keywords need another corpus, or a group of documents (by=..., group=...)"
        )
    if reference is not None:
        sides = _compare_corpora(opened, open_corpus(reference))
    else:
        sides = _compare_groups(opened, by, str(group), against)
    sign = -1.0 if negative else 1.0
    more = sides.others if negative else sides.counts
    likely, ratio = sides.log_likelihood, sides.log_ratio
    rows = np.flatnonzero((sign * likely >= min_log_likelihood) & (more >= max(min_count, 1)))
    order = likely if score == SCORES[0] else ratio
    rows = rows[np.argsort(-sign * order[rows], kind="stable")]
    left_out = opened.function_words
    chosen = (
        i for i in rows.tolist() if function_words or not is_function_word(sides.words[i], left_out)
    )
    found = tuple(map(sides.describe, islice(chosen, limit)))
    return Keywords(sides.name, sides.reference, sides.n_counts, sides.n_others, found)


@dataclass(frozen=True)
class _Sides:
    """Two sets of documents, and how often each word occurs in them."""

    name: str
    reference: str
    words: Sequence[str]
    counts: Indices  # (n_words,)
    others: Indices  # (n_words,)

    @cached_property
    def n_counts(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def n_others(self) -> int:
        return int(self.others.sum())

    @cached_property
    def log_likelihood(self) -> Doubles:
        both = self.counts + self.others
        return measure_log_likelihood(
            self.counts, self.n_counts, both, self.n_counts + self.n_others
        )

    @cached_property
    def log_ratio(self) -> Doubles:
        own = np.maximum(self.counts, _HALF) / max(self.n_counts, 1)
        theirs = np.maximum(self.others, _HALF) / max(self.n_others, 1)
        ratio: Doubles = np.log2(own / theirs)
        return ratio

    def describe(self, i: int) -> Keyword:
        """The word of a number."""
        count, other = int(self.counts[i]), int(self.others[i])
        return Keyword(
            self.words[i],
            count,
            other,
            round(_MILLION * count / max(self.n_counts, 1), _DIGITS),
            round(_MILLION * other / max(self.n_others, 1), _DIGITS),
            round(float(self.log_likelihood[i]), _DIGITS),
            round(float(self.log_ratio[i]), _DIGITS),
        )


def _compare_corpora(corpus: Corpus, reference: Corpus) -> _Sides:
    """The words of two corpora: the first one's, then those it does not have."""
    if corpus.tokenizer.lowercase != reference.tokenizer.lowercase:
        raise InputError(
            f"{corpus.path.name} and {reference.path.name} do not spell words alike: one is in "
            "lower case"
        )
    own = np.asarray(corpus.vocabulary.counts, np.int64)
    ids = corpus.vocabulary.ids_of(reference.vocabulary.words)
    theirs = np.asarray(reference.vocabulary.counts, np.int64)
    shared = np.zeros(len(own), np.int64)
    shared[ids[ids >= 0]] = theirs[ids >= 0]
    new = np.flatnonzero(ids < 0)
    words = [*corpus.vocabulary.words, *(reference.vocabulary.words[i] for i in new.tolist())]
    counts = np.append(own, np.zeros(len(new), np.int64))
    others = np.append(shared, theirs[new])
    return _Sides(corpus.path.name, reference.path.name, words, counts, others)


def _compare_groups(corpus: Corpus, by: str | None, group: str, against: str | None) -> _Sides:
    if by is None:
        raise InputError("a group needs by=..., what groups the documents: date:decade, source")
    grouped = group_documents(corpus, by)
    for name in (group, against):
        if name is not None and name not in grouped.names:
            raise InputError(f"there is no group {name!r} by {by!r}: {', '.join(grouped.names)}")
    if group == against:
        raise InputError(f"{group!r} cannot be compared with itself: name another group")
    groups = grouped.parts[0].groups
    is_own = groups == grouped.names.index(group)
    is_other = ~is_own if against is None else groups == grouped.names.index(against)
    counts, others = count_words(corpus, is_own), count_words(corpus, is_other)
    return _Sides(group, against or f"all but {group}", corpus.vocabulary.words, counts, others)


def count_words(corpus: Corpus, chosen: Booleans) -> Indices:
    """(n_types,) how often each word occurs in those documents that (n_documents,) chooses."""
    counts = np.zeros(len(corpus.vocabulary), np.int64)
    for shard in corpus.shards:
        own = chosen[shard.first_document : shard.first_document + shard.sizes.n_documents]
        tokens = np.asarray(shard.tokens)
        offsets = np.asarray(shard.document_offsets)
        lengths = offsets[1:] - offsets[:-1]
        kept = tokens[np.repeat(own, lengths)]
        counts += np.bincount(kept[kept >= 0], minlength=len(counts))
    return counts
