"""The evaluator of queries against one that tries every stretch of tokens."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from grassmeans import Corpus
from grassmeans_explorer.querying.language import (
    LONGEST_MATCH,
    Choice,
    Condition,
    Conjunction,
    Disjunction,
    Item,
    Negation,
    Repetition,
    Token,
    ValueTest,
    may_be_empty,
    parse_query,
)
from grassmeans_explorer.querying.matching import find_spans
from grassmeans_explorer.querying.source import QuerySource

WORDS = ["aa", "ab", "ba", "bb"]
documents = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), min_size=1, max_size=3
)
values = st.sampled_from(["aa", "ab", "a.", ".b", "aa|bb", "[ab]a", "xx"])
tests = st.builds(lambda value, sign: f'word{sign}"{value}"', values, st.sampled_from(["=", "!="]))
conditions = st.recursive(
    tests,
    lambda inner: st.one_of(
        st.builds("({} & {})".format, inner, inner),
        st.builds("({} | {})".format, inner, inner),
        st.builds("!{}".format, inner),
    ),
    max_leaves=3,
)
tokens = st.one_of(
    st.builds("[{}]".format, conditions), st.just("[]"), st.builds('"{}"'.format, values)
)
items = st.recursive(
    tokens,
    lambda inner: st.one_of(
        st.builds("({} {})".format, inner, inner),
        st.builds("({} | {})".format, inner, inner),
        st.builds(
            "({}){}".format,
            inner,
            st.sampled_from(["?", "*", "+", "{2}", "{0,2}", "{1,3}", "{2,}"]),
        ),
    ),
    max_leaves=5,
)


def holds(condition: Condition, word: str) -> bool:
    if isinstance(condition, ValueTest):
        return re.fullmatch(condition.pattern, word) is not None
    if isinstance(condition, Negation):
        return not holds(condition.inner, word)
    parts = [holds(part, word) for part in condition.parts]
    assert isinstance(condition, Conjunction | Disjunction)
    return all(parts) if isinstance(condition, Conjunction) else any(parts)


def ends(item: Item, words: list[str], start: int) -> set[int]:
    """All places at which a match from a place may end."""
    if isinstance(item, Token):
        return {start + 1} if start < len(words) and holds(item.condition, words[start]) else set()
    if isinstance(item, Choice):
        return set().union(*(ends(inner, words, start) for inner in item.items))
    if isinstance(item, Repetition):
        found = {start} if item.least == 0 else set()
        now = {start}
        most = len(words) + item.least + 1 if item.most is None else item.most
        for number in range(1, most + 1):
            now = set().union(*(ends(item.item, words, place) for place in now))
            found |= now if number >= item.least else set()
        return found
    now = {start}
    for inner in item.items:
        now = set().union(*(ends(inner, words, place) for place in now))
    return now


def try_all(item: Item, texts: list[list[str]]) -> list[tuple[int, int]]:
    found, first = [], 0
    for words in texts:
        for start in range(len(words)):
            places = [end for end in ends(item, words, start) if 0 < end - start <= LONGEST_MATCH]
            if places:
                found.append((first + start, first + max(places)))
        first += len(words)
    return found


@settings(max_examples=150, deadline=None)
@given(documents, items)
def test_every_match_is_found_and_nothing_else(texts, text):
    if may_be_empty(parse_query(f"({text}) []").item.items[0]):
        text = f"({text}) []"
    query = parse_query(text)
    found = find_spans(QuerySource(Corpus.from_texts(texts)), query)
    assert list(zip(found.starts.tolist(), found.ends.tolist(), strict=True)) == try_all(
        query.item, texts
    )
