"""Tables of the corpus's words: what stands in a row, keywords, and groups of documents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from grassmeans_explorer import limits
from grassmeans_explorer.limits import BoundedCache, Kept
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.asking.typed import bound_query, told_to_people
from grassmeans_explorer.queries.concordance import find_groups
from grassmeans_explorer.queries.lookup import check_typed
from grassmeans_explorer.querying.keywords import Keywords, find_keywords
from grassmeans_explorer.querying.ngrams import Ngrams, count_ngrams
from grassmeans_explorer.work import begin_long_work, checkpoint

_FEW = 8
_NGRAMS: Kept[BoundedCache[Ngrams]] = Kept(lambda _: BoundedCache(_FEW))
_KEYWORDS: Kept[BoundedCache[Keywords]] = Kept(lambda _: BoundedCache(_FEW))


@dataclass(frozen=True, slots=True)
class NgramRow:
    """Words in a row."""

    ngram: str
    count: int
    per_million: float


@dataclass(frozen=True, slots=True)
class NgramsView:
    """A page of n-grams, frequent ones first; ``total`` counts those that are so frequent."""

    n: int
    total: int
    kept: int  # that can be paged through
    ngrams: tuple[NgramRow, ...]


def list_ngrams(
    opened: OpenModel, n: int, *, offset: int = 0, limit: int = 50, **options: Any
) -> NgramsView:
    """What stands in a row; ``options`` are those of `count_ngrams`."""
    corpus = opened.require_corpus("counting n-grams")
    check_typed(opened, options["containing"])

    def make() -> Ngrams:
        check = bound_query(opened).checkpoint
        with told_to_people():
            begin_long_work()
            most = opened.limits.request.table_rows
            word = options["containing"] or None
            own = options | {"containing": word, "limit": most}
            return count_ngrams(corpus, n, checkpoint=check, **own)

    found = _NGRAMS.of(opened).get_or_make((n, *sorted(options.items())), make)
    page = found.ngrams[offset : offset + limit]
    rows = tuple(NgramRow(" ".join(one.words), one.count, one.per_million) for one in page)
    return NgramsView(n, found.total, len(found.ngrams), rows)


@dataclass(frozen=True, slots=True)
class KeywordWish:
    """Which documents are compared with which, and what is told."""

    by: str
    group: str
    against: str = ""  # another group; empty for all others
    score: str = "log_likelihood"
    negative: bool = False
    min_count: int = 3
    min_log_likelihood: float = 10.83
    function_words: bool = False


def list_keywords(
    opened: OpenModel, wish: KeywordWish, *, offset: int = 0, limit: int = 50
) -> Keywords:
    """A page of the keywords of a group of documents."""
    corpus = opened.require_corpus("finding keywords")
    for name in filter(None, (wish.group, wish.against)):
        if name not in find_groups(opened, wish.by).names:
            raise limits.NothingThereError(f"there is no group {name!r} by {wish.by!r}")

    def make() -> Keywords:
        begin_long_work()
        checkpoint(0.1)
        with told_to_people():
            return find_keywords(
                corpus,
                by=wish.by,
                group=wish.group,
                against=wish.against or None,
                score=wish.score,
                negative=wish.negative,
                min_count=wish.min_count,
                min_log_likelihood=wish.min_log_likelihood,
                function_words=wish.function_words,
                limit=opened.limits.request.table_rows,
            )

    found = _KEYWORDS.of(opened).get_or_make(wish, make)
    return replace(found, keywords=found.keywords[offset : offset + limit])


@dataclass(frozen=True, slots=True)
class DocumentGroup:
    """Documents that belong together."""

    name: str
    n_documents: int


@dataclass(frozen=True, slots=True)
class DocumentGroups:
    """The groups of the corpus's documents by a field or a time."""

    by: str
    left_out: int  # documents in no group
    groups: tuple[DocumentGroup, ...]


def list_groups(opened: OpenModel, by: str) -> DocumentGroups:
    """The groups of documents, in their order."""
    opened.require_corpus("grouping documents")
    begin_long_work()
    found = find_groups(opened, by)
    groups = np.asarray(found.parts[0].groups)
    counts = np.bincount(groups[groups >= 0], minlength=len(found.names)).tolist()
    named = zip(found.names, counts, strict=True)
    return DocumentGroups(by, found.n_left_out, tuple(DocumentGroup(*pair) for pair in named))
