from __future__ import annotations

import numpy as np
import pytest

from grassmeans.contexts.pretrained.lines import (
    WHITENING,
    LineCache,
    Projection,
    choose_bounds,
    cut_texts,
    fit_projection,
    hide_words,
)
from grassmeans.corpus.occurrences import Occurrences, number_words, write_tokens
from grassmeans.errors import ArtifactError, InputError

DOCUMENTS = [[f"a{i}" for i in range(20)], ["x", "y", "z"]]


def occurrences_at(*places: int) -> Occurrences:
    found = number_words(DOCUMENTS).at(np.array(places))
    return found.written_in(lambda i: write_tokens(DOCUMENTS[i]))


def test_passages_begin_every_quarter_and_stay_in_their_document() -> None:
    first, end = choose_bounds(occurrences_at(0, 3, 4, 9, 10, 19, 21), 8)
    # Quarters of 2: those of the places begin at 0, 2, 4, 8, 10, 18; three tokens before each.
    assert first.tolist() == [0, 0, 1, 5, 7, 12, 20]
    assert end.tolist() == [8, 8, 9, 13, 15, 20, 23]


def test_words_of_one_passage_are_read_together_and_put_in_order() -> None:
    found = cut_texts(occurrences_at(9, 8, 22), 8)
    assert [text.text for text in found.texts] == ["a5 a6 a7 a8 a9 a10 a11 a12", "x y z"]
    words = [text.text[start:end] for text in found.texts for start, end in text.spans]
    assert words == ["a9", "a8", "z"]
    assert found.order.tolist() == [0, 1, 2]


def test_the_company_does_not_matter() -> None:
    alone = cut_texts(occurrences_at(9), 8).texts[0].text
    assert cut_texts(occurrences_at(1, 9, 15), 8).texts[1].text == alone


def test_words_that_are_written_otherwise_have_a_passage_each() -> None:
    found = cut_texts(occurrences_at(8, 9), 4, {"a8": "a8", "a9": "another"})
    assert [text.text for text in found.texts] == ["a7 a8 a9 a10", "a8 another a10 a11"]
    assert [text.text[slice(*text.spans[0])] for text in found.texts] == ["a8", "another"]


def test_other_words_are_hidden_one_by_one() -> None:
    one = occurrences_at(21)
    texts = hide_words(one, 8, [20, 22], "---")
    assert [text.text for text in texts] == ["x y z", "--- y z", "x y ---"]
    assert [text.text[slice(*text.spans[0])] for text in texts] == ["y", "y", "y"]


def test_tokens_without_text_are_refused() -> None:
    with pytest.raises(InputError, match="original text"):
        cut_texts(number_words(DOCUMENTS), 8)


# Four directions in six dimensions, the first of which varies most; a mean far from zero.
RNG = np.random.default_rng(0)
POINTS = (RNG.standard_normal((200, 6)) * [5, 3, 1, 0.1, 0.1, 0.1] + 10).astype(np.float32)


def test_axes_are_those_of_the_largest_variance() -> None:
    found = fit_projection(POINTS, 2)
    np.testing.assert_allclose(found.mean, POINTS.mean(axis=0), rtol=1e-5)
    # Standard deviations of 5 and 3: the second axis is longer by a power of their ratio.
    stretched = np.eye(6)[:2] * [[1], [(5 / 3) ** WHITENING]]
    np.testing.assert_allclose(np.abs(found.axes), stretched, atol=0.15)
    np.testing.assert_allclose(found.axes[0] @ found.axes[1], 0.0, atol=1e-6)


def test_lines_have_unit_length_and_zeros_stay() -> None:
    found = fit_projection(POINTS, 3)
    lines = found.project(np.concatenate([POINTS[:5], np.zeros((1, 6), np.float32)]))
    np.testing.assert_allclose(np.linalg.norm(lines[:5], axis=1), 1.0, atol=1e-3)
    assert not lines[5].any()
    assert np.array_equal(lines, lines.astype(np.float16).astype(np.float32))


def test_few_contexts_keep_all_dimensions() -> None:
    found = fit_projection(POINTS[:20], 2)
    assert np.array_equal(found.axes, np.eye(6, dtype=np.float32))


def test_turned_axes_turn_the_lines() -> None:
    found = fit_projection(POINTS, 3)
    turn = np.linalg.qr(RNG.standard_normal((3, 3)))[0]
    turned = found.turn(turn).project(POINTS[:4])
    np.testing.assert_allclose(turned, found.project(POINTS[:4]) @ turn, atol=2e-3)


def test_storing(tmp_path) -> None:
    found = fit_projection(POINTS, 3)
    found.save(tmp_path)
    again = Projection.open(tmp_path)
    assert again.digest == found.digest
    np.save(tmp_path / "projection.npy", np.full((3, 6), np.nan, np.float32))
    with pytest.raises(ArtifactError, match="no mean and axes"):
        Projection.open(tmp_path)


LINES = np.arange(8, dtype=np.float32).reshape(4, 2)


def test_what_was_written_is_read_again(tmp_path) -> None:
    cache = LineCache(tmp_path, ["corpus", 1], 2)
    cache.write(np.array([3, 9]), LINES[:2])
    cache.write(np.array([1, 5]), LINES[2:])
    for opened in (cache, LineCache(tmp_path, ["corpus", 1], 2)):
        known, lines = opened.read(np.array([0, 1, 3, 4, 9, 100]))
        assert known.tolist() == [False, True, True, False, True, False]
        assert lines.tolist() == [[0, 0], [4, 5], [0, 1], [0, 0], [2, 3], [0, 0]]


def test_another_encoder_has_another_cache(tmp_path) -> None:
    LineCache(tmp_path, ["corpus", 1], 2).write(np.array([3]), LINES[:1])
    known, _ = LineCache(tmp_path, ["corpus", 2], 2).read(np.array([3]))
    assert not known.any()


def test_lines_without_their_positions_are_none(tmp_path) -> None:
    cache = LineCache(tmp_path, "x", 2)
    cache.write(np.array([3]), LINES[:1])
    next(cache.folder.glob("*.positions.npy")).unlink()
    known, _ = LineCache(tmp_path, "x", 2).read(np.array([3]))
    assert not known.any()
