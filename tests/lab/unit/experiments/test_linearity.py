from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grassmeans import Corpus, SkipGram, WordVectors
from grassmeans.vectors.training import TrainingSettings
from grassmeans_lab.experiments.experiment import ExperimentSetup, SkipExperimentError
from grassmeans_lab.experiments.linearity import (
    Linearity,
    MemoryShard,
    MergeableText,
    Merger,
    measure_fit,
    train_mergers,
)


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


@pytest.fixture
def text() -> MergeableText:
    """Two documents of rows 0 to 4: 0 1 2 3 4 0 0 0 0 3 | 4 0 0 0 1."""
    tokens = np.array([0, 1, 2, 3, 4, 0, 0, 0, 0, 3, 4, 0, 0, 0, 1], np.int32)
    return MergeableText(
        candidates=np.array([1, 3]),
        weights=np.array([0.5, 0.5]),
        counts=np.array([8, 2, 1, 2, 2]),
        text=MemoryShard(tokens, np.array([0, 10, 15])),
    )


def test_text_is_cut_down_to_the_words_around_artificial_ones(text):
    # Rows 1 and 3 become row 7, which stands at 1, 3, 9 and 14.
    found = text.merge(Merger(np.array([[1, 3]]), first_row=7), reach=1)
    assert found.tokens.tolist() == [0, 7, 2, 7, 4, 0, 7, 0, 7]
    assert found.document_offsets.tolist() == [0, 5, 7, 9]


def test_stretches_end_with_their_documents(text):
    found = text.merge(Merger(np.array([[3], [4]]), first_row=5), reach=1)
    # 3 -> 5 and 4 -> 6; the last word of the first document and the first of the second meet.
    assert found.tokens.tolist() == [2, 5, 6, 0, 0, 5, 6, 0]
    assert found.document_offsets.tolist() == [0, 4, 6, 8]


def test_a_long_reach_keeps_everything(text):
    found = text.merge(Merger(np.array([[1, 3]]), first_row=5), reach=100)
    assert found.document_offsets.tolist() == [0, 10, 15]


def test_counts_move_to_the_artificial_words(text):
    merger = Merger(np.array([[1, 3], [0, 2]]), first_row=6)
    assert text.merge_counts(merger, 9).tolist() == [0, 0, 0, 0, 2, 0, 4, 9, 0]
    assert merger.rows == slice(6, 8)


def test_reading_leaves_out_unknown_words_and_takes_documents_evenly():
    documents = ["river water stone", "river stone water", "stone river water"]
    documents.append("river nowhere the water")
    corpus = Corpus.from_texts(documents)
    vectors = WordVectors(["stone", "river", "water", "the"], np.eye(4, dtype=np.float32))
    found = MergeableText.read(corpus, vectors, min_count=4, max_tokens=13)
    assert found.text.tokens.tolist() == [1, 2, 0, 1, 0, 2, 0, 1, 2, 1, 3, 2]
    assert found.text.document_offsets.tolist() == [0, 3, 6, 9, 12]
    assert found.counts.tolist() == [3, 4, 4, 1]
    # Content words only, by their frequency: river and water occur four times.
    assert sorted(found.candidates.tolist()) == [1, 2]
    assert found.weights.tolist() == [0.5, 0.5]
    half = MergeableText.read(corpus, vectors, min_count=4, max_tokens=7)
    assert half.text.tokens.tolist() == [1, 2, 0, 0, 1, 2]
