"""The user's own text: the library's answers, in steps, with what decided."""

from __future__ import annotations

import pytest

from crane_model import save_crane_model
from grassmeans import load
from grassmeans_explorer.limits import NothingThereError, TooMuchError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.tag import explain_word, tag_text
from grassmeans_explorer.work import Checkpoint, run_within

FIELDS = ("start", "end", "word", "key", "sense", "label", "confidence", "context")


@pytest.fixture
def small(tmp_path) -> OpenModel:
    return OpenModel(load(save_crane_model(tmp_path / "model")))


@pytest.fixture
def opened(topic_model) -> OpenModel:
    return OpenModel(topic_model)


def texts(synthetic) -> list[str]:
    """Of several sentences and paragraphs, with marks, breaks of lines and odd characters."""
    bird, machine = (" ".join(words[:7]) for words in synthetic.topic_words[:2])
    return [
        f"The crane of {bird}. A crane! Is it a {machine} bank?\n\nCrane {machine}. bank\n\nbank",
        f"{bird} crane\r\n{machine} crane\r\n\r\n🦢 a bank of {machine}; the bank.",
        f"<p>{bird} <b>crane</b> &amp; {machine}</p>\n<b>bank</b> {bird} bank <b>nothing</b>",
        "crane\n\ncrane bank",
    ]


@pytest.mark.parametrize("options", [{}, {"marks": False}, {"idk_threshold": 0.3}])
def test_answers_are_those_of_the_library(opened, synthetic, options):
    for text in texts(synthetic):
        ours, theirs = tag_text(opened, text, **options), opened.base.tag(text, **options)
        assert (ours.text, ours.unknown) == (theirs.text, theirs.unknown)
        assert len(ours.words) > 1
        for mine, word in zip(ours.words, theirs, strict=True):
            assert [getattr(mine, name) for name in FIELDS] == [
                getattr(word, name) for name in FIELDS
            ]
            assert mine.distances == pytest.approx(word.distances, abs=1e-8)
            assert mine.probabilities == pytest.approx(word.probabilities, abs=1e-4)


def test_nearest_is_the_answer_where_nothing_is_left_open(opened, synthetic):
    for text in texts(synthetic):
        given = opened.base.tag(text, idk_threshold=None)
        assert [word.nearest for word in tag_text(opened, text).words] == [w.sense for w in given]


def test_what_decided_is_told_of_one_word_and_of_all(opened, synthetic):
    text = texts(synthetic)[0]
    assert {word.deciding_words for word in tag_text(opened, text).words} == {None}
    for word in tag_text(opened, text, deciding=True).words:
        start, end = word.context
        one = explain_word(opened, text[start:end], word.start - start, word.key, word.nearest)
        assert one.deciding_words == word.deciding_words
        assert (one.key, one.sense) == (word.key, word.nearest)


def test_weights_of_what_decided(small):
    # Rank 1, all words on the first axis: squared lengths 1 + 1 for "nest" twice, 4 for "wing".
    text = "a nest wing <i>crane</i> nest"
    for found in (
        tag_text(small, text, deciding=True).words[0].deciding_words,
        explain_word(small, text, text.index("crane"), "crane", 1).deciding_words,
    ):
        assert [(w.word, w.weight) for w in found] == [("wing", 0.6667), ("nest", 0.3333)]


def test_what_is_not_there_cannot_be_explained(small):
    with pytest.raises(NothingThereError, match="character 1 of"):
        explain_word(small, "nest crane", 1, "crane", 1)
    with pytest.raises(NothingThereError, match="the senses 1 to 2"):
        explain_word(small, "nest crane", 5, "crane", 3)
    with pytest.raises(TooMuchError):
        explain_word(small, "x" * 200_001, 5, "crane", 1)


def test_marks_are_counted_and_read_as_text_where_asked(small):
    text = "<b>nest</b> crane <B>wing</B> crane"
    marked = tag_text(small, text)
    assert (marked.words, marked.unknown, marked.n_marks) == ((), ("nest", "wing"), 2)
    plain = tag_text(small, text, marks=False)
    assert (plain.text, len(plain.words), plain.n_marks) == (text, 2, 2)


def test_another_language_is_remarked_on_as_the_command_line_does(small):
    spanish = "la grúa levanta las vigas\nde acero y la otra <b>crane</b> espera cerca del río"
    assert tag_text(small, spanish).remark == (
        "0% of the first 15 words are function words of the model's language (en): "
        "is the text in another one?"
    )
    assert tag_text(small, "the crane on the nest on the wing on a beam").remark == ""


def test_long_texts_go_in_steps_that_can_be_stopped(small, monkeypatch):
    monkeypatch.setattr("grassmeans.tagging.tagging._TARGETS_A_STEP", 10)
    done: list[float] = []

    class Watched(Checkpoint):
        def __call__(self, progress: float) -> None:
            done.append(progress)
            super().__call__(progress)

    run_within(Watched(), tag_text, small, "nest crane. " * 40)
    assert done == [0.25, 0.5, 0.75, 1.0]
    done.clear()
    run_within(Watched(), tag_text, small, "nest crane. " * 40, deciding=True)
    assert done == sorted(done)
    assert done[-1] == 1.0


def test_lines_are_read_by_themselves_where_asked_or_short(opened, synthetic):
    bird, machine = (" ".join(words[:7]) for words in synthetic.topic_words[:2])
    lines = [f"{bird} crane", "", "the crane", f"a <b>bank</b> 🦢 {machine}", "<b>nothing</b>"]
    text = "\r\n".join(lines)
    found = tag_text(opened, text, lines=None, deciding=True)
    assert found.lines
    theirs = opened.base.tag_many(lines)
    assert found.text == "\n".join(one.text for one in theirs)
    assert [word.label for word in found.words] == [w.label for one in theirs for w in one]
    assert found.unknown == ("nothing",)
    for word in found.words:
        assert found.text[word.start : word.end] == word.word
        start, end = word.context
        assert "\n" not in found.text[start:end]
        one = explain_word(
            opened, found.text[start:end], word.start - start, word.key, word.nearest
        )
        assert one.deciding_words == word.deciding_words
    assert not tag_text(opened, text).lines
    assert not tag_text(opened, f"{bird}. {machine} crane. A bank.", lines=None).lines


def test_lines_by_themselves_tell_how_far_they_are(small):
    done: list[float] = []

    class Watched(Checkpoint):
        def __call__(self, progress: float) -> None:
            done.append(progress)
            super().__call__(progress)

    run_within(Watched(), tag_text, small, "nest crane\n" * 600, lines=True)
    assert done == pytest.approx([256 / 600, 512 / 600, 1.0])
