from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.errors import InputError
from grassmeans.evaluation.loading import open_task
from grassmeans.evaluation.running import evaluate
from grassmeans.evaluation.sentences import (
    PassageAnswers,
    SentencesTask,
    WordAnswers,
    match_senses,
    score_words,
)
from grassmeans.evaluation.systems import VectorSystem

DATA = Path(__file__).parents[2] / "data"

LINES = [
    {"id": "b1", "word": "crane", "sense": "bird", "text": "nest Crane", "kind": "homonym"},
    {"id": "b2", "word": "crane", "sense": "bird", "text": "crane: nest", "kind": "homonym"},
    {"id": "m1", "word": "crane", "sense": "machine", "text": "crane beam", "kind": "homonym"},
    {"id": "m2", "word": "crane", "sense": "machine", "text": "unseen crane", "kind": "homonym"},
    {"id": "r1", "word": "river", "sense": "water", "text": "a river nest", "kind": "one-sense"},
]
PAIRS = [{"first": "b1", "second": "m1"}, {"first": "m1", "second": "b2"}]


def write_lines(path: Path, lines: list[dict]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def task(tmp_path: Path) -> SentencesTask:
    write_lines(tmp_path / "small-sentences.jsonl", LINES)
    write_lines(tmp_path / "small-pairs.jsonl", PAIRS)
    return SentencesTask(tmp_path)


def test_sentences_alone_and_in_pairs(task: SentencesTask, small_model) -> None:
    result = evaluate(task, small_model, idk_threshold=None)
    found = result.groups["homonym"]
    # Nothing is known around m2, which has the first sense: wrong. The other three lie on the axis
    # of their sense. Of six pairs, the three of m2 are wrong.
    assert (found.answered, found.accuracy, found.pairwise) == (100, 75, 50)
    assert found.answered_in_pairs == 100
    assert result.words_without_senses == ("river",)
    assert result.groups["one-sense"].answered == 0
    record = result.to_dict()
    assert record["one-sense"]["accuracy"] is None
    assert record["words_without_senses"] == ["river"]
    assert record["counts"]["n_words_without_senses"] == 1
    assert record["all"]["answered"] == 80
    assert result.to_table().rows[0][:5] == ("all", "2", "5", "80.00", "75.00")


def test_whatever_answers_is_scored_alike(task: SentencesTask) -> None:
    def answer(word: str, passages: Sequence[tuple[str, str]]) -> PassageAnswers:
        # A bird where "nest" comes before the word; it never says so after a beam.
        nearest: list[int | None] = [int("nest" in left) for left, _ in passages]
        given = [
            None if "beam" in left else sense
            for (left, _), sense in zip(passages, nearest, strict=True)
        ]
        return PassageAnswers(nearest, given)

    scores = task.score_answers(answer)
    assert list(scores) == ["all", "homonym", "one-sense"]
    found = scores["homonym"]
    # b1 is the only bird of four, so b2 is wrong: right 3 of 4, and 3 of 6 pairs.
    assert (found.answered, found.accuracy, found.pairwise) == (100, 75, 50)
    # "nest Crane crane beam", then "crane beam crane: nest": before b2 stands a beam. The crane of
    # m1 has a nest before it in the first text: a wrong bird.
    assert found.answered_in_pairs == 75
    assert found.accuracy_in_pairs == pytest.approx(200 / 3)
    assert (scores["one-sense"].answered, scores["all"].accuracy) == (100, 80)


def test_neighbours_of_the_other_sentence_count(tmp_path: Path, small_model) -> None:
    texts = {"b1": "nest crane nest", "m1": "beam crane beam", "m2": "mix crane"}
    lines = [
        {"id": name, "word": "crane", "sense": name[0], "text": text}
        for name, text in texts.items()
    ]
    path = write_lines(tmp_path / "x-sentences.jsonl", lines)
    orders = [("b1", "m1"), ("m1", "b1"), ("b1", "m2"), ("m2", "b1")]
    pairs = [{"first": first, "second": second} for first, second in orders]
    write_lines(tmp_path / "x-pairs.jsonl", pairs)
    scores = evaluate(SentencesTask(path), small_model, idk_threshold=None).groups["all"]
    assert (scores.accuracy, scores.pairwise) == (100, 100)  # mix alone is nearer to beam
    # "nest crane nest beam crane beam": two words of the own sense against one of the other, in
    # either order. A mix beside a nest is between the two and nearer to the nest: a wrong bird.
    assert scores.accuracy_in_pairs == 75
    assert scores.told_apart == 50


def test_what_is_too_far_is_not_answered(task: SentencesTask, small_model) -> None:
    small_model.manifest["idk_threshold"] = 0.0
    result = evaluate(task, small_model)
    assert result.groups["all"].answered == 0
    assert result.parameters["idk"] == 0.0


def test_ids_are_line_numbers_where_there_are_none(tmp_path: Path) -> None:
    bare = [{"word": "crane", "sense": s, "text": f"{s} crane"} for s in ("bird", "machine")]
    path = write_lines(tmp_path / "sentences.jsonl", bare)
    write_lines(tmp_path / "pairs.jsonl", [{"first": 1, "second": 2}])
    task = SentencesTask(path)
    assert [sentence.id for sentence in task.sentences] == ["1", "2"]
    assert task.pairs[0].passages == [("bird ", " machine crane"), ("bird crane machine ", "")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": "crane and crane"}, "line 2: expected 'crane' once, found it 2 times"),
        ({"text": "cranes"}, "expected 'crane' once, found it 0 times"),
        ({"sense": None}, "line 2: expected a text as sense, found None"),
        ({"id": "b1"}, "line 2: the sentence 'b1' comes twice"),
        ({"kind": "noun"}, "line 2: 'crane' was 'homonym' before"),
    ],
)
def test_wrong_sentences(tmp_path: Path, change: dict, message: str) -> None:
    path = write_lines(tmp_path / "a-sentences.jsonl", [LINES[0], LINES[1] | change])
    with pytest.raises(InputError, match=message):
        SentencesTask(path)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ({"first": "b1", "second": "x"}, "line 1: there is no sentence 'x'"),
        ({"first": "b1", "second": "b2"}, "expected one word in two senses, found b1, b2"),
        ({"first": "b1", "second": "r1"}, "expected one word in two senses, found b1, r1"),
    ],
)
def test_wrong_pairs(tmp_path: Path, pair: dict, message: str) -> None:
    write_lines(tmp_path / "a-sentences.jsonl", LINES)
    write_lines(tmp_path / "a-pairs.jsonl", [pair])
    with pytest.raises(InputError, match=message):
        SentencesTask(tmp_path)


