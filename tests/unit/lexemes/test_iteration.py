from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grassmeans.artifacts import building_place
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.labelling.labeller import relabel
from grassmeans.laboratory.iteration.iteration import decode_again, induce_again
from grassmeans.laboratory.iteration.rounds import (
    RoundReport,
    measure_agreement,
    nearest_labels,
    reason_to_stop,
    report_round,
)
from grassmeans.laboratory.iteration.word_contexts import LexemeContextExtractor
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.senses.decoding import decode_hard, decode_soft
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.model import SenseModel
from grassmeans.senses.settings import InductionSettings
from grassmeans.subspaces import principal_subspaces
from synthetic import POLYSEMOUS, SyntheticCorpus

SETTINGS = InductionSettings(n_senses=2)


@pytest.fixture(scope="module")
def second(
    labelled: Corpus, lexeme_vectors: LexemeVectors, model: SenseModel
) -> tuple[SenseInventory, Corpus]:
    """Inventory and labels of the first round after the ordinary one."""
    inventory = induce_again(labelled, lexeme_vectors, model.inventory, SETTINGS)
    folder = labelled.path.parent / "labelled-1"
    decoded = decode_again(
        labelled, lexeme_vectors, inventory, SETTINGS, folder, idk_threshold=0.02
    )
    return inventory, decoded


def gold_of(synthetic: SyntheticCorpus, word: str) -> np.ndarray:
    return np.array([topic for _, topic in synthetic.gold[word]])


def test_the_second_round_finds_the_senses_too(
    second: tuple[SenseInventory, Corpus],
    lexeme_vectors: LexemeVectors,
    synthetic: SyntheticCorpus,
) -> None:
    _, relabelled = second
    extractor = LexemeContextExtractor(relabelled, lexeme_vectors)
    for word in POLYSEMOUS:
        labels = nearest_labels(relabelled, extractor.positions(word))
        gold = gold_of(synthetic, word)
        assert len(labels) == len(gold)
        right = np.mean((labels == 1) == (gold == gold.max()))
        assert max(right, 1 - right) > 0.97, word


def test_senses_keep_their_numbers(
    second: tuple[SenseInventory, Corpus], labelled: Corpus, lexeme_vectors: LexemeVectors
) -> None:
    _, relabelled = second
    before = LexemeContextExtractor(labelled, lexeme_vectors)
    for word in POLYSEMOUS:
        positions = before.positions(word)
        old, new = nearest_labels(labelled, positions), nearest_labels(relabelled, positions)
        assert np.mean(old == new) > 0.95, word


def test_distances_are_those_of_lexeme_subspaces(
    second: tuple[SenseInventory, Corpus], labelled: Corpus, lexeme_vectors: LexemeVectors
) -> None:
    inventory, relabelled = second
    extractor = LexemeContextExtractor(labelled, lexeme_vectors)
    contexts = extractor.extract("bank")
    bases = principal_subspaces(contexts.context_ids, lexeme_vectors.vectors.vectors, 3)
    inside = np.square(bases @ inventory.directions("bank").T).sum(axis=1)
    distances = np.sqrt(np.clip(1 - inside, 0, 1))
    margins = np.abs(distances[:, 0] - distances[:, 1])
    clear = margins > 0.002  # stored distances are rounded to half precision
    expected = decode_hard(distances, None) + 1
    found = nearest_labels(relabelled, contexts.positions)
    assert clear.mean() > 0.9
    assert np.array_equal(found[clear], expected[clear])


def test_reports_count_what_the_labels_hold(
    second: tuple[SenseInventory, Corpus], labelled: Corpus, lexeme_vectors: LexemeVectors
) -> None:
    _, relabelled = second
    report = report_round(1, relabelled, labelled)
    extractor = LexemeContextExtractor(relabelled, lexeme_vectors)
    positions = {word: extractor.positions(word) for word in POLYSEMOUS}
    labels = np.concatenate([extractor.labels(word, positions[word]) for word in POLYSEMOUS])
    assert report.n_occurrences == len(labels) == 800
    assert 0.01 < report.idk_share < 0.5
    assert report.idk_share == pytest.approx(np.mean(labels == 0))
    old = LexemeContextExtractor(labelled, lexeme_vectors)
    before = np.concatenate([old.labels(word, positions[word]) for word in POLYSEMOUS])
    # Senses have kept their numbers, so that matching them changes nothing.
    assert report.agreement == pytest.approx(np.mean(before == labels))
    assert 0.5 < report.agreement < 1.0
    assert report_round(0, labelled).agreement is None


