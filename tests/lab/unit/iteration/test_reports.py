from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.labelling.labeller import relabel
from grassmeans.senses.decoding import decode_soft
from grassmeans_lab.iteration.labelled_words import LabelledWords
from grassmeans_lab.iteration.reports import (
    RoundReport,
    draw_exit_chart,
    match_senses,
    mean_entropy,
    measure_agreement,
    reason_to_stop,
    report_round,
)
from synthetic import POLYSEMOUS

SVG = "{http://www.w3.org/2000/svg}"


def test_swapped_numbers_agree_fully() -> None:
    matching = match_senses(np.array([1, 1, 2, 2, 0]), np.array([2, 2, 1, 1, 0]), 2)
    assert matching.renumbering.tolist() == [0, 2, 1]
    assert matching.agreement == 1.0


def test_idk_is_never_matched_with_a_sense() -> None:
    # The new sense 1 covers the old IDK, and two of the old sense 2.
    previous = np.array([0, 0, 0, 2, 2, 1])
    current = np.array([1, 1, 1, 1, 1, 2])
    matching = match_senses(previous, current, 2)
    assert matching.renumbering.tolist() == [0, 2, 1]
    assert matching.n_agreeing == 3
    assert matching.agreement == pytest.approx(0.5)


def test_the_matching_is_best_over_all_senses_not_greedy() -> None:
    # Greedy would give 1 -> 1 (3 occurrences) and leave 2 -> 2 with none: 3; the best is 2 + 2.
    current = np.array([1, 1, 1, 1, 1, 2, 2])
    previous = np.array([1, 1, 1, 2, 2, 1, 1])
    matching = match_senses(previous, current, 2)
    assert matching.renumbering.tolist() == [0, 2, 1]
    assert matching.n_agreeing == 4


def test_a_sense_without_occurrences_gets_the_number_that_is_left() -> None:
    matching = match_senses(np.array([3, 3]), np.array([1, 1]), 3)
    assert matching.renumbering[1] == 3
    assert sorted(matching.renumbering.tolist()) == [0, 1, 2, 3]
    assert match_senses(np.array([], int), np.array([], int), 2).agreement == 1.0


def test_labels_are_checked() -> None:
    with pytest.raises(InputError, match="same occurrences"):
        match_senses(np.array([1]), np.array([1, 1]), 1)
    with pytest.raises(InputError, match="between 0 and 2, found 3"):
        match_senses(np.array([3]), np.array([1]), 2)


def test_entropy_is_relative_to_the_number_of_senses() -> None:
    assert mean_entropy(np.array([[1.0, 0.0], [0.0, 1.0]])) == 0.0
    assert mean_entropy(np.full((3, 5), 0.2)) == pytest.approx(1.0)
    assert mean_entropy(np.array([[1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]])) == pytest.approx(0.5)
    assert mean_entropy(np.ones((4, 1))) == 0.0
    assert mean_entropy(np.empty((0, 3))) == 0.0


def test_reports_count_what_the_labels_hold(labelled: Corpus, tmp_path: Path) -> None:
    relabelled = relabel(labelled, tmp_path / "looser", idk_threshold=0.02, workers=1)
    report = report_round(1, relabelled, labelled)
    before, after = (LabelledWords.of(one) for one in (labelled, relabelled))
    positions = np.sort(np.concatenate([before.positions(word) for word in POLYSEMOUS]))
    labels = after.labels_at(positions)
    assert report.n_occurrences == len(labels) == 800
    assert 0.01 < report.idk_share < 0.5
    assert report.idk_share == pytest.approx(np.mean(labels == 0))
    # Senses have kept their numbers, so that matching them changes nothing.
    assert report.agreement == pytest.approx(np.mean(before.labels_at(positions) == labels))
    assert 0.5 < report.agreement < 1.0
    assert report_round(0, labelled).agreement is None


