from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grassmeans.artifacts.writing import building_place
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.ingest import Ingest, IngestOptions
from grassmeans.errors import InputError
from grassmeans.geometry.windows import rows_of_tokens
from grassmeans.reading.documents import RawDocument
from grassmeans.vectors.skipgram import SkipGram
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.extracting import ContextExtractor
from grassmeans_lab.rivals import huang, labelled_training
from grassmeans_lab.rivals.cosine_senses import CosineMeasure, CosineSenses
from grassmeans_lab.rivals.huang import (
    HuangSenses,
    count_document_frequencies,
    inverse_document_frequencies,
)
from grassmeans_lab.rivals.interface import Material
from synthetic import POLYSEMOUS, SyntheticCorpus

TEXTS = ("a b a c", "a b b", "a d")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory, synthetic: SyntheticCorpus) -> Corpus:
    return Corpus.from_texts(synthetic.documents, tmp_path_factory.mktemp("huang") / "corpus")


@pytest.fixture(scope="module")
def vectors(corpus: Corpus) -> WordVectors:
    trainer = SkipGram(dim=24, window=8, min_count=1, epochs=8, workers=1)
    return trainer.fit(corpus).vectors_


@pytest.fixture(scope="module")
def material(
    corpus: Corpus, vectors: WordVectors, tmp_path_factory: pytest.TempPathFactory
) -> Material:
    folder = tmp_path_factory.mktemp("kept") / "huang"
    return Material(corpus, vectors, (*POLYSEMOUS, "nowhere"), folder=folder)


def small(**changes: object) -> HuangSenses:
    return HuangSenses(**({"n_senses": 2, "epochs": 8, "min_count": 1} | changes))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def trained(material: Material) -> CosineSenses:
    return small().induce(material)


def extractor(material: Material, senses: CosineSenses) -> ContextExtractor:
    return ContextExtractor(
        material.corpus,
        material.vectors,
        window=senses.windows.shape.window,
        drop_function_words=bool(senses.windows.left_out),
    )


def test_senses_are_the_topics(
    trained: CosineSenses, material: Material, synthetic: SyntheticCorpus
) -> None:
    assert trained.words == tuple(POLYSEMOUS)
    assert trained.windows.shape.window == 5
    assert not trained.windows.left_out
    for word in POLYSEMOUS:
        contexts = extractor(material, trained).extract(word)
        distances = trained.measure(word, contexts.context_ids)
        assert distances.shape == (len(contexts), 2)
        assert np.nanmin(distances) >= 0.0
        assert np.nanmax(distances) <= 1.0
        gold = np.array([topic for _, topic in synthetic.gold[word]]) == POLYSEMOUS[word][0]
        agreement = np.mean(gold == (distances.argmin(axis=1) == 0))
        assert max(agreement, 1 - agreement) > 0.95, word


def test_prototypes_lie_among_the_words_of_their_topic(
    trained: CosineSenses, synthetic: SyntheticCorpus
) -> None:
    topic_of = {w: t for t, words in enumerate(synthetic.topic_words) for w in words}
    assert trained.space is not None
    for word, topics in POLYSEMOUS.items():
        main = []
        for row in trained.sense_vectors(word):
            near = [n.word for n in trained.space.most_similar(row, 30)]
            found = [topic_of[w] for w in near if w in topic_of][:10]
            main.append(max(set(found), key=found.count))
        assert sorted(main) == sorted(topics), word
    # Whole words of the trained space, the relabelled ones too.
    assert "crane" in trained.space
    assert "crane.1" not in trained.space


def test_distances_are_half_of_one_minus_the_cosine(material: Material) -> None:
    senses = small(train=False).induce(replace(material, folder=None))
    weights = inverse_document_frequencies(material.corpus, material.vectors)
    ids = extractor(material, senses).extract("crane").context_ids[:3]
    assert senses.space is material.vectors
    centres = senses.sense_vectors("crane")
    assert np.linalg.norm(centres, axis=1) == pytest.approx([1.0, 1.0], abs=1e-5)
    for row, found in zip(ids, senses.measure("crane", ids), strict=True):
        known = row[row >= 0]
        mean = weights[known] @ material.vectors.vectors[known]
        cosines = centres @ mean / np.linalg.norm(mean)
        assert found.tolist() == pytest.approx(((1 - cosines) / 2).tolist(), abs=1e-5)


