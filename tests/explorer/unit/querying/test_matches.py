"""What a query has found, as lines and counts."""

from __future__ import annotations

import pytest

from grassmeans import Corpus
from grassmeans_explorer.querying.language import QueryError
from grassmeans_explorer.querying.matches import find_matches, line_row
from grassmeans_explorer.querying.matching import QueryLimits
from grassmeans_explorer.querying.source import QuerySource

RECORDS = [
    {"text": "The crane flew. A crane sang.", "left": "yes"},
    {"text": "The steel crane and no other", "left": "no"},
    {"text": "Nothing here at all", "left": ""},
]


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_texts(RECORDS, meta=["left"])


def test_matches_have_lines_in_text_order(corpus):
    found = find_matches(corpus, '"crane" []?', limits=QueryLimits(seconds=60))
    assert repr(found) == "Matches('\"crane\" []?': 3)"
    lines = found.lines(width=12)
    assert [line.match for line in lines] == ["crane flew", "crane sang", "crane and"]
    assert found.lines(offset=1, limit=1, width=12) == lines[1:2]
    row = line_row(lines[2])
    assert row["document_left"] == "no"
    assert (row["left"], row["match"], row["right"]) == ("The steel ", "crane and", " no other")
    assert len(found.rows()) == 3


def test_matches_are_counted_by_document(corpus):
    first, second = find_matches(corpus, '"crane"').count_by_document()
    assert (first.number, first.document, first.count, first.n_tokens) == (0, "0", 2, 6)
    assert first.per_million == pytest.approx(2e6 / 6, abs=0.1)
    assert (second.number, second.count) == (1, 1)


def test_matches_beyond_the_limit_are_told(corpus):
    found = find_matches(QuerySource(corpus), "[]", limits=QueryLimits(matches=2))
    assert not found.is_complete
    assert "2 and more" in repr(found)
    with pytest.raises(QueryError, match="column 1"):
        find_matches(corpus, "&")


@pytest.mark.parametrize(
    ("query", "column", "told"),
    [
        ('"crane" [word="a" & tag="N.*"]', 21, "tag is not known in this corpus"),
        ('"crane" [pos!="VERB"]', 10, "pos is not known in this corpus"),
        ('[sense="1"]', 2, "sense needs a model"),
    ],
)
def test_what_the_corpus_does_not_have_has_its_place(corpus, query, column, told):
    with pytest.raises(QueryError, match=told) as error:
        find_matches(corpus, query)
    assert error.value.column == column
