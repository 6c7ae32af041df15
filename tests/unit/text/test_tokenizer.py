import json
import pickle
import unicodedata

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.text.phrases import Phrases
from grassmeans.text.tokenizer import (
    DROPPED,
    Tokenizer,
    WhitespaceTokenizer,
    is_soft_gap,
    normalize_text,
    tokenizer_from_dict,
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The company's well-known CEO", ["the", "company", "s", "well", "known", "ceo"]),
        ("l'homme d’État", ["l", "homme", "d", "état"]),
        ("snake_case e-mail@host.org", ["snake", "case", "e", "mail", "host", "org"]),
        ("In 1984, 3.14 and ١٢٣ mp3 1990s", ["in", "and", "mp3", "1990s"]),
        ("ΟΔΟΣ Привет, мир!", ["οδος", "привет", "мир"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("a\u200d \u200cb \u200d", ["a", "b"]),
        ("x² H₂O ½", ["x", "h", "o"]),
        ("𝒳 𐐀 😀👍🏽 ❤️", ["𝒳", "𐐨"]),
        ("", []),
        (" .,;\n\t", []),
        ("a" * 61 + " " + "b" * 60, ["b" * 60]),
    ],
)
def test_tokens(text: str, tokens: list[str]) -> None:
    tokenizer = Tokenizer()
    assert tokenizer.tokenize(normalize_text(text)) == tokens


def test_numbers_can_be_kept_or_masked() -> None:
    assert Tokenizer(numbers="keep").tokenize("in 1984 and ٣") == ["in", "1984", "and", "٣"]
    assert Tokenizer(numbers="mask").tokenize("in 1984 and ٣") == ["in", "0", "and", "0"]


def test_case_can_be_kept() -> None:
    assert Tokenizer(lowercase=False).tokenize("The US") == ["The", "US"]


def test_spans_belong_to_the_tokens() -> None:
    text = "The \u200dcat\u200c sat, in 1984."
    tokenizer = Tokenizer()
    assert list(tokenizer.spans(text)) == [(0, 3), (5, 8), (10, 13), (15, 17)]
    assert list(tokenizer.spans(text, start=10)) == [(10, 13), (15, 17)]


def test_encode_numbers_each_key_once_and_leaves_out_what_is_dropped() -> None:
    ids: dict[str, int] = {}
    tokenizer = Tokenizer()
    unwanted = {"the"}
    table = tokenizer.number_surfaces(
        lambda key: DROPPED if key in unwanted else ids.setdefault(key, len(ids)),
        limit=2,
    )
    encoded = tokenizer.encode("The Cat saw the cat 12 times. CAT!", table)
    assert encoded.dtype == np.int32
    assert encoded.tolist() == [0, 1, 0, 2, 0]
    assert ids == {"cat": 0, "saw": 1, "times": 2}
    assert len(table) == 2


def test_whitespace_tokens_keep_everything() -> None:
    tokenizer = WhitespaceTokenizer()
    text = "New\u00a0York 's 1984 , .\nIt"
    assert tokenizer.tokenize(text) == ["new\u00a0york", "'s", "1984", ",", ".", "it"]
    assert list(tokenizer.spans("ab  c\n"))[-1] == (4, 5)
    assert WhitespaceTokenizer(lowercase=False).tokenize("It is") == ["It", "is"]


def test_normalisation() -> None:
    assert normalize_text("cafe\u0301") == "café"
    assert normalize_text("a\x00b co\u00adop \ufeffx \ud800y") == "ab coop x \ufffdy"
    assert normalize_text("plain") == "plain"
    assert unicodedata.is_normalized("NFC", normalize_text("Å\u0323"))


@pytest.mark.parametrize(
    "tokenizer",
    [Tokenizer(lowercase=False, numbers="mask", max_token_length=9), WhitespaceTokenizer(False)],
)
def test_parameters_survive_a_manifest(tokenizer: Tokenizer | WhitespaceTokenizer) -> None:
    assert tokenizer_from_dict(tokenizer.to_dict()) == tokenizer


def test_wrong_parameters_are_explained() -> None:
    with pytest.raises(InputError, match="one of drop, keep, mask, got 'remove'"):
        Tokenizer(numbers="remove")
    with pytest.raises(InputError, match="1 or more, got 0"):
        Tokenizer(max_token_length=0)
    with pytest.raises(InputError, match="unknown tokenizer 'sentence'"):
        tokenizer_from_dict({"kind": "sentence"})
    with pytest.raises(InputError, match="unknown tokenizer parameters"):
        tokenizer_from_dict({"kind": "words", "stem": True})


def test_underscores_hold_words_together_but_not_at_their_edges() -> None:
    text = "__Port_Ellery_, _ a_1"
    assert Tokenizer().tokenize(text) == ["port", "ellery", "a"]
    joined = Tokenizer(underscores=True)
    assert joined.tokenize(text) == ["port_ellery", "a_1"]
    assert [text[start:end] for start, end in joined.spans(text)] == ["Port_Ellery", "a_1"]
    assert tokenizer_from_dict(joined.to_dict()) == joined


PHRASES = Phrases(["port ellery", "bank of america", "bank of", "art of war"])


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Port Ellery lies there", ["port_ellery", "lies", "there"]),
        ("port\nEllery, port-ellery, port_ellery", ["port_ellery"] * 3),
        ("port, Ellery. Port\n\nEllery", ["port", "ellery", "port", "ellery"]),
        ("port 7 Ellery", ["port", "ellery"]),
        ("the Bank of America", ["the", "bank_of_america"]),
        ("the Bank of Amsterdam", ["the", "bank_of", "amsterdam"]),
        ("state of the art of war", ["state", "of", "the", "art_of_war"]),
        ("nothing of it", ["nothing", "of", "it"]),
    ],
)
def test_phrases_are_one_token(text: str, tokens: list[str]) -> None:
    tokenizer = Tokenizer(phrases=PHRASES)
    assert tokenizer.tokenize(text) == tokens
    spans = list(tokenizer.spans(text))
    assert ["_".join(Tokenizer().tokenize(text[start:end])) for start, end in spans] == tokens
    ids: dict[str, int] = {}
    table = tokenizer.number_surfaces(lambda key: ids.setdefault(key, len(ids)))
    encoded = tokenizer.encode(text, table)
    assert [list(ids)[i] for i in encoded] == tokens