def test_the_measure_of_a_shard_agrees_with_the_senses(
    trained: CosineSenses, material: Material
) -> None:
    corpus, vectors = material.corpus, material.vectors
    directions = np.load(material.folder / "directions.npy")  # type: ignore[operator]
    word_of_token = np.full(len(corpus.vocabulary) + 1, -1, np.int32)
    word_of_token[corpus.vocabulary.ids_of(trained.words)] = np.arange(len(trained.words))
    measure = CosineMeasure(
        vectors=vectors.vectors,
        weights=inverse_document_frequencies(corpus, vectors),
        directions=directions,
        sense_offsets=np.arange(0, 9, 2),
        row_of_token=rows_of_tokens(corpus, vectors, drop_function_words=False),
        word_of_token=word_of_token,
        window=5,
    )
    positions, distances = measure.find_distances(corpus.shards[0])
    assert np.array_equal(positions, np.flatnonzero(word_of_token[corpus.shards[0].tokens] >= 0))
    contexts = extractor(material, trained).extract("bass")
    rows = np.searchsorted(positions, contexts.positions)
    expected = trained.measure("bass", contexts.context_ids)
    assert np.allclose(distances[rows], expected, atol=1e-3)  # stored in half precision


def test_kept_senses_are_opened_again(trained: CosineSenses, material: Material) -> None:
    folder = material.folder
    assert folder is not None
    assert json.loads((folder / "manifest.json").read_text())["identity"]["n_senses"] == 2
    assert not (folder / "labelled").exists()
    stamp = (folder / "lexemes" / "vectors.npy").stat().st_mtime_ns
    again = small().induce(material)
    assert (folder / "lexemes" / "vectors.npy").stat().st_mtime_ns == stamp
    assert again.words == trained.words
    assert np.array_equal(again.sense_vectors("seal"), trained.sense_vectors("seal"))
    with pytest.raises(InputError, match="another n_senses: delete it"):
        small(n_senses=3).induce(material)


def test_an_interrupted_run_goes_on(
    material: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trained: CosineSenses
) -> None:
    own = replace(material, folder=tmp_path / "huang")
    real = labelled_training.train_lexemes

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(labelled_training, "train_lexemes", stop)
    with pytest.raises(KeyboardInterrupt):
        small().induce(own)
    assert (building_place(own.folder) / "new" / "labelled" / "manifest.json").exists()
    monkeypatch.setattr(labelled_training, "train_lexemes", real)
    monkeypatch.setattr(huang, "find_centres", stop)  # centres are there already
    senses = small().induce(own)
    assert np.array_equal(senses.sense_vectors("bank"), trained.sense_vectors("bank"))


def test_rare_words_have_no_senses(corpus: Corpus, vectors: WordVectors) -> None:
    material = Material(corpus, vectors, ("crane", "bank"), max_contexts=6)
    senses = small(n_senses=7, train=False).induce(material)
    assert senses.words == ()
    assert small(n_senses=6, train=False).induce(material).words == ("crane", "bank")


def test_no_words_at_all(corpus: Corpus, vectors: WordVectors) -> None:
    senses = small().induce(Material(corpus, vectors, ("nowhere",)))
    assert senses.words == ()
    assert senses.space is vectors


def test_mistakes_are_explained(material: Material) -> None:
    with pytest.raises(InputError, match="epochs must be a whole number, 1 or more; got 0"):
        small(epochs=0).induce(material)


@pytest.fixture(params=[5, 10_000], ids=["many shards", "one shard"])
def small_corpus(request: pytest.FixtureRequest, tmp_path: Path) -> Corpus:
    documents = (RawDocument(str(i), "", text, "tokens") for i, text in enumerate(TEXTS))
    options = IngestOptions(function_words=frozenset(), shard_chars=request.param)
    Ingest(tmp_path / "c", options, workers=1, show_progress=False).take_documents(documents)
    return Corpus.open(tmp_path / "c")


def test_every_document_counts_once(small_corpus: Corpus) -> None:
    frequencies = count_document_frequencies(small_corpus)
    found = dict(zip(small_corpus.vocabulary.words, frequencies.tolist(), strict=True))
    assert found == {"a": 3, "b": 2, "c": 1, "d": 1}


def test_weights_stand_in_the_order_of_the_vectors(small_corpus: Corpus) -> None:
    vectors = WordVectors(["d", "elsewhere", "b", "a"], np.eye(4))
    weights = inverse_document_frequencies(small_corpus, vectors)
    assert weights.dtype == np.float32
    assert weights.tolist() == pytest.approx([np.log(3), np.log(3), np.log(1.5), 0.0])
