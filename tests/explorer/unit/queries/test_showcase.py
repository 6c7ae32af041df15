"""Which words of a model are shown first: clear ones, no names, and each of its own kind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.corpus import default_options
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import ExampleLine, Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans_explorer.limits import OutOfTimeError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries import showcase
from grassmeans_explorer.queries.showcase import (
    choose_showcase,
    differing,
    in_phrase,
    is_capitalised,
    score_entry,
)
from grassmeans_explorer.work import Checkpoint, run_within

AXES = np.eye(8, dtype=np.float32)


def make_entry(
    word: str, rows: list[int], shares: list[float], *, form: str = "", distance: float = 0.2
) -> WordSenses:
    """A word whose senses lie along axes; in its examples it stands among words of these."""
    senses = tuple(
        Sense(
            number=number,
            share=share,
            mean_distance=distance,
            characteristic_words=(),
            nearest_words=(),
            examples=(ExampleLine(f"so axis{row} the ", form or word, f" axis{row}", "d", 0.1),),
            name=f"sense of {row}",
        )
        for number, (row, share) in enumerate(zip(rows, shares, strict=True), 1)
    )
    return WordSenses(word, 9, 9, AXES[rows], senses)


def open_entries(entries: list[WordSenses]) -> OpenModel:
    vectors = WordVectors([f"axis{i}" for i in range(8)], AXES)
    encoder = SubspaceEncoder(vectors, ContextShape(2, 1), frozenset({"the"}))
    tokenizer = default_options().tokenizer
    return OpenModel(SenseModel(encoder, SenseInventory(entries), tokenizer))


def test_clear_words_come_first_and_names_and_rare_senses_do_not_count():
    opened = open_entries(
        [
            make_entry("rare", [0, 1], [0.95, 0.05]),
            make_entry("vague", [2, 3], [0.5, 0.5], distance=0.9),
            make_entry("washington", [4, 5], [0.5, 0.5], form="Washington"),
            make_entry("the", [4, 5], [0.5, 0.5]),
            make_entry("b52", [4, 5], [0.5, 0.5]),
            make_entry("single", [6], [1.0]),
            make_entry("clear", [6, 7], [0.6, 0.4]),
        ]
    )
    found = choose_showcase(opened)
    # The clear one, then the vague one; a small model goes on with what it has.
    assert [one.word for one in found.words] == ["clear", "vague", "rare", "washington"]
    assert found.words[0].names == ("sense of 6", "sense of 7")
    assert choose_showcase(opened) is found


def test_a_word_whose_examples_the_model_gives_to_other_senses_comes_last():
    # Crisper by its numbers, but its examples are those of the other sense.
    mistaken = make_entry("mistaken", [0, 1], [0.5, 0.5], distance=0.1)
    first, second = mistaken.senses
    swapped = (replace(first, examples=second.examples), replace(second, examples=first.examples))
    right = make_entry("right", [2, 3], [0.5, 0.5], distance=0.3)
    opened = open_entries([replace(mistaken, senses=swapped), right])
    assert [one.word for one in choose_showcase(opened).words] == ["right", "mistaken"]


def test_choosing_goes_on_where_its_time_was_up(monkeypatch):
    opened = open_entries(
        [make_entry("one", [0, 1], [0.5, 0.5]), make_entry("two", [2, 3], [0.5, 0.5])]
    )
    read: list[str] = []
    recognise = showcase._recognise

    def note(model: OpenModel, entry: WordSenses) -> float:
        read.append(entry.word)
        return recognise(model, entry)

    monkeypatch.setattr(showcase, "_recognise", note)

    class Late(Checkpoint):
        def __call__(self, progress: float) -> None:
            if read:
                raise OutOfTimeError("late")

    with pytest.raises(OutOfTimeError):
        run_within(Late(), choose_showcase, opened)
    assert len(read) == 1
    assert len(choose_showcase(opened).words) == 2
    assert sorted(read) == ["one", "two"]


def test_where_nouns_are_capitalised_they_are_no_names():
    words = [("Schloss", [0, 1]), ("Bank", [2, 3]), ("Ton", [4, 5])]
    entries = [make_entry(w.lower(), rows, [0.5, 0.5], form=w) for w, rows in words]
    entries.insert(0, make_entry("selten", [6, 7], [0.95, 0.05]))
    names = [one.word for one in choose_showcase(open_entries(entries)).words]
    assert names == ["schloss", "bank", "ton", "selten"]


def test_the_score_asks_for_distance_crispness_and_even_shares():
    even = score_entry(make_entry("w", [0, 1], [0.5, 0.5]), lines_have_ends=True)
    # Senses at right angles, mean distance 0.2, two senses in effect.
    assert even == pytest.approx(1.0 * 0.8 * np.sqrt(2.0))
    skew = score_entry(make_entry("w", [0, 1], [0.9, 0.1]), lines_have_ends=True)
    assert 0.0 < skew < even
    assert score_entry(make_entry("w", [0, 0], [0.5, 0.5]), lines_have_ends=True) == 0.0
    assert score_entry(make_entry("w", [0, 1], [0.95, 0.05]), lines_have_ends=True) == 0.0
    many = make_entry("w", list(range(7)), [1 / 7] * 7)
    assert score_entry(many, lines_have_ends=True) == 0.0
    ends = WordSenses("w", 9, 9, np.stack([AXES[0], -AXES[0]]), even_senses())
    assert score_entry(ends, lines_have_ends=True) > even
    assert score_entry(ends, lines_have_ends=False) == 0.0  # both ends of a line are one sense


def even_senses() -> tuple[Sense, ...]:
    return make_entry("w", [0, 1], [0.5, 0.5]).senses


def test_no_two_words_share_a_sense():
    entries = [
        make_entry(w, rows, [0.5, 0.5]) for w, rows in (("a", [0, 1]), ("b", [1, 2]), ("c", [3, 4]))
    ]
    assert [entry.word for entry in differing(entries, 5)] == ["a", "c"]
    assert [entry.word for entry in differing(entries, 1)] == ["a"]


def test_capitals_at_the_beginning_of_a_sentence_tell_nothing():
    def sense(*lines: tuple[str, str]) -> Sense:
        examples = tuple(ExampleLine(left, word, "", "", 0.0) for left, word in lines)
        return Sense(1, 1.0, 0.1, (), (), examples, "")

    assert is_capitalised(sense(("in ", "Paris"), ("to ", "Paris")))
    assert not is_capitalised(sense(("", "Bank"), ("“", "Bank"), ("a ", "bank")))
    assert not is_capitalised(sense(("a ", "Bank"), ("a ", "bank")))
    assert not is_capitalised(sense())


def test_words_in_phrases_and_single_forms_are_passed_over() -> None:
    plain = make_entry("plain", [0, 1], [0.5, 0.5])
    phrase = make_entry("prime", [2, 3], [0.5, 0.5])
    named = replace(phrase.senses[0], name="Anglo-Primes of")
    phrase = replace(phrase, senses=(named, phrase.senses[1]), forms=(("primes", 3),))
    pooled = replace(make_entry("pooled", [4, 5], [0.5, 0.5]), forms=(("pools", 3),))
    assert (in_phrase(plain), in_phrase(phrase), in_phrase(pooled)) == (False, True, False)
    found = choose_showcase(open_entries([plain, phrase, pooled])).words
    assert found[0].word == "pooled"
    alone = choose_showcase(open_entries([plain, make_entry("other", [4, 5], [0.9, 0.1])])).words
    assert alone[0].word == "plain"
