"""The queries behind the explorer, without HTTP."""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import pytest

from crane_model import save_crane_model
from grassmeans import load
from grassmeans.contexts.subspaces import weigh_context_words
from grassmeans.senses.examples import N_EXAMPLES
from grassmeans_explorer.limits import (
    ConflictError,
    Limits,
    NoCorpusError,
    NothingThereError,
    StaleError,
    TooMuchError,
    WordNotFoundError,
    WorkLimits,
)
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries import concordance, corrections, induce, words
from grassmeans_explorer.queries.concordance import LineFilter, find_lines
from grassmeans_explorer.queries.documents import show_document
from grassmeans_explorer.queries.induce import induce_senses, show_induced
from grassmeans_explorer.queries.lines import spread_documents
from grassmeans_explorer.queries.pictures.context_map import draw_map
from grassmeans_explorer.queries.pictures.planes import show_planes
from grassmeans_explorer.queries.searching import REACH, Search, stand_near
from grassmeans_explorer.queries.tag import tag_text


@pytest.fixture
def opened(topic_model, topic_corpus) -> OpenModel:
    return OpenModel(topic_model, topic_corpus)


@pytest.fixture
def alone(topic_model) -> OpenModel:
    return OpenModel(topic_model)


def correct(opened, word, action, senses=(), name="", revision=None, **more):
    wanted = corrections.Correction(action, senses, name, **more)
    return corrections.correct_word(opened, word, wanted, revision)


def test_weights_of_context_words_by_hand():
    # Rank 1: the subspace is the main axis v of X; U = Xv / s. With two words on v's line, of
    # lengths 2 and 1, their weights are 4/5 and 1/5 whatever the direction.
    vectors = np.array([[2, 0], [1, 0], [0, 0.5]], np.float32)
    rows = np.array([[0, 1, 2, -1]], np.int32)
    direction = np.array([[0.6, 0.8]], np.float32)
    weights = weigh_context_words(rows, direction, vectors, 1)
    assert np.allclose(weights, [[0.8, 0.2, 0.0, 0.0]])
    # Rank 2: V'u = (0.6, 0.8); U has the columns (2, 1, 0)/sqrt(5) and (0, 0, 1).
    weights = weigh_context_words(rows, direction, vectors, 2)
    assert np.allclose(weights, [[0.36 * 0.8, 0.36 * 0.2, 0.64, 0.0]])
    # Singular weighting: the second axis counts s_2 / s_1 = 0.5 / sqrt(5).
    weights = weigh_context_words(rows, direction, vectors, 2, "singular")
    second = 0.64 * 0.25 / 5
    expected = np.array([0.36 * 0.8, 0.36 * 0.2, second, 0.0]) / (0.36 + second)
    assert np.allclose(weights, [expected])


def test_weights_of_an_empty_context_are_zeros():
    vectors = np.array([[1, 0]], np.float32)
    rows = np.full((1, 4), -1, np.int32)
    weights = weigh_context_words(rows, np.array([[1, 0]], np.float32), vectors, 1)
    assert weights.tolist() == [[0, 0, 0, 0]]


def test_words_that_begin_come_before_words_that_contain(opened):
    assert [w.word for w in words.list_words(opened).words] == ["crane", "bank"]
    found = words.list_words(opened, "AN")
    assert (found.total, {w.word for w in found.words}) == (2, {"bank", "crane"})
    assert words.list_words(opened, "cr").words == (words.WordSummary("crane", 200, 2),)
    assert words.list_words(opened, "", 1, 1).words[0].word == "bank"
    assert words.list_words(opened, "zzz").total == 0


def test_a_word_is_shown_with_its_senses(opened):
    view = words.show_word(opened, "Crane")
    assert (view.word, view.count, view.n_senses, view.model_senses) == ("crane", 200, 2, True)
    for sense in view.senses:
        assert sense.crispness == pytest.approx(1 - sense.mean_distance)
        assert sense.name
        assert sense.colour.startswith("#")
    assert words.show_word(opened, "crane") is view


def test_unknown_words_come_with_suggestions(opened):
    with pytest.raises(WordNotFoundError, match="crane") as error:
        words.show_word(opened, "crani")
    assert error.value.suggestions == ("crane",)
    with pytest.raises(WordNotFoundError, match="can be induced"):
        words.show_word(opened, "seal")
    with pytest.raises(WordNotFoundError):
        words.show_word(opened, "x" * 10_000)


