from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from grassmeans import WordVectors, load
from grassmeans.contexts.attention.levelling import Levelling
from grassmeans.contexts.attention.stored import LearnedWeights, NetworkShape
from grassmeans.contexts.learned import LearnedEncoder
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.geometry.windows import ContextShape
from grassmeans.lexemes.lexeme_vectors import LexemeVectors, open_lexemes
from grassmeans.lexemes.training import train_lexemes
from grassmeans.models.compacting import CompactSettings, compact_model
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import ExampleLine, Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.text.tokenizer import Tokenizer
from grassmeans.vectors.quantising import QuantisedRows
from grassmeans.vectors.skipgram import SkipGram
from synthetic import POLYSEMOUS

SEVERAL, SINGLE = list(POLYSEMOUS)[:2]


@pytest.fixture(scope="module")
def frozen(
    labelled: Corpus, vectors_folder: Path, trainer_settings: dict[str, int]
) -> LexemeVectors:
    """Lexemes around fixed words."""
    return train_lexemes(
        labelled,
        labelled.path.parent / "frozen-lexemes",
        SkipGram(**trainer_settings),
        start_from=WordVectors.load(vectors_folder),
        freeze_words=True,
    )


@pytest.fixture(scope="module")
def compact(model: SenseModel, frozen: LexemeVectors, labelled: Corpus) -> SenseModel:
    folder = labelled.path.parent / "compact"
    return compact_model(
        model,
        folder,
        lexemes=frozen.vectors,
        settings=CompactSettings(bits=8, examples=2),
        extra={"licence": "CC0"},
    )


def test_words_stay_where_they_were(frozen: LexemeVectors, vectors_folder: Path) -> None:
    words = WordVectors.load(vectors_folder)
    plain = [word for word in words.words if word not in POLYSEMOUS]

    for word in plain[:50]:
        np.testing.assert_array_equal(frozen.vector(word), words[word])
    for word in POLYSEMOUS:
        assert frozen.vectors.similarity(f"{word}.1", words[word]) < 0.999
    assert frozen.vectors.manifest["lexemes"]["frozen_words"] == len(plain)


def test_freezing_needs_vectors_with_an_output_side(
    labelled: Corpus, vectors_folder: Path, trainer_settings: dict[str, int], tmp_path: Path
) -> None:
    trainer = SkipGram(**trainer_settings)
    with pytest.raises(InputError, match="give start_from"):
        train_lexemes(labelled, tmp_path / "a", trainer, freeze_words=True)
    words = WordVectors.load(vectors_folder)
    without = WordVectors(words.words, words.vectors)
    with pytest.raises(InputError, match="keep_output=True"):
        train_lexemes(labelled, tmp_path / "b", trainer, start_from=without, freeze_words=True)


def test_a_compact_model_knows_what_the_model_knew(model: SenseModel, compact: SenseModel) -> None:
    assert compact.words == model.words
    assert compact.language == model.language
    assert compact.manifest["licence"] == "CC0"
    assert compact.manifest["compact"]["bits"] == 8
    assert compact.encoder.shape == model.encoder.shape
    assert compact.encoder.function_words == model.encoder.function_words
    for word in model.words:
        before, after = model.senses(word), compact.senses(word)
        for old, new in zip(before.senses, after.senses, strict=True):
            assert new.characteristic_words == old.characteristic_words
            assert len(new.nearest_words) == len(old.nearest_words)
            assert len(set(new.nearest_words) & set(old.nearest_words)) >= 7
            assert new.share == pytest.approx(old.share, abs=1e-4)
            assert len(new.examples) == min(2, len(old.examples))
            assert old.examples[0].left.endswith(new.examples[0].left.removeprefix("…"))


