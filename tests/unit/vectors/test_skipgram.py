from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import gpu_devices
from grassmeans import Corpus, SkipGram, WordVectors
from grassmeans.artifacts.checking import read_json
from grassmeans.artifacts.writing import building_place, read_manifest
from grassmeans.errors import InputError
from grassmeans.vectors import training
from grassmeans.vectors.skipgram import choose_epochs, train_vectors
from grassmeans.vectors.training import keep_probabilities
from synthetic import SyntheticCorpus

SMALL = {"dim": 16, "min_count": 1, "epochs": 3, "workers": 1, "sample": 0}


def two_topics(n: int = 300) -> list[list[str]]:
    rng = np.random.default_rng(0)
    birds = ["nest", "wing", "feather", "reed", "flock"]
    machines = ["steel", "hook", "cable", "dock", "cargo"]
    return [list(rng.choice(birds if i % 2 else machines, size=12)) for i in range(n)]


def test_words_of_one_topic_are_nearer_to_each_other() -> None:
    vectors = SkipGram(**SMALL | {"epochs": 10}).fit(two_topics()).vectors_
    assert vectors.similarity("nest", "wing") > vectors.similarity("nest", "steel") + 0.3
    assert {n.word for n in vectors.most_similar("steel", 4)} == {"hook", "cable", "dock", "cargo"}


def test_one_worker_repeats_exactly() -> None:
    first = SkipGram(**SMALL, random_state=3).fit(two_topics())
    second = SkipGram(**SMALL, random_state=3).fit(two_topics())
    other = SkipGram(**SMALL, random_state=4).fit(two_topics())
    np.testing.assert_array_equal(first.vectors_.vectors, second.vectors_.vectors)
    assert not np.array_equal(first.vectors_.vectors, other.vectors_.vectors)


def test_rows_follow_the_vocabulary_of_the_corpus(tmp_path) -> None:
    corpus = Corpus.from_texts([" ".join(d) for d in two_topics(40)], tmp_path / "c")
    vectors = SkipGram(**SMALL).fit(corpus).vectors_
    assert vectors.words == list(corpus.vocabulary.words)
    assert vectors.counts.tolist() == corpus.vocabulary.counts.tolist()


def test_min_count_and_max_vocabulary_cut_rare_words() -> None:
    documents = [["a"] * 9 + ["b"] * 5 + ["c"] * 2]
    assert SkipGram(**SMALL | {"min_count": 5}).fit(documents).vectors_.words == ["a", "b"]
    assert SkipGram(**SMALL, max_vocabulary=1).fit(documents).vectors_.words == ["a"]


def test_frozen_rows_stay_and_the_others_move() -> None:
    start = SkipGram(**SMALL).fit(two_topics())
    again = SkipGram(**SMALL).fit(
        two_topics(),
        start=WordVectors(start.vectors_.words, start.vectors_.vectors, output=start.output_),
        frozen_inputs=["nest", "steel"],
        frozen_outputs=["wing"],
    )
    for word in start.vectors_.words:
        same_input = np.array_equal(start.vectors_[word], again.vectors_[word])
        row = start.vectors_.id_of(word)
        same_output = np.array_equal(start.output_[row], again.output_[row])
        assert same_input == (word in ("nest", "steel"))
        assert same_output == (word == "wing")


def test_start_may_know_only_some_words() -> None:
    start = WordVectors(["nest"], np.full((1, 16), 0.5, np.float32))
    fitted = SkipGram(**SMALL | {"learning_rate": 1e-9}).fit(two_topics(), start=start)
    np.testing.assert_allclose(fitted.vectors_["nest"], 0.5, atol=1e-6)
    assert np.abs(fitted.vectors_["steel"]).max() < 1 / 16