def test_entropy_is_the_mean_over_occurrences(labelled: Corpus) -> None:
    rows = []
    for shard in labelled.shards:
        rows.append(np.load(shard.folder / "sense_distances.npy").astype(float))
    probabilities = decode_soft(np.concatenate(rows), 10.0)
    expected = -(probabilities * np.log2(probabilities)).sum(axis=1).mean()
    assert report_round(0, labelled).mean_entropy == pytest.approx(expected)
    assert report_round(0, labelled, sharpness=0.0).mean_entropy == pytest.approx(1.0)


def test_agreement_with_itself_and_with_no_idk(labelled: Corpus, tmp_path: Path) -> None:
    assert measure_agreement(labelled, labelled) == 1.0
    strict = relabel(labelled, tmp_path / "strict", idk_threshold=0.0, workers=1)
    share = labelled.manifest["labelled"]["n_idk"] / 800
    assert 0.1 < share < 0.5
    assert measure_agreement(labelled, strict) == pytest.approx(share)
    with pytest.raises(InputError, match="not labellings of the same corpus"):
        measure_agreement(Corpus.from_texts(["a b c"]), labelled)


@pytest.mark.parametrize(
    ("entropies", "agreement", "reason"),
    [
        ([0.3], None, None),
        ([0.3, 0.2], 0.9, None),
        ([0.3, 0.2], 0.981, "98.1% of the labels"),
        ([0.3, 0.2], 0.98, "98.0% of the labels"),
        ([0.3, 0.2], 0.9799, None),
        ([0.3, 0.3], 0.9, "no longer falls"),
        ([0.4, 0.2, 0.25], 0.9, "0.2000 before, 0.2500 now"),
    ],
)
def test_when_to_stop(entropies: list[float], agreement: float | None, reason: str | None) -> None:
    # The share of "I don't know" rises all along, which ends nothing.
    reports = [
        RoundReport(i, 100, 0.1 * (i + 1), entropy, None if i == 0 else agreement)
        for i, entropy in enumerate(entropies)
    ]
    found = reason_to_stop(reports)
    assert (found is None) if reason is None else (found is not None and reason in found)


def reports(*entropies: float) -> list[RoundReport]:
    return [RoundReport(i, 10, 0.0, entropy, None) for i, entropy in enumerate(entropies)]


def test_points_by_hand() -> None:
    """Information 0.5, 0.6, 0.7: the axes go from 0.45 to 0.75 over 320 pixels, 50 from the edge.

    Round 1 lies at (0.5, 0.6): x = 50 + 320 / 6 = 103.3, y = 370 - 320 / 2 = 210.
    """
    chart = ElementTree.fromstring(draw_exit_chart(reports(0.5, 0.4, 0.3)))
    points = [(circle.get("cx"), circle.get("cy")) for circle in chart.iter(f"{SVG}circle")]
    assert points == [("103.3", "210.0"), ("210.0", "103.3")]
    texts = [text.text for text in chart.iter(f"{SVG}text")]
    assert texts[:2] == ["1", "2"]
    assert texts.count("0.45") == texts.count("0.75") == 2
    steps = [line.get("points") for line in chart.iter(f"{SVG}polyline")][-1]
    assert steps is not None
    assert steps.split()[:3] == ["103.3,316.7", "103.3,210.0", "210.0,210.0"]


@pytest.mark.parametrize("entropies", [(0.0,), (1.0, 1.0), (0.0, 0.0), (0.2, 0.9)])
def test_every_point_lies_inside(entropies: tuple[float, ...]) -> None:
    chart = draw_exit_chart(reports(*entropies))
    ElementTree.fromstring(chart)
    found = [float(number) for number in re.findall(r'c[xy]="([^"]+)"', chart)]
    assert len(found) == 2 * (len(entropies) - 1)
    assert all(50 <= number <= 370 for number in found)


def test_no_round_no_chart() -> None:
    with pytest.raises(InputError, match="at least one round"):
        draw_exit_chart([])