def test_a_compact_model_tags_as_the_model_does(
    model: SenseModel, compact: SenseModel, corpus: Corpus
) -> None:
    lines = [corpus.line_at(position, 80) for position in range(100, 4000, 37)]
    texts = [f"{line.left}{line.word}{line.right}" for line in lines]
    before = model.tag_many(texts, idk_threshold=None)
    after = compact.tag_many(texts, idk_threshold=None)

    labels = [[word.label for tagged in result for word in tagged] for result in (before, after)]

    assert len(labels[0]) > 50
    same = sum(a == b for a, b in zip(*labels, strict=True))
    assert same >= 0.97 * len(labels[0])


def test_lexemes_of_a_model_are_its_senses_and_its_other_words(
    compact: SenseModel, frozen: LexemeVectors
) -> None:
    lexemes = open_lexemes(compact)

    assert compact.lexemes is not None
    assert compact.lexemes.words == [f"{w}.{k}" for w in compact.words for k in (1, 2)]
    assert lexemes is not None
    assert set(lexemes.words_with_senses) == set(POLYSEMOUS)
    expected = len(compact.vectors) - len(POLYSEMOUS) + len(compact.lexemes)
    assert len(lexemes.vectors) == expected
    plain = next(word for word in compact.vectors.words if word not in POLYSEMOUS)
    np.testing.assert_array_equal(lexemes.vector(plain), compact.vectors[plain])
    old = frozen.hard_similarity(compact.words[0], 1, compact.words[0], 2)
    assert lexemes.hard_similarity(compact.words[0], 1, compact.words[0], 2) == pytest.approx(
        old, abs=0.01
    )


def test_a_model_without_lexemes(model: SenseModel) -> None:
    assert model.lexemes is None
    assert open_lexemes(model) is None


def test_fewer_words_and_dimensions(model: SenseModel, tmp_path: Path) -> None:
    settings = CompactSettings(vocabulary=100, dimensions=10, bits=4, examples=0)

    small = compact_model(model, tmp_path / "small", settings=settings)

    assert len(small.vectors) == 100
    assert small.vectors.dim == 10
    entry = small.senses(model.words[0])
    assert entry.directions.shape == (2, 10)
    np.testing.assert_allclose(np.linalg.norm(entry.directions, axis=1), 1, atol=0.05)
    assert entry.senses[0].examples == ()


def test_storing_a_compact_model_again_changes_no_number(
    compact: SenseModel, tmp_path: Path
) -> None:
    again = compact_model(compact, tmp_path / "again", settings=CompactSettings(bits=8))

    np.testing.assert_allclose(again.vectors.vectors, compact.vectors.vectors, rtol=1e-6)
    for word in compact.words:
        np.testing.assert_allclose(
            again.inventory.directions(word), compact.inventory.directions(word), rtol=1e-6
        )


def test_compacting_again_keeps_the_lexemes(compact: SenseModel, tmp_path: Path) -> None:
    again = compact_model(compact, tmp_path / "again", settings=CompactSettings(bits=8))
    assert compact.lexemes is not None
    assert again.lexemes is not None
    assert list(again.lexemes.words) == list(compact.lexemes.words)


def test_words_with_one_sense_can_be_left_out(model: SenseModel, tmp_path: Path) -> None:
    one = WordSenses("single", 9, 9, np.eye(24, dtype=np.float32)[:1], (make_sense(),))
    entries = [one, model.senses(model.words[0])]
    mixed = model.with_inventory(SenseInventory(entries))

    kept = compact_model(mixed, tmp_path / "all")
    dropped = compact_model(mixed, tmp_path / "some", settings=CompactSettings(drop_single=True))

    assert kept.words == ("single", model.words[0])
    assert dropped.words == (model.words[0],)
    assert [(s.word, s.reason) for s in dropped.inventory.skipped] == [
        ("single", "has one sense only")
    ]
    only_single = model.with_inventory(SenseInventory([one]))
    with pytest.raises(InputError, match="no word would be left"):
        compact_model(only_single, tmp_path / "n", settings=CompactSettings(drop_single=True))


