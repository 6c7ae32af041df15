"""Few contexts of a word, seen in the light of its known senses."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import grassmeans
from grassmeans import Corpus, WordVectors
from grassmeans.clustering.sense_number import find_different
from grassmeans.clustering.settings import InductionSettings
from grassmeans.geometry.windows import ContextShape
from grassmeans.senses.calibration import Strangers
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.known_senses import KnownSenses
from grassmeans.senses.samples import sample_word
from grassmeans.senses.word_induction import WordInducer, group_sample
from grassmeans.vectors.similarity import unit_rows
from rays import Rays

FEW = 100
INSIDE = 0.6
"""How much of a sense's line lies inside its contexts: their usual distance is 0.8."""

SENTENCES = Path(__file__).parents[2] / "data" / "few-sentences.jsonl"


def make_known(*axes: int, hidden: int | None = None) -> KnownSenses:
    """Senses of "crane" along axes, 0.8 away from their contexts; strangers are far off."""
    senses = tuple(
        Sense(k, 0.5, math.sqrt(1 - INSIDE**2), (), (), (), hidden=k == hidden)
        for k in range(1, len(axes) + 1)
    )
    lines = np.eye(4, dtype=np.float32)[list(axes)]
    if hidden is not None:
        lines[hidden - 1] = 0.0
    entry = WordSenses("crane", 900, 900, lines, senses)
    return KnownSenses({"crane": entry}, Strangers(0.0, 0.05), sharpness=40.0)


def as_bases(*rows: tuple[float, ...]) -> np.ndarray:
    return np.array(rows, np.float32)[:, None]


def test_the_part_of_a_known_sense_is_added_by_hand() -> None:
    # As near to the sense as its contexts are: no stranger, so 0.6 of its line is added.
    (moved,) = make_known(0).add_to("crane", as_bases((0.6, 0.8, 0, 0)), FEW)[:, 0]
    np.testing.assert_allclose(moved, np.array([1.2, 0.8, 0, 0]) / math.hypot(1.2, 0.8), atol=1e-4)


def test_the_likelier_sense_is_added() -> None:
    # Distances 0.6 and 0.8: exp(-40 * 0.2) is nothing.
    (moved,) = make_known(0, 1).add_to("crane", as_bases((0.8, 0.6, 0, 0)), FEW)[:, 0]
    np.testing.assert_allclose(moved, np.array([1.4, 0.6, 0, 0]) / math.hypot(1.4, 0.6), atol=1e-3)


def test_a_stranger_stays_what_it_is() -> None:
    bases = as_bases((0.0, 1.0, 0, 0), (-0.6, 0.8, 0, 0))  # beside the line, and behind it
    np.testing.assert_allclose(make_known(0).add_to("crane", bases, FEW), bases, atol=1e-2)


def test_hidden_senses_unknown_words_and_many_contexts_change_nothing() -> None:
    bases = as_bases((0.6, 0.8, 0, 0), (0.8, 0.6, 0, 0), (0.6, 0, 0.8, 0))
    assert make_known(0, hidden=1).add_to("crane", bases, FEW) is bases
    assert make_known(0).add_to("heron", bases, FEW) is bases
    assert make_known(0).only(["heron"]).add_to("crane", bases, FEW) is bases
    assert make_known(0).add_to("crane", bases, 3) is bases
    moved = make_known(0).add_to("crane", bases, 4)
    assert moved is not bases
    assert moved.dtype == np.float32


def test_what_is_repeated_counts_once_and_stays_the_same() -> None:
    rows = np.random.default_rng(0).standard_normal((3, 4))
    bases = unit_rows(rows).astype(np.float32)[[0, 1, 2, 0, 1, 0], None]
    assert make_known(0).add_to("crane", bases, 3) is bases
    moved = make_known(0).add_to("crane", bases, 4)
    assert moved.shape == bases.shape
    assert len(find_different(moved)) == 3
    np.testing.assert_array_equal(moved, moved[[0, 1, 2, 0, 1, 0]])


def test_few_contexts_are_grouped_alone_and_together() -> None:
    # What a sentence tells beside the sense (the last two axes) is more than the sense itself.
    rows = {"wing": (0.7, 0, 1, 0), "frog": (0.7, 0, 0, 1), "beam": (0, 0.7, 1, 0)}
    rows |= {"quay": (0, 0.7, 0, 1)}
    vectors = WordVectors(list(rows), np.array(list(rows.values()), np.float32))
    encoder = Rays(vectors, ContextShape(window=2, rank=1), frozenset())
    corpus = Corpus.from_texts([f"{word} crane" for word in rows], language="none")
    settings = InductionSettings(n_senses="auto")
    sample = sample_word("crane", corpus, encoder, settings)

    def group(directions: np.ndarray) -> list[int]:
        labels = sample.measure(directions).argmin(axis=1).tolist()
        return [labels.index(label) for label in labels]

    known = make_known(0, 1)
    assert group(group_sample(sample, settings, encoder)) == [0, 1, 0, 1]
    found = group_sample(sample, settings, encoder, known)
    assert group(found) == [0, 0, 2, 2]
    # The directions are where the contexts meet as they are.
    first = found[sample.measure(found)[0].argmin()]
    np.testing.assert_allclose(first, np.array([1.4, 0, 1, 1]) / math.hypot(1.4, 1, 1), atol=1e-3)
    inducer = WordInducer(corpus, encoder, settings, known=known)
    assert group(inducer("crane").directions) == [0, 0, 2, 2]
    assert group(inducer.only(["crane"])("crane").directions) == [0, 0, 2, 2]
    assert group(inducer.only(["nest"])("crane").directions) == [0, 1, 0, 1]
    ahead = inducer.encode_ahead(["crane"]).group_ahead(["crane"])
    assert group(ahead("crane").directions) == [0, 0, 2, 2]


@pytest.mark.filterwarnings("ignore")
def test_four_sentences_with_the_english_model() -> None:
    """Every fourth word of the set; all of it is measured in docs/how-to/number-of-senses.md."""
    pytest.importorskip("grassmeans_en", reason="the English model is a package: packages/en")
    model = grassmeans.load("en")
    items = [json.loads(line) for line in SENTENCES.read_text().splitlines()][::4]
    right = {True: 0, False: 0}
    for item in items:
        found = grassmeans.find_senses(item["texts"], item["word"], contexts=model)
        first = {x.text: x.sense for x in reversed(found.occurrences)}
        senses = [first[number] for number in range(4)]
        expected = [item["senses"].index(sense) for sense in item["senses"]]
        is_ambiguous = len(set(expected)) == 2
        right[is_ambiguous] += expected == [senses.index(sense) for sense in senses]
    assert right[True] >= 6
    assert right[False] >= 9
