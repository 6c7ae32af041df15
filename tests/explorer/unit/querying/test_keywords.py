"""Keywords against another corpus or group, by hand."""

from __future__ import annotations

from math import log, log2

import pytest

from grassmeans import Corpus
from grassmeans.errors import InputError
from grassmeans_explorer.querying.keywords import find_keywords

BIRDS = ["nest nest nest nest wing", "wing the crane"]  # 8 tokens
MACHINES = ["steel steel steel crane", "wing the beam beam"]  # 8 tokens
EVERYTHING = {"min_count": 1, "min_log_likelihood": 0.0}


@pytest.fixture
def corpora(tmp_path) -> tuple[Corpus, Corpus]:
    first = Corpus.from_texts(BIRDS, tmp_path / "birds")
    return first, Corpus.from_texts(MACHINES, tmp_path / "machines")


def test_words_of_one_corpus_against_another(corpora):
    found = find_keywords(*corpora, **EVERYTHING)
    assert (found.name, found.reference) == ("birds", "machines")
    assert (found.n_tokens, found.n_reference_tokens) == (8, 8)
    nest, wing, crane = found.keywords
    assert (nest.word, nest.count, nest.reference_count, nest.per_million) == ("nest", 4, 0, 5e5)
    # The cells: 4 and 0 of the word, 4 and 8 of others; expected 2, 2, 6, 6.
    likely = 2 * (4 * log(4 / 2) + 4 * log(4 / 6) + 8 * log(8 / 6))
    assert nest.log_likelihood == pytest.approx(likely, abs=1e-3)
    assert nest.log_ratio == pytest.approx(log2(4 / 0.5), abs=1e-3)
    assert (wing.word, wing.log_ratio) == ("wing", 1.0)
    assert (crane.word, crane.log_likelihood, crane.log_ratio) == ("crane", 0.0, 0.0)


def test_what_it_lacks_and_what_is_sure(corpora):
    lacking = find_keywords(*corpora, negative=True, **EVERYTHING)
    assert [one.word for one in lacking.keywords][:2] == ["steel", "beam"]
    assert lacking.keywords[0].log_likelihood < 0
    assert lacking.keywords[0].log_ratio < 0
    assert find_keywords(*corpora).keywords == ()
    rare = find_keywords(*corpora, min_log_likelihood=0.0, min_count=3)
    assert [one.word for one in rare.keywords] == ["nest"]
    with_function = find_keywords(*corpora, function_words=True, **EVERYTHING)
    assert "the" in [one.word for one in with_function.keywords]
    by_ratio = find_keywords(*corpora, score="log_ratio", limit=1, **EVERYTHING)
    assert [row["word"] for row in by_ratio.rows()] == ["nest"]


def test_groups_of_documents_against_each_other():
    records = [{"text": text, "source": "birds"} for text in BIRDS]
    records += [{"text": text, "source": "machines"} for text in MACHINES]
    records.append({"text": "xyzzy xyzzy xyzzy xyzzy", "source": "other"})
    corpus = Corpus.from_texts(records, meta=["source"])
    found = find_keywords(corpus, by="source", group="birds", against="machines", **EVERYTHING)
    assert (found.n_tokens, found.n_reference_tokens) == (8, 8)
    assert [one.word for one in found.keywords] == ["nest", "wing", "crane"]
    rest = find_keywords(corpus, by="source", group="birds", **EVERYTHING)
    assert (rest.reference, rest.n_reference_tokens) == ("all but birds", 12)


def test_what_cannot_be_compared_is_told(corpora):
    corpus = corpora[0]
    with pytest.raises(InputError, match="another corpus, or a group"):
        find_keywords(corpus)
    with pytest.raises(InputError, match="no field 'source'"):
        find_keywords(corpus, by="source", group="x")
    with pytest.raises(InputError, match="a group needs by="):
        find_keywords(corpus, group="x")
