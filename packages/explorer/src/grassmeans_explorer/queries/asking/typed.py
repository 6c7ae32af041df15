"""What queries are put to, within the bounds of the explorer; and what somebody typed.

One source is kept for an open model, so that lemmas are looked up once; after a correction it has
the corrected senses. Places that were found are kept as long as the senses stay as they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from grassmeans.errors import InputError, UnknownWordError
from grassmeans_explorer import limits
from grassmeans_explorer.limits import BoundedCache, Kept, bound_bytes
from grassmeans_explorer.open_model import Corrected, OpenModel
from grassmeans_explorer.querying.headwords import LONGEST_TYPED, PHRASE, Headword, understand
from grassmeans_explorer.querying.language import QueryError
from grassmeans_explorer.querying.matches import Matches, find_matches
from grassmeans_explorer.querying.matching import QueryLimits, SlowQueryError, Spans
from grassmeans_explorer.querying.patterns import SlowPatternError
from grassmeans_explorer.querying.source import QuerySource
from grassmeans_explorer.work import begin_long_work, checkpoint

_SOURCE = "source"
_SOURCES: Kept[BoundedCache[tuple[Corrected, QuerySource]]] = Kept(lambda _: BoundedCache(1))


def _size_of(found: Headword | Matches) -> int:
    return _span_bytes(found.spans) + len(found.query if isinstance(found, Matches) else "")


def _span_bytes(spans: Spans) -> int:
    return int(spans.starts.nbytes + spans.ends.nbytes)


_FOUND: Kept[BoundedCache[Headword | Matches]] = bound_bytes(
    lambda memory: memory.query_bytes, _size_of
)


def find_source(opened: OpenModel) -> QuerySource:
    """What queries are put to, with the senses of this moment."""
    corpus = opened.require_corpus("asking the corpus")
    now, sources = opened.now, _SOURCES.of(opened)
    kept = sources.get(_SOURCE)
    if kept is not None and kept[0] is now:
        return kept[1]
    if kept is None:
        source = QuerySource(corpus, now.model, opened.grammar)
    else:
        source = kept[1].with_model(now.model)
    sources.put(_SOURCE, (now, source))
    return source


def state_of(opened: OpenModel) -> Hashable:
    """What changes whenever any sense does."""
    return frozenset(opened.now.revisions.items())


def bound_query(opened: OpenModel) -> QueryLimits:
    """The bounds of a query; it is long as soon as a shard is looked at, and can be cancelled."""

    def check() -> None:
        begin_long_work()
        checkpoint(0.0)

    work = opened.limits.work
    return QueryLimits(min(work.query_seconds, work.seconds), work.query_matches, check)


@contextmanager
def told_to_people() -> Iterator[None]:
    """Errors of queries as the explorer answers them: the place of a mistake, and slow ones."""
    try:
        yield
    except QueryError as error:
        raise limits.MisreadError(str(error), error.column) from error
    except (SlowQueryError, SlowPatternError) as error:
        raise limits.TooMuchError(f"stopped: {error}") from error
    except UnknownWordError as error:
        raise limits.WordNotFoundError(str(error)) from error
    except InputError as error:
        raise limits.ConflictError(str(error)) from error


def understand_typed(opened: OpenModel, asked: str) -> Headword:
    """What somebody typed: a word of the corpus, a possessive, a phrase, or nothing."""
    corpus = opened.require_corpus("looking at lines")
    key = "typed", asked

    def make() -> Headword:
        with told_to_people():
            return understand(corpus, asked, limits=bound_query(opened))

    found = _FOUND.of(opened).get_or_make(key, make)
    assert isinstance(found, Headword)
    return found


def tell_absence(opened: OpenModel, key: str) -> str:
    """Why the corpus has no occurrences of a word; that it does not occur only where it is so."""
    if len(key) > LONGEST_TYPED:
        return f"{key[:80]!r}… is too long for a word of the corpus"
    found = understand_typed(opened, key)
    if found.kind == PHRASE:
        return f"{key!r} is a phrase, which occurs {found.count:,} times: look at the phrase itself"
    if found.count:
        return f"the corpus writes {key!r} otherwise: {found.word!r}"
    return found.reason


def ask_corpus(opened: OpenModel, query: str) -> Matches:
    """The matches of a query."""
    most = opened.limits.request.cql_characters
    if len(query) > most:
        raise limits.TooMuchError(f"a query has at most {most:,} characters here")

    def make() -> Matches:
        with told_to_people():
            return find_matches(find_source(opened), query, limits=bound_query(opened))

    found = _FOUND.of(opened).get_or_make(("query", query, state_of(opened)), make)
    assert isinstance(found, Matches)
    return found
