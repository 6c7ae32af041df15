from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from grassmeans.senses.keys import decode_key, encode_key

# Much of what may go wrong: dots, digits, backslashes, spaces, other digits.
words = st.text(alphabet=".\\0129 aé٣", max_size=8) | st.text(max_size=8)
senses = st.none() | st.integers(min_value=0, max_value=1200)


@settings(max_examples=50, deadline=None)
@given(words, senses)
def test_keys_come_back(word: str, sense: int | None) -> None:
    assert decode_key(encode_key(word, sense)) == (word, sense)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(words, senses), unique=True, max_size=30))
def test_different_lexemes_have_different_keys(lexemes) -> None:
    assert len({encode_key(word, sense) for word, sense in lexemes}) == len(lexemes)


@settings(max_examples=50, deadline=None)
@given(words)
def test_every_text_is_the_key_of_at_most_one_lexeme(key: str) -> None:
    # `decode_key` takes anything; whatever is a key at all comes back as it was.
    word, sense = decode_key(key)
    encoded = encode_key(word, sense)
    assert decode_key(encoded) == (word, sense)
    assert encoded == key
