"""Corrections in the explorer: which corpus they count in, and that they come back."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from grassmeans import Corpus, load
from grassmeans.geometry.distances import measure_distances
from grassmeans_explorer.limits import ConflictError, Limits, MemoryLimits, NoCorpusError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.concordance import LineFilter, find_lines
from grassmeans_explorer.queries.corrections import (
    Correction,
    correct_word,
    list_corrections,
    save_corrections,
)
from grassmeans_explorer.queries.occurrences import count_in_corpus, encode_lines
from grassmeans_explorer.queries.words import list_words, show_word, words_by_count


@pytest.fixture(scope="module")
def slice_corpus(tmp_path_factory, synthetic) -> Corpus:
    """Some of the documents: another corpus than the model's."""
    place = tmp_path_factory.mktemp("slice") / "slice"
    return Corpus.from_texts(synthetic.documents[:150], place)


@pytest.fixture
def own(topic_model_folder, topic_corpus, tmp_path) -> OpenModel:
    folder = shutil.copytree(topic_model_folder, tmp_path / "model")
    return OpenModel(load(folder), topic_corpus)


@pytest.fixture
def foreign(topic_model_folder, slice_corpus, tmp_path) -> OpenModel:
    folder = shutil.copytree(topic_model_folder, tmp_path / "abroad" / "model")
    return OpenModel(load(folder), slice_corpus)


def shares_of(view) -> list[float]:
    return [sense.share for sense in view.senses]


def test_merger_under_another_corpus_keeps_the_counts_of_the_model(foreign):
    before = show_word(foreign, "crane")
    merged = correct_word(foreign, "crane", Correction("merge", [1, 2]))
    assert (merged.count, merged.n_contexts) == (before.count, before.n_contexts)
    assert shares_of(merged) == [1.0]
    assert merged.counted_in is None


def test_split_under_another_corpus_counts_all_of_the_word_there(foreign, slice_corpus):
    split = correct_word(foreign, "crane", Correction("split", [1]))
    count = slice_corpus.count_of("crane")
    assert (split.count, split.counted_in.name) == (count, "slice")
    assert sum(shares_of(split)) == pytest.approx(1.0, abs=1e-3)
    # From here on the word is counted there, by every correction.
    merged = correct_word(foreign, "crane", Correction("merge", [1, 3]))
    assert (merged.count, merged.counted_in.name) == (count, "slice")
    saved = save_corrections(foreign)
    version = load(foreign.base.folder.parent / saved.saved_to)
    assert version.senses("crane").counts_told == (
        f"{count} of {count} occurrences in slice, which is not the model's corpus"
    )
    assert version.senses("bank").counts_told == "200 of 200 occurrences"
    again = OpenModel(version, slice_corpus)
    assert correct_word(again, "crane", Correction("merge", [1, 2])).count == count


def test_corrections_under_the_own_corpus_leave_other_shares_alone(own):
    before = show_word(own, "crane")
    split = correct_word(own, "crane", Correction("split", [1]))
    assert split.counted_in is None
    assert split.senses[1].share == pytest.approx(before.senses[1].share, abs=1e-3)
    assert split.n_contexts == before.n_contexts


def test_counts_of_another_corpus_stand_beside_the_model(foreign, own, slice_corpus):
    found = count_in_corpus(foreign, "crane")
    n = slice_corpus.count_of("crane")
    assert (found.corpus, found.count, found.n_contexts) == ("slice", n, n)
    assert show_word(foreign, "crane").count == 200
    assert sum(found.shares) == pytest.approx(1.0, abs=1e-3)
    assert count_in_corpus(own, "crane").shares == pytest.approx(
        shares_of(show_word(own, "crane")), abs=1e-3
    )


def test_hidden_senses_keep_their_share_and_all_sum_to_one(own):
    before = show_word(own, "crane")
    correct_word(own, "crane", Correction("hide", [2]))
    split = correct_word(own, "crane", Correction("split", [1]))
    assert [sense.hidden for sense in split.senses] == [False, True, False]
    assert sum(shares_of(split)) == pytest.approx(1.0, abs=1e-3)
    shown = correct_word(own, "crane", Correction("unhide", [2]))
    assert shown.senses[1].share == pytest.approx(split.senses[1].share)
    for _ in range(3):
        last = correct_word(own, "crane", Correction("undo"))
    assert shares_of(last) == shares_of(before)
    with pytest.raises(ConflictError, match="no correction"):
        correct_word(own, "crane", Correction("undo"))