def test_the_dial_at_the_models_own_number_gives_its_senses(opened, topic_model):
    found = induce_senses(opened, "crane", 2)
    own = topic_model.senses("crane")
    assert np.allclose(found.entry.directions, own.directions, atol=1e-5)
    assert [s.name for s in found.entry.senses] == [s.name for s in own.senses]
    view = show_induced(opened, "crane", 2)
    assert not view.model_senses
    assert [(n.level, n.number, n.parent) for n in view.tree] == [
        (1, 1, None),
        (2, 1, 1),
        (2, 2, 1),
    ]
    assert [n.share for n in view.tree] == [1.0, *(s.share for s in view.senses)]


def test_shares_of_the_tree_are_those_of_the_cards(opened, monkeypatch):
    monkeypatch.setattr(induce, "SAMPLE", 31)  # the tree is found in a part of the contexts
    view = show_induced(opened, "crane", 4)
    levels = [[n.share for n in view.tree if n.level == level] for level in (1, 2, 3, 4)]
    assert levels[3] == [sense.share for sense in view.senses]
    assert [sum(shares) for shares in levels] == pytest.approx([1.0] * 4, abs=1e-3)


def test_the_dial_takes_words_that_the_model_has_not(opened):
    found = induce_senses(opened, "seal", 2)
    topics = [{word[:4] for word in s.characteristic_words} for s in found.entry.senses]
    assert sorted(topics, key=min) == [{"gard"}, {"lett"}]
    assert induce_senses(opened, "seal", 2) is found


def test_the_dial_is_bounded(opened, alone):
    with pytest.raises(TooMuchError):
        induce_senses(opened, "crane", 2, 20_001)
    with pytest.raises(TooMuchError, match="8 senses are the most"):
        induce_senses(opened, "crane", 9)
    for n_senses in (0, "many"):
        with pytest.raises(ValueError, match="n_senses"):
            induce_senses(opened, "crane", n_senses)
    with pytest.raises(NoCorpusError, match="--corpus"):
        induce_senses(alone, "crane", 2)
    with pytest.raises(WordNotFoundError):
        induce_senses(opened, "nowhere", 2)


def test_lines_have_the_sense_of_their_topic(opened, synthetic):
    lines = find_lines(opened, "crane", LineFilter(), limit=200).lines
    topics = np.array([topic for _, topic in synthetic.gold["crane"]])
    senses = np.array([line.sense for line in lines])
    assert len(lines) == len(topics) == 200
    known = senses > 0
    agreement = np.mean(
        (senses[known] == 1) == (topics[known] == topics[known][senses[known] == 1][0])
    )
    assert agreement == 1.0
    assert all(0.5 <= line.confidence <= 1.0 for line in lines)


def test_lines_are_filtered_sorted_and_paged(opened):
    everything = find_lines(opened, "crane", LineFilter(), limit=200).lines
    first = find_lines(opened, "crane", LineFilter(sense=1), limit=200)
    assert first.lines == tuple(line for line in everything if line.sense == 1)
    assert first.measured is None
    page = find_lines(opened, "crane", LineFilter(sense=1), offset=3, limit=2)
    assert (page.total, page.lines) == (first.total, first.lines[3:5])
    unknown = find_lines(opened, "crane", LineFilter(idk_only=True), limit=200)
    assert unknown == find_lines(opened, "crane", LineFilter(sense=0), limit=200)
    assert unknown.total == sum(line.sense == 0 for line in everything)
    surest = find_lines(opened, "crane", LineFilter(sort="confidence"), limit=200).lines
    assert sorted(surest, key=lambda x: x.position) == list(everything)
    assert list(surest) == sorted(surest, key=lambda x: -x.confidence)
    by_sense = find_lines(opened, "crane", LineFilter(sort="sense"), limit=200).lines
    assert [x.sense for x in by_sense] == sorted(x.sense for x in everything)
    sure = find_lines(opened, "crane", LineFilter(min_confidence=0.9), limit=200)
    assert sure.total == sum(line.confidence >= 0.9 for line in everything)
    assert find_lines(opened, "crane", LineFilter(), offset=10**9).lines == ()


def test_many_lines_are_sampled_evenly(topic_model, topic_corpus):
    limits = Limits(work=WorkLimits(measured_lines=50))
    opened = OpenModel(topic_model, topic_corpus, limits)
    assert find_lines(opened, "crane", LineFilter()).total == 200
    found = find_lines(opened, "crane", LineFilter(sort="confidence"))
    assert (found.total, found.measured) == (50, 50)


