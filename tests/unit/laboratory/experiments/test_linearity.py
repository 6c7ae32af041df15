from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grassmeans import SkipGram
from grassmeans.laboratory.experiments.findings import SkipExperimentError
from grassmeans.laboratory.experiments.linearity import Linearity, measure_fit, train_mergers
from grassmeans.laboratory.experiments.merged_text import MergeableText, Merger
from grassmeans.laboratory.experiments.setup import ExperimentSetup
from grassmeans.vectors.training import TrainingSettings
from grassmeans.vectors.word_vectors import WordVectors


@pytest.fixture(scope="module")
def setup(topic_corpus, tmp_path_factory) -> ExperimentSetup:
    """Vectors with their output side."""
    folder = tmp_path_factory.mktemp("linearity")
    trainer = SkipGram(dim=20, min_count=3, epochs=20, workers=1).fit(topic_corpus)
    trainer.vectors_.save(folder / "vectors", output=trainer.output_)
    vectors = WordVectors.load(folder / "vectors")
    return ExperimentSetup(topic_corpus, vectors, folder, workers=1)


@pytest.fixture(scope="module")
def findings(setup):
    return Linearity.quick().run(setup)


def test_fit_is_the_cosine_of_a_vector_and_its_projection():
    trained = np.array([[3, 4, 0], [3, 4, 0], [0, 0, 2]], np.float32)
    one = np.array([[[2, 0, 0]], [[-5, 0, 0]], [[0, 1, 0]]], np.float32)
    assert measure_fit(trained, one) == pytest.approx([0.6, 0.6, 0.0])
    two = np.array([[[1, 0, 0], [1, 1, 0]]] * 3, np.float32)
    assert measure_fit(trained, two) == pytest.approx([1.0, 1.0, 0.0])


def test_only_artificial_words_are_trained(setup):
    text = MergeableText.read(setup.corpus, setup.vectors, min_count=8, max_tokens=20_000)
    n_words = len(setup.vectors)
    mergers = [
        Merger(text.candidates[None, :2], n_words),
        Merger(text.candidates[None, 2:4], n_words + 1),
    ]
    settings = TrainingSettings(epochs=1)
    found = train_mergers(mergers, text, setup.vectors, settings, 1)
    assert np.array_equal(found.inputs[:n_words], setup.vectors.vectors)
    assert np.array_equal(found.outputs[:n_words], setup.vectors.output)
    assert found.inputs.shape == (n_words + 2, 20)
    assert np.all(np.linalg.norm(found.inputs[n_words:], axis=1) > 0.1)
    assert np.all(np.linalg.norm(found.outputs[n_words:], axis=1) > 0.1)
    # The second merger is trained alike without the first: its start apart, nothing is shared.
    again = train_mergers(mergers, text, setup.vectors, settings, 2)
    assert np.array_equal(found.inputs, again.inputs)


def test_vectors_fit_their_members_better_than_other_words(findings):
    rows = {row[:2]: row[2:] for row in findings.tables[0].rows}
    # (5, 1..3) by members, (1, 2) by words, and (1, 1) where nothing is merged.
    assert sorted(rows) == [(1, 1), (1, 2), (5, 1), (5, 2), (5, 3)]
    for measured, fit, other in rows.values():
        assert measured == 5
        assert float(other.split()[0]) < float(fit.split()[0]) <= 1.0
    assert float(rows[5, 2][1].split()[0]) > 0.7


def test_every_figure_has_its_data(findings):
    assert [figure.name for figure in findings.figures] == ["linearity-members", "linearity-words"]
    assert all(figure.png and figure.svg for figure in findings.figures)
    assert len(findings.tables[1].rows) == 5 * 5
    assert len(findings.values) == 5


def test_number_of_workers_does_not_change_the_fits(setup, findings):
    assert Linearity.quick().run(replace(setup, workers=2)).values == findings.values


def test_vectors_without_output_are_skipped(setup, topic_vectors):
    with pytest.raises(SkipExperimentError, match="no output vectors"):
        Linearity.quick().run(replace(setup, vectors=topic_vectors))


def test_too_few_words_are_skipped(setup):
    with pytest.raises(SkipExperimentError, match="need 20 words, but only 0 content words"):
        Linearity(min_count=100_000, sizes=(2,)).run(setup)