def test_lexemes_of_another_space_are_refused(
    model: SenseModel, lexeme_vectors: LexemeVectors, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="--freeze-words"):
        compact_model(model, tmp_path / "a", lexemes=lexeme_vectors.vectors)
    other = WordVectors(["crane.1"], [[1.0, 2.0]])
    with pytest.raises(InputError, match="have 2 dimensions, the words of the model 24"):
        compact_model(model, tmp_path / "b", lexemes=other)
    assert not (tmp_path / "a").exists()


def test_an_existing_model_is_kept(compact: SenseModel, model: SenseModel) -> None:
    assert compact.folder is not None
    with pytest.raises(InputError, match="overwrite=True"):
        compact_model(model, compact.folder)
    assert load(compact.folder).words == compact.words


def make_sense() -> Sense:
    return Sense(1, 1.0, 0.5, ("steel",), ("beam",), ())


@pytest.fixture(scope="module")
def learned(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    """A made-up network with senses of its own space; one word has one sense only."""
    words, rng = list(corpus.vocabulary.words), np.random.default_rng(0)
    shape = NetworkShape(len(words), dim=16, n_layers=1, head_dim=8, passage=32)
    n, d, n_axes = len(words), shape.dim, 12

    def draw(*size: int) -> NDArray[np.float32]:
        return (0.5 * rng.standard_normal(size)).astype(np.float32)

    levelling = Levelling(
        draw(n, d), np.abs(draw(n)), draw(d), draw(d, d), draw(d), draw(d, d), draw(2 * d, n_axes)
    )
    parts = {name: draw(*size) for name, size in shape.matrix_shapes().items()}
    weights = LearnedWeights(shape=shape, levelling=levelling, **parts)
    vectors = WordVectors(words, levelling.place_words(), corpus.vocabulary.counts)
    encoder = LearnedEncoder(vectors, ContextShape(rank=1), corpus.function_words, weights)
    lines = tuple(ExampleLine(f"left {i} ", "crane", " right", "0", 0.5) for i in range(8))
    entries = []
    for word, n_senses in ((SEVERAL, 3), (SINGLE, 1)):
        rows = draw(n_senses, n_axes)
        senses = tuple(Sense(k + 1, 1.0, 0.5, ("steel",), (), lines) for k in range(n_senses))
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        entries.append(WordSenses(word, 9, 9, unit, senses))
    manifest = {
        "language": "en",
        "calibration": {"intercept": 1.0, "nearest": 2.0, "margin": 3.0},
    }
    folder = tmp_path_factory.mktemp("learned") / "model"
    SenseModel(encoder, SenseInventory(entries), Tokenizer(), manifest).save(folder)
    return load(folder)


def make_lexemes(model: SenseModel) -> WordVectors:
    """Vectors of 20 dimensions for the senses, for words, and for what the model does not know."""
    keys = [f"{w}.{k}" for w, n in model.inventory.sense_counts.items() for k in range(1, n + 1)]
    plain = [word for word in model.vectors.words if word not in model.inventory][:9]
    keys = ["unheard", *plain, *keys]
    matrix = np.random.default_rng(1).standard_normal((len(keys), 20)).astype(np.float32)
    return WordVectors(keys, matrix, np.arange(len(keys), 0, -1))


def test_learned_contexts_keep_their_space_and_single_senses(
    learned: SenseModel, tmp_path: Path
) -> None:
    small = compact_model(learned, tmp_path / "small", settings=CompactSettings())

    assert small.words == learned.words == (SEVERAL, SINGLE)
    assert small.vectors.dim == small.inventory.dim == 12
    assert small.vectors.words == learned.vectors.words
    assert small.calibration == learned.calibration
    assert small.encoder.function_words == learned.encoder.function_words
    assert small.tokenizer.to_dict() == learned.tokenizer.to_dict()
    assert [len(sense.examples) for sense in small.inventory[SEVERAL].senses] == [6, 6, 6]
    assert isinstance(small.encoder, LearnedEncoder)
    assert small.encoder.weights.levelling is not None
    words = small.encoder.weights.levelling.words
    assert isinstance(words, QuantisedRows)
    assert words.bits == 4
    # the axes are turned, but everything lies to everything else as it did
    before, after = (
        m.vectors.vectors @ m.inventory.directions(SEVERAL).T for m in (learned, small)
    )
    np.testing.assert_allclose(after, before, atol=0.15)
    assert abs(small.vectors.vectors[0] - learned.vectors.vectors[0]).max() > 0.15


def test_a_compact_learned_model_tags_and_restores_only_what_it_needs(
    learned: SenseModel, corpus: Corpus, tmp_path: Path
) -> None:
    positions = corpus.positions(SEVERAL)[:40]
    lines = [corpus.line_at(int(position), 80) for position in positions]
    texts = [f"{line.left}<b>{line.word}</b>{line.right}" for line in lines]
    small = compact_model(learned, tmp_path / "small", settings=CompactSettings(bits=8))

    before = learned.tag_many(texts, idk_threshold=None)
    after = small.tag_many(texts, idk_threshold=None)

    senses = [[tagged[0].sense for tagged in result] for result in (before, after)]
    assert len(set(senses[0])) > 1
    assert sum(a == b for a, b in zip(*senses, strict=True)) >= 0.95 * len(texts)
    assert "vectors" not in vars(small.vectors), "all words were restored to tag some"
    again = load(tmp_path / "small")
    assert again.tag_many(texts, idk_threshold=None) == after


def test_storing_a_compact_learned_model_again_changes_no_number(
    learned: SenseModel, tmp_path: Path
) -> None:
    once = compact_model(learned, tmp_path / "once")
    twice = compact_model(once, tmp_path / "twice")

    np.testing.assert_allclose(twice.vectors.vectors, once.vectors.vectors, rtol=1e-6)
    np.testing.assert_allclose(
        twice.inventory.directions(SEVERAL), once.inventory.directions(SEVERAL), rtol=1e-5
    )
    assert isinstance(once.encoder, LearnedEncoder)
    assert isinstance(twice.encoder, LearnedEncoder)
    np.testing.assert_array_equal(
        np.asarray(twice.encoder.weights.levelling.words),
        np.asarray(once.encoder.weights.levelling.words),
    )


def test_learned_contexts_need_all_of_their_words(learned: SenseModel, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'learned' need all of their words"):
        compact_model(learned, tmp_path / "few", settings=CompactSettings(vocabulary=10))


def test_learned_contexts_keep_their_dimensions(learned: SenseModel, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="keep their dimensions"):
        compact_model(learned, tmp_path / "small", settings=CompactSettings(dimensions=2))


def test_lexemes_beside_learned_contexts_have_a_space_of_their_own(
    learned: SenseModel, tmp_path: Path
) -> None:
    given = make_lexemes(learned)

    small = compact_model(
        learned,
        tmp_path / "small",
        lexemes=given,
        settings=CompactSettings(dimensions=18, bits=8),
    )

    found = open_lexemes(small)
    assert found is not None
    plain = given.words[1:10]
    assert found.vectors.words == [f"{SEVERAL}.{k}" for k in (1, 2, 3)] + [f"{SINGLE}.1", *plain]
    assert found.vectors.dim == 18
    assert found.vectors.counts is not None
    assert found.vectors.counts.tolist()[:4] == [4, 3, 2, 1]
    # 14 lexemes span at most 14 dimensions: nothing is lost but the rounding
    for key in (f"{SEVERAL}.2", plain[3]):
        assert found.vectors.similarity(f"{SEVERAL}.1", key) == pytest.approx(
            given.similarity(f"{SEVERAL}.1", key), abs=0.02
        )
