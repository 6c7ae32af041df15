"""Arora et al. 2016: the senses of a word are the atoms that its vector is a sum of.

All word vectors are coded by one dictionary of atoms ("discourses"), each as a sum of a few. Where
the paper says that a word's vector is a positive sum of its senses' vectors, the pursuit also gives
negative coefficients: those atoms only correct the sum and are no senses.

The dictionary is learnt by K-SVD: atoms such that every vector is nearly a sum of a few of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.checking import check_range, open_array
from grassmeans.artifacts.writing import write_array
from grassmeans.errors import InputError
from grassmeans.evaluation.systems import digest_of_vectors
from grassmeans.progress import progress_bar
from grassmeans.vectors.similarity import unit_rows
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.kernels import SparseCodes, get_kernels
from grassmeans_lab.rivals.cosine_senses import CosineSenses, SenseDirections
from grassmeans_lab.rivals.interface import (
    Material,
    RivalInducer,
    Windows,
    check_at_least_one,
    is_kept,
    keep_work,
)

_KIND = "atoms"
_ATOMS, _IDS, _COEFFICIENTS = "atoms.npy", "atom_ids.npy", "coefficients.npy"
_NEARLY_THE_SAME = 0.9
_ATOMS_AT_ONCE = 1024


@dataclass(frozen=True, slots=True)
class CodedWords:
    """Atoms (n_atoms, dim), unit rows, and the codes of all words of the vectors."""

    atoms: NDArray[np.float32]
    codes: SparseCodes


@dataclass(eq=False)
class AtomSenses(RivalInducer):
    """Discourse atoms by sparse coding of the word vectors; a context goes to its nearest atom.

    Parameters
    ----------
    n_atoms, sparsity, n_iterations : int
        Size of the dictionary, atoms a word at most, rounds of learning; the paper's by default.
    n_words : int or None
        Learn the atoms from the first so many words, usually the most frequent ones, and code all
        words with them. None learns from all, as in the paper.
    max_share : float
        An atom in the codes of more than this share of all words stands for no sense: it holds
        what the vectors have in common.
    smoothing : float or None
        A context is the mean of its words' vectors weighted by a / (a + frequency), with this a
        (Arora et al. 2017). None weighs all words alike.
    window : int
        Kept words a side in a context.

    Notes
    -----
    One dictionary is learnt, where the paper merges several. A word whose atoms are all left out
    keeps the one with the largest coefficient. Senses are in order of falling coefficient.
    """

    name: ClassVar[str] = "atoms"

    n_atoms: int = 2000
    sparsity: int = 5
    n_iterations: int = 25
    _: KW_ONLY
    n_words: int | None = None
    max_share: float = 0.01
    smoothing: float | None = 1e-3
    window: int = 10

    def induce(self, material: Material) -> CosineSenses:
        """Learn the atoms, or open them where the folder has them, and look the words up."""
        self._check()
        coded = self._keep_coded_words(material)
        common = find_common_atoms(coded, self.max_share)
        senses = {
            word: coded.atoms[atom_ids]
            for word, atom_ids in _atoms_of_words(material.words, material.vectors, coded, common)
        }
        return CosineSenses(
            SenseDirections.collect(senses, material.vectors.dim),
            Windows.of(material, self.window),
            smooth_inverse_frequencies(material.vectors, self.smoothing),
        )

    def _check(self) -> None:
        check_at_least_one(
            n_atoms=self.n_atoms,
            sparsity=self.sparsity,
            n_iterations=self.n_iterations,
            window=self.window,
        )
        if not 0.0 < self.max_share <= 1.0:
            raise InputError(f"max_share must be above 0 and at most 1, got {self.max_share}")
        if self.smoothing is not None and not self.smoothing > 0.0:
            raise InputError(f"smoothing must be above 0, or None; got {self.smoothing}")

    def _keep_coded_words(self, material: Material) -> CodedWords:
        folder = material.folder
        if folder is None:
            return self._code_words(material)
        # Not the words that were asked for: the atoms serve all words of the vectors.
        identity = {
            "n_atoms": self.n_atoms,
            "sparsity": self.sparsity,
            "n_iterations": self.n_iterations,
            "n_words": self.n_words,
            "random_state": material.random_state,
            "vectors": digest_of_vectors(material.vectors),
        }
        if not is_kept(folder, _KIND, identity):
            with keep_work(folder, _KIND, identity) as building:
                _save(self._code_words(material), building.folder)
        return _load(folder)

    def _code_words(self, material: Material) -> CodedWords:
        signals = material.vectors.vectors
        learnt = learn_dictionary(
            signals[: self.n_words],
            self.n_atoms,
            self.sparsity,
            n_iterations=self.n_iterations,
            random_state=material.random_state,
        )
        rest = get_kernels().code_signals(
            signals[len(learnt.codes.ids) :], learnt.atoms, self.sparsity
        )
        codes = SparseCodes(
            np.concatenate([learnt.codes.ids, rest.ids]),
            np.concatenate([learnt.codes.coefficients, rest.coefficients]),
        )
        return CodedWords(learnt.atoms, codes)


def find_common_atoms(coded: CodedWords, max_share: float) -> NDArray[np.bool_]:
    """(n_atoms,) whether an atom is used by more than this share of the words."""
    ids = coded.codes.ids
    n_users = np.bincount(ids[ids >= 0], minlength=len(coded.atoms))
    common: NDArray[np.bool_] = n_users > max_share * len(ids)
    return common


def smooth_inverse_frequencies(
    vectors: WordVectors, smoothing: float | None
) -> NDArray[np.float32]:
    """(n_words,) weights a / (a + frequency); 1 without smoothing, or where counts are unknown."""
    if smoothing is None or vectors.counts is None:
        return np.ones(len(vectors), np.float32)
    frequencies = vectors.counts / max(int(vectors.counts.sum()), 1)
    weights: NDArray[np.float32] = (smoothing / (smoothing + frequencies)).astype(np.float32)
    return weights


def _atoms_of_words(
    words: Iterable[str], vectors: WordVectors, coded: CodedWords, common: NDArray[np.bool_]
) -> Iterable[tuple[str, NDArray[np.int32]]]:
    """Words with the ids of their atoms; not those without a vector, or with a vector of zeros."""
    for word in dict.fromkeys(words):
        row = vectors.id_of(word)
        if row is None or coded.codes.ids[row, 0] < 0:
            continue
        ids, coefficients = coded.codes.ids[row], coded.codes.coefficients[row]
        order = np.argsort(-coefficients, kind="stable")
        order = order[(ids[order] >= 0) & (coefficients[order] > 0.0)]
        chosen = ids[order][~common[ids[order]]]
        if len(chosen) == 0:
            chosen = ids[[np.argmax(np.where(ids >= 0, coefficients, -np.inf))]]
        yield word, chosen


def _save(coded: CodedWords, folder: Path) -> None:
    write_array(folder / _ATOMS, coded.atoms)
    write_array(folder / _IDS, coded.codes.ids)
    write_array(folder / _COEFFICIENTS, coded.codes.coefficients)


def _load(folder: Path) -> CodedWords:
    atoms = open_array(folder / _ATOMS, np.float32, (None, None))
    ids = open_array(folder / _IDS, np.int32, (None, None))
    check_range(folder / _IDS, ids, -1, len(atoms))
    coefficients = open_array(folder / _COEFFICIENTS, np.float32, ids.shape)
    return CodedWords(np.asarray(atoms), SparseCodes(ids, coefficients))


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Atoms and what they leave over.

    Attributes
    ----------
    atoms : (n_atoms, dim) float32
        Unit rows. Their signs are such that the coefficients of each sum to 0 or more.
    codes : SparseCodes
        Of the signals that the atoms were learnt from.
    objective_path : (n_iterations,) float64
        Sum of squared residuals after every iteration; never increases.
    """

    atoms: NDArray[np.float32]
    codes: SparseCodes
    objective_path: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _State:
    """Atoms, the codes of all signals, their residuals and the squared lengths of these."""

    atoms: NDArray[np.float32]
    codes: SparseCodes
    residuals: NDArray[np.float32]
    errors: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    @property
    def objective(self) -> float:
        return float(self.errors.sum())