def test_a_folder_holds_one_file_of_sentences(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds 0 files \*sentences.jsonl"):
        SentencesTask(tmp_path)


def test_vectors_alone_cannot_answer(task: SentencesTask) -> None:
    plain = WordVectors(["nest"], np.ones((1, 2), np.float32))
    with pytest.raises(InputError, match=r"no word of sentences has senses \(crane, river\)"):
        evaluate(task, VectorSystem(plain))


def test_the_spanish_set_is_what_it_says() -> None:
    task = open_task("sentences", DATA / "spanish-sentences.jsonl")
    assert (len(task.sentences), len(task.pairs), len(task.targets)) == (136, 56, 34)
    given = Counter((sentence.word, sentence.sense) for sentence in task.sentences)
    assert min(given.values()) == 2
    one_sense = {sentence.word for sentence in task.sentences if sentence.kind == "one-sense"}
    n_senses = Counter(word for word, _ in given)
    assert {word for word, n in n_senses.items() if n == 1} == one_sense


def test_the_english_set_is_what_it_says() -> None:
    task = open_task("sentences", DATA / "english-sentences.jsonl")
    senses: dict[str, dict[str, int]] = {}
    for sentence in task.sentences:
        own = senses.setdefault(sentence.word, {})
        own[sentence.sense] = own.get(sentence.sense, 0) + 1
        assert sentence.written == sentence.word
        assert 8 <= len(sentence.text.split()) <= 22, sentence.id
    assert len(senses) >= 160
    assert min(count for own in senses.values() for count in own.values()) >= 2
    kinds = {sentence.word: sentence.kind for sentence in task.sentences}
    assert all((len(own) == 1) == (kinds[word] == "one-sense") for word, own in senses.items())
    orders = {(pair.first.id, pair.second.id) for pair in task.pairs}
    assert len(orders) == len(task.pairs) == 200
    assert orders == {(second, first) for first, second in orders}


def test_nouns_of_one_sense_are_a_hundred_plain_words() -> None:
    nouns = (DATA / "one-sense-nouns.txt").read_text().splitlines()
    assert nouns == sorted(set(nouns))
    assert len(nouns) == 100
    assert all(noun.isalpha() and noun.islower() for noun in nouns)


@pytest.mark.parametrize("language", ["es", "de"])
def test_the_sets_of_other_languages_are_what_they_say(language: str) -> None:
    task = open_task("sentences", DATA / f"{language}-sentences.jsonl")
    assert (len(task.sentences), len(task.targets)) == (240, 60)
    assert set(Counter(sentence.word for sentence in task.sentences).values()) == {4}
    senses = {(sentence.word, sentence.sense) for sentence in task.sentences}
    assert set(Counter(word for word, _ in senses).values()) == {2, 3}
    nouns = (DATA / f"{language}-one-sense-nouns.txt").read_text("utf-8").splitlines()
    assert nouns == sorted(set(nouns))
    assert len(nouns) == 50
    assert not set(nouns) & {sentence.word for sentence in task.sentences}


def make_word(senses, answers, **pairs) -> WordAnswers:
    return WordAnswers(senses, answers, answers, **pairs)


def test_senses_are_matched_one_to_one_so_that_most_sentences_agree() -> None:
    # 7 as the bird agrees with three sentences; 3 as the bird and 7 as the machine with two.
    birds = ("bird", "bird", "bird", "bird", "machine")
    assert match_senses(make_word(birds, (7, 7, 7, 3, 7))) == {7: "bird"}
    # One to one: 2 has most of both, and must leave the birds to 4.
    senses = ("bird", "bird", "machine", "machine")
    assert match_senses(make_word(senses, (4, 2, 2, 2))) == {4: "bird", 2: "machine"}
    assert match_senses(make_word(senses, (1, 1, 0, None))) == {1: "bird", 0: "machine"}
    assert match_senses(make_word(senses, (None,) * 4)) == {}


def test_what_is_not_answered_is_matched_nevertheless() -> None:
    far = WordAnswers(("bird", "bird", "machine"), (0, 0, 0), (None, None, 0))
    assert match_senses(far) == {0: "bird"}
    assert score_words([far]).accuracy == 0


def test_scores_of_two_words_by_hand() -> None:
    crane = make_word(
        senses=("bird", "bird", "machine", "machine"),
        answers=(4, 2, 2, 2),
        pairs=(("bird", "machine"), ("machine", "bird"), ("bird", "machine")),
        pair_answers=((4, 2), (2, 2), (None, 4)),
    )
    river = make_word(("water",) * 3, (0, 1, None))
    scores = score_words([crane, river])
    assert (scores.n_words, scores.n_sentences, scores.n_pairs) == (2, 7, 3)
    assert scores.answered == pytest.approx(100 * 6 / 7)
    # 4 is the bird and 2 the machine: three cranes; of the two rivers one answer has no sense left.
    assert scores.accuracy == pytest.approx(100 * 4 / 6)
    # Cranes: birds differ (wrong), machines agree (right); of four mixed pairs those with 4 are
    # right (two). Rivers: one pair, wrong.
    assert scores.pairwise == pytest.approx(100 * 3 / 7)
    assert scores.same == pytest.approx(100 * 1 / 3)
    assert scores.other == pytest.approx(100 * 2 / 4)
    assert scores.split == 100
    # 4 2 are right, of 2 2 the first is, and 4 is no machine.
    assert scores.answered_in_pairs == pytest.approx(100 * 5 / 6)
    assert scores.accuracy_in_pairs == pytest.approx(100 * 3 / 5)
    assert scores.told_apart == pytest.approx(100 * 1 / 2)
    # A sample of words holds both, or one of them twice: 3 of 4 cranes right, 1 of 2 rivers.
    assert scores.accuracy_interval is not None
    assert scores.accuracy_interval.low == pytest.approx(50)
    assert scores.accuracy_interval.high == pytest.approx(75)
    assert scores.pairwise_interval is not None
    assert scores.pairwise_interval.low == pytest.approx(0)
    assert scores.pairwise_interval.high == pytest.approx(50)


def test_numbers_of_senses_do_not_matter() -> None:
    senses = ("a", "b", "a", "c")
    given = score_words([make_word(senses, (0, 1, 0, 1))])
    # As text: what is no number is not equal to itself.
    assert repr(given) == repr(score_words([make_word(senses, (5, 0, 5, 0))]))
    assert given.accuracy == pytest.approx(75)


def test_what_cannot_be_scored_is_no_number() -> None:
    scores = score_words([make_word(("a", "a", "b"), (None, None, 0))])
    assert scores.answered == pytest.approx(100 / 3)
    assert scores.accuracy == 100
    nothing = (scores.pairwise, scores.same, scores.other, scores.split, scores.told_apart)
    assert all(math.isnan(value) for value in nothing)
    assert scores.accuracy_interval is None


def test_words_of_one_sense_with_a_single_answer_are_not_split() -> None:
    words = [
        make_word(("a", "a"), (0, 0)),
        make_word(("a", "a"), (0, 1)),
        make_word(("a", "a"), (0, None)),
        make_word(("a", "b"), (0, 1)),
    ]
    assert score_words(words).split == 50
