"""K-Grassmeans as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from grassmeans.arrays import Doubles, Floats, Integers
from grassmeans.artifacts.schema import check_fields, expect, instance_of, one_of, optional, whole
from grassmeans.clustering.loop import INITS, FitOptions, Grouping, InducedDirections, RandomState
from grassmeans.clustering.sense_number import Steps, ask_once, find_any_number, take_steps
from grassmeans.clustering.settings import DEFAULT_GRANULARITY, SENSE_RULES
from grassmeans.errors import InputError
from grassmeans.geometry.distances import measure_distances
from grassmeans.geometry.rules import DEFAULT_RULES, GroupingRules
from grassmeans.kernels import get_kernels
from grassmeans.vectors.similarity import unit_rows

_ORTHONORMAL_TOLERANCE = 1e-3


@dataclass(eq=False, repr=False)
class KGrassmeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Group context subspaces by the direction in which they meet (algorithm 2 of the paper).

    Parameters
    ----------
    n_senses : int or "auto", default=5
        K, the number of groups; "auto" chooses it (see `grassmeans.clustering.sense_number`).
    n_init : int, default=5
        Restarts from different directions; the one with the lowest objective is kept.
    max_iter : int, default=100
        The most iterations of a restart over all contexts.
    tol : float, default=1e-5
        A restart has converged when the objective moves by less than this per context, and of two
        that differ by less the first is taken; the best one is then refined to a tenth of it.
    init : {"random", "k-means++"}, default="random"
        Gaussian directions of unit length, as in the paper; or leading directions of contexts,
        drawn with probability by their squared distance to those drawn before.
    random_state : int, Generator, RandomState or None, default=None
        An int makes the result reproducible; it does not depend on the number of threads.
    device : {"cpu", "cuda"}, default="cpu"
        Where to compute; a GPU needs the extra ``gpu``.
    granularity : float, default=1.0
        With "auto", larger gives more groups, smaller gives fewer.
    signed : bool, default=False
        Whether lines have ends (rank 1 only): a context that points away from a direction is as
        far from it as can be, and the direction of a group is the mean of its contexts.
    rules : GroupingRules, optional
        With "auto", how many groups there are at most, and which of them are one
        (`grassmeans.geometry.rules.GroupingRules`); by default those for `principal_subspaces`.

    Attributes
    ----------
    n_senses_ : int
        The number of groups: K, or the number that "auto" chose.
    directions_ : (n_senses, dim) float32
        Unit intersection directions, those of larger groups first. Their signs mean nothing unless
        lines are signed.
    labels_ : (n_contexts,) int32
        The nearest direction of each context, the same as ``predict`` gives. A context of zeros
        (no usable words) has distance 1 to every direction and the label 0.
    inertia_ : float
        The objective L of equation 3: the sum of squared distances to the nearest direction.
    n_iter_ : int
        Iterations over all contexts of the best restart.
    objective_path_ : (n,) float64
        Its objective at first and after each iteration that lowered it; never increases. Where
        lines are signed, the sum of 1 - cosine.
    n_features_in_ : int
        dim.

    Notes
    -----
    Everything that takes ``X`` takes bases (n_contexts, rank, dim), from `principal_subspaces`
    with either weighting, or a matrix (n_contexts, dim) whose rows stand for lines: their lengths
    do not count.

    Examples
    --------
    >>> import numpy as np
    >>> lines = np.array([[1, 0.1, 0], [1, -0.1, 0], [-2, 0, 0], [0, 0.1, 1], [0, 0, 1]])
    >>> KGrassmeans(n_senses=2, random_state=0).fit_predict(lines)
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    n_senses: int | str = 5
    n_init: int = 5
    max_iter: int = 100
    tol: float = 1e-5
    init: str = "random"
    random_state: RandomState = None
    device: str = "cpu"
    granularity: float = DEFAULT_GRANULARITY
    signed: bool = False
    rules: GroupingRules | None = None

    def fit(self, X: ArrayLike, y: object = None) -> KGrassmeans:
        """Find the directions; ``y`` is ignored."""
        fit_together([self], [X])
        return self

    @property
    def turned_rules(self) -> GroupingRules:
        """The rules with the granularity in them: which groups are one, with "auto"."""
        return (self.rules or DEFAULT_RULES).turn(float(self.granularity))

    def _keep(self, found: InducedDirections) -> None:
        self.n_senses_ = len(found.directions)
        self.directions_ = found.directions
        self.labels_ = found.labels
        self.inertia_ = found.inertia
        self.n_iter_ = found.n_iter
        self.objective_path_ = found.objective_path

    def _plan(self, bases: Floats) -> Steps:
        options = FitOptions(
            n_init=int(self.n_init),
            max_iter=int(self.max_iter),
            tol=float(self.tol),
            init=self.init,
            signed=bool(self.signed),
            device=self.device,
        )
        if isinstance(self.n_senses, str):
            return find_any_number(bases, self.turned_rules, options, self.random_state)
        return ask_once(Grouping(bases, int(self.n_senses), options, self.random_state))

    def predict(self, X: ArrayLike) -> Integers:
        """The nearest direction of each context, (n_contexts,): equation 4."""
        return np.asarray(self.transform(X).argmin(axis=1).astype(np.int32))

    def transform(self, X: ArrayLike) -> Doubles:
        """Distances to the directions, (n_contexts, n_senses), in [0, 1]."""
        check_is_fitted(self)
        bases = self._check_bases(X, reset=False)
        return measure_distances(
            bases, self.directions_, signed=bool(self.signed), device=self.device
        )

    def score(self, X: ArrayLike, y: object = None) -> float:
        """The objective on ``X``, negative: larger is better."""
        return -float((self.transform(X).min(axis=1) ** 2).sum())

    @property
    def _n_features_out(self) -> int:
        return len(self.directions_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags

    def _check_parameters(self) -> None:
        check_fields(
            self,
            **SENSE_RULES,
            max_iter=whole(1),
            tol=expect(
                "a number, 0 or more", lambda tol: isinstance(tol, Real) and float(tol) >= 0
            ),
            init=one_of(*INITS),
            rules=optional(instance_of(GroupingRules)),
        )
        for name in ("by_tree", "by_pairs", "by_silhouette"):
            if getattr(self.rules, name, False) and not self.signed:
                raise InputError(f"{name}=True is for lines that have ends: it needs signed=True")
        get_kernels(self.device)  # refuses what is not there

    def _check_bases(self, X: ArrayLike, *, reset: bool) -> Floats:
        """``X`` as bases (n_contexts, rank, dim) that the kernels take."""
        if getattr(X, "ndim", None) != 3:  # each row is the basis of a line; zeros stay zeros
            dtypes = [np.float64, np.float32]
            rows = validate_data(self, X, reset=reset, dtype=dtypes, order="C")
            # By the largest component first: squares of tiny or huge values would not be finite.
            largest = np.abs(rows).max(axis=1, keepdims=True)
            unit = unit_rows(rows.astype(np.float64) / np.where(largest > 0.0, largest, 1.0))
            return unit.astype(np.float32)[:, None, :]
        bases = np.asarray(X)
        if bases.dtype.kind not in "fiu" or 0 in bases.shape:
            raise InputError(
                "X must be real numbers of the shape (n_contexts, rank, dim), with at least one of "
                f"each; got {bases.dtype} of the shape {bases.shape}"
            )
        if reset:
            self.n_features_in_ = bases.shape[2]
        elif bases.shape[2] != self.n_features_in_:
            raise InputError(
                f"X has {bases.shape[2]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        bases = np.ascontiguousarray(bases, dtype=np.float32)
        # On the CPU: to send the contexts to a GPU takes longer than to look at each once.
        _check_orthonormal(get_kernels().multiply_bases(bases))
        return bases


def fit_together(estimators: Sequence[KGrassmeans], contexts: Sequence[ArrayLike]) -> None:
    """Fit every estimator to its own contexts, on a GPU all at once: the device of the first."""
    plans = []
    for estimator, given in zip(estimators, contexts, strict=True):
        bases = estimator._check_bases(given, reset=True)
        estimator._check_parameters()
        plans.append(estimator._plan(bases))
    device = estimators[0].device if estimators else "cpu"
    for estimator, found in zip(estimators, take_steps(plans, device), strict=True):
        estimator._keep(found)


def _check_orthonormal(products: Floats) -> None:
    """Distances need orthogonal rows of at most unit length; weighted rows are shorter."""
    if not np.isfinite(products).all():
        raise InputError("X contains NaN or infinity: leave those contexts out")
    lengths = np.einsum("nii->ni", products)
    skew = np.abs(products - np.eye(products.shape[1], dtype=np.float32) * lengths[:, None, :])
    if lengths.max() > 1.0 + _ORTHONORMAL_TOLERANCE or skew.max() > _ORTHONORMAL_TOLERANCE:
        raise InputError(
            "the rows of each basis in X must be orthogonal and of at most unit length: "
            "pass what principal_subspaces returns"
        )
