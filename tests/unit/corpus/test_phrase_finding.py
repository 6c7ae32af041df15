from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.corpus import phrase_finding
from grassmeans.corpus.corpus import default_options
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.corpus.phrase_finding import PhraseSettings, find_phrases, join_phrases, score_pairs
from grassmeans.errors import InputError

FILLERS = [f"{a}{b}" for a in "bdfgklmnprst" for b in ("apple", "orange", "ivory", "umber")]


def make_texts(phrase: str, times: int = 30, seed: int = 0) -> list[str]:
    """Random words, with a phrase once in each text."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(times):
        words = rng.choice(FILLERS, 20).tolist()
        words.insert(10, phrase)
        texts.append(" ".join(words) + ".")
    return texts


@pytest.fixture
def corpus(tmp_path) -> Corpus:
    texts = make_texts("Port Ellery") + make_texts("the Bank of the North", seed=1)
    texts += make_texts("new york stock exchange", seed=2)
    return Corpus.from_texts(texts, tmp_path / "corpus")


def test_scores_by_hand() -> None:
    # Never apart: p(ab) = p(a) = p(b), so that the mutual information is -ln p(ab).
    ones = np.array([10])
    assert score_pairs(ones, ones, ones, 1000) == pytest.approx(1.0)
    # Independent: p(ab) = p(a) p(b).
    assert score_pairs(ones, np.array([100]), np.array([100]), 1000) == pytest.approx(0.0)
    # ln(0.01 / (0.02 * 0.05)) / -ln(0.01)
    found = score_pairs(ones, np.array([20]), np.array([50]), 1000)
    assert found == pytest.approx(math.log(10) / math.log(100))


def test_phrases_are_found_with_common_words_inside(corpus) -> None:
    found = {phrase.entry: phrase for phrase in find_phrases(corpus, workers=1)}
    assert found["port ellery"].count == 30
    assert found["port ellery"].score == pytest.approx(1.0)
    assert found["bank of the north"].count == 30
    # The second pass joins what the first has found.
    assert {"new york", "stock exchange", "new york stock exchange"} <= set(found)
    assert not any(set(entry.split()) & set(FILLERS) for entry in found)


def test_one_pass_and_other_common_words(corpus) -> None:
    settings = PhraseSettings(passes=1, common_words=frozenset({"the"}))
    entries = {phrase.entry for phrase in find_phrases(corpus, settings, workers=1)}
    assert "port ellery" in entries
    assert "new york stock exchange" not in entries
    assert not any("bank" in entry for entry in entries)


def test_few_occurrences_are_no_phrase(corpus) -> None:
    assert find_phrases(corpus, PhraseSettings(min_count=31), workers=1) == []
    [first] = find_phrases(corpus, PhraseSettings(max_phrases=1), workers=1)
    assert first.count == 30


def test_punctuation_and_numbers_part_words(tmp_path) -> None:
    texts = [text.replace("Port Ellery", "Port, Ellery") for text in make_texts("Port Ellery")]
    texts += make_texts("apollo 11 mission", seed=3)
    corpus = Corpus.from_texts(texts, tmp_path / "corpus")
    assert find_phrases(corpus, workers=1) == []


def test_counts_do_not_depend_on_shards_and_workers(tmp_path, corpus, monkeypatch) -> None:
    texts = [corpus.document_text(i) for i in range(corpus.n_documents)]
    options = replace(default_options(), shard_chars=2000, keep_duplicates=True)
    parts = Corpus.from_texts(texts, tmp_path / "parts", options=options)
    assert len(parts.shards) > 5
    expected = find_phrases(corpus, workers=1)
    assert find_phrases(parts, workers=2) == expected
    # Rare pairs are forgotten where there are too many.
    monkeypatch.setattr(phrase_finding, "_MOST_PAIRS", 500)
    found = {phrase.entry for phrase in find_phrases(parts, workers=1)}
    assert {"port ellery", "bank of the north"} <= found


def test_a_joined_corpus_has_phrases_as_words(tmp_path, corpus) -> None:
    joined = join_phrases(corpus, tmp_path / "joined", workers=1)
    assert joined.count_of("port_ellery") == 30
    assert joined.count_of("Port Ellery") == 30
    assert "ellery" not in joined.vocabulary
    assert joined.n_documents == corpus.n_documents
    [first, *_] = joined.concordance("bank of the north")
    assert first.word == "Bank of the North"
    assert first.left.endswith("the ")
    lost = 30 * (1 + 3 + 3)
    assert joined.n_tokens == corpus.n_tokens - lost
    assert len(joined.vocabulary) == joined.manifest["n_types"]
    assert min(joined.vocabulary.counts) > 0
    with pytest.raises(InputError, match="has phrases already"):
        find_phrases(joined)


def test_phrases_of_ones_own(tmp_path, corpus) -> None:
    joined = join_phrases(corpus, tmp_path / "joined", ["Port Ellery", "single"], workers=1)
    assert joined.tokenizer.phrases.entries == ("port ellery",)
    assert joined.count_of("port_ellery") == 30


def test_long_documents_are_found_through_anchors(tmp_path) -> None:
    text = " ".join(f"word{i}x Port Ellery{'.' if i % 9 == 0 else ''}" for i in range(3000))
    corpus = Corpus.from_texts([text], tmp_path / "corpus")
    joined = join_phrases(corpus, tmp_path / "joined", ["port ellery"], workers=1)
    assert len(joined.shards[0].anchors) > 10
    positions = joined.positions("port_ellery")
    assert len(positions) == 3000
    for number in (0, 777, 2999):
        line = joined.line_at(int(positions[number]), width=30)
        assert line.word == "Port Ellery"
        assert f"word{number}x" in line.left


def test_what_came_tokenised_stays(tmp_path) -> None:
    tokens = [["port", "ellery", "."]] * 3
    corpus = Corpus.from_texts(tokens, tmp_path / "tokens")
    with pytest.raises(InputError, match="came tokenised"):
        find_phrases(corpus)
    mixed = Corpus.from_texts([*tokens, "Port Ellery"], tmp_path / "mixed")
    joined = join_phrases(mixed, tmp_path / "joined", ["port ellery"], workers=1)
    assert joined.count_of("port") == 3
    assert joined.count_of("port_ellery") == 1


def test_wrong_settings_are_explained(tmp_path, corpus) -> None:
    with pytest.raises(InputError, match="threshold must be a number from -1 to 1; got 2"):
        PhraseSettings(threshold=2)
    with pytest.raises(InputError, match="passes must be a whole number, 1 or more; got 0"):
        PhraseSettings(passes=0)
    with pytest.raises(InputError, match="no phrases were found"):
        join_phrases(corpus, tmp_path / "none", settings=PhraseSettings(min_count=99), workers=1)


def test_everything_that_is_known_of_documents_goes_along(tmp_path) -> None:
    records = [
        {"text": text, "date": f"18{number:02}"}
        for number, text in enumerate(make_texts("Port Ellery"))
    ]
    options = IngestOptions(
        language="es", function_words=frozenset({"el"}), max_vocabulary=900, shard_chars=2000
    )
    corpus = Corpus.from_texts(records, tmp_path / "corpus", meta=["date"], options=options)
    joined = join_phrases(corpus, tmp_path / "joined", ["port ellery"], workers=1)
    assert joined.field_values("date") == [f"18{number:02}" for number in range(30)]
    changed = {
        field.name
        for field in fields(IngestOptions)
        if getattr(joined.options, field.name) != getattr(corpus.options, field.name)
    }
    assert changed == {"tokenizer", "keep_duplicates"}
    assert replace(joined.tokenizer, phrases=None) == corpus.tokenizer
