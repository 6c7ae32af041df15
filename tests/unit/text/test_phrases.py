from __future__ import annotations

import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.text.phrases import Phrases, make_trie

TABLE = Phrases(["port ellery", "pyramid of giza", "port ellery", "port of call"])


def test_a_table_holds_every_phrase_once_in_order():
    assert TABLE.entries == ("port ellery", "port of call", "pyramid of giza")
    assert TABLE.names == ["port_ellery", "port_of_call", "pyramid_of_giza"]
    assert TABLE.starts == {"port", "pyramid"}
    assert len(TABLE) == 3


def test_equal_tables_are_one_key():
    again = Phrases(reversed(TABLE.entries))
    assert {TABLE: 1}[again] == 1
    assert Phrases(["port ellery"]) != TABLE
    assert TABLE.entries != TABLE


@pytest.mark.parametrize("entry", ["port", "port  ellery", " port ellery", "", 3])
def test_what_is_no_phrase_is_refused(entry):
    with pytest.raises(InputError, match="words separated by single spaces"):
        Phrases([entry])


def test_phrases_share_the_states_of_their_beginnings():
    # State 0 -0-> 1 -1-> 2 (phrase 0); 1 -2-> 3 (phrase 1); 0 -2-> 4 -0-> 5 (phrase 2).
    trie = make_trie([[0, 1], [0, 2], [2, 0]], 3)
    assert trie.n_words == 3
    edges, states, ends = trie[1:]
    assert np.array_equal(edges, [0, 2, 1 * 3 + 1, 1 * 3 + 2, 4 * 3 + 0])
    assert np.array_equal(states, [1, 4, 2, 3, 5])
    assert np.array_equal(ends, [-1, -1, 0, 1, -1, 2])
