from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.grouping import ClusteringTask
from grassmeans.evaluation.instances import Instance, Key, Label
from grassmeans.evaluation.running import evaluate
from grassmeans_lab.comparing.systems import MethodSystem
from grassmeans_lab.experiments.ablation_scores import (
    Change,
    WordScores,
    measure_decoding,
    pool_words,
    score_words,
)
from grassmeans_lab.experiments.ablation_words import (
    DecodedWord,
    PseudoWords,
    TaskWords,
    Variant,
    centre_contexts,
)
from grassmeans_lab.experiments.ablations import Ablations
from grassmeans_lab.experiments.experiment import ExperimentSetup, SkipExperimentError
from grassmeans_lab.rivals.interface import Material

pytest.importorskip("matplotlib")

# Sense 0 stands for class 1. The third context is nearer to the wrong one, the last is poor.
DECODED = DecodedWord(
    np.array([[0.8, 0.5], [0.2, 0.9], [0.6, 0.7], [np.nan, np.nan]], np.float32),
    np.array([0, 1, 0, 1]),
)


@pytest.fixture
def task(synthetic) -> ClusteringTask:
    """The first occurrence of crane and of seal in every document; the topic is the sense."""
    instances, labels = [], {}
    for word in ("crane", "seal"):
        for document, topic in synthetic.gold[word][::5]:
            left, _, right = synthetic.documents[document].lower().partition(f" {word} ")
            name = f"{word}.{document}"
            instances.append(Instance(name, word, "", left, word, right))
            labels.setdefault(word, {})[name] = (Label(f"topic{topic}"),)
    return ClusteringTask("makes-sense", tuple(instances), Key(labels))


@pytest.fixture
def pseudo_words(topic_corpus, topic_vectors, synthetic) -> PseudoWords:
    """Words of two topics merged into one, and two of the same topic."""
    bird, river = synthetic.topic_words[0], synthetic.topic_words[2]
    groups = [(bird[0], river[0]), (bird[1], bird[2])]
    return PseudoWords(groups, topic_corpus, topic_vectors, n_tested=6, random_state=0)


def test_contexts_less_their_means() -> None:
    table = np.array([[1, 0], [3, 2], [5, 5]], np.float32)
    ids, rows = centre_contexts(np.array([[0, -1, 1], [2, -1, -1]], np.int32), table)
    assert ids.tolist() == [[0, -1, 2], [3, -1, -1]]
    assert rows[[0, 2, 3]].tolist() == [[-1, -1], [1, 1], [0, 0]]


def test_words_of_a_test_set_are_scored_as_by_the_harness(
    task, topic_corpus, topic_vectors
) -> None:
    # More senses than there are: the scores are not 100, so that equal ones mean equal answers.
    variant = Variant(window=3, rank=1, n_senses=4, n_contexts=50, n_init=1)
    words = TaskWords(task, topic_corpus, topic_vectors, n_words=5, random_state=0)
    assert words.words == ("crane", "seal")
    found = score_words(words.decode(words.words, variant))
    system = MethodSystem("grassmeans:rank=1:n_init=1:window=3", 4)
    system.learn_from(Material(topic_corpus, topic_vectors, words.words, max_contexts=50))
    expected = evaluate(task, system).scores.all
    assert found.mean("V") == pytest.approx(expected.v_measure)
    assert found.mean("F") == pytest.approx(expected.f_score)
    assert found.mean("accuracy") == pytest.approx(expected.accuracy)
    assert 0 < found.mean("V") < 100
    assert TaskWords(task, topic_corpus, topic_vectors, 1, 0).words in (("crane",), ("seal",))


def test_pseudo_words_of_two_topics_are_taken_apart(pseudo_words: PseudoWords) -> None:
    decoded = pseudo_words.decode(pseudo_words.words, Variant(n_contexts=20))
    assert [word.gold.tolist() for word in decoded] == [[0] * 6 + [1] * 6] * 2
    scores = score_words(decoded).values
    assert scores[0].tolist() == [100, 100, 100]
    assert scores[1, 2] < 100  # both members mean the same


def test_repeats_of_pseudo_words(pseudo_words: PseudoWords, topic_vectors, topic_corpus) -> None:
    word, n_rows = pseudo_words.words[1], len(topic_vectors)
    members = topic_vectors.ids_of(word.split("+"))
    kept = pseudo_words.contexts(word, Variant(n_contexts=20))
    removed = pseudo_words.contexts(word, Variant(n_contexts=20, drop_repeats=True))
    # The second pseudo-word is the last row; no member stands in its own contexts.
    assert np.any(kept.learnt == n_rows + 1)
    assert not np.isin(kept.learnt, members).any()
    assert removed.learnt.max() < n_rows
    counts = np.array([topic_corpus.vocabulary.count_of(member) for member in word.split("+")])
    mean = counts @ topic_vectors.vectors[members] / counts.sum()
    assert pseudo_words.vectors.vectors[n_rows + 1] == pytest.approx(mean, abs=1e-5)


