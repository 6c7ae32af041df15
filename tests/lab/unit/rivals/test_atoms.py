from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from damage import make_old
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.kernels import SparseCodes, get_kernels
from grassmeans_lab.rivals.atoms import (
    AtomSenses,
    CodedWords,
    find_common_atoms,
    learn_dictionary,
    smooth_inverse_frequencies,
)
from grassmeans_lab.rivals.interface import Material

N_TOPICS = 6


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Atoms need vectors only; the corpus is there because every method gets one."""
    return Corpus.from_texts(["one two three"], tmp_path_factory.mktemp("atoms") / "corpus")


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    """Words of six topics, each near its axis, and words that are sums of two axes."""
    rng = np.random.default_rng(0)
    axes = np.eye(N_TOPICS, 12)
    topics = np.repeat(np.arange(N_TOPICS), 30)
    lengths = rng.uniform(1.0, 2.0, len(topics))
    plain = lengths[:, None] * axes[topics] + 0.02 * rng.normal(size=(len(topics), 12))
    mixed = np.stack([2.0 * axes[0] + 1.0 * axes[1], 1.0 * axes[3] + 1.5 * axes[2]])
    words = [f"w{topic}.{i}" for i, topic in enumerate(topics)] + ["crane", "bank"]
    rows = np.concatenate([plain, mixed])
    counts = np.arange(len(words), 0, -1)
    return WordVectors(words, rows, counts)


def make_material(corpus: Corpus, vectors: WordVectors, folder: Path | None = None) -> Material:
    return Material(corpus, vectors, ("crane", "bank", "nowhere", "crane"), folder=folder)


def small(**changes: object) -> AtomSenses:
    chosen = {"n_atoms": N_TOPICS, "sparsity": 2, "n_iterations": 15, "max_share": 1.0}
    return AtomSenses(**(chosen | changes))  # type: ignore[arg-type]


def test_the_senses_of_a_mixed_word_are_its_axes(corpus: Corpus, vectors: WordVectors) -> None:
    senses = small().induce(make_material(corpus, vectors))
    assert senses.words == ("crane", "bank")
    assert [senses.n_senses(word) for word in senses.words] == [2, 2]
    # The larger part of the sum first.
    assert senses.sense_vectors("crane")[:, :2] == pytest.approx(np.eye(2), abs=0.1)
    assert senses.sense_vectors("bank")[:, 2:4] == pytest.approx(np.eye(2), abs=0.1)
    assert senses.space is vectors
    with pytest.raises(UnknownWordError, match="'nowhere' has no senses"):
        senses.n_senses("nowhere")


def test_contexts_go_to_the_nearest_atom(corpus: Corpus, vectors: WordVectors) -> None:
    senses = small(window=2).induce(make_material(corpus, vectors))
    rows = {topic: 30 * topic for topic in range(N_TOPICS)}
    contexts = np.array(
        [[rows[0], rows[0] + 1, -1, -1], [-1, rows[1], rows[1] + 3, -1], [-1, -1, -1, -1]],
        np.int32,
    )
    distances = senses.measure("crane", contexts)
    assert distances.shape == (3, 2)
    # Cosine about 1 to the own axis, about 0 to the other.
    assert distances[:2] == pytest.approx(np.array([[0.0, 0.5], [0.5, 0.0]]), abs=0.05)
    assert np.isnan(distances[2]).all()
    assert senses.windows.shape.window == 2
    assert senses.windows.left_out == corpus.function_words


def test_common_atoms_are_no_senses_by_hand() -> None:
    ids = np.array([[0, 1], [0, -1], [0, 2], [2, 1]], np.int32)
    coded = CodedWords(np.eye(3, dtype=np.float32), SparseCodes(ids, np.ones((4, 2), np.float32)))
    assert find_common_atoms(coded, 0.5).tolist() == [True, False, False]
    assert find_common_atoms(coded, 0.75).tolist() == [False, False, False]


def test_negative_and_common_atoms_are_left_out(
    corpus: Corpus, tmp_path: Path, vectors: WordVectors
) -> None:
    material = make_material(corpus, vectors, tmp_path / "kept")
    small().induce(material)
    ids = np.array(np.load(tmp_path / "kept" / "atom_ids.npy"))
    coefficients = np.array(np.load(tmp_path / "kept" / "coefficients.npy"))
    crane, bank = (vectors.words.index(word) for word in ("crane", "bank"))
    ids[crane], coefficients[crane] = [0, 1], [2.0, -1.0]
    ids[bank], coefficients[bank] = [3, -1], [-1.0, 0.0]
    np.save(tmp_path / "kept" / "atom_ids.npy", ids)
    np.save(tmp_path / "kept" / "coefficients.npy", coefficients)
    make_old(tmp_path / "kept")
    atoms = np.load(tmp_path / "kept" / "atoms.npy")
    senses = small().induce(material)
    assert np.array_equal(senses.sense_vectors("crane"), atoms[[0]])
    # All are left out: the largest coefficient stays, and padding is no atom.
    assert np.array_equal(senses.sense_vectors("bank"), atoms[[3]])


def test_kept_atoms_are_opened_again(corpus: Corpus, vectors: WordVectors, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    first = small().induce(make_material(corpus, vectors, folder))
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["kind"] == "atoms"
    assert manifest["identity"]["n_atoms"] == N_TOPICS
    stamp = (folder / "atoms.npy").stat().st_mtime_ns
    # Other words are looked up in the same atoms.
    again = small().induce(Material(corpus, vectors, ("bank",), folder=folder))
    assert (folder / "atoms.npy").stat().st_mtime_ns == stamp
    assert again.words == ("bank",)
    assert np.array_equal(again.sense_vectors("bank"), first.sense_vectors("bank"))
    with pytest.raises(InputError, match="another n_atoms: delete it"):
        small(n_atoms=5).induce(make_material(corpus, vectors, folder))


def test_atoms_of_the_most_frequent_words_code_all(corpus: Corpus, vectors: WordVectors) -> None:
    senses = small(n_words=180).induce(make_material(corpus, vectors))  # without "crane", "bank"
    assert senses.sense_vectors("crane")[:, :2] == pytest.approx(np.eye(2), abs=0.1)


def test_smooth_inverse_frequencies_by_hand() -> None:
    vectors = WordVectors(["a", "b"], np.eye(2), [3, 1])
    assert smooth_inverse_frequencies(vectors, 0.25).tolist() == pytest.approx([0.25, 0.5])
    assert smooth_inverse_frequencies(vectors, None).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sparsity": 0}, "sparsity must be a whole number, 1 or more; got 0"),
        ({"max_share": 0.0}, "max_share must be above 0"),
        ({"smoothing": -1.0}, "smoothing must be above 0, or None"),
        ({"n_atoms": 500}, "500 atoms need at least as many vectors"),
    ],
)
def test_mistakes_are_explained(
    corpus: Corpus, vectors: WordVectors, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        small(**changes).induce(make_material(corpus, vectors))


def make_signals(
    n: int, n_atoms: int, dim: int, sparsity: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Sums of a few planted atoms with positive coefficients, and the atoms."""
    rng = np.random.default_rng(seed)
    atoms = rng.normal(size=(n_atoms, dim))
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    chosen = rng.permuted(np.tile(np.arange(n_atoms), (n, 1)), axis=1)[:, :sparsity]
    coefficients = rng.uniform(0.5, 1.5, size=(n, sparsity))
    return np.einsum("nk,nkd->nd", coefficients, atoms[chosen]).astype(np.float32), atoms


