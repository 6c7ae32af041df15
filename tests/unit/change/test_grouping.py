from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.change.grouping import GroupedDocuments, Grouping, group_documents
from grassmeans.errors import InputError


@pytest.mark.parametrize(
    ("by", "value", "group"),
    [
        ("date:decade", "1857-03-01", "1850-1859"),
        ("date:century", "1857", "1800-1899"),
        ("date:year", "March 1857", "1857"),
        ("date:month", "1857-03-01", "1857-03"),
        ("date:month", "1857", None),
        ("date:25", "1999", "1975-1999"),
        ("date:1", "1999", "1999"),
        ("date:1000", "1999", "1000-1999"),
        ("date:decade", "long ago", None),
        ("date:decade", "", None),
        ("source", "times", "times"),
        ("source", "", None),
    ],
)
def test_groups_of_values(by, value, group):
    assert Grouping.parse(by).name_group(value) == group


@pytest.mark.parametrize("by", ["", ":year", "date:fortnight", "date:0", "date:-3", "date:1001"])
def test_groupings_that_do_not_exist(by):
    with pytest.raises(InputError, match=r"by( must|=)"):
        Grouping.parse(by)


def test_documents_by_date_and_by_source(corpus):
    times = group_documents(corpus, "date:century")
    assert times.names == ("1800-1899", "1900-1999")  # the last is not lost
    assert times.n_left_out == 1
    assert times.example == "long ago"
    assert np.bincount(times.parts[0].groups + 1).tolist() == [1, 72, 60]
    assert group_documents(corpus, "source").names == ("new", "old")


def test_few_groups_are_all_compared_and_many_with_the_next(corpus):
    assert group_documents(corpus, "date:century").pairs == ((0, 1),)
    five = GroupedDocuments(tuple("abcde"), (), "x").pairs
    assert len(five) == 10
    assert (0, 2) in five
    six = GroupedDocuments(tuple("abcdef"), (), "x").pairs
    assert six == ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5))
    decades = group_documents(corpus, "date:decade")
    n = len(decades.names)
    assert n > 5
    assert decades.pairs == (*((i, i + 1) for i in range(n - 1)), (0, n - 1))


def test_corpora_side_by_side(tmp_path):
    both = [Corpus.from_texts([f"text {name}"], tmp_path / name) for name in ("a", "b")]
    found = group_documents(both)
    assert found.names == ("a", "b")
    assert [part.groups.tolist() for part in found.parts] == [[0], [1]]
    other = Corpus.from_texts(["text"], tmp_path / "x" / "a")
    with pytest.raises(InputError, match="the same name"):
        group_documents([both[0], other])
    with pytest.raises(InputError, match="one corpus needs by="):
        group_documents(both[0])
    with pytest.raises(InputError, match="no corpus to compare"):
        group_documents([])


def test_too_few_and_too_many_groups(corpus):
    records = [{"text": "a b", "n": i, "same": "x", "bad": "?"} for i in range(250)]
    many = Corpus.from_texts(records, meta=("n", "same", "bad"))
    with pytest.raises(InputError, match="250 groups, more than 200"):
        group_documents(many, "n")
    just = Corpus.from_texts(records[:200], meta=("n",))
    assert len(group_documents(just, "n").names) == 200
    with pytest.raises(InputError, match=r"one group \(x\)"):
        group_documents(many, "same")
    with pytest.raises(InputError, match="tells no group of any document: its values are"):
        group_documents(many, "bad:year")
    with pytest.raises(InputError, match="have no field 'genre'"):
        group_documents(corpus, "genre")


def test_chance_groups_have_the_same_sizes(corpus):
    real = group_documents(corpus, "date:century")
    mixed = real.shuffle(1)
    sizes = [np.bincount(found.parts[0].groups + 1).tolist() for found in (real, mixed)]
    assert sizes[0] == sizes[1]
    assert (mixed.parts[0].groups != real.parts[0].groups).any()


def test_chance_groups_differ_by_their_seed_and_stay_with_their_corpora(tmp_path):
    texts = {"a": ["one two"], "b": [f"text {i}" for i in range(30)]}
    both = [Corpus.from_texts(own, tmp_path / name) for name, own in texts.items()]
    real = group_documents(both)
    mixed = [real.shuffle(seed) for seed in (1, 2)]
    for found in mixed:
        assert [len(part.groups) for part in found.parts] == [1, 30]
        assert np.bincount(np.concatenate([part.groups for part in found.parts])).tolist() == [
            1,
            30,
        ]
    assert any((a.groups != b.groups).any() for a, b in zip(*(m.parts for m in mixed), strict=True))


def test_a_value_that_told_no_group_is_the_example_and_not_a_missing_one():
    dates = ["", "long ago", "1850", "1950"]
    corpus = Corpus.from_texts([{"text": "a b", "date": date} for date in dates], meta=("date",))
    found = group_documents(corpus, "date:century")
    assert (found.n_left_out, found.example) == (2, "long ago")
