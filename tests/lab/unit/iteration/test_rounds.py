from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gpu_devices
from grassmeans.artifacts.writing import building_place
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts import subspaces
from grassmeans.corpus.corpus import Corpus
from grassmeans.engines.parallel import map_tasks
from grassmeans.errors import InputError
from grassmeans.geometry.subspaces import principal_subspaces
from grassmeans.geometry.windows import Contexts, ContextShape
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.models.model import SenseModel
from grassmeans.senses import induction, samples, word_induction
from grassmeans.senses.decoding import decode_hard
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.keys import decode_key
from grassmeans_lab.iteration.encoders import make_encoder
from grassmeans_lab.iteration.labelled_words import LabelledWords
from grassmeans_lab.iteration.reports import measure_agreement
from grassmeans_lab.iteration.rounds import decode_again, induce_again, order_as_before
from synthetic import POLYSEMOUS, SyntheticCorpus

SETTINGS = InductionSettings(n_senses=2)
SHAPE = ContextShape()


@pytest.fixture(scope="module")
def second(
    labelled: Corpus, lexeme_vectors: LexemeVectors, model: SenseModel
) -> tuple[SenseInventory, Corpus]:
    """Inventory and labels of the first round after the ordinary one."""
    inventory = induce_again(labelled, lexeme_vectors, model.inventory, SETTINGS, SHAPE)
    folder = labelled.path.parent / "labelled-1"
    decoded = decode_again(labelled, lexeme_vectors, inventory, SHAPE, folder, idk_threshold=0.02)
    return inventory, decoded


def gold_of(synthetic: SyntheticCorpus, word: str) -> np.ndarray:
    return np.array([topic for _, topic in synthetic.gold[word]])


def test_the_second_round_finds_the_senses_too(
    second: tuple[SenseInventory, Corpus], synthetic: SyntheticCorpus
) -> None:
    words = LabelledWords.of(second[1])
    for word in POLYSEMOUS:
        labels = words.nearest_at(words.positions(word))
        gold = gold_of(synthetic, word)
        assert len(labels) == len(gold)
        right = np.mean((labels == 1) == (gold == gold.max()))
        assert max(right, 1 - right) > 0.97, word


def test_senses_keep_their_numbers(second: tuple[SenseInventory, Corpus], labelled: Corpus) -> None:
    before, after = (LabelledWords.of(one) for one in (labelled, second[1]))
    for word in POLYSEMOUS:
        positions = before.positions(word)
        assert np.mean(before.nearest_at(positions) == after.nearest_at(positions)) > 0.95, word


def test_new_senses_stand_where_the_old_ones_did() -> None:
    """The first of three covers what was 3, the second what was 1; the third gets what is left."""
    near = np.array([0, 0, 0, 1, 1, 0])
    labels = np.array([3, 3, 0, 1, 1, 1])
    distances = np.where(np.arange(3) == near[:, None], 0.1, 0.9)
    assert order_as_before(labels, distances).tolist() == [1, 2, 0]


def distances_by_hand(
    labelled: Corpus, lexemes: LexemeVectors, directions: np.ndarray, word: str, **shape
) -> tuple[np.ndarray, np.ndarray]:
    """Positions, and distances of subspaces of lexemes."""
    words = LabelledWords.of(labelled)
    encoder = make_encoder(words, lexemes, ContextShape(**shape))
    positions = words.positions(word)
    contexts = Contexts(encoder.describe_at(words, positions), positions)
    if shape.get("drop_repeats"):
        rows = np.unique(contexts.context_ids)
        names = {decode_key(lexemes.vectors.words[i])[0] for i in rows if i >= 0}
        assert word not in names
    bases = principal_subspaces(contexts.context_ids, lexemes.vectors.vectors, 3)
    inside = np.square(bases @ directions.T).sum(axis=1)
    return contexts.positions, np.sqrt(np.clip(1 - inside, 0, 1))


def test_distances_are_those_of_lexeme_subspaces(
    second: tuple[SenseInventory, Corpus], labelled: Corpus, lexeme_vectors: LexemeVectors
) -> None:
    inventory, relabelled = second
    directions = inventory.directions("bank")
    positions, distances = distances_by_hand(labelled, lexeme_vectors, directions, "bank")
    margins = np.abs(distances[:, 0] - distances[:, 1])
    clear = margins > 0.002  # stored distances are rounded to half precision
    expected = decode_hard(distances, None) + 1
    found = LabelledWords.of(relabelled).nearest_at(positions)
    assert clear.mean() > 0.9
    assert np.array_equal(found[clear], expected[clear])


@pytest.mark.parametrize("soft", [False, True])
def test_words_are_induced_side_by_side(
    labelled: Corpus,
    lexeme_vectors: LexemeVectors,
    model: SenseModel,
    monkeypatch: pytest.MonkeyPatch,
    soft: bool,
) -> None:
    monkeypatch.setattr(induction, "BATCH_WORDS", 1)
    asked: list[tuple[int, int]] = []

    def map_noted(function, tasks, workers):
        asked.append((len(chosen := list(tasks)), workers))
        return map_tasks(function, chosen, workers)

    monkeypatch.setattr(induction, "map_tasks", map_noted)
    lexemes = LexemeVectors.load(labelled.path.parent / "lexemes")  # which workers open too
    arguments = (labelled, lexemes, model.inventory, SETTINGS, SHAPE)
    one, two = (induce_again(*arguments, soft_contexts=soft, workers=n) for n in (1, 2))
    assert asked == [(4, 2)]
    assert one.words == two.words == model.words
    for word in one.words:
        assert one[word].senses == two[word].senses
        assert np.array_equal(one.directions(word), two.directions(word))


