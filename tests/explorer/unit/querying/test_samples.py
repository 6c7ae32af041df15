"""Samples of lines: by seed, sense, group; cut at words."""

from __future__ import annotations

import numpy as np
import pytest

from crane_model import save_crane_model
from grassmeans import Corpus
from grassmeans.errors import InputError
from grassmeans.labelling import label_corpus
from grassmeans_explorer.querying.headwords import understand
from grassmeans_explorer.querying.matches import find_matches
from grassmeans_explorer.querying.phrase_senses import find_phrase_senses
from grassmeans_explorer.querying.samples import SampleWish, choose_rows, sample_lines

BIRD, MACHINE = "nest crane wing", "steel crane beam"


@pytest.fixture
def corpus() -> Corpus:
    """Eight lines of the bird, two of the machine, and one of which nothing is known."""
    records = [{"text": f"{BIRD} {letter}", "source": "birds"} for letter in "bcdefghi"]
    records += [{"text": f"{MACHINE} {letter}", "source": "machines"} for letter in "bc"]
    records.append({"text": "xyzzy crane", "source": "machines"})
    return Corpus.from_texts(records, meta=["source"])


@pytest.fixture
def model(tmp_path):
    return save_crane_model(tmp_path / "model")


def starts(found) -> list[int]:
    return [one.line.start for one in found.lines]


def test_a_sample_is_the_same_for_a_seed_and_grows(corpus):
    four = sample_lines(corpus, "crane", SampleWish(size=4))
    assert starts(four) == starts(sample_lines(corpus, "Crane", SampleWish(size=4)))
    assert starts(four) == sorted(starts(four))
    assert set(starts(four)) < set(starts(sample_lines(corpus, "crane", SampleWish(size=7))))
    assert starts(four) != starts(sample_lines(corpus, "crane", SampleWish(size=4, random_state=1)))
    assert (four.n_lines, four.n_fitting, four.n_looked_at) == (11, 11, 0)
    assert {one.sense for one in four.lines} == {None}
    assert len(sample_lines(corpus, "crane", SampleWish(size=99)).lines) == 11


def test_lines_of_a_sense_or_a_group(corpus, model):
    machines = sample_lines(corpus, "crane", SampleWish(senses=(2,)), model=model)
    assert [one.line.left for one in machines.lines] == ["steel ", "steel "]
    assert {(one.word, one.sense) for one in machines.lines} == {("crane", 2)}
    assert (machines.n_fitting, machines.n_looked_at) == (2, 11)
    group = sample_lines(corpus, "crane", SampleWish(by="source", group="machines"), model=model)
    assert [one.sense for one in group.lines] == [2, 2, 0]
    with pytest.raises(InputError, match="no group 'x'"):
        sample_lines(corpus, "crane", SampleWish(by="source", group="x"))
    with pytest.raises(InputError, match="need a model"):
        sample_lines(corpus, "crane", SampleWish(senses=(1,)))


def test_every_sense_has_its_share(corpus, model):
    wish = SampleWish(size=6, senses=(1, 2), stratified=True)
    found = sample_lines(corpus, "crane", wish, model=model)
    assert sorted(one.sense for one in found.lines) == [1, 1, 1, 1, 2, 2]
    everything = sample_lines(corpus, "crane", SampleWish(size=5, stratified=True), model=model)
    assert sorted(one.sense for one in everything.lines) == [0, 1, 1, 2, 2]


def test_shares_are_equal_and_what_is_rare_leaves_room():
    senses = np.repeat([1, 2, 3], [10, 10, 2])
    rows = choose_rows(senses, 9, stratified=True)
    assert np.bincount(senses[rows]).tolist() == [0, 3, 4, 2]
    assert rows.tolist() == sorted(set(rows.tolist()))
    assert choose_rows(senses, 99, stratified=True).tolist() == list(range(22))
    assert len(choose_rows(senses, 5)) == 5


def test_lines_of_a_query_have_the_sense_of_their_first_word_with_senses(corpus, model):
    found = sample_lines(corpus, '"steel" "crane" []', SampleWish(size=9), model=model)
    assert [one.line.match for one in found.lines] == ["steel crane beam"] * 2
    assert [one.sense for one in found.lines] == [2, 2]
    again = sample_lines(corpus, find_matches(corpus, '"steel"'), model=model)
    assert [one.sense for one in again.lines] == [None, None]


def test_rows_tell_senses_and_fields(corpus, model, tmp_path):
    row = sample_lines(corpus, "crane", SampleWish(senses=(2,)), model=model).rows()[0]
    assert list(row) == [
        *("start", "end", "document", "left", "match", "right"),
        *("word", "sense", "sense_name", "source"),
    ]
    labelled = label_corpus(corpus, model, tmp_path / "labelled", workers=1)
    found = sample_lines(labelled, '"crane"', SampleWish(senses=(2,)))
    assert [(one.word, one.sense) for one in found.lines] == [("crane", 2)] * 2


def test_names_of_senses_are_told(topic_corpus, topic_model_folder):
    found = sample_lines(topic_corpus, "crane", SampleWish(size=5), model=topic_model_folder)
    assert all(one.name for one in found.lines if one.sense)


def test_lines_of_a_phrase_have_the_senses_of_the_phrase(synthetic, topic_model_folder):
    corpus = Corpus.from_texts([text.replace("crane", "old crane") for text in synthetic.documents])
    phrase = understand(corpus, "old crane")
    senses = find_phrase_senses(corpus, phrase, topic_model_folder, n_senses=2)
    found = sample_lines(corpus, senses, SampleWish(size=6, stratified=True))
    assert [one.line.match for one in found.lines] == ["old crane"] * 6
    assert all(one.name for one in found.lines if one.sense)
    # A phrase does not have the senses of one of its words.
    plain = sample_lines(corpus, "old crane", SampleWish(size=3), model=topic_model_folder)
    assert {(one.word, one.sense) for one in plain.lines} == {("", None)}
    chosen = sample_lines(
        corpus, "old crane", SampleWish(size=6, stratified=True), model=topic_model_folder
    )
    assert {one.word for one in chosen.lines} == {"old_crane"}


def test_what_does_not_occur_has_no_sample(corpus):
    with pytest.raises(InputError, match="does not occur"):
        sample_lines(corpus, "nothing")
    with pytest.raises(InputError, match="1 line or more"):
        sample_lines(corpus, "crane", SampleWish(size=0))
    assert sample_lines(corpus, '"nothing"').lines == ()
