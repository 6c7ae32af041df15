from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.labelling.labeller import relabel
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.lexemes.training import (
    expand_vectors,
    find_plain_keys,
    start_senses_afresh,
    train_lexemes,
)
from grassmeans.senses.keys import decode_key
from grassmeans.vectors.skipgram import SkipGram
from grassmeans.vectors.word_vectors import WordVectors
from synthetic import POLYSEMOUS, SyntheticCorpus

KEYS = ["the", "crane.1", "harbour", "crane.0", "crane.2", "unheard.1", "st.1\\"]


def topics_of_neighbours(
    lexemes: LexemeVectors, synthetic: SyntheticCorpus, word: str, sense: int
) -> list[int]:
    """The topics of the nearest invented words."""
    topic_of = {w: t for t, words in enumerate(synthetic.topic_words) for w in words}
    nearest = lexemes.nearest_lexemes(word, sense, 30)
    return [topic_of[n.word] for n in nearest if n.word in topic_of][:10]


def assert_each_sense_has_its_topic(lexemes: LexemeVectors, synthetic: SyntheticCorpus) -> None:
    for word, topics in POLYSEMOUS.items():
        found = [topics_of_neighbours(lexemes, synthetic, word, sense) for sense in (1, 2)]
        main = [max(set(near), key=near.count) for near in found]
        assert sorted(main) == sorted(topics), word
        for near, topic in zip(found, main, strict=True):
            assert near.count(topic) >= 8, (word, near)


def test_each_sense_lies_among_the_words_of_its_topic(
    lexeme_vectors: LexemeVectors, synthetic: SyntheticCorpus
) -> None:
    assert_each_sense_has_its_topic(lexeme_vectors, synthetic)


def test_the_manifest_tells_how_the_lexemes_were_made(
    lexeme_vectors: LexemeVectors, labelled: Corpus
) -> None:
    manifest = lexeme_vectors.vectors.manifest
    assert manifest["kind"] == "vectors"
    assert manifest["lexemes"]["decoding"] == "hard"
    assert manifest["corpus"]["n_tokens"] == labelled.n_tokens
    assert lexeme_vectors.vectors.output is not None
    assert lexeme_vectors.counts_by_kind()["n_senses"] == 8


def test_soft_labels_drawn_in_each_epoch(
    labelled: Corpus,
    synthetic: SyntheticCorpus,
    trainer_settings: dict[str, int],
    tmp_path: Path,
) -> None:
    trainer = SkipGram(**trainer_settings)
    lexemes = train_lexemes(labelled, tmp_path / "soft", trainer, soft_each_epoch=True)
    assert lexemes.vectors.manifest["lexemes"]["decoding"] == "soft, drawn in each epoch"
    assert lexemes.counts_by_kind()["n_idk"] == 0
    assert_each_sense_has_its_topic(lexemes, synthetic)


def test_lexemes_start_at_their_words(
    labelled: Corpus, vectors_folder: Path, trainer_settings: dict[str, int], tmp_path: Path
) -> None:
    words = WordVectors.load(vectors_folder)
    # With almost no learning rate everything stays where it started.
    trainer = SkipGram(**trainer_settings).set_params(learning_rate=1e-9, epochs=1)
    lexemes = train_lexemes(
        labelled, tmp_path / "started", trainer, start_from=words, keep_output=True
    )
    assert lexemes.vectors.manifest["lexemes"]["started_from"] == vectors_folder.name
    assert words.output is not None
    assert lexemes.vectors.output is not None
    for row, key in enumerate(lexemes.vectors.words):
        before = words.id_of(decode_key(key)[0])
        assert before is not None
        assert np.allclose(lexemes.vectors.vectors[row], words.vectors[before], atol=1e-5)
        assert np.allclose(lexemes.vectors.output[row], words.output[before], atol=1e-5)


def test_a_frozen_soft_sample_is_trained_as_it_is(
    labelled: Corpus, trainer_settings: dict[str, int], tmp_path: Path
) -> None:
    sample = relabel(labelled, tmp_path / "sample", decoding="soft", workers=1)
    trainer = SkipGram(**trainer_settings).set_params(epochs=1)
    lexemes = train_lexemes(sample, tmp_path / "lexemes", trainer)
    direct = SkipGram(**trainer_settings).set_params(epochs=1).fit(sample)
    assert np.array_equal(lexemes.vectors.vectors, direct.vectors_.vectors)
    assert lexemes.vectors.words == direct.vectors_.words


def test_a_corpus_without_labels_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="corpus without labels"):
        train_lexemes(corpus, tmp_path / "x", SkipGram(dim=4))
    assert not (tmp_path / "x").exists()


def test_every_lexeme_starts_at_its_word() -> None:
    matrix = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)
    words = WordVectors(["crane", "the", "st.1"], matrix, output=10 * matrix)
    start = expand_vectors(words, KEYS)
    assert start.words == ["the", "crane.1", "crane.0", "crane.2", "st.1\\"]
    expected = [[3.0, 4.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [5.0, 6.0]]
    assert start.vectors.tolist() == expected
    assert start.output is not None
    assert start.output.tolist() == [[10 * x for x in row] for row in expected]


def test_without_an_output_matrix_there_is_none() -> None:
    assert expand_vectors(WordVectors(["crane"], [[1.0]]), KEYS).output is None


def test_lexeme_vectors_are_taken_by_key_first(tmp_path: Path) -> None:
    names = ["crane.1", "crane", "st.1\\"]
    WordVectors(names, [[1.0], [2.0], [3.0]]).save(tmp_path / "v", extra={"lexemes": {}})
    start = expand_vectors(WordVectors.load(tmp_path / "v"), KEYS)
    found = dict(zip(start.words, start.vectors[:, 0].tolist(), strict=True))
    assert found == {"crane.1": 1.0, "crane.0": 2.0, "crane.2": 2.0, "st.1\\": 3.0}


def test_nothing_in_common_is_an_error() -> None:
    with pytest.raises(InputError, match="no word in common"):
        expand_vectors(WordVectors(["Crane"], [[1.0]]), ["crane.1"])


def test_senses_start_afresh_and_words_where_they_are() -> None:
    matrix = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)
    words = WordVectors(["crane", "the", "st.1"], matrix, output=10 * matrix)
    start = expand_vectors(words, KEYS)

    fresh = start_senses_afresh(start, random_state=0)

    found = dict(zip(fresh.words, fresh.vectors.tolist(), strict=True))
    assert found["the"] == [3.0, 4.0]
    assert found["st.1\\"] == [5.0, 6.0]
    for key in ("crane.0", "crane.1", "crane.2"):
        assert all(abs(number) <= 0.25 for number in found[key])  # 0.5 / dimensions
    assert found["crane.1"] != found["crane.2"]
    assert fresh.output is start.output


def test_plain_keys_are_those_of_words_with_a_vector() -> None:
    words = WordVectors(["crane", "the", "st.1"], np.eye(3))

    assert find_plain_keys(words, KEYS) == ("the", "st.1\\")