def test_entropy_is_the_mean_over_occurrences(labelled: Corpus, model: SenseModel) -> None:
    rows = []
    for shard in labelled.shards:
        rows.append(np.load(shard.folder / "sense_distances.npy").astype(float))
    probabilities = decode_soft(np.concatenate(rows), 10.0)
    expected = -(probabilities * np.log2(probabilities)).sum(axis=1).mean()
    assert report_round(0, labelled).mean_entropy == pytest.approx(expected)
    assert report_round(0, labelled, sharpness=0.0).mean_entropy == pytest.approx(1.0)


def test_agreement_with_itself_and_with_no_idk(labelled: Corpus, tmp_path: Path) -> None:
    assert measure_agreement(labelled, labelled) == 1.0
    strict = relabel(labelled, tmp_path / "strict", idk_threshold=0.0, workers=1)
    share = labelled.manifest["labelled"]["n_idk"] / 800
    assert 0.1 < share < 0.5
    assert measure_agreement(labelled, strict) == pytest.approx(share)


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
            labelled, lexeme_vectors, senses, SETTINGS, tmp_path / "again", idk_threshold=0.02
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
    settings = InductionSettings(n_senses=2, drop_repeats=True)
    inventory = induce_again(labelled, lexeme_vectors, model.inventory, settings)
    decode_again(labelled, lexeme_vectors, inventory, settings, tmp_path / "again")
    shard = tmp_path / "again" / "shards" / "00000"
    positions = np.load(shard / "sense_positions.npy")
    found = np.load(shard / "sense_distances.npy").astype(float)
    extractor = LexemeContextExtractor(labelled, lexeme_vectors, drop_repeats=True)
    for word in ("crane", "seal"):
        contexts = extractor.extract(word)
        names = {lexeme_vectors.vectors.words[i] for i in np.unique(contexts.context_ids) if i >= 0}
        assert not names & {f"{word}.{k}" for k in range(3)}
        bases = principal_subspaces(contexts.context_ids, lexeme_vectors.vectors.vectors, 3)
        inside = np.square(bases @ inventory.directions(word).T).sum(axis=1)
        expected = np.sqrt(np.clip(1 - inside, 0, 1))
        rows = np.searchsorted(positions, contexts.positions)
        assert np.allclose(found[rows], expected, atol=1e-3)


def test_a_word_with_too_few_contexts_keeps_its_senses(
    labelled: Corpus, lexeme_vectors: LexemeVectors, model: SenseModel
) -> None:
    settings = InductionSettings(n_senses=2, max_contexts=1)
    inventory = induce_again(labelled, lexeme_vectors, model.inventory, settings)
    assert [skipped.word for skipped in inventory.skipped] == list(POLYSEMOUS)
    assert "too few for 2 senses" in inventory.skipped[0].reason
    assert np.array_equal(inventory.directions("crane"), model.inventory.directions("crane"))


def test_mistakes_are_explained(
    labelled: Corpus, lexeme_vectors: LexemeVectors, model: SenseModel, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="has no senses"):
        nearest_labels(labelled, np.array([p for p in range(50) if p not in _labelled(labelled)]))
    with pytest.raises(InputError, match="is an input"):
        decode_again(
            labelled, lexeme_vectors, model.inventory, SETTINGS, labelled.path, overwrite=True
        )
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(InputError, match="not a grassmeans corpus"):
        decode_again(labelled, lexeme_vectors, model.inventory, SETTINGS, tmp_path)
    other = Corpus.from_texts(["a b c"])
    with pytest.raises(InputError, match="not labellings of the same corpus"):
        measure_agreement(other, labelled)


def _labelled(corpus: Corpus) -> set[int]:
    return set(np.load(corpus.shards[0].folder / "sense_positions.npy").tolist())


@pytest.mark.parametrize(
    ("entropies", "agreement", "reason"),
    [
        ([0.3], None, None),
        ([0.3, 0.2], 0.9, None),
        ([0.3, 0.2], 0.981, "98.1% of the labels"),
        ([0.3, 0.2], 0.98, "98.0% of the labels"),
        ([0.3, 0.2], 0.9799, None),
        ([0.3, 0.3], 0.9, "no longer falls"),
        ([0.4, 0.2, 0.25], 0.9, "0.2000 before, 0.2500 now"),
    ],
)
def test_when_to_stop(entropies: list[float], agreement: float | None, reason: str | None) -> None:
    # The share of "I don't know" rises all along, which ends nothing.
    reports = [
        RoundReport(i, 100, 0.1 * (i + 1), entropy, None if i == 0 else agreement)
        for i, entropy in enumerate(entropies)
    ]
    found = reason_to_stop(reports)
    assert (found is None) if reason is None else (found is not None and reason in found)
