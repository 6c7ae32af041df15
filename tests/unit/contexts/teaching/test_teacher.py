"""A teacher: which axes are kept, what is written of what it says, and what people are told."""

from __future__ import annotations

import math
import re
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra encoder")

import torch

from grassmeans import Corpus
from grassmeans.contexts.attention.levelling import EXPONENT
from grassmeans.contexts.attention.reading import TrainingText, mix_corpora
from grassmeans.contexts.attention.scopes import choose_group_sizes
from grassmeans.contexts.attention.stored import BOUNDARY_ID, N_SPECIAL
from grassmeans.contexts.attention.training import choose_teacher
from grassmeans.contexts.pretrained.network import WordsInText
from grassmeans.contexts.teaching import lessons, teacher
from grassmeans.contexts.teaching.lessons import (
    SHRINKING,
    Lesson,
    LessonFiles,
    measure_means,
    round_rows,
)
from grassmeans.contexts.teaching.teacher import (
    FUNCTION_WEIGHT,
    Listener,
    Reading,
    Teacher,
    cut_passages,
    describe_cost,
    describe_doubt,
    find_licence,
    fit_axes,
    group_sentences,
    split_by_length,
    weigh_words,
)
from grassmeans.errors import GrassmeansWarning, InputError
from tiny_transformer import make_transformer


