from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans.corpus.vocabulary import (
    UNKNOWN,
    Vocabulary,
    available_languages,
    is_function_word,
    load_function_words,
)
from grassmeans.errors import ArtifactError, InputError
from grassmeans.text.tokenizer import Tokenizer, normalize_text

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


@pytest.fixture
def vocabulary() -> Vocabulary:
    return Vocabulary.from_counts({"b": 3, "a": 3, "rare": 1, "the": 9})


def test_words_are_ordered_by_count_then_spelling(vocabulary: Vocabulary) -> None:
    assert list(vocabulary.words) == ["the", "a", "b", "rare"]
    assert vocabulary.counts.tolist() == [9, 3, 3, 1]


def test_max_size_keeps_the_most_frequent() -> None:
    assert Vocabulary.from_counts({"x": 1, "y": 5, "z": 2}, max_size=2).words == ["y", "z"]


@pytest.mark.parametrize(("min_count", "size"), [(1, 4), (2, 3), (3, 3), (4, 1), (10, 0)])
def test_size_at_counts_words_that_are_frequent_enough(
    vocabulary: Vocabulary, min_count: int, size: int
) -> None:
    assert vocabulary.size_at(min_count) == size


def test_ids_and_counts_of_known_and_unknown_words(vocabulary: Vocabulary) -> None:
    assert vocabulary.id_of("b") == 2
    assert vocabulary.id_of("nothing") == UNKNOWN
    assert vocabulary.ids_of(["rare", "nothing", "the"]).tolist() == [3, UNKNOWN, 0]
    assert vocabulary.count_of("a") == 3
    assert vocabulary.count_of("nothing") == 0
    assert "rare" in vocabulary
    assert "nothing" not in vocabulary


def test_round_trip(vocabulary: Vocabulary, tmp_path) -> None:
    vocabulary.save(tmp_path)
    loaded = Vocabulary.load(tmp_path)
    assert loaded.words == list(vocabulary.words)
    assert loaded.counts.tolist() == vocabulary.counts.tolist()


def test_empty_vocabulary_round_trip(tmp_path) -> None:
    Vocabulary([], np.empty(0, np.int64)).save(tmp_path)
    assert len(Vocabulary.load(tmp_path)) == 0


def test_line_break_in_a_word_is_refused(tmp_path) -> None:
    with pytest.raises(InputError, match="line break"):
        Vocabulary(["a\nb"], np.array([1])).save(tmp_path)


def test_truncated_words_are_noticed(vocabulary: Vocabulary, tmp_path) -> None:
    vocabulary.save(tmp_path)
    (tmp_path / "words.txt").write_text("the\na")
    with pytest.raises(ArtifactError, match="2 words for 4 counts"):
        Vocabulary.load(tmp_path)


SPACELESS = {
    "zh": "我们的学校在北京",
    "ja": "私は東京の学校へ行った",
    "th": "โรงเรียนของเราอยู่ในเมือง",
}


@pytest.mark.parametrize("language", sorted(SPACELESS))
def test_function_words_of_languages_without_spaces(language: str) -> None:
    pytest.importorskip("icu4py", reason="needs the extra segment")
    words = load_function_words(language)
    tokens = Tokenizer(segment=True).tokenize(SPACELESS[language])
    assert 0.3 < sum(token in words for token in tokens) / len(tokens) < 0.8


def test_there_is_a_list_for_every_language_named() -> None:
    assert available_languages() == tuple(sorted([*SENTENCES, *SPACELESS]))


@pytest.mark.parametrize("language", sorted(SENTENCES))
def test_only_content_words_remain_of_a_sentence(language: str) -> None:
    words = load_function_words(language)
    tokens = Tokenizer().tokenize(SENTENCES[language])
    assert [token for token in tokens if token not in words] == CONTENT[language]


@pytest.mark.parametrize("language", sorted(SENTENCES))
def test_lists_hold_tokens_as_the_tokenizer_makes_them(language: str) -> None:
    words = load_function_words(language)
    assert 250 <= len(words) <= 700
    tokenizer = Tokenizer()
    assert all(tokenizer.tokenize(normalize_text(word)) == [word] for word in words)


def test_no_language_has_no_words() -> None:
    assert load_function_words("none") == load_function_words() == frozenset()


def test_an_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"'xx'.*de, en, es.*function_words=\["):
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


def test_punctuation_says_nothing_about_a_context_either() -> None:
    words = load_function_words("en")
    tokens = ["The", ",", "``", "crane's", "--", "crane", "1984"]
    found = [token for token in tokens if is_function_word(token, words)]
    assert found == ["The", ",", "``", "--"]
