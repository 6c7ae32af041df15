"""Contexts of expected vectors against a plain computation, word by word, in double precision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from grassmeans.corpus.corpus import Corpus, default_options
from grassmeans.errors import ArtifactError, InputError
from grassmeans.labelling.keys import decode_key
from grassmeans.labelling.labeller import label_corpus
from grassmeans.laboratory.iteration.expected_contexts import ExpectedContextExtractor
from grassmeans.laboratory.iteration.expected_vectors import ExpectedShard, find_expectations
from grassmeans.laboratory.iteration.iteration import decode_again, induce_again
from grassmeans.laboratory.iteration.word_contexts import LexemeContextExtractor
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.lexemes.training import train_lexemes
from grassmeans.senses.building import build_model
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.model import SenseModel
from grassmeans.senses.settings import InductionSettings
from grassmeans.vectors.skipgram import SkipGram
from grassmeans.vectors.word_vectors import WordVectors
from synthetic import POLYSEMOUS, SyntheticCorpus

SHARPNESS = 100.0  # the distances of this corpus are small
SETTINGS = InductionSettings(n_senses=2, window=4)


@dataclass(frozen=True)
class Rich:
    """A corpus in which many context words have senses, and not all senses have vectors."""

    model: SenseModel
    labelled: Corpus
    lexemes: LexemeVectors


@pytest.fixture(scope="module")
def rich(
    corpus: Corpus, vectors_folder: Path, synthetic: SyntheticCorpus, trainer_settings: dict
) -> Rich:
    root = corpus.path.parent
    # A document too short for its words to have distances.
    texts = [*synthetic.documents, "crane riverba"]
    stored = Corpus.from_texts(texts, root / "rich-corpus")
    words = [*POLYSEMOUS, *(word for topic in synthetic.topic_words for word in topic[:4])]
    model = build_model(
        stored.path, vectors_folder, root / "rich-model", words, settings=SETTINGS, workers=1
    )
    labelled = label_corpus(stored, model, root / "rich-labelled", idk_threshold=0.01, workers=1)
    trainer = SkipGram(**trainer_settings | {"epochs": 3})
    lexemes = train_lexemes(
        labelled, root / "rich-lexemes", trainer, soft_each_epoch=True, sharpness=SHARPNESS
    )
    return Rich(model, labelled, take_senses_away(lexemes))


def take_senses_away(lexemes: LexemeVectors) -> LexemeVectors:
    """One word keeps its first sense only; three have no sense, but another name or none at all."""
    old = lexemes.vectors
    lost = {"birdba.2", *(f"bird{end}.{k}" for end in ("be", "bi", "bo") for k in (1, 2))}
    keys = [key for key in old.words if key not in lost]
    extra = np.random.default_rng(0).standard_normal((2, old.dim))
    rows = np.concatenate([old.vectors[[old.id_of(key) for key in keys]], extra])
    return LexemeVectors(WordVectors([*keys, "birdbe.0", "birdbi"], rows.astype(np.float32)))


@pytest.fixture(scope="module")
def scrambled(rich: Rich) -> Rich:
    """The same labels with random vectors and senses: nothing is near anything by chance."""
    rng = np.random.default_rng(1)
    vectors = rich.lexemes.vectors
    rows = rng.standard_normal(vectors.vectors.shape).astype(np.float32)
    lexemes = LexemeVectors(WordVectors(list(vectors.words), rows))
    entries = []
    for word in rich.model.words:
        directions = rng.standard_normal((2, vectors.dim))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        entries.append(WordSenses(word, 1, 1, directions.astype(np.float32), ()))
    model = SenseModel(rich.model.vectors, SenseInventory(entries), rich.model.rules)
    return Rich(model, rich.labelled, lexemes)


class Plain:
    """The definitions, with no blocks, tables or kernels."""

    def __init__(self, rich: Rich, settings: InductionSettings) -> None:
        self.settings = settings
        self.lexemes = rich.lexemes
        self.directions = rich.model.inventory
        self.n_senses = rich.model.inventory.sense_counts
        shard = rich.labelled.shards[0]
        assert len(rich.labelled.shards) == 1
        keys = rich.labelled.vocabulary.words
        self.words = [decode_key(keys[token])[0] for token in shard.tokens.tolist()]
        self.offsets = shard.document_offsets.tolist()
        positions = np.load(shard.folder / "sense_positions.npy").tolist()
        distances = np.load(shard.folder / "sense_distances.npy").astype(float)
        self.distances = dict(zip(positions, distances, strict=True))
        self.function_words = rich.labelled.function_words

    def is_kept(self, position: int, target: str) -> bool:
        word = self.words[position]
        if word in self.function_words or word not in self.lexemes:
            return False
        return not (self.settings.drop_repeats and word == target)

    def vector(self, position: int) -> np.ndarray:
        word = self.words[position]
        if position not in self.distances:
            return self.lexemes.vector(word).astype(float)
        d = self.distances[position][: self.n_senses[word]]
        weights = np.ones(len(d)) if np.isnan(d[0]) else np.exp(-SHARPNESS * d)
        senses = self.lexemes.senses(word)
        if not senses:
            return self.lexemes.vectors.vectors[self.lexemes.standing_row(word, None)].astype(float)
        mass = sum(weights[k - 1] for k in senses)
        return sum(
            weights[k - 1] / mass * self.lexemes.vector(word, k).astype(float) for k in senses
        )

    def context(self, position: int) -> list[int]:
        document = np.searchsorted(self.offsets, position, side="right") - 1
        start, end = self.offsets[document : document + 2]
        word, window = self.words[position], self.settings.window
        before = [i for i in range(position - 1, start - 1, -1) if self.is_kept(i, word)]
        after = [i for i in range(position + 1, end) if self.is_kept(i, word)]
        return before[:window][::-1] + after[:window]

    def distance(self, position: int, directions: np.ndarray) -> np.ndarray:
        rows = [self.vector(i) for i in self.context(position)]
        if len(rows) < self.settings.rank:
            return np.full(len(directions), np.nan)
        basis = np.linalg.svd(np.array(rows), full_matrices=False)[2][: self.settings.rank]
        return np.sqrt(np.clip(1 - np.square(basis @ directions.T).sum(axis=0), 0, 1))


@pytest.mark.parametrize("drop_repeats", [False, True])
def test_distances_are_those_of_expected_vectors(
    scrambled: Rich, tmp_path: Path, drop_repeats: bool
) -> None:
    settings = InductionSettings(n_senses=2, window=4, drop_repeats=drop_repeats)
    corpora = [
        decode_again(
            scrambled.labelled,
            scrambled.lexemes,
            scrambled.model.inventory,
            settings,
            tmp_path / name,
            soft_contexts=name == "soft",
            sharpness=SHARPNESS,
        )
        for name in ("soft", "hard")
    ]
    plain = Plain(scrambled, settings)
    folders = [decoded.shards[0].folder for decoded in corpora]
    positions = np.load(folders[0] / "sense_positions.npy")
    soft, hard = (np.load(folder / "sense_distances.npy").astype(float) for folder in folders)
    assert positions.tolist() == sorted(plain.distances)
    chosen = np.random.default_rng(0).choice(len(positions) - 2, 300, replace=False)
    expected = [
        plain.distance(p, plain.directions.directions(plain.words[p])) for p in positions[chosen]
    ]
    # Stored in half precision, whose steps below 1 are 2^-11.
    assert np.allclose(soft[chosen], expected, atol=1e-3)
    assert np.mean(np.abs(soft - hard)[chosen] > 0.01) > 0.3  # and not those of hard labels
    assert np.isnan(soft[-2:]).all()  # the words of the short document
    assert not np.isnan(soft[:-2]).any()
    assert corpora[0].manifest["labelled"]["n_occurrences"] == len(positions)


def test_the_corpus_has_all_the_cases(rich: Rich) -> None:
    words = ("crane", "birdba", "birdbe", "birdbi", "birdbo")
    assert all(word in rich.model.words for word in words)
    assert [rich.lexemes.keys(word) for word in words] == [
        ["crane.1", "crane.2"],
        ["birdba.1"],
        ["birdbe.0"],
        ["birdbi"],
        [],
    ]
    assert rich.labelled.manifest["labelled"]["n_idk"] > 100


@pytest.mark.parametrize("drop_repeats", [False, True])
def test_contexts_of_induction(
    scrambled: Rich, drop_repeats: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grassmeans.laboratory.iteration.expected_contexts._CONTEXTS_AT_ONCE", 7)
    settings = InductionSettings(n_senses=2, window=4, drop_repeats=drop_repeats)
    extractor = ExpectedContextExtractor(
        scrambled.labelled, scrambled.lexemes, SHARPNESS, window=4, drop_repeats=drop_repeats
    )
    plain = Plain(scrambled, settings)
    contexts = extractor.extract("crane", max_contexts=40)
    bases = extractor.subspaces("crane", contexts, settings)
    for ids, position, basis in zip(contexts.context_ids, contexts.positions, bases, strict=True):
        places = plain.context(position)
        keys = [scrambled.lexemes.vectors.words[i] for i in ids if i >= 0]
        assert [decode_key(key)[0] for key in keys] == [plain.words[i] for i in places]
        rows = np.array([plain.vector(i) for i in places])
        expected = np.linalg.svd(rows, full_matrices=False)[2][:3]
        assert np.allclose(basis.T @ basis, expected.T @ expected, atol=1e-3)


def test_senses_are_found_again_from_soft_contexts(rich: Rich, synthetic: SyntheticCorpus) -> None:
    kept = SenseInventory([rich.model.inventory[word] for word in POLYSEMOUS])
    inventory = induce_again(
        rich.labelled, rich.lexemes, kept, SETTINGS, soft_contexts=True, sharpness=SHARPNESS
    )
    assert inventory.skipped == ()
    plain = Plain(rich, SETTINGS)
    extractor = LexemeContextExtractor(rich.labelled, rich.lexemes, window=4)
    directions = inventory.directions("bank")
    positions = extractor.positions("bank")
    nearest = np.array([np.argmin(plain.distance(p, directions)) for p in positions])
    gold = np.array([topic for _, topic in synthetic.gold["bank"]])
    right = np.mean((nearest == 1) == (gold == gold.max()))
    assert max(right, 1 - right) > 0.97


def test_the_likeliest_sense_describes_an_occurrence(rich: Rich) -> None:
    expectations = find_expectations(rich.labelled, rich.lexemes, SHARPNESS)
    shard = ExpectedShard(rich.labelled.shards[0], expectations)
    plain = Plain(rich, SETTINGS)
    word = next(word for word in rich.model.words if rich.lexemes.senses(word) == [1, 2])
    positions = np.array([p for p in plain.distances if plain.words[p] == word])
    rows = shard.likeliest_rows(positions)
    nearest = [np.argmin(plain.distances[p]) + 1 for p in positions]
    assert [rich.lexemes.vectors.words[i] for i in rows] == [f"{word}.{k}" for k in nearest]


def test_without_distances_all_senses_are_equally_likely(rich: Rich) -> None:
    expectations = find_expectations(rich.labelled, rich.lexemes, SHARPNESS)
    shard = ExpectedShard(rich.labelled.shards[0], expectations)
    crane = rich.labelled.n_tokens - 2
    mean = (rich.lexemes.vector("crane", 1) + rich.lexemes.vector("crane", 2)) / 2
    assert np.allclose(shard.vectors_at(np.array([crane]))[0], mean)


def test_certain_labels_give_the_vectors_of_hard_decoding(rich: Rich) -> None:
    """With endless sharpness an expected vector is that of the nearest sense."""
    expectations = find_expectations(rich.labelled, rich.lexemes, 1e6)
    shard = ExpectedShard(rich.labelled.shards[0], expectations)
    plain = Plain(rich, SETTINGS)
    checked = 0
    for position, distances in plain.distances.items():
        word = plain.words[position]
        if rich.lexemes.senses(word) == [1, 2] and distances[0] != distances[1]:
            found = shard.vectors_at(np.array([position]))[0]
            expected = rich.lexemes.vector(word, int(np.argmin(distances)) + 1)
            assert np.allclose(found, expected)
            checked += 1
            if checked == 50:
                break
    assert checked == 50


def test_a_sense_without_any_probability_leaves_the_word_to_its_stand_in(rich: Rich) -> None:
    """Where the only sense with a vector is so unlikely that its probability is 0."""
    word, sense = "birdba", 1
    expectations = find_expectations(rich.labelled, rich.lexemes, 1e9)
    shard = ExpectedShard(rich.labelled.shards[0], expectations)
    plain = Plain(rich, SETTINGS)
    far = [
        p
        for p, d in plain.distances.items()
        if plain.words[p] == word and d[sense - 1] > d[2 - sense]
    ]
    # There is no birdba.0 and no birdba: the word's most frequent lexeme stands in.
    assert np.array_equal(shard.vectors_at(np.array(far[:1]))[0], rich.lexemes.vector(word, sense))
    assert np.isfinite(shard.vectors_at(np.array(far))).all()


def test_shards_change_nothing(
    rich: Rich, scrambled: Rich, synthetic: SyntheticCorpus, tmp_path: Path
) -> None:
    options = replace(default_options(), shard_chars=20_000)
    texts = [*synthetic.documents, "crane riverba"]
    stored = Corpus.from_texts(texts, tmp_path / "corpus", options=options)
    assert len(stored.shards) > 2
    labelled = label_corpus(stored, rich.model, tmp_path / "labelled", workers=1)
    whole, parts = (
        ExpectedContextExtractor(corpus, scrambled.lexemes, SHARPNESS, window=4)
        for corpus in (rich.labelled, labelled)
    )
    expected, found = (one.extract("bank") for one in (whole, parts))
    assert np.array_equal(found.positions, expected.positions)
    assert np.array_equal(found.context_ids, expected.context_ids)
    bases, expected_bases = (one.subspaces("bank", found, SETTINGS) for one in (parts, whole))
    assert np.array_equal(bases, expected_bases)


def test_what_does_not_fit_is_explained(rich: Rich, labelled: Corpus) -> None:
    strange = LexemeVectors(WordVectors(["zzz"], np.ones((1, 2))))
    with pytest.raises(InputError, match="no word in common"):
        find_expectations(rich.labelled, strange, SHARPNESS)
    # Distances of a corpus in which fewer words have senses.
    expectations = find_expectations(rich.labelled, rich.lexemes, SHARPNESS)
    shard = ExpectedShard(labelled.shards[0], expectations)
    shard.tokens = np.asarray(rich.labelled.shards[0].tokens)
    places = np.load(rich.labelled.shards[0].folder / "sense_positions.npy")
    with pytest.raises(ArtifactError, match="do not belong to the tokens"):
        shard.vectors_at(places.astype(np.int64))
