"""Learning a dictionary: atoms such that every vector is nearly a sum of a few of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from grassmeans.errors import InputError
from grassmeans.kernels import SparseCodes, get_kernels
from grassmeans.progress import progress_bar

_NEARLY_THE_SAME = 0.9
_ATOMS_AT_ONCE = 1024


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
    n_atoms, sparsity, n_iterations : int

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
    atoms = _scale_to_unit(signals[chosen])
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
    atoms[places[: len(worst)]] = _scale_to_unit(signals[worst])


def _squared_lengths(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    squares: NDArray[np.float64] = np.einsum("nd,nd->n", rows, rows).astype(np.float64)
    return squares


def _scale_to_unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    scaled: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return scaled
