"""Which occurrences a word has, why it has none, and how sure lines are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.models.model import SenseModel
from grassmeans.senses.calibration import CALIBRATION
from grassmeans_explorer.limits import WordNotFoundError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.asking.typed import tell_absence
from grassmeans_explorer.queries.lines import read_plain_lines
from grassmeans_explorer.queries.lookup import look_up
from grassmeans_explorer.queries.occurrences import (
    EVERYTHING,
    LineSample,
    choose_positions,
    count_in_corpus,
    count_occurrences,
    ids_of_forms,
    tell_senses,
)
from grassmeans_explorer.queries.words import show_word

DISTANCES = np.array([[0.0, 0.8], [0.6, 0.8], [0.8, 0.8], [math.nan, math.nan]], np.float32)


def give(model: SenseModel, manifest: dict[str, object]) -> SenseModel:
    return SenseModel(model.encoder, model.inventory, model.tokenizer, manifest)


def test_confidence_is_the_probability_to_be_right(topic_model) -> None:
    # Margins of 0.4, 0.2 and 0, and 0.01 that is added: odds of ten times as much.
    model = give(topic_model, {CALIBRATION: {"intercept": math.log(10.0), "log_margin": 1.0}})
    senses, sure = tell_senses(model, "crane", DISTANCES)
    assert sure == pytest.approx([4.1 / 5.1, 2.1 / 3.1, 0.1 / 1.1, 0.0], abs=1e-6)
    assert senses.tolist() == [1, 0, 0, 0]
    assert (sure >= 0.7).tolist() == [True, False, False, False]


def test_without_a_calibration_it_is_the_probability_of_the_sense(topic_model) -> None:
    model = give(topic_model, {})
    assert model.choose_sharpness() == 10.0
    first, second = np.exp(-10.0 * np.array([0.6, 0.8]))
    _, sure = tell_senses(model, "crane", DISTANCES[1:3])
    assert sure == pytest.approx([first / (first + second), 0.5], abs=1e-6)


def test_the_occurrences_of_a_word_are_those_of_its_forms(forms_model, forms_corpus) -> None:
    opened = OpenModel(forms_model, forms_corpus)
    count, plural = forms_model["crane"].count, forms_corpus.count_of("cranes")
    for asked in ("crane", "cranes"):
        found = look_up(opened, asked)
        assert (found.word, found.in_corpus) == ("crane", count)
    assert look_up(opened, "Cranes").led_by == "lemma"
    assert len(choose_positions(opened, "crane", EVERYTHING)) == count
    assert count_occurrences(opened, "crane", LineSample(forms=("cranes",))) == count
    assert count_in_corpus(opened, "cranes").count == count
    assert dict(show_word(opened, "cranes").forms)["cranes"] == plural
    # Lines of a form itself can be looked at, too.
    assert read_plain_lines(opened, "cranes").total == plural
    with pytest.raises(WordNotFoundError, match="does not occur"):
        choose_positions(opened, "nowhere", EVERYTHING)


def test_that_a_word_does_not_occur_is_said_only_where_it_is_so(topic_model, tmp_path):
    text = "the ice cream; the crane crane crane birdba birdba birdba the"
    whole = Corpus.from_texts([text], tmp_path / "whole")
    few = Corpus.from_texts([text], tmp_path / "few", options=IngestOptions(max_vocabulary=3))
    told = {}
    for name, corpus in (("whole", whole), ("few", few)):
        opened = OpenModel(topic_model, corpus)
        for word in ("zeppelin", "ice cream"):
            with pytest.raises(WordNotFoundError) as error:
                ids_of_forms(opened, word)
            told[name, word] = str(error.value)
    assert told["whole", "zeppelin"] == "'zeppelin' does not occur in whole"
    assert "occurs 1 times: look at the phrase" in told["whole", "ice cream"]
    # A corpus of the most frequent words cannot tell of the others.
    assert "it may be one of the rarer ones" in told["few", "zeppelin"]
    assert "it may be one of the rarer ones" in told["few", "ice cream"]
    counts = count_in_corpus(OpenModel(topic_model, few), "bank")
    assert (counts.count, "rarer" in counts.reason) == (0, True)
    assert count_in_corpus(OpenModel(topic_model, whole), "crane").reason == ""
    assert "too long" in tell_absence(OpenModel(topic_model, whole), "x" * 300)
