"""What learned and taught encoders share: passages, devices, folders."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from damage import make_old
from grassmeans import WordVectors
from grassmeans.artifacts.writing import read_manifest
from grassmeans.contexts import open_contexts, read_encoder
from grassmeans.contexts.attention.encoder import NetworkEncoder, normalise_rows
from grassmeans.contexts.attention.stored import N_SPECIAL, UNKNOWN_ID
from grassmeans.corpus.occurrences import number_words
from grassmeans.errors import ArtifactError


@pytest.fixture(params=["learned", "taught"])
def folder(request):
    name = {"learned": "base_folder", "taught": "taught_folder"}[request.param]
    return request.getfixturevalue(name)


@pytest.fixture
def encoder(folder) -> NetworkEncoder:
    found = open_contexts(folder)
    assert isinstance(found, NetworkEncoder)
    return found


def test_rows_have_a_mean_square_of_one() -> None:
    found = normalise_rows(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32))
    root = np.sqrt(12.5)
    np.testing.assert_allclose(found, [[3 / root, 4 / root], [0.0, 0.0]], rtol=1e-5)


def test_ids_are_those_of_the_vectors_and_kept_for_one_list(encoder) -> None:
    words = ["crane", "unheard", "the"]
    found = encoder.ids_of(words)
    rows = [encoder.vectors.words.index(word) for word in ("crane", "the")]
    assert found.tolist() == [rows[0] + N_SPECIAL, UNKNOWN_ID, rows[1] + N_SPECIAL, UNKNOWN_ID]
    assert encoder.ids_of(words) is found
    assert encoder.ids_of(list(words)) is not found


def test_passages_are_as_long_as_those_of_the_training(encoder) -> None:
    occurrences = number_words([["crane", "the"] * 100])
    own = int(32 * encoder.own_share)
    starts = set()
    for passages in encoder._cut(occurrences):
        assert passages.ids.shape[1] <= encoder.weights.shape.passage == 32
        starts |= set((passages.rows - passages.places).tolist())
    margin = (32 - own) // 2
    assert starts == {max(0, start - margin) for start in range(0, 200, own)}


def test_passages_of_contexts_are_compared_with_the_text(encoder) -> None:
    own = int(32 * encoder.own_share)
    assert encoder.reads_twice(2 * 100 + 1, own * 100)  # more than all of it, twice over
    assert not encoder.reads_twice(2 * 100, own * 100)


def test_a_network_is_sent_once_until_the_device_is_another(encoder) -> None:
    pytest.importorskip("torch", reason="needs the extra encoder")
    encoder.use_device("torch-cpu")
    first = encoder.network
    assert encoder.network is first
    encoder.use_device("torch-cpu")
    assert encoder.network is not first
    encoder.use_device("cpu")
    assert encoder.device == "cpu"


def test_vectors_of_another_network_are_noticed(folder, tmp_path) -> None:
    other = shutil.copytree(folder, tmp_path / "other")
    shutil.rmtree(other / "vectors")
    WordVectors(["crane", "the"], np.eye(2, 8, dtype=np.float32)).save(other / "vectors")
    make_old(other)  # without the digests that would tell
    with pytest.raises(ArtifactError, match=r"its network is for \d+ words of \d+ dimensions"):
        read_encoder(other, read_manifest(other))


def test_lines_of_a_corpus_are_those_of_its_texts(encoder, topic_corpus) -> None:
    positions = topic_corpus.positions("crane")[:40]
    found = encoder.encode_at(topic_corpus, positions)
    ((part, occurrences),) = topic_corpus.occurrences(positions)
    assert part == slice(0, 40)
    np.testing.assert_allclose(found, encoder.encode(occurrences), atol=1e-5)
    shuffled = np.random.default_rng(0).permutation(positions)
    unordered = encoder.encode_unordered(topic_corpus, shuffled)
    np.testing.assert_allclose(unordered[np.argsort(shuffled)], found, atol=1e-5)