def test_search_looks_at_the_words_around(topic_corpus, synthetic):
    positions = topic_corpus.positions("crane")
    everything = stand_near(topic_corpus, positions, Search("  "))
    assert everything.all()
    word = synthetic.topic_words[0][0]
    near = stand_near(topic_corpus, positions, Search(f"the {word[:-1]}"))
    for position, found in zip(positions.tolist(), near.tolist(), strict=True):
        line = topic_corpus.line_at(position, 400)
        left = topic_corpus.tokenizer.tokenize(line.left)[-REACH:]
        right = topic_corpus.tokenizer.tokenize(line.right)[:REACH]
        around = left + right
        assert found == ("the" in around and any(w.startswith(word[:-1]) for w in around))


def test_lines_by_the_dial(opened):
    found = find_lines(opened, "seal", LineFilter(n_senses=2, sort="sense"), limit=200)
    assert {line.sense for line in found.lines} <= {0, 1, 2}
    assert found.total == 200
    with pytest.raises(WordNotFoundError, match="can be induced"):
        find_lines(opened, "seal", LineFilter(sense=1))


def test_a_word_that_only_the_corpus_has_has_lines_without_senses(opened):
    found = find_lines(opened, "seal", LineFilter(sort="left1"))
    assert found.total == 200
    assert {(line.sense, line.confidence, line.distances) for line in found.lines} == {(0, 0.0, ())}
    with pytest.raises(WordNotFoundError):
        find_lines(opened, "nowhere", LineFilter())


def test_without_a_corpus_lines_are_the_examples(alone):
    found = find_lines(alone, "crane", LineFilter())
    assert found.total == sum(len(s.examples) for s in words.show_word(alone, "crane").senses)
    second = find_lines(alone, "crane", LineFilter(sense=2, sort="confidence"))
    assert {line.sense for line in second.lines} == {2}
    line = found.lines[0]
    part = line.left[-12:].upper()
    assert line in find_lines(alone, "crane", LineFilter(search=Search(part))).lines


def test_examples_of_a_sense_are_the_nearest_lines(opened, alone):
    found = concordance.find_examples(opened, "crane", 2, limit=15)
    # Fifteen of the fifty nearest, the nearest of each document first.
    documents = [line.document for line in found.examples]
    assert len(set(documents)) == len(documents)
    distances = [line.distances[1] for line in found.examples]
    assert distances == sorted(distances)
    whole = concordance.find_examples(opened, "crane", 2, limit=70).examples
    assert {line.position for line in whole[:50]} == {
        line.position for line in sorted(whole, key=lambda line: line.distances[1])[:50]
    }
    parts = [concordance.find_examples(opened, "crane", 2, offset=i, limit=10) for i in (40, 50)]
    assert [line for part in parts for line in part.examples] == list(whole[40:60])
    assert {line.sense for line in found.examples} == {2}
    assert concordance.find_examples(alone, "crane", 2).total == N_EXAMPLES
    with pytest.raises(NothingThereError, match="1 to 2"):
        concordance.find_examples(opened, "crane", 3)


def test_lines_of_one_document_wait_for_those_of_others():
    assert spread_documents(["a", "a", "b", "a", "c", "b"], 5) == [0, 2, 4, 1, 3, 5]
    assert spread_documents([]) == []


def test_map_separates_the_senses(opened, alone):
    drawn = draw_map(opened, "crane", 50)
    assert len(drawn.points) == 50
    sides = {(point.sense, point.x > 0) for point in drawn.points if point.sense}
    assert len(sides) == 2
    corners = {corner.sense: corner.x for corner in drawn.senses}
    assert {(sense, x > 0) for sense, x in corners.items()} == sides
    assert drawn.layout == "between"
    assert drawn == draw_map(opened, "crane", 50)
    assert {point.sense for point in draw_map(alone, "crane", 50).points} == {1, 2}


def test_planes_come_from_the_corpus_where_there_is_one(opened):
    scene = show_planes(opened, "crane")
    numbers = [plane["sense"] for plane in scene["planes"]]
    assert numbers == [1] * 5 + [2] * 5
    assert len({plane["left"] for plane in scene["planes"]}) == 10
    places = np.sort([plane["position"] for plane in scene["planes"]])
    assert len(set(opened.corpus.documents_of(places).tolist())) == 10
    lines = {line["sense"]: np.array(line["direction"]) for line in scene["lines"]}
    for plane in scene["planes"]:
        basis = np.array(plane["basis"])
        own, other = (
            np.linalg.norm(basis @ lines[k]) for k in (plane["sense"], 3 - plane["sense"])
        )
        assert own > other