def test_planted_atoms_are_found() -> None:
    signals, planted = make_signals(3000, 30, 24, 2, seed=0)
    found = learn_dictionary(signals, 30, 2, n_iterations=30)
    # Signed: coefficients are positive, so the atoms must point the planted way.
    best = (planted @ found.atoms.T).max(axis=1)
    assert (best > 0.98).sum() >= 27
    assert found.objective_path[-1] < 0.1 * float(np.square(signals).sum())


def test_the_objective_never_goes_up() -> None:
    rng = np.random.default_rng(1)
    signals = rng.normal(size=(600, 20)).astype(np.float32)
    path = learn_dictionary(signals, 40, 4, n_iterations=15).objective_path
    assert len(path) == 15
    assert np.all(np.diff(path) <= 1e-5 * path[0])
    assert path[-1] < 0.9 * path[0]


def test_doubles_make_room_for_other_atoms() -> None:
    # Plain K-SVD ends here with two atoms for one planted atom (cosine 0.99 and more).
    signals, _ = make_signals(3000, 30, 24, 2, seed=5)
    atoms = learn_dictionary(signals, 30, 2, n_iterations=30, random_state=5).atoms
    cosines = np.abs(atoms @ atoms.T)[~np.eye(30, dtype=bool)]
    assert cosines.max() < 0.9


def test_codes_belong_to_the_atoms() -> None:
    rng = np.random.default_rng(2)
    signals = rng.normal(size=(300, 12)).astype(np.float32)
    found = learn_dictionary(signals, 20, 3, n_iterations=5)
    left = float(np.square(get_kernels().find_residuals(signals, found.atoms, found.codes)).sum())
    assert left <= found.objective_path[-1] * (1 + 1e-5)
    sums = np.bincount(found.codes.ids.ravel(), found.codes.coefficients.ravel(), minlength=20)
    assert np.all(sums >= 0.0)


def test_the_same_state_gives_the_same_atoms() -> None:
    signals, _ = make_signals(400, 10, 8, 2, seed=4)
    first, second, other = (
        learn_dictionary(signals, 10, 2, n_iterations=3, random_state=state).atoms
        for state in (5, 5, 6)
    )
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_too_few_vectors_are_explained() -> None:
    signals = np.zeros((10, 3), np.float32)
    signals[:4] = 1.0
    with pytest.raises(InputError, match=r"5 atoms need at least as many vectors .* got 4"):
        learn_dictionary(signals, 5, 2)
