"""Collocates of the senses of a word, on a corpus made by hand."""

from __future__ import annotations

import pytest

from crane_model import save_crane_model
from grassmeans import Corpus, find_collocates, load
from grassmeans.errors import InputError

TEXTS = [
    "nest crane wing",  # a bird
    "steel crane beam",  # a machine
    "wing crane nest",  # a bird
    "nest nest the",
]


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS)


def test_collocates_of_senses(tmp_path, corpus):
    model = load(save_crane_model(tmp_path / "model"))
    found = find_collocates(model, corpus, "Crane", before=1, after=1)
    assert (found.word, found.n_lines, found.n_looked_at) == ("crane", 3, 3)
    assert {c.word for c in found.rank(1, fewest=1)} == {"nest", "wing"}
    assert {c.word for c in found.rank(2, fewest=1)} == {"steel", "beam"}
    assert found.compare(1, 2, fewest=2)[0].word in {"nest", "wing"}
    with pytest.raises(InputError, match="senses 1 to 2, not 3"):
        found.rank(3)
    few = find_collocates(model, corpus, "crane", max_contexts=2)
    assert few.n_looked_at == 2
    assert few.near.shares.tolist() == [2 / 3, 2 / 3]
