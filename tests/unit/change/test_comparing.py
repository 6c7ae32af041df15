from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.change import tables
from grassmeans.change.comparing import ChangeSettings, compare_groups
from grassmeans.change.grouping import group_documents
from grassmeans.change.tables import as_table, rank_changes, sense_shares
from grassmeans.errors import InputError, UnknownWordError


@pytest.fixture(autouse=True)
def plain_rows(monkeypatch):
    monkeypatch.setattr(tables, "as_table", lambda rows: rows)


def test_shares_of_senses_by_hand(model, labelled):
    rows = sense_shares(model, labelled, "crane", by="date:century")
    assert [(row["group"], row["sense"], row["count"], row["n"]) for row in rows] == [
        ("1800-1899", 1, 30, 30),
        ("1800-1899", 2, 0, 30),
        ("1900-1999", 1, 2, 30),
        ("1900-1999", 2, 28, 30),
    ]
    assert rows[2]["share"] == pytest.approx(2 / 30, abs=1e-6)
    # Wilson's interval of 2 in 30.
    assert (rows[2]["low"], rows[2]["high"]) == pytest.approx((0.0185, 0.2132), abs=4e-3)
    assert rows[0]["name"] == "bird"
    assert not any(row["few"] for row in rows)


def test_labels_and_measuring_on_the_spot_agree(model, corpus, labelled):
    by = "date:century"
    found = [sense_shares(model, where, "crane", by=by) for where in (corpus, labelled)]
    assert found[0] == found[1]


def test_words_are_ranked_by_change(model, labelled):
    rows = rank_changes(model, labelled, by="date:century")
    assert [row["word"] for row in rows] == ["crane", "bill", "kite"]
    crane, bill = rows[:2]
    assert crane["changed"]
    assert crane["q"] < 0.01
    assert crane["gained"] == [2]
    assert crane["lost"] == []  # 2 of 30 are more than the 5% that count as gone
    assert crane["jsd"] > 0.8
    assert crane["apd"] > bill["apd"]
    assert crane["prt"] > bill["prt"]
    assert bill["jsd"] == 0.0
    assert not bill["changed"]
    assert bill["p"] > 0.5


def test_a_word_in_one_group_alone_is_shown_and_not_compared(model, labelled):
    documents = group_documents(labelled, "date:century")
    (kite,) = [word for word in compare_groups(model, documents).words if word.word == "kite"]
    assert [group.n for group in kite.groups] == [12, 0]
    assert [group.is_few for group in kite.groups] == [False, True]
    assert math.isnan(kite.pairs[0].jsd)
    assert math.isnan(kite.pairs[0].p_value)
    assert np.isnan(kite.groups[1].shares).all()


def test_only_tests_that_were_made_are_corrected_for(model, labelled):
    found = compare_groups(model, group_documents(labelled, "date:century"))
    assert found.n_tested == 2
    assert found.n_documents == (72, 60)
    assert found.n_left_out == 1


def test_examples_of_both_sides(model, labelled, corpus):
    for where in (labelled, corpus):
        documents = group_documents(where, "date:century")
        (crane,) = compare_groups(model, documents, "crane").words
        seen = {(example.group, example.sense) for example in crane.examples}
        assert seen == {("1800-1899", 1), ("1900-1999", 1), ("1900-1999", 2)}
        machine = next(example for example in crane.examples if example.sense == 2)
        assert (machine.left, machine.word, machine.right) == ("a ", "crane", " steel load")


def test_words_that_do_not_occur_are_named(model, tmp_path):
    from grassmeans import Corpus

    records = [{"text": "the crane nest wing", "date": year} for year in (1850, 1950)]
    corpus = Corpus.from_texts(records, tmp_path / "c", meta=["date"])
    found = compare_groups(model, group_documents(corpus, "date:century"), ["crane", "kite"])
    assert found.absent == ("kite",)
    assert [group.is_few for group in found.words[0].groups] == [True, True]


def test_what_does_not_fit_is_refused_in_one_line(model, corpus, labelled):
    documents = group_documents(corpus, "date:century")
    with pytest.raises(InputError, match="all words need a labelled corpus: run `grassmeans label"):
        compare_groups(model, documents)
    with pytest.raises(UnknownWordError, match="'anvil' has no senses"):
        compare_groups(model, documents, "anvil")
    other = model.with_inventory(type(model.inventory)([model.inventory["crane"]]))
    with pytest.raises(InputError, match="labelled by another model"):
        compare_groups(other, group_documents(labelled, "date:century"))
    with pytest.raises(InputError, match="some corpora are labelled"):
        compare_groups(model, group_documents([corpus, labelled], "date:century"))
    with pytest.raises(InputError, match="level must be a number between 0 and 1"):
        ChangeSettings(level=2.0)


def test_blocks_give_the_same_as_one(model, labelled, monkeypatch):
    documents = group_documents(labelled, "date:century")
    whole = compare_groups(model, documents)
    monkeypatch.setattr("grassmeans.change.uses.BLOCK_USES", 20)
    parts = compare_groups(model, documents)
    assert [word.word for word in parts.words] == [word.word for word in whole.words]
    for one, other in zip(whole.words, parts.words, strict=True):
        assert [g.counts.tolist() for g in one.groups] == [g.counts.tolist() for g in other.groups]


def test_tables_are_pandas_frames_where_pandas_is_there(monkeypatch):
    import sys
    import types

    fake = types.ModuleType("pandas")
    fake.DataFrame = lambda rows: ("frame", rows)
    monkeypatch.setitem(sys.modules, "pandas", fake)
    assert as_table([{"a": 1}]) == ("frame", [{"a": 1}])
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert as_table([{"a": 1}]) == [{"a": 1}]


def test_a_random_division_shows_no_change(model, labelled):
    documents = group_documents(labelled, "date:century").shuffle(3)
    found = compare_groups(model, documents, settings=replace(ChangeSettings(), examined=0))
    assert not any(pair.is_change for word in found.words for pair in word.pairs)


def test_all_forms_of_a_word_are_compared(model) -> None:
    pairs = [("the crane nest wing", "old"), ("the cranes nest wing", "old")]
    pairs += [("a cranes steel load", "new"), ("a crane steel load", "new")]
    records = [{"text": text, "source": source} for text, source in pairs * 10]
    texts = Corpus.from_texts(records, meta=("source",))
    knows = model.with_lemmas({"cranes": "crane"})
    rows = sense_shares(knows, texts, "cranes", by="source")
    counts = {(row["group"], row["sense"]): row["count"] for row in rows}
    assert counts == {("old", 1): 20, ("old", 2): 0, ("new", 1): 0, ("new", 2): 20}
    (crane,) = compare_groups(knows, group_documents(texts, "source"), ["crane"]).words
    assert {example.word for example in crane.examples} == {"crane", "cranes"}