def test_planes_leave_hidden_senses_out(opened):
    assert [line["sense"] for line in show_planes(opened, "crane")["lines"]] == [1, 2]
    correct(opened, "crane", "hide", [1])
    assert [line["sense"] for line in show_planes(opened, "crane")["lines"]] == [2]
    with pytest.raises(ConflictError, match="hidden"):
        show_planes(opened, "crane", [1])
    with pytest.raises(NothingThereError):
        show_planes(opened, "crane", [7])


def test_document_shows_the_occurrence(opened, alone, topic_corpus):
    position = int(topic_corpus.positions("bank")[3])
    view = show_document(opened, position)
    assert view.text[view.start : view.end].lower() == "bank"
    assert not view.cut_before
    with pytest.raises(NothingThereError):
        show_document(opened, topic_corpus.n_tokens)
    with pytest.raises(NoCorpusError):
        show_document(alone, 0)


def test_tagging_follows_corrections(opened, synthetic):
    text = " ".join(["crane", *synthetic.topic_words[1][:10]])
    before = tag_text(opened, text, deciding=True)
    word = before.words[0]
    assert word.name == before.senses["crane"][word.sense - 1].name != ""
    assert {w.word for w in word.deciding_words} <= set(synthetic.topic_words[1])
    correct(opened, "crane", "rename", [word.sense], "lifting machine")
    assert tag_text(opened, text).words[0].name == "lifting machine"
    correct(opened, "crane", "hide", [word.sense])
    after = tag_text(opened, text, idk_threshold=0.6)
    assert after.words[0].sense == 0  # the other sense is too far
    assert tag_text(opened, text, idk_threshold=None).words[0].sense == 3 - word.sense
    assert after.senses["crane"][word.sense - 1].hidden
    correct(opened, "crane", "reset")
    assert tag_text(opened, text, deciding=True) == before
    assert corrections.list_corrections(opened).edits == ()


def test_tagging_is_bounded(opened):
    with pytest.raises(TooMuchError):
        tag_text(opened, "x" * 200_001)
    with pytest.raises(TooMuchError):
        tag_text(opened, "x", words=["x"] * 201)


def test_corrections_are_bounded_and_explained(topic_model, topic_corpus, alone):
    opened = OpenModel(topic_model, topic_corpus, Limits(work=WorkLimits(senses=3)))
    assert correct(opened, "crane", "split", [1]).n_senses == 3
    with pytest.raises(ConflictError, match="the most"):
        correct(opened, "crane", "split", [1])
    assert correct(opened, "crane", "merge", [1, 3]).n_senses == 2
    with pytest.raises(ConflictError, match="1 to 2"):
        correct(opened, "crane", "hide", [3])
    with pytest.raises(NoCorpusError):
        correct(alone, "crane", "split", [1])
    assert correct(alone, "crane", "merge", [1, 2]).n_senses == 1
    with pytest.raises(ConflictError, match="nothing has been edited"):
        corrections.save_corrections(OpenModel(topic_model))


def test_corrections_name_the_senses_that_they_are_made_for(alone):
    first = words.show_word(alone, "crane").revision
    changed = correct(alone, "crane", "hide", [1], revision=first)
    assert changed.revision not in (0, first)
    for action in ("unhide", "reset"):
        with pytest.raises(StaleError, match="'crane' were changed meanwhile"):
            correct(alone, "crane", action, [1], revision=first)
    back = correct(alone, "crane", "reset", revision=changed.revision)
    assert (back.revision, back.edited) == (0, False)
    assert correct(alone, "bank", "hide", [1], revision=0).edited


def test_a_corpus_of_another_kind_is_refused(tmp_path, topic_corpus):
    model = load(save_crane_model(tmp_path / "model"))
    model.inventory = type(model.inventory)([])
    with pytest.raises(ValueError, match="no word of the model"):
        OpenModel(model, topic_corpus)


def test_tagging_many_texts_keeps_nothing(alone):
    def tag(n_times: int) -> None:
        # Always the same words: the tokenizer remembers spellings, up to a limit of its own.
        for i in range(n_times):
            tag_text(alone, "crane birdba machineka birdde " * (1 + i % 5), sharpness=1 + i % 7)

    tag(50)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tag(300)
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    # An answer takes some 5,000 bytes; the interpreter's own caches take a little.
    assert after - before < 300 * 200