def test_an_interrupted_induction_goes_on_where_it_was(
    second: tuple[SenseInventory, Corpus],
    labelled: Corpus,
    lexeme_vectors: LexemeVectors,
    model: SenseModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(induction, "BATCH_WORDS", 1)
    asked: list[str] = []

    def complete(word: str, *rest):
        asked.append(word)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return samples.complete_sample(word, *rest)

    monkeypatch.setattr(word_induction, "complete_sample", complete)
    arguments = (labelled, lexeme_vectors, model.inventory, SETTINGS, SHAPE)
    with pytest.raises(KeyboardInterrupt):
        induce_again(*arguments, parts=tmp_path)
    again = induce_again(*arguments, parts=tmp_path)
    words = list(POLYSEMOUS)
    assert asked == [*words[:3], *words[2:]]
    for word in POLYSEMOUS:
        assert np.allclose(again.directions(word), second[0].directions(word), atol=1e-6)
        assert again[word].senses == second[0][word].senses


def test_an_interrupted_round_takes_over_its_distances(
    second: tuple[SenseInventory, Corpus],
    labelled: Corpus,
    lexeme_vectors: LexemeVectors,
    model: SenseModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inventory, relabelled = second

    def decode(senses: SenseInventory) -> Corpus:
        return decode_again(
            labelled, lexeme_vectors, senses, SHAPE, tmp_path / "again", idk_threshold=0.02
        )

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("grassmeans.labelling.labeller._write_labelled", stop)
        with pytest.raises(KeyboardInterrupt):
            decode(inventory)
    distances = Path("shards", "00000", "sense_distances.npy")
    measured = (building_place(tmp_path / "again") / "new" / distances).stat().st_mtime_ns
    with pytest.raises(InputError, match="unfinished corpus of other inputs"):
        decode(model.inventory)
    again = decode(inventory)
    assert (again.path / distances).stat().st_mtime_ns == measured
    assert measure_agreement(relabelled, again) == 1.0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again"]


def test_repeats_of_the_target_are_left_out_in_any_sense(
    labelled: Corpus, lexeme_vectors: LexemeVectors, model: SenseModel, tmp_path: Path
) -> None:
    shape = ContextShape(drop_repeats=True)
    inventory = induce_again(labelled, lexeme_vectors, model.inventory, SETTINGS, shape)
    decode_again(labelled, lexeme_vectors, inventory, shape, tmp_path / "again", idk_threshold=None)
    shard = tmp_path / "again" / "shards" / "00000"
    stored = np.load(shard / "sense_positions.npy")
    found = np.load(shard / "sense_distances.npy").astype(float)
    for word in ("crane", "seal"):
        positions, expected = distances_by_hand(
            labelled, lexeme_vectors, inventory.directions(word), word, drop_repeats=True
        )
        assert np.allclose(found[np.searchsorted(stored, positions)], expected, atol=1e-3)


def test_a_word_with_too_few_contexts_keeps_its_senses(
    labelled: Corpus, lexeme_vectors: LexemeVectors, model: SenseModel
) -> None:
    settings = InductionSettings(n_senses=2, max_contexts=1)
    inventory = induce_again(labelled, lexeme_vectors, model.inventory, settings, SHAPE)
    assert [skipped.word for skipped in inventory.skipped] == list(POLYSEMOUS)
    assert "too few for 2 senses" in inventory.skipped[0].reason
    assert np.array_equal(inventory.directions("crane"), model.inventory.directions("crane"))


def test_mistakes_are_explained(
    labelled: Corpus, lexeme_vectors: LexemeVectors, model: SenseModel, tmp_path: Path
) -> None:
    def decode(inventory: SenseInventory, folder: Path) -> None:
        decode_again(
            labelled, lexeme_vectors, inventory, SHAPE, folder, idk_threshold=0.6, overwrite=True
        )

    with pytest.raises(InputError, match="is an input"):
        decode(model.inventory, labelled.path)
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(InputError, match="not a grassmeans corpus"):
        decode(model.inventory, tmp_path)
    entries = [model.inventory[word] for word in POLYSEMOUS]
    fewer = [replace(entry, directions=entry.directions[:1], senses=()) for entry in entries]
    with pytest.raises(InputError, match="as many senses as the inventory has"):
        decode(SenseInventory(fewer), tmp_path / "new")


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("device", [gpu_devices.PLAIN, gpu_devices.GPU])
def test_a_round_is_the_same_on_a_device(
    labelled: Corpus,
    lexeme_vectors: LexemeVectors,
    model: SenseModel,
    tmp_path: Path,
    device: str,
    soft: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subspaces, "_WORTH_SENDING", 33)
    labels = []
    with gpu_devices.use_device(device) as name:
        for where, workers in (("cpu", 1), (name, 1), (name, 2)):
            how = {"soft_contexts": soft, "device": where, "workers": workers}
            given = (labelled, lexeme_vectors)
            inventory = induce_again(*given, model.inventory, SETTINGS, SHAPE, **how)
            folder = tmp_path / f"{where}-{workers}"
            decoded = decode_again(*given, inventory, SHAPE, folder, idk_threshold=0.02, **how)
            labels.append(np.concatenate([shard.tokens for shard in decoded.shards]))
    assert (labels[0] == labels[1]).mean() > 0.999
    assert np.array_equal(labels[1], labels[2])
