"""Uses of words: their texts, targets and sentences."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from grassmeans import Corpus
from grassmeans.errors import ArtifactError, InputError
from grassmeans_explorer.annotation.uses import (
    Use,
    check_name,
    check_uses,
    clean_text,
    find_sentence,
    make_uses,
    use_from_dict,
    use_to_dict,
)
from grassmeans_explorer.querying.samples import SampleWish, sample_lines

USE = Use("u1", "crane", "A crane flew.", (2, 7), (0, 13))


def test_lines_become_uses_with_their_sentences():
    text = "It rained.\tThe old\ncrane flew. Nobody saw it."
    record = {"text": text, "date": "1857", "source": "times"}
    corpus = Corpus.from_texts([record], meta=["date", "source"])
    (use,) = make_uses(corpus, sample_lines(corpus, "crane", SampleWish(size=1)))
    assert (use.lemma, use.word, use.date, use.grouping) == ("crane", "crane", "1857", "times")
    assert use.context == "It rained. The old crane flew. Nobody saw it."
    assert use.context[slice(*use.sentence)] == "The old crane flew."
    assert use.position == corpus.positions("crane")[0]


def test_characters_keep_their_places():
    assert clean_text("a\tb\r\nc\u2028d\x00e\x1bf\ud800g") == "a b  c d e f g"
    assert find_sentence("One. Two crane", 9, 14) == (5, 14)
    assert find_sentence("crane", 0, 5) == (0, 5)


def test_uses_that_cannot_be_are_refused():
    check_uses([USE])
    with pytest.raises(InputError, match="two uses"):
        check_uses([USE, USE])
    for target in ((2, 2), (7, 2), (0, 14)):
        with pytest.raises(InputError, match="not in its text"):
            check_uses([replace(USE, target=target)])


def test_names_are_of_one_line():
    assert check_name(" Ann  ") == "Ann"
    for name in ("", "  ", "a\nb", "a\x00b", "x" * 201):
        with pytest.raises(InputError, match="in one line"):
            check_name(name)


def test_uses_go_to_files_and_come_back():
    stored = json.loads(json.dumps(use_to_dict(USE) | {"later": 1}))
    assert use_from_dict(stored, Path("x")) == USE
    with pytest.raises(ArtifactError):
        use_from_dict({"identifier": "u"}, Path("x"))