def learn_dictionary(
    signals: NDArray[np.float32],
    n_atoms: int,
    sparsity: int,
    *,
    n_iterations: int = 25,
    random_state: int = 0,
    show_progress: bool | None = None,
) -> Dictionary:
    """Learn atoms by K-SVD: code all signals, improve all atoms, again and again.

    Parameters
    ----------
    signals : (n_signals, dim) float32
        At least as many as atoms, not counting zeros.

    Notes
    -----
    The pursuit is greedy, so a new code may be worse than the one before: the better of the two is
    kept. Atoms that no signal uses are replaced by the signals that are coded worst, and so are
    atoms that are nearly doubles of others, from which learning would not get away, where this does
    not make the objective worse.
    """
    signals = np.ascontiguousarray(signals, np.float32)
    usable = np.flatnonzero(np.any(signals != 0.0, axis=1))
    if len(usable) < n_atoms:
        raise InputError(
            f"{n_atoms} atoms need at least as many vectors to learn from, got {len(usable)}: "
            "ask for fewer atoms"
        )
    rng = np.random.default_rng(random_state)
    chosen = np.sort(rng.choice(usable, n_atoms, replace=False))
    atoms = unit_rows(signals[chosen])
    state = _improve(signals, _State(atoms, *_code(signals, atoms, sparsity)))
    objectives = [state.objective]
    with progress_bar("learning atoms", n_iterations, unit="rounds", show=show_progress) as advance:
        advance()
        for _ in range(n_iterations - 1):
            state = _iterate(signals, state, sparsity)
            objectives.append(state.objective)
            advance()
    codes, _ = _code(signals, state.atoms, sparsity, state)
    orient_atoms(state.atoms, codes)
    return Dictionary(state.atoms, codes, np.array(objectives))


