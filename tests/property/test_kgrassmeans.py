import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grassmeans.clustering.directions import LineSteps, hold_lines, induce_directions
from grassmeans.clustering.kgrassmeans import KGrassmeans
from grassmeans.clustering.loop import INITS, FitOptions, advance


@st.composite
def subspaces(draw, min_contexts=6):
    """Random or clustered bases, some contexts with fewer rows, some with none."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, dim = draw(st.integers(min_contexts, 120)), draw(st.integers(3, 24))
    rank = draw(st.integers(1, 3))
    rows = rng.standard_normal((n, rank, dim))
    centres = rng.standard_normal((4, dim))
    rows[:, 0] += draw(st.sampled_from([0.0, 2.0, 30.0])) * centres[rng.integers(0, 4, n)]
    bases = np.linalg.qr(rows.transpose(0, 2, 1))[0].transpose(0, 2, 1)
    if draw(st.booleans()):
        bases[rng.random((n, rank)) < 0.2] = 0.0
    if draw(st.booleans()):
        bases *= np.sort(rng.random(rank))[::-1, None]
    return np.ascontiguousarray(bases, dtype=np.float32)


@settings(max_examples=50, deadline=None)
@given(subspaces(), st.integers(1, 6), st.integers(0, 99), st.sampled_from(INITS))
def test_the_objective_never_increases(bases, n_senses, seed, init):
    fit = FitOptions(n_init=2, tol=0.0, init=init)
    found = induce_directions(bases, n_senses, fit, random_state=seed)
    assert (np.diff(found.objective_path) <= 0).all()
    assert found.inertia <= found.objective_path[0] * (1 + 1e-5)


@settings(max_examples=30, deadline=None)
@given(subspaces(), st.integers(1, 5), st.integers(1, 4), st.integers(0, 99))
def test_every_single_step_keeps_or_lowers_the_objective(bases, n_senses, n_products, seed):
    # Without the guard that takes a step back: the step itself must be sound up to rounding.
    steps = LineSteps(bases)
    rng = np.random.default_rng(seed)
    start = rng.standard_normal((1, n_senses, bases.shape[2])).astype(np.float32)
    start /= np.linalg.norm(start, axis=2, keepdims=True)
    previous = np.inf
    for _ in range(8):
        found = steps.assign(start)
        objective = (1.0 - found.gains.astype(float)).sum()
        assert objective <= previous + 1e-5 * len(bases)
        previous = objective
        start = steps.improve(found, start, n_products)
        steps.relocate(found, start)


@settings(max_examples=25, deadline=None)
@given(subspaces(), st.integers(1, 4), st.integers(0, 99))
def test_bases_may_be_rotated_and_flipped(bases, n_senses, seed):
    rng = np.random.default_rng(seed)
    rank = bases.shape[1]
    flat = bases / np.maximum(np.linalg.norm(bases, axis=2, keepdims=True), 1e-30)
    full = flat[flat.any(axis=2).all(axis=1)]
    if len(full) < n_senses:
        return
    model = KGrassmeans(n_senses=n_senses, n_init=1, random_state=seed).fit(full)
    turns = np.linalg.qr(rng.standard_normal((len(full), rank, rank)))[0]
    turned = np.einsum("nij,njd->nid", turns, full).astype(np.float32)
    np.testing.assert_allclose(model.transform(turned) ** 2, model.transform(full) ** 2, atol=1e-5)
    flipped = KGrassmeans(n_senses=n_senses, n_init=1, random_state=seed).fit(-full)
    np.testing.assert_array_equal(flipped.labels_, model.labels_)


@settings(max_examples=25, deadline=None)
@given(subspaces(), st.integers(1, 4), st.integers(0, 99))
def test_the_order_of_contexts_does_not_matter_for_a_fixed_start(bases, n_senses, seed):
    rng = np.random.default_rng(seed)
    start = rng.standard_normal((1, n_senses, bases.shape[2])).astype(np.float32)
    start /= np.linalg.norm(start, axis=2, keepdims=True)
    order = rng.permutation(len(bases))
    # One iteration: after many, rounding may send a context on a border the other way.
    one, two = (
        advance(hold_lines([own]), [len(own)], [start], [1], 0.0, (3,))[0].history[-1, 0]
        for own in (bases, bases[order])
    )
    assert two == pytest.approx(one, rel=1e-4, abs=1e-4)


@settings(max_examples=25, deadline=None)
@given(subspaces(), st.integers(1, 5), st.integers(0, 99))
def test_distances_lie_between_zero_and_one(bases, n_senses, seed):
    model = KGrassmeans(n_senses=n_senses, n_init=1, random_state=seed).fit(bases)
    distances = model.transform(bases)
    assert ((distances >= 0.0) & (distances <= 1.0)).all()
    assert (distances[~bases.any(axis=(1, 2))] == 1.0).all()
    np.testing.assert_array_equal(model.labels_, model.predict(bases))
