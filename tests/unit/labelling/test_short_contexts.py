"""Contexts of few words: labelling leaves out some that tagging answers; else both agree."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.clustering.settings import InductionSettings
from grassmeans.geometry.windows import ContextShape
from grassmeans.labelling.labeller import label_corpus
from grassmeans.labelling.measuring import open_distances
from grassmeans.models.building import build_model

MADE_UP = ("birdba", "birdbe", "birdbi", "birdbo", "birdbu")
SHORT = [
    "crane.",
    "birdba crane birdbe.",
    "birdba crane birdbe birdbi.",
    "birdba birdbo crane birdbe birdbi.",
    "birdba birdbo crane birdbe birdbi birdbu.",
]


def test_weighted_contexts_need_three_words():
    assert ContextShape(rank=5).fewest_words == 5
    assert ContextShape(rank=5, weighting="singular").fewest_words == 3
    assert ContextShape(rank=2, weighting="singular").fewest_words == 2


@pytest.mark.parametrize(("weighting", "n_known"), [("flat", 1), ("singular", 3)])
def test_tagging_and_labelling_agree(weighting, n_known, tmp_path, topic_corpus, topic_vectors):
    model = build_model(
        topic_corpus.path,
        topic_vectors.folder,
        tmp_path / "model",
        ["crane"],
        settings=InductionSettings(n_senses=2),
        rank=5,
        weighting=weighting,
        workers=1,
    )
    assert all(word in model.vectors for word in MADE_UP)
    tagged = [text[0] for text in model.tag_many(SHORT, idk_threshold=None)]
    assert all(word.sense > 0 for word in tagged)  # every known word has an answer
    corpus = Corpus.from_texts(SHORT, tmp_path / "short")
    labelled = label_corpus(corpus, model, tmp_path / "labelled", idk_threshold=None, workers=1)
    stored = open_distances(labelled.shards[0].folder, labelled.n_tokens, 2).distances
    assert np.isnan(stored[: 5 - n_known, :2]).all()
    for word, row in zip(tagged[-n_known:], stored[-n_known:], strict=True):
        np.testing.assert_allclose(row[:2], word.distances, atol=1e-3)