def make_vectors(n_words: int = 40, n_each: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Words lie far apart on axes 0 and 1, and vary on axes 2 (by 3) and 3 (by 1)."""
    rng = np.random.default_rng(0)
    ids = np.repeat(np.arange(n_words, dtype=np.int32) + N_SPECIAL, n_each)
    between = rng.normal(size=(n_words, 2)) * [30.0, 20.0]
    within = rng.normal(size=(len(ids), 4)) * [3.0, 1.0, 0.1, 0.1]
    vectors = np.concatenate([np.repeat(between, n_each, axis=0), within], axis=1) + 7.0
    return ids, vectors.astype(np.float32)


def test_axes_are_those_within_words_and_not_between_them() -> None:
    ids, vectors = make_vectors()
    found = fit_axes(ids, vectors, np.ones(42, np.float32), n_axes=2)
    np.testing.assert_allclose(found.mean, vectors.mean(axis=0), rtol=1e-5)
    lengths = np.linalg.norm(found.axes, axis=1)
    directions = found.axes / lengths[:, None]
    np.testing.assert_allclose(directions, np.eye(6)[[2, 3]], atol=0.05)  # each with its large end
    # The first varies nine times as much.
    assert lengths[0] / lengths[1] == pytest.approx(9.0 ** (-EXPONENT / 2), rel=0.05)
    own_means = np.array([vectors[ids == i].mean(axis=0) for i in range(2, 42)])
    deviations = (vectors - own_means[ids - N_SPECIAL]) @ found.axes.T
    assert np.square(deviations).sum(axis=1).mean() == pytest.approx(1.0, abs=0.03)


def test_axes_by_hand() -> None:
    # Squares of deviations: 1 of one word, 4 of the other, 2.5 in the mean.
    vectors = np.array([[1], [-1], [1], [-1], [12], [8], [12], [8]], np.float32)
    ids = np.array([2, 2, 2, 2, 3, 3, 3, 3], np.int32)
    found = fit_axes(ids, vectors, np.ones(4, np.float32), n_axes=1)
    assert found.mean.tolist() == [5.0]
    assert found.axes.tolist() == [[pytest.approx(2.5**-0.5)]]
    # The first word counts a tenth: (0.1 * 1 + 4) / 1.1.
    weights = np.array([0.0, 0.0, 0.1, 1.0], np.float32)
    found = fit_axes(ids, vectors, weights, n_axes=1)
    assert found.axes.tolist() == [[pytest.approx((4.1 / 1.1) ** -0.5)]]


def test_unknown_and_rare_words_tell_nothing_of_axes() -> None:
    ids, vectors = make_vectors()
    expected = fit_axes(ids, vectors, np.ones(45, np.float32), 2)
    rng = np.random.default_rng(1)
    others = np.array([0] * 50 + [1] * 50 + [44] * 3, np.int32)  # one has three occurrences
    wild = np.zeros((103, 6), np.float32)
    wild[:, 5] = 100.0 * rng.normal(size=103)
    more = np.concatenate([vectors, wild + vectors.mean(axis=0)])
    found = fit_axes(np.concatenate([ids, others]), more, np.ones(45, np.float32), 2)
    np.testing.assert_allclose(found.axes, expected.axes, atol=1e-5)


def test_a_text_without_frequent_words_is_too_small() -> None:
    ids = np.arange(100, dtype=np.int32)
    with pytest.raises(InputError, match="too small for a teacher: no word of it occurs often"):
        fit_axes(ids, np.ones((100, 4), np.float32), np.ones(100, np.float32), 2)


def test_sentences_are_read_by_themselves_where_they_have_words_enough() -> None:
    text = "He came home late. Yes! It had rained all day, and so on. Good night."
    words = [(m.start(), m.end()) for m in re.finditer(r"\w+", text)]
    found = group_sentences(Reading(text, words, 40), 1)
    # "Yes" goes with what follows, and the end, which has two words, with what is before.
    texts = ["He came home late.", "Yes! It had rained all day, and so on. Good night."]
    assert [reading.text for reading in found] == texts
    assert [reading.slot for reading in found] == [40, 44]
    assert [found[1].text[a:b] for a, b in found[1].spans[:3]] == ["Yes", "It", "had"]
    assert sum(len(reading.spans) for reading in found) == len(words)
    assert [reading.text for reading in group_sentences(Reading(text, words, 0), 3)] == [text]


def test_scopes_are_what_the_teacher_reads_at_once(listen) -> None:
    listener = listen()
    plan = listener._plans[0][0]
    numbers = np.arange(min(plan.n_passages, 40))
    sizes = choose_group_sizes(numbers, 0)
    heard = cut_passages(plan, numbers, listener.teacher.source, 8)
    n_scopes = np.array([len(np.unique(row)) for row in heard.scopes])
    n_documents = 1 + (heard.ids == BOUNDARY_ID).sum(axis=1)
    n_read = sum(len(batch.ids) for batch in heard.batches)
    whole = np.array(sizes) == 0
    assert (n_scopes[whole] <= n_documents[whole] + 1).all()
    assert n_scopes[np.array(sizes) == 1].mean() > n_documents[np.array(sizes) == 1].mean()
    words = heard.ids != BOUNDARY_ID
    pairs = np.stack([np.repeat(numbers, words.sum(axis=1)), heard.scopes[words]])
    assert len(np.unique(pairs, axis=1).T) == n_read
    np.testing.assert_array_equal(np.sort(heard.slots), np.flatnonzero(words.ravel()))


def test_rows_are_rounded_to_half_a_step_and_zeros_stay() -> None:
    rows = torch.randn(200, 16, generator=torch.Generator().manual_seed(0))
    rows[3] = 0.0
    rows[4] *= 1e4
    codes, scales = (found.numpy() for found in round_rows(rows))
    assert (codes.dtype, scales.dtype) == (np.int8, np.float16)
    assert scales[3] == 0
    assert not codes[3].any()
    largest = rows.abs().amax(dim=1).numpy()
    np.testing.assert_allclose(scales, largest / 127, rtol=1e-3)
    restored = codes * scales.astype(np.float32)[:, None]
    # Half a step; the largest number may lose a little more, as scales are rounded as well.
    bound = 0.5 * scales.astype(np.float32) + 1e-3 * largest
    assert (np.abs(restored - rows.numpy()).max(axis=1) <= bound + 1e-7).all()
    exact, one = round_rows(torch.tensor([[127.0, -64.0, 0.0, 1.0]]))
    assert (exact.tolist(), one.tolist()) == ([[127, -64, 0, 1]], [1.0])


def test_means_of_rare_words_are_shrunk(tmp_path) -> None:
    files = LessonFiles(tmp_path / "said", 2, 3, 2)
    ids = np.array([[2, 3, 2], [0, 2, 1]], np.int32)
    codes = np.array([[[10, 0], [4, 4], [20, 0]], [[9, 9], [50, 50], [9, 9]]], np.int8)
    scales = np.array([[0.5, 1.0, 0.5], [1.0, 0.0, 1.0]], np.float16)  # once nothing was said
    files.write(0, Lesson(ids, np.zeros((2, 3), np.int16), codes, scales))
    found = measure_means([[files, files]], 5, "cpu")  # what is held out tells nothing
    expected = np.zeros((5, 2))
    expected[2] = [15.0 / (2 + SHRINKING), 0.0]
    expected[3] = [4.0 / (1 + SHRINKING)] * 2
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((2, 100, 80), ""),
        ((3, 100, 80), "3% of the text's pieces are unknown to it"),
        ((0, 250, 100), ""),
        ((0, 260, 100), "it cuts a word into 2.6 pieces"),
        ((0, 0, 0), ""),
    ],
)
def test_a_teacher_for_another_language_is_doubted(counts, expected) -> None:
    assert describe_doubt(*counts) == expected


def test_what_reading_takes_is_told_in_words() -> None:
    said = "what the teacher says takes {} GB, and it reads for about {}"
    assert describe_cost(3.0, 0.04e9) == said.format("0.0", "1 min")
    assert describe_cost(7 * 60.0, 1.26e9) == said.format("1.3", "7 min")
    assert describe_cost(3_720.0, 20e9) == said.format("20.0", "1 h 2 min")
    assert describe_cost(math.nan, 20e9) == "what the teacher says takes 20.0 GB"


def test_the_licence_is_read_from_the_card(tmp_path) -> None:
    assert find_licence(str(tmp_path)) is None
    assert find_licence("someone/on-the-hub") is None
    card = tmp_path / "README.md"
    card.write_text("---\nlanguage: en\nlicense: apache-2.0\n---\n# A model\n")
    assert find_licence(str(tmp_path)) == "apache-2.0"
    card.write_text("# A model\nIts license: none that is known.\n")
    assert find_licence(str(tmp_path)) is None


@pytest.mark.parametrize("disk", [0, -1.0, float("nan"), float("inf"), "20"])
def test_disk_space_that_is_none_is_refused(disk) -> None:
    with pytest.raises(InputError, match="some gigabytes, above 0; got"):
        Teacher("anywhere", disk=disk)


def test_what_is_no_transformer_is_refused(tmp_path) -> None:
    for named in (tmp_path, str(tmp_path), f"transformer:{tmp_path}", Teacher(str(tmp_path))):
        with pytest.raises(InputError, match=r"is no transformer, it has no config\.json"):
            choose_teacher(named)
    with pytest.raises(InputError, match="there is no transformer at"):
        choose_teacher(tmp_path / "nowhere")


@pytest.fixture(scope="module")
def text(topic_corpus) -> TrainingText:
    return mix_corpora([topic_corpus], None, 1_000, 5)


def test_function_words_count_little_and_no_words_nothing(text) -> None:
    weights = weigh_words(text)
    assert weights[:N_SPECIAL].tolist() == [0.0, 0.0]
    by_word = dict(zip(text.words, weights[N_SPECIAL:], strict=True))
    assert by_word["the"] == np.float32(FUNCTION_WEIGHT)
    assert by_word["crane"] == 1.0


@pytest.fixture
def listen(transformer_folder, text, tmp_path, monkeypatch) -> Callable[..., Listener]:
    """Makes listeners with files of 80 passages: five to train on, one that is held out."""
    monkeypatch.setattr(lessons, "FILE_PASSAGES", 80)

    def make(
        folder: Path = tmp_path, source: Path = transformer_folder, layers="2-3", **changes
    ) -> Listener:
        given = {"text": text, "passage": 32, "device": "cpu", "workers": 1} | changes
        return Listener(Teacher(str(source), layers), folder=folder, show_progress=False, **given)

    return make


def read_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.npy")}


@pytest.mark.filterwarnings("ignore::grassmeans.errors.GrassmeansWarning")
def test_what_is_written_is_what_the_transformer_says(listen, topic_corpus) -> None:
    listener = listen()
    told: list[str] = []
    listener.prepare(told.append)
    (line,) = told
    assert line.startswith("what the teacher says takes 0.0 GB, and it reads for about")
    assert not list(listener.folder.rglob("*.codes.npy"))  # only a sample was read
    (reader,) = listener.listen()
    (files, held_out) = listener.files[0]
    assert (files.n_files, held_out.n_files) == (5, 1)
    assert reader.n_passages == files.n_passages == -(-(156 * 71) // 32)
    lesson = reader.held_out()
    # The first of the held-out documents, of 70 words: 32, 32, and 6 with a boundary behind them.
    document = topic_corpus.shards[0].document_offsets[39]
    parts = [(document + a, document + b) for a, b in ((0, 32), (32, 64), (64, 70))]
    assert lesson.ids[2, 6] == BOUNDARY_ID
    assert lesson.scales[2, 6] == 0
    axes = listener._find_axes()
    for row, part in enumerate(parts):
        words, spans = topic_corpus.shards[0].read_stretch(*part, topic_corpus.text_tokenizer)
        said = listener.network.embed([WordsInText(words, tuple(spans))])
        n_heard = int(said.any(axis=1).sum())
        assert 0 < n_heard < 20  # behind the pieces that it takes, nothing is said
        assert (lesson.scales[row, : len(said)] > 0).tolist() == said.any(axis=1).tolist()
        found = lesson.codes[row] * lesson.scales[row].astype(np.float32)[:, None]
        expected = (said - axes.mean) @ axes.axes.T
        step = lesson.scales[row, :n_heard].astype(np.float32)[:, None]
        # In bfloat16 a word differs by half a percent with what is read beside it.
        assert (np.abs(found[:n_heard] - expected[:n_heard]) <= 0.6 * step + 2e-2).all()
        assert not found[n_heard : len(said)].any()


def test_a_teacher_that_cuts_words_into_letters_is_doubted(listen) -> None:
    with pytest.warns(GrassmeansWarning, match=r"for another language\? it cuts a word into"):
        listen()._fit_axes()


@pytest.mark.filterwarnings("ignore::grassmeans.errors.GrassmeansWarning")
def test_an_interrupted_teacher_reads_only_the_rest(listen, tmp_path, monkeypatch) -> None:
    written: list[tuple[str, int]] = []
    write = LessonFiles.write

    def write_some(self, number, lesson):
        if not whole and len(written) == 3:
            raise RuntimeError("killed")
        written.append((self.folder.name, number))
        write(self, number, lesson)

    everything = [*(("0-trained", n) for n in range(5)), ("0-held-out", 0)]
    monkeypatch.setattr(LessonFiles, "write", write_some)
    whole = True
    listen(tmp_path / "whole").listen()
    assert written == everything
    written.clear()
    whole = False
    with pytest.raises(RuntimeError, match="killed"):
        listen(tmp_path / "parts").listen()
    assert written == everything[:3]
    whole = True
    (tmp_path / "parts" / listen().folder.name / "0-trained" / "00001.scales.npy").unlink()
    listen(tmp_path / "parts").listen()
    assert written == [*everything[:3], everything[1], *everything[3:]]
    assert read_files(tmp_path / "parts") == read_files(tmp_path / "whole")
    again = listen(tmp_path / "parts")
    again.listen()
    assert len(written) == 7
    assert "network" not in vars(again)  # nothing is left to read, and nothing was loaded


@pytest.mark.filterwarnings("ignore::grassmeans.errors.GrassmeansWarning")
def test_what_is_read_beside_other_work_is_the_same(listen, tmp_path) -> None:
    listen(tmp_path / "alone").listen()
    beside = listen(tmp_path / "beside")
    beside.prepare()
    with beside.listen_beside():
        pass  # the work is done at once, and waits
    assert not beside._missing()
    assert read_files(tmp_path / "beside") == read_files(tmp_path / "alone")


@pytest.mark.filterwarnings("ignore::grassmeans.errors.GrassmeansWarning")
def test_reading_beside_ends_with_work_that_fails(listen, monkeypatch) -> None:
    begun, go_on = threading.Event(), threading.Event()
    write = LessonFiles.write

    def write_slowly(self, number, lesson):
        begun.set()
        assert go_on.wait(30)
        write(self, number, lesson)

    monkeypatch.setattr(LessonFiles, "write", write_slowly)
    listener = listen()
    listener.prepare()

    def fail() -> None:
        assert begun.wait(30)
        go_on.set()
        raise KeyError("astray")

    with pytest.raises(KeyError, match="astray"), listener.listen_beside():
        fail()
    assert 0 < len(listener._missing()) < 6  # some were read, and no more


@pytest.mark.filterwarnings("ignore::grassmeans.errors.GrassmeansWarning")
def test_what_goes_wrong_beside_is_told_by_the_next_reading(listen, monkeypatch) -> None:
    def fail(self, number, lesson):
        raise RuntimeError("killed")

    monkeypatch.setattr(LessonFiles, "write", fail)
    listener = listen()
    listener.prepare()
    with listener.listen_beside():
        pass
    with pytest.raises(RuntimeError, match="killed"):
        listener.listen()


def test_without_room_nothing_is_read(listen, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(teacher.shutil, "disk_usage", lambda path: SimpleNamespace(free=10**6))
    listener = listen()
    for begin in (listener.prepare, listener.listen):
        with pytest.raises(
            InputError, match=r"needs 0\.\d GB, and .* has 0\.0 GB free: give anoth"
        ):
            begin()
    assert "network" not in vars(listener)
    assert read_files(tmp_path) == {}


def test_little_room_takes_passages_from_everywhere(listen, transformer_folder, text) -> None:
    # 32 words of 32 axes and 8 bytes each: 100 passages.
    small = Teacher(str(transformer_folder), disk=100 * 32 * 40 / 1e9)
    listener = Listener(small, text, 32, Path("unused"), "cpu")
    assert listener.files[0][0].n_passages == 100
    assert listener.files[0][1].n_passages == listen().files[0][1].n_passages


def test_other_teachers_and_texts_have_folders_of_their_own(
    listen, transformer_folder, text, topic_corpus, tmp_path
) -> None:
    changed = make_transformer(tmp_path / "changed", seed=1)
    fewer = mix_corpora([topic_corpus], None, 50, 5)
    folders = {
        listen().folder,
        listen(source=changed).folder,
        listen(layers="1-3").folder,
        listen(passage=16).folder,
        listen(text=fewer).folder,
    }
    assert len(folders) == 5
    # The same transformer elsewhere is the same.
    copied = shutil.copytree(transformer_folder, tmp_path / "copied")
    assert listen(source=copied).folder == listen().folder


@pytest.mark.filterwarnings("ignore::grassmeans.errors.GrassmeansWarning")
def test_a_file_of_a_boundary_alone_says_nothing(listen, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(lessons, "FILE_PASSAGES", 63)
    # 63 documents are trained on, of 16 slots each; the last one has a word more.
    texts = ["the crane of steel the bird river bank money bank crane bird the river of"] * 64
    corpus = Corpus.from_texts([*texts[:-1], texts[0] + " crane"], tmp_path / "corpus")
    given = mix_corpora([corpus], None, 100, 5)
    listener = listen(text=given, passage=16)
    trained = listener._plans[0][0]
    assert trained.n_passages == 64
    assert listener.files[0][0].n_files == 2
    (reader,) = listener.listen()
    last = listener.files[0][0].read(1)
    assert set(last.ids[0].tolist()) == {BOUNDARY_ID}
    assert not last.scales.any()
    assert reader.n_passages == 64


def test_a_described_teacher_tells_what_it_was(transformer_folder) -> None:
    told = Teacher(str(transformer_folder), "2-3").describe()
    assert told["source"] == str(transformer_folder)
    assert told["layers"] == "2,3"
    assert told["licence"] is None
    assert len(told["digest"]) > 8


def test_texts_of_like_length_are_read_together_and_never_too_many_pieces():
    lengths = [3, 36_000, 5, 32_000, 4]
    assert list(split_by_length(lengths, most=2)) == [[1], [3, 2], [4, 0]]
    assert list(split_by_length([80_000, 0, 1], most=8)) == [[0], [2, 1]]
    assert list(split_by_length([], most=2)) == []
