"""Contexts of expected vectors against a plain computation, word by word, in double precision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from grassmeans.clustering.settings import InductionSettings
from grassmeans.corpus.corpus import Corpus, default_options
from grassmeans.errors import ArtifactError, InputError
from grassmeans.geometry.windows import ContextShape
from grassmeans.labelling.labeller import label_corpus
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.lexemes.training import train_lexemes
from grassmeans.models.building import build_model
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.keys import decode_key
from grassmeans.senses.samples import sample_word
from grassmeans.vectors.skipgram import SkipGram
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.iteration import encoders
from grassmeans_lab.iteration.encoders import ExpectedEncoder, LexemeEncoder, make_encoder
from grassmeans_lab.iteration.labelled_words import LabelledOccurrences, LabelledWords
from grassmeans_lab.iteration.rounds import decode_again, induce_again
from synthetic import POLYSEMOUS, SyntheticCorpus

SHARPNESS = 100.0  # the distances of this corpus are small
SETTINGS = InductionSettings(n_senses=2)
SHAPE = ContextShape(window=4)


@dataclass(frozen=True)
class Rich:
    """A corpus in which many context words have senses, and not all senses have vectors."""

    model: SenseModel
    labelled: Corpus
    lexemes: LexemeVectors

    @property
    def words(self) -> LabelledWords:
        return LabelledWords.of(self.labelled)

    def expect(self, sharpness: float = SHARPNESS, **shape) -> ExpectedEncoder:
        made = make_encoder(self.words, self.lexemes, replace(SHAPE, **shape), sharpness)
        assert isinstance(made, ExpectedEncoder)
        return made

    def text(self) -> LabelledOccurrences:
        """All words of the corpus, which is one shard."""
        (shard,) = self.words.shards
        return self.words.occurrences_in(shard, np.arange(len(shard.tokens)))


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
        stored.path,
        vectors_folder,
        root / "rich-model",
        words,
        settings=SETTINGS,
        **SHAPE.to_dict(),
        workers=1,
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
    return Rich(rich.model.with_inventory(SenseInventory(entries)), rich.labelled, lexemes)


class Plain:
    """The definitions, with no blocks, tables or kernels."""

    def __init__(self, rich: Rich, *, drop_repeats: bool = False, rank: int = 3) -> None:
        self.drop_repeats = drop_repeats
        self.rank = rank
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
        return not (self.drop_repeats and word == target)

    def vector(self, position: int) -> np.ndarray:
        word = self.words[position]
        if position not in self.distances:
            return self.lexemes.vector(word).astype(float)
        d = self.distances[position][: self.n_senses[word]]
        weights = np.ones(len(d)) if np.isnan(d[0]) else np.exp(-SHARPNESS * d)
        senses = self.lexemes.senses(word)
        if not senses:
            return self.lexemes.vectors.vectors[self.lexemes.standing_row(word, 0)].astype(float)
        mass = sum(weights[k - 1] for k in senses)
        return sum(
            weights[k - 1] / mass * self.lexemes.vector(word, k).astype(float) for k in senses
        )

    def context(self, position: int) -> list[int]:
        document = np.searchsorted(self.offsets, position, side="right") - 1
        start, end = self.offsets[document : document + 2]
        word = self.words[position]
        before = [i for i in range(position - 1, start - 1, -1) if self.is_kept(i, word)]
        after = [i for i in range(position + 1, end) if self.is_kept(i, word)]
        return before[:4][::-1] + after[:4]

    def distance(
        self, position: int, directions: np.ndarray, weighting: str = "flat"
    ) -> np.ndarray:
        rows = np.array([self.vector(i) for i in self.context(position)])
        _, sizes, basis = np.linalg.svd(rows, full_matrices=False)
        inside = basis[: self.rank] @ directions.T
        if weighting == "singular":
            inside *= (sizes / sizes[0])[: self.rank, None]
        return np.sqrt(np.clip(1 - np.square(inside).sum(axis=0), 0, 1))


def distances_of(decoded: Corpus) -> tuple[np.ndarray, np.ndarray]:
    folder = decoded.shards[0].folder
    distances = np.load(folder / "sense_distances.npy").astype(float)
    return np.load(folder / "sense_positions.npy"), distances


def decode(rich: Rich, folder: Path, *, soft: bool = True, **shape) -> Corpus:
    return decode_again(
        rich.labelled,
        rich.lexemes,
        rich.model.inventory,
        replace(SHAPE, **shape),
        folder,
        soft_contexts=soft,
        idk_threshold=None,
        sharpness=SHARPNESS,
    )


@pytest.mark.parametrize("drop_repeats", [False, True])
def test_distances_are_those_of_expected_vectors(
    scrambled: Rich, tmp_path: Path, drop_repeats: bool
) -> None:
    decoded = decode(scrambled, tmp_path / "soft", drop_repeats=drop_repeats)
    positions, soft = distances_of(decoded)
    _, hard = distances_of(
        decode(scrambled, tmp_path / "hard", soft=False, drop_repeats=drop_repeats)
    )
    plain = Plain(scrambled, drop_repeats=drop_repeats)
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
    assert decoded.manifest["labelled"]["n_occurrences"] == len(positions)


# No word of these but crane has senses.
SHORT = (
    "crane",
    "riverbu crane riverda",
    "riverbu crane riverda riverde",
    "riverbu riverdi crane riverda riverde",
    "riverbu riverdi crane riverda riverde riverdo",
)


@pytest.fixture(scope="module")
def short(scrambled: Rich) -> Rich:
    """Contexts of 0, 2, 3, 4 and 5 words, fifty of each."""
    root = scrambled.labelled.path.parent
    options = replace(default_options(), keep_duplicates=True)
    stored = Corpus.from_texts(SHORT * 50, root / "short", options=options)
    labelled = label_corpus(stored, scrambled.model, root / "short-labelled", workers=1)
    return Rich(scrambled.model, labelled, scrambled.lexemes)


@pytest.mark.parametrize("soft", [True, False])
@pytest.mark.parametrize(("weighting", "n_known"), [("flat", 1), ("singular", 3)])
def test_how_many_words_a_context_needs(
    short: Rich, tmp_path: Path, soft: bool, weighting: str, n_known: int
) -> None:
    """Five for subspaces of rank 5; three where directions are weighted, for any rank."""
    decoded = decode(short, tmp_path / "again", soft=soft, rank=5, weighting=weighting)
    positions, distances = distances_of(decoded)
    cranes = short.words.positions("crane")
    assert len(cranes) == 250
    found = distances[np.searchsorted(positions, cranes)].reshape(50, 5, 2)
    assert np.isnan(found[:, : 5 - n_known]).all()
    known = found[:, 5 - n_known :]
    assert not np.isnan(known).any()
    shape = replace(SHAPE, rank=5, weighting=weighting)
    encoder = make_encoder(short.words, short.lexemes, shape, SHARPNESS if soft else None)
    sample = sample_word("crane", short.words, encoder, SETTINGS)
    assert len(sample.contexts) == 50 * n_known
    if soft:
        plain = Plain(short, rank=5)
        directions = plain.directions.directions("crane")
        expected = [plain.distance(p, directions, weighting) for p in cranes[5 - n_known : 5]]
        assert np.allclose(known[0], expected, atol=1e-3)


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
    monkeypatch.setattr(encoders, "_CONTEXTS_AT_ONCE", 7)
    encoder = scrambled.expect(drop_repeats=drop_repeats)
    plain = Plain(scrambled, drop_repeats=drop_repeats)
    positions = scrambled.words.positions("crane")[:200:5]
    described = encoder.describe_at(scrambled.words, positions)
    bases = encoder.encode_at(scrambled.words, positions)
    assert len(bases) == 40
    for ids, position, basis in zip(described, positions, bases, strict=True):
        places = plain.context(position)
        keys = [scrambled.lexemes.vectors.words[i] for i in ids if i >= 0]
        assert [decode_key(key)[0] for key in keys] == [plain.words[i] for i in places]
        rows = np.array([plain.vector(i) for i in places])
        expected = np.linalg.svd(rows, full_matrices=False)[2][:3]
        assert np.allclose(basis.T @ basis, expected.T @ expected, atol=1e-3)


@pytest.mark.parametrize("soft", [True, False])
def test_weights_are_shares_of_the_projection(scrambled: Rich, soft: bool) -> None:
    shape = replace(SHAPE, drop_repeats=True)
    encoder = make_encoder(scrambled.words, scrambled.lexemes, shape, SHARPNESS if soft else None)
    plain = Plain(scrambled, drop_repeats=True)
    text = scrambled.text()[scrambled.words.positions("crane")[:20]]
    directions = np.random.default_rng(2).standard_normal((20, scrambled.lexemes.vectors.dim))
    found = encoder.weigh_words(text, directions.astype(np.float32))
    for position, direction, pairs in zip(text.positions, directions, found, strict=True):
        places, weights = (list(column) for column in zip(*pairs, strict=True))
        if soft:
            assert places == plain.context(position)
            rows = np.array([plain.vector(i) for i in places])
        else:
            keys = [scrambled.labelled.vocabulary.words[text.tokens[i]] for i in places]
            rows = np.array([scrambled.lexemes.vectors[key] for key in keys], float)
        assert "crane" not in {plain.words[i] for i in places}
        left, _, right = np.linalg.svd(rows, full_matrices=False)
        shares = np.square(left[:, :3] @ (right[:3] @ direction))
        assert np.allclose(weights, shares / shares.sum(), atol=1e-4)


def test_senses_are_found_again_from_soft_contexts(rich: Rich, synthetic: SyntheticCorpus) -> None:
    kept = SenseInventory([rich.model.inventory[word] for word in POLYSEMOUS])
    inventory = induce_again(
        rich.labelled, rich.lexemes, kept, SETTINGS, SHAPE, soft_contexts=True, sharpness=SHARPNESS
    )
    assert inventory.skipped == ()
    plain = Plain(rich)
    directions = inventory.directions("bank")
    positions = rich.words.positions("bank")
    nearest = np.array([np.argmin(plain.distance(p, directions)) for p in positions])
    gold = np.array([topic for _, topic in synthetic.gold["bank"]])
    right = np.mean((nearest == 1) == (gold == gold.max()))
    assert max(right, 1 - right) > 0.97


def test_the_likeliest_sense_describes_an_occurrence(rich: Rich) -> None:
    plain = Plain(rich)
    word = next(word for word in rich.model.words if rich.lexemes.senses(word) == [1, 2])
    positions = np.array([p for p in plain.distances if plain.words[p] == word])
    rows = rich.expect().likeliest_rows(rich.text(), positions)
    nearest = [np.argmin(plain.distances[p]) + 1 for p in positions]
    assert [rich.lexemes.vectors.words[i] for i in rows] == [f"{word}.{k}" for k in nearest]


def test_without_distances_all_senses_are_equally_likely(rich: Rich) -> None:
    crane = rich.labelled.n_tokens - 2
    mean = (rich.lexemes.vector("crane", 1) + rich.lexemes.vector("crane", 2)) / 2
    assert np.allclose(rich.expect().vectors_at(rich.text(), np.array([crane]))[0], mean)


def test_certain_labels_give_the_vectors_of_hard_decoding(rich: Rich) -> None:
    """With endless sharpness an expected vector is that of the nearest sense."""
    plain = Plain(rich)
    checked = [
        (position, rich.lexemes.vector(plain.words[position], int(np.argmin(distances)) + 1))
        for position, distances in plain.distances.items()
        if rich.lexemes.senses(plain.words[position]) == [1, 2] and distances[0] != distances[1]
    ][:50]
    assert len(checked) == 50
    positions = np.array([position for position, _ in checked])
    found = rich.expect(1e6).vectors_at(rich.text(), positions)
    assert np.allclose(found, np.stack([vector for _, vector in checked]))


def test_a_sense_without_any_probability_leaves_the_word_to_its_stand_in(rich: Rich) -> None:
    """Where the only sense with a vector is so unlikely that its probability is 0."""
    plain = Plain(rich)
    far = [p for p, d in plain.distances.items() if plain.words[p] == "birdba" and d[0] > d[1]]
    found = rich.expect(1e9).vectors_at(rich.text(), np.array(far))
    # There is no birdba.0 and no birdba: the word's most frequent lexeme stands in.
    assert np.array_equal(found[0], rich.lexemes.vector("birdba", 1))
    assert np.isfinite(found).all()


def test_i_dont_know_stands_in_before_the_plain_word(rich: Rich) -> None:
    old = rich.lexemes.vectors
    rows = np.concatenate([old.vectors, np.full((1, old.dim), 7.0, np.float32)])
    both = LexemeVectors(WordVectors([*old.words, "birdbe"], rows))
    encoder = ExpectedEncoder(rich.words, both, SHAPE, SHARPNESS)
    position = rich.words.positions("birdbe")[:1]
    assert np.array_equal(
        encoder.vectors_at(rich.text(), position)[0], rich.lexemes.vector("birdbe", 0)
    )


def test_shards_change_nothing(
    rich: Rich, scrambled: Rich, synthetic: SyntheticCorpus, tmp_path: Path
) -> None:
    options = replace(default_options(), shard_chars=20_000)
    texts = [*synthetic.documents, "crane riverba"]
    stored = Corpus.from_texts(texts, tmp_path / "corpus", options=options)
    assert len(stored.shards) > 2
    labelled = label_corpus(stored, rich.model, tmp_path / "labelled", workers=1)
    found = []
    for one in (scrambled, replace(scrambled, labelled=labelled)):
        positions, encoder = one.words.positions("bank"), one.expect()
        described = encoder.describe_at(one.words, positions)
        found.append((positions, described, encoder.encode_at(one.words, positions)))
    for whole, parts in zip(*found, strict=True):
        assert np.array_equal(whole, parts)


def test_what_does_not_fit_is_explained(rich: Rich, labelled: Corpus) -> None:
    strange = LexemeVectors(WordVectors(["zzz"], np.ones((1, 2))))
    for sharpness in (None, SHARPNESS):
        with pytest.raises(InputError, match="no key in common"):
            make_encoder(rich.words, strange, SHAPE, sharpness)
    # Distances of a corpus in which fewer words have senses.
    text = replace(rich.text(), shard=labelled.shards[0])
    places = np.load(rich.labelled.shards[0].folder / "sense_positions.npy")
    with pytest.raises(ArtifactError, match="do not belong to the tokens"):
        rich.expect().vectors_at(text, places)
    (_, plain), *_ = rich.labelled.occurrences(rich.words.positions("crane"))
    with pytest.raises(InputError, match="occurrences of a labelled corpus"):
        rich.expect().encode(plain)


# A labelled corpus made by hand: keys are ordinary tokens of a tokenised document.

KEYS = ["bird.1", "the", "the.1", "crane.1", "crane.2", "crane.0", "bank.1", "bank.2", "river"]


def describe(words: LabelledWords, target: str, **shape) -> list[list[str]]:
    lexemes = WordVectors(KEYS, np.eye(len(KEYS)))
    encoder = LexemeEncoder(lexemes, ContextShape(**shape), words.function_words)
    found = encoder.describe_at(words, words.positions(target))
    return [[KEYS[i] for i in row if i >= 0] for row in found]


def test_context_words_are_lexemes(by_hand: LabelledWords) -> None:
    # Function words go in any sense ("the", "the.1"), and "rare" and "lifted" have no vector.
    assert describe(by_hand, "crane", window=2) == [
        ["bird.1", "bank.1", "river"],
        ["bank.1", "river"],
        ["bank.2"],
    ]


def test_repeats_of_the_target_are_dropped_in_any_sense(by_hand: LabelledWords) -> None:
    kept = describe(by_hand, "crane", window=4)
    assert kept[0] == ["bird.1", "bank.1", "river", "crane.1"]
    dropped = describe(by_hand, "crane", window=4, drop_repeats=True)
    assert dropped[0] == ["bird.1", "bank.1", "river"]
