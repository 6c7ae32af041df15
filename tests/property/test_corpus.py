"""Tokens in = tokens out, and every token is found again in the text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from grassmeans import Corpus
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.errors import InputError
from grassmeans.text.letters import measure_spaceless
from grassmeans.text.tokenizer import Tokenizer, normalize_text

CHARACTERS = st.characters(codec="utf-8").filter(lambda c: not measure_spaceless(c))
TEXT = st.text(st.one_of(st.sampled_from("aäñяक्षि 's.-\n\t3"), CHARACTERS), max_size=200)


@settings(max_examples=30, deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=6), st.integers(50, 400))
def test_a_stored_corpus_holds_every_token_once(texts: list[str], shard_chars: int) -> None:
    tokenizer = Tokenizer()
    expected = [tokenizer.tokenize(normalize_text(text)) for text in texts]
    options = IngestOptions(shard_chars=shard_chars, keep_duplicates=True)
    try:
        corpus = Corpus.from_texts(texts, options=options)
    except InputError:
        assert not any(expected)
        return
    words = corpus.vocabulary.words
    stored = [words[i] for shard in corpus.shards for i in shard.tokens]
    assert stored == [token for tokens in expected for token in tokens]
    assert int(corpus.vocabulary.counts.sum()) == len(stored) == corpus.n_tokens
    for word in words[:5]:
        positions = corpus.positions(word)
        assert [i for i, token in enumerate(stored) if token == word] == positions.tolist()
        line = corpus.line_at(int(positions[-1]), width=10)
        assert tokenizer.key_of(line.word) == word
