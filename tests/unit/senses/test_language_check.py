from __future__ import annotations

from grassmeans.corpus.tokenizer import WhitespaceTokenizer
from grassmeans.senses.language_check import LanguageCheck


def check(*texts: str, function_words: frozenset[str] = frozenset({"the", "of"})) -> LanguageCheck:
    found = LanguageCheck(WhitespaceTokenizer(), function_words)
    for text in texts:
        found.add(text)
    return found


def test_text_of_the_same_language() -> None:
    found = check("the end of the first and last long day here")  # 3 of 10

    assert found.n_tokens == 10
    assert found.share == 0.3
    assert not found.looks_foreign


def test_text_of_another_language() -> None:
    assert check("el final del primer y of último largo día aquí").looks_foreign  # 1 of 10


def test_too_little_text_tells_nothing() -> None:
    assert not check("el final del primer día").looks_foreign


def test_pieces_are_counted_together_until_enough_was_seen() -> None:
    found = check("uno dos tres cuatro cinco " * 8, "the of " * 100)

    assert found.n_tokens == 40
    assert found.is_done
    assert found.looks_foreign


def test_a_model_without_function_words_tells_nothing() -> None:
    assert not check("uno dos tres " * 20, function_words=frozenset()).looks_foreign