def test_more_contexts_include_the_fewer(pseudo_words: PseudoWords) -> None:
    word = pseudo_words.words[0]
    few = pseudo_words.contexts(word, Variant(n_contexts=8))
    more = pseudo_words.contexts(word, Variant(n_contexts=20))
    assert few.tested.tolist() == more.tested.tolist()
    assert len(few.learnt) == 8
    rows = [row.tolist() for row in more.learnt]
    assert all(row.tolist() in rows for row in few.learnt)
    tested = [row.tolist() for row in more.tested]
    assert not any(row in tested for row in rows)


def test_word_without_contexts_is_one_cluster(pseudo_words: PseudoWords) -> None:
    (decoded,) = pseudo_words.decode(pseudo_words.words[:1], Variant(n_contexts=0))
    assert decoded.distances.shape == (12, 1)
    assert score_words([decoded]).values[0].tolist() == pytest.approx([0, 200 / 3.2, 50])


def test_change_on_the_same_words() -> None:
    weights = np.array([1.0, 3.0])
    before = WordScores(np.array([[10.0, 0, 0], [20, 0, 0]]), weights)
    after = WordScores(np.array([[14.0, 0, 0], [24, 0, 0]]), weights)
    assert before.mean("V") == 17.5
    assert after.compare(before, "V") == Change(4, 4, 4)


def test_soft_and_unknown_against_the_truth() -> None:
    distances, gold = pool_words([DECODED])
    assert distances[:3].tolist() == pytest.approx(
        np.array([[0.5, 0.8], [0.9, 0.2], [0.7, 0.6]]), abs=1e-6
    )
    found = measure_decoding([DECODED], (0, 10), (0.4, 0.7, 0.1))
    # The true class is nearer by 0.3, 0.7 and -0.1; the poor context is a coin toss.
    true = [1 / (1 + math.exp(-10 * gap)) for gap in (0.3, 0.7, -0.1)] + [0.5]
    assert found.soft[0].log_likelihood == pytest.approx(math.log(0.5))
    assert found.soft[1].log_likelihood == pytest.approx(np.log(true).mean(), abs=1e-5)
    assert found.likeliest.sharpness == 10
    assert [(point.unknown, point.accuracy) for point in found.idk] == [
        (0.75, 1),
        (0.25, pytest.approx(2 / 3)),
        (1, None),
    ]
    # Confidences 0.95 and 0.999 share a bin, 0.73 and 0.5 are alone; the coin falls wrong.
    sure, unsure = 2 - true[0] - true[1], 1 - true[2]
    assert found.soft[1].calibration_error == pytest.approx((sure + unsure + 0.5) / 4, abs=1e-5)
    assert len(gold) == 4


def test_words_with_fewer_senses_than_classes() -> None:
    with pytest.raises(InputError, match="no word has as many senses as classes"):
        pool_words([DecodedWord(np.zeros((2, 1), np.float32), np.array([0, 1]))])


def test_unknown_centring() -> None:
    with pytest.raises(InputError, match="centring must be one of"):
        Variant(centring="mean")


def test_all_settings_at_toy_size(topic_corpus, topic_vectors, tmp_path: Path) -> None:
    setup = ExperimentSetup(topic_corpus, topic_vectors, tmp_path, workers=1)
    found = Ablations.quick().run(setup)
    table, sharpness, theta = found.tables
    # Two values of five settings, three of centring; one source of words.
    assert len(table.rows) == 13
    assert [row[1] for row in table.rows[-5:]] == [
        "nothing",
        "all vectors",
        "each context",
        "kept",
        "removed",
    ]
    defaults = [
        row
        for row in table.rows
        if row[:2]
        in {
            ("window", "10"),
            ("rank", "3"),
            ("contexts to learn from", "20"),
            ("mean subtracted from", "nothing"),
            ("repeats of the target", "kept"),
        }
    ]
    assert len(defaults) == 5
    assert {row[3:6] for row in defaults} == {defaults[0][3:6]}
    assert {row[7:] for row in defaults} == {(0, 0, 0)}
    assert len(sharpness.rows) == 8
    assert theta.rows[-1][:2] == (1.0, 0.0)
    assert [figure.name for figure in found.figures] == ["ablations", "ablations-decoding"]
    assert "pseudo-words (4)" in found.text[0]


def test_corpus_too_small(topic_corpus, topic_vectors, tmp_path: Path) -> None:
    setup = ExperimentSetup(topic_corpus, topic_vectors, tmp_path)
    with pytest.raises(SkipExperimentError, match="100 are needed for 50 pseudo-words"):
        replace(Ablations(), min_count=150).run(setup)
