from hypothesis import given, settings
from hypothesis import strategies as st

from grassmeans.text.tokenizer import (
    Tokenizer,
    WhitespaceTokenizer,
    normalize_text,
)

TEXTS = st.one_of(
    st.text(),
    # Dense in what makes tokens difficult: joiners, marks, digits, scripts beyond the first plane.
    st.text(alphabet="aBé1٣ \n'-_.\u0301\u200c\u200d\u00a0\ufe0f😀𐐀中ß", max_size=60),
).map(normalize_text)
TOKENIZERS = st.one_of(
    st.builds(
        Tokenizer,
        lowercase=st.booleans(),
        numbers=st.sampled_from(["drop", "keep", "mask"]),
        max_token_length=st.integers(1, 8),
    ),
    st.builds(WhitespaceTokenizer, lowercase=st.booleans()),
)


@settings(max_examples=50, deadline=None)
@given(TEXTS, TOKENIZERS)
def test_spans_are_those_of_the_tokens(text: str, tokenizer: Tokenizer) -> None:
    spans = list(tokenizer.spans(text))
    assert [tokenizer.key_of(text[start:end]) for start, end in spans] == tokenizer.tokenize(text)
    borders = [border for span in spans for border in span]
    assert borders == sorted(borders)


@settings(max_examples=50, deadline=None)
@given(TEXTS, TOKENIZERS)
def test_tokenising_from_a_token_gives_the_tokens_from_there(
    text: str, tokenizer: Tokenizer
) -> None:
    tokens = tokenizer.tokenize(text)
    spans = list(tokenizer.spans(text))
    for i, (start, _) in enumerate(spans):
        assert tokenizer.tokenize(text[start:]) == tokens[i:]
        assert list(tokenizer.spans(text, start)) == spans[i:]


@settings(max_examples=50, deadline=None)
@given(TEXTS, TOKENIZERS)
def test_encoding_gives_one_id_per_token(text: str, tokenizer: Tokenizer) -> None:
    ids: dict[str, int] = {}
    table = tokenizer.number_surfaces(lambda key: ids.setdefault(key, len(ids)))
    encoded = tokenizer.encode(text, table)
    keys = list(ids)
    assert [keys[i] for i in encoded] == tokenizer.tokenize(text)


@settings(max_examples=50, deadline=None)
@given(TEXTS)
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalize_text(text) == text
