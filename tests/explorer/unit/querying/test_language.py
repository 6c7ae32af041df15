"""The query language: what is read, and where mistakes are."""

from __future__ import annotations

import pytest

from grassmeans_explorer.querying.language import (
    ANYTHING,
    Choice,
    Conjunction,
    Disjunction,
    Negation,
    QueryError,
    Repetition,
    Sequence,
    Token,
    ValueTest,
    count_tokens,
    may_be_empty,
    parse_query,
)


def word(pattern: str) -> Token:
    return Token(ValueTest("word", pattern))


def test_a_query_is_read_with_all_its_parts():
    found = parse_query('[lemma="bank" & sense="2"] []{0,3} [tag="N.*"] within s')
    assert found.within == "s"
    first = Token(Conjunction((ValueTest("lemma", "bank"), ValueTest("sense", "2"))))
    gap = Repetition(Token(ANYTHING), 0, 3)
    assert found.item == Sequence((first, gap, Token(ValueTest("tag", "N.*"))))


def test_and_goes_before_or_and_brackets_before_both():
    a, b, c = (ValueTest("word", letter) for letter in "abc")
    read = parse_query('[word="a" | word="b" & word="c"]').item
    assert read == Token(Disjunction((a, Conjunction((b, c)))))
    read = parse_query('[(word="a" | word="b") & !word!="c"]').item
    assert read == Token(Conjunction((Disjunction((a, b)), Negation(Negation(c)))))


def test_alternatives_are_of_whole_sequences():
    read = parse_query('"a" "b" | ("c" | "d")+').item
    again = Repetition(Choice((word("c"), word("d"))), 1, None)
    assert read == Choice((Sequence((word("a"), word("b"))), again))


@pytest.mark.parametrize(
    ("sign", "bounds"),
    [("?", (0, 1)), ("*", (0, None)), ("+", (1, None)), ("{2}", (2, 2)), ("{2,}", (2, None)),
     ("{,4}", (0, 4)), ("{1,3}", (1, 3))],
)  # fmt: skip
def test_repetitions(sign, bounds):
    assert parse_query(f'"x" "a"{sign}').item.items[1] == Repetition(word("a"), *bounds)


def test_a_quote_in_a_value_is_escaped():
    assert parse_query(r'"a\"b\."').item == word(r'a"b\.')


@pytest.mark.parametrize(
    ("query", "column", "told"),
    [
        ("", 1, "expected a token"),
        ("   ", 4, "expected a token"),
        ('[lemma="bank]', 8, "no closing"),
        ('[lem="x"]', 2, "expected an attribute .word, lemma, tag, pos, sense"),
        ('[word "x"]', 7, "expected = or !="),
        ("[word=x]", 7, "a value in double quotes"),
        ('[word="a"', 10, "expected ], & or |"),
        ('[word="a" &]', 12, "expected an attribute"),
        ('("a" "b"', 9, r"expected \) or"),
        ('"a" )', 5, "expected a token, | or within"),
        ('"a" | ', 7, "expected a token"),
        ('"a" within x', 12, "s or doc"),
        ('"a" "b"{200}', 8, "m from 1 to 100"),
        ('"a"{3,2}', 4, "n not above m"),
        ('"a"{}', 5, "expected a number"),
        ('"x" "(a"', 8, "no regular expression"),
        (r'"a\1"', 3, "is not for here"),
        ('"(?=a)b"', 2, "is not for here"),
        ('"a" #', 5, "is no part of a query"),
        ('[word=""]', 7, "empty"),
        ("[]*", 1, "no token at all"),
        ('"a"? | "b"', 1, "no token at all"),
        ("[]{99} []{99} []{99} []{99} []{99}", 1, "at most 400 tokens"),
        ("(" * 41 + '"a"' + ")" * 41, 42, "more than 40"),
        ("[" + "!" * 50 + 'word="a"]', 43, "more than 40"),
        ('"a"??', 5, "expected a token"),
    ],
)
def test_a_mistake_has_its_column(query, column, told):
    with pytest.raises(QueryError, match=told) as caught:
        parse_query(query)
    assert caught.value.column == column
    assert str(caught.value).startswith(f"column {column}: ")


def test_a_query_is_not_endless():
    with pytest.raises(QueryError, match="2,000 characters"):
        parse_query('"a" ' * 501)


def test_what_may_be_empty_and_how_many_tokens_there_are():
    read = parse_query('("a" "b"?){2,5} | "c"').item
    assert count_tokens(read) == 11
    assert not may_be_empty(read)
    assert may_be_empty(Repetition(read, 0, 1))