def test_interrupted_training_resumes_to_the_same_result(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(training, "CHUNK_TOKENS", 200)
    whole = SkipGram(**SMALL).fit(two_topics())
    original = training.Trainer._train
    calls = 0

    def stop_after_seven(self, chunk):
        nonlocal calls
        calls += 1
        if calls > 7:
            raise KeyboardInterrupt
        original(self, chunk)

    monkeypatch.setattr(training.Trainer, "_train", stop_after_seven)
    with pytest.raises(KeyboardInterrupt):
        SkipGram(**SMALL).fit(two_topics(), checkpoint=tmp_path / "cp")
    monkeypatch.setattr(training.Trainer, "_train", original)
    resumed = SkipGram(**SMALL).fit(two_topics(), checkpoint=tmp_path / "cp")
    np.testing.assert_array_equal(whole.vectors_.vectors, resumed.vectors_.vectors)


def test_an_interrupt_between_batches_is_not_lost(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(training, "CHUNK_TOKENS", 200)
    long = SMALL | {"epochs": 50, "workers": 1}
    told = 0

    @contextmanager
    def interrupting_bar(*given, **options):
        def advance(n: int) -> None:
            nonlocal told
            told += 1
            if told == 1 + 40:  # the first tells what was done before; batches have 40 chunks
                raise KeyboardInterrupt

        yield advance

    with monkeypatch.context() as patch:
        patch.setattr(training, "progress_bar", interrupting_bar)
        with pytest.raises(KeyboardInterrupt):
            SkipGram(**long).fit(two_topics(), checkpoint=tmp_path / "cp")
    assert told == 41
    resumed = SkipGram(**long).fit(two_topics(), checkpoint=tmp_path / "cp")
    whole = SkipGram(**long).fit(two_topics())
    np.testing.assert_array_equal(whole.vectors_.vectors, resumed.vectors_.vectors)


def test_checkpoint_of_other_settings_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(training, "CHUNK_TOKENS", 200)

    def stop(self, chunk):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(training.Trainer, "_train", stop)
        with pytest.raises(KeyboardInterrupt):
            SkipGram(**SMALL).fit(two_topics(), checkpoint=tmp_path / "cp")
    with pytest.raises(InputError, match="another corpus or other settings"):
        SkipGram(**SMALL | {"window": 2}).fit(two_topics(), checkpoint=tmp_path / "cp")


def test_several_workers_learn_the_same_topics(monkeypatch) -> None:
    monkeypatch.setattr(training, "CHUNK_TOKENS", 200)
    vectors = SkipGram(**SMALL | {"workers": 2, "epochs": 10}).fit(two_topics()).vectors_
    assert vectors.similarity("nest", "wing") > vectors.similarity("nest", "steel") + 0.3


def test_a_vocabulary_of_one_word_trains() -> None:
    fitted = SkipGram(**SMALL).fit([["only"] * 50])
    assert fitted.vectors_.words == ["only"]
    assert np.isfinite(fitted.vectors_.vectors).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"dim": 0}, "dim must be a whole number from 1 to 10,000; got 0"),
        ({"window": 2.5}, "window must be a whole number"),
        ({"sample": 2}, "sample must lie"),
        ({"learning_rate": 0}, "learning_rate must be positive"),
        ({"workers": 0}, "workers must be a whole number from 1 to 1,000"),
    ],
)
def test_bad_parameters_are_named(parameters: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        SkipGram(**SMALL | parameters).fit(two_topics(4))


def test_nothing_frequent_enough_is_an_error() -> None:
    with pytest.raises(InputError, match="no word occurs 5 times"):
        SkipGram(dim=4).fit([["a", "b"]])


def test_a_string_is_not_a_corpus() -> None:
    with pytest.raises(InputError, match="got the string 'some/path', which names no file"):
        SkipGram(dim=4).fit("some/path")


def test_frozen_word_must_be_known() -> None:
    with pytest.raises(InputError, match="heron"):
        SkipGram(**SMALL).fit(two_topics(4), frozen_inputs=["heron"])


def test_keep_probabilities_follow_word2vec() -> None:
    # f = 0.9 and 0.1, t = 0.001: sqrt(t / f) + t / f
    keep = keep_probabilities(np.array([900, 100]), 1e-3)
    np.testing.assert_allclose(keep, [0.034444, 0.11], atol=1e-5)
    assert keep_probabilities(np.array([900, 100]), 0).tolist() == [1, 1]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory, synthetic: SyntheticCorpus) -> Corpus:
    return Corpus.from_texts(synthetic.documents[:24], tmp_path_factory.mktemp("building") / "c")


def small_trainer(**changes: int) -> SkipGram:
    return SkipGram(**({"dim": 6, "min_count": 1, "epochs": 2, "workers": 1} | changes))


def test_the_folder_holds_what_the_trainer_learnt(corpus: Corpus, tmp_path: Path) -> None:
    folder = tmp_path / "v"
    trained = train_vectors(corpus, folder, small_trainer(), keep_output=True, extra={"x": 1})
    direct = small_trainer().fit(corpus)
    assert trained.words == direct.vectors_.words
    assert np.array_equal(trained.vectors, direct.vectors_.vectors)
    assert trained.output is not None
    assert np.array_equal(trained.output, direct.output_)
    manifest = read_manifest(folder, "vectors")
    assert manifest["x"] == 1
    assert manifest["training"]["dim"] == 6
    assert manifest["corpus"]["n_tokens"] == corpus.n_tokens
    assert manifest["words_per_second"] > 0
    files = {path.name for path in folder.iterdir()}
    arrays = {"counts.npy", "vectors.npy", "output.npy"}
    assert files == {"checksums.txt", "manifest.json", "words.txt"} | arrays


def test_a_finished_folder_is_replaced_only_when_told(corpus: Corpus, tmp_path: Path) -> None:
    train_vectors(corpus, tmp_path / "v", small_trainer())
    with pytest.raises(InputError, match="exists already"):
        train_vectors(corpus, tmp_path / "v", small_trainer())
    trained = train_vectors(corpus, tmp_path / "v", small_trainer(dim=3), overwrite=True)
    assert trained.dim == 3
    assert trained.output is None