def orient_atoms(atoms: NDArray[np.float32], codes: SparseCodes) -> None:
    """Turn atoms round, in place, whose coefficients sum to less than 0."""
    known = codes.ids >= 0
    sums = np.bincount(codes.ids[known], codes.coefficients[known], minlength=len(atoms))
    signs = np.where(sums < 0.0, -1.0, 1.0).astype(np.float32)
    atoms *= signs[:, None]
    codes.coefficients[known] *= signs[codes.ids[known]]


def _iterate(signals: NDArray[np.float32], state: _State, sparsity: int) -> _State:
    """One round; atoms that are nearly doubles make room for others where that pays."""
    doubles = _find_doubles(state)
    if len(doubles):
        atoms = state.atoms.copy()
        _put_worst_signals(atoms, doubles, signals, state.errors)
        # Codes that use a double are made anew whatever comes out: their atom has gone.
        errors = np.where(np.isin(state.codes.ids, doubles).any(axis=1), np.inf, state.errors)
        before = replace(state, atoms=atoms, errors=errors)
        tried = _improve(signals, _State(atoms, *_code(signals, atoms, sparsity, before)))
        if tried.objective <= state.objective:
            return tried
    codes, residuals = _code(signals, state.atoms, sparsity, state)
    return _improve(signals, _State(state.atoms, codes, residuals))


def _code(
    signals: NDArray[np.float32],
    atoms: NDArray[np.float32],
    sparsity: int,
    before: _State | None = None,
) -> tuple[SparseCodes, NDArray[np.float32]]:
    """New codes of the signals where they are better than those before, and the residuals."""
    codes = get_kernels().code_signals(signals, atoms, sparsity)
    residuals = get_kernels().find_residuals(signals, atoms, codes)
    if before is not None:
        worse = np.flatnonzero(_squared_lengths(residuals) > before.errors)
        codes.ids[worse] = before.codes.ids[worse]
        codes.coefficients[worse] = before.codes.coefficients[worse]
        residuals[worse] = before.residuals[worse]
    return codes, residuals


def _improve(signals: NDArray[np.float32], state: _State) -> _State:
    """Improve all atoms, in place, and replace those that no signal uses."""
    n_users = get_kernels().improve_atoms(state.residuals, state.atoms, state.codes)
    errors = _squared_lengths(state.residuals)
    _put_worst_signals(state.atoms, np.flatnonzero(n_users == 0), signals, errors)
    return replace(state, errors=errors)


def _find_doubles(state: _State) -> NDArray[np.int64]:
    """Atoms that are nearly the same as one with a smaller number."""
    doubled = np.zeros(len(state.atoms), np.bool_)
    for first in range(0, len(state.atoms), _ATOMS_AT_ONCE):
        part = state.atoms[first : first + _ATOMS_AT_ONCE]
        alike = np.abs(part @ state.atoms.T) > _NEARLY_THE_SAME
        doubled[first : first + len(part)] = np.tril(alike, first - 1).any(axis=1)
    return np.flatnonzero(doubled)


def _put_worst_signals(
    atoms: NDArray[np.float32],
    places: NDArray[np.int64],
    signals: NDArray[np.float32],
    errors: NDArray[np.float64],
) -> None:
    worst = np.argsort(-errors, kind="stable")[: len(places)]
    worst = worst[errors[worst] > 0.0]
    atoms[places[: len(worst)]] = unit_rows(signals[worst])


def _squared_lengths(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    squares: NDArray[np.float64] = np.einsum("nd,nd->n", rows, rows).astype(np.float64)
    return squares
