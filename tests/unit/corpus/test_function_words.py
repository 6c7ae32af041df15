from pathlib import Path

import pytest

from grassmeans.corpus.function_words import available_languages, load_function_words
from grassmeans.corpus.tokenizer import Tokenizer, normalize_text
from grassmeans.errors import InputError

SENTENCES = {
    "en": "He doesn't know the cat's name, and they'll have been there with her.",
    "es": "El gato de la casa no está con los otros, pero también ha sido suyo.",
    "fr": "L'homme qu'elle n'a pas vu était dans une maison avec d'autres.",
    "de": "Der Hund ist nicht mit ihnen in das Haus gegangen, weil er es wollte.",
    "it": "Nell'anno dell'uomo non c'è una casa che sia di quelli.",
    "pt": "O gato da casa não está com os outros, mas também foi deles.",
    "ru": "Он не был в этом доме, но она также могла быть там с ними.",
    "nl": "De hond is niet met hen in het huis geweest, omdat hij het wilde.",
}
CONTENT = {
    "en": ["know", "cat", "name"],
    "es": ["gato", "casa"],
    "fr": ["homme", "vu", "maison"],
    "de": ["hund", "haus", "gegangen"],
    "it": ["anno", "uomo", "casa"],
    "pt": ["gato", "casa"],
    "ru": ["доме"],
    "nl": ["hond", "huis"],
}


def test_there_is_a_list_for_every_language_named() -> None:
    assert available_languages() == tuple(sorted(SENTENCES))


@pytest.mark.parametrize("language", sorted(SENTENCES))
def test_only_content_words_remain_of_a_sentence(language: str) -> None:
    words = load_function_words(language)
    tokens = Tokenizer().tokenize(SENTENCES[language])
    assert [token for token in tokens if token not in words] == CONTENT[language]


@pytest.mark.parametrize("language", sorted(SENTENCES))
def test_lists_hold_tokens_as_the_tokenizer_makes_them(language: str) -> None:
    words = load_function_words(language)
    assert 250 <= len(words) <= 500
    tokenizer = Tokenizer()
    assert all(tokenizer.tokenize(normalize_text(word)) == [word] for word in words)


def test_no_language_has_no_words() -> None:
    assert load_function_words("none") == load_function_words() == frozenset()


def test_an_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"'xx'.*de, en, es.*--function-words FILE"):
        load_function_words("xx")


def test_a_list_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes("\ufeff# mine\r\nThe\r\n\r\ncafe\u0301 # accent\r\n".encode())
    assert load_function_words("en", file=path) == {"the", "café"}


def test_a_bad_list_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    with pytest.raises(InputError, match="cannot read"):
        load_function_words(file=path)
    path.write_bytes(b"# nothing\n")
    with pytest.raises(InputError, match="is empty"):
        load_function_words(file=path)
    path.write_bytes("né".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        load_function_words(file=path)