def test_phrases_survive_a_manifest() -> None:
    tokenizer = Tokenizer(phrases=PHRASES)
    found = tokenizer_from_dict(json.loads(json.dumps(tokenizer.to_dict())))
    assert found == tokenizer
    assert hash(found) == hash(tokenizer)
    assert found != Tokenizer()
    assert pickle.loads(pickle.dumps(tokenizer)) == tokenizer
    for wrong in (["one"], ["two  spaces"], [3]):
        with pytest.raises(InputError, match="a phrase must be words"):
            tokenizer_from_dict(tokenizer.to_dict() | {"phrases": wrong})


def test_a_phrase_goes_on_over_spaces_a_line_break_and_hyphens_only() -> None:
    gaps = {" ": True, " \n ": True, "-": True, "‑": True, "_": True, "\t": True}
    gaps |= {"\n\n": False, ", ": False, " - ": False, "--": False, ".": False}
    follows = {gap: Tokenizer().find_follows(f"a{gap}b").tolist() for gap in gaps}
    assert follows == {gap: [False, goes_on] for gap, goes_on in gaps.items()}


@pytest.mark.parametrize(
    ("gap", "is_soft"),
    [(" ", True), (" \n ", True), ("-", True), ("_", True), ("", True), (", ", False),
     ("'", False), (".", False), ("\n\n", False)],
)  # fmt: skip
def test_what_may_stand_between_the_words_of_a_phrase(gap: str, is_soft: bool) -> None:
    assert is_soft_gap(gap) is is_soft
