from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from grassmeans.contexts.interface import ContextEncoder
from grassmeans.errors import InputError
from grassmeans.evaluation.loading import open_task
from grassmeans.evaluation.reliability import (
    PSEUDOWORDS,
    LabelledWord,
    measure_labelled_words,
    report_reliability,
    score_labelled_words,
    score_reliability,
)
from grassmeans.evaluation.sentences import SentencesTask
from grassmeans.senses.calibration import Calibration
from grassmeans.senses.pseudowords import make_pseudowords

NEAR, FAR = 0.0, 1.0


def test_scores_by_hand() -> None:
    # Bins 0.9 to 1 (0.95: one right of two) and 0.5 to 0.6 (0.55, right):
    # |1.9 - 1| + |0.55 - 1| = 1.35, over three that have a confidence.
    confidence = np.array([0.95, 0.95, 0.55, np.nan])
    found = score_reliability(confidence, np.array([True, False, True, False]))
    assert found.calibration_error == pytest.approx(45)
    assert (found.n_instances, found.answered, found.accuracy) == (4, 50, 50)
    assert found.accuracy_of_all == pytest.approx(200 / 3)
    assert found.confidence == pytest.approx(245 / 3)
    assert [(part.low, part.n_instances, part.right) for part in found.bins] == [
        (0.5, 1, 100),
        (0.9, 2, 50),
    ]
    assert json.loads(json.dumps(found.to_dict()))["bins"][1]["confidence"] == 95


def test_certain_answers_lie_in_the_last_bin() -> None:
    found = score_reliability(np.array([1.0]), np.array([True]))
    assert [(part.low, part.high) for part in found.bins] == [(0.9, 1.0)]


def test_nothing_is_no_score() -> None:
    found = score_labelled_words([], Calibration(0.0, 1.0)).to_dict()
    assert found["n_instances"] == 0
    assert (found["answered"], found["accuracy"], found["calibration_error"]) == (None, None, None)


def test_a_doubled_sense_is_wrong_the_second_time() -> None:
    # "bird" has two senses, the first with more instances; nothing is known about the last one.
    distances = [[NEAR, FAR, FAR], [NEAR, FAR, FAR], [FAR, NEAR, FAR], [FAR, FAR, NEAR]]
    distances.append([np.nan] * 3)
    word = LabelledWord(np.array(distances), ("bird", "bird", "bird", "machine", "bird"))
    assert word.find_right().tolist() == [True, True, False, True, False]
    # A margin of 1 everywhere: odds of 1.01 ** 1 to one.
    found = score_labelled_words([word], Calibration(0.0, 1.0), at_least=0.5)
    assert (found.answered, found.accuracy) == (80, 75)
    assert found.confidence == pytest.approx(100 * 1.01 / 2.01)


def test_labelled_tasks_are_answered(tmp_path: Path, small_model) -> None:
    sentences = [
        {"word": "crane", "sense": "bird", "text": "nest crane"},
        {"word": "crane", "sense": "machine", "text": "crane beam"},
        {"word": "river", "sense": "water", "text": "a river nest"},
    ]
    place = tmp_path / "a-sentences.jsonl"
    place.write_text("".join(json.dumps(line) + "\n" for line in sentences))
    crane, river = measure_labelled_words(small_model, SentencesTask(place))
    assert crane.find_right().tolist() == [True, True]
    assert np.isnan(river.distances).all()
    instances = [
        {"id": "1", "target": "crane", "left": "nest ", "right": "", "label": "bird"},
        {"id": "2", "target": "crane", "left": "beam ", "right": ""},
    ]
    place = tmp_path / "b.jsonl"
    place.write_text("".join(json.dumps(line) + "\n" for line in instances))
    (crane,) = measure_labelled_words(small_model, open_task("jsonl", place))
    assert crane.labels == ("bird",)


def test_a_task_without_labels_is_refused(tmp_path: Path, small_model) -> None:
    place = tmp_path / "a.jsonl"
    place.write_text(json.dumps({"id": "1", "target": "crane", "left": "", "right": ""}))
    with pytest.raises(InputError, match="has no instances with a sense"):
        measure_labelled_words(small_model, open_task("jsonl", place))


def test_pseudowords_are_held_apart(topic_model, topic_corpus) -> None:
    encoder, settings = topic_model.encoder, topic_model.settings
    four, eight = (make_pseudowords(topic_corpus, encoder, settings, n) for n in (4, 8))
    assert eight[:4] == four
    used = [word for group in eight for word in group]
    assert len(set(used)) == len(used)


def test_other_pseudowords_are_answered(topic_model, topic_corpus, monkeypatch) -> None:
    with pytest.raises(InputError, match="too few words for pseudo-words"):
        report_reliability(topic_model, topic_corpus, show_progress=False)
    monkeypatch.setattr(ContextEncoder, "n_pseudowords", 5)
    report = report_reliability(topic_model, topic_corpus, show_progress=False)
    found = report.groups[PSEUDOWORDS]
    assert found.n_instances > 50
    assert found.accuracy >= found.accuracy_of_all
    assert report.to_table().rows[0][0] == PSEUDOWORDS
    (row,) = report.rows()
    assert list(row) == list(report.column_types())
    assert row["n_instances"] == found.n_instances


def test_a_model_without_confidence_is_refused(small_model) -> None:
    with pytest.raises(InputError, match="not calibrated"):
        report_reliability(small_model)
