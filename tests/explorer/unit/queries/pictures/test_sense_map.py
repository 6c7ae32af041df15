"""One picture of many words: which senses are on it, where they lie, and in which groups."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.corpus import default_options
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.pictures.planes import IDK_COLOUR as GREY
from grassmeans.pictures.planes import sense_colour
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans_explorer.limits import Limits, RequestLimits, TooMuchError, WordNotFoundError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.pictures.sense_map import (
    colour_groups,
    discount_own,
    group_senses,
    lay_out,
    map_senses,
)

BIRD, MACHINE = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def make_entry(word: str, **senses: tuple[tuple[float, ...], tuple[str, ...]]) -> WordSenses:
    rows = np.array([direction for direction, _ in senses.values()], np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    described = tuple(
        Sense(number, 1 / len(rows), 0.1, (), near, (), name)
        for number, (name, (_, near)) in enumerate(senses.items(), 1)
    )
    return WordSenses(word, 9, 9, rows, described)


@pytest.fixture
def opened() -> OpenModel:
    entries = [
        make_entry("crane", bird=(BIRD, ("heron", "crane")), machine=(MACHINE, ("lift", "gone"))),
        make_entry("heron", bird=((1.0, 0.1, 0.0), ())),
        make_entry("lift", hoist=((0.1, -1.0, 0.0), ()), ride=((0.0, 0.0, 1.0), ())),
    ]
    vectors = WordVectors(["nest", "steel"], np.eye(3, dtype=np.float32)[:2])
    encoder = SubspaceEncoder(vectors, ContextShape(2, 1), frozenset())
    tokenizer = default_options().tokenizer
    return OpenModel(SenseModel(encoder, SenseInventory(entries), tokenizer))


def test_neighbours_join_the_words_and_like_senses_are_grouped(opened):
    found = map_senses(opened, ["Crane", " ", "anvil"], 2)
    placed = [(s.word, s.sense, s.given, s.group) for s in found.senses]
    assert placed == [
        ("crane", 1, True, 1),
        ("crane", 2, True, 2),
        ("heron", 1, False, 1),
        ("lift", 1, False, 2),  # the other end of the same line is the same sense
        ("lift", 2, False, 0),
    ]
    assert [(group.words, group.n_senses) for group in found.groups] == [
        (("bird", "heron"), 2),
        (("machine", "hoist"), 2),
    ]
    assert (found.unknown, found.n_left_out) == (("anvil",), 0)
    assert [s.word for s in map_senses(opened, ["crane"], 1).senses] == ["crane", "crane", "heron"]


def test_like_senses_lie_near_each_other_and_always_in_the_same_place(opened):
    found = map_senses(opened, ["crane"], 2)
    places = {(s.word, s.sense): np.array((s.x, s.y)) for s in found.senses}
    bird = np.linalg.norm(places["crane", 1] - places["heron", 1])
    machine = np.linalg.norm(places["crane", 2] - places["lift", 1])
    across = np.linalg.norm(places["crane", 1] - places["crane", 2])
    assert max(bird, machine) < across / 3
    assert found == map_senses(opened, ["crane"], 2)


def test_too_many_words_are_refused_and_senses_without_room_are_counted(opened):
    opened.limits = Limits(RequestLimits(map_words=2, map_senses=3))
    found = map_senses(opened, ["crane"], 2)
    assert ([s.word for s in found.senses], found.n_left_out) == (["crane", "crane", "heron"], 1)
    with pytest.raises(TooMuchError, match="at most 2 words"):
        map_senses(opened, ["crane", "heron", "lift"])
    with pytest.raises(WordNotFoundError, match="anvil"):
        map_senses(opened, ["anvil"])
    with pytest.raises(WordNotFoundError, match="no word was given"):
        map_senses(opened, [" "])


def test_points_on_a_line_are_laid_out_on_it():
    line = np.array([0.0, 1.0, 3.0])
    places = lay_out(np.abs(line[:, None] - line))
    assert places[:, 1] == pytest.approx(0.0, abs=1e-6)
    assert np.diff(places[:, 0]) / np.diff(places[:, 0])[0] == pytest.approx([1.0, 2.0])
    assert np.abs(places).max() == pytest.approx(1.0)
    assert lay_out(np.zeros((1, 1))).tolist() == [[0.0, 0.0]]


def test_many_points_keep_their_neighbours():
    rng = np.random.default_rng(0)
    points = np.repeat([(0.0, 0.0, 0.0), (9.0, 0.0, 0.0), (0.0, 9.0, 9.0)], 6, axis=0)
    points += rng.normal(0.0, 0.1, points.shape)
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    places = lay_out(distances)
    apart = np.linalg.norm(places[:, None] - places, axis=2) + np.eye(18) * 9
    assert (apart.argmin(axis=1) // 6 == np.arange(18) // 6).all()
    assert (places == lay_out(distances)).all()


def test_groups_are_numbered_by_size_and_single_senses_have_none():
    likeness = np.eye(6)
    likeness[:2, :2] = 0.9
    likeness[2:5, 2:5] = 0.9
    np.fill_diagonal(likeness, 1.0)
    assert group_senses(likeness).tolist() == [2, 2, 1, 1, 1, 0]
    assert group_senses(np.eye(1)).tolist() == [0]


def test_what_all_senses_of_a_word_have_in_common_makes_none_alike():
    cosines = np.array([[1.0, 0.6, 0.6], [0.6, 1.0, 0.6], [0.6, 0.6, 1.0]])
    found = discount_own(cosines, ["crane", "crane", "heron"], 0.5)
    # (0.6 - 0.5) / (1 - 0.5) between the cranes; a heron is as like them as it was.
    expected = [[1.0, 0.2, 0.6], [0.2, 1.0, 0.6], [0.6, 0.6, 1.0]]
    assert found == pytest.approx(np.array(expected))
    assert discount_own(cosines, ["crane"] * 3, 0.7)[0].tolist() == [1.0, 0.0, 0.0]


def test_a_word_that_gives_its_senses_one_side_does_not_join_them(opened):
    """As a network that has read the word itself does: 0.6 of each direction is the word."""
    rows = {
        "crane": ((0.6, 0.0, 0.8), (0.6, 0.8, 0.0)),
        "bank": ((0.0, 0.6, 0.8), (0.8, 0.6, 0.0)),
        "heron": ((0.0, 0.0, 1.0),),
    }
    near: tuple[str, ...] = ()
    entries = [
        make_entry(word, **{f"s{i}": (row, near) for i, row in enumerate(own)})
        for word, own in rows.items()
    ]
    model = SenseModel(opened.base.encoder, SenseInventory(entries), opened.base.tokenizer)
    own = OpenModel(model)
    # The cosine of the two cranes is 0.36, above what makes senses alike; so is that of the banks.
    assert [sense.group for sense in map_senses(own, ["crane"]).senses] == [0, 0]
    found = map_senses(own, ["crane", "heron"])
    assert [(s.word, s.sense, s.group) for s in found.senses] == [
        ("crane", 1, 1),
        ("crane", 2, 0),
        ("heron", 1, 1),
    ]


def test_colours_are_those_of_the_senses_of_the_one_word():
    groups = np.array([2, 1, 1, 0, 0])
    colours, of_group = colour_groups(groups, [1, 2, 0, 3, 0])
    assert colours == [sense_colour(1), sense_colour(2), sense_colour(2), sense_colour(3), GREY]
    assert of_group == {1: sense_colour(2), 2: sense_colour(1)}
    # Two senses of the word in one group: it has the colour of the first one.
    colours, of_group = colour_groups(np.array([1, 1, 2]), [2, 1, 0])
    assert colours == [sense_colour(2), sense_colour(1), sense_colour(3)]
    assert of_group == {1: sense_colour(2), 2: sense_colour(3)}
    # Of several words no sense has a colour of its own.
    assert colour_groups(np.array([1, 2]), [0, 0])[0] == [sense_colour(1), sense_colour(2)]
