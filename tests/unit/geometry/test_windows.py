from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors, extract_contexts
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.geometry.windows import ContextShape, contexts_at, rows_of_tokens
from grassmeans.text.tokenizer import Tokenizer

OPTIONS = IngestOptions(function_words=frozenset({"the", "of"}))


def make(tmp_path, *texts: str) -> Corpus:
    return Corpus.from_texts(texts, tmp_path / "c", options=OPTIONS)


def vectors_of(*words: str) -> WordVectors:
    return WordVectors(words, np.eye(len(words), dtype=np.float32))


def test_function_and_unknown_words_are_dropped_before_the_window_is_cut(tmp_path) -> None:
    corpus = make(tmp_path, "a b the c unknown of the TARGET of the unknown d the e f")
    vectors = vectors_of("a", "b", "c", "d", "e", "f", "the", "target")
    contexts = extract_contexts(corpus, "target", window=2, vectors=vectors)
    assert contexts.context_ids.tolist() == [[1, 2, 3, 4]]
    assert contexts.positions.tolist() == [7]


def test_padding_stands_outside_and_windows_stay_inside_the_document(tmp_path) -> None:
    corpus = make(tmp_path, "x y", "a target", "target b", "target")
    vectors = vectors_of("x", "y", "a", "b")
    contexts = extract_contexts(corpus, "target", window=2, vectors=vectors)
    assert contexts.context_ids.tolist() == [[-1, 2, -1, -1], [-1, -1, 3, -1], [-1, -1, -1, -1]]
    assert contexts.n_words.tolist() == [1, 1, 0]
    assert contexts.with_at_least(1).positions.tolist() == [3, 4]


def test_only_the_centre_occurrence_is_removed_unless_told(tmp_path) -> None:
    corpus = make(tmp_path, "a target target b")
    vectors = vectors_of("a", "b", "target")
    kept = extract_contexts(corpus, "target", window=2, vectors=vectors)
    assert kept.context_ids.tolist() == [[-1, 0, 2, 1], [0, 2, 1, -1]]
    dropped = extract_contexts(corpus, "target", window=2, vectors=vectors, drop_repeats=True)
    assert dropped.context_ids.tolist() == [[-1, 0, 1, -1], [-1, 0, 1, -1]]


def test_without_vectors_ids_are_the_corpus_s_and_rare_words_unknown(tmp_path) -> None:
    corpus = make(tmp_path, "often " * 5 + "target rare often")
    contexts = extract_contexts(corpus, "target", window=3)
    often = corpus.vocabulary.id_of("often")
    assert contexts.context_ids.tolist() == [[often] * 4 + [-1, -1]]
    assert contexts.context_ids.dtype == np.int32
    assert np.asarray(contexts).shape == contexts.shape == (1, 6)


def test_paragraph_boundaries_are_crossed(tmp_path) -> None:
    corpus = make(tmp_path, "a\n\ntarget\nb")
    contexts = extract_contexts(corpus, "target", window=1, vectors=vectors_of("a", "b"))
    assert contexts.context_ids.tolist() == [[0, 1]]


def test_a_sample_is_in_text_order_and_repeatable(tmp_path) -> None:
    corpus = make(tmp_path, "a target " * 50)
    first, again, other = (
        extract_contexts(
            corpus, "target", 1, vectors=vectors_of("a"), max_contexts=10, random_state=seed
        )
        for seed in (3, 3, 4)
    )
    assert len(first) == 10
    assert (np.diff(first.positions) > 0).all()
    assert first.positions.tolist() == again.positions.tolist() != other.positions.tolist()


def test_contexts_agree_with_a_plain_reading_of_the_rule(tmp_path, synthetic) -> None:
    corpus = Corpus.from_texts(
        synthetic.documents, tmp_path / "c", options=IngestOptions(shard_chars=5_000)
    )
    assert len(corpus.shards) > 3
    contexts = extract_contexts(corpus, "crane", window=4)
    expected = []
    for document in synthetic.documents:
        ids = corpus.vocabulary.ids_of(corpus.tokenizer.tokenize(document))
        crane = corpus.vocabulary.id_of("crane")
        common = corpus.vocabulary.size_at(5)
        for position in np.flatnonzero(ids == crane):
            left = [i for i in ids[:position] if i < common][-4:]
            right = [i for i in ids[position + 1 :] if i < common][:4]
            expected.append([-1] * (4 - len(left)) + left + right + [-1] * (4 - len(right)))
    assert contexts.context_ids.tolist() == expected


def test_nothing_in_common_is_an_error(tmp_path) -> None:
    corpus = make(tmp_path, "eins zwei target")
    with pytest.raises(InputError, match="no word in common"):
        extract_contexts(corpus, "target", vectors=vectors_of("one", "two"))


def test_bad_window_and_unknown_word(tmp_path) -> None:
    corpus = make(tmp_path, "a b c")
    with pytest.raises(InputError, match="window must be a whole number from 1 to 1,000"):
        extract_contexts(corpus, "a", window=0)
    with pytest.raises(UnknownWordError):
        extract_contexts(corpus, "heron")


def test_function_words_can_be_kept(tmp_path) -> None:
    corpus = Corpus.from_texts(["the crane of a nest"], tmp_path / "corpus")
    words = corpus.vocabulary.words
    vectors = WordVectors(words, np.eye(len(words), dtype=np.float32))
    dropped = extract_contexts(corpus, "crane", window=2, vectors=vectors)
    rows = rows_of_tokens(corpus, vectors, drop_function_words=False)
    kept = contexts_at(corpus, corpus.positions("crane"), rows, ContextShape(window=2))
    assert [words[i] for i in dropped.context_ids[0] if i >= 0] == ["nest"]
    assert [words[i] for i in kept.context_ids[0] if i >= 0] == ["the", "of", "a"]


@pytest.mark.parametrize("known", [True, False])
def test_function_words_are_known_in_every_case(tmp_path, known) -> None:
    options = replace(OPTIONS, tokenizer=Tokenizer(lowercase=False), keep_duplicates=True)
    text = "The a OF Target THE b the"
    corpus = Corpus.from_texts([text] * 5, tmp_path / "c", options=options)
    vectors = vectors_of(*corpus.vocabulary.words) if known else None
    found = extract_contexts(corpus, "Target", window=3, vectors=vectors).context_ids[0]
    words = [corpus.vocabulary.words[i] for i in found if i >= 0]
    assert words == ["a", "b"]
