"""Lines given to a sense: how far directions turn, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans.editing.reassigning import add_sense_of, reassign_lines
from grassmeans.errors import InputError
from grassmeans.geometry.windows import Contexts
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.samples import WordSample


def make_entry(shares=(0.6, 0.4), hidden=()) -> WordSenses:
    senses = tuple(
        Sense(k, share, 0.0, (), (), (), f"name {k}", k in hidden)
        for k, share in enumerate(shares, 1)
    )
    return WordSenses("crane", 10, 10, np.eye(len(shares), 3, dtype=np.float32), senses)


def make_lines(*rows, has_ends=True) -> WordSample:
    bases = np.array(rows, np.float32).reshape(-1, 1, 3)
    contexts = Contexts(np.zeros((len(bases), 2), np.int32), np.arange(len(bases)))
    return WordSample("crane", contexts, bases, source=None, lines_have_ends=has_ends)


def test_rays_become_the_mean_of_the_sense_and_the_line():
    # Senses of 6 and 4 contexts. 4 e2 + b = (0.8, 4.6), 6 e1 - b = (5.2, -0.6): the cosines of
    # b = (0.8, 0.6) to them are 0.7282 and 0.7260, so that one of each is enough.
    found = reassign_lines(make_entry(), 2, make_lines([0.8, 0.6, 0]))
    expected = [[0.99341, -0.11462, 0], [0.17134, 0.98521, 0]]
    assert np.allclose(found.entry.directions, expected, atol=1e-4)
    assert (found.touched, found.n_taken) == ((2, 1), 1)
    assert found.entry.senses == make_entry().senses


def test_line_that_has_the_sense_already_only_draws_it():
    # 4 e2 + b = (0.6, 4.8) of the length 4.8374.
    found = reassign_lines(make_entry(), 2, make_lines([0.6, 0.8, 0]))
    assert np.allclose(found.entry.directions, [[1, 0, 0], [0.12403, 0.99228, 0]], atol=1e-4)
    assert found.touched == (2,)


def test_subspaces_turn_by_the_main_axis():
    # 4 e2 e2' + b b' with b = (0.6, 0.8): [[0.36, 0.48], [0.48, 4.64]]; its leading eigenvector
    # is (0.48, l - 0.36) with l = 2.5 + sqrt(2.14^2 + 0.48^2) = 4.69317: (0.11006, 0.99392).
    # The opposite end of the same line says the same.
    for row in ([0.6, 0.8, 0], [-0.6, -0.8, 0]):
        found = reassign_lines(make_entry(), 2, make_lines(row, has_ends=False))
        assert np.allclose(found.entry.directions[1], [0.11006, 0.99392, 0], atol=1e-4)


def test_lines_that_are_too_far_are_refused():
    with pytest.raises(InputError, match="0 of the 1 lines would have sense 2"):
        reassign_lines(make_entry((0.5, 0.5)), 2, make_lines([0.96, 0.28, 0]))


def test_hidden_and_missing_senses_get_no_lines():
    with pytest.raises(InputError, match="hidden"):
        reassign_lines(make_entry(hidden=(2,)), 2, make_lines([0, 1, 0]))
    with pytest.raises(InputError, match="senses 1 to 2"):
        reassign_lines(make_entry(), 3, make_lines([0, 1, 0]))
    with pytest.raises(InputError, match="say nothing"):
        reassign_lines(make_entry(), 1, make_lines()[:0])


def test_lines_become_a_sense_where_they_meet():
    found = add_sense_of(make_entry(), make_lines([0, 0.6, 0.8], [0, -0.6, 0.8]))
    assert np.allclose(found.entry.directions[2], [0, 0, 1], atol=1e-5)
    assert [sense.number for sense in found.entry.senses] == [1, 2, 3]
    assert (found.touched, found.n_taken) == ((3,), 2)


def test_lines_of_a_sense_there_is_make_no_other():
    with pytest.raises(InputError, match="0 of the 2 lines would have a sense of their own"):
        add_sense_of(make_entry(), make_lines([1, 0, 0], [1, 0, 0]))