def test_starting_vectors_are_used(corpus: Corpus, tmp_path: Path) -> None:
    start = WordVectors(["crane"], [[9.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    # With almost no learning rate everything stays where it started.
    trainer = small_trainer().set_params(learning_rate=1e-9)
    trained = train_vectors(corpus, tmp_path / "v", trainer, start=start)
    assert trained["crane"].tolist() == pytest.approx([9.0, 0, 0, 0, 0, 0], abs=1e-4)


def test_an_interrupted_training_goes_on_and_others_are_refused(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "CHUNK_TOKENS", 200)
    whole = train_vectors(corpus, tmp_path / "whole", small_trainer())
    calls = 0
    original = training.Trainer._train

    def interrupted(self: training.Trainer, chunk: object) -> None:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise KeyboardInterrupt
        original(self, chunk)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(training.Trainer, "_train", interrupted)
        with pytest.raises(KeyboardInterrupt):
            train_vectors(corpus, tmp_path / "v", small_trainer())
    state = building_place(tmp_path / "v") / "scratch" / "checkpoint" / "checkpoint.json"
    assert read_json(state)["next_chunk"] == 4
    with pytest.raises(InputError, match="unfinished vectors of other inputs"):
        train_vectors(corpus, tmp_path / "v", small_trainer(), extra={"decoding": "soft"})
    start = WordVectors(["crane"], np.zeros((1, 6)))
    with pytest.raises(InputError, match="unfinished vectors of other inputs"):
        train_vectors(corpus, tmp_path / "v", small_trainer(), start=start)
    resumed = train_vectors(corpus, tmp_path / "v", small_trainer())
    assert np.array_equal(resumed.vectors, whole.vectors)


def test_texts_are_tokenised_and_not_trained_character_by_character(tmp_path) -> None:
    texts = ["The crane waded.", "A crane flew."] * 5
    words = {"the", "a", "crane", "waded", "flew"}
    file = tmp_path / "texts.txt"
    file.write_text("\n\n".join([*texts[:2]]), encoding="utf-8")
    for given in (texts, iter(texts), str(file)):
        trainer = SkipGram(dim=2, epochs=1, min_count=1, workers=1).fit(given)
        assert set(trainer.vectors_.words) == words
    with pytest.raises(InputError, match=r"corpus\[1\] must be a list of tokens"):
        SkipGram().fit([["a", "crane"], "a crane"])
    with pytest.raises(InputError, match="got int"):
        SkipGram().fit(7)


@pytest.fixture(params=gpu_devices.TRAINING)
def device(request):
    with gpu_devices.use_device(request.param) as name:
        yield name


def test_a_gpu_learns_the_same_topics(device) -> None:
    settings = SMALL | {"learning_rate": 0.1, "device": device}
    vectors = SkipGram(**settings).fit(two_topics(100)).vectors_
    assert vectors.similarity("nest", "wing") > vectors.similarity("nest", "steel") + 0.3
    assert {n.word for n in vectors.most_similar("steel", 4)} == {"hook", "cable", "dock", "cargo"}


def test_a_gpu_leaves_frozen_rows_and_goes_on_from_a_checkpoint(
    device, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(training, "DEVICE_CHUNK_TOKENS", 300)
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    settings = SMALL | {"device": device}
    texts = two_topics(60)
    start = SkipGram(**SMALL).fit(texts).vectors_
    train = training.Trainer._train
    seen = []

    def stop_after_two(self, chunk):
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append(chunk.number)
        train(self, chunk)

    with monkeypatch.context() as patch:
        patch.setattr(training.Trainer, "_train", stop_after_two)
        with pytest.raises(KeyboardInterrupt):
            SkipGram(**settings).fit(
                texts, start=start, frozen_inputs=["nest"], checkpoint=tmp_path / "checkpoint"
            )
    resumed = SkipGram(**settings)
    resumed.fit(texts, start=start, frozen_inputs=["nest"], checkpoint=tmp_path / "checkpoint")
    whole = SkipGram(**settings).fit(texts, start=start, frozen_inputs=["nest"])
    np.testing.assert_array_equal(resumed.vectors_["nest"], start["nest"])
    # Windows that are trained at the same time do not wait for each other: nearly the same.
    np.testing.assert_allclose(resumed.vectors_.vectors, whole.vectors_.vectors, atol=1e-2)
    assert not np.allclose(resumed.vectors_["wing"], start["wing"], atol=1e-2)


@pytest.mark.parametrize(
    ("n_tokens", "most", "epochs"),
    [(60_000_000, 100, 5), (1_000_000, 100, 5), (100_000, 100, 50), (10, 100, 100), (0, 20, 20)],
)
def test_short_texts_are_read_more_often(n_tokens: int, most: int, epochs: int) -> None:
    assert choose_epochs(n_tokens, most) == epochs
