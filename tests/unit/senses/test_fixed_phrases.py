from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.corpus.corpus import default_options
from grassmeans.geometry.windows import Contexts
from grassmeans.senses.fixed_phrases import FixedPhrase, find_phrases
from grassmeans.senses.samples import WordSample
from grassmeans.text.tokenizer import Tokenizer

PLAIN = ["Rome", "Athens", "Sparta", "Carthage", "Persia", "Troy", "Thebes", "Corinth"]


def sample_of(word: str, texts: list[str]) -> WordSample:
    options = replace(default_options(), tokenizer=Tokenizer(numbers="keep"), keep_duplicates=True)
    corpus = Corpus.from_texts(texts, options=options)
    positions = corpus.positions(word)
    contexts = Contexts(np.full((len(positions), 2), -1, np.int32), positions)
    bases = np.zeros((len(positions), 1, 2), np.float32)
    return WordSample(word, contexts, bases, corpus, function_words=corpus.function_words)


def find_first(word: str, *senses: list[str], filling: int = 0) -> list[FixedPhrase | None]:
    """The best phrase of each sense, of which the texts are given."""
    texts = [text for own in senses for text in own]
    texts += [f"Nothing{i} goes{i} here{i} today{i}." for i in range(filling)]
    labels = np.repeat(np.arange(len(senses)), [len(own) for own in senses])
    found = find_phrases(sample_of(word, texts), labels, len(senses))
    return [own[0] if own else None for own in found]


def told(phrase: FixedPhrase | None) -> tuple[tuple[str, ...], tuple[str, ...], int] | None:
    return None if phrase is None else (phrase.before, phrase.after, phrase.count)


def test_a_sense_lives_in_its_phrase_and_the_other_in_none() -> None:
    cold = [f"{place}s in the Cold War {place}n." for place in PLAIN]
    hot = [f"{place} made {PLAIN[-i]} war {PLAIN[i - 2]}." for i, place in enumerate(PLAIN)]
    first, second = find_first("war", cold, hot, filling=40)
    assert told(first) == (("cold",), (), 8)
    assert second is None


def test_function_words_stand_inside_of_a_phrase() -> None:
    free = [f"{place} gave bread free of charge." for place in PLAIN]
    other = [f"The {place} charge {PLAIN[-i]} held." for i, place in enumerate(PLAIN)]
    first, second = find_first("charge", free, other, filling=40)
    # The longest one that holds as many contexts.
    assert told(first) == (("bread", "free", "of"), (), 8)
    assert second is None
    varied = [f"{place} gave {place}n bread{i} free of charge." for i, place in enumerate(PLAIN)]
    first, _ = find_first("charge", varied, other, filling=40)
    assert told(first) == (("free", "of"), (), 8)


def test_function_words_alone_are_a_phrase_only_where_others_do_without() -> None:
    leading = [f"{place}s in charge {place}n." for place in PLAIN]
    other = [f"{place}d {place}k charge {place}y." for place in PLAIN]
    # 8 of 2 * 8 * 4 + 40 * 4 tokens are "in": 28 times as often here as anywhere.
    assert told(find_first("charge", leading, other, filling=40)[0]) == (("in",), (), 8)
    # Of 8 * 8 + 20 * 4 it is 18 times.
    assert find_first("charge", leading, other, filling=20)[0] is None
    # One sense: it may be grammar. And so it may where one in eight of the others has it.
    assert find_first("charge", leading, filling=80) == [None]
    some = [other[0].replace("Romek", "in"), *other[1:]]
    assert find_first("charge", leading, some, filling=80)[0] is None
    # Eight of fourteen contexts are not enough, of thirteen they are.
    less = [*leading, *(f"{place}m {place}h charge {place}y." for place in PLAIN[:6])]
    more = [*other, *(text.replace("charge", "g charge") for text in other)]
    assert find_first("charge", less, more, filling=120)[0] is None
    assert told(find_first("charge", less[:-1], more, filling=120)[0]) == (("in",), (), 8)


def test_content_words_do_not_take_a_function_word_at_their_edge() -> None:
    texts = [f"{place}s {place}d the United States of {place}n." for place in PLAIN]
    others = [f"{place}y {place}k states {place}g." for place in PLAIN]
    assert told(find_first("states", texts, others, filling=100)[0]) == (("united",), (), 8)


@pytest.mark.parametrize(("n_stock", "found"), [(8, True), (7, False)])
def test_two_fifths_of_the_contexts_are_needed(n_stock: int, found: bool) -> None:
    texts = [f"{chr(97 + i)}x stock exchange {chr(97 + i)}y." for i in range(n_stock)]
    texts += [
        f"{chr(97 + i)}v {chr(97 + i)}w exchange {chr(97 + i)}z." for i in range(20 - n_stock)
    ]
    (only,) = find_first("exchange", texts, filling=40)
    assert told(only) == ((("stock",), (), n_stock) if found else None)


def test_five_contexts_are_needed() -> None:
    texts = [f"{place} stock exchange {place}n." for place in PLAIN]
    assert find_first("exchange", texts[:4], filling=40) == [None]
    assert told(*find_first("exchange", texts[:5], filling=40)) == (("stock",), (), 5)


@pytest.mark.parametrize(("n_york", "length"), [(8, 2), (7, 1)])
def test_a_longer_phrase_must_hold_four_of_five_contexts(n_york: int, length: int) -> None:
    texts = [f"{PLAIN[i % 8]}{i} york stock exchange {i}z." for i in range(n_york)]
    texts += [f"{PLAIN[i % 8]} {i}q stock exchange {i}v." for i in range(10 - n_york)]
    (only,) = find_first("exchange", texts, filling=40)
    assert only is not None
    assert only.before == ("york", "stock")[-length:]


def test_numbers_are_no_part_of_a_phrase() -> None:
    texts = [f"{place} 1914 war {place}n." for place in PLAIN]
    assert find_first("war", texts, filling=40) == [None]


def test_a_phrase_does_not_begin_in_another_document() -> None:
    texts = [f"War {place}s {place}n cold" for place in PLAIN]
    assert find_first("war", texts, filling=40) == [None]


def test_what_all_senses_have_names_none() -> None:
    one = [f"{place}s world war {place}n." for place in PLAIN]
    other = [f"{place}d world war {place}k." for place in PLAIN]
    assert find_first("war", one, other, filling=40) == [None, None]


def test_a_phrase_is_written_as_it_mostly_is_and_not_across_stops() -> None:
    phrase = FixedPhrase(("cold",), (), 5, 20.0)
    lines = [("the cold ", "war", ""), ("The Cold ", "War", " era"), ("a Cold\n", "War", ".")]
    assert phrase.write(lines) == "Cold War"
    assert phrase.write([("It was cold. ", "War", " came")]) is None
    assert phrase.write([("so-called cold-", "war", "")]) == "cold-war"
    assert FixedPhrase(("scold",), (), 5, 20.0).write(lines) is None
    assert phrase.write([("they scold ", "war", "")]) is None
    joined = FixedPhrase((), ("s", "big_day"), 5, 20.0)
    assert joined.write([("", "Valentine", "’s Big Day off")]) == "Valentine’s Big Day"
    assert joined.write([("", "Valentine", "’s Big Days off")]) is None