def test_new_correction_ends_what_can_be_made_again(own):
    correct_word(own, "crane", Correction("hide", [2]))
    correct_word(own, "crane", Correction("undo"))
    correct_word(own, "crane", Correction("rename", [1], "mine"))
    with pytest.raises(ConflictError, match="was undone"):
        correct_word(own, "crane", Correction("redo"))
    assert [edit.action for edit in list_corrections(own).edits] == ["rename"]


def test_what_was_undone_takes_no_room(topic_model, topic_corpus):
    limits = Limits(memory=MemoryLimits(edited_words=1))
    opened = OpenModel(topic_model, topic_corpus, limits)
    correct_word(opened, "crane", Correction("hide", [2]))
    with pytest.raises(ConflictError, match="1 words are edited"):
        correct_word(opened, "bank", Correction("hide", [2]))
    correct_word(opened, "crane", Correction("undo"))
    correct_word(opened, "bank", Correction("hide", [2]))
    assert list(opened.now.edits) == ["bank"]


def test_adopting_and_lines_need_a_corpus(topic_model):
    alone = OpenModel(topic_model)
    for wanted in (Correction("adopt", n_senses=2), Correction("assign", [1], lines=[1])):
        with pytest.raises(NoCorpusError):
            correct_word(alone, "crane", wanted)


def test_lines_turn_the_direction_and_are_tagged_so_after_saving(
    doubtful_model_folder, doubtful_corpus, tmp_path
):
    folder = shutil.copytree(doubtful_model_folder, tmp_path / "model")
    opened = OpenModel(load(folder), doubtful_corpus)
    lines = find_lines(opened, "crane", LineFilter(), limit=300).lines
    doubtful = next(x for x in lines if "bird" in x.left and "machine" in x.right)
    text = f"{doubtful.left}{doubtful.word}{doubtful.right}"
    assert opened.base.tag(text)[0].sense == doubtful.sense
    other = 3 - doubtful.sense
    changed = correct_word(
        opened, "crane", Correction("assign", [other], lines=[doubtful.position])
    )
    edit = changed.corrections[-1]
    assert (edit.n_taken, edit.lines) == (1, (doubtful.position,))
    assert edit.corpus == doubtful_corpus.manifest["digest"]
    version = load(tmp_path / save_corrections(opened).saved_to)
    recorded = version.manifest["edited"]["edits"][0]
    assert (recorded["action"], recorded["lines"]) == ("assign", [doubtful.position])
    assert version.tag(text)[0].sense == other


def test_occurrences_are_encoded_once(own, topic_corpus, monkeypatch):
    asked: list[int] = []
    encoder = own.base.encoder
    encode = encoder.encode_at

    def count(source, positions):
        asked.append(len(positions))
        return encode(source, positions)

    monkeypatch.setattr(encoder, "encode_at", count)
    monkeypatch.setattr(encoder, "worth_keeping", True, raising=False)
    positions = topic_corpus.positions("crane")
    wanted = positions[10:20]
    found = encode_lines(own, "crane", wanted)
    assert np.array_equal(found, encode(topic_corpus, wanted))
    every = encode_lines(own, "crane", positions)
    lines = own.base.inventory.directions("crane")
    expected = measure_distances(encode(topic_corpus, positions), lines)
    assert np.allclose(measure_distances(every, lines), expected, atol=1e-3)
    correct_word(own, "crane", Correction("split", [1]))
    find_lines(own, "crane", LineFilter(sense=1))
    assert asked == [10, 190]


def test_words_say_whether_their_corrections_are_saved(own):
    assert correct_word(own, "crane", Correction("hide", [2])).saved_as == ""
    save_corrections(own, "mine")
    assert show_word(own, "crane").saved_as == "mine"
    assert correct_word(own, "crane", Correction("rename", [1], "x")).saved_as == ""
    correct_word(own, "crane", Correction("reset"))
    assert show_word(own, "crane").saved_as == ""


def test_added_words_are_listed(own):
    assert "seal" not in words_by_count(own)
    correct_word(own, "seal", Correction("adopt", n_senses=2))
    assert words_by_count(own)[-1] == "seal"
    assert [found.word for found in list_words(own, "sea").words] == ["seal"]
    correct_word(own, "seal", Correction("undo"))
    assert "seal" not in words_by_count(own)
